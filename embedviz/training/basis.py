"""A plane, or three directions, that follow the principal ones of vectors on their way, and never jump.

Principal directions of two moments may differ by a turn, a mirroring or a swap where two hold nearly the same
variance. So the directions of the first moment are exact, and each later moment moves them on by two steps of power
iteration, and turns them onto those before: vectors that rest are soon shown along their principal directions.
"""

import numpy as np

from embedviz.core.space import Float

EXACT_BELOW = 512
"""Dimensions up to which directions are exact."""
_STEPS = 2
_MORE, _ROUNDS = 10, 16


class Basis:
    """Directions that follow the vectors, (d, components).

    Args:
        components: 2 or 3; where the vectors have fewer dimensions, the rest of the points are zeros.
    """

    def __init__(self, components: int) -> None:
        self.components = components
        self._directions: Float | None = None

    def __call__(self, rows: Float) -> tuple[Float, float]:
        """Return the rows, less their mean, along the directions, (n, components), and the share of variance shown."""
        centered = center(rows)
        total = squares(centered)
        count = min(self.components, centered.shape[1])
        points = np.zeros((len(centered), self.components), np.float32)
        if not total or not np.isfinite(total):
            return points, 0.0
        if self._directions is None or self._directions.shape[0] != centered.shape[1]:
            self._directions = principal_directions(centered, count)
        else:
            self._directions = _followed(centered, self._directions)
        points[:, :count] = centered @ self._directions
        return points, squares(points) / total


def center(rows: Float) -> Float:
    """Return the rows less their mean, float32."""
    return np.asarray(rows - rows.mean(axis=0, dtype=np.float64).astype(np.float32), np.float32)


def squares(rows: Float) -> float:
    """Return the sum of all numbers squared."""
    return float(np.einsum("ij,ij->", rows, rows, dtype=np.float64))


def principal_directions(centered: Float, count: int) -> Float:
    """Return the directions of greatest variance of centered rows, (d, count), the greatest first.

    Above `EXACT_BELOW` dimensions by power iteration from seeded directions, as in randomized PCA (Halko, Martinsson
    and Tropp 2011).
    """
    if centered.shape[1] <= EXACT_BELOW:
        products = (centered.T @ centered).astype(np.float64)
        return np.ascontiguousarray(np.linalg.eigh(products)[1][:, ::-1][:, :count], np.float32)
    width = min(count + _MORE, *centered.shape)
    moved = np.random.default_rng(0).normal(size=(centered.shape[1], width)).astype(np.float32)
    for _ in range(_ROUNDS):
        moved = np.linalg.qr(centered.T @ (centered @ moved))[0].astype(np.float32)
    return np.asarray((moved @ np.linalg.svd(centered @ moved, full_matrices=False)[2].T)[:, :count], np.float32)


def _followed(centered: Float, directions: Float) -> Float:
    """Return the directions moved toward the principal ones, and turned to differ least from where they were."""
    moved = directions
    for _ in range(_STEPS):
        moved = np.linalg.qr(centered.T @ (centered @ moved))[0].astype(np.float32)
    left, _, right = np.linalg.svd(moved.T @ directions)
    return np.asarray(moved @ (left @ right), np.float32)
