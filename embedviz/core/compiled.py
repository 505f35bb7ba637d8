"""Functions as machine code: one way for all loops that numpy has no call for. Whoever imports this loads numba."""

import contextlib
from collections.abc import Callable
from typing import Any

import numba


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
