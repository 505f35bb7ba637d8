"""A compact copy of the rows, one byte per number. It finds the few rows that may be nearest; only these are read.

Each unit row u is stored as s·c: integers c from −127 to 127 and a step s, with a measured error bound e ≥ |u − s·c|. A
unit query q is rounded to t·p: integers p of two bytes and a step t, with the error f. Then

    |u·q − s·t·(c·p)| ≤ e + (1 + e)·f,

because the difference is (u − s·c)·q + s·c·(q − t·p), by the Cauchy–Schwarz inequality. The sum c·p is exact. So every
cosine has a lower and an upper bound. A row whose upper bound is below the k-th best lower bound is not among the k
nearest. The copy takes d + 8 bytes per row, d rounded up to a multiple of 64: 27 % of the matrix for d = 300.
"""

import math
import threading
import weakref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.compiled import machine_code
from embedviz.core.parallel import in_parts
from embedviz.core.space import Float, Ints, VectorSpace

_LANES = 64  # a row's codes are padded with zeros to a multiple of this
_CHUNK = 64  # rows that are represented by their largest lower bound
_ROUNDING = 1e-6  # added to the bounds: ten times their largest rounding error in float32
_MOST_DIMENSIONS = 65_536  # with more, the integers of a query become too coarse
_GIVEN_UP = 3  # after so many searches with too many candidates, the compact rows are not used any more
_MOST_BYTES = 512 * 2**20  # largest compact copy; a larger space is scanned in full
_WORTH = 16  # candidates that are more than a sixteenth of all rows save no time


class CompactRows(NamedTuple):
    """The unit rows, rounded.

    Attributes:
        codes: Integers c, (n, w); the width w is d rounded up to a multiple of 64.
        steps: Step s of each row, (n,), by which integers are multiplied.
        errors: Upper bound of the distance between each unit row and its rounded copy, (n,); −1 for rows of zeros.
    """

    codes: NDArray[np.int8]
    steps: Float
    errors: Float

    @property
    def bytes(self) -> int:
        """Return the size of the compact rows in bytes."""
        return self.codes.nbytes + self.steps.nbytes + self.errors.nbytes


def compact_rows(matrix: Float) -> CompactRows:
    """Return the unit rows of a matrix, rounded to one byte per number."""
    n, d = matrix.shape
    width = -(-d // _LANES) * _LANES
    made = CompactRows(np.zeros((n, width), np.int8), np.zeros(n, np.float32), np.full(n, -1, np.float32))
    in_parts(n, lambda part: _round(matrix[part], *(each[part] for each in made)))
    return made


def candidates(rows: CompactRows, query: Float, k: int) -> Ints | None:
    """Return all rows that may be among the k nearest by cosine, ascending.

    The result is None if more than k rows and more than a sixteenth of all rows remain. It is also None if k is not
    from 1 to n, or if the rows have more than 65,536 dimensions.

    Args:
        query: The vector whose nearest rows are searched, (d,), not all zero.
    """
    n, width = rows.codes.shape
    if not 0 < k <= n or width > _MOST_DIMENSIONS:
        return None
    codes, step, error = _rounded_query(query, width)
    lower, upper = np.empty(n, np.float32), np.empty(n, np.float32)

    def scan(part: slice) -> None:
        _bounds(*(each[part] for each in rows), codes, step, error, lower[part], upper[part])

    in_parts(n, scan)
    chunks = n // _CHUNK
    best = lower[: chunks * _CHUNK].reshape(chunks, _CHUNK).max(axis=1) if chunks >= 2 * k else lower
    found = np.flatnonzero(upper >= max(np.partition(best, len(best) - k)[len(best) - k], -2))
    return found if len(found) <= max(k, n // _WORTH) else None


def _rounded_query(query: Float, width: int) -> tuple[NDArray[np.int16], float, float]:
    """Return the unit query in rounded form: integers p, (w,), a step t, and the rounding error.

    The rounded query is t p, with zeros up to `width`. The rounding error is its distance from the unit query.
    """
    unit = query.astype(np.float64)
    unit /= np.abs(unit).max()  # otherwise the squares of very small numbers would be zero
    unit /= math.sqrt(float(np.sum(unit * unit)))
    most = min(32_767, (2**31 - 1) // (127 * width))
    step = float(np.abs(unit).max()) / most
    codes = np.zeros(width, np.int16)
    codes[: len(unit)] = np.rint(unit / step)
    return codes, step, math.sqrt(float(np.sum((unit - step * codes[: len(unit)]) ** 2)))


@machine_code()
def _round(matrix: Any, codes: Any, steps: Any, errors: Any) -> None:
    """Round rows, scaled to length one, to integers from −127 to 127; fill the three arrays in place.

    A row is about `steps` · `codes`, where `codes` are its integers and `steps` is its scale. `errors` bounds the
    length of the difference. Rows of zeros are skipped.
    """
    n, d = matrix.shape
    for i in range(n):
        squares, most = 0.0, 0.0
        for j in range(d):
            value = np.float64(matrix[i, j])
            squares += value * value
            most = max(most, abs(value))
        if most > 0:
            length = math.sqrt(squares)
            step = np.float32(most / length / 127)
            rest = 0.0
            for j in range(d):
                unit = np.float64(matrix[i, j]) / length
                code: Any = np.floor(unit / np.float64(step) + 0.5)
                code = min(127.0, max(-127.0, code))
                codes[i, j] = np.int8(code)
                rest += (unit - np.float64(step) * code) ** 2
            steps[i] = step
            errors[i] = np.float32(math.sqrt(rest) * (1 + 1e-6) + 1e-7)


@machine_code()
def _bounds(codes: Any, steps: Any, errors: Any, query: Any, step: Any, error: Any, lower: Any, upper: Any) -> None:
    """Fill `lower` and `upper` with bounds of the cosine of each row with the query; both −3 for rows of zeros.

    A row is about `steps` · `codes`, with an error of at most `errors`; the query likewise with `step` and `error`.
    """
    n, width = codes.shape
    width = width // _LANES * _LANES
    for i in range(n):
        row = codes[i]
        total = np.int32(0)
        for j in range(width):
            total = np.int32(total + np.int32(np.int32(row[j]) * np.int32(query[j])))
        middle = np.float64(steps[i]) * step * np.float64(total)
        around = np.float64(errors[i]) + (1 + np.float64(errors[i])) * error + _ROUNDING
        if errors[i] < 0:
            middle, around = -3.0, 0.0
        lower[i], upper[i] = middle - around, middle + around


class _CachedRows:
    """Compact rows of a space, the number of searches, and the number of searches that left too many candidates."""

    def __init__(self) -> None:
        self.searches, self.failed, self.rows = 0, 0, None
        self.lock = threading.Lock()

    rows: CompactRows | None


_CACHE: weakref.WeakKeyDictionary[VectorSpace, _CachedRows] = weakref.WeakKeyDictionary()


def search(space: VectorSpace, query: Float, k: int) -> Ints | None:
    """Return all rows that may be among the k nearest by cosine, found with compact rows.

    The result is None if compact rows are not used for this search, or if they leave too many candidates.

    Compact rows are computed in the second search of a space, because computing them takes longer than one search.
    Compact rows are cached with the space. After three searches with too many candidates (tight clusters), they are no
    longer used. They are never used if they would take more than 512 MB, or if the rows are in a table on disk.
    """
    if not isinstance(space.matrix, np.ndarray) or len(space) * (space.dimensions + 8) > _MOST_BYTES:
        return None
    cached = _CACHE.setdefault(space, _CachedRows())
    with cached.lock:
        cached.searches += 1
        if cached.searches < 2 or cached.failed >= _GIVEN_UP:
            cached.rows = None
            return None
        if cached.rows is None:
            cached.rows = compact_rows(np.asarray(space.matrix))
        rows = cached.rows
    found = candidates(rows, query, k)
    cached.failed += found is None
    return found
