"""How long work reports its progress: the type of report functions, and report functions for parts of the work."""

from collections.abc import Callable
from typing import Any

Report = Callable[..., None]
"""A function that long work calls to report its progress.

It takes the share of the work that is done (0 to 1, None if unknown), a message, and keywords with further data to
show. The function may raise an exception, to cancel the work.
"""


def tell(report: Report | None, fraction: float, message: str) -> None:
    """Report the share of the work that is done, and a message, if `report` is not None."""
    if report is not None:
        report(fraction, message)


def part(report: Report | None, low: float, high: float, what: str = "") -> Report | None:
    """Return a report function for a part of the work, which passes the progress on to `report`.

    Shares from 0 to 1 of the part become shares from `low` to `high` of the whole work. `what` is put before each
    message. If `report` is None, the result is None.
    """
    if report is None:
        return None

    def report_part(fraction: float | None = None, message: str = "", **more: Any) -> None:
        sentence = ": ".join(each for each in (what, message) if each)
        report(None if fraction is None else low + (high - low) * fraction, sentence, **more)

    return report_part


def step(report: Report | None, place: int, count: int, what: str = "") -> Report | None:
    """Return a report function for step number `place`, from 0, of `count` equally long steps; see `part()`."""
    return part(report, place / count, (place + 1) / count, what)
