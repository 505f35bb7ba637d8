"""Similarity matrix of some words, in an order that puts similar words together, with random pairs as baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError, choose
from embedviz.core.phrases import counted, number, shortened
from embedviz.core.space import Float, UnknownWordError, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.neighbors.metrics import METRICS, Metric

MOST_COMPARED = 200
PAIRS = 20_000
_AT_ONCE = 2_000


class ComparedPair(NamedTuple):
    """Two words and the value of the metric between them."""

    one: str
    other: str
    value: float


@dataclass(frozen=True, eq=False)
class SimilarityMatrix:
    """The values of a metric for all pairs of some words.

    Attributes:
        words: The words in the order of `nearest_together`: average linkage, optimal leaf order (Bar-Joseph et al.
            2001).
        values: Values of the metric, (m, m), symmetric; the diagonal is each word with itself.
        missing: Words that the space does not have.
        skipped: Words whose vector is zeros.
        mean: Mean value of random pairs.
        percentiles: 5th, 50th and 95th percentile of random pairs.
        pairs: Number of random pairs.
        extreme: The value of the nearest random pair.
        drawn_from: Where the random pairs come from, as text.
    """

    words: tuple[str, ...]
    metric: str
    values: Float
    missing: tuple[str, ...]
    skipped: tuple[str, ...]
    mean: float
    percentiles: tuple[float, float, float]
    pairs: int
    extreme: float
    drawn_from: str = "of the space"

    @property
    def scale(self) -> Metric:
        """Return the metric, with the name of its values and whether larger or smaller values are nearer."""
        return METRICS[self.metric]

    @property
    def nearest_first(self) -> tuple[ComparedPair, ...]:
        """Return every pair of words, the nearest first."""
        one, other = np.triu_indices(len(self.words), 1)
        values = self.values[one, other]
        order = np.argsort(-self.scale.nearer * values, kind="stable")
        return tuple(ComparedPair(self.words[one[i]], self.words[other[i]], float(values[i])) for i in order.tolist())

    @property
    def beyond(self) -> int:
        """Count the pairs that are nearer than 95 % of random pairs."""
        return self._nearer_than(self.percentiles[2 if self.scale.nearer > 0 else 0])

    @property
    def beyond_all(self) -> int:
        """Count the pairs that are nearer than every random pair."""
        return self._nearer_than(self.extreme)

    def _nearer_than(self, bound: float) -> int:
        values = self.values[np.triu_indices(len(self.words), 1)]
        return int(np.count_nonzero(self.scale.nearer * values > self.scale.nearer * bound))

    @property
    def meaning(self) -> str:
        """Name the nearest pair, and say how many pairs are nearer than 95 % of random pairs."""
        count = len(self.words) * (len(self.words) - 1) // 2
        if not self.pairs:
            return "There are too few other words to say how near is near."
        pairs, verb = ("pair", "is") if count == 1 else ("pairs", "are")
        chance = f" (by chance: {LEVEL * count:.0f})" if count >= 10 else ""
        one, other, value = self.nearest_first[0]
        sentence = f"{self.beyond:,} of {count:,} {pairs} {verb} nearer than 95\u00a0% of random pairs{chance}."
        if count == 1:
            return sentence
        return (
            f"Nearest: “{shortened(one)}” and “{shortened(other)}”, {self.scale.unit} {number(value)} (random pairs: "
            f"{number(self.mean)} on average). {sentence}"
        )

    @property
    def baseline(self) -> str:
        """Describe the random pairs that the values are compared with; empty if there are none."""
        if not self.pairs:
            return ""
        low, _, high = self.percentiles
        within = f"90\u00a0%: {number(low)} to {number(high)}"
        every = f" Nearer than all of them: {counted(self.beyond_all, 'pair')}."
        return f"{self.pairs:,} random pairs {self.drawn_from}: mean {number(self.mean)} ({within}).{every}"

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return the header and the rows of a table: each word, and the metric's values for it and every word."""
        rows = ((word, *values) for word, values in zip(self.words, self.values.tolist(), strict=True))
        return ("word", *self.words), rows


@offered(
    "matrix",
    "for pair in matrix.nearest_first[:10]:",
    '    print(pair.one, pair.other, f"{pair.value:.2f}")',
    "print(matrix.meaning, matrix.baseline)",
)
def similarity_matrix(
    space: VectorSpace, words: Sequence[str], metric: str = "cosine", *, pairs: int = PAIRS, seed: int = 0
) -> SimilarityMatrix:
    """Return the values of a metric for all pairs of the given words, ordered by hierarchical clustering (scipy).

    Args:
        words: 2 to 200 words. Words that the space does not have, and rows of zeros, are left out and listed.
        pairs: Number of random pairs of the space, the baseline.

    Raises:
        OptionError: Fewer than two words can be compared, more than 200 were given, or the metric is unknown.
    """
    row = choose(METRICS, metric, "metric")
    distinct = list(dict.fromkeys(words))
    if len(distinct) > MOST_COMPARED:
        raise OptionError(f"{len(distinct):,} words were named; at most {MOST_COMPARED} are compared each with each.")
    vectors: dict[str, Float] = {}
    missing, skipped = [], []
    for word in distinct:
        try:
            vectors[word] = space.vector(word)
        except UnknownWordError:
            missing.append(word)
            continue
        if not np.any(vectors[word]):
            skipped.append(word)
            del vectors[word]
    if len(vectors) < 2:
        raise OptionError(
            f"{len(vectors)} of the {len(distinct)} words named can be compared; two at least are needed."
        )
    known, matrix = tuple(vectors), np.asarray(list(vectors.values()), np.float64)
    lengths = np.linalg.norm(matrix, axis=1)
    values = np.asarray(row.function(matrix @ matrix.T, lengths[:, None], lengths), np.float32)
    order = nearest_together(row.nearer * values)
    low, middle, high, mean, drawn, extreme = _random_pairs(space, metric, pairs, seed)
    return SimilarityMatrix(
        tuple(known[place] for place in order),
        metric,
        np.ascontiguousarray(values[np.ix_(order, order)]),
        tuple(missing),
        tuple(skipped),
        mean,
        (low, middle, high),
        drawn,
        extreme,
    )


def nearest_together(nearness: Float) -> list[int]:
    """Return an order of the rows of a matrix of nearness, (m, m), in which near rows are next to each other."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(nearness) < 3:
        return [*range(len(nearness))]
    above = nearness[np.triu_indices(len(nearness), 1)].astype(np.float64)
    places: list[int] = leaves_list(linkage(above.max() - above, "average", optimal_ordering=True)).tolist()
    return places if places.index(0) < len(places) / 2 else places[::-1]


def _random_pairs(
    space: VectorSpace, metric: str, count: int, seed: int
) -> tuple[float, float, float, float, int, float]:
    """Return six numbers about random pairs of rows.

    They are the 5th, 50th and 95th percentile of the values, their mean, the number of pairs, and the value of the
    nearest pair. All six are 0 if the space has fewer than three nonzero rows.
    """
    row, random = METRICS[metric], np.random.default_rng(seed)
    whole = np.flatnonzero(space.norms > 0)
    if len(whole) < 3:
        return 0.0, 0.0, 0.0, 0.0, 0, 0.0
    one = random.integers(0, len(whole), count)
    other = (one + random.integers(1, len(whole), count)) % len(whole)
    parts = []
    for start in range(0, count, _AT_ONCE):
        ours, theirs = (space.matrix[whole[each[start : start + _AT_ONCE]]].astype(np.float64) for each in (one, other))
        products = np.einsum("ij,ij->i", ours, theirs)
        parts.append(row.function(products, np.linalg.norm(ours, axis=1), np.linalg.norm(theirs, axis=1)))
    values = np.concatenate(parts)
    low, middle, high = np.percentile(values, (5, 50, 95)).tolist()
    return low, middle, high, float(values.mean()), count, float(row.nearer * (row.nearer * values).max())
