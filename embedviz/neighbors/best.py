"""The k best cosines of each query, tile by tile of the rows, compiled: divided and compared while in the cache."""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.core.space import Float, Ints

_CHUNK = 64  # values that are compared before any is looked at


@machine_code()
def _fold(products: Any, lengths: Any, norms: Any, own: Any, first: Any, rows: Any, best: Any) -> None:
    k, values = rows.shape[1], np.empty(_CHUNK, np.float32)
    for query in range(len(products)):
        for begin in range(0, products.shape[1], _CHUNK):
            size = min(_CHUNK, products.shape[1] - begin)
            line, divisors = products[query, begin : begin + size], norms[begin : begin + size]
            length, bound, nearer = lengths[query], best[query, k - 1], 0
            for at in range(size):
                value = line[at] / length / divisors[at]
                values[at] = value
                nearer += value > bound
            if not nearer:
                continue
            for at in range(size):
                row = first + begin + at
                if values[at] > best[query, k - 1] and row != own[query]:
                    place = k - 1
                    while place and best[query, place - 1] < values[at]:
                        best[query, place], rows[query, place] = best[query, place - 1], rows[query, place - 1]
                        place -= 1
                    best[query, place], rows[query, place] = values[at], row


class BestRows:
    """The k rows with the greatest cosines of each query so far; of equal ones those that came first.

    Args:
        own: The row that is each query's own, (m,), and is left out.
        lengths: Of the queries, (m,) float32.
        k: Rows of each list.

    Attributes:
        rows: Shape (m, k), nearest first; `cosines`: theirs, float32, −∞ where there is none.
    """

    def __init__(self, own: Ints, lengths: Float, k: int) -> None:
        self._own = np.ascontiguousarray(own, np.int64)
        self._lengths = _divisors(lengths)
        self.rows = np.zeros((len(own), k), np.int64)
        self.cosines = np.full((len(own), k), -np.inf, np.float32)

    def take(self, products: Float, norms: Float, first: int) -> None:
        """Take the products of the queries with a tile of rows, (m, t), the rows' lengths (t,), and the first row."""
        products = np.ascontiguousarray(products, np.float32)
        _fold(products, self._lengths, _divisors(norms), self._own, first, self.rows, self.cosines)


def _divisors(lengths: Float) -> Float:
    """Return lengths to divide by, float32; NaN for rows of zeros, which compare with nothing."""
    tiny = np.finfo(np.float32).tiny
    return np.where(lengths > 0, np.maximum(lengths, tiny), np.nan).astype(np.float32)
