"""The repulsion of t-SNE for many points, by interpolation on a grid and Fourier transforms.

Linderman et al. 2019 write the repulsion as a convolution, which Fourier transforms make fast. The potential
φ(y) = Σ 1 ÷ (1 + |y − y'|²) gives both sums that t-SNE needs. The normalization is Σ φ, and the repulsion
Σ (y − y') ÷ (1 + |y − y'|²)² is −½ grad φ. The grid is used as in the smooth particle-mesh Ewald method (Essmann et
al. 1995): B-splines spread the points on the grid, the spectrum of the B-splines is divided out, and the gradient of
the potential is the gradient of its splines.
"""

from typing import Any, NamedTuple

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.projection.forces import Part, PointThreads

ORDER = 6
"""Number of neighboring nodes, along each axis of the grid, among which a point is divided."""
_SPACING = 0.4  # distance between nodes; the width of the kernel is 1
_GOLDEN = np.array([0.7548776662466927, 0.5698402909980532])  # its multiples, modulo 1, fill the unit square evenly
_FEWEST, _MOST = 24, 1_800  # nodes along the longer side, at least and at most


@machine_code(fast=True)
def _spline(u: Any, weights: Any, slopes: Any) -> None:
    """Write the B-spline weights of the nodes around a point, and the slopes of the weights, along one axis.

    Args:
        u: Distance of the point from the node before it, in node distances, 0 to 1.
        weights, slopes: Arrays with one number for each of the nodes, to write to.
    """
    order = len(weights)
    weights[0], weights[1] = 1 - u, u
    for k in range(3, order + 1):
        if k == order:
            slopes[0], slopes[order - 1] = -weights[0], weights[order - 2]
            for j in range(1, order - 1):
                slopes[j] = weights[j - 1] - weights[j]
        weights[k - 1] = u * weights[k - 2] / (k - 1)
        for j in range(1, k - 1):
            weights[k - 1 - j] = ((u + j) * weights[k - 2 - j] + (k - j - u) * weights[k - 1 - j]) / (k - 1)
        weights[0] *= (1 - u) / (k - 1)


@machine_code(fast=True)
def _spread(x: Any, y: Any, grid: Any, order: Any) -> None:
    across, upward, slopes = np.empty(order), np.empty(order), np.empty(order)
    for i in range(len(x)):
        a, b = int(x[i]), int(y[i])
        _spline(x[i] - a, across, slopes)
        _spline(y[i] - b, upward, slopes)
        for s in range(order):
            for t in range(order):
                grid[a + s, b + t] += across[s] * upward[t]


@machine_code(fast=True)
def _gather(start: Any, stop: Any, x: Any, y: Any, grid: Any, order: Any, potential: Any, slope: Any) -> None:
    across, upward, left, down = np.empty(order), np.empty(order), np.empty(order), np.empty(order)
    for i in range(start, stop):
        a, b = int(x[i]), int(y[i])
        _spline(x[i] - a, across, left)
        _spline(y[i] - b, upward, down)
        height = along = up = 0.0
        for s in range(order):
            for t in range(order):
                node = grid[a + s, b + t]
                height += node * across[s] * upward[t]
                along += node * left[s] * upward[t]
                up += node * across[s] * down[t]
        potential[i], slope[i, 0], slope[i, 1] = height, along, up


class GridSize(NamedTuple):
    """A grid: its numbers of nodes along the two axes (`rows`, `columns`), and the distance between nodes (`spacing`).

    `single` says whether single precision is enough.
    """

    rows: int
    columns: int
    spacing: float
    single: bool


def grid_size(sides: Any) -> GridSize:
    """Return the grid for points on a map whose width and height are `sides`, (2,)."""
    longer = max(float(max(sides)), 1e-30)
    spacing = max(min(_SPACING, longer / _FEWEST), longer / _MOST)
    rows, columns = (_nodes(int(side / spacing)) for side in sides)
    return GridSize(rows, columns, spacing, spacing >= _SPACING)  # close points need double precision


def offset(step: int) -> Any:
    """Return by how much all points are shifted on the grid at a step of the run, in node distances, (2,).

    The shift changes from step to step. With the same shift, each step would repeat the same errors of interpolation,
    and these errors would add up and move points.
    """
    return step * _GOLDEN % 1


def spectrum(size: GridSize) -> Any:
    """Return the spectrum of the kernel 1 ÷ (1 + distance²) on a grid, (2 × rows, columns + 1).

    The kernel's spectrum is divided by the spectrum of the B-splines. The grid is doubled along each axis: Fourier
    transforms are periodic, and points would otherwise act across the edges of the grid.
    """
    from scipy.fft import rfft2

    counts = (2 * size.rows, 2 * size.columns)
    aside, along = ((np.minimum(np.arange(m), np.arange(m, 0, -1)) * size.spacing) ** 2 for m in counts)
    plain = rfft2(1 / (1 + aside[:, None] + along[None, :])).real
    smooth = _blur(counts[0])[:, None] * _blur(counts[1])[None, : size.columns + 1]
    return (plain / smooth).astype(np.float32 if size.single else np.float64)


class Grid:
    """The repulsion by a grid, as an object that `forces.Gradient` can call. It caches the spectrum of the kernel.

    Args:
        threads: Number of threads for the Fourier transforms; the result does not depend on it.
    """

    def __init__(self, threads: int = 1) -> None:
        self._step, self._threads = 0, threads
        self._made: tuple[GridSize, Any] | None = None

    def __call__(self, points: Any, threads: PointThreads, attract: Part) -> tuple[Any, float]:
        """Return the repulsion of each point in two dimensions, (n, 2), and Σ q over all ordered pairs of points."""
        low = points.min(axis=0)
        size = grid_size(points.max(axis=0) - low)
        if self._made is None or self._made[0] != size:
            self._made = (size, spectrum(size))
        kernel = self._made[1]
        self._step += 1
        x, y = ((points - low) / size.spacing + offset(self._step)).T
        grid = threads.overlap(attract, lambda: self._convolved(x, y, size, kernel))
        potential, slope = np.empty(len(points)), np.empty((len(points), 2))
        threads.share(lambda start, stop: _gather(start, stop, x, y, grid, ORDER, potential, slope))
        slope *= -0.5 / size.spacing
        return slope, float(potential.sum()) - len(points)

    def _convolved(self, x: Any, y: Any, size: GridSize, kernel: Any) -> Any:
        """Return the weight of the B-spline at each grid node, (rows, 2 × columns); half of the columns are not used.

        The sum of the B-splines with these weights is the potential φ.

        Args:
            x, y: Coordinates of the points, in units of nodes.
            kernel: The result of `spectrum(size)`.
        """
        from scipy.fft import fft, ifft, irfft, rfft, set_workers

        charges = np.zeros((size.rows, size.columns), kernel.dtype)
        _spread(x, y, charges, ORDER)
        with set_workers(self._threads):
            waves = fft(rfft(charges, 2 * size.columns, axis=1), 2 * size.rows, axis=0, overwrite_x=True)
            waves *= kernel
            return irfft(ifft(waves, axis=0, overwrite_x=True)[: size.rows], 2 * size.columns, axis=1)


def _nodes(count: int) -> int:
    """Return the number of grid nodes along one axis, rounded up, for points that extend over `count` nodes.

    Between a power of 2 and the next power of 2 there are only eight possible numbers. So the number seldom changes
    from step to step, and the kernel is seldom computed again.
    """
    needed = count + ORDER + 2
    step = max(4, 1 << max(0, needed.bit_length() - 4))
    return -(-needed // step) * step


def _blur(count: int) -> Any:
    """Return the squared absolute spectrum of the B-spline weights on `count` nodes along one axis, (count,)."""
    weights, slopes = np.empty(ORDER), np.empty(ORDER)
    _spline(0.0, weights, slopes)
    turns = np.exp(-2j * np.pi * np.fft.fftfreq(count)[:, None] * np.arange(ORDER))
    return np.abs(turns @ weights) ** 2
