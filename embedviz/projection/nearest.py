"""Input of t-SNE and UMAP: rows at length one or as stored, and the exact nearest neighbors of each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core import graphics_card
from embedviz.core.device import large_products
from embedviz.core.options import Choice
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.projection import graphics
from embedviz.projection.layout import EQUAL, Layout, with_points

_PAIRS_AT_ONCE = 8_000_000  # distances held at a time
_SPARE = 8  # candidates per row beyond the k neighbors
_LISTED_AT_ONCE = 1_000_000  # candidates held at a time

METRIC = Choice(
    "metric",
    ("cosine", "euclidean"),
    "cosine",
    "Cosine: only the angle counts. Euclidean: distances of the vectors as stored.",
    "Metric",
)


class Lists(NamedTuple):
    """The k nearest neighbors of n rows, nearest first: row indices (n, k), and Euclidean distances (n, k) float32."""

    places: Ints
    distances: Float

    def by(self, metric: str) -> Lists:
        """Return the same lists with distances in `metric`. *cosine* needs rows of length one, and gives 1 − cosine."""
        return self._replace(distances=np.asarray(self.distances**2 / 2, np.float32)) if metric == "cosine" else self


def graph_lists(matrix: Float, k: int, report: Report | None = None) -> Lists:
    """Return the exact k nearest neighbors of each row, without the row itself; equal rows have distance 0.

    Matrix products find more than k candidates for each row. The distances of the candidates are computed from
    differences of rows. If rounding may hide a nearer row, the products are repeated in double precision, and all rows
    that may be nearer become candidates. So the result does not depend on the number of threads. Of two rows with equal
    distances the earlier row comes first.

    If n² · d is at least `graphics.PAYS_LISTS` and there is a graphics card, the card finds the candidates in single
    precision. A list may then miss a neighbor that is nearer than its last neighbor by less than the rounding error.

    Args:
        matrix: Shape (n, d).
        k: Number of neighbors, less than n.
        report: Receives the progress, 0 to 1.
    """
    matrix = np.ascontiguousarray(matrix, np.float32)

    def on(place: str) -> Lists:
        return _exact_lists(matrix, k, report) if place == "cpu" else _lists_by_card(matrix, k, place, report)

    return graphics_card.on_card(on, pays=float(len(matrix)) * matrix.size >= graphics.PAYS_LISTS, report=report)


def _exact_lists(matrix: Float, k: int, report: Report | None) -> Lists:
    from embedviz.projection.candidates import choose

    n, d = matrix.shape
    rough = _Products(matrix, np.float32)
    places, distances = np.empty((n, k), np.int64), np.empty((n, k), np.float32)
    candidates = min(n - 1, k + _SPARE)
    step = max(1, min(_PAIRS_AT_ONCE // n, _LISTED_AT_ONCE // candidates))
    fine: _Products | None = None
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        near, beyond = choose(rough.products(rows), rough.lengths, start, candidates)
        places[rows], distances[rows] = _judged(matrix, rows, near, k)
        farthest = distances[rows, -1].astype(np.float64) ** 2
        least = beyond + rough.own(rows)
        doubtful = rows[~(farthest < least * (1 - _rounding(d, np.float32)))] if candidates < n - 1 else rows[:0]
        if len(doubtful):
            fine = fine or _Products(matrix, np.float64)
            for row, bounds in zip(doubtful, fine.least(doubtful) + fine.own(doubtful)[:, None], strict=True):
                places[row], distances[row] = _settled(matrix, row, bounds, k)
        tell(report, (start + len(rows)) / n, "Computing nearest neighbors")
    return Lists(places, distances)


def _lists_by_card(matrix: Float, k: int, place: str, report: Report | None) -> Lists:
    near = graphics.candidates(matrix, min(len(matrix) - 1, k + _SPARE), place, report)
    return Lists(*_judged(matrix, np.arange(len(matrix)), near, k))


class _Products:
    """Lower bounds of the squared distances of rows x and y, computed from products as (|y|² − 2xy) + |x|².

    Each bound is lowered by the largest error that rounding can cause.
    """

    def __init__(self, matrix: Float, kind: type[np.floating[Any]]) -> None:
        self._centered = matrix.astype(kind) - matrix.mean(axis=0, dtype=kind)
        lengths = np.einsum("ij,ij->i", self._centered, self._centered, dtype=np.float64)
        self._lengths = lengths * (1 - 2 * _rounding(matrix.shape[1], kind))
        self.lengths = self._lengths.astype(kind)

    def products(self, rows: Ints) -> Any:
        """Return the products xy of these rows x with all rows y, shape (m, n)."""
        with large_products():
            return self._centered[rows] @ self._centered.T

    def least(self, rows: Ints) -> Any:
        """Return the bounds for m rows x and all n rows y, without the term |x|², (m, n); infinite for y = x."""
        squared = self.lengths[None, :] - 2 * self.products(rows)
        squared[np.arange(len(rows)), rows] = np.inf
        return squared

    def own(self, rows: Ints) -> Any:
        """Return the term |x|² of the bounds for these rows x, (m,)."""
        return self._lengths[rows]


def _rounding(d: int, kind: type[np.floating[Any]]) -> float:
    """Return the largest rounding error of a sum of d products, as a share of the sum of their absolute values.

    It holds for any order of the sum.
    """
    return (d + 16) * float(np.finfo(kind).eps) / 2


def _judged(matrix: Float, rows: Ints, near: Ints, k: int) -> tuple[Ints, Float]:
    """Return for each of m rows the k nearest of its candidates `near`, and their distances; both (m, k)."""
    from embedviz.projection.candidates import distances

    exact = distances(matrix, rows, near)
    order = np.argsort(exact, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(exact, order, axis=1)


def _settled(matrix: Float, row: int, least: Any, k: int) -> tuple[Ints, Float]:
    """Return the k nearest neighbors of a single row, and their distances.

    The exact distance is computed for all rows that may be among the nearest by their lower bounds.

    Args:
        least: Lower bounds of the squared distances of the row to all rows, (n,).
    """
    rows = np.array([row])
    first = np.argpartition(least, k - 1)[:k]
    farthest = float(_judged(matrix, rows, first[None], k)[1].max()) ** 2
    enough = max(farthest * (1 + 2 * _rounding(matrix.shape[1], np.float32)), float(least[first].max()))
    near = np.flatnonzero(least <= enough)
    places, distances = _judged(matrix, rows, near[None], k)
    return places[0], distances[0]


def seconds(n: int, d: int, k: int) -> float:
    """Estimate how many seconds `graph_lists` takes with one thread.

    Args:
        n: Number of rows.
        d: Number of dimensions.
        k: Number of neighbors of each row.
    """
    return n * n * (2e-9 + 1.8e-11 * d) + 8e-10 * n * k * d


def memory(n: int, d: int, k: int) -> float:
    """Return the bytes of memory that `graph_lists()` and the graph made from its lists take together."""
    return 4e8 + 28.0 * n * d + 100.0 * n * k


def on_directions(
    space: VectorSpace,
    rows: Ints,
    metric: str,
    components: int,
    meaning: str,
    place: Callable[[Float, Report | None], Float],
    report: Report | None = None,
) -> Layout:
    """Return the layout of these rows by the function `place`.

    Rows of zeros have no direction. So under cosine they are not given to `place`, and their point lies beside the
    map. If the other rows are equal or fewer than two, the map is one point.

    Args:
        components: Dimensions of the map.
        meaning: A sentence on how to read the map.
        place: Function that takes m rows, (m, d), and a report function, and returns points, (m, components). Under
            cosine the rows have length one.
        report: Receives the progress, with the points of all rows.
    """
    directed = space.norms[rows] > 0 if metric == "cosine" else np.ones(len(rows), bool)
    matrix = np.asarray(space.unit_rows(rows[directed]) if metric == "cosine" else space.matrix[rows])
    points = np.zeros((len(rows), components), np.float32)
    zeros = int(np.count_nonzero(~directed))
    if len(matrix) < 2 or not np.ptp(matrix, axis=0).any():
        return Layout(points, (), EQUAL)
    if len(matrix) == 2:
        points[directed, 0] = (-1, 1)
    else:
        points[directed] = place(
            matrix, with_points(report, lambda placed: _completed(placed, directed)) if zeros else report
        )
    if zeros:
        points[~directed] = _point_apart(points[directed])
    return Layout(points, (), meaning_with(meaning, zeros))


def meaning_with(meaning: str, zeros: int) -> str:
    """Return the meaning of a map. If there are rows of zeros, add a sentence about them; `zeros` is their number."""
    subject, have, lie = ("rows", "have", "lie") if zeros > 1 else ("row", "has", "lies")
    apart = f"{zeros:,} {subject} of zeros {have} no direction and {lie} next to the map."
    return f"{meaning} {apart}" if zeros else meaning


def _completed(points: Float, directed: NDArray[np.bool_]) -> Float:
    """Return the points of all rows, with the rows of zeros at a point beside the map.

    Args:
        points: The points of the rows that are not zero.
        directed: For each of all rows, whether it is not zero.
    """
    whole = np.empty((len(directed), points.shape[1]), np.float32)
    whole[directed], whole[~directed] = points, _point_apart(points)
    return whole


def _point_apart(points: Float) -> Float:
    """Return a point below all given points, at a distance of a tenth of the height over which these points extend."""
    low, high = points.min(axis=0), points.max(axis=0)
    apart = (low + high) / 2
    apart[1] = low[1] - 0.1 * max(float(high[1] - low[1]), 1e-6)
    return np.asarray(apart, np.float32)
