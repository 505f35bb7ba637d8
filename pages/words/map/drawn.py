"""A map with everything that is drawn on it: colors, check, search hits, selection."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from embedviz import projection
from embedviz.core.call import Call, call
from embedviz.core.options import OptionError
from embedviz.neighbors import lookup
from embedviz.projection.coloring import MapColoring
from pages._shared.app import address
from pages._shared.map import badge, questions, requested
from pages._shared.results import calls
from pages.words.map import faceting, names, paint, selection

if TYPE_CHECKING:
    from embedviz.core.options import Method
    from embedviz.core.space import Ints
    from embedviz.projection import Projection
    from embedviz.projection.quality import Checked
    from pages._shared.results import work
    from pages._shared.sources.current import View
    from pages.words.map.controls import MapQuestion

MOST = 50_000
"""Greatest number of points of a map on which false neighbors of a word are searched."""
_STRANGERS = "embedviz.projection.quality.distortion:strangers"


@dataclass(frozen=True)
class DrawnMap:
    """A map, its colors, its check, and the words marked on it.

    Attributes:
        making: The map, and whether it is the requested map.
        projected: The map to draw.
        words: The call that samples the words of the map.
        method: The projection: a row of the table `PROJECTIONS`.
        colors, by, colored: The colors (or why there are none), the coloring, and the call that gives the colors.
        hits: Where a search pattern was found.
        checking, task, checked: The call that checks the map, its job, and the result (None until it is known).
        selected: Positions of the selected words; None without a selection.
        count: A text: how many words of how many are drawn, and by which rule they were chosen.
        strangers: Positions of the points near the word in use on the map, but not in the space; None if not searched.
        columns: The columns by which the reader colors, sizes and filters, and the names of regions.
    """

    making: requested.RequestedMap
    projected: Projection
    words: Call
    method: projection.Projector
    colors: paint.Paint
    by: Method
    colored: Call
    hits: paint.PatternHits
    checking: Call
    task: work.Task | None
    checked: Checked | None
    selected: Ints | None
    count: str
    strangers: Ints | None
    columns: faceting.MapColumns

    @property
    def calls(self) -> list[Call]:
        """Return the calls that an export of the map holds."""
        return [self.making.drawn, *([self.colored] if self.colors.color else []), self.checking]

    @property
    def title(self) -> str:
        """Return the title of a picture of the map."""
        flat, run = self.projected.points.shape[1] == 2, None if self.making.stream else self.projected.stopped
        where = f", stopped at step {run.step:,} of {run.of:,}" if run is not None else ""
        return f"{self.method.title} map{'' if flat else ' in three dimensions'}{where}"


def drawn_map(
    view: View,
    question: MapQuestion,
    making: requested.RequestedMap,
    projected: Projection,
    word: str | None,
    first: DrawnMap | None = None,
) -> DrawnMap:
    """Return a map with all that is drawn on it. Until a slow map is computed, another map is drawn.

    Args:
        first: The first map, if this is the second one; else None. If both maps have the same words, the second takes
            the colors of the first; else it has no colors. Colors that measure the map itself, except *patches*, are
            computed for each map.
    """
    what = making.drawn
    words, method = questions.words_of(what), projection.PROJECTIONS[what.value("method")]
    if first is None or (isinstance(question.color, MapColoring) and question.color.name != "patches"):
        colored, colors = _painted(question, making, words, "color" if first is None else "color-beside")
    else:
        colored, colors = first.colored, paint.same(first.colors, first.projected, projected)
    checking = badge.check(what)
    slot = "badge" if first is None else "badge-beside"
    task = None if making.stream else badge.measured(view, checking, projected, slot)
    count = questions.sampled(words).size(len(projected.rows), view.space)
    if not making.ready:
        count = f"{method.title} {'on its way' if making.stream else 'meanwhile'}: {count}"
    return DrawnMap(
        making=making,
        projected=projected,
        words=words,
        method=method,
        colors=colors,
        by=question.color,
        colored=colored,
        hits=paint.matching(view, words, lookup.as_pattern(address.get("find")), len(projected.rows)),
        checking=checking,
        task=task,
        checked=task.result if task is not None else None,
        selected=selection.chosen(words),
        count=count,
        strangers=_strangers(making, projected, projected.position.get(view.space.index[word]) if word else None),
        columns=faceting.MapColumns()
        if first is not None
        else faceting.columns_of(making, words, question.color, question.painted, question.columns),
    )


def _strangers(making: requested.RequestedMap, projected: Projection, place: int | None) -> Ints | None:
    """Return points near `place` on the map but not in the space; None if they cannot be found or there is no place."""
    if place is None or making.stream or len(projected.rows) > MOST:
        return None
    space, rows, method, options = questions.map_arguments(making.drawn)
    metric = projection.metric_of(method, options)
    question = call(_STRANGERS, space, rows, making.drawn.part("points"), place, metric=metric)
    with suppress(OptionError):  # fewer than four points, or all rows are equal
        return calls.result(question)  # type: ignore[no-any-return]
    return None


def _painted(question: MapQuestion, making: requested.RequestedMap, words: Call, slot: str) -> tuple[Call, paint.Paint]:
    """Return the call that computes the colors, and the colors: none by a measure of the map while its points move."""
    by, options = question.color, question.painted
    if not isinstance(by, MapColoring):
        colored = questions.colored(words, by.name, options)
        return colored, names.applied(paint.paint(colored, by))
    colored = questions.colored_by_map(making.drawn, by, options)
    if making.stream:
        return colored, paint.Paint(problem=f"{by.title}: measured when the points have stopped.")
    measuring = questions.measured(making.drawn, by, options)
    return colored, names.applied(paint.paint_by_map(measuring, colored, slot))
