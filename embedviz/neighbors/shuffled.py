"""The random baseline of a neighborhood: the best match in spaces with shuffled coordinates.

In a shuffled space, the coordinates along each principal direction are permuted among the words. Every direction keeps
its mean and spread, but no word keeps its meaning.
"""

import itertools
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.resampling import drawn_rows
from embedviz.neighbors.metrics import Metric

SHUFFLES = 20
"""Number of shuffled words per word. In pure noise, one search in 21 finds a word nearer than all shuffled words."""
MOST_ROWS = 30_000
_GROUPS = 32
_AT_ONCE = 4_000_000  # values of shuffled words in a batch: 16 MB
_COMPILED_FROM = 2_000_000  # minimum number of values for the compiled sum
_LENGTHS = 64 * 2**20  # largest table of lengths (bytes) that is cached; larger tables are computed at each search


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Several shuffled spaces, stored as one set of permuted coordinates, and one set of shifts per space.

    The coordinates of each direction are permuted independently. For each shuffled space, groups of directions are then
    shifted cyclically along the words, by different distances. So a query is multiplied with each group only once.

    Attributes:
        basis: Principal directions as columns, (d, r).
        columns: Permuted coordinates, one row per direction, (r, m).
        groups: First direction of each group, followed by r, (g + 1,).
        shifts: Cyclic shift of each group in each of s shuffled spaces, (s, g).
        squares: Squared length of each word's coordinates in each group, (g, m).
    """

    basis: Float
    columns: Float
    groups: Ints
    shifts: Ints
    squares: Float

    @property
    def rows(self) -> int:
        """Return the number of words in each shuffled space."""
        return int(self.columns.shape[1])

    @property
    def words(self) -> int:
        """Return the number of words in all shuffled spaces together."""
        return self.rows * len(self.shifts)

    def best(self, query: Float, metric: Metric) -> float | None:
        """Return the value of the nearest word in all shuffled spaces.

        The result is None for fewer than two words per space, and for the cosine of a query of zeros.
        """
        if self.rows < 2:
            return None
        turned, length = query @ self.basis, np.linalg.norm(query)
        parts = [np.asarray(turned[group] @ self.columns[group], np.float32) for group in _slices(self.groups)]
        best, step = -np.inf, max(1, _AT_ONCE // self.rows)
        for start in range(0, len(self.shifts), step):
            some = slice(start, start + step)
            values = metric.nearer * metric.function(_turned(parts, self.shifts[some]), length, self._lengths(some))
            best = max(best, float(np.max(values, where=np.isfinite(values), initial=-np.inf)))
        return metric.nearer * best if np.isfinite(best) else None

    def _lengths(self, some: slice) -> Float:
        """Return the lengths of the m words in each of the s shuffled spaces that `some` selects, (s, m)."""
        if 4 * self.words <= _LENGTHS:
            return self.norms[some]
        return np.sqrt(_turned([*self.squares], self.shifts[some]))

    @cached_property
    def norms(self) -> Float:
        """Return the lengths of the words in each shuffled space, (s, m)."""
        return np.sqrt(_turned([*self.squares], self.shifts))


def shuffle(space: VectorSpace, *, seed: int = 0) -> Shuffled:
    """Return shuffled spaces of all words or, in a larger space, of 30,000 random words."""
    random = np.random.default_rng(seed)
    n = len(space)
    rows = drawn_rows(n, MOST_ROWS, random)
    columns, basis = permuted(space.matrix[rows], random)
    groups = np.linspace(0, len(columns), min(_GROUPS, len(columns)) + 1).astype(np.int64)
    spaces = -(-SHUFFLES * n // max(1, len(rows)))
    shifts = random.integers(0, max(1, len(rows)), (spaces, len(groups) - 1))
    squares = np.asarray([(columns[group] ** 2).sum(axis=0) for group in _slices(groups)], np.float32)
    return Shuffled(basis, columns, groups, shifts, squares)


def permuted(matrix: Float, random: np.random.Generator) -> tuple[Float, Float]:
    """Return the coordinates of the rows along the principal directions, permuted, and the principal directions.

    The coordinates have the shape (r, m) for m rows: each direction is permuted over the rows. The directions have
    the shape (d, r). r is d, or less if fewer directions are spanned by the rows.
    """
    center = matrix.mean(axis=0)
    centered = matrix - center
    basis = np.linalg.eigh(centered.T @ centered)[1] if len(matrix) >= matrix.shape[1] else _spanned(centered, center)
    columns = np.ascontiguousarray((matrix @ basis).T, dtype=np.float32)
    for column in columns:
        random.shuffle(column)
    return columns, basis.astype(np.float32)


def _spanned(centered: Float, center: Float) -> Float:
    """Return the principal directions of a matrix with fewer rows than dimensions, (d, r).

    The last direction is the part of the mean that the other directions do not span, if there is such a part.
    """
    _, lengths, directions = np.linalg.svd(centered, full_matrices=False)
    basis = directions[lengths > 1e-5 * max(float(lengths[0]), 1e-30)].T if len(lengths) else directions[:0].T
    rest = center - basis @ (basis.T @ center)
    length = float(np.linalg.norm(rest))
    center_axis = [(rest / length)[:, None]] if length > 1e-5 * max(float(np.linalg.norm(center)), 1e-30) else []
    return np.ascontiguousarray(
        np.hstack([basis, *center_axis]) if center_axis or basis.shape[1] else np.eye(len(center), 1)
    )


def _slices(bounds: Ints) -> list[slice]:
    return [slice(start, end) for start, end in itertools.pairwise(bounds.tolist())]


def _turned(parts: Sequence[Float], shifts: Ints) -> Float:
    """Return for each shuffled space the sum of the parts, after a cyclic shift of each part, (s, m)."""
    if len(shifts) * len(parts[0]) >= _COMPILED_FROM:
        from embedviz.neighbors import turning

        return turning.sums(np.asarray(parts, np.float32), shifts)
    total = np.zeros((len(shifts), len(parts[0])), np.float32)
    for row, turns in zip(total, shifts.tolist(), strict=True):
        for part, turn in zip(parts, turns, strict=True):
            row[turn:] += part[: len(part) - turn]
            row[:turn] += part[len(part) - turn :]
    return total


_CACHE: weakref.WeakKeyDictionary[VectorSpace, dict[int, Shuffled]] = weakref.WeakKeyDictionary()


def shuffled(space: VectorSpace, seed: int = 0) -> Shuffled:
    """Return the shuffled spaces of a space; those of the last seed are cached with the space."""
    cached = _CACHE.setdefault(space, {})
    found = cached.get(seed)
    if found is None:
        cached.clear()  # cache one seed only: each entry is as large as the space
        found = cached[seed] = shuffle(space, seed=seed)
    return found  # not from the cache: another thread with another seed may have emptied it
