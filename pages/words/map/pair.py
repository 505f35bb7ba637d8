"""The second map beside the first: how it is made, and what an export has of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from embedviz.core.call import Call, call
from embedviz.figures.scatter import Scatter, scatter
from pages._shared.map import badge, maps
from pages._shared.results import calls, work
from pages.words.map.drawn import DrawnMap, drawn_map

if TYPE_CHECKING:
    from embedviz.geometry.comparison import Overlap
    from pages.words.map.beside import Beside
    from pages.words.map.controls import MapQuestion

K = 10
CHANGES = "map-changes"


@dataclass(frozen=True)
class SecondMap:
    """The map beside the first: what was asked for, how it is made, and all that is drawn with it.

    Attributes:
        drawn: None while there is nothing to draw.
        picture: Its figure; `same`: whether it shows the words of the first map in their order.
        changed: For another space, the neighbors that each word keeps there, once compared; `comparing`: the call.
        task: The job that compares them.
    """

    asked: Beside
    making: maps.Making
    drawn: DrawnMap | None
    picture: Scatter | None
    same: bool
    comparing: Call | None = None
    task: work.Task | None = None

    @property
    def changed(self) -> Overlap | None:
        """Return the neighbors that each word keeps in the other space, once compared."""
        found: Overlap | None = self.task.result if self.task is not None else None
        return found

    @property
    def note(self) -> dict[str, str]:
        """Return what stands beside its picture."""
        if self.drawn is None:
            return {}
        size = {"title": self.asked.title, "space": self.asked.view.size, "count": self.drawn.count}
        return size | badge.lines(self.drawn.checked, self.drawn.method.name)


def second(asked: MapQuestion, first: DrawnMap, word: str | None) -> SecondMap | None:
    """Ask for the second map, with the word in use on it; None where the address names none."""
    beside = asked.beside
    if beside is None:
        for slot in (maps.BESIDE, "badge-beside", "color-beside", CHANGES):
            work.release(slot)
        return None
    making = maps.make(beside.view, beside.what, maps.BESIDE)
    there = word if word is not None and word in beside.view.space.index else None
    drawn = drawn_map(beside.view, asked, making, making.seen, there, first) if making.seen is not None else None
    picture = scatter(drawn.shown, drawn.colors.color) if drawn is not None else None
    same = drawn is not None and list(drawn.shown.words) == list(first.shown.words)
    if not beside.other:
        work.release(CHANGES)
        return SecondMap(beside, making, drawn, picture, same)
    ours, rows = first.words.value("space"), first.words.part("rows")
    comparing = call("embedviz.geometry.comparison:overlap_among", ours, beside.view.recipe, rows, k=K)
    task = calls.task(CHANGES, comparing, title="Comparing the neighbors of two spaces")
    return SecondMap(beside, making, drawn, picture, same, comparing, task)


def columns(beside: SecondMap | None) -> dict[str, list[str | float]]:
    """Return the places of the second map as columns of a table, where it shows the words of the first."""
    if beside is None or beside.drawn is None or not beside.same:
        return {}
    places = zip("xyz", beside.drawn.shown.points.T.tolist(), strict=False)
    return {f"{axis} ({beside.asked.title})": values for axis, values in places}


def page(beside: SecondMap | None) -> tuple[Scatter, dict[str, str]] | None:
    """Return the second map with its note for a page of its own, where it shows the words of the first."""
    if beside is None or beside.picture is None or not beside.same:
        return None
    return beside.picture, beside.note


def asked_calls(beside: SecondMap | None) -> list[Call]:
    """Return the calls of the second map."""
    if beside is None or beside.drawn is None:
        return []
    more = [beside.comparing] if beside.comparing is not None else []
    return [beside.drawn.making.drawn, beside.drawn.checking, *more]
