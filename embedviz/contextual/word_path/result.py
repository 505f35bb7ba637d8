"""One word of a sentence through the layers of a model: curves, tables and sentences about them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.contextual.word_path.sentence import TokenizedSentence, Word
from embedviz.core.phrases import cut, joined, layers_in_words, number, share
from embedviz.core.space import Float, Ints

COPIES = 200
"""Number of random vectors for the chance baseline of nearest input vectors."""
_MOST_LETTERS = 80  # maximum characters of an example sentence

_DONE = {"moved": "moving the word", "shuffled": "shuffling the others", "replaced": "replacing the others"}

HEADER = (
    "layer",
    "cosine with the layer before",
    "cosine with own input",
    "with other words’ inputs",
    "length",
    "nearest input vector",
    "its cosine",
    "chance",
    "moved",
    "shuffled",
    "replaced",
)


_AS_OTHERS = "about as much as other words do"


@dataclass(frozen=True, eq=False)
class WordCurve:
    """A number for a word at each layer, such as a cosine, and the range of this number for other words.

    The other words are words of other sentences, one from each.

    Attributes:
        layers: Layer of each value, (m,). A step from one layer to the next has the number of the next layer.
        values: The value at each layer, (m,).
        low, high: Limits of the range with the values of 95 % of the other words, (m,).
        chance: Baseline: as `values`, but the mean cosine with the other words' vectors at layer 0 or at the layer
            before, (m,); None for a value that is no cosine.
    """

    title: str
    layers: Ints
    values: Float
    low: Float
    high: Float
    chance: Float | None = None


class NearRow(NamedTuple):
    """A row of the input table (a token embedding) that is near to the vector of the word.

    Attributes:
        text: The token of the row; `cosine`: the cosine of the row with the word's vector.
        whole: Whether the token is a whole word, not a piece, a sign or a special token.
        own: Whether the token is a piece of the word itself.
        others: Number of words of other sentences that also have this row among their nearest rows.
    """

    text: str
    cosine: float
    whole: bool
    own: bool
    others: int


class NearestRows(NamedTuple):
    """The rows of the input table nearest to the word at a layer.

    Attributes:
        chance: Upper limit of the highest cosine by chance. Random vectors are drawn from a Gaussian with the mean
            and covariance of the vectors of other words; 95 % of them stay below the limit at every layer.
        others_own: Share of the words of other sentences whose nearest row is a piece of that same word.
    """

    layer: int
    rows: tuple[NearRow, ...]
    chance: float
    others_own: float

    @property
    def own(self) -> bool:
        """Return whether the row nearest to the word is a piece of this word."""
        return self.rows[0].own

    @property
    def beyond(self) -> tuple[NearRow, ...]:
        """Return the rows with a cosine above `chance`."""
        return tuple(row for row in self.rows if row.cosine > self.chance)


@dataclass(frozen=True, eq=False)
class Plane:
    """The word and the w other words of the sentence on a plane.

    Its axes are the first two principal directions of the word's vectors at all layers.

    Attributes:
        points: Coordinates of the word at each layer, (L + 1, 2).
        context: Coordinates of the other words of the sentence, (L + 1, w, 2).
        names: The other words of the sentence.
        shares: Shares of the variance of the word's vectors over layers, in the first and second direction.
        walk: Baseline: the sum of both shares for random walks with steps of the same lengths. Three numbers: the lower
            limit of the 95 % range, the mean, the upper limit.
    """

    points: Float
    context: Float
    names: tuple[str, ...]
    shares: tuple[float, float]
    walk: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The word in changed sentences of one kind.

    Attributes:
        cosines: Cosine of the word's vector in each of the n changed sentences with its vector in the original,
            (n, L + 1).
        first: The first changed sentence, as an example.
        why: The reason why there is no changed sentence of this kind; empty if there is one.
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
        """Return the mean cosine over the changed sentences at each layer, (L + 1,)."""
        return np.asarray(self.cosines.mean(axis=0))

    @property
    def band(self) -> tuple[Float, Float]:
        """Return the lower and the upper limit of the range with 95 % of the cosines at each layer, (L + 1,) each."""
        low, high = np.percentile(self.cosines, [2.5, 97.5], axis=0)
        return low, high


@dataclass(frozen=True, eq=False)
class WordPath:
    """One word of a sentence through the layers of a model.

    Attributes:
        word: The word.
        own: Cosine of the word's vector at each layer with its vector at layer 0.
        steps: Cosine of the word's vector at each layer with its vector at the layer before.
        norms: Length of the word's vector at each layer.
        nearest: Nearest input vectors at each layer; empty if input vectors and hidden states differ in size.
        input_rows: Number of rows of the input table.
        arranged: The three kinds of changed sentences: word moved, others shuffled, others replaced.
        others: Number of words of other sentences for comparison.
        again: Cosine of the word with each other occurrence of the word in the sentence, at each layer, (a, L + 1).
        inside: Mean cosine of the word with the different words of its sentence, (L + 1,). Words with the same subword
            tokens as the word are left out. None if there are no different words.
        note: Remarks on the model and on the word.
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
        """Return the number of the last layer, L."""
        return len(self.own.values) - 1

    @property
    def meaning(self) -> str:
        """Say whether the word changes more or less from layer 0 to the last layer than words of other sentences."""
        low, end, high = self.own.low[-1], self.own.values[-1], self.own.high[-1]
        than = "more than other words" if end < low else "less than other words" if end > high else _AS_OTHERS
        return (
            f"“{self.word.text}” changes {than}. At layer {self.depth} its cosine with its own input "
            f"is {number(end)}. For 95\u00a0% of words of other sentences (grey band) it is {number(low)} to "
            f"{number(high)}."
        )

    @property
    def largest_step(self) -> str:
        """Say from which layer to the next the direction of the word's vector changes most."""
        step = int(np.argmin(self.steps.values))
        return (
            f"The largest change is at layer {self.steps.layers[step]}: cosine {number(self.steps.values[step])} "
            "with the layer before."
        )

    @property
    def baseline(self) -> str:
        """Explain the bands and the dotted lines of the figures."""
        return (
            "The input vector (layer 0) is the word’s own vector plus its position, after a layer norm. "
            f"Band: 95\u00a0% of {self.others} other words, each from another sentence of the program, and each "
            "compared with its own input vector. Dotted: the mean cosine of this word with the input vectors of those "
            "words."
        )

    @property
    def nearest_meaning(self) -> str:
        """Say at which layers the nearest input vector belongs to another word.

        Also say how many of the words of other sentences are nearest to their own input vector at the last layer.
        """
        if not self.nearest:
            return "This model has input vectors of another length than its hidden states, so none can be the nearest."
        left = [one.layer for one in self.nearest if not one.own]
        sentence = (
            f"At {layers_in_words(left)} the nearest input vector is not that of the word itself."
            if left
            else "At every layer the nearest input vector is that of the word itself."
        )
        own = share(self.nearest[-1].others_own)
        others = f"{own} of {self.others} words of other sentences are nearest to their own input vector"
        return f"{sentence} At the last layer, {others}."

    @property
    def nearest_about(self) -> str:
        """Say which input vectors `nearest_table()` lists."""
        pieces = any(row.text.startswith("##") for one in self.nearest for row in one.beyond)
        end = "; ##: a piece that continues a word" if pieces else ""
        return f"The table lists only the vectors that are nearer than chance, of {self.input_rows:,}{end}"

    @property
    def nearest_note(self) -> str:
        """Say at which layers no input vector is nearer than by chance; empty if every layer has such a vector."""
        weak = [one.layer for one in self.nearest if not one.beyond]
        return f"At {layers_in_words(weak)} no input vector is nearer than by chance." if weak else ""

    @property
    def nearest_caption(self) -> str:
        """Explain how the nearest input vectors are found and compared with chance."""
        return (
            "Compared are the rows of the input table without position and layer norm, so their cosines differ from "
            "the figure above; the exported table has them. Later layers need not keep the directions of the input "
            "table: only words above chance are listed. Chance is the nearest row of "
            f"{COPIES} random vectors from a Gaussian cloud with the mean and covariance of the vectors of other "
            "words; 95\u00a0% of them stay below it at every layer. In GPT-2 the input table is also the output "
            "table, so the last layer is near to guesses of the next token."
        )

    @property
    def shared(self) -> str:
        """Say which row near the word is also near to the most other words, and to how many; empty if to none.

        The rows are those of the input table. Only rows above chance count, without the word's own pieces.
        """
        most = max(
            ((row.others, one.layer, row.text) for one in self.nearest for row in one.beyond if not row.own),
            default=(0, 0, ""),
        )
        if not most[0]:
            return ""
        count, layer, text = most
        return f"“{text}” (layer {layer}) is also listed for {count} of {self.others} other words."

    @property
    def plane_meaning(self) -> str:
        """Say whether the word's path over the layers is flatter or less flat than random walks."""
        low, mean, high = self.plane.walk
        held = sum(self.plane.shares)
        if low <= held <= high:
            return (
                f"This picture holds {share(held)} of the variance, and random paths about as much ({share(mean)}). Do "
                "not interpret its shape."
            )
        return (
            f"The path is {'flatter' if held > high else 'less flat'} than random paths ({share(mean)} of the "
            "variance). Do not interpret its bend: random paths are bent too."
        )

    @property
    def plane_note(self) -> str:
        """Say which share of the variance the plane shows, compared with random walks."""
        low, mean, high = self.plane.walk
        return (
            f"This plane shows {share(sum(self.plane.shares))} of the variance of the layers; for random walks with "
            f"equal steps {share(mean)} (95\u00a0%: {share(low)} to {share(high)})."
        )

    @property
    def arranged_meaning(self) -> str:
        """Say which kinds of changed sentences change the word's vector more than others, at the last layer."""
        made = [one for one in self.arranged if len(one)]
        if not made:
            return self.arranged[0].why
        order = sorted(made, key=lambda one: float(one.mean[-1]))
        says = {one.name: f"{_DONE[one.name]} ({number(one.mean[-1])})" for one in order}
        if len(order) == 1:
            return f"Cosine with the original at the last layer: {says[order[0].name]}."
        more, same = [], []
        for row, one in enumerate(order[:-1]):
            apart = [says[other.name] for other in order[row + 1 :] if one.band[1][-1] < other.band[0][-1]]
            same += [(one.name, other.name) for other in order[row + 1 :] if one.band[1][-1] >= other.band[0][-1]]
            if apart:
                more.append(f"{says[one.name]} changes the vector more than {' or '.join(apart)}")
        if not more:
            return f"At the last layer {joined([*says.values()])} do not differ clearly."
        overlapping = [joined([_DONE[name] for name in pair]) for pair in same]
        unsure = [f"{pair[:1].upper()}{pair[1:]} do not differ clearly." for pair in overlapping]
        return " ".join([f"At the last layer {'; '.join(more)}.", *unsure])

    @property
    def moved_note(self) -> str:
        """Say why moving the word within the sentence changes its vector already at layer 0; empty if it does not."""
        moved = next((one for one in self.arranged if one.name == "moved" and len(one)), None)
        if moved is None or moved.mean[0] > 0.995:
            return ""
        return "Moving the word changes its position, so its vector differs already at layer 0."

    @property
    def bars_note(self) -> str:
        """Explain the labels and the bars in the figure of changed sentences."""
        return (
            "Replaced: random words take the place of the others. Each bar holds 95\u00a0% of the changed sentences at "
            "the last layer."
        )

    @property
    def arranged_caption(self) -> str:
        """Say how many changed sentences of each kind there are, with an example of each kind.

        The kinds are: the word moved, the other words shuffled, the other words replaced. Empty if no sentence was
        changed.
        """
        made = [one for one in self.arranged if len(one)]
        done = "; ".join(f"{one.title} {_times(len(one))}, for example “{_cut(one.first)}”" for one in made)
        whole = (
            f"{done[0].upper()}{done[1:]}. A difference is clear where the bars do not overlap. "
            "At layer 0 only the position differs. Replaced words can shift it: they may have more or fewer tokens."
            if made
            else ""
        )
        return " ".join(filter(None, [whole, *(one.why for one in self.arranged if not len(one) and made)]))

    @property
    def again_meaning(self) -> str:
        """Say the cosine of the word with its other occurrences in the sentence; empty if the word occurs once."""
        if not len(self.again):
            return ""
        first, last = (_range(self.again[:, layer]) for layer in (0, -1))
        others = f" Different words of the sentence have {number(self.inside[-1])}." if self.inside is not None else ""
        return (
            f"“{self.word.text}” occurs {_times(len(self.again))} more in the sentence: cosine {first} at layer 0, "
            f"where only the position differs, and {last} at the last layer.{others}"
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return `HEADER` and one row for each layer."""
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
        """Return the rows of `table()` without the header, for exported Python code."""
        return self.table()[1]

    def nearest_table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the header and one row of texts per layer: its number, the nearest input vector, the next ones.

        Only input vectors with a cosine above chance are listed.
        """
        rows: list[tuple[str, ...]] = []
        for one in self.nearest:
            words = [f"{cut(row.text, 24)}{self._part_of_word(row)}" for row in one.beyond]
            rows.append((str(one.layer), words[0] if words else "none above chance", ", ".join(words[1:]) or "–"))
        return ("layer", "nearest", "then"), rows

    def _part_of_word(self, row: NearRow) -> str:
        """Return “ (a piece of it)” if a row of the input table is only a part of the word; else an empty text."""
        return " (a piece of it)" if row.own and row.text.casefold() != self.word.text.casefold() else ""


def _rounded(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else round(float(value), 4)


def _chance(curve: WordCurve) -> Float:
    return np.zeros_like(curve.values) if curve.chance is None else curve.chance


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= _MOST_LETTERS else f"{sentence[:_MOST_LETTERS].rstrip()} …"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,}\u00a0times"


def _range(values: Float) -> str:
    low, high = number(values.min()), number(values.max())
    return low if low == high else f"{low} to {high}"
