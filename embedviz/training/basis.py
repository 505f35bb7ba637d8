"""Two or three principal directions of moving vectors, updated from moment to moment so that the map never jumps.

An exact PCA at each moment could rotate, mirror or swap directions that hold nearly the same variance. So only the
first moment is exact. At each later moment the directions move by two steps of power iteration, and are rotated to
differ as little as possible from the previous directions. Once the vectors stay still, the directions soon span the
same plane (or space) as the principal directions.
"""

import numpy as np

from embedviz.core.space import Float

EXACT_BELOW = 512
"""Largest number of dimensions for which principal directions are exact."""
_STEPS = 2
_MORE, _ROUNDS = 10, 16


class Basis:
    """Principal directions of vectors that move: each call moves the directions along with the vectors.

    Args:
        components: Number of coordinates of a point, 2 or 3. The last coordinates are 0 if the vectors are shorter.
    """

    def __init__(self, components: int) -> None:
        self.components = components
        self._directions: Float | None = None

    def __call__(self, rows: Float) -> tuple[Float, float]:
        """Return the points of the rows on the map, (n, components), and what share of their variance the map shows.

        First the rows are centered, and the directions are moved toward the principal directions of these rows.
        """
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
    """Return the rows minus the mean of all rows, (n, d) float32."""
    return np.asarray(rows - rows.mean(axis=0, dtype=np.float64).astype(np.float32), np.float32)


def squares(rows: Float) -> float:
    """Return the sum of the squares of all numbers in the matrix."""
    return float(np.einsum("ij,ij->", rows, rows, dtype=np.float64))


def principal_directions(centered: Float, count: int) -> Float:
    """Return the principal directions of centered rows, (d, count), in falling order of variance.

    Above `EXACT_BELOW` dimensions the directions are approximate: power iteration from seeded random directions, as in
    randomized PCA (Halko, Martinsson and Tropp 2011).
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
    """Return the directions after moving them toward the principal directions of these rows.

    Within the plane (or space) that they span, the new directions are rotated to be closest to the old directions.
    """
    moved = directions
    for _ in range(_STEPS):
        moved = np.linalg.qr(centered.T @ (centered @ moved))[0].astype(np.float32)
    left, _, right = np.linalg.svd(moved.T @ directions)
    return np.asarray(moved @ (left @ right), np.float32)
