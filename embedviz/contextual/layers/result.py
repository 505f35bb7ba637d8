"""The measures of all layers of a model, with tables and sentences about them."""

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
from embedviz.core.stats.intervals import LEVEL, Z
from embedviz.geometry.corrections import MAPS
from embedviz.geometry.isotropy import LEANING, Rogue, Striking

_ROUNDING = 1e-7
Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]


@dataclass(frozen=True, eq=False)
class Layer:
    """The measures of one layer.

    Attributes:
        number: Number of the layer; 0 is the output of the embeddings.
        values: The value of each measure, by the name of the measure in `MEASURES`.
        rogues: The dimensions that add most to the mean cosine of two words, at most five.
        striking: r² between the cosines of pairs with and without the first 1, 3 or 5 `rogues`; empty if undefined.
        similarity: The self-similarity of each word of `Layers.words`, (w,).
    """

    number: int
    values: dict[str, Value]
    rogues: tuple[Rogue, ...]
    striking: tuple[Striking, ...]
    similarity: Float


class WordSimilarity(NamedTuple):
    """A word, its number of occurrences, and its self-similarity at a layer."""

    word: str
    times: int
    similarity: float


@dataclass(frozen=True, eq=False)
class Layers:
    """The measures of all layers of a model.

    Attributes:
        model, texts: The names of the model and of the texts.
        sentences: Number of measured sentences. `drawn_from`: number of different sentences in the texts. `short`:
            number of drawn sentences with fewer than three words, which are left out.
        tokens: Number of tokens of the measured sentences.
        words: Words with five occurrences or more; a piece inside a word has a hyphen before it. `counts`: number of
            occurrences of each word. `whole`: whether a word is a whole word in at least 90 % of its occurrences.
        layers: The layers, from layer 0 to the last.
        alike: Debiased linear CKA of all pairs of layers, (K, K); NaN if a layer does not vary. `shuffled`: chance
            level, the mean CKA of shuffled tokens (not debiased), (K, K).
        compared: Number of tokens for CKA, one from each sentence.
        correction: The title of the correction; empty without a correction. `fitted`: number of sentences to which the
            correction is fitted.
        before: The layers measured without the correction; empty if there is no correction.
        windowed: Number of sentences too long for the model, read in windows.
        unit: The resampled unit, *text* or *sentence*; `units`: number of units.
        errors: For each measure by which layers are compared, the standard errors of the differences between layers,
            (K, K).
        about: A remark on the model.
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
        """Return the number of the last layer."""
        return self.layers[-1].number

    def curve(self, name: str) -> list[Value]:
        """Return the value of the measure `name` at each layer.

        Raises:
            OptionError: There is no such measure.
        """
        choose(MEASURES, name, "measure")
        return [layer.values[name] for layer in self.layers]

    def lowest(self, layer: int, count: int = 8) -> list[WordSimilarity]:
        """Return the whole words with the lowest self-similarity at a layer, lowest first."""
        return self._ordered(layer)[:count]

    def highest(self, layer: int, count: int = 8) -> list[WordSimilarity]:
        """Return the whole words with the highest self-similarity at a layer, highest first."""
        return self._ordered(layer)[::-1][:count]

    def _ordered(self, layer: int) -> list[WordSimilarity]:
        found = self.layers[layer].similarity
        rows = [row for row in np.argsort(found, kind="stable").tolist() if self.whole[row]]
        return [WordSimilarity(self.words[row], int(self.counts[row]), float(found[row])) for row in rows]

    def meaning(self, name: str) -> str:
        """Say at which layers a measure is lowest and highest, with the baseline at these layers."""
        row, values = choose(MEASURES, name, "measure"), self.curve(name)
        known = [(value.value, place) for place, value in enumerate(values) if value.value is not None]
        if not known:
            return "There are too few words or sentences for this measure. Draw more of them, or take other texts."
        (low, least), (high, most) = min(known), max(known)
        numbers = [row.say(low), row.say(high)]
        baselines = [row.say(values[at].against) for at in (least, most) if values[at].against is not None]
        if len({*baselines}) == 1:
            numbers[1] += f"; {row.against}: {baselines[0]}"
        elif baselines:
            numbers = [f"{one}; {row.against}: {base}" for one, base in zip(numbers, baselines, strict=True)]
        return f"{row.subject} is lowest at layer {least} ({numbers[0]}) and highest at layer {most} ({numbers[1]})."

    def sides(self) -> tuple[list[int], list[int]]:
        """Return the layers whose mean cosine is clearly below `LEANING` (0.1), and those clearly above it.

        Clearly means that the interval excludes 0.1. The intervals hold simultaneously for all layers (Bonferroni), by
        Student's t for the number of resampled texts or sentences.
        """
        from scipy.stats import t

        wider = float(t.ppf(1 - LEVEL / (2 * len(self.layers)), max(self.units - 1, 1))) / Z
        below, above = [], []
        for layer, one in zip(self.layers, self.curve("baseline"), strict=True):
            if one.value is None or one.low is None:
                continue
            reach = wider * (one.value - one.low)
            if one.value + reach < LEANING:
                below.append(layer.number)
            elif one.value - reach > LEANING:
                above.append(layer.number)
        return below, above

    @property
    def verdict(self) -> str:
        """Say at which layers cosines can be used, and at which they are too high; empty if `sides()` has no layer."""
        below, above = self.sides()
        limit, after, cure = number(LEANING, 1), "as they are", f"choose the correction “{MAPS['center'].title}”"
        if self.correction:
            after, cure = "after the correction", "choose another correction"
        sentences = []
        if below:
            where = "every layer" if len(below) == len(self.layers) else layers_in_words(below)
            sentences.append(
                f"Cosines can be used {after} at {where}: there, random words are hardly alike (below {limit})."
            )
        if above:
            where = "every layer" if len(above) == len(self.layers) else layers_in_words(above)
            sentences.append(
                f"At {where} all cosines are too high: {cure}."
                if below
                else f"At {where} all cosines are too high (random words: above {limit}): {cure}."
            )
        return " ".join(sentences)

    @property
    def why_limit(self) -> str:
        """Say why `LEANING` is the limit that `verdict` sets for the mean cosine of a layer."""
        return (
            f"Above {number(LEANING, 1)} (our limit), even unrelated words look alike. Compare each cosine with this "
            "mean, not with 0."
        )

    def certainty(self, name: str) -> str:
        """Say whether a measure differs clearly between the layers with its lowest and its highest value.

        For the mean cosine of random words or tokens, also say which layers are anisotropic. If the vectors were
        corrected, also say the lowest and the highest value before the correction. The text is empty if the measure has
        no value.
        """
        row = choose(MEASURES, name, "measure")
        known = [(value.value, at) for at, value in enumerate(self.curve(name)) if value.value is not None]
        if not known:
            return ""
        order = self._order_in_words(name, min(known)[1], max(known)[1])
        return " ".join(filter(None, [order, self._anisotropic(name), self._before(row)]))

    def _anisotropic(self, name: str) -> str:
        """Say at which layers the mean cosine of random words (or tokens) is above 0; empty for other measures."""
        if not name.startswith("baseline"):
            return ""
        values = self.curve(name)
        above = [at for at, value in enumerate(values) if value.low is not None and value.low > (value.isotropic or 0)]
        if len(above) == len(values):
            return "Every layer is anisotropic: its 95\u00a0% interval is above 0."
        if not above:
            return "No layer is clearly anisotropic: no 95\u00a0% interval is above 0."
        layers = layers_in_words([self.layers[at].number for at in above])
        return f"The 95\u00a0% interval is above 0 at {layers}; these layers are anisotropic."

    def beyond(self, name: str) -> NDArray[np.bool_]:
        """Return which pairs of layers differ in a measure, (K, K), with a family-wise error of at most 5 %.

        Bonferroni over all pairs of layers. All pairs are False if the measure is not in `errors`, or if fewer than
        three texts or sentences (`units`) were resampled.
        """
        from scipy.stats import t

        values = np.array([np.nan if value.value is None else value.value for value in self.curve(name)])
        if name not in self.errors or self.units < 3:
            return np.zeros((len(values), len(values)), np.bool_)
        pairs = len(values) * (len(values) - 1) / 2
        reach = float(t.ppf(1 - LEVEL / (2 * max(1.0, pairs)), self.units - 1))
        return np.asarray(np.abs(values[:, None] - values) > reach * self.errors[name] + _ROUNDING)

    def _order_in_words(self, name: str, least: int, most: int) -> str:
        """Say whether layers `least` and `most` differ clearly.

        If so, also say which layers do not differ clearly from `least`, and which from `most`.
        """
        if name not in self.errors:
            return "There is no interval for the difference of two layers of this measure."
        apart = self.beyond(name)
        if not apart[least, most]:
            return "The difference of these two layers may be chance."
        sentences = [
            f"Layers {min(least, most)} and {max(least, most)} differ clearly (95\u00a0%, over all pairs of layers)"
        ]
        for end in (least, most):
            same = [at for at in range(len(self.layers)) if at != end and not apart[at, end]]
            if len(same) == 1:
                sentences.append(f"layers {min(end, *same)} and {max(end, *same)} do not")
            elif same:
                sentences.append(f"layer {end} does not differ clearly from {layers_in_words(same)}")
        return f"{'; '.join(sentences)}."

    def _before(self, row: LayerMeasure) -> str:
        known = [value for layer in self.before if (value := layer.values[row.name].value) is not None]
        if not known:
            return ""
        return f"Without the correction, the same sentences give {row.say(min(known))} to {row.say(max(known))}."

    def table(self) -> Table:
        """Return header and rows: a row for each layer and measure, with interval, baselines and uncorrected value."""
        rows = [
            (layer.number, name, *value, self.before[at].values[name].value if self.before else None)
            for at, layer in enumerate(self.layers)
            for name, value in layer.values.items()
        ]
        return ("layer", "measure", "value", "low", "high", "chance", "isotropic", "uncorrected"), rows

    def measure_table(self, name: str) -> Table:
        """Return a table as text: the value of one measure at each layer, with interval and baseline."""
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
        """Return a table as text: title, definition, value and baselines of each measure at one layer.

        The header has no cells for title and definition.
        """
        rows = []
        for name, row in MEASURES.items():
            value = self.layers[layer].values[name]
            was = [row.say(self.before[layer].values[name].value)] if self.before else []
            numbers = (row.say(value.value), *was, row.say(value.chance), row.say(value.isotropic))
            rows.append((row.title, row.summary, *numbers))
        return ("here", *(["uncorrected"] if self.before else []), "chance", "isotropic"), rows

    def word_table(self, layer: int, count: int, *, least: bool) -> Table:
        """Return a table as text: `count` words with the lowest (`least`) or highest self-similarity at a layer."""
        listed = self.lowest(layer, count) if least else self.highest(layer, count)
        rows = [(one.word, f"{one.times:,}", number(one.similarity)) for one in listed]
        return (f"{'lowest' if least else 'highest'} cosine", "occurrences", "cosine"), rows

    def dimension_table(self) -> Table:
        """Return a table as text: for each layer, the dimension with the largest share of the mean cosine."""
        rows = []
        for layer in self.layers:
            top = layer.rogues[0] if layer.rogues else None
            without = {one.struck: number(one.agreement) for one in layer.striking}
            named = (f"{top.dimension:,}" if top else "–", share(top.share) if top and top.share is not None else "–")
            rows.append((str(layer.number), *named, *(without.get(struck, "–") for struck in STRUCK)))
        return ("layer", "dimension", "share", "r² without 1", "without 3", "without 5"), rows

    def resampled(self, name: str) -> str:
        """Return what is resampled for the intervals of a measure, for example “texts and words”."""
        if name.startswith("explained"):
            return "words"
        return f"{self.unit}s and words" if name.startswith("self") else f"{self.unit}s"

    @property
    def kinship(self) -> str:
        """Say which neighboring layers are least and most similar, and the CKA of the first and the last layer."""
        steps = [(float(self.alike[at, at + 1]), at) for at in range(len(self.alike) - 1)]
        steps = [step for step in steps if math.isfinite(step[0])]
        if not steps:
            return "The layers cannot be compared, since one of them does not vary."
        (low, least), (high, most) = min(steps), max(steps)
        ends = float(self.alike[0, -1])
        far = f" CKA of the first and the last layer: {number(ends)}." if math.isfinite(ends) else ""
        return (
            f"The similarities between words change most from layer {least} to {least + 1} (CKA {number(low, 3)}) and "
            f"least from layer {most} to {most + 1} ({number(high, 3)}).{far}"
        )

    @property
    def sample(self) -> str:
        """Describe the measured sentences, the sentences that were left out, and the resampling."""
        sentences = [
            f"{self.sentences + self.fitted + self.short:,} of {self.drawn_from:,} sentences of {self.texts}, "
            "drawn at random with a fixed seed."
            if self.sentences + self.fitted + self.short < self.drawn_from
            else f"All {self.drawn_from:,} sentences of {self.texts}."
        ]
        if self.short:
            sentences.append(f"{self.short:,} {_are(self.short)} left out, with fewer than {SHORTEST} words.")
        if self.correction:
            sentences.append(f"The correction is fitted to {self.fitted:,} of them and measured on the others.")
        sentences.append(
            f"Measured: {self.sentences:,} sentences with {self.tokens:,} tokens, special tokens left out. "
            f"{len(self.words):,} words (pieces with letters or digits) occur {LEAST} times or more."
        )
        sentences.append(
            f"The 95\u00a0% intervals resample the {self.units:,} {self.unit}s"
            + (", since sentences of one text are similar." if self.unit == "text" else ".")
        )
        if self.windowed:
            are = _are(self.windowed)
            sentences.append(f"{self.windowed:,} {are} too long for the model and {are} read in overlapping windows.")
        return " ".join(sentences)

    @property
    def note(self) -> str:
        """Return a text: which sentences were measured, then the remark on the model (`about`), if there is one."""
        return " ".join(filter(None, [self.sample, self.about]))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
