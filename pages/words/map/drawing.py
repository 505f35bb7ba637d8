"""The figure of the Map page: the map under its badge, what it means, and what can be exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz import projection
from embedviz.core.phrases import listing
from embedviz.figures.scatter import scatter
from embedviz.projection.layout import UNTIL
from pages._shared.app import presenting, states
from pages._shared.controls import widgets
from pages._shared.map import badge, maps, questions, reading
from pages._shared.output import csv_files, export
from pages.words.map import (
    absent,
    comparing,
    faceting,
    filtering,
    inviting,
    listed,
    mounting,
    names,
    nearest,
    pair,
    paired,
    selection,
    stopped,
    sweeping,
    visitors,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from embedviz.neighbors import Neighborhood
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap

SPARE = 320
"""Pixels of the window above and below the map: title, controls, badge, and the line below the map."""
SPARE_PAIR = 352


def draw(
    view: View,
    drawn: DrawnMap,
    word: str | None,
    near: Neighborhood | None,
    second: pair.SecondMap | None = None,
    *,
    narrowed: bool,
) -> None:
    """Draw the map with everything above and below it.

    Args:
        word, near: The word in use and its nearest words; None if the space does not have the word.
        second: The second map, drawn next to it.
        narrowed: Whether the map was narrowed to words that were selected before.
    """
    sample = questions.sampled(drawn.words)
    maps.show(view, drawn.making, keep=lambda step: stopped.go_to(view, drawn, step))
    stopped.show(view, drawn)
    guests = visitors.guests_of(view, drawn)
    _above(view, drawn, guests, sample.missing, word, near, paired=second is not None)
    subject = f": {word}" if word and view.space.index[word] in drawn.projected.position else ""
    title = drawn.title if second is None else second.question.first
    note = {"title": f"{title}{subject}", "space": view.size, "count": drawn.count}
    note |= badge.lines(drawn.checked, drawn.method.name) | guests.note | names.lines(drawn.colors.color)
    picture = scatter(drawn.projected, drawn.colors.color, drawn.columns.facets, drawn.columns.regions)
    if second is None:
        mounting.mount(view, drawn, picture, note, word, near, guests, spare=SPARE)
    else:
        paired.draw(view, drawn, second, picture, note, word, near, guests, SPARE_PAIR)
    badge.noise(drawn.checked, drawn.projected.points, view.theme, phone=view.phone)
    _below(view, drawn, second, near)
    states.note(guests.note.get("guests", ""), *(guests.found.unread[:3] if guests.found is not None else ()))
    selection.undo_buttons(bool(drawn.hits.sentence), sample.added, narrowed)
    if drawn.making.stream:
        return
    color, filtered, marks = drawn.colors.color, filtering.filtered(picture).message, visitors.marks(view, guests)
    export.export_row(
        key="map",
        picture="map:map",
        table=lambda: csv_files.map_table(
            view.space, drawn.projected, color, also=pair.columns(second), guests=guests.found
        ),
        filename=f"map-{drawn.method.name}-{view.name}",
        calls=[*drawn.calls, *pair.made_calls(second), *guests.calls],
        note=note if second is None or not presenting.on("map") else note | {"title": second.question.both},
        depth=drawn.projected.points.shape[1] > 2,
        page=lambda: picture.html(note=note, second_map=pair.page(second), guests=marks, filtered=filtered),
    )
    sweeping.show(view, drawn)


def _above(
    view: View,
    drawn: DrawnMap,
    guests: visitors.GuestList,
    missing: Sequence[str],
    word: str | None,
    near: Neighborhood | None,
    *,
    paired: bool,
) -> None:
    """Write above the map: its meaning, its badge, its sample, and remarks on search, colors and absent words."""
    if not paired:
        own, noun = nearest.own_share(view, drawn, near), view.space.noun
        read = reading.answer(drawn.checked, drawn.method.name, noun)
        states.meaning(f"{stopped.unfinished(drawn)} {drawn.colors.meaning or f'{own} {read}'.strip()}".strip())
    with st.container(horizontal=True, vertical_alignment="center", key="count-row" if paired else "badge-row"):
        if not paired:
            badge.badge(drawn.task, drawn.making.drawn, view.theme, short=True, checking=drawn.checking)
        with st.container(width="content"):
            states.note(drawn.count)
        faceting.waiting(drawn.columns, drawn.colors, drawn.by)
        listed.show(drawn)
        names.control(drawn.colors.unnamed)
        inviting.control(view, drawn, guests)
        comparing.close(paired=paired)
        absent.show(view, drawn, word, near)
    states.note(drawn.hits.sentence)
    states.note(drawn.colors.problem)
    states.note(f"Not in this space, so not on the map: {listing(missing)}." if missing else "")


def _below(view: View, drawn: DrawnMap, second: pair.SecondMap | None, near: Neighborhood | None) -> None:
    """Write what the map means, how to move it, and how it was computed."""
    projected, color = drawn.projected, drawn.colors.color
    flat = projected.points.shape[1] == 2
    both = paired.meaning(drawn, second) if second is not None else ""
    large = presenting.on("map")  # the lecture view has no room for the sentence above the map
    own = nearest.own_share(view, drawn, near) if large else ""
    alone = badge.meaning(projected.meaning, drawn.checked, drawn.method.name) if large else projected.meaning
    states.meaning(both or (large and drawn.colors.meaning) or f"{own} {alone}".strip())
    whose = paired.colors_note(drawn, second) if second is not None else ""
    classes = color.note.removeprefix("" if both else drawn.colors.meaning) if color else ""
    states.note(whose, classes, selection.hint(flat=flat, phone=view.phone))
    idle = (*projection.idle(drawn.method, projected.points.shape[1]), *(() if projected.stopped else (UNTIL.name,)))
    settings = widgets.spoken(drawn.method, {key: at for key, at in projected.parameters.items() if key not in idle})
    ships = "This layout was computed in advance by the same function and ships with the program."
    states.details(
        f"{drawn.method.title}: {settings}." if settings else "",
        ships if projected.shipped else "",
        view.space.origin.note,
    )
