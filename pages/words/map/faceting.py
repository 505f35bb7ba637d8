"""Columns on the Map page: which number is the size of a point, which dates are a slider, and what is hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import OptionError
from embedviz.projection import coloring
from embedviz.projection.facets import Facets, dated, sized
from pages._shared.app import address
from pages._shared.app.escape import plain
from pages._shared.map.selections import Filtered
from pages._shared.results import calls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from embedviz.core.call import Call
    from embedviz.core.options import Method
    from embedviz.core.space import VectorSpace

SIZE, TIME, HIDDEN, DATES, CLASSES = "size", "dates", "hide", "between", "column_classes"
"""Names in the address: the columns of size and dates; hidden classes; first and last date; classes in color."""
_NONE = "none"
_BETWEEN = ".."


@dataclass(frozen=True)
class FacetChoice:
    """Names of the columns that are the size of a point and the dates; empty for none."""

    size: str = ""
    time: str = ""


def control(space: VectorSpace) -> FacetChoice:
    """Draw the choice of the size and, where a column holds dates, of these."""
    size = _pick("Size of a point", SIZE, sized(space), "", "All points have the same size")
    dates = dated(space)
    return FacetChoice(size, _pick("Dates", TIME, dates, next(iter(dates), ""), "No slider of dates") if dates else "")


def _pick(label: str, name: str, columns: Mapping[str, str], usual: str, nothing: str) -> str:
    """Draw the choice of a column, or none; a name in the address that is no column counts as the usual one."""
    given = address.get(name)
    chosen = "" if given == _NONE else given if given in columns else usual

    def title(column: str) -> str:
        return plain(columns[column], 40) if column else nothing

    def written(column: str) -> str:
        return column or _NONE

    tied = address.bind(name, chosen, written)
    return str(st.selectbox(label, ["", *columns], format_func=title, **tied))


def facets_of(words: Call, by: Method, options: Mapping[str, Any], choice: FacetChoice) -> Facets | None:
    """Return the columns of the words of a map; None without any, or where a column cannot be read."""
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


def filtered() -> Filtered:
    """Return what the address hides and colors."""
    classes = [name for each in address.get(CLASSES).split("|") if (name := " ".join(each.split()))]
    dates = tuple(address.get(DATES).split(_BETWEEN))
    return Filtered(tuple(classes), tuple(address.get_list(HIDDEN)), dates if len(dates) == 2 else ())


def choose(choice: Filtered) -> None:
    """Write into the address what the reader of the map hid and colored."""
    classes = " | ".join(choice.classes) or None
    address.put(**{CLASSES: classes, HIDDEN: choice.hidden, DATES: _BETWEEN.join(choice.range) or None})
