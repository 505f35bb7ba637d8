"""Exact lists of nearest neighbors over all rows: for one query, or for many rows together."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core import graphics_card
from embedviz.core.device import library_threads
from embedviz.core.options import OptionError, choose
from embedviz.core.parallel import in_parts
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.neighbors import tiles
from embedviz.neighbors.metrics import METRICS, Metric, scores_of, values_of

_LISTS_AT_ONCE = 500
_WORTH = 32  # minimum number of lists per thread
_TILE = 1_000_000  # similarities in a tile of a large space: 4 MB
_TILE_ROWS = 32_000  # minimum number of rows of a space that is processed in tiles
_COMPACT_FROM = 4_000_000  # size (n × d) from which compact rows are used; a smaller scan takes less than 2 ms
_FEW = 2_000_000  # numbers in a batch in double precision
_CHUNK = 64  # columns that are represented by their maximum


class Neighbor(NamedTuple):
    """A word in a list of neighbors. `similarity` is the value of the metric; for *euclidean* it is a distance."""

    word: str
    similarity: float
    rank: int


def query_vector(space: VectorSpace, words: Sequence[str]) -> Float:
    """Return the vector of one word, or the mean of the unit vectors of several words, (d,).

    Raises:
        UnknownWordError: A word has no vector.
        OptionError: No word was given.
    """
    if not words:
        raise OptionError("No word was given; name at least one.")
    vectors = [space.vector(word) for word in words]
    if len(vectors) == 1:
        return vectors[0]
    unit = [vector / max(float(np.linalg.norm(vector)), 1e-38) for vector in vectors]
    return np.asarray(np.mean(unit, axis=0), np.float32)


def similarities(space: VectorSpace, query: Float, metric: str = "cosine") -> Float:
    """Return the value of the metric between every row and one vector, (n,), or several vectors, (m, n).

    A cosine with a row of zeros is NaN.
    """
    return values_of(space, query, choose(METRICS, metric, "metric"))


def nearest(
    space: VectorSpace, words: str | Sequence[str], k: int = 10, metric: str = "cosine"
) -> tuple[Neighbor, ...]:
    """Return the k nearest words, nearest first, without the words of the query and without rows of zeros.

    Cosines are compared in double precision; of equal cosines, the earlier row comes first. In a large space, compact
    rows (`compact.py`) first exclude rows that cannot be among the nearest; the list stays the same.

    Raises:
        UnknownWordError: A word has no vector.
        OptionError: There is no word, or the metric is unknown.
    """
    query = (words,) if isinstance(words, str) else tuple(words)
    vector = query_vector(space, query)
    if metric != "cosine":
        values = similarities(space, vector, metric)
        rows = nearest_rows(space, values, query, k, metric)
        return listed(space, values[rows], rows)
    without = np.unique([space.index[word] for word in query if word in space.index]).astype(np.int64)
    if k <= 0 or not vector.any():
        return ()
    near = _near_by_compact_rows(space, vector, k + len(without))
    near = _near_by_all_rows(space, vector, k + len(without)) if near is None else near
    rows, cosines = _judged(space, vector, np.setdiff1d(near, without, assume_unique=True), k)
    found = zip(space.words_at(rows), cosines.tolist(), strict=True)
    return tuple(Neighbor(word, cosine, rank) for rank, (word, cosine) in enumerate(found, 1))


def _near_by_compact_rows(space: VectorSpace, vector: Float, k: int) -> Ints | None:
    """Return all rows that may be among the k nearest by cosine, found with compact rows (one byte per number).

    None if compact rows are not used for this search, or if they leave too many candidates.
    """
    if space.matrix.size < _COMPACT_FROM:
        return None
    from embedviz.neighbors import compact

    return compact.search(space, vector, k)


def _near_by_all_rows(space: VectorSpace, vector: Float, k: int) -> Ints:
    """Return all rows that may be among the k nearest by cosine.

    The cosines with all rows are computed in float32, and the largest possible rounding error is allowed for. A row
    whose length is too small or large for squares in float32 is always included.
    """
    unit = vector.astype(np.float64) / np.abs(vector).max()
    values = similarities(space, np.asarray(unit / np.linalg.norm(unit), np.float32))
    sure = (space.norms > 1e-12) & (space.norms < 1e12) & np.isfinite(values)
    scores = np.where(sure, values, np.float32(-np.inf))
    if k >= len(scores):
        return np.flatnonzero(space.norms > 0)
    rounding = 4 * (space.dimensions + 16) * float(np.finfo(np.float32).eps)
    reached = scores >= np.partition(scores, len(scores) - k)[len(scores) - k] - rounding
    return np.flatnonzero((reached | ~sure) & (space.norms > 0))


def _judged(space: VectorSpace, vector: Float, rows: Ints, k: int) -> tuple[Ints, Float]:
    """Return the k nearest of the given rows, nearest first, (k,), and their cosines, (k,), in double precision.

    Each row is summed separately, so that equal rows have exactly equal cosines.

    Args:
        rows: The rows to compare, ascending; of equal cosines, the earlier row comes first.
    """
    query = vector.astype(np.float64)
    cosines = np.empty(len(rows))
    step = max(1, _FEW // max(1, space.dimensions))
    for start in range(0, len(rows), step):
        some = space.matrix[rows[start : start + step]].astype(np.float64)
        cosines[start : start + step] = (some * query).sum(axis=1) / np.sqrt((some * some).sum(axis=1))
    order = np.argsort(-cosines, kind="stable")[:k]
    return rows[order], np.asarray(cosines[order] / np.sqrt((query * query).sum()), np.float32)


def nearest_rows(space: VectorSpace, values: Float, without: Sequence[str], k: int, metric: str = "cosine") -> Ints:
    """Return the rows of the k nearest words, nearest first, without the words in `without` and rows of zeros.

    Args:
        values: The metric's value of every row with the query, (n,).
    """
    scores = np.where((space.norms == 0) | ~np.isfinite(values), -np.inf, METRICS[metric].nearer * values)
    scores[[space.index[word] for word in without if word in space.index]] = -np.inf
    rows = top(scores, k)
    return rows[np.isfinite(scores[rows])]


def listed(space: VectorSpace, values: Float, rows: Ints) -> tuple[Neighbor, ...]:
    """Return the given rows, (k,), as `Neighbor`s, with their ranks from 1 and the metric's `values`, (k,)."""
    near = zip(space.words_at(rows), values.tolist(), strict=True)
    return tuple(Neighbor(word, value, rank) for rank, (word, value) in enumerate(near, 1))


def top(scores: NDArray[Any], k: int) -> Ints:
    """Return the indices of the k highest scores, highest first; of equal scores, the earlier index comes first."""
    k = min(k, len(scores))
    if k <= 0:
        return np.zeros(0, np.int64)
    bound = np.partition(scores, len(scores) - k)[len(scores) - k]
    candidates = np.flatnonzero(scores >= bound)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:k]


def nearest_lists(
    space: VectorSpace,
    rows: Ints,
    k: int,
    metric: str = "cosine",
    *,
    device: str = "auto",
    done: Callable[[int], None] | None = None,
) -> tuple[Ints, Float]:
    """Return the k nearest neighbors of each of m rows among all rows, without the row itself and rows of zeros.

    Args:
        rows: Rows of the queries, (m,). The cosine with a row of zeros is not defined, so its list means nothing.
        device: As in `core.graphics_card.on_card`. A graphics card computes many lists; see `tiles` for the tolerance.
        done: Called with the number of finished lists.

    Returns:
        Rows of the neighbors, (m, k), nearest first, and the metric's values, (m, k). In a small space k is reduced to
        the number of other nonzero rows.
    """
    row = choose(METRICS, metric, "metric")
    k = max(0, min(k, int(np.count_nonzero(space.norms > 0)) - 1))
    if not k or not len(rows):
        return np.empty((len(rows), k), np.int64), np.empty((len(rows), k), np.float32)

    def search(place: str) -> tuple[Ints, Float]:
        if place == "cpu" or metric not in tiles.SCORES:
            return _best_by_blocks(space, rows, k, row, done)
        return tiles.best_rows(space, rows, k, metric, place, done)

    pays = metric in tiles.SCORES and float(len(rows)) * space.matrix.size >= tiles.PAYS
    lists, scores = graphics_card.on_card(search, named=device, pays=pays)
    return lists, row.nearer * scores


def _best_by_blocks(
    space: VectorSpace, rows: Ints, k: int, metric: Metric, done: Callable[[int], None] | None
) -> tuple[Ints, Float]:
    """Return the k best rows for each of m rows, (m, k), and their scores, (m, k), computed on the CPU."""
    lists, best = np.empty((len(rows), k), np.int64), np.empty((len(rows), k), np.float32)

    def fill(first: int, some: slice) -> None:
        part = slice(first + some.start, first + some.stop)
        if len(space) < _TILE_ROWS:
            lists[part], best[part] = _best_columns(scores_of(space, rows[part], metric), k)
        else:
            lists[part], best[part] = _best_of_tiles(space, rows[part], k, metric)

    with library_threads(1, "blas"):  # each thread computes its own product
        for start in range(0, len(rows), _LISTS_AT_ONCE):
            stop = min(start + _LISTS_AT_ONCE, len(rows))
            in_parts(stop - start, partial(fill, start), least=_WORTH)
            if done is not None:
                done(stop)
    return lists, best


def _best_of_tiles(space: VectorSpace, rows: Ints, k: int, metric: Metric) -> tuple[Ints, Float]:
    """Return the k best rows for each of m rows of a large space, (m, k), and their scores, (m, k).

    The rows of the space are scored in blocks (tiles) that fit into the CPU cache. As soon as k rows are found, a row
    of a tile is merged only if it is better than the k-th best row.
    """
    tile = max(k, _TILE // len(rows), 256)
    if metric.name == "cosine":
        from embedviz.neighbors.best import BestRows

        queries, cosines = space.matrix[rows], BestRows(rows, space.norms[rows], k)
        for block in space.blocks(tile):
            cosines.take(queries @ space.matrix[block].T, space.norms[block], block.start)
        return cosines.rows, cosines.cosines
    lists, best = np.zeros((len(rows), 0), np.int64), np.zeros((len(rows), 0), np.float32)
    for block in space.blocks(tile):
        scores = scores_of(space, rows, metric, block)
        if best.shape[1] < k:
            found, new = _best_columns(scores, min(k, scores.shape[1]))
            lists, best = _merged(lists, best, found + block.start, new, k)
            continue
        at, columns = np.nonzero(scores > best[:, -1:])
        if len(at):
            some, inverse = np.unique(at, return_inverse=True)
            places = np.arange(len(at)) - np.searchsorted(at, some)[inverse]
            shape = len(some), int(places.max()) + 1
            found, new = np.zeros(shape, np.int64), np.full(shape, -np.inf, np.float32)
            found[inverse, places], new[inverse, places] = columns + block.start, scores[at, columns]
            lists[some], best[some] = _merged(lists[some], best[some], found, new, k)
    return lists, best


def _merged(lists: Ints, best: Float, found: Ints, new: Float, k: int) -> tuple[Ints, Float]:
    """Return for each row the k best entries of its two lists, best first, and their scores.

    Of equal scores, the entry of the first list comes first.
    """
    lists, best = np.hstack([lists, found]), np.hstack([best, new])
    order = np.argsort(-best, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(lists, order, axis=1), np.take_along_axis(best, order, axis=1)


def _best_columns(scores: Float, k: int) -> tuple[Ints, Float]:
    """Return the columns of the k highest scores of each row, (m, k), highest first, and these scores.

    The columns are divided into chunks. The k-th highest chunk maximum is a lower bound of the k-th highest score, so
    only the few scores that reach it are sorted. This takes a quarter of the time of partitioning all scores.
    """
    chunks = scores.shape[1] // _CHUNK
    if chunks < 2 * k:
        found = np.argpartition(scores, scores.shape[1] - k, axis=1)[:, -k:]
        order = np.argsort(-np.take_along_axis(scores, found, axis=1), axis=1, kind="stable")
        best = np.take_along_axis(found, order, axis=1)
    else:
        maxima = scores[:, : chunks * _CHUNK].reshape(len(scores), chunks, _CHUNK).max(axis=2)
        bounds = np.partition(maxima, chunks - k, axis=1)[:, chunks - k]
        rows, columns = np.nonzero(scores >= bounds[:, None])
        order = np.lexsort((columns, -scores[rows, columns], rows))
        first = np.searchsorted(rows, np.arange(len(scores)))
        best = columns[order][first[:, None] + np.arange(k)]
    return best, np.take_along_axis(scores, best, axis=1)
