"""Sums over all rows of a space, read once block by block in float64: means, covariances and what follows from them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from embedviz.core import graphics_card
from embedviz.core.space import Ints, VectorSpace

Doubles = NDArray[np.float64]
_PAYS = 5e10  # rows × dimensions² from which a graphics card is worth the copying: a CPU takes a second (an estimate)


@dataclass(frozen=True, eq=False)
class Moments:
    """Count, sum and sum of products of some rows less one of them, so that a large mean costs no digits.

    Attributes:
        count: Rows, n.
        origin: What each row is taken less, (d,).
        total: The sum of x − origin, (d,).
        products: The sum of (x − origin)(x − origin)ᵀ, (d, d).
    """

    count: int
    origin: Doubles
    total: Doubles
    products: Doubles

    @property
    def dimensions(self) -> int:
        """Return the length of a row, d."""
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
        """Return eigenvalues of the covariance, (d,), greatest first, and eigenvectors as rows, (d, d)."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.maximum(values[::-1], 0.0), np.ascontiguousarray(vectors[:, ::-1].T)


@dataclass(frozen=True, eq=False)
class Directions:
    """Count, sum and sum of squares of some rows at length one.

    Attributes:
        count: Rows, n.
        total: Their sum, (d,).
        squares: The sum of their squares in each dimension, (d,).
    """

    count: int
    total: Doubles
    squares: Doubles

    @property
    def parts(self) -> Doubles:
        """Return the contribution of each dimension to the mean cosine, (d,) (Timkey and van Schijndel 2021)."""
        return (self.total**2 - self.squares) / (self.count * (self.count - 1))


def moments(space: VectorSpace, rows: Ints, *, device: str = "auto") -> Moments:
    """Return the moments of these rows, ascending; at least one.

    Args:
        device: As in `core.graphics_card.on_card`. A CUDA card sums in double precision as well: equal within 1e-12
            of the greatest; MPS has none, so that the CPU sums.
    """
    origin = space.matrix[rows[0]].astype(np.float64)

    def summed(place: str) -> tuple[Doubles, Doubles]:
        return _sums(space, rows, origin) if place in ("cpu", "mps") else _sums_by_torch(space, rows, origin, place)

    pays = float(len(rows)) * space.dimensions**2 >= _PAYS
    return Moments(len(rows), origin, *graphics_card.on_card(summed, named=device, pays=pays))


def _sums(space: VectorSpace, rows: Ints, origin: Doubles) -> tuple[Doubles, Doubles]:
    """Return the sum of x − origin, (d,), and of (x − origin)(x − origin)ᵀ, (d, d)."""
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
    """Return sums of these rows, ascending and none of them zeros, at length one."""
    total, squares = np.zeros(space.dimensions), np.zeros(space.dimensions)
    for part in parts(space, rows):
        block = space.matrix[part].astype(np.float64)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
        total += block.sum(axis=0)
        squares += np.einsum("ij,ij->j", block, block)
    return Directions(len(rows), total, squares)


def parts(space: VectorSpace, rows: Ints) -> Iterator[Ints]:
    """Return these rows, ascending, in parts that lie near each other and fit a cache."""
    for block in space.blocks():
        part = rows[np.searchsorted(rows, block.start) : np.searchsorted(rows, block.stop)]
        if len(part):
            yield part


def mean_cosine(unit: Directions) -> float:
    """Return the mean cosine of all pairs of different rows: (‖Σ u‖² − n) ÷ n(n − 1) for rows u of length one."""
    n = unit.count
    return float(np.clip((unit.total @ unit.total - n) / (n * (n - 1)), -1.0, 1.0))


def mean_cosine_sd(n: int, d: int) -> float:
    """Return the standard deviation of the mean cosine of n random directions: √(2 ÷ (d n (n − 1)))."""
    return math.sqrt(2 / (d * n * (n - 1)))


def participation_ratio(values: Doubles) -> float:
    """Return (Σλ)² ÷ Σλ²: how many directions of equal variance spread as these eigenvalues do; 0 without variance."""
    square = float(values @ values)
    return float(values.sum()) ** 2 / square if square > 0 else 0.0


def isoscore(values: Doubles, d: int) -> float | None:
    """Return IsoScore of a spectrum in d dimensions; None where nothing varies, or in one dimension."""
    ratio = participation_ratio(values)
    return max(0.0, (ratio - 1) / (d - 1)) if ratio and d > 1 else None


def normal_length_spread(d: int) -> float:
    """Return standard deviation ÷ mean of the length of d independent normal numbers."""
    mean = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    return math.sqrt(max(0.0, d - mean**2)) / mean


def isotropic_spectrum(n: int, d: int, seed: int = 0) -> Doubles:
    """Return eigenvalues of the covariance of n rows of d independent normal numbers, greatest first, (d,).

    For n > d by Bartlett's decomposition (1933) of a Wishart matrix, which has exactly the distribution of a sample of
    n rows and needs none.
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
