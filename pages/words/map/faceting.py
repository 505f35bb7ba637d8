"""Columns on the Map page: sizes, dates and names of regions, as the reader chose them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import OptionError
from embedviz.projection import coloring
from embedviz.projection.facets import Facets, dated, sized
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.results import calls, work
from pages.words.map import paint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from embedviz.core.call import Call
    from embedviz.core.options import Method
    from embedviz.core.space import VectorSpace
    from embedviz.retrieval.regions import Regions
    from pages._shared.map import requested

SIZE, TIME, REGIONS = "size", "dates", "regions"
"""Names in the address: the column of sizes, the column of dates, and how regions are named."""
_SLOT = "regions"
_WORDS = "words"
_NONE = "none"


@dataclass(frozen=True)
class FacetChoice:
    """Columns for the size of a point, for dates, and for the names of regions; empty for none."""

    size: str = ""
    time: str = ""
    regions: str = ""


@dataclass(frozen=True)
class MapColumns:
    """The columns of a map, the names of its regions, and the task that computes the names."""

    facets: Facets | None = None
    regions: Regions | None = None
    task: work.Task | None = None


def control(space: VectorSpace) -> FacetChoice:
    """Draw the choice of the columns for sizes, dates (if there are any) and names of regions; return the choice."""
    size = _pick("Size of a point", SIZE, sized(space), "", "All points have the same size")
    dates = dated(space)
    time = _pick("Dates", TIME, dates, next(iter(dates), ""), "No slider of dates") if dates else ""
    by = {_WORDS: "Typical words", **{name: space.column_title(name) for name in coloring.class_columns(space)}}
    return FacetChoice(size, time, _pick("Names of regions", REGIONS, by, "", "No names of regions"))


def _pick(label: str, name: str, columns: Mapping[str, str], usual: str, nothing: str) -> str:
    """Draw the choice of a column or of no column; return the name of the column, empty for none.

    If the address has no name or an unknown name, the choice is `usual`.
    """
    given = address.get(name)
    chosen = "" if given == _NONE else given if given in columns else usual

    def title(column: str) -> str:
        return plain(columns[column], 40) if column else nothing

    def written(column: str) -> str:
        return column or _NONE

    tied = address.bind(name, chosen, written)
    return str(st.selectbox(label, ["", *columns], format_func=title, **tied))


def columns_of(
    making: requested.RequestedMap, words: Call, by: Method, options: Mapping[str, Any], choice: FacetChoice
) -> MapColumns:
    """Return the columns of a map and, once the points of the map have stopped, the names of its regions.

    A job computes these names.

    Args:
        by, options: The coloring of the map, and the options of the coloring.
    """
    facets = _facets(words, by, options, choice)
    if not choice.regions or making.stream:
        work.release(_SLOT)
        return MapColumns(facets)
    naming = "" if choice.regions == _WORDS else choice.regions
    what = making.drawn
    about = call(
        "embedviz.retrieval.regions:regions", what.value("space"), what.value("rows"), what.part("points"), by=naming
    )
    task = calls.task(_SLOT, about, title="Naming the regions of a map")
    return MapColumns(facets, task.result, task)


def waiting(columns: MapColumns, colors: paint.Paint, by: Method) -> None:
    """Show that colors or names of regions are being computed, or why there are no names."""
    paint.waiting(colors, by)
    task = columns.task
    if task is not None and task.running:
        work.watch(task, lambda job: states.pill(f"Naming regions … {work.step(job)}"))
    elif task is not None and task.result is None:
        states.note(task.sentence)


def _facets(words: Call, by: Method, options: Mapping[str, Any], choice: FacetChoice) -> Facets | None:
    """Return the values of the chosen columns for the words of a map; None if none is chosen or one cannot be read."""
    space = calls.answer(words.value("space"))
    column = str(options.get("column", "")) if by.name == "column" else ""
    classes = column if column and not coloring.holds_values(space.metadata[column]) else ""
    if not (classes or choice.size or choice.time):
        return None
    names = {"classes": classes, "size": choice.size, "time": choice.time}
    try:
        question = call("embedviz.projection.facets:facets", words.value("space"), words.part("rows"), **names)
        found: Facets = calls.result(question)
    except OptionError:
        return None
    return found
