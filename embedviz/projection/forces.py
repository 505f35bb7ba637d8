"""The gradient of t-SNE, exactly and compiled: every pair of words, sixteen at a time on a processor that can.

For some thousand words this is faster than any approximation, and the same for any number of threads.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.projection.layout import SHARED_FROM

_EPSILON = float(np.finfo(np.float64).eps)


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


def gradient(embedding: Any, P: Any, should_eval_error: bool = False, n_jobs: int = 1, **_: Any) -> tuple[float, Any]:
    """Return the KL divergence (0 where it is not asked for) and its gradient, (n, 2 or 3), as openTSNE gives them."""
    n, d = embedding.shape
    points = np.zeros((n, 3))
    points[:, :d] = embedding
    axes = [np.ascontiguousarray(axis, np.float32) for axis in points.T[:d]]
    apart = _apart_2 if d == 2 else _apart_3
    repelled, sums, attracted = np.empty((n, d), np.float32), np.empty(n, np.float32), np.empty((n, 3))

    def work(part: tuple[int, int]) -> tuple[float, float]:
        apart(*part, *axes, repelled, sums)
        measures: tuple[float, float] = _together(
            *part, P.indptr, P.indices, P.data, points, attracted, should_eval_error
        )
        return measures

    if n < SHARED_FROM or n_jobs == 1:
        done = [work((0, n))]
    else:
        edges = np.linspace(0, n, n_jobs + 1).astype(int).tolist()
        with ThreadPoolExecutor(n_jobs) as threads:
            done = list(threads.map(work, itertools.pairwise(edges)))
    normal = float(sums.sum(dtype=np.float64)) + _EPSILON
    total, divergence = (sum(measures) for measures in zip(*done, strict=True))
    return divergence + total * float(np.log(normal)), attracted[:, :d] - repelled / normal
