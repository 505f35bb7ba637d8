"""Repeated texts and texts that lie apart: near-duplicates and outliers among the rows, with their beginnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.output import csv_files
from pages._shared.results import calls, work

if TYPE_CHECKING:
    from pages._shared.sources.current import View

LISTED = 8
_LONGEST = 80  # characters of a text in a table
_PARTS = (
    ("duplicates", "Are texts repeated?", "embedviz.geometry.duplicates:near_duplicates"),
    ("outliers", "Are there outliers?", "embedviz.geometry.outliers:outliers"),
)


def section(sub: View) -> None:
    """Draw near-duplicates and outliers of the space of texts, once the visitor asks for them."""
    if address.get("repeats") != "yes":
        st.button("Find repeated texts and outliers", on_click=address.put, kwargs={"repeats": "yes"})
        return
    for column, (slot, title, function) in zip(st.columns(2, gap="large"), _PARTS, strict=True):
        with column:
            _listed(slot, title, function, sub)


def _listed(slot: str, title: str, function: str, sub: View) -> None:
    """Draw one of the verdicts, and the first rows that it lists."""
    states.panel(title, level=3)
    task = calls.task(f"documents-{slot}", call(function, sub.recipe))
    if task.result is None:
        work.show(task, "Comparing texts.")
        return
    states.meaning(task.result.meaning)
    header, rows = task.result.table()
    listed = list(rows)
    cells = [
        [number(cell) if isinstance(cell, float) else plain(str(cell), _LONGEST) for cell in row]
        for row in listed[:LISTED]
    ]
    if cells:
        states.table(header, cells, texts=(1,) if len(header) > 2 else ())
        text = csv_files.csv_text(listed, header).encode("utf-8-sig", "replace")
        st.download_button("Table", text, f"{slot}.csv", "text/csv", type="tertiary", key=f"documents:{slot}")
    states.details(task.result.note)
