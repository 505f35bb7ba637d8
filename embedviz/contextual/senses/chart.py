"""The chart of a word's senses: a map of the occurrences of the word at each layer, and the cosines of their pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.contextual.occurrences import occurrences
from embedviz.contextual.senses.result import Senses
from embedviz.contextual.senses.sentences import (
    Sentences,
    known_sentences,
    read_sentences,
    sentences_in,
    sentences_with,
)
from embedviz.contextual.senses.study import senses
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import layers_in_words, number, share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float, Ints, VectorSpace, precise_unit_rows
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.permutation import family
from embedviz.corpus import opened
from embedviz.geometry.clusters import MOST as MOST_CLUSTERS
from embedviz.geometry.clusters import central_rows, kmeans
from embedviz.geometry.comparison.procrustes import rotation
from embedviz.geometry.separation import PERMUTATIONS, Separation

DRAWN = 400
"""Default of the maximum number of occurrences in a chart."""
COMPARED = 80
"""Maximum number of occurrences in the matrix of cosines."""
CLUSTER_NAMES = tuple(f"cluster {number}" for number in range(1, MOST_CLUSTERS + 1))
_TINY = 1e-6

Doubles = NDArray[np.float64]


class Lead(NamedTuple):
    """At one layer, the sense nearest to the word encoded alone, and the lead of this sense over the next sense.

    Attributes:
        cosine: Mean cosine of the word alone with the occurrences of this sense.
        lead: `cosine` minus the mean cosine of the word alone with the next sense.
        high: Chance limit of the lead at this layer. The limits of all layers hold together: in 95 % of shuffles of the
            senses, the lead exceeds the limit at no layer.
        p: p-value, adjusted for all layers.
    """

    layer: int
    sense: str
    cosine: float
    lead: float
    high: float
    p: float

    @property
    def beyond(self) -> bool:
        """Return whether the lead is above chance: `p` is at most 5 %, and `lead` is above `high`."""
        return self.p <= LEVEL and self.lead > self.high


@dataclass(frozen=True, eq=False)
class Alone:
    """The word encoded alone, as a sentence of its own.

    Attributes:
        word: The word as it was given.
        points: Position of the word alone on the map of each layer, (K, 2).
        cosines: Mean cosine of the word alone with all occurrences at each layer, (K,).
        leads: For each layer, the sense nearest to the word alone, and by how much its mean cosine exceeds that of the
            next sense. Empty if no layer has scores.
    """

    word: str
    points: Float
    cosines: Float
    leads: tuple[Lead, ...]

    @property
    def meaning(self) -> str:
        """Say at which layers the word alone is clearly nearer to one sense; empty if no layer is scored."""
        if not self.leads:
            return ""
        beyond = [lead for lead in self.leads if lead.beyond]
        if not beyond:
            return f"× is “{self.word}” without a sentence: at no layer clearly nearer to one sense."
        senses = list(dict.fromkeys(lead.sense for lead in beyond))
        sentence = " and ".join(
            f"{sense} at {layers_in_words(layers)}"
            for sense in senses
            for layers in [[lead.layer for lead in beyond if lead.sense == sense]]
        )
        rest = [lead.layer for lead in self.leads if not lead.beyond]
        others = f" At {layers_in_words(rest)} no sense is clearly nearer." if rest else ""
        return f"× is “{self.word}” without a sentence: nearer to {sentence}.{others}"


class Cluster(NamedTuple):
    """A cluster of occurrences: its size, and the numbers of its most central occurrences (at most three)."""

    size: int
    central: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Clustered:
    """Clusters of the occurrences at a layer, found without labels.

    Attributes:
        labels: The cluster number of each occurrence, (n,). Clusters of neighboring layers have the same number if they
            share many occurrences.
        silhouette: Mean silhouette of the occurrences, by Euclidean distance of unit vectors; None if undefined.
        chance: 95th percentile of the silhouette in random data without clusters; None if undefined.
    """

    layer: int
    labels: Ints
    clusters: tuple[Cluster, ...]
    silhouette: float | None
    chance: float | None
    meaning: str


@dataclass(frozen=True, eq=False)
class Chart:
    """The n occurrences of a word at K layers, ready to draw.

    Attributes:
        found: The occurrences and the scores of their senses; `space` is None at every layer.
        points: Map of each layer, (K, n, 2): the first two principal components of the unit vectors, rotated to match
            the map of the next layer. All maps have the same scale.
        held: Share of the variance of a layer's unit vectors that the map of this layer shows, (K,).
        alone: The word as a sentence of its own; None if the tokenizer gives no token for it.
        order: Numbers of the m occurrences in the matrix of cosines, grouped by sense or cluster, (m,).
        differences: Cosine of each pair of the m occurrences minus the mean over all pairs at the layer, (K, m, m).
        means: Mean cosine over all pairs at each layer, (K,).
        clusters: The clusters of each layer, if there are no labels and more than k occurrences; else empty.
        given: Where the sentences come from, in a few words, for example “pasted”.
    """

    found: Senses
    points: Float
    held: Float
    alone: Alone | None
    order: Ints
    differences: Float
    means: Float
    clusters: tuple[Clustered, ...]
    given: str

    @property
    def layers(self) -> tuple[int, ...]:
        """Return the numbers of the layers."""
        return tuple(each.layer for each in self.found.layers)

    @property
    def meaning(self) -> str:
        """Say at which layers the senses separate; without scores, say why there are no scores."""
        found = self.found
        if found.scored:
            return found.headline
        if self.clusters and not found.senses:
            return "These sentences have no sense labels. The colors are clusters; a cluster need not be a sense."
        return found.meaning

    @property
    def best(self) -> int:
        """Return the layer to open first: `Senses.best`, else the layer with the highest silhouette, else the last."""
        if (best := self.found.best) is not None:
            return best
        scored = [(found.silhouette.value, layer) for layer, found in self.found.scored if found.silhouette]
        return max(scored, key=lambda one: one[0])[1] if scored else self.layers[-1]

    def mark_note(self, layer: int) -> str:
        """Say that a mark is one occurrence, and which share of the variance the map of a layer shows."""
        held = share(float(self.held[self.layers.index(layer)]))
        return f"Each mark is one “{self.found.word}” in a sentence. The flat picture keeps {held} of the variance."

    @property
    def input_note(self) -> str:
        """Say why many marks lie on one point at layer 0; empty without layer 0, or if over half are distinct."""
        if 0 not in self.layers:
            return ""
        places = np.unique(self.points[self.layers.index(0)].round(4), axis=0)
        if len(places) > len(self.found) // 2:
            return ""
        return "At layer 0 only the position in the sentence differs, so many marks lie on one point."

    def block_means(self, layer: int) -> str:
        """Say the mean cosine of two occurrences of one sense, and of different senses; empty if the layer has none."""
        one = dict(self.found.scored).get(layer)
        if one is None or one.within is None or one.between is None:
            return ""
        return (
            f"On average, two occurrences of one sense have a cosine of {number(one.within)}; of two senses, "
            f"{number(one.between)}.{_difference(one)}"
        )

    def table(self, layer: int) -> tuple[tuple[str, ...], Sequence[tuple[str | float, ...]]]:
        """Return header and rows: a row of scores for each scored layer, then a row for the control if there is one.

        The control uses the other words of the sentences. Without scores there is a row for each occurrence, with its
        group (sense or cluster) and its sentence.

        Args:
            layer: The layer whose clusters are the groups; used only if there are neither scores nor labels.
        """
        found = self.found
        if not found.scored:
            groups = self.groups(layer) or [""] * len(found)
            texts = [one.text for one in found.occurrences]
            return ("group", "sentence"), [(group, text) for group, text in zip(groups, texts, strict=True)]
        named = [(str(number), one) for number, one in found.scored]
        if found.control is not None and found.control.scores:
            named.append(("other words", found.control))
        names = [score.name for score in found.scored[0][1].scores]
        header = ("layer", "within", "between", *(f"{name}{end}" for name in names for end in ("", " low", " high")))
        rows: list[tuple[str | float, ...]] = [
            (name, one.within or 0.0, one.between or 0.0, *(v for s in one.scores for v in (s.value, s.low, s.high)))
            for name, one in named
        ]
        return header, rows

    def groups(self, layer: int) -> list[str] | None:
        """Return the sense of each occurrence or, without labels, its cluster at `layer`; None if there is neither."""
        if self.found.senses:
            return [each.sense for each in self.found.occurrences]
        if not self.clusters:
            return None
        return [CLUSTER_NAMES[label] for label in self.clusters[self.layers.index(layer)].labels.tolist()]


def _difference(one: Separation) -> str:
    """Say whether the mean cosines within and between senses differ beyond chance. The sentence begins with a blank."""
    score = one.difference
    if score is None:
        return ""
    digits = next((few for few in range(3, 6) if number(score.value, few) != number(score.high, few)), 6)
    value, limit = number(score.value, digits), f"(up to {number(score.high, digits)} in at least 95\u00a0% of trials)"
    if score.beyond:
        return f" The difference, {value}, is more than shuffled senses give {limit}."
    return f" The difference, {value}, is what shuffled senses can give {limit}."


@offered(
    "chart",
    "for layer, one in chart.found.scored:",
    '    print(layer, *(f"{s.name} {s.value:.2f} ({s.low:.2f} to {s.high:.2f})" for s in one.scores))',
    "print(chart.found.sample, chart.meaning)",
    command="senses {word} --pieces {pieces} --seed {seed}",
)
def chart(
    word: str,
    given: Sentences | None = None,
    *,
    text: str = "",
    file: str | Path = "",
    name: str = "",
    texts: str = "",
    model: Encoder | str | Path = BUILTIN,
    pieces: str = "mean",
    ignore_case: bool = True,
    most: int = DRAWN,
    k: int = 2,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    report: Report | None = None,
) -> Chart:
    """Return the occurrences of a word at every layer, ready to draw; by default in the built-in sentences.

    Args:
        given: The sentences. If None, the first of `text`, `file` and `texts` that is not empty is used.
        text: Pasted sentences, as `sentences_in` reads them.
        file: A file of sentences, as `read_sentences()` reads it; `name`: the title of the file.
        texts: Texts to search for sentences, as `corpus.opened` takes them.
        k: Number of clusters, 2 to 8, if the sentences have no labels.
        model, pieces, ignore_case, most, permutations, seed, report: As in `senses`.

    Raises:
        SentencesError, CorpusError: There are no sentences, or no such texts.
        OSError: The file cannot be read.
        OptionError, EncoderError: As for `senses`, or `k` is out of range.
    """
    if not 2 <= k <= MOST_CLUSTERS:
        raise OptionError(f"k is {k}; it may be from 2 to {MOST_CLUSTERS}.")
    rows, source = _sentences(word, given, text, file, name, texts, ignore_case, part(report, 0.0, 0.1))
    encoder = load(model)
    found = senses(
        word,
        *rows,
        model=encoder,
        pieces=pieces,
        ignore_case=ignore_case,
        most=most,
        permutations=permutations,
        seed=seed,
        report=part(report, 0.1, 0.8),
    )
    return _drawn(found, encoder, k, permutations, seed, source, report)


def _drawn(
    found: Senses, encoder: Encoder, k: int, permutations: int, seed: int, source: str, report: Report | None
) -> Chart:
    """Return the chart of some occurrences, with their maps, clusters and matrix of cosines."""
    spaces = [each.space for each in found.layers if each.space is not None]
    units = [precise_unit_rows(space.matrix) for space in spaces]
    tell(report, 0.8, "Placing the occurrences")
    points, frames = _maps(units)
    labels = _labels(found)
    alone = _alone(found, encoder, units, frames, labels, permutations, seed)
    clusters: tuple[Clustered, ...] = ()
    if labels is None and len(found) > k:
        clusters = _clusters(found, spaces, units, k, seed, part(report, 0.9, 1.0))
    order = _order(labels if labels is not None else clusters[-1].labels if clusters else None, len(found), seed)
    cosines = [unit @ unit.T for unit in units]
    means = np.array([_mean(each) for each in cosines], np.float32)
    differences = np.stack([each[np.ix_(order, order)] - mean for each, mean in zip(cosines, means, strict=True)])
    return Chart(
        replace(found, layers=tuple(each._replace(space=None) for each in found.layers)),
        points,
        np.array([frame.held for frame in frames], np.float32),
        alone,
        order,
        np.asarray(differences, np.float32),
        means,
        clusters,
        source,
    )


def warm(*, report: Report | None = None) -> None:
    """Load the built-in model and the modules for scoring, by computing one chart."""
    chart("bank", permutations=100, report=report)


def _sentences(
    word: str,
    given: Sentences | None,
    text: str,
    file: str | Path,
    name: str,
    texts: str,
    ignore_case: bool,
    report: Report | None,
) -> tuple[Sentences, str]:
    """Return the sentences of the first source that is given, and the name of the source, for example “pasted”."""
    if given is not None:
        return given, "given"
    if text:
        return sentences_in(text, "What was pasted"), "pasted"
    if file:
        return read_sentences(file, name), name or Path(file).name
    if texts:
        source = opened(texts)
        return sentences_with(word, source.texts, ignore_case=ignore_case, report=report), source.name
    return known_sentences(word), "built in"


class _LayerFrame(NamedTuple):
    """The projection of a layer to its map, (vector − `middle`) @ `directions`; `held`: share of variance shown."""

    middle: Doubles
    directions: Doubles
    held: float


def _maps(units: Sequence[Doubles]) -> tuple[Float, list[_LayerFrame]]:
    """Return the maps, (K, n, 2), and the projection of each layer; a map is rotated to match the next layer's map."""
    points: list[Doubles] = []
    frames: list[_LayerFrame] = []
    for unit in reversed(units):
        middle = unit.mean(axis=0)
        _, lengths, directions = np.linalg.svd(unit - middle, full_matrices=False)
        two = np.zeros((unit.shape[1], 2))
        count = min(2, len(directions))
        two[:, :count] = directions[:count].T
        flat = (unit - middle) @ two
        turn = rotation(_single(flat), _single(points[-1])) if points else _upright(flat)
        variance = float((lengths**2).sum())
        held = float((lengths[:2] ** 2).sum()) / variance if variance > _TINY**2 else 0.0
        points.append(flat @ turn)
        frames.append(_LayerFrame(middle, np.asarray(two @ turn), held))
    return np.asarray(points[::-1], np.float32), frames[::-1]


def _upright(flat: Doubles) -> Doubles:
    """Return the reflection matrix, (2, 2), that moves the first point to the upper left quadrant."""
    left, above = flat[0]
    return np.diag([-1.0 if left > 0 else 1.0, -1.0 if above < 0 else 1.0])


def _labels(found: Senses) -> Ints | None:
    """Return for each occurrence the index of its sense in `found.senses`, (n,); None without labels."""
    places = {sense: place for place, sense in enumerate(found.senses)}
    return np.array([places[each.sense] for each in found.occurrences], np.int64) if places else None


def _alone(
    found: Senses,
    encoder: Encoder,
    units: Sequence[Doubles],
    frames: Sequence[_LayerFrame],
    labels: Ints | None,
    permutations: int,
    seed: int,
) -> Alone | None:
    by_itself = occurrences(encode(encoder, [found.word]), found.word, pieces=found.pieces)
    if not len(by_itself):
        return None
    names = list(found.senses)
    mixed = None
    if labels is not None and found.scored:
        places = found.exchange.draw(permutations, np.random.default_rng([seed, 2]))
        mixed = np.concatenate([labels[:, None], labels[places]], axis=1)
    points, means, nearest, leads = [], [], [], []
    for each, unit, frame in zip(found.layers, units, frames, strict=True):
        vector = precise_unit_rows(by_itself.vectors(each.layer)[:1])[0]
        cosines = unit @ vector
        points.append((vector - frame.middle) @ frame.directions)
        means.append(cosines.mean())
        if mixed is not None:
            ranked = np.stack(
                [
                    cosines @ (mixed == place) / np.maximum((mixed == place).sum(axis=0), 1)
                    for place in range(len(names))
                ]
            )
            first, second = np.sort(ranked, axis=0)[[-1, -2]]
            nearest.append((names[int(ranked[:, 0].argmax())], float(first[0])))
            leads.append(first - second)
    ranked_leads: tuple[Lead, ...] = ()
    if leads:
        whole = family(np.stack(leads)[:, 0], np.stack(leads)[:, 1:])
        ranked_leads = tuple(
            Lead(each.layer, *near, float(lead[0]), float(high), float(p))
            for each, near, lead, high, p in zip(found.layers, nearest, leads, whole.high, whole.p, strict=True)
        )
    return Alone(found.word, np.asarray(points, np.float32), np.asarray(means, np.float32), ranked_leads)


def _clusters(
    found: Senses, spaces: Sequence[VectorSpace], units: Sequence[Doubles], k: int, seed: int, report: Report | None
) -> tuple[Clustered, ...]:
    """Return each layer's k-means clusters; as many occurrences as possible keep their number from layer to layer."""
    from scipy.optimize import linear_sum_assignment

    made: list[Clustered] = []
    after: Ints | None = None
    for done, place in enumerate(reversed(range(len(spaces)))):
        tell(report, done / len(spaces), f"Clustering layer {found.layers[place].layer}")
        one = kmeans(spaces[place], np.arange(len(found)), k=k, seed=seed)
        numbers = np.arange(k)
        if after is not None:
            shared = np.zeros((k, k), np.int64)
            np.add.at(shared, (one.labels, after), 1)
            numbers[:] = linear_sum_assignment(shared, maximize=True)[1]
        after = numbers[one.labels]
        central = {
            int(numbers[old]): tuple(central_rows(_single(units[place]), one.labels == old, center).tolist())
            for old, center in enumerate(one.centers)
        }
        sizes = np.bincount(after, minlength=k).tolist()
        listed = tuple(Cluster(sizes[number], central.get(number, ())) for number in range(k))
        label = one.meaning_of("occurrences")
        made.append(Clustered(found.layers[place].layer, after, listed, one.silhouette, one.chance, label))
    return tuple(made[::-1])


def _order(labels: Ints | None, n: int, seed: int) -> Ints:
    """Return the numbers of the occurrences in the matrix of cosines, sorted by group.

    Of more than `COMPARED` occurrences, at most `COMPARED` ÷ the number of groups are drawn at random from each group.
    """
    groups = np.zeros(n, np.int64) if labels is None else labels
    random, numbers = np.random.default_rng(seed), np.unique(groups)
    room = max(1, COMPARED // len(numbers))
    parts = []
    for group in numbers[:COMPARED].tolist():
        own = np.flatnonzero(groups == group)
        parts.append(own if n <= COMPARED or len(own) <= room else np.sort(random.choice(own, room, replace=False)))
    return np.concatenate(parts)


def _single(rows: Doubles) -> Float:
    return rows.astype(np.float32)


def _mean(cosines: Doubles) -> float:
    """Return the mean cosine over all pairs of different occurrences; 1 for a single occurrence."""
    n = len(cosines)
    return float((cosines.sum() - np.trace(cosines)) / (n * (n - 1))) if n > 1 else 1.0
