"""Work on a graphics card: one process at a time, in parts that fit its memory; on the CPU if the card is not free.

`on_card` calls a function with the name of a torch device. The same function computes on the CPU.
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
_own = threading.RLock()  # one thread of this process at a time
_depth = 0
Result = TypeVar("Result")


class LastUse:
    """The graphics card that this process used last. It is *cpu* before the first use, and after a card failed."""

    name = "cpu"

    @classmethod
    def reset(cls) -> None:
        """Reset the name of the device to *cpu*."""
        cls.name = "cpu"


def on_card(
    compute: Callable[[str], Result], *, named: str = "auto", pays: bool = True, report: Report | None = None
) -> Result:
    """Call `compute` with the name of a device, and return the result of `compute`.

    Only one process uses a card at a time. The device is *cpu* if the work is too small for a card. It is also *cpu* if
    the memory of the card runs out, or if a card that was not named stays busy. In these two cases the log and `report`
    get a sentence. If the memory runs out, `compute` is called again from the beginning.

    Args:
        named: A device, as in `device.named_device()`. A named card is also used for small work.
        pays: Whether the work is large enough for a card.

    Raises:
        DeviceError: There is no such device, or the named card stays busy.
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
    # not inside the handler: its traceback would keep the tensors that fill the card
    LastUse.name, sentence = "cpu", f"{note} The CPU computes it."
    _log.warning(sentence)
    if report is not None:
        report(None, sentence)
    free_cache(place)
    return compute("cpu")


@contextlib.contextmanager
def turn(place: str, report: Report | None = None, *, wait: float | None = None, keep: bool = False) -> Iterator[None]:
    """Reserve a graphics card for this thread inside the block.

    Meanwhile no other thread, and no other process of this user, can reserve the card. Blocks of one thread can be
    nested.

    Args:
        place: The device; *cpu* is never reserved.
        wait: Seconds to wait for the card; None means `WAIT`.
        keep: Whether torch keeps its unused memory of the card after the block. This suits many short blocks.

    Raises:
        DeviceError: Another process or thread held the card the whole time.
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
    """Hold the lock on the file of a card inside the block. If the process ends, its lock ends too.

    A process first locks a second file, which means that it is the next in line, and then waits for the card. So a
    process that had the card cannot get it again before the process that is next in line.

    Args:
        end: Time, as `time.monotonic()` gives it, at which the waiting ends with a `DeviceError`.
    """
    with contextlib.ExitStack() as opened:
        with contextlib.suppress(OSError):  # without a folder that can be written, processes do not take turns
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
    """Call `compute` for parts of `count` items. If the memory of the card runs out, the parts become half as large.

    Args:
        count: Number of items.
        step: Number of items of a part at the beginning.
        compute: Called with the slice of the items of a part.
        done: Called after each part, with the number of items that are computed so far.

    Raises:
        RuntimeError: A single item does not fit, or `compute` fails for another reason.
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
    """Return whether an error of torch means that a card has no memory left. MPS has no error class for it."""
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError) and "out of memory" in str(error)
    )


def free_cache(place: str) -> None:
    """Release the memory of the card that torch holds but does not use, so that other processes can use it."""
    import torch

    if place.startswith("cuda"):
        torch.cuda.empty_cache()
    elif place == "mps":
        torch.mps.empty_cache()
