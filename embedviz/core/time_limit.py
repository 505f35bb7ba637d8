"""A time limit for reading a file, so that a file that is built to be slow cannot block a process.

The limit grows with the size of the file, so that a large file of a slow format can be read to its end.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, TypeVar

LEAST_SECONDS = 60.0
"""Seconds that the reading of a file may always take, whatever its size."""
LEAST_BYTES_A_SECOND = 250_000
"""Bytes for which the limit grows by one second. On an idle machine the slowest format reads 5,000,000 per second."""
GRACE = 10.0
"""Seconds after the time limit. Then a process that has not stopped reading is ended."""
STATUS = 75
"""The exit status of a worker process that was ended after the limit."""
VARIABLE = "EMBEDVIZ_READING_SECONDS"
"""The environment variable that sets one limit in seconds for files of all sizes."""
_AGAIN = 0.01  # seconds until the alarm is repeated
_MOST_FILES = 10_000  # files of a folder whose sizes are summed
_ends: ContextVar[float | None] = ContextVar("reading_ends", default=None)
P = ParamSpec("P")
R = TypeVar("R")


class Ending:
    """How this process ends if a C library does not return in time.

    Attributes:
        way: A function that ends the process. It is called in another thread, and receives a sentence for the user. It
            is None in a process that must not end.
    """

    way: ClassVar[Callable[[str], object] | None] = None


class TimeIsUp(BaseException):
    """Raised when the time for reading a file is over; `limited` turns it into an error for the user."""


def seconds_for(size: int) -> float:
    """Return how many seconds reading a file of `size` bytes may take."""
    with suppress(ValueError):
        return max(0.001, float(os.environ.get(VARIABLE, "")))
    return LEAST_SECONDS + size / LEAST_BYTES_A_SECOND


def check() -> None:
    """Check that there is time left for the file that is being read. Readers call this between pieces of the file.

    Raises:
        TimeIsUp: The time is over.
    """
    ends = _ends.get()
    if ends is not None and time.monotonic() > ends:
        raise TimeIsUp


@contextmanager
def limited(path: str | Path, refused: type[ValueError]) -> Iterator[None]:
    """Stop the code of the block, which reads a file, when the time for this file is over.

    In the main thread a timer interrupts any Python code. In another thread, the code must call `check()` to be
    stopped. If such blocks are nested, only the limit of the outermost block counts.

    Raises:
        ValueError: The time was over; the class is `refused`. The message names the size, the limit and what to do.
    """
    if _ends.get() is not None:
        yield
        return
    size = _size(Path(path))
    most = seconds_for(size)
    sentence = (
        f"The file ({size / 1e6:,.1f} MB) was not read within {most:,.3g} seconds, the limit for its size. "
        f"Save it in a simpler format, such as text or .npz, or set {VARIABLE} to more seconds."
    )
    token = _ends.set(time.monotonic() + most)
    try:
        with _alarm(most), _last_resort(most, sentence):
            yield
    except TimeIsUp:
        raise refused(sentence) from None
    finally:
        _ends.reset(token)


def within_time(refused: type[ValueError]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that limits the time of a function whose first argument is the path of a file."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            given: Any = args[0] if args else kwargs.get("path", kwargs.get("source", ""))
            with limited(given, refused):
                return function(*args, **kwargs)

        return run

    return decorate


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUp` in the block after these seconds, if it runs in the main thread and SIGALRM is not in use.

    If Python ignores the exception, as in a destructor, it is raised again.
    """
    free = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )
    if not free:
        yield
        return
    armed, usual = True, sys.unraisablehook

    def ring(number: int, frame: object) -> None:
        if armed:
            raise TimeIsUp

    def ignored(lost: sys.UnraisableHookArgs) -> None:
        if isinstance(lost.exc_value, TimeIsUp):  # it came in the middle of a destructor
            signal.setitimer(signal.ITIMER_REAL, _AGAIN if armed else 0)
        else:
            usual(lost)

    sys.unraisablehook = ignored
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = usual
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@contextmanager
def _last_resort(seconds: float, sentence: str) -> Iterator[None]:
    """End the process by `Ending.way` if the block still runs `GRACE` seconds after the limit.

    Args:
        seconds: The limit.
        sentence: The sentence for the user that `Ending.way` receives.
    """
    way = Ending.way
    if way is None:
        yield
        return
    timer = threading.Timer(seconds + GRACE, way, [sentence])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _size(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder; 0 if it cannot be read."""
    try:
        files = islice(path.rglob("*"), _MOST_FILES) if path.is_dir() else [path]
        return sum(file.stat().st_size for file in files if file.is_file())
    except (OSError, ValueError):
        return 0
