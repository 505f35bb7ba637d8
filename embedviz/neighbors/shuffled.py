"""The baseline of a neighborhood: how near a word comes in a space whose words have lost their meaning.

In a shuffled space the words' coordinates along each principal direction are permuted over the words: every direction
keeps its mean and spread, and no word keeps its meaning.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np

from embedviz.neighbors.metrics import Metric
from embedviz.space import Float, Ints, VectorSpace

SHUFFLES = 10
MOST_ROWS = 30_000


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Ten shuffled spaces, kept as one set of permuted columns and ten ways to turn them against each other.

    Attributes:
        basis: Principal directions as columns, (d, d).
        columns: Permuted coordinates, one row a direction, (d, m).
        shifts: By how far each direction's coordinates are rotated in each shuffle, (s, d).
        norms: Length of the words of each shuffle, (s, m).
    """

    basis: Float
    columns: Float
    shifts: Ints
    norms: Float

    @property
    def rows(self) -> int:
        """Words in each shuffled space."""
        return int(self.columns.shape[1])

    def best(self, query: Float, metric: Metric) -> float | None:
        """The nearest word's value over all shuffles, or None for a space too small to shuffle."""
        if self.rows < 2:
            return None
        turned = query @ self.basis
        length = np.linalg.norm(query)
        values = [
            metric.nearer * metric.function(self._products(turned, shifts), length, norms)
            for shifts, norms in zip(self.shifts, self.norms, strict=True)
        ]
        best = np.nanmax(values) if np.isfinite(values).any() else np.nan
        return metric.nearer * float(best) if np.isfinite(best) else None

    def _products(self, query: Float, shifts: Ints) -> Float:
        """Dot products of the query with the words of one shuffle, shape (m,), without building them."""
        products = np.zeros(self.rows, np.float32)
        for value, column, shift in zip(query, self.columns, shifts, strict=True):
            products[shift:] += value * column[: self.rows - shift]
            products[:shift] += value * column[self.rows - shift :]
        return products


def shuffle(space: VectorSpace, *, shuffles: int = SHUFFLES, seed: int = 0) -> Shuffled:
    """Shuffled spaces of at most 30,000 words, drawn at random where there are more."""
    random = np.random.default_rng(seed)
    n = len(space)
    rows = np.arange(n) if n <= MOST_ROWS else np.sort(random.choice(n, MOST_ROWS, replace=False))
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


_KEPT: weakref.WeakKeyDictionary[VectorSpace, dict[int, Shuffled]] = weakref.WeakKeyDictionary()


def shuffled(space: VectorSpace, seed: int = 0) -> Shuffled:
    """The shuffled spaces of a space; made once, kept as long as the space itself is."""
    kept = _KEPT.setdefault(space, {})
    if seed not in kept:
        kept.clear()  # one seed at a time: each is as large as the space
        kept[seed] = shuffle(space, seed=seed)
    return kept[seed]
