"""Compiled code for lists of nearest rows: it chooses rows that may be nearest, and computes their distances."""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.core.parallel import in_parts
from embedviz.core.space import Float, Ints


@machine_code()
def _sink(bounds: Any, places: Any, bound: Any, place: Any, size: Any) -> None:
    """Replace the root of a heap, which is the largest bound, by `bound`, and restore the order of the heap.

    Args:
        bounds: The heap.
        places: The row that belongs to each bound. The row of the root becomes `place`.
        size: Number of bounds in the heap.
    """
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and bounds[child + 1] > bounds[child]:
            child += 1
        if bounds[child] <= bound:
            break
        bounds[at], places[at] = bounds[child], places[child]
        at = child
    bounds[at], places[at] = bound, place


@machine_code()
def _choose(start: Any, stop: Any, products: Any, lengths: Any, first: Any, chosen: Any, beyond: Any) -> None:
    size = chosen.shape[1]
    bounds, places = np.empty(size, np.float32), np.empty(size, np.int64)
    for row in range(start, stop):
        bounds[:] = np.float32(np.inf)
        places[:] = -1
        products[row, first + row] = np.float32(-np.inf)  # the row itself is never chosen
        for other in range(products.shape[1]):
            bound = lengths[other] - np.float32(2) * products[row, other]
            if bound < bounds[0]:
                _sink(bounds, places, bound, other, size)
        chosen[row] = np.sort(places)
        beyond[row] = bounds[0]


@machine_code(fast=True)
def _apart(start: Any, stop: Any, matrix: Any, rows: Any, near: Any, squared: Any) -> None:
    for row in range(start, stop):
        one = matrix[rows[row]]
        for at in range(near.shape[1]):
            other = matrix[near[row, at]]
            total = np.float32(0)
            for axis in range(len(one)):
                difference = one[axis] - other[axis]
                total += difference * difference
            squared[row, at] = total


def choose(products: Float, lengths: Float, first: int, count: int) -> tuple[Ints, Float]:
    """Choose for each row x the `count` other rows y with the smallest |y|² − 2xy.

    Args:
        products: Products xy of the rows `first`, `first + 1`, … with all rows, (m, n) float32. The array is changed.
        lengths: |y|² of all rows, (n,) float32.
        first: The index of the first row x among all rows.
        count: Number of rows to choose, less than n.

    Returns:
        For each x, the indices of its chosen rows y in ascending order, (m, count) int64, and the largest |y|² − 2xy
        of its chosen rows, (m,) float32.
    """
    chosen, beyond = np.empty((len(products), count), np.int64), np.empty(len(products), np.float32)
    in_parts(len(products), lambda part: _choose(part.start, part.stop, products, lengths, first, chosen, beyond))
    return chosen, beyond


def distances(matrix: Float, rows: Ints, near: Ints) -> Float:
    """Return the Euclidean distances of each of m rows to k given rows, (m, k) float32.

    Args:
        matrix: All rows, (n, d).
        rows: Indices of m rows, (m,).
        near: For each of the m rows, the indices of its k given rows, (m, k).
    """
    squared = np.empty(near.shape, np.float32)
    in_parts(len(rows), lambda part: _apart(part.start, part.stop, matrix, rows, near, squared))
    return np.sqrt(squared)
