"""The map that a page requests, with the job that makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from embedviz import projection
    from embedviz.core.call import Call
    from pages._shared.results import work

SLOT = "map"
SECOND = "map-beside"
"""`SLOT` and `SECOND`: the slots (places on a page) of the page's map, and of a second map beside it."""


@dataclass(frozen=True)
class RequestedMap:
    """A map that a page requests, and the map to draw until it is ready.

    Attributes:
        what: The call that computes the requested map.
        estimate: The estimated time to compute it.
        seen: The map to draw: the requested map if it is ready, else another map of the same space, or None.
        drawn: The call that computes the map to draw; equal to `what` if there is a `stream`.
        task: The job that makes the requested map; None if the map is ready or its job has not started.
        stream: Token for `scatter.mount()` with which the points move while the job runs; None if they do not move.
        slot: Name of the place on the page for this map.
        after: The step from which the job continues, if `drawn` is the same run, stopped earlier; else 0.
    """

    what: Call
    estimate: projection.TimeEstimate
    seen: projection.Projection | None
    drawn: Call
    task: work.Task | None = None
    stream: str | None = None
    slot: str = SLOT
    after: int = 0

    @property
    def ready(self) -> bool:
        """Return whether the map to draw is the requested one."""
        return self.seen is not None and self.drawn == self.what and self.stream is None
