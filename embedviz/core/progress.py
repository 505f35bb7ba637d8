"""How far long work is: what a report is, and a report for a part of the work."""

from collections.abc import Callable
from typing import Any

Report = Callable[..., None]
"""Called with the share done, 0 to 1 or None where that is not known, a message, and what else is to be shown.

It may raise, to cancel.
"""


def tell(report: Report | None, fraction: float, message: str) -> None:
    """Report progress, if there is a report function."""
    if report is not None:
        report(fraction, message)


def part(report: Report | None, low: float, high: float, what: str = "") -> Report | None:
    """Return a report whose 0 to 1 are `low` to `high` of the whole, and whose messages begin with `what`."""
    if report is None:
        return None

    def report_part(fraction: float | None = None, message: str = "", **more: Any) -> None:
        sentence = ": ".join(each for each in (what, message) if each)
        report(None if fraction is None else low + (high - low) * fraction, sentence, **more)

    return report_part


def step(report: Report | None, place: int, count: int, what: str = "") -> Report | None:
    """Return a report for one of several steps of the same length."""
    return part(report, place / count, (place + 1) / count, what)
