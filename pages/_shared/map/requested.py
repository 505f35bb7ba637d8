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
"""The slots of the map of a page, and of the one beside it."""


@dataclass(frozen=True)
class RequestedMap:
    """A map that a page requests, and what is drawn until it is there.

    Attributes:
        what: Which.
        estimate: What it costs.
        seen: The map to draw: the one asked for, or another of the same space until it is there, or None.
        drawn: What `seen` is a map of.
        task: The job that makes it; None where it is there, or not begun.
        stream: Where the words shown are those of the job, and follow it: what `scatter.mount` takes.
        slot: The place on the page.
        after: The step at which the map to draw was stopped, where the job draws it on from there.
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
