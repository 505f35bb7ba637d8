"""The types of a projection method: its row of `PROJECTIONS`, and the layout that it returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.options import Method, Parameter
from embedviz.core.progress import Report
from embedviz.core.space import Float

Cost = Callable[[int, int, Mapping[str, Any]], float]

SEED = Parameter("seed", 0, 2**31 - 1, 0, "Another seed draws another map; the same seed draws the same.", "Seed")
EQUAL = "All rows are equal, so the map is one point."
SHARED_FROM = 2_000  # points from which several threads compute the gradient of t-SNE
UNTIL = Parameter(
    "until", 0, 5_000, 0, "Stop the run after this many steps and keep the points as they are.", "Stop at step", "never"
)
COMPONENTS = Parameter("components", 2, 3, 2, "Dimensions of the map. Three keep a little more but are harder to read.")


class Layout(NamedTuple):
    """The n points, (n, 2 or 3) float32, the titles of the axes, and a sentence on how to read the map.

    There are no titles if the axes mean nothing.
    """

    points: Float
    axes: tuple[str, ...]
    meaning: str


class StoppedRun(NamedTuple):
    """The step at which a run of a projection method was stopped, and the number of steps of a whole run."""

    step: int
    of: int

    @property
    def sentence(self) -> str:
        """Say at which step the run was stopped."""
        return f"Stopped at step {self.step:,} of {self.of:,}: the points had not come to rest."


@dataclass(frozen=True, kw_only=True)
class Projector(Method):
    """One row of `PROJECTIONS`: its function takes a space, rows, `report` and the options, and returns a `Layout`.

    Attributes:
        seconds: Function of n, d and all options. It returns the seconds for n words in d dimensions on this machine.
        memory: Function of n, d and all options. It returns the maximum bytes of memory, without the space itself.
        free: Whether the axes of the map mean nothing, so that the layout may be rotated.
        steps: Function of n and all options that returns the number of steps of a run; None for a method without steps.
        meaning: A sentence on how to read such a map; empty if the `Layout` has the sentence.
        neighborhood: Name of the option for the number of neighbors, which can be varied to test stability; or empty.
        spacing: Name of the option for the least distance of points, which can be varied to test stability; or empty.
    """

    seconds: Cost
    memory: Cost
    free: bool
    steps: Callable[[int, Mapping[str, Any]], int] | None = None
    meaning: str = ""
    neighborhood: str = ""
    spacing: str = ""

    def stopped(self, n: int, options: Mapping[str, Any]) -> StoppedRun | None:
        """Return the step at which a run of n words with these options is stopped; None if it runs to its end."""
        until, steps = int(options.get(UNTIL.name, 0)), self.steps(n, options) if self.steps is not None else 0
        return StoppedRun(until, steps) if 0 < until < steps else None

    def fitting(self, options: Mapping[str, Any], n: int) -> dict[str, Any]:
        """Return the options, each number limited to its maximum for n rows. Options that are texts stay unchanged."""
        most = {option.name: option.upper(n) for option in self.options if isinstance(option, Parameter)}
        given = {name: value for name, value in options.items() if name in most and isinstance(value, int | float)}
        return {**options, **{name: min(value, most[name]) for name, value in given.items()}}


def steps_taken(step: int, of: int) -> dict[str, Any]:
    """Return a keyword argument of `report`: `step`, an array of the current step and the number of all steps."""
    return {"step": np.array([step, of], np.uint32)}


def with_points(report: Report | None, change: Callable[[Float], Float]) -> Report | None:
    """Return a report function that passes its arguments to `report`, with the points changed by `change`.

    If `report` is None, return None.
    """
    if report is None:
        return None

    def changed(fraction: float | None = None, message: str = "", points: Float | None = None, **more: Any) -> None:
        report(fraction, message, **more, **({} if points is None else {"points": change(points)}))

    return changed
