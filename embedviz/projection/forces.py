"""The gradient of t-SNE, exactly and compiled: every pair of words, sixteen at a time on a processor that can.

For some thousand words this is faster than any approximation, and the same for any number of threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np

_EPSILON = float(np.finfo(np.float64).eps)
_SHARED_FROM = 2_000  # words from which threads share the work


def _jit(function: Callable[..., Any]) -> Any:
    """The function as machine code, kept on disk where a folder for it can be written.

    Not numba's own threads: code that it has just compiled for them adds up in another order than code from the disk.
    """
    how: dict[str, Any] = {"nogil": True, "fastmath": True, "error_model": "numpy"}  # a check would stop the lanes
    try:
        return numba.njit(cache=True, **how)(function)
    except RuntimeError:  # numba finds no such folder
        return numba.njit(**how)(function)


@_jit
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


@_jit
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


@_jit
def _together(indptr: Any, indices: Any, weights: Any, points: Any, force: Any, measured: Any) -> Any:
    """Adds the attraction to `force`; the sum of the weights and of w · log(w ÷ q), where that is to be measured."""
    total, divergence = 0.0, 0.0
    for i in range(len(points)):
        for place in range(indptr[i], indptr[i + 1]):
            j, weight = indices[place], weights[place]
            squared = 0.0
            for axis in range(points.shape[1]):
                squared += (points[i, axis] - points[j, axis]) ** 2
            q = 1 / (1 + squared)
            for axis in range(points.shape[1]):
                force[i, axis] += weight * q * (points[i, axis] - points[j, axis])
            if measured:
                total += weight
                divergence += weight * np.log(weight / (q + _EPSILON) + _EPSILON)
    return total, divergence


def gradient(
    embedding: Any,
    P: Any,
    should_eval_error: bool = False,
    n_jobs: int = 1,
    **_: Any,
) -> tuple[float, Any]:
    """The KL divergence (0 where it is not asked for) and its gradient, (n, 2 or 3), as openTSNE's own give them."""
    points = np.ascontiguousarray(embedding, np.float64)
    axes = [np.ascontiguousarray(axis, np.float32) for axis in points.T]
    force, sums = np.empty(points.shape, np.float32), np.empty(len(points), np.float32)
    apart = _apart_2 if len(axes) == 2 else _apart_3
    edges = np.linspace(0, len(points), 1 + (n_jobs if len(points) >= _SHARED_FROM else 1)).astype(int).tolist()
    if len(edges) == 2:
        apart(0, len(points), *axes, force, sums)
    else:
        with ThreadPoolExecutor(n_jobs) as threads:
            list(threads.map(lambda part: apart(*part, *axes, force, sums), itertools.pairwise(edges)))
    normal = float(sums.sum(dtype=np.float64))
    result = -force.astype(np.float64) / (normal + _EPSILON)
    total, divergence = _together(P.indptr, P.indices, P.data, points, result, should_eval_error)
    return divergence + total * np.log(normal + _EPSILON) if should_eval_error else 0.0, result
