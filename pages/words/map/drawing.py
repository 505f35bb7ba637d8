"""The figure of the Map page: the map under its badge, what it means, and what can be exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz import projection
from embedviz.core.phrases import listing
from embedviz.figures.scatter import Scatter, scatter
from embedviz.projection import shipped
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape
from pages._shared.controls import widgets
from pages._shared.map import badge, maps, questions
from pages._shared.map import scatter as mounted
from pages._shared.output import csv_files, export
from pages.words.map import listed, paint, selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from embedviz.neighbors import Neighborhood
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap

SPARE = 304
"""Pixels of the window above and below the map: title, controls, badge, and the line under it."""
LEAST = 480


def draw(view: View, drawn: DrawnMap, word: str | None, near: Neighborhood | None, *, narrowed: bool) -> None:
    """Draw the map with everything above and below it.

    Args:
        word: The word in use, where the space has it; `near`: its nearest words.
        narrowed: Whether the map was narrowed to selected words.
    """
    sample = questions.sampled(drawn.words)
    maps.show(view, drawn.making)
    _above(view, drawn, sample.missing)
    _not_drawn(view, drawn, word)
    subject = f": {word}" if word and view.space.index[word] in drawn.shown.position else ""
    note = {"title": f"{_title(drawn)}{subject}", "space": view.size, "count": drawn.count}
    note |= badge.lines(drawn.checked, drawn.method.name)
    picture = scatter(drawn.shown, drawn.colors.color)
    _mount(view, drawn, picture, note, word, near)
    badge.noise(drawn.checked, drawn.shown.points, view.theme, phone=view.phone)
    _below(view, drawn)
    selection.ways_back(bool(drawn.hits.sentence), sample.added, narrowed)
    if drawn.making.stream:
        return
    color = drawn.colors.color
    export.export_row(
        key="map",
        picture="map:map",
        table=lambda: csv_files.map_table(view.space, drawn.shown, color),
        filename=f"map-{drawn.method.name}-{view.name}",
        calls=[drawn.making.drawn, *([drawn.colored] if color else []), drawn.checking],
        note=note,
        page=lambda: picture.html(note=note),
    )


def _title(drawn: DrawnMap) -> str:
    flat = drawn.shown.points.shape[1] == 2
    return f"{drawn.method.title} map{'' if flat else ' in three dimensions'}"


def _above(view: View, drawn: DrawnMap, missing: Sequence[str]) -> None:
    """Draw the badge, the sample, and what there is to say of search, colors and missing words."""
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        badge.badge(drawn.task, drawn.making.drawn, view.theme, short=view.phone, checking=drawn.checking)
        with st.container(width="content"):
            states.note(drawn.count)
        paint.waiting(drawn.colors, drawn.by)
        if drawn.colors.measured is not None:
            listed.show(drawn.colors.measured, drawn.by, drawn.shown.words)
    states.note(drawn.hits.sentence)
    states.note(drawn.colors.problem)
    states.note(f"Not in this space, so not on the map: {listing(missing)}." if missing else "")


def _not_drawn(view: View, drawn: DrawnMap, word: str | None) -> None:
    """Say at the map that the word in use is not drawn, and offer to add it."""
    if word is None or drawn.making.stream or view.space.index[word] in drawn.shown.position:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            states.note(f"“{view.label_or_word(word)}” is not among the {view.space.noun}s of this map.")
        added = {"add": [*address.get_list("add"), word]}
        st.button(f"Draw {escape(word, 30)} too", icon=":material/add:", on_click=address.put, kwargs=added)


def _mount(
    view: View,
    drawn: DrawnMap,
    picture: Scatter,
    note: dict[str, str],
    word: str | None,
    near: Neighborhood | None,
) -> None:
    """Draw the points with the word in use, its nearest, and what a search or the check marks."""
    shown, checked = drawn.shown, drawn.checked
    mounted.mount(
        picture,
        key="map",
        height=LEAST,
        spare=SPARE,
        chosen=shown.position.get(view.space.index[word]) if word else None,
        neighbors=[shown.position[int(row)] for row in near.rows if int(row) in shown.position] if near else [],
        hits=checked.worst().tolist() if checked is not None and badge.worst_marked() else drawn.hits.places,
        strangers=drawn.strangers.tolist(),
        selected=() if drawn.selected is None else drawn.selected,
        note=note,
        summary=f"{drawn.method.title} map of {len(shown.rows):,} {view.space.noun}s. {shown.meaning}",
        on_click=lambda click: frame.choose_word(click.word),
        on_select=lambda rows: selection.choose(shown, rows),
        stream=drawn.making.stream,
    )


def _below(view: View, drawn: DrawnMap) -> None:
    """Write what the map means, how it is moved, and how it was computed."""
    shown, color = drawn.shown, drawn.colors.color
    flat = shown.points.shape[1] == 2
    states.meaning(badge.meaning(shown.meaning, drawn.checked, drawn.method.name))
    states.note(color.note if color else "", selection.hint(flat=flat, phone=view.phone))
    idle = projection.idle(drawn.method, shown.points.shape[1])
    settings = widgets.spoken(drawn.method, {key: value for key, value in shown.parameters.items() if key not in idle})
    ships = shipped.layout(view.space, shown.rows, shown.method, shown.parameters) is not None
    states.details(
        f"{drawn.method.title}: {settings}." if settings else "",
        "This layout was computed in advance by the same function and ships with the program." if ships else "",
        view.space.origin.note,
    )
