"""How well the senses of a word separate at each layer of a model: numbers, tables and sentences."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.phrases import counted, layers_in_words, number, share
from embedviz.core.space import VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.permutation import Exchange, exchange
from embedviz.geometry.separation import LEAST, Score, Separation

WIDTH = 140
"""Maximum characters of a snippet, without the word itself."""


class SenseLayer(NamedTuple):
    """The occurrences of the word at one layer, and their scores.

    Attributes:
        space: The vectors of the occurrences at this layer; None if only the scores are stored.
        separation: How well the senses separate; None without labels.
    """

    layer: int
    space: VectorSpace | None
    separation: Separation | None


class Against(NamedTuple):
    """How a layer compares with the control (the other words of the sentence) in scores of held-out centroids.

    Only occurrences with a vector in the control are compared.

    Attributes:
        more: Share of occurrences nearest to their own sense at the layer, minus this share in the control.
        p: p-value of a sign-flip test, adjusted for all layers. Occurrences in the same sentence are flipped together.
            If every sense was written into the same sentence patterns (frames), occurrences in the same frame are.
    """

    layer: int
    more: float
    p: float

    @property
    def beyond(self) -> bool:
        """Return whether the layer is better than the control beyond chance: `p` at most 5 %, `more` above 0."""
        return self.p <= LEVEL and self.more > 0


class Occurrence(NamedTuple):
    """An occurrence of the word.

    Attributes:
        sentence: Number of the sentence among all given sentences, from 0; `text`: the sentence.
        start, end: Characters of the word in `text`, `end` exclusive.
        sense: The sense of the word; empty without labels.
    """

    sentence: int
    start: int
    end: int
    text: str
    sense: str

    @property
    def snippet(self) -> str:
        """Return the sentence, shortened on both sides of the word if it is long."""
        whole = " ".join(self.text.split())
        if len(whole) <= WIDTH:
            return whole
        before, word, after = self.text[: self.start], self.text[self.start : self.end], self.text[self.end :]
        if len(before) > WIDTH // 2:
            head = before[-WIDTH // 2 :]
            before = f"… {head.partition(' ')[2] or head}"
        if len(after) > WIDTH // 2:
            tail = after[: WIDTH // 2]
            after = f"{tail.rpartition(' ')[0] or tail} …"
        return " ".join(f"{before}{word}{after}".split())


@dataclass(frozen=True, eq=False)
class Senses:
    """The occurrences of a word at each layer of a model, and how well its senses separate there.

    Attributes:
        word: The word as it was given.
        model: The name of the model.
        sentences: Number of sentences that were read; every one of them has the word.
        occurrences: The occurrences, in the order of the rows of each layer.
        tokens: The pieces of the word in its first occurrence; `pieces`: how several pieces become one vector.
        layers: The layers, from layer 0 (the input) to the last.
        control: Scores of a bag of words: the vector of an occurrence is the mean layer-0 vector of the other words of
            its sentence. None without labels.
        against: Comparison of each scored layer with the control; empty if the layers or the control have no scores
            of held-out centroids.
        frames: The sentence frame of each occurrence, if every sense was written into the same frames; else None.
        without: Number of sentences without the word, left out.
        unread: Number of occurrences without a token, left out.
        alone: Number of occurrences in sentences without another word, which the control leaves out.
        drawn_from: Number of occurrences before sampling; 0 if all were read.
        note: Remarks on the model and on how sentences were read.
    """

    word: str
    model: str
    sentences: int
    occurrences: tuple[Occurrence, ...]
    tokens: tuple[str, ...]
    pieces: str
    layers: tuple[SenseLayer, ...]
    control: Separation | None
    against: tuple[Against, ...]
    frames: tuple[int, ...] | None
    without: int
    unread: int
    alone: int
    drawn_from: int
    note: str

    def __len__(self) -> int:
        """Return the number of occurrences."""
        return len(self.occurrences)

    @property
    def scored(self) -> tuple[tuple[int, Separation], ...]:
        """Return the number and the scores of each layer that has scores."""
        every = ((each.layer, each.separation) for each in self.layers)
        return tuple((layer, found) for layer, found in every if found is not None and found.scores)

    @property
    def senses(self) -> dict[str, int]:
        """Return the number of occurrences of each sense; {} without labels."""
        found = self.layers[-1].separation
        return {} if found is None else dict(zip(found.senses, found.sizes, strict=True))

    @property
    def beyond(self) -> tuple[int, ...]:
        """Return the layers above chance by any of three scores: held-out centroids, nearest neighbor, silhouette."""
        return tuple(layer for layer, found in self.scored if any(score.beyond for score in _judged(found).values()))

    @property
    def better(self) -> tuple[int, ...]:
        """Return the layers that separate the senses better than the control does, beyond chance.

        The control represents an occurrence by the mean layer-0 vector of the other words of its sentence.
        """
        return tuple(one.layer for one in self.against if one.beyond)

    @property
    def exchange(self) -> Exchange:
        """Return how labels may be shuffled: between whole sentences and, if there are frames, only within a frame.

        A frame is a sentence pattern into which every sense was written.
        """
        sentences = np.array([one.sentence for one in self.occurrences], np.int64)
        return exchange(len(self), sentences, None if self.frames is None else np.array(self.frames, np.int64))

    @property
    def sample(self) -> str:
        """Describe the occurrences, the sentences that were left out, and how labels were shuffled."""
        return " ".join(filter(None, [self.source, self.scored[0][1].shuffles if self.scored else ""]))

    @property
    def source(self) -> str:
        """Describe the occurrences, and the sentences and occurrences that were left out."""
        occurrences, sentences = counted(len(self), "occurrence"), counted(self.sentences, "sentence")
        parts = [f"{occurrences} of “{self.word}” in {sentences}, {self.model}."]
        if self.without:
            which = counted(self.without, "sentence")
            parts.append(f"{which} without the word {'was' if self.without == 1 else 'were'} left out.")
        if self.drawn_from:
            parts.append(f"They are a random sample of {self.drawn_from:,}.")
        if len(self.tokens) > 1:
            one = "their mean" if self.pieces == "mean" else f"the {self.pieces} piece"
            parts.append(f"The tokenizer splits the word into {' '.join(self.tokens[:12])}; its vector is {one}.")
        if self.unread:
            parts.append(f"The tokenizer gives no token for {counted(self.unread, 'occurrence')}.")
        return " ".join(parts)

    @property
    def meaning(self) -> str:
        """Say which layers separate the senses beyond chance by any score, and what the control shows.

        Without scores, say why there are none.
        """
        if not self.scored:
            last = self.layers[-1].separation
            return _UNLABELLED if last is None else last.left_out or _UNLABELLED
        return " ".join(filter(None, [_layers_in_words(self.scored, self.beyond), self._control_in_words()]))

    @property
    def headline(self) -> str:
        """Say at which layers the senses separate beyond chance, and which layer is best, by held-out centroids.

        Empty without scores of held-out centroids.
        """
        named = [(layer, found, found.nearest_centroid) for layer, found in self.scored if found.nearest_centroid]
        if not named:
            return ""
        high = max(score.value for *_, score in named)
        best = [layer for layer, _, score in named if score.value == high]
        above = [layer for layer, _, score in named if score.beyond]
        first = (
            f"{_where(above, [layer for layer, *_ in named])} the senses of “{self.word}” separate more than by chance."
            if above
            else f"The senses of “{self.word}” separate at no layer more than by chance."
        )
        layers = f"{layers_in_words(best)} {'is' if len(best) == 1 else 'are'} best"
        return (
            f"{first[:1].upper()}{first[1:]} {layers[:1].upper()}{layers[1:]}: "
            f"{_of(high, named[0][1])} occurrences are nearest to their own sense."
        )

    @property
    def by_chance(self) -> str:
        """Say the limit of chance: in 95 % of shuffles, no more occurrences are nearest to their own sense.

        The highest limit of all layers is given. Empty without scores of held-out centroids.
        """
        named = [(found.nearest_centroid.high, found) for _, found in self.scored if found.nearest_centroid]
        if not named:
            return ""
        high, found = max(named, key=lambda one: one[0])
        return f"By chance: 95\u00a0% of shuffled labels reach at most {_of(high, found)}."

    @property
    def best(self) -> int | None:
        """Return the layer to display first; None if no layer has a nearest-centroid score.

        If some layers beat the control significantly, only these are candidates. Among the candidates, the layer with
        the largest advantage over the control is returned. Without a control, it is the layer with the highest
        nearest-centroid score.
        """
        ranked = [(one.beyond, one.more, -one.layer) for one in self.against]
        ranked = ranked or [(True, f.nearest_centroid.value, -at) for at, f in self.scored if f.nearest_centroid]
        return -max(ranked)[2] if ranked else None

    @property
    def lead(self) -> str:
        """Compare the best layer with the control (the sentence's other words), in one or two sentences.

        The text is empty if the control has no scores.
        """
        control = self.control.nearest_centroid if self.control is not None else None
        if self.control is None or control is None:
            return ""
        others = f"the other words of each sentence, without “{self.word}”, find the sense in"
        baseline = f"Baseline: {others} {_of(control.value, self.control)}"
        best = next((one for one in self.against if one.layer == self.best), None)
        if best is None or not self.beyond:
            return f"{baseline}."
        if best.more <= 0:
            return f"{baseline}, as many as any layer."
        if best.beyond:
            return f"{baseline}. Layer {best.layer} is better, beyond chance."
        return f"{baseline}. Layer {best.layer} finds more, but the difference is too small to be sure."

    @property
    def comparison(self) -> str:
        """Say whether any layer separates the senses better than the control does.

        The control represents an occurrence by the mean layer-0 vector of the other words of its sentence. The text is
        empty if no layer can be compared with the control, or if no layer is above chance.
        """
        if not self.against or not self.beyond:
            return ""
        if self.better:
            one = len(self.better) == 1
            p = number(max(row.p for row in self.against if row.beyond), 3)
            layers = layers_in_words(self.better)
            return (
                f"{layers[:1].upper()}{layers[1:]} {'is' if one else 'are'} better than the other words alone, "
                f"beyond chance (p {'=' if one else '≤'} {p})."
            )
        best = max(self.against, key=lambda one: one.more)
        if best.more <= 0:
            return "No layer is better than the other words alone."
        return (
            f"The best layer, {best.layer}, is {100 * best.more:.0f} percentage points above the other words alone. "
            f"That may be chance (p = {number(best.p)}, adjusted for {len(self.against)} layers)."
        )

    def _control_in_words(self) -> str:
        if self.control is None or not self.control.scores:
            return f"There is no control. {self.control.left_out}" if self.control is not None else ""
        reached = " and ".join(
            f"{share(each.value)} {score} (shuffled labels up to {share(each.high)})"
            for score, each in _shares(self.control).items()
        )
        return f"Control, the mean input vector of the other words: {reached}. {self.comparison}".strip()

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows of a table as text: the scores of each layer, and of the control if it has scores.

        The control is the other words of the sentence. A star marks a score above chance.
        """
        named = [(str(layer), scores) for layer, scores in self.scored]
        if self.control is not None and self.control.scores:
            named.append(("other words", self.control))
        return _HEADER, [(name, *_row(scores)) for name, scores in named]

    def score_table(self, layer: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the scores of a layer as a table of texts: the header, and one row per score.

        A row has title, meaning, value, range in shuffles of the labels, and the value of the control. The control uses
        the other words of the sentences. The header has no cells for title and meaning.

        Raises:
            KeyError: The layer has no scores.
        """
        control = {one.name: one for one in (self.control.scores if self.control is not None else ())}
        rows: list[tuple[str, ...]] = [
            (
                one.title,
                ABOUT[one.name],
                score_in_words(one.name, one.value),
                f"{score_in_words(one.name, one.low)} to {score_in_words(one.name, one.high)}",
                score_in_words(one.name, control[one.name].value) if one.name in control else "–",
            )
            for one in dict(self.scored)[layer].scores
        ]
        return ("here", "shuffled labels", "other words"), rows

    def card(self) -> dict[str, Any]:
        """Return the results as plain JSON values.

        The control (the scores of the other words of the sentences) is the same for all layers, and is repeated at each
        layer.
        """
        control = None if self.control is None else _scores(self.control)
        return {
            "word": self.word,
            "model": self.model,
            "sentences": self.sentences,
            "occurrences": len(self),
            "senses": self.senses,
            "layers": [
                {
                    "layer": each.layer,
                    **(_NO_SCORES if each.separation is None else _scores(each.separation)),
                    "control": control,
                }
                for each in self.layers
            ],
            "beyond": list(self.beyond),
            "better_than_control": list(self.better),
            "against_control": [one._asdict() for one in self.against],
            "framed": self.frames is not None,
            "without": self.without,
            "unread": self.unread,
            "alone": self.alone,
            "drawn_from": self.drawn_from or None,
            "meaning": self.meaning,
            "note": self.note,
        }


_FIELDS = ("within", "between", "difference", "silhouette", "ari", "nearest_neighbor", "nearest_centroid")
_NO_SCORES: dict[str, Any] = {**dict.fromkeys(_FIELDS), "chance": None}
ABOUT = {
    "difference": "Mean cosine of two occurrences of one sense minus that of two senses. 0: no difference.",
    "silhouette": "1: the senses are far apart. 0: they are mixed.",
    "ari": "Agreement of k-means clusters with the senses (adjusted Rand index). 1: equal, 0: chance.",
    "nearest_neighbor": "Occurrences whose nearest other occurrence has the same sense.",
    "nearest_centroid": "Occurrences nearest to the mean of their own sense (computed without that occurrence).",
}
"""The meaning and the scale of each score."""
FEW = (
    "Shuffled labels: the same vectors with the senses exchanged at random. With few sentences they often reach a high "
    "share. So compare a score with the top of the grey band, not with its mean."
)
"""How to compare a score with chance."""
QUESTIONS = {
    "difference": "How far apart are the senses?",
    "silhouette": "How far apart are the senses?",
    "ari": "Do clusters find the senses?",
    "nearest_neighbor": "How often is the sense recognized?",
    "nearest_centroid": "How often is the sense recognized?",
}
"""The question that each score answers."""
_UNLABELLED = (
    "The sentences have no sense labels, so nothing is scored. Give two columns, sense and sentence, with at least "
    f"{LEAST} sentences of each sense."
)


def _shares(found: Separation) -> dict[str, Score]:
    """Return the scores that count occurrences whose sense is recognized, by name: centroid, nearest neighbor."""
    named = (("by held-out centroids", found.nearest_centroid), ("by nearest neighbor", found.nearest_neighbor))
    return {name: score for name, score in named if score is not None}


def _judged(found: Separation) -> dict[str, Score]:
    """Return by name the scores that decide whether a layer is above chance: centroid, nearest neighbor, silhouette.

    A score that was not computed is left out.
    """
    return _shares(found) | ({} if found.silhouette is None else {"by silhouette": found.silhouette})


def _layers_in_words(scored: Sequence[tuple[int, Separation]], beyond: Sequence[int]) -> str:
    """Say for each score which layers are above chance, with their values and the limit of shuffled labels."""
    sentences = []
    for name in _judged(scored[0][1]):
        above = [(layer, score) for layer, found in scored if (score := _judged(found)[name]).beyond]
        if above:
            formatted = number if name == "by silhouette" else share
            values = [score.value for _, score in above]
            ends = list(dict.fromkeys([formatted(min(values)), formatted(max(values))]))
            ceiling = formatted(max(score.high for _, score in above))
            named = f"at {layers_in_words([layer for layer, _ in above])}"
            sentences.append(f"{name} {named} ({' to '.join(ends)}; shuffled labels up to {ceiling})")
    if not sentences:
        return f"The senses separate beyond chance at no layer ({', '.join(_judged(scored[0][1]))})."
    others = [layer for layer, _ in scored if layer not in beyond]
    rest = f" By none of these at {layers_in_words(others)}." if others else ""
    return f"The senses separate beyond chance {', '.join(sentences)}.{rest}"


def _where(above: Sequence[int], layers: Sequence[int]) -> str:
    """Return the layers above chance as text, for example “from layer 3 on,”."""
    if list(above) == list(layers):
        return "at every layer"
    if above and list(above) == [layer for layer in layers if layer >= above[0]] and len(above) > 1:
        return f"from layer {above[0]} on,"
    return f"at {layers_in_words(above)}"


def _of(value: float, found: Separation) -> str:
    """Format a share of occurrences as a count: 40 of 44. One decimal is possible, since a tie counts half."""
    return f"{value * found.n:,.1f}".removesuffix(".0") + f" of {found.n:,}"


def _scores(found: Separation) -> dict[str, Any]:
    card = found.card()
    return {**{name: card[name] for name in _FIELDS}, "chance": card["chance"] or None, "left_out": found.left_out}


_HEADER = (
    *("layer", "within", "between", "difference", "silhouette"),
    *("k-means", "nearest", "centroid", "nearest by chance"),
)


def usual_score(names: Collection[str]) -> str:
    """Return the score to show by default: “nearest_centroid” if `names` has it, else “silhouette”."""
    return "nearest_centroid" if "nearest_centroid" in names else "silhouette"


def score_in_words(score: str, value: float) -> str:
    """Format a score: percent for a share, three decimals for the difference of cosines, else two decimals."""
    return share(value) if score.startswith("nearest") else number(value, 3 if score == "difference" else 2)


def _row(found: Separation) -> tuple[str, ...]:
    cells = [number(found.within or 0.0), number(found.between or 0.0)]
    cells += [score_in_words(score.name, score.value) + ("*" if score.beyond else "") for score in found.scores]
    near = found.nearest_neighbor
    return (*cells, "" if near is None else f"{share(near.low)} to {share(near.high)}")
