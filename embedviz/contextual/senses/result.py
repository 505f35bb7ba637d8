"""The senses of a word in every layer of a model, in numbers, tables and sentences."""

from __future__ import annotations

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
"""Characters of a sentence that are shown about the word, where it has more."""


class SenseLayer(NamedTuple):
    """One layer.

    Attributes:
        space: The occurrences there; None where their vectors were left behind.
        separation: How well the senses separate; None where no senses are known.
    """

    layer: int
    space: VectorSpace | None
    separation: Separation | None


class Against(NamedTuple):
    """A layer against the control, by held-out centroids, over the occurrences that both have.

    Attributes:
        more: Share of occurrences that are right at the layer, less the share that is right by the other words alone.
        p: Adjusted for all layers; by sign flips of frames, or of sentences.
    """

    layer: int
    more: float
    p: float

    @property
    def beyond(self) -> bool:
        """Whether the layer is better than the other words alone, over all layers that were compared."""
        return self.p <= LEVEL and self.more > 0


class Occurrence(NamedTuple):
    """A place where the word stands: in which of the sentences given, from which character to which."""

    sentence: int
    start: int
    end: int
    text: str
    sense: str

    @property
    def snippet(self) -> str:
        """The sentence, or what stands about the word where it is long."""
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
    """What became of the senses of a word in every layer of a model.

    Attributes:
        word: As it was looked for.
        model: Its name.
        sentences: How many have the word and were read.
        occurrences: In the order of the rows of each layer.
        tokens: The pieces that stand for the word where it first occurs; `pieces` says how several become one vector.
        layers: From the input, layer 0, to the last.
        control: The bag of words: for each occurrence the mean layer-0 vector of the other words of its sentence. How
            well these separate is what the sentence tells without the word. None where no senses are known.
        against: Each scored layer against the control; empty where one of them has no scores.
        frames: The frame of each occurrence, where every sense was written into the same frames; else None.
        without: Sentences that do not have the word; they are left out.
        unread: Occurrences that the tokenizer made no token of, left out.
        alone: Occurrences in sentences without another word, which the control has to leave out.
        drawn_from: Occurrences of which some were drawn, where there were more than can be compared; else 0.
        note: What a reader should know of the model and of how sentences were read.
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
        """Return how many occurrences there are."""
        return len(self.occurrences)

    @property
    def scored(self) -> tuple[tuple[int, Separation], ...]:
        """The layers that have scores."""
        every = ((each.layer, each.separation) for each in self.layers)
        return tuple((layer, found) for layer, found in every if found is not None and found.scores)

    @property
    def senses(self) -> dict[str, int]:
        """Occurrences of each sense; empty where no senses are known."""
        found = self.layers[-1].separation
        return {} if found is None else dict(zip(found.senses, found.sizes, strict=True))

    @property
    def beyond(self) -> tuple[int, ...]:
        """The layers at which centroids, nearest neighbor or silhouette are above their chance band."""
        return tuple(layer for layer, found in self.scored if any(score.beyond for score in _judged(found).values()))

    @property
    def better(self) -> tuple[int, ...]:
        """The layers that tell the senses better than the other words alone, beyond chance."""
        return tuple(one.layer for one in self.against if one.beyond)

    @property
    def exchange(self) -> Exchange:
        """Which senses may be exchanged for which: those of whole sentences, within a frame where there are frames."""
        sentences = np.array([one.sentence for one in self.occurrences], np.int64)
        return exchange(len(self), sentences, None if self.frames is None else np.array(self.frames, np.int64))

    @property
    def sample(self) -> str:
        """What was looked at and what was left out, in sentences."""
        occurrences, sentences = counted(len(self), "occurrence"), counted(self.sentences, "sentence")
        said = [f"{occurrences} of “{self.word}” in {sentences}, {self.model}."]
        if self.without:
            which = counted(self.without, "sentence")
            said.append(f"{which} without the word {'was' if self.without == 1 else 'were'} left out.")
        if self.drawn_from:
            said.append(f"They were drawn at random from {self.drawn_from:,}.")
        if len(self.tokens) > 1:
            stands = "their mean stands" if self.pieces == "mean" else f"the {self.pieces} of them stands"
            said.append(f"The tokenizer divides it into {' '.join(self.tokens[:12])}; {stands} for it.")
        if self.unread:
            said.append(f"The tokenizer made nothing of {counted(self.unread, 'occurrence')}.")
        if self.scored:
            said.append(self.scored[0][1].shuffles)
        return " ".join(said)

    @property
    def meaning(self) -> str:
        """Which layers separate the senses beyond chance, and how the control does, in sentences."""
        if not self.scored:
            last = self.layers[-1].separation
            return _UNLABELLED if last is None else last.left_out or _UNLABELLED
        return " ".join(filter(None, [_layers_in_words(self.scored, self.beyond), self._control_in_words()]))

    @property
    def headline(self) -> str:
        """The same by one score, the held-out centroids, in a sentence or two; empty where nothing is scored."""
        named = [(layer, found.nearest_centroid) for layer, found in self.scored if found.nearest_centroid]
        if not named:
            return ""
        above = [layer for layer, score in named if score.beyond]
        ceiling = share(max(score.high for _, score in named))
        if not above:
            said = f"Held-out centroids tell the senses apart at no layer (shuffled senses reach {ceiling})"
        else:
            values = [score.value for _, score in named if score.beyond]
            ends = " to ".join(dict.fromkeys([share(min(values)), share(max(values))]))
            where = (
                f"at {layers_in_words(above)}: {ends} lie nearest to their own sense (shuffled senses reach {ceiling})"
            )
            said = f"Held-out centroids tell the senses of “{self.word}” apart {where}"
        control = self.control.nearest_centroid if self.control is not None else None
        if control is None:
            return f"{said}."
        said = f"{said}. The other words of the sentences alone give {share(control.value)}."
        return f"{said} {self._against_in_words()}".strip()

    def _against_in_words(self) -> str:
        """Return whether a layer tells the senses better than the other words alone, in a sentence."""
        if not self.against or not self.beyond:
            return ""
        if self.better:
            which = "Layer" if len(self.better) == 1 else "Layers"
            layers = layers_in_words(self.better).partition(" ")[2]
            return f"{which} {layers} give{'s' if len(self.better) == 1 else ''} more, beyond chance."
        best = max(self.against, key=lambda one: one.more)
        if best.more <= 0:
            return "No layer gives more."
        return (
            f"Layer {best.layer} is right for {100 * best.more:.0f} points more at best, which may be chance "
            f"(p = {number(best.p)} over {len(self.against)} layers)."
        )

    def _control_in_words(self) -> str:
        if self.control is None or not self.control.scores:
            return f"There is no control: {self.control.left_out}" if self.control is not None else ""
        reached = " and ".join(
            f"{share(each.value)} {way} (chance up to {share(each.high)})"
            for way, each in _shares(self.control).items()
        )
        said = f"Control, the other words alone (mean of their input vectors): {reached}."
        against = self._against_in_words()
        return f"{said} By held-out centroids: {against[:1].lower()}{against[1:]}" if against else said

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows of the scores, a layer a row and the control last; those above chance have a star."""
        named = [(str(layer), scores) for layer, scores in self.scored]
        if self.control is not None and self.control.scores:
            named.append(("other words", self.control))
        return _HEADER, [(name, *_row(scores)) for name, scores in named]

    def score_table(self, layer: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows in words: the scores of one layer beside shuffled senses and the control."""
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
        return ("here", "shuffled", "other words"), rows

    def card(self) -> dict[str, Any]:
        """Return the numbers as plain JSON values; a layer's `control` is the same for all, since it is of layer 0."""
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
    "difference": "Mean cosine within a sense minus between senses. 0: none.",
    "silhouette": "By cosine, all dimensions. 1 is apart, 0 is mixed.",
    "ari": "Clusters found without the senses, adjusted Rand index. 1: the senses, 0: chance.",
    "nearest_neighbor": "Share of occurrences whose nearest other has their sense.",
    "nearest_centroid": "Share of occurrences nearest to their own sense's mean, taken without them.",
}
"""What each score says, and its scale."""
_UNLABELLED = (
    "The senses of these sentences are not known, so nothing is scored. Give two columns, sense and sentence, with "
    f"{LEAST} sentences of each sense or more."
)


def _shares(found: Separation) -> dict[str, Score]:
    """Return the two shares that can be compared between layers and control, by what they are called."""
    named = (("by held-out centroids", found.nearest_centroid), ("by the nearest other", found.nearest_neighbor))
    return {way: score for way, score in named if score is not None}


def _judged(found: Separation) -> dict[str, Score]:
    """Return the scores that a layer is judged by: the two shares and the silhouette."""
    return _shares(found) | ({} if found.silhouette is None else {"by silhouette": found.silhouette})


def _layers_in_words(scored: Sequence[tuple[int, Separation]], beyond: Sequence[int]) -> str:
    """Say by each score which layers are beyond chance, what they reach, and what shuffled senses reach."""
    said = []
    for way in _judged(scored[0][1]):
        above = [(layer, score) for layer, found in scored if (score := _judged(found)[way]).beyond]
        if above:
            shown = number if way == "by silhouette" else share
            values = [score.value for _, score in above]
            ends = list(dict.fromkeys([shown(min(values)), shown(max(values))]))
            ceiling = shown(max(score.high for _, score in above))
            named = f"at {layers_in_words([layer for layer, _ in above])}"
            said.append(f"{way} {named} ({' to '.join(ends)}; shuffled senses up to {ceiling})")
    if not said:
        return f"No layer separates the senses beyond chance, {', '.join(_judged(scored[0][1]))}."
    others = [layer for layer, _ in scored if layer not in beyond]
    rest = f"; by none of these at {layers_in_words(others)}" if others else ""
    return f"The senses separate beyond chance {', '.join(said)}{rest}."


def _scores(found: Separation) -> dict[str, Any]:
    card = found.card()
    return {**{name: card[name] for name in _FIELDS}, "chance": card["chance"] or None, "left_out": found.left_out}


_HEADER = (
    *("layer", "within", "between", "difference", "silhouette"),
    *("k-means", "nearest", "centroid", "nearest by chance"),
)


def usual_score(names: Collection[str]) -> str:
    """Return, of the scores that there are, the one that `Senses.headline` tells, else the silhouette."""
    return "nearest_centroid" if "nearest_centroid" in names else "silhouette"


def score_in_words(score: str, value: float) -> str:
    """Format a score for people: percent for shares, three decimals for a difference of cosines, else two."""
    return share(value) if score.startswith("nearest") else number(value, 3 if score == "difference" else 2)


def _row(found: Separation) -> tuple[str, ...]:
    cells = [number(found.within or 0.0), number(found.between or 0.0)]
    cells += [score_in_words(score.name, score.value) + ("*" if score.beyond else "") for score in found.scores]
    near = found.nearest_neighbor
    return (*cells, "" if near is None else f"{share(near.low)} to {share(near.high)}")
