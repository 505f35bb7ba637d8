"""Work on a graphics card: one process at a time, in parts that fit its memory, and on the CPU where it cannot be done.

A function that takes the name of a torch device is run by `on_card`. The same function computes on the CPU.
"""

import contextlib
import fcntl
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, TypeVar

from embedviz.core import device
from embedviz.core.progress import Report

WAIT = 60.0
"""Seconds to wait for other processes that use the card."""
_POLL = 0.05
_log = logging.getLogger("embedviz")
_own = threading.RLock()  # the threads of this process
_depth = 0
Result = TypeVar("Result")


class LastUse:
    """The device of the last work in this process that was large enough for a card; *cpu* before any."""

    name = "cpu"

    @classmethod
    def reset(cls) -> None:
        """Forget what was used."""
        cls.name = "cpu"


def on_card(
    compute: Callable[[str], Result], *, named: str = "auto", pays: bool = True, report: Report | None = None
) -> Result:
    """Return what `compute` gives for the device in use, in turn with other processes, else for *cpu*.

    The CPU computes it where the work is too small to pay, and, with a sentence in the log and for `report`, where
    memory of the card runs out. A card that stays busy is an error only where it was asked for by name.

    Args:
        named: As in `device.named_device`; a card that is named is used for small work as well.
        pays: Whether the work is large enough for a card.

    Raises:
        DeviceError: There is no such device, or it stays busy.
    """
    wanted = device.named_device(named)
    place = device.chosen_device(wanted) if pays or wanted != "auto" else "cpu"
    if place == "cpu":
        return compute(place)
    try:
        with turn(place, report):
            LastUse.name = place
            return compute(place)
    except device.DeviceError as error:
        if wanted != "auto":
            raise device.DeviceError(f"{error} Try again later, or choose device cpu.") from None
        note = str(error)
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
        note = "The graphics card has too little free memory."
    # not inside the handler, whose traceback would keep what fills the card
    LastUse.name, sentence = "cpu", f"{note} The CPU computes it."
    _log.warning(sentence)
    if report is not None:
        report(None, sentence)
    free_cache(place)
    return compute("cpu")


@contextlib.contextmanager
def turn(place: str, report: Report | None = None, *, wait: float | None = None, keep: bool = False) -> Iterator[None]:
    """Hold a card alone among the processes of this user; inside a turn of the same thread another one is granted.

    Args:
        place: The device; for *cpu* nothing is held.
        wait: Seconds; `WAIT` where it is None.
        keep: Whether torch may keep free memory of the card for the next turn, as long work with short turns wants.

    Raises:
        DeviceError: Another process held it all the time.
    """
    global _depth
    if place == "cpu":
        yield
        return
    end = time.monotonic() + (WAIT if wait is None else wait)
    while not _own.acquire(timeout=_POLL):
        _wait(end, report)
    try:
        with contextlib.ExitStack() as held:
            if not _depth:
                held.enter_context(_locked(place, end, report))
                if not keep:
                    held.callback(free_cache, place)
            _depth += 1
            held.callback(_leave)
            yield
    finally:
        _own.release()


def _leave() -> None:
    global _depth
    _depth -= 1


@contextlib.contextmanager
def _locked(place: str, end: float, report: Report | None) -> Iterator[None]:
    """Lock the file of a card; a lock ends with its process, however that ended.

    Who waits holds a second file, so that the next turn is not again that of the process that had the last one.
    """
    with contextlib.ExitStack() as opened:
        with contextlib.suppress(OSError):  # where nothing can be written, processes are not in turn
            folder, name = device.cache_folder(), place.replace(":", "-")
            folder.mkdir(parents=True, exist_ok=True)
            file = opened.enter_context((folder / f"{name}.lock").open("ab"))
            with (folder / f"{name}.next").open("ab") as place_in_line:
                for each in (place_in_line, file):
                    while not _take(each):
                        _wait(end, report)
        yield


def _take(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait(end: float, report: Report | None) -> None:
    if time.monotonic() > end:
        raise device.DeviceError("Other computations keep the graphics card busy.")
    if report is not None:
        report(None, "Waiting for the graphics card")
    time.sleep(_POLL)


def by_parts(
    count: int, step: int, compute: Callable[[slice], None], done: Callable[[int], None] | None = None
) -> None:
    """Call `compute` for parts of so many items; where memory of a card runs out, for parts of half the size.

    Args:
        done: Called with the number of items that are done.

    Raises:
        RuntimeError: One item does not fit either.
    """
    start = 0
    while start < count:
        part = slice(start, min(start + step, count))
        try:
            compute(part)
        except RuntimeError as error:
            if part.stop - part.start < 2 or not out_of_memory(error):
                raise
            step = (part.stop - part.start) // 2
            continue
        start = part.stop
        if done is not None:
            done(start)


def out_of_memory(error: BaseException) -> bool:
    """Return whether torch says by this error that a card has no memory left; MPS has no class for it."""
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError) and "out of memory" in str(error)
    )


def free_cache(place: str) -> None:
    """Give memory that torch keeps for later back to other processes."""
    import torch

    if place.startswith("cuda"):
        torch.cuda.empty_cache()
    elif place == "mps":
        torch.mps.empty_cache()
