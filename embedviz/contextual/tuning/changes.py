"""What a tuning changes: anisotropy by layer, the neighbors of words, and the order of scored sentence pairs."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.encoder import Encoder, encode
from embedviz.contextual.layer_pooling import LayerPooling, vectors
from embedviz.contextual.layers import measured_layer
from embedviz.contextual.layers.look import LayerEstimate, Value
from embedviz.contextual.layers.sample import frequent_words, tokens_of
from embedviz.contextual.pair_tables import SentencePairs, example
from embedviz.contextual.pooling import own_pooling
from embedviz.contextual.tuning.simcse import TuningSettings
from embedviz.core.phrases import counted, joined, number, signed, signed_interval
from embedviz.core.progress import Report, tell
from embedviz.core.stats.correlation import resampled, spearman
from embedviz.core.stats.intervals import inner, simultaneous_z
from embedviz.core.texts import tokens
from embedviz.corpus.function_words import function_words
from embedviz.geometry.uniformity import nonzero_unit_rows

Reals = NDArray[np.float64]
MEASURE = "baseline"
"""Name in `layers.MEASURES` of the mean cosine of two words from different sentences."""
WORDS, AMONG, NEAREST = 10, 800, 10
"""Numbers: words whose neighbors are compared; words that may be neighbors; neighbors listed for each word."""
DRAWS = 2_000


class LayerChange(NamedTuple):
    """The mean cosine of two random words at a layer, before and after the tuning.

    Attributes:
        change: After minus before.
        low, high: Interval of the change; both cosines are measured on the same sentences. The intervals of all tuned
            layers are simultaneous: in 95 % of samples, all of them hold.
    """

    layer: int
    before: Value
    after: Value
    change: float
    low: float
    high: float

    @property
    def verdict(self) -> int:
        """Return −1 if the mean cosine is lower after the tuning, beyond chance; 1 if it is higher; else 0."""
        return (self.low > 0) - (self.high < 0)


class TunedNeighbors(NamedTuple):
    """A word with its nearest neighbors before and after the tuning, and the share of neighbors that stay (`kept`)."""

    word: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    kept: float

    @property
    def spoken(self) -> str:
        """Say which neighbors are gone, which are new, and which stay."""
        parts = {
            "gone": [one for one in self.before if one not in self.after],
            "new": [one for one in self.after if one not in self.before],
            "stay": [one for one in self.before if one in self.after],
        }
        return " · ".join(f"{name}: {', '.join(words)}" for name, words in parts.items() if words)


class WordsChange(NamedTuple):
    """The neighbors of some words before and after the tuning; each word is encoded alone.

    Attributes:
        words: The compared words; empty if the texts have fewer than two content words.
        kept: Mean share of neighbors that stay; `low`, `high`: its 95 % interval, resampling words.
        chance: Random baseline: the share that two random lists of neighbors have in common.
        among: Number of words that may be neighbors.
    """

    words: tuple[TunedNeighbors, ...]
    kept: float
    low: float
    high: float
    chance: float
    among: int

    @property
    def meaning(self) -> str:
        """Say which share of the neighbors stays, with its interval and the random baseline."""
        if not self.words:
            return "The texts have too few words to compare neighbors."
        return (
            f"Of the {min(NEAREST, self.among - 1)} nearest neighbors of the "
            f"{counted(len(self.words), 'most frequent word')}, among {self.among:,} words, "
            f"{number(100 * self.kept, 0)}\u00a0% stay (95\u00a0% interval for other such words: "
            f"{number(100 * self.low, 0)} to {number(100 * self.high, 0)}\u00a0%; random lists share "
            f"{number(100 * self.chance, 0)}\u00a0%)."
        )


class PairsChange(NamedTuple):
    """Spearman's ρ of sentence pairs' cosines with people's scores, before and after the tuning.

    Attributes:
        before, after: ρ and the ends of its 95 % interval.
        gain, low, high: ρ after minus before, and its 95 % interval, resampling pairs.
        pairs: Number of pairs.
        source: Where the scored pairs come from.
    """

    before: tuple[float, float, float]
    after: tuple[float, float, float]
    gain: float
    low: float
    high: float
    pairs: int
    source: str

    @property
    def verdict(self) -> int:
        """Return 1 if ρ is higher after the tuning, beyond chance; −1 if ρ is lower, beyond chance; else 0."""
        return (self.low > 0) - (self.high < 0)

    @property
    def meaning(self) -> str:
        """Say ρ before and after the tuning, and whether the difference is beyond chance."""
        ends = {1: "better, beyond chance", -1: "worse, beyond chance", 0: "a difference that may be chance"}
        return (
            f"Spearman’s ρ with the scores of {self.pairs} sentence pairs: {number(self.before[0])} before, "
            f"{number(self.after[0])} after: {ends[self.verdict]} ({signed(self.gain)}; 95\u00a0%: "
            f"{signed_interval(self.low, self.high)})."
        )


def measured(
    before: Encoder,
    after: Encoder,
    held_out: Sequence[str],
    texts: Sequence[str],
    settings: TuningSettings,
    seed: int,
    report: Report | None,
) -> tuple[tuple[LayerChange, ...], WordsChange, PairsChange]:
    """Return the changes from an encoder to its tuned copy: of layers, word neighbors and scored pairs.

    Args:
        held_out: Sentences not used in the tuning; the layers are measured on them.
        texts: Texts whose most frequent words are compared.
    """
    tell(report, 0.0, "Measuring layers before and after")
    layers = layer_changes(before, after, held_out, settings.layers, seed)
    tell(report, 0.4, "Reading words before and after")
    words = word_changes(before, after, texts)
    tell(report, 0.8, "Scoring sentence pairs before and after")
    return layers, words, pair_changes(before, after, example(), seed)


def layer_changes(
    before: Encoder, after: Encoder, sentences: Sequence[str], tuned: int, seed: int
) -> tuple[LayerChange, ...]:
    """Return the mean cosine of two random words at each layer, before and after the tuning.

    Only sentences with at least `layers.sample.SHORTEST` words are used. The result is () for fewer than 3 of them.

    Args:
        tuned: Number of tuned layers.
    """
    hidden = [encode(each, sentences) for each in (before, after)]
    usable = tokens_of(hidden[0], np.arange(len(sentences)), seed)
    if usable.sentences < 3:
        return ()
    words = frequent_words(hidden[0], usable)
    found = []
    for layer in range(before.depth + 1):
        rows = [np.asarray(each.layer(layer)[usable.rows], np.float32) for each in hidden]
        both = [measured_layer(layer, each, usable, words, seed) for each in rows]
        values = [one.values[MEASURE] for one, _ in both]
        parts = [estimates[MEASURE] for _, estimates in both]
        found.append(changed_layer(layer, values[0], values[1], parts[0], parts[1], tuned))
    return tuple(found)


def changed_layer(
    layer: int, before: Value, after: Value, one: LayerEstimate | None, other: LayerEstimate | None, tests: int
) -> LayerChange:
    """Return the change of a layer's mean cosine, with an interval that is simultaneous over `tests` layers.

    Args:
        one, other: Estimates of the mean cosine before and after the tuning. If `one` or `other` is None, change and
            interval are zeros.
    """
    if one is None or other is None:
        return LayerChange(layer, before, after, 0.0, 0.0, 0.0)
    difference = other.less(one)
    reach = simultaneous_z(tests) * (difference.error or 0.0)
    return LayerChange(layer, before, after, difference.value, difference.value - reach, difference.value + reach)


def word_changes(before: Encoder, after: Encoder, texts: Sequence[str]) -> WordsChange:
    """Return the nearest neighbors of the `WORDS` most frequent content words, before and after the tuning.

    Neighbors are searched among the `AMONG` most frequent content words.
    """
    counts: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for text in texts:
        found = [word for word in tokens(text) if len(word) > 1]
        counts.update(found)
        held.update(set(found))
    vocabulary = [word for word, _ in counts.most_common()]
    left = function_words(vocabulary, np.array([held[word] for word in vocabulary], np.int64), len(texts))
    words = [word for word in vocabulary if word not in left][:AMONG]
    k = min(NEAREST, len(words) - 1)
    if k < 1:
        return WordsChange((), 0.0, 0.0, 0.0, 0.0, len(words))
    near = [_nearest(_sentence_rows(each, words), min(WORDS, len(words)), k) for each in (before, after)]
    made = tuple(
        TunedNeighbors(
            words[row],
            tuple(words[other] for other in one),
            tuple(words[other] for other in two),
            len({*one} & {*two}) / k,
        )
        for row, (one, two) in enumerate(zip(*near, strict=True))
    )
    shares = np.array([one.kept for one in made])
    drawn = np.random.default_rng(0).choice(shares, (DRAWS, len(shares))).mean(axis=1)
    return WordsChange(made, float(shares.mean()), *inner(drawn), k / (len(words) - 1), len(words))


def pair_changes(before: Encoder, after: Encoder, pairs: SentencePairs, seed: int) -> PairsChange:
    """Return Spearman's ρ of the cosines of sentence pairs with people's scores, before and after the tuning."""
    texts = list(dict.fromkeys(text for pair in pairs.pairs for text in pair[:2]))
    places = {text: row for row, text in enumerate(texts)}
    one = np.array([places[pair.one] for pair in pairs.pairs])
    other = np.array([places[pair.other] for pair in pairs.pairs])
    people = np.array([pair.score for pair in pairs.pairs], np.float64)
    cosines = []
    for each in (before, after):
        unit = nonzero_unit_rows(_sentence_rows(each, texts))
        cosines.append((unit[one] * unit[other]).sum(axis=1))
    return pairs_change(people, cosines[0], cosines[1], pairs.source, seed)


def pairs_change(people: Reals, before: Reals, after: Reals, source: str = "", seed: int = 0) -> PairsChange:
    """Return Spearman's ρ of cosines with people's scores, before and after the tuning, and the interval of the gain.

    Args:
        people: The score that people gave each sentence pair, (n,).
        before, after: Cosine of each pair before and after the tuning, (n,).
    """
    values = [spearman(people, each) or 0.0 for each in (before, after)]
    drawn = resampled(people, before, after, count=DRAWS, seed=seed)
    ends = [inner(drawn[:, place]) for place in range(2)]
    low, high = inner(drawn[:, 1] - drawn[:, 0])
    return PairsChange(
        (values[0], *ends[0]), (values[1], *ends[1]), values[1] - values[0], low, high, len(people), source
    )


def changes_in_words(layers: Sequence[LayerChange]) -> str:
    """Say at which layers two random words are nearer or farther after the tuning, and by how much."""
    parts = []
    for verdict, word, way in ((-1, "farther from", "less"), (1, "nearer to", "more")):
        if found := [one for one in layers if one.verdict == verdict]:
            at = f"layer{'s' if len(found) > 1 else ''} {joined([str(one.layer) for one in found])}"
            sizes = joined([signed(one.change, 3) for one in found])
            parts.append(
                f"After the tuning, two random words are {word} each other at {at}: the mean cosine changes by "
                f"{sizes}, more than another sample of sentences would give ({way} anisotropic)."
            )
    if not parts:
        return "No layer changes its mean cosine more than another sample of sentences would give."
    return " ".join(parts)


def _sentence_rows(encoder: Encoder, texts: Sequence[str]) -> Any:
    """Return a vector for each text, (n, d), by the model's own pooling."""
    pooling = LayerPooling(own_pooling(encoder.pooling), encoder.depth)
    return vectors(encode(encoder, texts, layers=[encoder.depth]), pooling)


def _nearest(rows: Any, first: int, k: int) -> list[list[int]]:
    """Return, for each of the first `first` rows, the indices of its k nearest other rows, nearest first."""
    unit = nonzero_unit_rows(rows)
    cosines = unit[:first] @ unit.T
    cosines[np.arange(first), np.arange(first)] = -np.inf
    return [row.tolist() for row in np.argsort(-cosines, axis=1, kind="stable")[:, :k]]
