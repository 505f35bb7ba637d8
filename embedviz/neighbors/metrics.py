"""Metrics of nearness: `METRICS` is the table.

Each metric is a function of dot products and lengths, so that single queries, lists and shuffled spaces use the same
function.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz.core.options import Option
from embedviz.core.space import Float, Ints, VectorSpace

_TINY = float(np.finfo(np.float32).tiny)
Values = Any  # an array of float32 or float64


@dataclass(frozen=True)
class Metric:
    """One row of `METRICS`.

    Attributes:
        function: Returns the values, (m, n). Arguments: dot products (m, n), lengths of the queries (m, 1) and of the
            rows (n,).
        unit: Name of a value, such as *cosine*.
        nearer: 1 if larger values are nearer, −1 if smaller values are nearer.
        full: Value at which the bar of a neighbor is full. None: the bar of the largest value in the list is full.
        precise: Whether `values_of` computes in double precision.
    """

    name: str
    title: str
    function: Callable[[Values, Values, Values], Values]
    unit: str
    nearer: int
    summary: str
    full: float | None = None
    precise: bool = False
    options: tuple[Option, ...] = ()
    source: str = ""

    @property
    def kind(self) -> str:
        """Return *similarity* if larger values are nearer, else *distance*."""
        return "similarity" if self.nearer > 0 else "distance"

    @property
    def joint(self) -> str:
        """Return the preposition after the name of a value: a cosine *with*, a distance *to* another word."""
        return "with" if self.nearer > 0 else "to"


def cosine(products: Values, queries: Values, rows: Values) -> Values:
    """Return the cosines, −1 to 1, from dot products and the lengths of queries and rows; NaN for vectors of zeros."""
    values = products / np.where(queries > 0, np.maximum(queries, _TINY), np.float32(np.nan))
    return values / np.where(rows > 0, np.maximum(rows, _TINY), np.float32(np.nan))


def dot(products: Values, queries: Values, rows: Values) -> Values:
    """Return the dot products unchanged."""
    return products


def euclidean(products: Values, queries: Values, rows: Values) -> Values:
    """Return the Euclidean distances, from dot products and the lengths of queries and rows."""
    return np.sqrt(np.maximum(queries**2 + rows**2 - 2 * products, 0))


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "cosine",
            "Cosine",
            cosine,
            "cosine",
            1,
            "Depends only on the angle: 1 is the same direction, 0 is a right angle.",
            full=1.0,
        ),
        Metric(
            "dot",
            "Dot",
            dot,
            "dot product",
            1,
            "Depends on angle and length: long vectors, often of frequent words, come first.",
        ),
        Metric(
            "euclidean",
            "Euclid",
            euclidean,
            "distance",
            -1,
            "The distance between the end points of two vectors: smaller is nearer.",
            precise=True,  # a distance is often a small difference of large squares
        ),
    )
}


def values_of(space: VectorSpace, queries: Float, metric: Metric) -> Float:
    """Return the metric's value of every row with one vector, (d,), or several, (m, d); shape (n,) or (m, n)."""
    kind: Any = np.float64 if metric.precise else np.float32
    vectors = np.atleast_2d(queries).astype(kind)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    values = np.empty((len(vectors), len(space)), np.float32)
    for rows in space.blocks():
        norms = np.linalg.norm(space.matrix[rows].astype(kind), axis=1) if metric.precise else space.norms[rows]
        values[:, rows] = metric.function(vectors @ space.matrix[rows].T, lengths, norms)
    return values if queries.ndim == 2 else values[0]


def scores_of(space: VectorSpace, rows: Ints, metric: Metric, among: slice = slice(None)) -> Float:
    """Return scores of m rows with the n rows of the slice `among`, (m, n); larger is nearer.

    The score of a row with itself, and of a row of zeros, is −∞. All cosines of a query of zeros are −∞.
    """
    queries, lengths, norms, begin = space.matrix[rows], space.norms[rows][:, None], space.norms[among], 0
    if among.stop is not None:
        scores, begin = _signed(metric, queries @ space.matrix[among].T, lengths, norms), among.start
    else:
        scores = np.empty((len(rows), len(space)), np.float32)
        for block in space.blocks():
            scores[:, block] = _signed(metric, queries @ space.matrix[block].T, lengths, norms[block])
    if not norms.all():
        scores[:, norms == 0] = -np.inf
    if not lengths.all():
        scores[np.isnan(scores)] = -np.inf
    own = np.flatnonzero((rows >= begin) & (rows < begin + len(norms)))
    scores[own, rows[own] - begin] = -np.inf
    return scores


def _signed(metric: Metric, products: Float, queries: Float, rows: Float) -> Float:
    """Return the values of a metric, negated for a distance, so that larger is nearer."""
    values: Float = metric.function(products, queries, rows)
    return values if metric.nearer > 0 else -values
