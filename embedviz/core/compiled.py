"""Functions as machine code: one way for all loops that numpy has no call for. Whoever imports this loads numba."""

import contextlib
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np

from embedviz.core import device


def machine_code(*, fast: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Make a function machine code, kept on disk where a folder for it can be written; other threads go on meanwhile.

    A division by zero gives what numpy's does: a check would stop the lanes.

    Not numba's own threads: code that it has just compiled for them adds up in another order than code from the disk.

    Args:
        fast: Sums may be added in another order than is written, and no number may be infinite or NaN.
    """
    how: dict[str, Any] = {"nogil": True, "fastmath": fast, "error_model": "numpy"}

    def made(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=True, **how)(function)
        except RuntimeError:  # numba finds no such folder
            return numba.njit(**how)(function)

    return made


def keep_on_disk(*functions: Any) -> None:
    """Keep functions on disk that their library compiles anew in each process, where a folder can be written."""
    for function in functions:
        with contextlib.suppress(RuntimeError):  # numba finds no folder
            function.enable_caching()


def in_parts(n: int, work: Callable[[slice], Any]) -> None:
    """Do the work for all rows, a part in each thread; compiled code does not block the other threads."""
    bounds = np.linspace(0, n, device.threads() + 1).astype(int).tolist()
    parts = [slice(start, end) for start, end in itertools.pairwise(bounds) if end > start]
    if len(parts) < 2:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(len(parts) - 1) as pool:
        others = [pool.submit(work, part) for part in parts[1:]]
        work(parts[0])
        for other in others:
            other.result()
