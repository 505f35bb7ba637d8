"""The gradient of t-SNE, compiled: the repulsion of every pair of words, sixteen at a time on a processor that can.

For some thousand words this is faster than any approximation, and the same for any number of threads. For more,
`projection.grid_forces` computes the repulsion.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.projection.layout import SHARED_FROM

_EPSILON = float(np.finfo(np.float64).eps)
Share = Callable[[Callable[[int, int], Any]], list[Any]]
"""Runs work(start, stop) for parts that make up all points, and returns what each part gave."""
Repulsion = Callable[[Any, Share], tuple[Any, float]]


@machine_code(fast=True)
def _apart_2(start: Any, stop: Any, x: Any, y: Any, force: Any, sums: Any) -> None:
    for i in range(start, stop):
        total = across = upward = np.float32(0)
        for j in range(len(x)):
            dx, dy = x[i] - x[j], y[i] - y[j]
            q = np.float32(1) / (np.float32(1) + dx * dx + dy * dy)
            total += q
            across += q * q * dx
            upward += q * q * dy
        sums[i], force[i, 0], force[i, 1] = total - np.float32(1), across, upward


@machine_code(fast=True)
def _apart_3(start: Any, stop: Any, x: Any, y: Any, z: Any, force: Any, sums: Any) -> None:
    for i in range(start, stop):
        total = across = upward = toward = np.float32(0)
        for j in range(len(x)):
            dx, dy, dz = x[i] - x[j], y[i] - y[j], z[i] - z[j]
            q = np.float32(1) / (np.float32(1) + dx * dx + dy * dy + dz * dz)
            total += q
            across += q * q * dx
            upward += q * q * dy
            toward += q * q * dz
        sums[i], force[i, 0], force[i, 1], force[i, 2] = total - np.float32(1), across, upward, toward


@machine_code(fast=True)
def _together(
    start: Any, stop: Any, indptr: Any, indices: Any, weights: Any, points: Any, force: Any, measured: Any
) -> Any:
    """Write the attraction to `force`; the sum of the weights and of w · log(w ÷ q), where that is to be measured.

    `points` and `force` are (n, 3), the third column zero where a map has two.
    """
    total = divergence = 0.0
    for i in range(start, stop):
        across = upward = toward = 0.0
        for place in range(indptr[i], indptr[i + 1]):
            j, weight = indices[place], weights[place]
            dx, dy, dz = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1], points[i, 2] - points[j, 2]
            q = 1 / (1 + dx * dx + dy * dy + dz * dz)
            across += weight * q * dx
            upward += weight * q * dy
            toward += weight * q * dz
            if measured:
                total += weight
                divergence += weight * np.log(weight / (q + _EPSILON) + _EPSILON)
        force[i, 0], force[i, 1], force[i, 2] = across, upward, toward
    return total, divergence


def exact(points: Any, share: Share) -> tuple[Any, float]:
    """Return the repulsion Σ q² (y − y') of each point, (n, 2 or 3) float32, and Σ q over all ordered pairs."""
    n, d = points.shape
    axes = [np.ascontiguousarray(axis, np.float32) for axis in points.T]
    apart = _apart_2 if d == 2 else _apart_3
    repelled, sums = np.empty((n, d), np.float32), np.empty(n, np.float32)
    share(lambda start, stop: apart(start, stop, *axes, repelled, sums))
    return repelled, float(sums.sum(dtype=np.float64))


class Gradient:
    """The gradient of t-SNE in the form that openTSNE calls.

    Args:
        n: Number of points.
        repulsion: `exact`, or a `projection.grid_forces.Grid`.
        threads: How many share the points; what is computed does not depend on it.
    """

    def __init__(self, n: int, repulsion: Repulsion = exact, threads: int = 1) -> None:
        self._repulsion = repulsion
        self._edges = np.linspace(0, n, (threads if n >= SHARED_FROM else 1) + 1).astype(int).tolist()
        self._pool = ThreadPoolExecutor(len(self._edges) - 1) if len(self._edges) > 2 else None

    def __call__(self, embedding: Any, P: Any, should_eval_error: bool = False, **_: Any) -> tuple[float, Any]:
        """Return the KL divergence (0 where it is not requested) and its gradient, (n, 2 or 3)."""
        n, d = embedding.shape
        points, attracted = np.zeros((n, 3)), np.empty((n, 3))
        points[:, :d] = embedding
        repelled, normal = self._repulsion(points[:, :d], self._share)
        normal += _EPSILON
        weights = (P.indptr, P.indices, P.data)
        done = self._share(lambda start, stop: _together(start, stop, *weights, points, attracted, should_eval_error))
        total, divergence = (sum(measures) for measures in zip(*done, strict=True))
        return divergence + total * float(np.log(normal)), attracted[:, :d] - repelled / normal

    def _share(self, work: Callable[[int, int], Any]) -> list[Any]:
        if self._pool is None:
            return [work(*self._edges)]
        return list(self._pool.map(work, self._edges[:-1], self._edges[1:]))

    def __enter__(self) -> Gradient:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()
