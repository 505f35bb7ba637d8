"""The gradient of t-SNE by compiled code, with the exact repulsion of every pair of points.

A processor may compute sixteen pairs at a time. For some thousand points this is faster than any approximation, and the
result does not depend on the number of threads. For more points, `projection.grid_forces` computes the repulsion.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.projection.layout import SHARED_FROM

_EPSILON = float(np.finfo(np.float64).eps)
Found = TypeVar("Found")
_PIECE = 500
"""Number of points that a thread takes at a time in `PointThreads.overlap()`."""
Part = Callable[[int, int], Any]
"""A function that takes start and stop, and does some work for the points from start to stop."""
Repulsion = Callable[[Any, "PointThreads", Part], tuple[Any, float]]
"""A function that takes points, threads and a `Part`. It returns the repulsion of each point, and Σ q over all pairs.

While it computes, it also calls the `Part`, which computes the attraction, for all points.
"""


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
def _together_2(start: Any, stop: Any, indptr: Any, indices: Any, weights: Any, x: Any, y: Any, force: Any) -> None:
    for i in range(start, stop):
        across = upward = np.float32(0)
        for place in range(indptr[i], indptr[i + 1]):
            j = indices[place]
            dx, dy = x[i] - x[j], y[i] - y[j]
            pull = np.float32(weights[place]) / (np.float32(1) + dx * dx + dy * dy)
            across += pull * dx
            upward += pull * dy
        force[i, 0], force[i, 1] = across, upward


@machine_code(fast=True)
def _together_3(
    start: Any, stop: Any, indptr: Any, indices: Any, weights: Any, points: Any, force: Any, measured: Any
) -> Any:
    """Write into `force` the attraction of the points from `start` to `stop`.

    If `measured` is true, return Σ w and Σ w · log(w ÷ q) over the weights w of these points, else two zeros. `points`
    and `force` are (n, 3).
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


class PointThreads:
    """Threads that divide the work on the points; the calling thread is one of them.

    Args:
        n: Number of points.
        threads: Number of threads; for fewer than `SHARED_FROM` points only one thread is used.
    """

    def __init__(self, n: int, threads: int = 1) -> None:
        self._n, self._threads = n, threads if n >= SHARED_FROM else 1
        self._parts = [*pairwise(np.linspace(0, n, self._threads + 1).astype(int).tolist())]
        self._pool = ThreadPoolExecutor(self._threads - 1) if self._threads > 1 else None

    def share(self, work: Part) -> None:
        """Run `work` for all points. Each thread gets an equal part of the points."""
        own, *rest = self._parts
        others = [self._pool.submit(work, *part) for part in rest] if self._pool is not None else []
        work(*own)
        for other in others:
            other.result()

    def overlap(self, work: Part, own: Callable[[], Found]) -> Found:
        """Run `work` for all points in the other threads, while this thread runs `own`. Return the result of `own`.

        After `own`, this thread helps with the points that are left.
        """
        if self._pool is None:
            work(0, self._n)
            return own()
        pieces = [(start, min(start + _PIECE, self._n)) for start in range(0, self._n, _PIECE)]

        def take() -> None:
            with suppress(IndexError):  # no piece is left
                while True:
                    work(*pieces.pop())

        others = [self._pool.submit(take) for _ in range(self._threads - 1)]
        found = own()
        take()
        for other in others:
            other.result()
        return found

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def exact(points: Any, threads: PointThreads, attract: Part) -> tuple[Any, float]:
    """Return the repulsion Σ q² (y − y') of each point y, (n, 2 or 3) float32, and Σ q over all ordered pairs.

    y' are the other points, and q is 1 ÷ (1 + |y − y'|²). The same threads also call `attract` for all points.
    """
    n, d = points.shape
    axes = [np.ascontiguousarray(axis, np.float32) for axis in points.T]
    apart = _apart_2 if d == 2 else _apart_3
    repelled, sums = np.empty((n, d), np.float32), np.empty(n, np.float32)

    def both(start: int, stop: int) -> None:
        apart(start, stop, *axes, repelled, sums)
        attract(start, stop)

    threads.share(both)
    return repelled, float(sums.sum(dtype=np.float64))


class Gradient:
    """The gradient of t-SNE, as an object that openTSNE can call.

    Args:
        n: Number of points.
        repulsion: `exact`, or a `projection.grid_forces.Grid`.
        threads: Number of threads; the result does not depend on it.
    """

    def __init__(self, n: int, repulsion: Repulsion = exact, threads: int = 1) -> None:
        self._repulsion, self._threads = repulsion, PointThreads(n, threads)

    def __call__(self, embedding: Any, P: Any, should_eval_error: bool = False, **_: Any) -> tuple[float, Any]:
        """Return the KL divergence (0 if it is not requested) and its gradient, (n, 2 or 3)."""
        n, d = embedding.shape
        weights = (P.indptr, P.indices, P.data)
        measures: dict[int, tuple[float, float]] = {}
        attracted = np.empty((n, 3))
        if d == 2 and not should_eval_error:
            axes = [np.ascontiguousarray(axis, np.float32) for axis in embedding.T]

            def attract(start: int, stop: int) -> None:
                _together_2(start, stop, *weights, *axes, attracted)
        else:
            points = np.zeros((n, 3))
            points[:, :d] = embedding

            def attract(start: int, stop: int) -> None:
                measures[start] = _together_3(start, stop, *weights, points, attracted, should_eval_error)

        repelled, normal = self._repulsion(np.asarray(embedding), self._threads, attract)
        normal += _EPSILON
        total, divergence = (sum(measures[start][place] for start in sorted(measures)) for place in range(2))
        return divergence + total * float(np.log(normal)), attracted[:, :d] - repelled / normal

    def __enter__(self) -> Gradient:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.close()
