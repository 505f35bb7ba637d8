"""The types of a method of projection: its row of `PROJECTIONS`, and the layout that it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from embedviz.core.options import Method, Parameter
from embedviz.core.progress import Report
from embedviz.core.space import Float

Cost = Callable[[int, int, Mapping[str, Any]], float]

SEED = Parameter("seed", 0, 2**31 - 1, 0, "Another seed draws another map; the same seed draws the same.", "Seed")
EQUAL = "All rows are equal, so the map is one point."
SHARED_FROM = 2_000  # words from which threads share the exact gradient of t-SNE
COMPONENTS = Parameter("components", 2, 3, 2, "Dimensions of the map. Three keep a little more but are harder to read.")


class Layout(NamedTuple):
    """Points (n, 2 or 3) float32, a title for each axis or none, and what may be read from them, in a sentence."""

    points: Float
    axes: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Projector(Method):
    """One row of `PROJECTIONS`: its function takes a space, rows, `report` and the options, and returns a `Layout`.

    Attributes:
        seconds: How long n words in d dimensions take on this machine with these options, all of them given.
        memory: How many bytes that takes at most, the space itself left out.
        free: Whether its axes mean nothing, so that the layout may be turned.
    """

    seconds: Cost
    memory: Cost
    free: bool


def with_points(report: Report | None, change: Callable[[Float], Float]) -> Report | None:
    """Return a report that changes the points before it passes them on."""
    if report is None:
        return None

    def changed(fraction: float | None = None, message: str = "", points: Float | None = None, **more: Any) -> None:
        report(fraction, message, **more, **({} if points is None else {"points": change(points)}))

    return changed
