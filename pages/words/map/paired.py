"""Two maps side by side. Hovering, choosing, finding or selecting a word on one map marks the word on both maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import share
from pages._shared.app import frame, presenting, states
from pages._shared.map import badge, maps, reading, reasons
from pages._shared.output.wordlist import WordRow, wordlist
from pages._shared.results import calls, work
from pages.words.map import mounting, paint, visitors
from pages.words.map.pair import CHANGES, K
from pages.words.map.trusting import trusted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from embedviz.figures.scatter import Scatter
    from embedviz.neighbors import Neighborhood
    from embedviz.projection.quality import Checked
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap
    from pages.words.map.pair import SecondMap

LISTED = 8
_LINK, _KEY = "map", "map-beside"


def draw(
    view: View,
    first: DrawnMap,
    second_map: SecondMap,
    picture: Scatter,
    note: Mapping[str, str],
    word: str | None,
    near: Neighborhood | None,
    guests: visitors.GuestList,
    spare: int,
) -> None:
    """Draw both maps under their badges, side by side; on a phone the second stands below the first."""
    with st.container(key=presenting.PAIR):
        left, right = st.columns(2, gap="small")
    how: dict[str, Any] = {"spare": spare, "link": _LINK, "marked": _marked(second_map, first)}
    with left:
        states.panel(second_map.question.first, _preserved(first.checked, view), level=3)
        with st.container(horizontal=True, key="badge-row"):
            badge.badge(first.task, first.making.drawn, view.theme, short=True, checking=first.checking)
        mounting.mount(view, first, picture, note, word, near, guests, **how)
    with right:
        states.panel(second_map.question.title, _about(second_map, view), level=3)
        sub, drawn = second_map.question.view, second_map.drawn
        if drawn is None or second_map.picture is None:
            maps.show(sub, second_map.making)
            return
        with st.container(horizontal=True, key="badge-row-beside"):
            _badge(drawn)
            paint.waiting(drawn.colors, drawn.by)
        there = word if second_map.question.other and word in sub.space.index else None
        about = call("embedviz.neighbors:neighborhood", sub.recipe, (there,), K) if there is not None else None
        nearest = near if not second_map.question.other else calls.result(about) if about is not None else None
        placed = visitors.guests_of(sub, drawn)
        how |= {"key": _KEY, "legend": not first.columns.facets}  # a slider of dates is drawn once
        mounting.mount(sub, drawn, second_map.picture, second_map.note, word, nearest, placed, **how)
        maps.show(sub, second_map.making)


def _badge(drawn: DrawnMap) -> None:
    """Draw the badge of the second map: the result of its quality check, or why there is no result yet."""
    if drawn.task is None:
        states.pill("○ ○ ○ Not checked while it moves")
    elif (found := drawn.checked) is not None:
        with st.container(key="badge-beside"), st.popover(reading.pill(found, short=True), key="badge-beside-more"):
            st.html(reasons.reasons(found))
    elif drawn.task.running:
        work.watch(drawn.task, lambda _: states.pill("○ ○ ○ Checking this map …"))
    else:
        states.pill(f"Not checked: {drawn.task.sentence}")


def _about(second_map: SecondMap, view: View) -> str:
    """Return the line below the second map's title: the share of neighbors that it keeps, or that it is not ready."""
    if second_map.drawn is None or second_map.making.ready:
        return _preserved(second_map.drawn.checked if second_map.drawn is not None else None, view)
    return "on its way" if second_map.making.stream else f"meanwhile {second_map.drawn.method.title}"


def _preserved(checked: Checked | None, view: View) -> str:
    """Return a text: the share of neighbors that a map keeps, and the baseline (maps of structureless copies)."""
    if checked is None:
        return "not checked yet"
    preserved, copied = share(checked.quality.neighbor_preservation), share(checked.neighbors_in_copies)
    return f"keeps {preserved} of each {view.space.noun}’s {checked.quality.k} nearest (map of random data: {copied})"


def colors_note(first: DrawnMap, second_map: SecondMap) -> str:
    """Return a sentence: which map's patches the colors show, and on which maps; empty if they show no patches."""
    if first.by.name != "patches" or first.colors.color is None:
        return ""
    title = second_map.question.first
    if not second_map.same:
        return f"The colors are the patches of {title}; the other map shows other words, so it has one color."
    return f"The colors on both maps are the patches of {title}."


def meaning(first: DrawnMap, second_map: SecondMap) -> str:
    """Return sentences that compare the two maps; empty until both maps are checked or the two spaces are compared.

    For one space: which statements to trust on which map (empty for too few points). For two: how neighbors differ.
    """
    if second_map.question.other:
        return second_map.changed.meaning if second_map.changed is not None else ""
    there = second_map.drawn.checked if second_map.drawn is not None else None
    if first.checked is None or there is None:
        return ""
    return trusted(first.checked, there, second_map.question)


def _marked(second_map: SecondMap, first: DrawnMap) -> list[int]:
    """Return the positions, on the first map, of the words whose neighbors changed most, at most `LISTED`.

    Empty if the second map has other words, or if no neighbors were compared.
    """
    if second_map.changed is None or not second_map.same:
        return []
    places = {word: place for place, word in enumerate(first.projected.words)}
    return [places[one.word] for one in second_map.changed.changed(LISTED) if one.overlap < 1 and one.word in places]


def changes(view: View, second_map: SecondMap | None) -> None:
    """List the words whose neighbors differ most between two spaces; draw nothing for two maps of one space."""
    if second_map is None or second_map.task is None:
        return
    states.panel("Neighbors differ most", f"Among the {view.space.noun}s of these maps")
    found = second_map.changed
    if found is None:
        work.show(second_map.task, "Comparing the neighbors of two spaces.")
        return
    listed = [one for one in found.changed(LISTED) if one.overlap < 1]
    rows = [
        WordRow(one.word, one.overlap, share(one.overlap), label=view.label(view.space.row(one.word))) for one in listed
    ]
    wordlist(
        "Neighbors differ most", rows, (view.space.noun, "kept"), frame.choose_word, key=CHANGES, tick=found.chance
    )
    states.note(f"Squares mark them on both maps. {found.by_word}" if rows else f"{found.meaning}")
    states.details(found.baseline, f"Neighbors: the {found.k} nearest by cosine among these {view.space.noun}s.")
