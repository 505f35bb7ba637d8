"""What texts are about: clusters of a space of texts, named by their words, and whether near texts are of one group.

A cluster's words are those that stand in far more of its texts than of all: the share of its texts with the word times
the logarithm of how many times that is the share among all texts. Function words are none of them, nor are words that
stand in a few of its texts only, where others stand in many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import Choice, Method, OptionError, Parameter, check, choose, table
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report, part, step, tell
from embedviz.core.space import Ints, VectorSpace, WordBlob
from embedviz.core.stats.intervals import Z
from embedviz.corpus import count_terms, opened
from embedviz.corpus.function_words import function_words
from embedviz.geometry.clusters import MOST, Clusters, kmeans
from embedviz.geometry.density import SELECTIONS, Dense, hdbscan
from embedviz.neighbors import Neighbor, nearest_lists, similarities
from embedviz.neighbors.lists import listed, nearest_rows
from embedviz.projection.coloring import REST, Coloring
from embedviz.retrieval.spaces import DOCUMENTS, METHODS, text_space

MOST_CLUSTERS = 40
TERMS = 8
"""Words that are listed of a cluster."""
NAMED = 3
"""Of these, those that make its name."""
REDUCED = {"kmeans": 200, "hdbscan": 50}
"""Directions that are clustered where a space has more dimensions: in many, no row lies denser than another."""
QUERIES = 2_000
"""Texts whose neighbors are looked at."""
SHUFFLES = 20
NEAREST = (1, 5)
_LEAST = 2  # texts of a cluster that a word of its name stands in
_OFTEN = 0.25  # share of them, at least; half the greatest share of any such word where that is less
_TOLD = 500  # texts between two reports


class Term(NamedTuple):
    """A word of a cluster: its share of the cluster's texts, and of all."""

    word: str
    inside: float
    overall: float


@dataclass(frozen=True)
class Theme:
    """A cluster of texts.

    Attributes:
        size: Texts in it.
        terms: Its words, the most telling first.
        central: Rows of its three texts nearest to the center.
        group: The known group that most of its texts belong to, or empty; `purity` is that group's share of it.
    """

    size: int
    terms: tuple[Term, ...]
    central: tuple[int, ...]
    group: str = ""
    purity: float = 0.0

    @property
    def name(self) -> str:
        """Its first words."""
        return ", ".join(term.word for term in self.terms[:NAMED]) or "no word of its own"


class BesideShuffled(NamedTuple):
    """A number beside the mean and the best that it reaches with the labels shuffled."""

    value: float
    shuffled: float
    best: float


@dataclass(frozen=True)
class GroupAgreement:
    """How far clusters are the groups that are known.

    Attributes:
        texts: Those in a cluster; the others are left out.
        purity: Share of texts whose group is the largest of their cluster.
        rand: Adjusted Rand index (Hubert and Arabie 1985): 1 for the same partition, 0 by chance.
    """

    groups: int
    texts: int
    purity: BesideShuffled
    rand: BesideShuffled

    def table(self) -> tuple[tuple[str, ...], Sequence[tuple[str, ...]]]:
        """Return header and rows: both numbers beside those with the groups shuffled."""
        rows = [
            ("largest group of a cluster", share(self.purity.value), share(self.purity.shuffled)),
            ("adjusted Rand", number(self.rand.value), number(self.rand.shuffled)),
        ]
        return (f"clusters and groups, {self.texts:,} texts", "here", "shuffled"), rows

    @property
    def meaning(self) -> str:
        """Whether the clusters are the groups, in a sentence."""
        said = f"{share(self.purity.value)} of the texts belong to the largest group of their cluster"
        chance = f"{share(self.purity.shuffled)} with the groups shuffled"
        if self.rand.value <= self.rand.best:
            return f"{said} ({chance}): the clusters are not the {self.groups} groups that are known."
        return (
            f"{said} ({chance}); the clusters agree with the {self.groups} groups by "
            f"{number(self.rand.value)} (adjusted Rand; 1: the same, 0: chance)."
        )


@dataclass(frozen=True, eq=False)
class Themes:
    """The clusters of a space of texts, the largest first.

    Attributes:
        clusters: What k-means or HDBSCAN found, and what it finds in shuffled copies.
        themes: Each cluster in words.
        agreement: With the groups, where they are known.
        directions: Singular directions that were clustered; 0 where the rows were taken whole.
    """

    clusters: Clusters | Dense
    themes: tuple[Theme, ...]
    agreement: GroupAgreement | None
    directions: int

    @property
    def labels(self) -> Ints:
        """The cluster of each text, (n,); −1 for one in no cluster."""
        return self.clusters.labels

    @property
    def outside(self) -> int:
        """Texts in no cluster, those without a direction among them."""
        return int(np.count_nonzero(self.labels < 0))

    @property
    def meaning(self) -> str:
        """Whether there are clusters at all, in sentences."""
        return self.clusters.meaning_of("texts")

    @property
    def note(self) -> str:
        """How they were found and named, in sentences."""
        where = f" in their first {self.directions} singular directions" if self.directions else ""
        return (
            f"Clusters are found in the space, not on the map. {self.clusters.method(where, 'texts')} A name has the "
            "words whose share of the cluster's texts, times the logarithm of how many times that is their share of "
            "all texts, is greatest, function words left out."
        )

    def table(self, space: VectorSpace) -> tuple[tuple[str, ...], Sequence[tuple[str, ...]]]:
        """Return header and rows: a row for each text of the space that was clustered."""
        groups = space.metadata.get("group")
        rows = [
            (
                space.words[row],
                self.themes[cluster].name if cluster >= 0 else "",
                str(groups[row]) if groups is not None else "",
                space.label(row),
            )
            for row, cluster in enumerate(self.labels.tolist())
        ]
        return ("text", "cluster", "group", "beginning"), rows

    def coloring(self, rows: Ints | None = None) -> Coloring:
        """Return a color for each text, or for those of these rows: the eight largest clusters, the rest grey."""
        labels = self.labels if rows is None else self.labels[rows]
        codes = np.where((labels < 0) | (labels >= MOST), REST, labels).astype(np.uint8)
        names = tuple(theme.name for theme in self.themes[:MOST])
        left = len(self.themes) - len(names)
        note = f"The {MOST} largest of {len(self.themes)} clusters; the rest is grey." if left > 0 else ""
        values = [self.themes[cluster].name if cluster >= 0 else "" for cluster in labels.tolist()]
        return Coloring("themes", "Cluster", "category", codes, names, note=note, values=values)


@dataclass(frozen=True)
class GroupScores:
    """How often the nearest texts belong to a text's own group, left out itself.

    Attributes:
        accuracies: For each k the share of texts whose group is the commonest of their k nearest, beside shuffled
            groups; of groups equally common the nearest counts.
        largest: Share of the largest group: what always saying it gives.
        sample: Texts looked at, of `texts` that have a direction.
        margin: Half the 95 % interval of the first accuracy; `margin_of` that of each.
    """

    accuracies: dict[int, BesideShuffled]
    groups: int
    largest: float
    sample: int
    texts: int
    margin: float

    def margin_of(self, k: int) -> float:
        """Return half the 95 % interval of one of the accuracies."""
        value = self.accuracies[k].value
        return Z * float(np.sqrt(value * (1 - value) / self.sample))

    @property
    def meaning(self) -> str:
        """Whether near texts are of one group, in a sentence."""
        one = self.accuracies[1]
        chance = max(one.best, self.largest)
        said = f"The nearest text is of the same group for {share(one.value)} of {self.sample:,} texts"
        level = f"the largest group alone gives {share(self.largest)}, shuffled groups {share(one.shuffled)}"
        more = "" if one.value - self.margin > chance else " That is not clearly more than chance."
        return f"{said}; {level}.{more}"


CLUSTERS: dict[str, Method] = table(
    Method(
        "kmeans",
        "k-means",
        partial(kmeans, most=MOST_CLUSTERS),
        (
            Parameter(
                "k", 2, lambda n: min(MOST_CLUSTERS, max(2, n - 1)), 6, "k-means always finds as many.", "Clusters"
            ),
            Parameter("seed", 0, 2**31 - 1, 0, "Another seed starts elsewhere; firm clusters stay.", "Seed"),
            Parameter("restarts", 1, 20, 4, "Random starts, of which the best is kept.", "Starts"),
        ),
        "k-means of unit rows. It always finds clusters; the sentence says whether there are any.",
        "Lloyd 1982; Rousseeuw 1987",
        long=True,
    ),
    Method(
        "hdbscan",
        "HDBSCAN",
        hdbscan,
        (
            Parameter(
                "min_cluster_size",
                0,
                lambda n: max(2, n // 2),
                0,
                "Texts that a cluster has at least; 0: half the square root of all, 5 or more.",
                "Least texts of a cluster",
                "automatic",
            ),
            Parameter(
                "min_samples", 1, 100, 5, "More leave more texts in no cluster.", "Neighbors that density is told by"
            ),
            Choice("selection", SELECTIONS, "eom", "eom: the clusters that last; leaf: smaller and more.", "Selection"),
            Parameter("seed", 0, 2**31 - 1, 0, "The structureless copies are drawn with it.", "Seed"),
        ),
        "Clusters where texts lie denser than around. It finds how many there are, and leaves texts in none.",
        "Campello, Moulavi and Sander 2013",
        long=True,
    ),
)


@offered("found", "print(found.meaning)", "for theme in found.themes:", '    print(theme.size, theme.name, sep="  ")')
def themes(space: VectorSpace, method: str = "kmeans", *, report: Report | None = None, **options: Any) -> Themes:
    """Return the clusters of a space of texts by a method of `CLUSTERS`, each named by its words.

    Args:
        space: One of `retrieval.spaces`: its column *text* has the texts, *group* their groups where they are known.

    Raises:
        OptionError: The space has no texts, there is no such method, an option is out of range, or every row is zeros.
    """
    row = choose(CLUSTERS, method, "way to find clusters")
    values = check(row, options, space)
    texts = _texts(space)
    reduced, directions = _reduced(space, REDUCED[method])

    rows = np.arange(len(space))
    found: Clusters | Dense = row.function(reduced, rows, **values, report=part(report, 0.0, 0.8))
    tell(report, 0.8, "naming the clusters")
    named = _terms(texts, found)
    groups = space.metadata.get("group")
    known = np.asarray(list(groups)) if groups is not None else None
    made = []
    for cluster, terms in enumerate(named):
        inside = np.flatnonzero(found.labels == cluster)
        near = inside[np.argsort(-(reduced.unit_rows(inside) @ found.centers[cluster]), kind="stable")[:3]]
        group, count = Counter(known[inside].tolist()).most_common(1)[0] if known is not None else ("", 0)
        made.append(Theme(len(inside), terms, tuple(near.tolist()), str(group), count / len(inside)))
    agreed = _agreement(found.labels, known, values["seed"]) if known is not None else None
    return Themes(found, tuple(made), agreed, directions)


class NearestTexts(NamedTuple):
    """The texts nearest to one, and the 5th and 95th percentile and the mean of its cosine with all others."""

    neighbors: tuple[Neighbor, ...]
    low: float
    mean: float
    high: float


def nearest_texts(space: VectorSpace, key: str, k: int = 8) -> NearestTexts:
    """Return the k texts nearest to one by cosine, nearest first, beside its cosine with a text drawn at random.

    Raises:
        UnknownWordError: There is no such text.
    """
    values = similarities(space, space.vector(key))
    others = np.delete(values, space.row(key))
    others = others[np.isfinite(others)]
    low, high = np.percentile(others, (5, 95)) if len(others) else (0.0, 0.0)
    found = listed(space, values, nearest_rows(space, values, (key,), k))
    return NearestTexts(found, float(low), float(others.mean()) if len(others) else 0.0, float(high))


@offered("groups", "print(groups.meaning)")
def group_scores(space: VectorSpace, *, seed: int = 0, report: Report | None = None) -> GroupScores:
    """Return how often the nearest texts by cosine are of a text's own group, over at most 2,000 texts drawn at random.

    Raises:
        OptionError: No groups are known, or there are fewer than three texts with a direction.
    """
    groups = space.metadata.get("group")
    if groups is None:
        raise OptionError("No groups are known of these texts.")
    whole = np.flatnonzero(space.norms > 0)
    if len(whole) < 3:
        raise OptionError(f"{len(whole)} texts have a direction; three are needed to speak of neighbors.")
    names, labels = np.unique(np.asarray(list(groups)), return_inverse=True)
    random = np.random.default_rng(seed)
    looked = whole if len(whole) <= QUERIES else np.sort(random.choice(whole, QUERIES, replace=False))
    k = min(max(NEAREST), len(whole) - 1)
    near = _nearest(space, looked, k, report)
    ks = [one for one in NEAREST if one <= k]
    shuffles = []
    for _ in range(SHUFFLES):
        permuted = labels.copy()
        permuted[whole] = random.permutation(labels[whole])
        shuffles.append([_accuracy(permuted, looked, near[:, :one]) for one in ks])
    chance = np.asarray(shuffles)
    found = {
        one: BesideShuffled(
            _accuracy(labels, looked, near[:, :one]), float(chance[:, place].mean()), float(chance[:, place].max())
        )
        for place, one in enumerate(ks)
    }
    sizes = np.bincount(labels[whole])
    margin = Z * float(np.sqrt(found[1].value * (1 - found[1].value) / len(looked)))
    return GroupScores(found, len(names), float(sizes.max() / len(whole)), len(looked), len(whole), margin)


def group_table(scores: Mapping[str, GroupScores]) -> tuple[tuple[str, ...], Sequence[tuple[str, ...]]]:
    """Return header and rows: how often the nearest texts tell a text's group, for each method by its title."""
    rows = [
        (
            f"{'nearest' if k == 1 else f'{k} nearest'}, {title}",
            f"{share(one.value)} ±{100 * scores[title].margin_of(k):.0f}",
            share(one.shuffled),
        )
        for title in (row.title for row in METHODS.values() if row.title in scores)
        for k, one in scores[title].accuracies.items()
    ]
    return ("own group told by the", "here", "shuffled"), rows


def scores_by_method(
    source: str | Path, words: VectorSpace | None = None, *, seed: int = 0, report: Report | None = None
) -> dict[str, GroupScores]:
    """Return the same for each method of `retrieval.spaces`, as it begins, in the order of its table: title to scores.

    Args:
        source: The texts, as `corpus.opened` takes them.
        words: The space of words that *mean* and *sif* take vectors from. A method that cannot be had is left out.

    Raises:
        CorpusError: There are no such texts.
        OptionError: As `group_scores` does.
    """
    texts = opened(source)
    if texts.labels is None:
        raise OptionError("No groups are known of these texts.")
    terms, found = count_terms(texts.texts), {}
    for place, (name, row) in enumerate(DOCUMENTS.items()):
        told = step(report, place, len(DOCUMENTS))
        try:
            space = text_space(texts, name, words, terms=terms).space
        except OptionError:
            continue
        found[row.title] = group_scores(space, seed=seed, report=told)
    return found


def _texts(space: VectorSpace) -> WordBlob:
    texts = space.metadata.get("text")
    if not isinstance(texts, WordBlob):
        raise OptionError(f"{space.origin.name} is no space of texts.")
    return texts


def _reduced(space: VectorSpace, most: int) -> tuple[VectorSpace, int]:
    """Return the rows along so many of their first singular directions, where they have more dimensions."""
    if space.dimensions <= most or len(space) <= most:
        return space, 0
    from sklearn.utils.extmath import randomized_svd

    unit = space.unit_rows(slice(None))
    _, _, right = randomized_svd(unit, most, n_iter=3, random_state=0)
    return VectorSpace(space.words, np.asarray(unit @ right.T, np.float32), None, {}, space.origin), most


def _terms(texts: Sequence[str], found: Clusters | Dense) -> list[tuple[Term, ...]]:
    """Return the words of each cluster that stand in far more of its texts than of all."""
    counted = count_terms(texts)
    overall = counted.documents / max(1, len(counted))
    idle = function_words(counted.vocabulary, counted.documents, len(counted))
    telling = np.asarray([word not in idle for word in counted.vocabulary], bool)
    named = []
    for cluster, size in enumerate(found.sizes):
        inside = counted.counts[found.labels == cluster].count_nonzero(axis=0)
        parts = inside / max(1, size)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.nan_to_num(parts * np.log(parts / overall))
        scores[~telling | (inside < min(_LEAST, size))] = 0.0
        often = parts[scores > 0].max(initial=0.0)
        scores[parts < min(_OFTEN, often / 2)] = 0.0
        best = np.argsort(-scores, kind="stable")[:TERMS]
        terms = [
            Term(counted.vocabulary[place], float(parts[place]), float(overall[place]))
            for place in best.tolist()
            if scores[place] > 0
        ]
        named.append(tuple(terms))
    return named


def _agreement(labels: Ints, known: Any, seed: int) -> GroupAgreement | None:
    from sklearn.metrics import adjusted_rand_score

    whole = labels >= 0
    clusters, (names, groups) = labels[whole], np.unique(known[whole], return_inverse=True)
    if len(names) < 2 or not len(clusters):
        return None
    random = np.random.default_rng(seed)
    copies = [random.permutation(groups) for _ in range(SHUFFLES)]

    def compared(measure: Callable[[Ints], float]) -> BesideShuffled:
        chance = [measure(copy) for copy in copies]
        return BesideShuffled(measure(groups), float(np.mean(chance)), float(np.max(chance)))

    return GroupAgreement(
        len(names),
        len(clusters),
        compared(lambda truth: _purity(clusters, truth)),
        compared(lambda truth: float(adjusted_rand_score(truth, clusters))),
    )


def _purity(clusters: Ints, groups: Ints) -> float:
    table = np.zeros((clusters.max() + 1, groups.max() + 1), np.int64)
    np.add.at(table, (clusters, groups), 1)
    return float(table.max(axis=1).sum() / len(clusters))


def _nearest(space: VectorSpace, looked: Ints, k: int, report: Report | None) -> Ints:
    """Return the k nearest texts of each that is looked at, itself left out, nearest first, (m, k)."""
    found = np.empty((len(looked), k), np.int64)
    for start in range(0, len(looked), _TOLD):
        end = min(start + _TOLD, len(looked))
        found[start:end] = nearest_lists(space, looked[start:end], k)[0]
        tell(report, end / len(looked), f"neighbors of {end:,} of {len(looked):,} texts")
    return found


def _accuracy(labels: Ints, looked: Ints, near: Ints) -> float:
    """Return the share of texts whose group is the commonest of their neighbors'; of equal ones the nearest counts."""
    groups = labels[near]
    votes = (groups[:, :, None] == groups[:, None, :]).sum(axis=2)
    said = groups[np.arange(len(groups)), votes.argmax(axis=1)]
    return float((said == labels[looked]).mean())
