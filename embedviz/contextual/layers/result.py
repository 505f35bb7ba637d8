"""What was measured of the layers of a model, in tables and sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.layers.look import STRUCK, Doubles, Value
from embedviz.contextual.layers.measures import MEASURES, LayerMeasure
from embedviz.contextual.layers.sample import LEAST, SHORTEST
from embedviz.core.options import choose
from embedviz.core.phrases import layers_in_words, number, share
from embedviz.core.space import Float, Ints
from embedviz.core.stats.intervals import LEVEL
from embedviz.geometry.isotropy import Rogue, Striking

_ROUNDING = 1e-7
Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]


@dataclass(frozen=True, eq=False)
class Layer:
    """What was measured of one layer.

    Attributes:
        number: 0 is the output of the embeddings.
        values: By the names of `MEASURES`, in their order.
        rogues: The dimensions that add most to the mean cosine of two words.
        striking: What cosines tell without the first 1, 3 and 5 of them; empty where that has no meaning.
        similarity: The self-similarity of each word of `Layers.words`, (w,).
    """

    number: int
    values: dict[str, Value]
    rogues: tuple[Rogue, ...]
    striking: tuple[Striking, ...]
    similarity: Float


class WordSimilarity(NamedTuple):
    """A word, how often it occurs, and its self-similarity at a layer."""

    word: str
    times: int
    similarity: float


@dataclass(frozen=True, eq=False)
class Layers:
    """What was measured of the layers of a model.

    Attributes:
        model: Its name. `texts`: that of the texts.
        sentences: How many were measured. `drawn_from`: sentences of the texts, repeated ones once. `short`: drawn, but
            left out, as they have fewer than three words.
        tokens: Of the measured sentences. `types`: words among them that occur five times or more.
        words: These, as they are written; a piece that begins no word has a hyphen before it. `counts`: how often.
            `whole`: whether a piece is a word of its own in nine of ten places or more.
        layers: From layer 0 to the last.
        alike: Linear CKA of each layer with each, without its bias by few rows, (K, K); not a number where a layer
            does not vary. `shuffled`: what CKA with this bias gives of shuffled tokens.
        compared: Tokens behind these, one a sentence.
        correction: The title of the correction, empty where there is none; `fitted`: sentences it was fitted to.
        before: The same sentences without it; empty where there is none.
        windowed: Sentences too long for the model, read in windows.
        unit: What intervals resample: *text* or *sentence*; `units`: how many there are.
        errors: For each measure that has intervals the standard error of the difference of each two layers, (K, K).
    """

    model: str
    texts: str
    sentences: int
    drawn_from: int
    short: int
    tokens: int
    words: tuple[str, ...]
    counts: Ints
    whole: NDArray[np.bool_]
    layers: tuple[Layer, ...]
    alike: Doubles
    shuffled: Doubles
    compared: int
    correction: str
    fitted: int
    before: tuple[Layer, ...]
    windowed: int
    unit: str
    units: int
    errors: dict[str, Doubles]
    about: str

    @property
    def depth(self) -> int:
        """The number of the last layer."""
        return self.layers[-1].number

    def curve(self, name: str) -> list[Value]:
        """Return the values of a measure, layer by layer."""
        choose(MEASURES, name, "measure")
        return [layer.values[name] for layer in self.layers]

    def lowest(self, layer: int, count: int = 8) -> list[WordSimilarity]:
        """Return the whole words whose occurrences are least alike at a layer."""
        return self._ordered(layer)[:count]

    def highest(self, layer: int, count: int = 8) -> list[WordSimilarity]:
        """Return the whole words whose occurrences are most alike at a layer, the first the most."""
        return self._ordered(layer)[::-1][:count]

    def _ordered(self, layer: int) -> list[WordSimilarity]:
        found = self.layers[layer].similarity
        rows = [row for row in np.argsort(found, kind="stable").tolist() if self.whole[row]]
        return [WordSimilarity(self.words[row], int(self.counts[row]), float(found[row])) for row in rows]

    def meaning(self, name: str) -> str:
        """Say where a measure is lowest and highest, beside its baseline there, in sentences."""
        row, values = choose(MEASURES, name, "measure"), self.curve(name)
        known = [(value.value, place) for place, value in enumerate(values) if value.value is not None]
        if not known:
            return "There are too few words or sentences for this measure: draw more of them, or take other texts."
        (low, least), (high, most) = min(known), max(known)
        ends = [
            f"{row.say(value)}; {row.against}: {row.say(values[at].against)}"
            if values[at].against is not None
            else row.say(value)
            for value, at in ((low, least), (high, most))
        ]
        found = f"{row.subject} is lowest at layer {least} ({ends[0]}) and highest at layer {most} ({ends[1]})."
        return " ".join(filter(None, [found, self._order_in_words(name, least, most), self._before(row)]))

    def beyond(self, name: str) -> NDArray[np.bool_]:
        """Return which two layers differ in a measure, (K, K): in at most 5 % of samples any two that do not.

        Bonferroni over all pairs of layers; False everywhere where a measure has no intervals.
        """
        from scipy.stats import t

        values = np.array([np.nan if value.value is None else value.value for value in self.curve(name)])
        if name not in self.errors or self.units < 3:
            return np.zeros((len(values), len(values)), np.bool_)
        pairs = len(values) * (len(values) - 1) / 2
        reach = float(t.ppf(1 - LEVEL / (2 * max(1.0, pairs)), self.units - 1))
        return np.asarray(np.abs(values[:, None] - values) > reach * self.errors[name] + _ROUNDING)

    def _order_in_words(self, name: str, least: int, most: int) -> str:
        """Say whether the lowest and the highest layer differ beyond chance, and which layers may be as low or high."""
        if name not in self.errors:
            return "How sure the order of the layers is, is not computed."
        apart = self.beyond(name)
        if not apart[least, most]:
            return "That difference may be chance."
        said = []
        for end, word in ((least, "low"), (most, "high")):
            same = [layer.number for at, layer in enumerate(self.layers) if at != end and not apart[at, end]]
            if same:
                layers = layers_in_words(same)
                said.append(f"{layers[:1].upper()}{layers[1:]} may be as {word}.")
        return " ".join(["The difference is beyond chance, over all pairs of layers.", *said])

    def _before(self, row: LayerMeasure) -> str:
        known = [value for layer in self.before if (value := layer.values[row.name].value) is not None]
        if not known:
            return ""
        return f"Without the correction, on the same sentences: {row.say(min(known))} to {row.say(max(known))}."

    def table(self) -> Table:
        """Return header and rows: every number of every layer, with its interval and baselines, and as it was."""
        rows = [
            (layer.number, name, *value, self.before[at].values[name].value if self.before else None)
            for at, layer in enumerate(self.layers)
            for name, value in layer.values.items()
        ]
        return ("layer", "measure", "value", "low", "high", "chance", "isotropic", "uncorrected"), rows

    def measure_table(self, name: str) -> Table:
        """Return header and rows in words: one measure, a row for each layer."""
        row = choose(MEASURES, name, "measure")
        rows = [
            (
                str(layer),
                row.say(value.value),
                "–" if value.low is None else f"{row.say(value.low)} to {row.say(value.high)}",
                row.say(value.against),
            )
            for layer, value in enumerate(self.curve(name))
        ]
        return ("layer", "here", "95\u00a0%", row.against or "baseline"), rows

    def layer_table(self, layer: int) -> Table:
        """Return header and rows in words: every measure of one layer, each with its title and what it is."""
        rows = []
        for name, row in MEASURES.items():
            value = self.layers[layer].values[name]
            was = [row.say(self.before[layer].values[name].value)] if self.before else []
            numbers = (row.say(value.value), *was, row.say(value.chance), row.say(value.isotropic))
            rows.append((row.title, row.summary, *numbers))
        return ("here", *(["as it was"] if self.before else []), "chance", "isotropic"), rows

    def word_table(self, layer: int, count: int, *, least: bool) -> Table:
        """Return header and rows in words: the whole words whose occurrences are least, or most, alike at a layer."""
        listed = self.lowest(layer, count) if least else self.highest(layer, count)
        rows = [(one.word, f"{one.times:,}", number(one.similarity)) for one in listed]
        return (f"{'least' if least else 'most'} alike", "occurrences", "cosine"), rows

    def dimension_table(self) -> Table:
        """Return header and rows in words: the dimension that adds most to the mean cosine, a row for each layer."""
        rows = []
        for layer in self.layers:
            top = layer.rogues[0] if layer.rogues else None
            without = {one.struck: number(one.agreement) for one in layer.striking}
            named = (f"{top.dimension:,}" if top else "–", share(top.share) if top and top.share is not None else "–")
            rows.append((str(layer.number), *named, *(without.get(struck, "–") for struck in STRUCK)))
        return ("layer", "dimension", "share", "r² without 1", "3", "5"), rows

    def resampled(self, name: str) -> str:
        """Return what the intervals of a measure draw anew, in words."""
        if name.startswith("explained"):
            return "words"
        return f"{self.unit}s and words" if name.startswith("self") else f"{self.unit}s"

    @property
    def kinship(self) -> str:
        """Which neighboring layers are most and least alike, in a sentence."""
        steps = [(float(self.alike[at, at + 1]), at) for at in range(len(self.alike) - 1)]
        steps = [step for step in steps if math.isfinite(step[0])]
        if not steps:
            return "The layers cannot be compared: one of them does not vary."
        (low, least), (high, most) = min(steps), max(steps)
        ends = float(self.alike[0, -1])
        far = f" First and last: {number(ends)}." if math.isfinite(ends) else ""
        return (
            f"From layer to layer the geometry changes most between {least} and {least + 1} ({number(low)}) and least "
            f"between {most} and {most + 1} ({number(high)}); 1 is the same but for rotation, shift and scale, "
            f"unrelated layers 0.{far} How sure the order of these steps is, is not computed."
        )

    @property
    def sample(self) -> str:
        """What was drawn and what was left out, in sentences."""
        said = [
            f"{self.sentences + self.fitted + self.short:,} of {self.drawn_from:,} sentences of {self.texts}, drawn at "
            f"random with a fixed seed."
            if self.sentences + self.fitted + self.short < self.drawn_from
            else f"All {self.drawn_from:,} sentences of {self.texts}."
        ]
        if self.short:
            said.append(f"{self.short:,} with fewer than {SHORTEST} words {_are(self.short)} left out.")
        if self.correction:
            said.append(f"The correction is fitted to {self.fitted:,} of them and measured on the others.")
        said.append(
            f"Measured: {self.sentences:,} sentences, {self.tokens:,} tokens without special ones; {len(self.words):,} "
            f"words (pieces with letters or digits) occur {LEAST} times or more."
        )
        said.append(
            f"Intervals: 95\u00a0%, if other {self.unit}s were drawn ({self.units:,} here)"
            + (", as sentences of one text are alike." if self.unit == "text" else ".")
        )
        if self.windowed:
            are = _are(self.windowed)
            said.append(f"{self.windowed:,} {are} too long for the model and {are} read in overlapping windows.")
        return " ".join(said)

    @property
    def note(self) -> str:
        """The sample, and what to know of the model."""
        return " ".join(filter(None, [self.sample, self.about]))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
