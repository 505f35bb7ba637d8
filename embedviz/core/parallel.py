"""Work on many rows, divided among the threads that a computation may use."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from embedviz.core import device


def in_parts(n: int, work: Callable[[slice], Any], *, least: int = 1) -> None:
    """Call `work` for all rows, with one part of the rows in each thread.

    Threads run in parallel only in compiled code and numpy, which release the GIL.

    Args:
        n: Number of rows.
        work: Called once in each thread, with the slice of the rows of its part.
        least: Minimum number of rows per thread.
    """
    threads = min(device.threads(), max(1, n // least))
    bounds = np.linspace(0, n, threads + 1).astype(int).tolist()
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
