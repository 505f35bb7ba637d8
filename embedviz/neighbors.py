"""Who is nearest, exactly: over all words, block by block, with a baseline that says how near is near."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.options import Method, OptionError, choose, table
from embedviz.space import Float, Ints, VectorSpace

SHUFFLES = 10
SHUFFLED_ROWS = 30_000  # rows of a shuffled space, at most
QUERIES = 5_000  # lists drawn for `occurrences` when the space has more words than `ALL_PAIRS`
ALL_PAIRS = 30_000
_TINY = np.finfo(np.float32).tiny
_PAIRS_AT_ONCE = 16_000_000  # similarities held at a time: 64 MB

Report = Callable[..., None]


class Neighbor(NamedTuple):
    """One row of a list. `similarity` is the metric's own value: cosine, dot product, or Euclidean distance."""

    word: str
    similarity: float
    rank: int


class Histogram(NamedTuple):
    """Counts in equal bins: `edges` has one value more than `counts`."""

    counts: Ints
    edges: Float


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The nearest words of a query and how they stand among all words.

    Attributes:
        words: The query; the mean of their unit vectors where there are several.
        rows: Rows of the neighbors, in order.
        percentiles: 5th, 50th and 95th percentile of the metric over all other words.
        mean, sd: Of the metric over all other words.
        shuffled_best: The nearest word's value in each of ten shuffled spaces, best of all, or None when not asked.
        shuffled_rows: Words in each shuffled space.
        compared: How many other words were compared with.
        skipped: Rows of zeros, which have no cosine.
    """

    words: tuple[str, ...]
    metric: str
    neighbors: tuple[Neighbor, ...]
    rows: Ints
    percentiles: tuple[float, float, float]
    mean: float
    sd: float
    histogram: Histogram
    shuffled_best: float | None
    shuffled_rows: int
    compared: int
    skipped: int

    @property
    def beyond_shuffled(self) -> int | None:
        """How many of the neighbors are nearer than the best of the shuffled spaces."""
        if self.shuffled_best is None:
            return None
        best, sign = self.shuffled_best, sign_of(self.metric)
        return sum(sign * neighbor.similarity > sign * best for neighbor in self.neighbors)

    @property
    def reach(self) -> float:
        """What a full bar stands for: 1 for a cosine, else the largest value listed."""
        if self.metric == "cosine":
            return 1.0
        return max((abs(neighbor.similarity) for neighbor in self.neighbors), default=0.0) or 1.0

    @property
    def meaning(self) -> str:
        """How near these are, in a sentence."""
        beyond, listed, query = self.beyond_shuffled, len(self.neighbors), " + ".join(self.words)
        if not listed:
            return f"Nothing is listed: {query} is a row of zeros and has no direction."
        if beyond is None:
            return f"There are too few words to say how near is near to {query}."
        if beyond == listed:
            return f"All {listed} are nearer to {query} than the best word of ten shuffled spaces."
        return (
            f"{beyond} of {listed} are nearer to {query} than the best word of ten shuffled spaces. "
            "The others could be there by chance."
        )


def cosine(space: VectorSpace, query: Float, rows: slice) -> Float:
    """Cosine of the rows with the query, −1 to 1; NaN for rows of zeros, shape (m,)."""
    norms = space.norms[rows]
    length = float(np.linalg.norm(query))
    if length == 0:
        return np.full(len(norms), np.nan, np.float32)
    if space.unit is not None:
        values = space.unit[rows] @ (query / length)
    else:
        values = (space.matrix[rows] @ (query / length)) / np.maximum(norms, _TINY)
    return np.where(norms == 0, np.float32(np.nan), values)


def dot(space: VectorSpace, query: Float, rows: slice) -> Float:
    """Dot product of the rows with the query, shape (m,)."""
    return space.matrix[rows] @ query


def euclidean(space: VectorSpace, query: Float, rows: slice) -> Float:
    """Euclidean distance of the rows to the query, shape (m,)."""
    return np.asarray(np.linalg.norm(space.matrix[rows] - query, axis=1), np.float32)


METRICS: dict[str, Method] = table(
    Method("cosine", "Cosine", cosine, summary="The angle alone: 1 is the same direction, 0 a right angle."),
    Method("dot", "Dot", dot, summary="Angle and length: long vectors, often frequent words, come first."),
    Method("euclidean", "Euclid", euclidean, summary="The distance between the tips: smaller is nearer."),
)


def sign_of(metric: str) -> int:
    """1 where greater is nearer, −1 where smaller is."""
    return -1 if metric == "euclidean" else 1


def query_vector(space: VectorSpace, words: Sequence[str]) -> Float:
    """The vector of one word, or the mean of several words' unit vectors, shape (d,).

    Raises:
        UnknownWordError: A word has no row.
        OptionError: No word was given.
    """
    if not words:
        raise OptionError("No word was given; name at least one.")
    vectors = [space.vector(word) for word in words]
    if len(vectors) == 1:
        return vectors[0]
    unit = [vector / max(float(np.linalg.norm(vector)), float(_TINY)) for vector in vectors]
    return np.asarray(np.mean(unit, axis=0), np.float32)


def similarities(space: VectorSpace, query: Float, metric: str = "cosine") -> Float:
    """The metric's value of every row with the query, shape (n,), block by block."""
    function = choose(METRICS, metric, "metric").function
    values = np.empty(len(space), np.float32)
    for rows in space.blocks():
        values[rows] = function(space, query, rows)
    return values


def nearest(
    space: VectorSpace, words: str | Sequence[str], k: int = 10, metric: str = "cosine"
) -> tuple[Neighbor, ...]:
    """The k nearest words, nearest first, without the query's own words and without rows of zeros.

    Raises:
        UnknownWordError: A word has no row.
        OptionError: No word, or an unknown metric.
    """
    query = (words,) if isinstance(words, str) else tuple(words)
    values = similarities(space, query_vector(space, query), metric)
    return _listed(space, values, _nearest_rows(space, values, query, k, metric))


def neighborhood(
    space: VectorSpace,
    words: str | Sequence[str],
    k: int = 10,
    metric: str = "cosine",
    *,
    bins: int = 80,
    seed: int = 0,
) -> Neighborhood:
    """The k nearest words with what they stand among: all words, and the best word of ten shuffled spaces.

    In a shuffled space the words' coordinates along each principal direction are permuted: every direction keeps its
    mean and spread, and no word keeps its meaning.

    Raises:
        UnknownWordError: A word has no row.
        OptionError: No word, or an unknown metric.
    """
    query = (words,) if isinstance(words, str) else tuple(dict.fromkeys(words))
    vector = query_vector(space, query)
    values = similarities(space, vector, metric)
    rows = _nearest_rows(space, values, query, k, metric)
    others = _without(space, values, query)
    others = others[np.isfinite(others)]
    shuffled = _shuffled(space, seed)
    counts, edges = np.histogram(others, bins) if len(others) else (np.zeros(1, np.int64), np.zeros(2))
    low, middle, high = np.percentile(others, (5, 50, 95)) if len(others) else (np.nan,) * 3
    return Neighborhood(
        query,
        metric,
        _listed(space, values, rows),
        rows,
        (float(low), float(middle), float(high)),
        float(np.mean(others)) if len(others) else float("nan"),
        float(np.std(others)) if len(others) else float("nan"),
        Histogram(counts, edges.astype(np.float32)),
        shuffled.best(vector, metric),
        shuffled.columns.shape[1],
        len(others),
        int(np.count_nonzero(space.norms == 0)),
    )


def _without(space: VectorSpace, values: Float, words: Sequence[str]) -> Float:
    own = [space.index[word] for word in words if word in space.index]
    return np.delete(values, own)


def _nearest_rows(space: VectorSpace, values: Float, words: Sequence[str], k: int, metric: str) -> Ints:
    scores = np.where((space.norms == 0) | ~np.isfinite(values), -np.inf, sign_of(metric) * values)
    for word in words:
        if word in space.index:
            scores[space.index[word]] = -np.inf
    rows = top(scores, k)
    return rows[np.isfinite(scores[rows])]


def top(scores: NDArray[Any], k: int) -> Ints:
    """Indices of the k highest scores, highest first; the earlier index first among equals."""
    k = min(k, len(scores))
    if k <= 0:
        return np.zeros(0, np.int64)
    bound = np.partition(scores, len(scores) - k)[len(scores) - k]
    candidates = np.flatnonzero(scores >= bound)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:k]


def _listed(space: VectorSpace, values: Float, rows: Ints) -> tuple[Neighbor, ...]:
    return tuple(Neighbor(space.words[int(row)], float(values[row]), rank) for rank, row in enumerate(rows, 1))


@dataclass(frozen=True, eq=False)
class Shuffled:
    """A space whose coordinates along each principal direction were permuted over the words.

    Attributes:
        basis: Principal directions as columns, (d, d).
        columns: Permuted coordinates, one row a direction, (d, m).
        shifts: A further rotation of every direction's coordinates for each shuffle, (s, d).
        norms: Length of the words of each shuffle, (s, m).
    """

    basis: Float
    columns: Float
    shifts: Ints
    norms: Float

    def best(self, query: Float, metric: str) -> float | None:
        """The nearest word's value over all shuffles, or None for a space too small to shuffle."""
        if self.columns.shape[1] < 2:
            return None
        turned = query @ self.basis
        best = [
            self._best_of(turned, shifts, norms, metric) for shifts, norms in zip(self.shifts, self.norms, strict=True)
        ]
        return min(best) if sign_of(metric) < 0 else max(best)

    def _best_of(self, query: Float, shifts: Ints, norms: Float, metric: str) -> float:
        products = np.zeros(self.columns.shape[1], np.float32)
        for value, column, shift in zip(query, self.columns, shifts, strict=True):
            products[shift:] += value * column[: len(column) - shift]
            products[:shift] += value * column[len(column) - shift :]
        length = float(np.linalg.norm(query))
        if metric == "dot":
            return float(products.max())
        if metric == "euclidean":
            return float(np.sqrt(max(0.0, float(np.min(norms**2 - 2 * products)) + length**2)))
        return float(np.max(products / np.maximum(norms * length, _TINY)))


_SHUFFLED: weakref.WeakKeyDictionary[VectorSpace, Shuffled] = weakref.WeakKeyDictionary()


def _shuffled(space: VectorSpace, seed: int) -> Shuffled:
    """The shuffled spaces of a space; kept as long as the space itself is."""
    kept = _SHUFFLED.get(space)
    if kept is None:
        kept = _SHUFFLED[space] = shuffle(space, seed=seed)
    return kept


def shuffle(space: VectorSpace, *, shuffles: int = SHUFFLES, seed: int = 0) -> Shuffled:
    """Ten shuffled spaces of at most 30,000 words, drawn at random where there are more."""
    random = np.random.default_rng(seed)
    n = len(space)
    rows = np.arange(n) if n <= SHUFFLED_ROWS else np.sort(random.choice(n, SHUFFLED_ROWS, replace=False))
    matrix = space.matrix[rows]
    centered = matrix - matrix.mean(axis=0)
    _, basis = np.linalg.eigh(centered.T @ centered)
    columns = np.ascontiguousarray((matrix @ basis).T, dtype=np.float32)
    for column in columns:
        random.shuffle(column)
    shifts = random.integers(0, max(1, len(rows)), (shuffles, len(columns)))
    norms = np.sqrt([_summed_squares(columns, shift) for shift in shifts]).astype(np.float32)
    return Shuffled(basis.astype(np.float32), columns, shifts, norms)


def _summed_squares(columns: Float, shifts: Ints) -> Float:
    total = np.zeros(columns.shape[1], np.float32)
    for column, shift in zip(columns, shifts, strict=True):
        total += np.roll(column * column, shift)
    return total


@dataclass(frozen=True, eq=False)
class Occurrences:
    """In how many lists of k nearest each word stands (its k-occurrence), over lists of all words or of a sample.

    Attributes:
        counts: Lists in which each word stands, shape (n,).
        nearest: The metric's value of each sampled word with its nearest neighbor, shape (lists,).
        rows: The words whose lists were drawn, shape (lists,).
        mean: Mean count: k × lists ÷ n.
        skewness: Of the counts; near 0 without hubs (Radovanović et al. 2010).
    """

    counts: Ints
    nearest: Float
    rows: Ints
    k: int
    metric: str
    mean: float
    skewness: float

    def hubs(self, count: int = 10) -> Ints:
        """Rows of the words that stand in the most lists, most first."""
        return top(self.counts, count)

    @property
    def never(self) -> float:
        """The share of words that stand in no list."""
        return float(np.mean(self.counts == 0))


def occurrences(
    space: VectorSpace, k: int = 10, metric: str = "cosine", *, seed: int = 0, report: Report | None = None
) -> Occurrences:
    """Who is near to everyone: the k-occurrences of all words.

    Lists of all words up to 30,000; above that, of 5,000 words drawn at random.

    Raises:
        OptionError: An unknown metric, or fewer than two rows that are not zero.
    """
    choose(METRICS, metric, "metric")
    live = np.flatnonzero(space.norms > 0)
    if len(live) < 2:
        raise OptionError(f"{space.origin.name} has {len(live)} rows that are not zero; two are needed.")
    random = np.random.default_rng(seed)
    rows = live if len(live) <= ALL_PAIRS else np.sort(random.choice(live, QUERIES, replace=False))
    counts = np.zeros(len(space), np.int64)
    best = np.empty(len(rows), np.float32)
    k = min(k, len(live) - 1)
    step = max(1, _PAIRS_AT_ONCE // len(space))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        lists, values = nearest_lists(space, block, k, metric)
        counts += np.bincount(lists.ravel(), minlength=len(space))
        best[start : start + step] = values[:, 0]
        if report is not None:
            done = min(start + step, len(rows))
            report(done / len(rows), f"{done:,} of {len(rows):,} lists")
    spread = counts.std()
    skewness = float(np.mean((counts - counts.mean()) ** 3) / spread**3) if spread else 0.0
    return Occurrences(counts, best, rows, k, metric, float(counts.mean()), skewness)


def nearest_lists(space: VectorSpace, rows: Ints, k: int, metric: str = "cosine") -> tuple[Ints, Float]:
    """The k nearest of each of these rows among all rows, themselves and rows of zeros left out.

    Returns:
        Rows of the neighbors, (m, k), nearest first, and the metric's values, (m, k).
    """
    scores = _scores(space, rows, metric)
    scores[:, space.norms == 0] = -np.inf
    scores[np.arange(len(rows)), rows] = -np.inf
    lists = np.argpartition(scores, scores.shape[1] - k, axis=1)[:, -k:]
    values = np.take_along_axis(scores, lists, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(lists, order, axis=1), sign_of(metric) * np.take_along_axis(values, order, axis=1)


def _scores(space: VectorSpace, rows: Ints, metric: str) -> Float:
    queries = space.unit_rows(rows) if metric == "cosine" else space.matrix[rows]
    scores = np.empty((len(rows), len(space)), np.float32)
    for block in space.blocks():
        others = space.unit_rows(block) if metric == "cosine" else space.matrix[block]
        scores[:, block] = queries @ others.T
    if metric == "euclidean":
        squared = space.norms[rows][:, None] ** 2 + space.norms[None, :] ** 2 - 2 * scores
        return np.asarray(-np.sqrt(np.maximum(squared, 0)), np.float32)
    return scores
