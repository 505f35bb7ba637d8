"""The k largest cosines of each query, in compiled code that processes the rows in tiles that fit in the CPU cache."""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.core.space import Float, Ints

_CHUNK = 64  # values that are compared with the k-th best together; single values are read only if one is larger


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
    """The k rows with the largest cosines so far, for each of m queries. Of equal cosines, the earlier row wins.

    Args:
        own: Row number of each query in the space, (m,). A query is left out of its own list.
        lengths: Lengths of the queries, (m,) float32.
        k: Length of each list.

    Attributes:
        rows: Rows found, (m, k), nearest first.
        cosines: Cosines of the queries with these rows, (m, k) float32; −∞ for entries that are not filled yet.
    """

    def __init__(self, own: Ints, lengths: Float, k: int) -> None:
        self._own = np.ascontiguousarray(own, np.int64)
        self._lengths = _divisors(lengths)
        self.rows = np.zeros((len(own), k), np.int64)
        self.cosines = np.full((len(own), k), -np.inf, np.float32)

    def take(self, products: Float, norms: Float, first: int) -> None:
        """Update the lists with a tile of t rows.

        Args:
            products: Dot products of the queries with the rows, (m, t).
            norms: Lengths of the rows, (t,).
            first: Row number of the first row of the tile.
        """
        products = np.ascontiguousarray(products, np.float32)
        _fold(products, self._lengths, _divisors(norms), self._own, first, self.rows, self.cosines)


def _divisors(lengths: Float) -> Float:
    """Return the lengths as float32 divisors; NaN for rows of zeros, so that such rows never enter a list."""
    tiny = np.finfo(np.float32).tiny
    return np.where(lengths > 0, np.maximum(lengths, tiny), np.nan).astype(np.float32)
