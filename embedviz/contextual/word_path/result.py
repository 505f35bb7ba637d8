"""What a word does through the layers, in curves, tables and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.contextual.word_path.sentence import TokenizedSentence, Word
from embedviz.core.phrases import counted, cut, layers_in_words, number, share
from embedviz.core.space import Float, Ints

COPIES = 200
"""Structureless copies of other words, by which rows of the input table are near by chance."""
_SHOWN = 80  # characters of a sentence given as an example

HEADER = (
    "layer",
    "cosine with the layer before",
    "cosine with own input",
    "with other words' inputs",
    "length",
    "nearest input vector",
    "its cosine",
    "chance",
    "moved",
    "shuffled",
    "replaced",
)


@dataclass(frozen=True, eq=False)
class WordCurve:
    """One number of a word at each layer, beside the same of other words.

    Attributes:
        layers: Where it is measured, (m,); a step is counted at the layer that it leads to.
        values: (m,)
        low, high: Between which 95 % of the other words lie, (m,).
        chance: What an unrelated word gives in its place, (m,), or None.
    """

    title: str
    layers: Ints
    values: Float
    low: Float
    high: Float
    chance: Float | None = None


class NearRow(NamedTuple):
    """A row of the model's input table near to the word's vector.

    Attributes:
        whole: Whether it is a whole word; else it is a piece, a sign or a special token.
        own: Whether it is a piece of the word itself.
        others: For how many of the other words it is listed as well: one that many have says nothing.
    """

    text: str
    cosine: float
    whole: bool
    own: bool
    others: int


class NearestRows(NamedTuple):
    """The rows of the input table nearest to the word at a layer.

    Attributes:
        chance: What the nearest row of a structureless copy reaches: a vector that belongs to no word, drawn from a
            Gaussian cloud with the mean and covariance of other words' vectors. 95 % of copies stay below it at every
            layer.
        others_own: The share of the other words whose own row is the nearest at this layer.
    """

    layer: int
    rows: tuple[NearRow, ...]
    chance: float
    others_own: float

    @property
    def own(self) -> bool:
        """Whether nothing is nearer than a piece of the word itself."""
        return self.rows[0].own

    @property
    def beyond(self) -> tuple[NearRow, ...]:
        """The listed rows that are nearer than chance; at most 5 % of copies have such a row at any layer."""
        return tuple(row for row in self.rows if row.cosine > self.chance)


@dataclass(frozen=True, eq=False)
class Plane:
    """The two directions in which the word's layers differ most, and the other words of the sentence on them.

    Attributes:
        points: (L + 1, 2)
        context: Of the other words, (L + 1, w, 2).
        names: Of the other words.
        shares: Of the variance of the word's own layers, that the two directions hold.
        walk: What two directions hold of random walks with steps of the same lengths: low, mean, high.
    """

    points: Float
    context: Float
    names: tuple[str, ...]
    shares: tuple[float, float]
    walk: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The word in other arrangements of the sentence.

    Attributes:
        cosines: Of the word's vector there with that in the sentence as it is, (n, L + 1).
        first: The first of these sentences, as an example.
        why: Why there are none.
    """

    name: str
    title: str
    cosines: Float
    first: str = ""
    why: str = ""

    def __len__(self) -> int:
        return len(self.cosines)

    @property
    def mean(self) -> Float:
        """Over the arrangements, (L + 1,)."""
        return np.asarray(self.cosines.mean(axis=0))

    @property
    def band(self) -> tuple[Float, Float]:
        """Between which 95 % of the arrangements lie, (L + 1,) each."""
        low, high = np.percentile(self.cosines, [2.5, 97.5], axis=0)
        return low, high


@dataclass(frozen=True, eq=False)
class WordPath:
    """A word through the layers of a model.

    Attributes:
        word: Which of the sentence.
        own: Cosine with the word's own layer 0.
        steps: Cosine with the layer before.
        norms: Length of the vector.
        nearest: For each layer; empty where rows of the input table have another length than hidden states.
        input_rows: Rows of the input table.
        arranged: Moved, shuffled, replaced.
        others: How many other words it is shown beside.
        again: Cosines with the same word elsewhere in the sentence, (a, L + 1).
        inside: Mean cosine with the different words of the sentence, (L + 1,), or None where there are none.
        note: What a reader should know of the model and of the word.
    """

    reading: TokenizedSentence
    word: Word
    own: WordCurve
    steps: WordCurve
    norms: WordCurve
    nearest: tuple[NearestRows, ...]
    input_rows: int
    plane: Plane
    arranged: tuple[Arrangement, ...]
    others: int
    again: Float
    inside: Float | None
    note: str

    @property
    def depth(self) -> int:
        """L, the last layer."""
        return len(self.own.values) - 1

    @property
    def meaning(self) -> str:
        """How far the word turns, beside other words, in two sentences."""
        step, end = int(np.argmin(self.steps.values)), self.own.values[-1]
        unrelated = _chance(self.own)[-1]
        layers = counted(self.depth, "layer")
        return (
            f"After {layers} “{self.word.text}” has a cosine of {number(end)} with its own input vector; "
            f"other words' inputs give {number(unrelated)}. That is {self._beside_others()}. It turns most at the step "
            f"to layer {self.steps.layers[step]}, with a cosine of {number(self.steps.values[step])}."
        )

    def _beside_others(self) -> str:
        low, end, high = self.own.low[-1], self.own.values[-1], self.own.high[-1]
        said = "farther than" if end < low else "less far than" if end > high else "as far as"
        return f"{said} other words turn (cosines {number(low)} to {number(high)})"

    @property
    def baseline(self) -> str:
        """What the bands and dotted lines are."""
        return (
            f"Band: 95\u00a0% of {self.others} other words, one from each of as many sentences of the program. Dotted: "
            "mean cosine of this word with those, at layer 0 or at the layer before."
        )

    @property
    def nearest_meaning(self) -> str:
        """Where the word's own row stops being the nearest, in two sentences."""
        if not self.nearest:
            return "The rows of this model's input table have another length than its hidden states: none is nearest."
        left = [one.layer for one in self.nearest if not one.own]
        kept = self.nearest[-1].others_own
        said = (
            f"At {layers_in_words(left)} a row other than the word's own is the nearest of {self.input_rows:,}."
            if left
            else f"At every layer the word's own row is the nearest of {self.input_rows:,}."
        )
        return f"{said} At the last layer their own row is the nearest for {share(kept)} of {self.others} other words."

    @property
    def nearest_caption(self) -> str:
        """When not to believe the list."""
        weak = [one.layer for one in self.nearest if not one.beyond]
        return (
            "Cosines with the rows as the table has them. The residual stream carries the input along, but later "
            "layers need not keep its directions: believe a row only above chance. Where the table is also the output "
            "table, as in GPT-2, the last layer points to guesses of the next token. Chance: the nearest row of "
            f"vectors that belong to no word, {COPIES} draws from a Gaussian cloud with the mean and covariance of "
            "other words' vectors; 95\u00a0% of them stay below it at every layer."
            + (f" At {layers_in_words(weak)} no row is above it." if weak else "")
        )

    @property
    def shared(self) -> str:
        """Which of the listed rows other words have most; empty where none has any."""
        most = max(
            ((row.others, one.layer, row.text) for one in self.nearest for row in one.rows if not row.own),
            default=(0, 0, ""),
        )
        if not most[0]:
            return ""
        count, layer, text = most
        return (
            f"Most shared: {text}, listed at layer {layer} for {count} of {self.others} other words too; a row that "
            "many have says little."
        )

    @property
    def plane_meaning(self) -> str:
        """What the plane keeps, and what random walks give."""
        low, mean, high = self.plane.walk
        kept = sum(self.plane.shares)
        than = "more than" if kept > high else "less than" if kept < low else "about as much as"
        walks = f"random walks with steps as long hold ({share(mean)}; 95\u00a0%: {share(low)} to {share(high)})"
        return (
            f"The plane holds {share(kept)} of the variance of the word's layers, {than} {walks}. A random walk "
            "looks like a bend too. Other words are only projected on it: read no distance between words here."
        )

    @property
    def arranged_meaning(self) -> str:
        """How much of the last layer is the place, the order, and the other words."""
        made = {one.name: one for one in self.arranged if len(one)}
        if not made:
            return self.arranged[0].why
        parts = []
        for one in made.values():
            low, high = one.band
            parts.append(f"{one.title} {number(one.mean[-1])} ({number(low[-1])} to {number(high[-1])})")
        said = f"Cosine with the vector as it was, at the last layer: {', '.join(parts)}."
        if {"shuffled", "replaced"} <= {*made}:
            (order, orders), (word, words) = ([end[-1] for end in made[name].band] for name in ("shuffled", "replaced"))
            said += (
                " Which words stand beside it changes it more than their order."
                if order > words
                else " The order of the others changes it more than which words they are."
                if orders < word
                else " The bands overlap: order and choice of the other words cannot be told apart here."
            )
        return said

    @property
    def arranged_caption(self) -> str:
        """What was done to the sentence, and how often."""
        made = [one for one in self.arranged if len(one)]
        done = "; ".join(f"{one.title} {_times(len(one))}, as in “{_cut(one.first)}”" for one in made)
        return " ".join(
            [
                *(
                    [f"{done[0].upper()}{done[1:]}. Bands: 95\u00a0% of them. At layer 0 only the position differs."]
                    if made
                    else []
                ),
                *(one.why for one in self.arranged if not len(one) and made),
            ]
        )

    @property
    def again_meaning(self) -> str:
        """Whether the word stands in the sentence again, and how alike the vectors are; empty where it does not."""
        if not len(self.again):
            return ""
        times = _times(len(self.again))
        first, last = (_range(self.again[:, layer]) for layer in (0, -1))
        beside = f"; different words of the sentence: {number(self.inside[-1])}" if self.inside is not None else ""
        return (
            f"“{self.word.text}” stands here {times} more: cosine {first} at layer 0, where only the positions differ, "
            f"{last} at the last{beside}."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows: a row for each layer."""
        rows: list[tuple[Any, ...]] = []
        for layer in range(self.depth + 1):
            step = None if layer == 0 else self.steps.values[layer - 1]
            near = self.nearest[layer] if self.nearest else None
            first = (near.rows[0].text, near.rows[0].cosine, near.chance) if near else (None,) * 3
            cosines = [one.mean[layer] if len(one) else None for one in self.arranged]
            numbers = (step, self.own.values[layer], _chance(self.own)[layer], self.norms.values[layer])
            rows.append((layer, *map(_rounded, (*numbers, *first, *cosines))))
        return HEADER, rows

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows of the table, as exported Python asks for them."""
        return self.table()[1]

    def nearest_table(self, *, brief: bool = False) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows: the rows of the input table that are nearest at each layer, none below chance.

        Args:
            brief: Whether the first alone is listed.
        """
        rows = []
        for one in self.nearest:
            first, *others = one.rows
            name = f"{cut(first.text, 24)}{' (own)' if first.own else ''}"
            shown = name if first in one.beyond else f"none ({name})"
            then = ", ".join(f"{cut(row.text, 24)} {number(row.cosine)}" for row in others if row in one.beyond) or "–"
            rows.append((str(one.layer), shown, number(first.cosine), number(one.chance), then)[: 4 if brief else 5])
        return ("layer", "nearest", "cosine", "chance", "then, above chance")[: 4 if brief else 5], rows


def _rounded(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else round(float(value), 4)


def _chance(curve: WordCurve) -> Float:
    return np.zeros_like(curve.values) if curve.chance is None else curve.chance


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= _SHOWN else f"{sentence[:_SHOWN].rstrip()} …"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,}\u00a0times"


def _range(values: Float) -> str:
    low, high = number(values.min()), number(values.max())
    return low if low == high else f"{low} to {high}"
