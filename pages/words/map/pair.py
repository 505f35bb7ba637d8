"""The second map, next to the first: how it is made, and its part of an export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from embedviz.core.call import Call, call
from embedviz.figures.scatter import Scatter, scatter
from pages._shared.map import badge, maps, requested
from pages._shared.results import calls, work
from pages.words.map.drawn import DrawnMap, drawn_map

if TYPE_CHECKING:
    from embedviz.geometry.comparison import Overlap
    from pages.words.map.companion import SecondQuestion
    from pages.words.map.controls import MapQuestion

K = 10
CHANGES = "map-changes"


@dataclass(frozen=True)
class SecondMap:
    """The second map: how it is made, and all that is drawn with it.

    Attributes:
        question: The second map, as the controls describe it.
        making: The requested map, and what is drawn until it is ready.
        drawn: The map; None if no map can be drawn yet.
        picture: The figure of the map; None without a map.
        same: Whether the second map has the words of the first map, in the same order.
        comparing: The call that compares the neighbors of words in both spaces; None if both maps are of one space.
        task: The job of `comparing`.
    """

    question: SecondQuestion
    making: requested.RequestedMap
    drawn: DrawnMap | None
    picture: Scatter | None
    same: bool
    comparing: Call | None = None
    task: work.Task | None = None

    @property
    def changed(self) -> Overlap | None:
        """Return the neighbors that each word keeps in the space of the second map; None without a comparison.

        There is no comparison until its job has ended, or if both maps are of one space.
        """
        found: Overlap | None = self.task.result if self.task is not None else None
        return found

    @property
    def note(self) -> dict[str, str]:
        """Return the lines of text next to the picture of the second map, by name."""
        if self.drawn is None:
            return {}
        size = {"title": self.question.title, "space": self.question.view.size, "count": self.drawn.count}
        return size | badge.lines(self.drawn.checked, self.drawn.method.name)


def second(question: MapQuestion, first: DrawnMap, word: str | None) -> SecondMap | None:
    """Return the second map, with the word in use on it; None if the address names no second map."""
    companion = question.companion
    if companion is None:
        for slot in (requested.SECOND, "badge-beside", "color-beside", CHANGES):
            work.release(slot)
        return None
    making = maps.make(companion.view, companion.what, requested.SECOND)
    there = word if word is not None and word in companion.view.space.index else None
    drawn = drawn_map(companion.view, question, making, making.seen, there, first) if making.seen is not None else None
    picture = scatter(drawn.projected, drawn.colors.color) if drawn is not None else None
    same = drawn is not None and list(drawn.projected.words) == list(first.projected.words)
    if not companion.other:
        work.release(CHANGES)
        return SecondMap(companion, making, drawn, picture, same)
    ours, rows = first.words.value("space"), first.words.part("rows")
    comparing = call("embedviz.geometry.comparison:overlap_among", ours, companion.view.recipe, rows, k=K)
    task = calls.task(CHANGES, comparing, title="Comparing the neighbors of two spaces")
    return SecondMap(companion, making, drawn, picture, same, comparing, task)


def titled(first: DrawnMap, second_map: SecondMap | None) -> dict[str, DrawnMap]:
    """Return, by title, the one or two maps that show the space in use."""
    if second_map is None:
        return {"the map": first}
    found = {second_map.question.first: first}
    if second_map.drawn is not None and not second_map.question.other:
        found[second_map.question.title] = second_map.drawn
    return found


def columns(second_map: SecondMap | None) -> dict[str, list[str | float]]:
    """Return the second map's coordinates as columns of a table; empty if it does not show the first map's words."""
    if second_map is None or second_map.drawn is None or not second_map.same:
        return {}
    places = zip("xyz", second_map.drawn.projected.points.T.tolist(), strict=False)
    return {f"{axis} ({second_map.question.title})": values for axis, values in places}


def page(second_map: SecondMap | None) -> tuple[Scatter, dict[str, str]] | None:
    """Return the picture of the second map and its note, for a separate page.

    None if the second map does not show the words of the first map.
    """
    if second_map is None or second_map.picture is None or not second_map.same:
        return None
    return second_map.picture, second_map.note


def made_calls(second_map: SecondMap | None) -> list[Call]:
    """Return the calls that an export of the second map holds."""
    if second_map is None or second_map.drawn is None:
        return []
    more = [second_map.comparing] if second_map.comparing is not None else []
    return [second_map.drawn.making.drawn, second_map.drawn.checking, *more]
