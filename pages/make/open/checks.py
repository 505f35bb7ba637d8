"""The check of a space in full: close rows, outliers, what smaller vectors cost, and a score card to print."""

import json
from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.core.call import Call, call
from embedviz.core.phrases import counted, number, share
from embedviz.evaluation.scorecard import Scorecard
from embedviz.figures.compression import compression_figure
from embedviz.geometry.compression import FEW, Compression
from embedviz.geometry.outliers import FEW as FEW_FOR_OUTLIERS
from pages._shared.app import address, states
from pages._shared.output import csv_files, export, figure
from pages._shared.results import calls, work
from pages._shared.sources import current
from pages.make.open import verdicts
from pages.make.open.exporting import size

CHECK, PRINT = "check", "card"
"""Names in the address: the space in use is checked; the score card is made."""
LISTED = 8
_PARTS = (
    ("duplicates", "Are rows unusually close?", "Comparing distances.", "embedviz.geometry.duplicates:near_duplicates"),
    ("outliers", "Are there outliers?", "Comparing densities.", "embedviz.geometry.outliers:outliers"),
)


def offer(view: current.View) -> None:
    """Offer to check the space in use."""
    st.html('<h2 class="ev-section">Check the space in use</h2>')
    states.note(f"How good is {view.name}? The check takes some seconds; of a large space up to two minutes.")
    st.button("Check this space", key="open:check", on_click=lambda: address.put(**{CHECK: "yes"}))


def show(view: current.View) -> None:
    """Show the check of the space in use, and a button that closes it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        states.panel("How good are these vectors?", f"{view.name}, the space in use", level=3)
        closing = {CHECK: None, PRINT: None}
        st.button("Close the check", key="open:check-closed", on_click=address.put, kwargs=closing, type="tertiary")
    verdicts.section(view, view.recipe, 0)
    with st.container(horizontal=True):
        st.page_link("words/map/page.py", label="Open the map", icon=":material/scatter_plot:")
        if view.space.noun == "word":
            st.page_link("quality/evaluation/page.py", label="Evaluate", icon=":material/fact_check:")
    section(view, view.recipe, 0)


def section(view: current.View, recipe: catalog.Recipe, dropped: int) -> None:
    """Draw the parts of the check below the verdict, each as soon as it is computed.

    Args:
        dropped: Rows of the file that were left out.
    """
    if (rows := catalog.entry(recipe).rows) < FEW:
        states.note(
            f"{counted(rows, 'row')}: close rows and the cost of smaller vectors are measured from {FEW} rows on, "
            f"outliers from {FEW_FOR_OUTLIERS}."
        )
        return
    for column, (slot, title, doing, function) in zip(st.columns(2, gap="large"), _PARTS, strict=True):
        with column:
            _listed(slot, title, doing, call(function, recipe))
    _smaller(view, recipe)
    _printable(call("embedviz.evaluation.scorecard:scorecard", recipe, dropped=dropped))


def _listed(slot: str, title: str, doing: str, question: Call) -> None:
    """Draw a verdict on single rows, and the first of them."""
    states.panel(title, level=3)
    found = _result(slot, question, doing)
    if found is None:
        return
    states.meaning(found.meaning)
    header, rows = found.table()
    listed = list(rows)
    digits = 3 if slot == "duplicates" else 2  # cosines close to 1
    cells = [
        [number(cell, digits) if isinstance(cell, float) else str(cell) for cell in row] for row in listed[:LISTED]
    ]
    if cells:
        states.table(header, cells, texts=(1,) if len(header) > 2 else ())
        states.note(found.legend)
        text = csv_files.csv_text(listed, header).encode("utf-8-sig", "replace")
        st.download_button(
            "Table", text, f"{slot}.csv", "text/csv", type="tertiary", icon=export.TABLE_ICON, key=f"open:{slot}"
        )
    states.details(found.note)


def _smaller(view: current.View, recipe: catalog.Recipe) -> None:
    """Draw which share of the neighbors each smaller form keeps, with its bytes."""
    question = call("embedviz.geometry.compression:compression", recipe)
    states.panel("What would it cost to make it smaller?", "Smaller forms of the vectors", level=3)
    found: Compression | None = _result("compression", question, "Comparing smaller vectors.")
    if found is None:
        return
    states.meaning(found.meaning)
    left, right = st.columns([1.4, 1], gap="large")
    with left:
        figure.plotly(compression_figure(found, view.theme, phone=view.phone), "open-compression")
        states.note(f"Dotted: unrelated vectors. Lines: 95\u00a0% intervals. Sample: {counted(found.sample, 'row')}.")
    with right:
        rows = [(form.title, size(form.bytes), share(form.preserved)) for form in found.by_bytes]
        states.table(("", "in memory", "neighbors kept"), [("32-bit numbers", size(found.whole), share(1.0)), *rows])
    states.details(found.note)
    export.export_row(
        key="compression",
        picture="plot:open-compression",
        table=found.table,
        filename=f"smaller-{recipe.name or recipe.kind}",
        calls=[question],
        note={"title": "Smaller vectors", "meaning": found.meaning, "baseline": found.note},
    )


def _printable(question: Call) -> None:
    """Offer the score card as a file."""
    if address.get(PRINT) != "yes":
        st.button("Make the score card", key="open:card", on_click=lambda: address.put(**{PRINT: "yes"}))
        return
    found: Scorecard | None = _result("scorecard", question, "Making the score card.")
    if found is None:
        return
    states.meaning(found.meaning)
    name = csv_files.file_name(found.name)
    card: dict[str, Any] = {"verdict": found.meaning, "card": found.card()}
    with st.container(horizontal=True):
        st.download_button("Score card (Markdown)", found.markdown(), f"{name}-check.md", "text/markdown")
        text = json.dumps(card, ensure_ascii=False, indent=1, default=float)
        st.download_button("Score card (JSON)", text, f"{name}-check.json", "application/json")
    with st.expander("Score card"):
        st.code(found.markdown(), language=None, wrap_lines=True)


def _result(slot: str, question: Call, what: str) -> Any:
    """Return the result of a part; None while it is computed, or for too few rows: the page says so."""
    task = calls.task(slot, question, title=what.rstrip("."))
    if task.lasting:  # too few rows: no progress is left to show
        states.meaning(task.sentence)
    elif task.result is None:
        work.show(task, what)
    return task.result
