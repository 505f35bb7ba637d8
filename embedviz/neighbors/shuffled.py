"""The baseline of a neighborhood: the best match in spaces with shuffled coordinates.

In a shuffled space the words' coordinates along each principal direction are permuted over the words: every direction
keeps its mean and spread, and no word keeps its meaning.
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
"""Words in all shuffled spaces together for each word of the space: in noise one search in 21 finds a nearer word."""
MOST_ROWS = 30_000
_GROUPS = 32
_AT_ONCE = 4_000_000  # values of shuffled words held at a time: 16 MB
_COMPILED_FROM = 2_000_000  # values from which compiled code adds the parts
_LENGTHS = 64 * 2**20  # bytes of the lengths of all shuffled words that are kept; of more they are computed again


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Shuffled spaces, stored as one set of permuted columns and the shifts that combine them.

    The columns of all directions are permuted, each by itself. A further shuffle rotates groups of directions against
    each other: again every direction is permuted, and a query needs the products of each group only once.

    Attributes:
        basis: Principal directions as columns, (d, r).
        columns: Permuted coordinates, one row a direction, (r, m).
        groups: Where each group of directions begins, and the end, (g + 1,).
        shifts: By how far each group is rotated in each shuffle, (s, g).
        squares: Squared length of each group's part of the words, (g, m).
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
        """Return the nearest word's value over all shuffles, or None for a space too small to shuffle."""
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
        """Return the length of the words of some shuffles, (s, m)."""
        if 4 * self.words <= _LENGTHS:
            return self.norms[some]
        return np.sqrt(_turned([*self.squares], self.shifts[some]))

    @cached_property
    def norms(self) -> Float:
        """Compute the length of the words of each shuffle, (s, m)."""
        return np.sqrt(_turned([*self.squares], self.shifts))


def shuffle(space: VectorSpace, *, seed: int = 0) -> Shuffled:
    """Shuffle the words of a space, or 30,000 drawn at random where there are more."""
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
    """Return coordinates along principal directions, (r, m), each permuted over the rows; the directions, (d, r).

    r is d; where there are fewer rows than dimensions, the directions in which the rows lie.
    """
    center = matrix.mean(axis=0)
    centered = matrix - center
    basis = np.linalg.eigh(centered.T @ centered)[1] if len(matrix) >= matrix.shape[1] else _spanned(centered, center)
    columns = np.ascontiguousarray((matrix @ basis).T, dtype=np.float32)
    for column in columns:
        random.shuffle(column)
    return columns, basis.astype(np.float32)


def _spanned(centered: Float, center: Float) -> Float:
    """Return the principal directions of fewer rows than dimensions, and the rest of their mean, (d, r)."""
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
    """Return the sum of the parts, (m,) each, after each has been rotated by its shift: one row a shuffle, (s, m)."""
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
    """Return the shuffled spaces of a space; computed once and cached with the space."""
    cached = _CACHE.setdefault(space, {})
    if seed not in cached:
        cached.clear()  # one seed at a time: each is as large as the space
        cached[seed] = shuffle(space, seed=seed)
    return cached[seed]
