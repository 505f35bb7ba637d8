"""The points of a map on the Map page, with the word in use, its nearest words, and the marks of search or check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.figures.scatter import Scatter
from pages._shared.app import frame
from pages._shared.map import badge, stopping
from pages._shared.map import scatter as mounted
from pages.words.map import filtering, selection, stopped, visitors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from embedviz.neighbors import Neighborhood
    from pages._shared.map.filters import Filtered
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap
    from pages.words.map.visitors import GuestList

LEAST = 400


def mount(
    view: View,
    drawn: DrawnMap,
    picture: Scatter,
    note: Mapping[str, str],
    word: str | None,
    near: Neighborhood | None,
    guests: GuestList,
    *,
    key: str = "map",
    spare: int,
    link: str = "",
    marked: Sequence[int] = (),
    legend: bool = True,
) -> None:
    """Draw the points with their marks.

    Args:
        view: The view of the map's space.
        spare: Pixels of the window above and below the map.
        link: Key of the first of two maps side by side: hovering and choosing act on both; empty for a single map.
        marked: Positions to mark if there is no search and the map's check does not mark its worst points.
        legend: Whether a legend that hides classes stands below the map.
    """
    projected, checked = drawn.projected, drawn.checked
    has_word = word is not None and word in view.space.index
    hits = drawn.hits.places if drawn.hits.sentence else list(marked)
    mounted.mount(
        picture,
        key=key,
        height=LEAST,
        spare=spare,
        chosen=projected.position.get(view.space.index[word]) if word is not None and has_word else None,
        neighbors=[projected.position[int(row)] for row in near.rows if int(row) in projected.position] if near else [],
        hits=checked.worst().tolist() if checked is not None and badge.worst_marked() else hits,
        strangers=() if drawn.strangers is None else drawn.strangers.tolist(),
        selected=() if drawn.selected is None else drawn.selected,
        note=note,
        summary=f"{drawn.method.title} map of {len(projected.rows):,} {view.space.noun}s. {projected.meaning}",
        on_click=lambda click: frame.choose_word(click.word),
        on_select=lambda rows: selection.choose(projected, rows),
        stream=drawn.making.stream,
        link=link,
        guests=visitors.marks(view, guests),
        run=stopping.run(drawn.making),
        filtered=filtering.filtered(picture).message if legend else None,
        on_filter=frame.safely(lambda choice: _filter(key, choice, picture)),
        on_step=(lambda step: stopped.go_to(view, drawn, step)) if key == "map" else None,
    )


def _filter(key: str, choice: Filtered, picture: Scatter) -> None:
    """Write the reader's choices on one map into the page's address.

    For the first map these are the colored and hidden classes, the dates and the new names of classes. For the second
    map only the hidden classes are written.
    """
    if key == "map":
        filtering.choose(choice, picture)
    else:
        filtering.hide(choice)
