"""Progress of long work: the form of a report, and reports for a part of the work."""

from collections.abc import Callable
from typing import Any

Report = Callable[..., None]
"""Called with the share that is done (0 to 1, None if unknown), a message, and keywords with further data to show.

It may raise an exception, to cancel the work.
"""


def tell(report: Report | None, fraction: float, message: str) -> None:
    """Report progress, if there is a report function."""
    if report is not None:
        report(fraction, message)


def part(report: Report | None, low: float, high: float, what: str = "") -> Report | None:
    """Return a report for a part of the work: 0 to 1 become `low` to `high`, and `what` is put before each message.

    If `report` is None, the result is None.
    """
    if report is None:
        return None

    def report_part(fraction: float | None = None, message: str = "", **more: Any) -> None:
        sentence = ": ".join(each for each in (what, message) if each)
        report(None if fraction is None else low + (high - low) * fraction, sentence, **more)

    return report_part


def step(report: Report | None, place: int, count: int, what: str = "") -> Report | None:
    """Return a report for step `place` of `count` equally long steps, counted from 0; None if `report` is None."""
    return part(report, place / count, (place + 1) / count, what)
