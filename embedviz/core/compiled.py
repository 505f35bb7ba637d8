"""Compilation with numba, for loops that numpy has no function for. Importing this module loads numba."""

import contextlib
from collections.abc import Callable
from typing import Any

import numba


def machine_code(*, fast: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function to machine code.

    The code is cached on disk if a folder for it can be written. Compiled code releases the GIL. A division by zero
    gives infinity or NaN as in numpy, because a check would prevent vector instructions. numba's own threads are not
    used: with them, newly compiled code sums in another order than cached code.

    Args:
        fast: Whether the compiler may change the order of sums. Then no number may be infinite or NaN.
    """
    how: dict[str, Any] = {"nogil": True, "fastmath": fast, "error_model": "numpy"}

    def made(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=True, **how)(function)
        except RuntimeError:  # numba finds no folder that can be written
            return numba.njit(**how)(function)

    return made


def keep_on_disk(*functions: Any) -> None:
    """Cache compiled functions of another library on disk. Without this, each process compiles them again."""
    for function in functions:
        with contextlib.suppress(RuntimeError):  # numba finds no folder that can be written
            function.enable_caching()
