"""Repeated texts and texts that lie apart: near-duplicates and outliers among the rows, with their beginnings."""

from functools import partial

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.core.phrases import number
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.output import export
from pages._shared.results import calls, work
from pages._shared.sources.current import View

LISTED = 8
_LONGEST = 80  # characters of a text in a table
_HIDDEN = ("distance ratio",)  # columns that only the exported table has
_PARTS = (
    ("duplicates", "Are texts repeated?", "embedviz.geometry.duplicates:near_duplicates"),
    ("outliers", "Are there outliers?", "embedviz.geometry.outliers:outliers"),
)


def offer() -> None:
    """Offer to look for repeated texts and outliers."""
    if address.get("repeats") != "yes":
        st.button("Find repeated texts and outliers", on_click=address.put, kwargs={"repeats": "yes"})


def section(sub: View, made: Call) -> None:
    """Draw near-duplicates and outliers of the space of texts, once the visitor asks for them.

    Args:
        made: The call that makes the space in a notebook.
    """
    if address.get("repeats") != "yes":
        return
    for column, part in zip(st.columns([1.4, 1], gap="large"), _PARTS, strict=True):
        with column:
            _listed(*part, sub, made)


def _listed(slot: str, title: str, function: str, sub: View, made: Call) -> None:
    """Draw the verdict on duplicates or outliers, and a table that lists the first of them."""
    states.panel(title, level=3)
    task = calls.task(f"documents-{slot}", call(function, sub.recipe))
    if task.result is None:
        work.show(task, "Comparing texts.")
        return
    states.meaning(task.result.meaning)
    header, rows = task.result.table()
    listed = list(rows)
    visible = [place for place, name in enumerate(header) if name not in _HIDDEN]
    cells = [[_cell(row[place]) for place in visible] for row in listed[:LISTED]]
    if cells:
        states.table([header[place] for place in visible], cells, texts=range(1, len(visible) - 1))
    if len(listed) > LISTED:
        states.note(f"The first {LISTED} of {len(listed):,} are shown; the table has all.")
    states.details(task.result.note)
    if cells:
        export.export_row(
            key=f"documents-{slot}",
            picture=None,
            table=partial(export.csv_text, listed, header),
            filename=f"documents-{slot}",
            calls=[call(function, made.part("space"))],
            note={"title": title, "meaning": task.result.meaning},
        )


def _cell(value: object) -> str:
    return number(value) if isinstance(value, float) else plain(str(value), _LONGEST)
