"""The repulsion of t-SNE for many points, by interpolation on a grid and one Fourier transform forth and one back.

Linderman et al. 2019 write the repulsion as a convolution, which Fourier transforms make fast. The potential
φ(y) = Σ 1 ÷ (1 + |y − y'|²) gives both sums that t-SNE needs: the normalization is Σ φ, and the repulsion
Σ (y − y') ÷ (1 + |y − y'|²)² is −½ grad φ. As in the smooth particle-mesh Ewald method (Essmann et al. 1995), points
are spread on the grid by B-splines, whose own spectrum is divided out, and the gradient is that of the splines.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.projection.forces import Share

_ORDER = 6  # nodes that a point touches along each axis
_SPACING = 1 / 3  # between nodes, where the kernel is 1 wide
_GOLDEN = np.array([0.7548776662466927, 0.5698402909980532])  # multiples fill the unit square evenly
_FEWEST, _MOST = 24, 1_800  # nodes along the longer side: a finer grid for close points, a coarser for the widest map


@machine_code(fast=True)
def _spline(u: Any, weights: Any, slopes: Any) -> None:
    """Write the B-spline weights of the nodes around a point that lies u (0 to 1) after its node, and their slopes."""
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


class Grid:
    """The repulsion on a grid, as `forces.Gradient` takes it; keeps the spectrum of the kernel from step to step."""

    def __init__(self) -> None:
        self._step = 0
        self._made: tuple[Any, ...] = ()
        self._spectrum: Any = None

    def __call__(self, points: Any, share: Share) -> tuple[Any, float]:
        """Return the repulsion (n, 2) of points in two dimensions, and the sum of q over all ordered pairs."""
        from scipy.fft import fft, ifft, irfft, rfft

        low = points.min(axis=0)
        sides = points.max(axis=0) - low
        self._step += 1
        longer = max(float(sides.max()), 1e-30)
        spacing = max(min(_SPACING, longer / _FEWEST), longer / _MOST)
        kind = np.float32 if spacing >= _SPACING else np.float64  # differences of close points are small
        rows, columns = (_nodes(int(side / spacing)) for side in sides)
        spectrum = self._kernel(rows, columns, spacing, kind)
        x, y = ((points - low) / spacing + self._step * _GOLDEN % 1).T  # an error that stays moves points
        charges = np.zeros((rows, columns), kind)
        _spread(x, y, charges, _ORDER)
        waves = fft(rfft(charges, 2 * columns, axis=1), 2 * rows, axis=0, overwrite_x=True)
        waves *= spectrum
        grid = irfft(ifft(waves, axis=0, overwrite_x=True)[:rows], 2 * columns, axis=1)
        potential, slope = np.empty(len(points)), np.empty((len(points), 2))
        share(lambda start, stop: _gather(start, stop, x, y, grid, _ORDER, potential, slope))
        slope *= -0.5 / spacing
        return slope, float(potential.sum()) - len(points)

    def _kernel(self, rows: int, columns: int, spacing: float, kind: Any) -> Any:
        """Return the spectrum of the kernel on a grid twice as large, so that nothing acts around its edges."""
        from scipy.fft import rfft2

        if self._made != (made := (rows, columns, spacing)):
            aside, along = (
                (np.minimum(np.arange(2 * m), np.arange(2 * m, 0, -1)) * spacing) ** 2 for m in (rows, columns)
            )
            spectrum = rfft2(1 / (1 + aside[:, None] + along[None, :])).real
            smooth = _blur(2 * rows)[:, None] * _blur(2 * columns)[None, : columns + 1]
            self._made, self._spectrum = made, (spectrum / smooth).astype(kind)
        return self._spectrum


def _nodes(count: int) -> int:
    """Return how many nodes a side gets, one of eight sizes in each octave, so that kernels are seldom made anew."""
    needed = count + _ORDER + 2
    step = max(4, 1 << max(0, needed.bit_length() - 4))
    return -(-needed // step) * step


def _blur(count: int) -> Any:
    """Return the square of the spectrum of the B-splines at the nodes, (count,)."""
    weights, slopes = np.empty(_ORDER), np.empty(_ORDER)
    _spline(0.0, weights, slopes)
    turns = np.exp(-2j * np.pi * np.fft.fftfreq(count)[:, None] * np.arange(_ORDER))
    return np.abs(turns @ weights) ** 2
