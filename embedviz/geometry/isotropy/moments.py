"""Sums over all rows of a space, computed block by block in float64, and the means and covariances from them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from embedviz.core import graphics_card
from embedviz.core.space import Ints, VectorSpace

Doubles = NDArray[np.float64]
_PAYS = 5e10  # rows × dimensions² from which a graphics card is faster (estimate): a CPU takes about a second


@dataclass(frozen=True, eq=False)
class Moments:
    """Number, sum and sum of products of some rows.

    One row, the origin, is subtracted from all rows first, so that a large mean costs no precision.

    Attributes:
        count: Number of rows, n.
        origin: The row that is subtracted, (d,).
        total: Sum of x − origin over the rows x, (d,).
        products: Sum of (x − origin)(x − origin)ᵀ over the rows x, (d, d).
    """

    count: int
    origin: Doubles
    total: Doubles
    products: Doubles

    @property
    def dimensions(self) -> int:
        """Return the number of dimensions, d."""
        return len(self.total)

    @property
    def mean(self) -> Doubles:
        """Return the mean row, (d,)."""
        return self.origin + self.total / self.count

    @cached_property
    def covariance(self) -> Doubles:
        """Return the covariance of the rows, divided by n − 1, (d, d)."""
        centered = self.products - np.outer(self.total, self.total) / self.count
        return centered / max(1, self.count - 1)

    @cached_property
    def spectrum(self) -> tuple[Doubles, Doubles]:
        """Return the eigenvalues of the covariance, greatest first, (d,), and its eigenvectors as rows, (d, d)."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.maximum(values[::-1], 0.0), np.ascontiguousarray(vectors[:, ::-1].T)


@dataclass(frozen=True, eq=False)
class Directions:
    """Number, sum and sum of squares of some rows scaled to length one.

    Attributes:
        count: Number of rows, n.
        total: Sum of the unit rows, (d,).
        squares: Sum of the squares in each dimension, (d,).
    """

    count: int
    total: Doubles
    squares: Doubles

    @property
    def parts(self) -> Doubles:
        """Return the contribution of each dimension to the mean cosine, (d,) (Timkey and van Schijndel 2021)."""
        return (self.total**2 - self.squares) / (self.count * (self.count - 1))


def moments(space: VectorSpace, rows: Ints, *, device: str = "auto") -> Moments:
    """Return the moments of some rows of a space.

    Args:
        rows: Row numbers, ascending, at least one.
        device: As in `core.graphics_card.on_card`. A CUDA card also uses double precision; its sums differ from the
            sums of the CPU by at most 1e-12 of the greatest. MPS has no double precision, so the CPU is used instead.
    """
    origin = space.matrix[rows[0]].astype(np.float64)

    def summed(place: str) -> tuple[Doubles, Doubles]:
        return _sums(space, rows, origin) if place in ("cpu", "mps") else _sums_by_torch(space, rows, origin, place)

    pays = float(len(rows)) * space.dimensions**2 >= _PAYS
    return Moments(len(rows), origin, *graphics_card.on_card(summed, named=device, pays=pays))


def _sums(space: VectorSpace, rows: Ints, origin: Doubles) -> tuple[Doubles, Doubles]:
    """Return the sum of x − origin, (d,), and the sum of (x − origin)(x − origin)ᵀ, (d, d), over the rows x."""
    total, products = np.zeros(len(origin)), np.zeros((len(origin), len(origin)))
    for part in parts(space, rows):
        block = space.matrix[part].astype(np.float64) - origin
        total += block.sum(axis=0)
        products += block.T @ block
    return total, products


def _sums_by_torch(space: VectorSpace, rows: Ints, origin: Doubles, place: str) -> tuple[Doubles, Doubles]:
    import torch

    least = torch.tensor(origin, device=place)
    total, products = torch.zeros_like(least), least.new_zeros((len(origin), len(origin)))
    for part in parts(space, rows):
        block = torch.tensor(space.matrix[part], device=place).double() - least
        total += block.sum(dim=0)
        products += block.T @ block
    return total.cpu().numpy(), products.cpu().numpy()


def directions(space: VectorSpace, rows: Ints) -> Directions:
    """Return the sums of some rows scaled to length one; row numbers are ascending, and no row is zero."""
    total, squares = np.zeros(space.dimensions), np.zeros(space.dimensions)
    for part in parts(space, rows):
        block = space.matrix[part].astype(np.float64)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
        total += block.sum(axis=0)
        squares += np.einsum("ij,ij->j", block, block)
    return Directions(len(rows), total, squares)


def parts(space: VectorSpace, rows: Ints) -> Iterator[Ints]:
    """Yield ascending row numbers in parts, one for each block of the space, so that a part fits in the cache."""
    for block in space.blocks():
        part = rows[np.searchsorted(rows, block.start) : np.searchsorted(rows, block.stop)]
        if len(part):
            yield part


def mean_cosine(unit: Directions) -> float:
    """Return the mean cosine over all pairs of rows: (‖Σ u‖² − n) ÷ n(n − 1) for n unit rows u."""
    n = unit.count
    return float(np.clip((unit.total @ unit.total - n) / (n * (n - 1)), -1.0, 1.0))


def mean_cosine_sd(n: int, d: int) -> float:
    """Return the standard deviation of the mean cosine of n random directions: √(2 ÷ (d n (n − 1)))."""
    return math.sqrt(2 / (d * n * (n - 1)))


def participation_ratio(values: Doubles) -> float:
    """Return (Σλ)² ÷ Σλ² of eigenvalues λ: the effective number of directions, 1 to d; 0 if there is no variance."""
    square = float(values @ values)
    return float(values.sum()) ** 2 / square if square > 0 else 0.0


def isoscore(values: Doubles, d: int) -> float | None:
    """Return the IsoScore, 0 to 1, of eigenvalues in d dimensions; None if there is no variance, or one dimension."""
    ratio = participation_ratio(values)
    return max(0.0, (ratio - 1) / (d - 1)) if ratio and d > 1 else None


def normal_length_spread(d: int) -> float:
    """Return standard deviation ÷ mean of the length of a vector of d independent normal numbers."""
    mean = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    return math.sqrt(max(0.0, d - mean**2)) / mean


def isotropic_spectrum(n: int, d: int, seed: int = 0) -> Doubles:
    """Return random eigenvalues of the covariance of n rows of d independent normal numbers, greatest first, (d,).

    For n > d, Bartlett's decomposition (1933) of a Wishart matrix is used. The result has exactly the right
    distribution, and the n rows need not be drawn.
    """
    random = np.random.default_rng(seed)
    if n <= d:
        rows = random.standard_normal((n, d))
        rows -= rows.mean(axis=0)
        values = np.linalg.svd(rows, compute_uv=False) ** 2 / max(1, n - 1)
        return np.asarray(np.pad(values, (0, d - len(values))))
    lower = np.tril(random.standard_normal((d, d)), -1)
    lower[np.diag_indices(d)] = np.sqrt(random.chisquare(n - 1 - np.arange(d)))
    return np.asarray(np.linalg.svd(lower, compute_uv=False) ** 2 / (n - 1))
