"""Cosines of sentences by every pooling at every layer, with random sentences as the baseline.

Sentences are pooled while they are read, so hidden states of only a few thousand tokens are in memory at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz import corpus
from embedviz.contextual.encoder import BUILTIN, Encoder, load
from embedviz.contextual.layer_pooling import (
    LayerPooling,
    PooledPortion,
    in_sentence,
    layer_poolings,
    missing_poolings,
    pool_by_portions,
    windows_note,
)
from embedviz.contextual.pooling import POOLINGS, SPECIAL, scalar_mix
from embedviz.core.call import offered
from embedviz.core.options import OptionError, Parameter
from embedviz.core.phrases import joined, number
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float, precise_unit_rows
from embedviz.core.stats.softmax import softmax
from embedviz.core.texts import sentences as sentences_in
from embedviz.core.texts import tokens
from embedviz.corpus import CorpusError
from embedviz.neighbors.matrix import SimilarityMatrix, nearest_together

MOST_COMPARED = 200
"""Maximum number of sentences to compare."""
LONGEST = 5_000
"""Maximum characters of a sentence."""
RANDOM = 200
"""Number of random sentences of the Lee corpus, each from a different text: the random baseline."""
MIX = "mix"
"""Name of the scalar mix in `POOLINGS`."""
WEIGHT = Parameter(
    "weight",
    -4.0,
    4.0,
    0.0,
    "Input of the softmax: +1 multiplies the weight of the layer by e, relative to the others.",
    "w",
)
GAMMA = Parameter("gamma", 0.1, 5.0, 1.0, "Scales the whole vector; no cosine depends on it.", "γ")
Way = LayerPooling  # the old name, in Python code that was exported earlier
_NEAR = 97.5  # percentile of random pairs above which a pair counts as near
_WORDS = (6, 40)  # minimum and maximum words of a random sentence
_ROUNDING = 1e-6
_COUNTS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")


class PoolingCosine(NamedTuple):
    """The cosine of two sentences by one pooling, with the cosines of random pairs by the same pooling.

    Attributes:
        title: Title of the pooling.
        layer: Number of the layer; None if the pooling uses several layers.
        cosine: Cosine of the pair.
        mean: Mean cosine of random pairs; `low`, `high`: the range with 95 % of these cosines.
        below: Share of random pairs with a lower cosine.
    """

    title: str
    layer: int | None
    cosine: float
    mean: float
    low: float
    high: float
    below: float

    @property
    def near(self) -> bool:
        """Return whether the cosine is above the cosines of 97.5 % of random pairs."""
        return self.cosine > self.high

    @property
    def constant(self) -> bool:
        """Return whether all random pairs have the same cosine, for example by CLS at layer 0, before any attention."""
        return self.high - self.low < _ROUNDING


class Mixed(NamedTuple):
    """ELMo's mix of layers: the weight of each layer, the mixed vectors (n, d), and the cosines of all pairs (n, n)."""

    shares: tuple[float, ...]
    vectors: Float
    cosines: Float

    @property
    def lengths(self) -> list[float]:
        """Return the Euclidean length of each mixed vector."""
        found: list[float] = np.linalg.norm(self.vectors.astype(np.float64), axis=1).tolist()
        return found


@dataclass(frozen=True, eq=False)
class ComparedSentences:
    """The cosines of all pairs of n sentences by every pooling.

    Attributes:
        sentences: The n different sentences, in the given order.
        model: Name of the model.
        special: Whether poolings include special tokens: *with* or *without*.
        poolings: The W poolings at their layers.
        cosines: Cosines of all pairs by each pooling, (W, n, n).
        layers: Mean of each sentence's tokens at each layer, (L + 1, n, d). `mix()` needs only these means, because the
            mean of mixed layers is the mix of the layers' means.
        left_out: Sentences without a token.
        missing: Titles of the poolings that the model does not have.
        note: Remarks on the model and on how sentences were read.
    """

    sentences: tuple[str, ...]
    model: str
    special: str
    poolings: tuple[LayerPooling, ...]
    cosines: Float
    layers: Float
    left_out: tuple[str, ...]
    missing: tuple[str, ...]
    note: str

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def depth(self) -> int:
        """Return the number of the last layer, L."""
        return len(self.layers) - 1

    def of(self, pooling: LayerPooling) -> Float:
        """Return the cosines of all pairs by one pooling, (n, n).

        Raises:
            OptionError: The model does not have this pooling.
        """
        if pooling not in self.poolings:
            raise OptionError(f"{self.model} has no vectors by {pooling.title}.")
        found: Float = self.cosines[self.poolings.index(pooling)]
        return found

    def at(self, layer: int) -> tuple[LayerPooling, ...]:
        """Return the poolings at one layer and the poolings that use several layers, without the scalar mix."""
        return tuple(pooling for pooling in self.poolings if pooling.layer in (layer, None) and pooling.name != MIX)

    def mix(self, weights: Sequence[float], gamma: float = 1.0) -> Mixed:
        """Mix the layers of each sentence: γ Σ softmax(w)ⱼ layerⱼ, where w are the `weights`.

        Raises:
            OptionError: The numbers of weights and layers differ.
        """
        made = scalar_mix([*self.layers], weights, gamma)
        return Mixed(tuple(softmax(weights).tolist()), made, cosines(made))


@offered("pair", "print(*pair.sentences, sep='\\n')")
def compared(
    sentences: Sequence[str],
    *,
    model: Encoder | str | Path = BUILTIN,
    special: str = SPECIAL.default,
    device: str = "auto",
    report: Report | None = None,
) -> ComparedSentences:
    """Return the cosines of all pairs of some sentences by every pooling.

    Args:
        sentences: The sentences; repeated sentences count once, and only the first 200 are read.
        model: A folder, `builtin`, or a result of `load`.
        special: *with* or *without*: whether poolings include special tokens such as [CLS]. It does not change the
            pooling CLS.

    Raises:
        OptionError: Fewer than two different sentences have a token, or a sentence is too long.
        EncoderError: The model cannot be opened.
    """
    given = list(dict.fromkeys(text for text in (sentence.strip() for sentence in sentences) if text))
    read = given[:MOST_COMPARED]
    _not_too_long(read)
    tell(report, 0.0, "Opening the model")
    encoder = load(model)
    every = layer_poolings(encoder.depth)
    rows: list[int] = []
    parts: list[PooledPortion] = []
    for portion in pool_by_portions(
        encoder, read, every, special=special, device=device, report=part(report, 0.1, 0.95)
    ):
        rows += portion.rows
        parts.append(portion)
    if len(rows) < 2:
        raise OptionError(_too_few(len(rows), len(given)))
    order = np.argsort(rows)
    had = tuple(pooling for pooling in every if pooling in parts[0].vectors)
    whole = {pooling: np.concatenate([each.vectors[pooling] for each in parts])[order] for pooling in had}
    windowed = sum(each.windowed for each in parts)
    return ComparedSentences(
        tuple(read[row] for row in sorted(rows)),
        encoder.name,
        special,
        had,
        np.stack([cosines(whole[pooling]) for pooling in had]),
        np.stack([whole[LayerPooling("mean", layer)] for layer in range(encoder.depth + 1)]),
        tuple(sentence for row, sentence in enumerate(read) if row not in set(rows)),
        missing_poolings(every, had),
        " ".join(filter(None, [encoder.note, windows_note(windowed)])),
    )


def random_sentences(*, seed: int = 0) -> list[str]:
    """Sample 200 sentences of the Lee corpus at random, each from a different text.

    Raises:
        CorpusError: The corpus is not installed.
    """
    random = np.random.default_rng(seed)
    found = []
    for text in (corpus.lee().texts[row] for row in random.permutation(300).tolist()):
        whole = [one for one in sentences_in(text) if _WORDS[0] <= len(one.split()) <= _WORDS[1]]
        if whole:
            found.append(whole[int(random.integers(len(whole)))])
    return list(dict.fromkeys(found))[:RANDOM]


@offered("random", "print(pooled.sample(random))")
def baseline(
    model: Encoder | str | Path = BUILTIN,
    *,
    special: str = SPECIAL.default,
    device: str = "auto",
    seed: int = 0,
    report: Report | None = None,
) -> ComparedSentences:
    """Compare all pairs of 200 random sentences of the Lee corpus: the random baseline.

    Raises:
        OptionError: The corpus is not installed.
        EncoderError: The model cannot be opened.
    """
    try:
        drawn = random_sentences(seed=seed)
    except CorpusError as error:
        raise OptionError(str(error)) from None
    return compared(drawn, model=model, special=special, device=device, report=report)


@offered(
    "found",
    "for each in found:",
    '    print(each.title, f"{each.cosine:.2f} random {each.mean:.2f} ({each.low:.2f} to {each.high:.2f})")',
    "print(pooled.meaning(found))",
)
def compare_poolings(
    pair: ComparedSentences, random: ComparedSentences, layer: int, weights: Sequence[float] = (), gamma: float = 1.0
) -> tuple[PoolingCosine, ...]:
    """Compare two sentences by each pooling at a layer and by the scalar mix, with random pairs as the baseline.

    Args:
        pair: The compared sentences; only the first two count.
        random: A result of `baseline` for the same model.
        weights: Weights of the scalar mix, one for each layer; by default equal weights.

    Raises:
        OptionError: The numbers of weights and layers differ.
    """
    given = weights or [0.0] * (pair.depth + 1)
    found = [
        _against_random(pooling, pair.of(pooling), random.of(pooling))
        for pooling in pair.at(layer)
        if pooling in random.poolings
    ]
    mixed, drawn = pair.mix(given, gamma), random.mix(given, gamma)
    return (*found, _against_random(LayerPooling(MIX, None), mixed.cosines, drawn.cosines))


def _against_random(pooling: LayerPooling, here: Float, random: Float) -> PoolingCosine:
    drawn = above_diagonal(random)
    cosine = float(here[0, 1])
    low, high = np.percentile(drawn, [100 - _NEAR, _NEAR]).tolist()
    below = float((drawn < cosine).mean())
    return PoolingCosine(POOLINGS[pooling.name].title, pooling.layer, cosine, float(drawn.mean()), low, high, below)


beside = compare_poolings  # former name, in cards and Python exported earlier


def table(found: Sequence[PoolingCosine]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return header and rows: one row for each pooling; the layer is empty if a pooling uses several layers."""
    header = ("pooling", "layer", "cosine", "random_mean", "random_low", "random_high", "random_below")
    return header, [tuple("" if cell is None else cell for cell in one) for one in found]


def ranked(found: Sequence[PoolingCosine]) -> tuple[PoolingCosine, ...]:
    """Sort poolings by the cosine minus the mean of random pairs, largest first.

    Poolings with the same cosine for all pairs come last.
    """
    return tuple(sorted(found, key=lambda one: (one.constant, one.mean - one.cosine)))


def baseline_note(found: Sequence[PoolingCosine]) -> str:
    """Say how to read the figure and how the baselines of the poolings differ.

    Empty if each pooling gives all sentences the same cosine (`constant`).
    """
    means = [one.mean for one in found if not one.constant]
    if not means:
        return ""
    return (
        "If the blue dot is right of its band, the two sentences are more alike than random pairs. Compare each dot "
        "with its own band only: by "
        f"some methods random sentences have a mean cosine of {number(min(means))}, by others {number(max(means))}."
    )


def meaning(found: Sequence[PoolingCosine]) -> str:
    """Say by which poolings the two compared sentences are more alike than random pairs."""
    varying = [one for one in found if not one.constant]
    near, rest = ([one for one in varying if one.near is wanted] for wanted in (True, False))
    if not varying:
        return "By every method random sentences all have the same cosine, so nothing can be compared."
    if not rest:
        every_pair = "all " * (min(one.below for one in varying) == 1)
        return f"By every method the two are more alike than {every_pair}random pairs."
    if not near:
        return "By no method are the two clearly more alike than random sentences."
    many, every = _COUNTS[len(near)].capitalize(), _COUNTS[len(varying)]
    finds = "finds" if len(near) == 1 else "find"
    do = "does" if len(rest) == 1 else "do"
    names = joined([in_sentence(one.title) for one in rest])
    names = names[:1].upper() + names[1:]
    return f"{many} of {every} methods {finds} the two more alike than random pairs. {names} {do} not."


def sample(random: ComparedSentences) -> str:
    """Describe the random pairs, in sentences."""
    n = len(random)
    return (
        f"Random pairs: all {n * (n - 1) // 2:,} pairs of {n} sentences of the Lee news, one from each text, by "
        "the same "
        "pooling. The band holds 95\u00a0% of them."
    )


@offered(
    "matrix",
    "for pair in matrix.nearest_first[:10]:",
    '    print(f"{pair.value:.2f}", pair.one, pair.other, sep="  ")',
    "print(matrix.meaning, matrix.baseline)",
)
def matrix(
    found: ComparedSentences, random: ComparedSentences, pooling: tuple[str, int | None], weights: Sequence[float] = ()
) -> SimilarityMatrix:
    """Return the cosines of all pairs of sentences by one pooling, with random pairs as the baseline.

    The sentences are ordered so that similar sentences are neighbors.

    Args:
        found: The compared sentences.
        random: A result of `baseline` for the same model.
        pooling: Name and layer, as in `LayerPooling`.
        weights: Weights of the layers, for the scalar mix only.

    Raises:
        OptionError: The model does not have this pooling, or the numbers of weights and layers differ.
    """
    chosen = LayerPooling(*pooling)
    mixing = chosen.name == MIX and weights
    here, drawn = ((one.mix(weights).cosines if mixing else one.of(chosen)) for one in (found, random))
    every = above_diagonal(drawn)
    low, middle, high = np.percentile(every, (5, 50, 95)).tolist()
    order = nearest_together(here)
    return SimilarityMatrix(
        tuple(found.sentences[place] for place in order),
        "cosine",
        np.ascontiguousarray(here[np.ix_(order, order)]),
        (),
        found.left_out,
        float(every.mean()),
        (low, middle, high),
        len(every),
        float(every.max()),
        "of Lee sentences",
    )


def cosines(rows: Float) -> Float:
    """Return the cosines of all pairs of rows, (n, n); 0 for a row of zeros."""
    unit = precise_unit_rows(rows, float(np.finfo(np.float32).tiny))
    return np.asarray(np.clip(unit @ unit.T, -1, 1), np.float32)


def above_diagonal(values: Float) -> Float:
    """Return the values above the diagonal of a square matrix: each pair of different rows once."""
    found: Float = values[np.triu_indices(len(values), 1)]
    return found


def _not_too_long(sentences: Sequence[str]) -> None:
    for place, sentence in enumerate(sentences, 1):
        if len(sentence) > LONGEST:
            raise OptionError(
                f"Sentence {place:,} has {len(sentence):,} characters; the limit is {LONGEST:,}. Split it."
            )


def _too_few(with_tokens: int, given: int) -> str:
    if given < 2:
        return "Give at least two different sentences."
    return f"{with_tokens} of the {given} sentences have a token. Give at least two such sentences."


def words_in_common(one: str, other: str) -> tuple[int, int]:
    """Return how many different words are in both sentences, and how many are in at least one of them."""
    first, second = set(tokens(one)), set(tokens(other))
    return len(first & second), len(first | second)
