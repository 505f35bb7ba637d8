"""The check of a space in full: near-duplicates, outliers, the cost of smaller vectors, and a score card to print."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.phrases import counted, number, share
from embedviz.figures.compression import compression_figure
from embedviz.geometry.compression import FEW, Compression
from embedviz.geometry.outliers import FEW as FEW_FOR_OUTLIERS
from pages._shared.app import address, states
from pages._shared.output import csv_files, export, figure
from pages._shared.results import calls, work
from pages._shared.sources import current
from pages.make.open import cards, verdicts

CHECK = "check"
"""Name in the address: whether the check of the space in use is open."""
LISTED = 8
_SMALLER = "embedviz.geometry.compression:compression"
_PARTS = {
    "duplicates": ("Are there duplicates?", "Looking for duplicates.", "embedviz.geometry.duplicates:near_duplicates"),
    "outliers": ("Are there outliers?", "Looking for outliers.", "embedviz.geometry.outliers:outliers"),
    "compression": ("What would smaller vectors cost?", "Comparing smaller vectors.", _SMALLER),
}


def offer(view: current.View) -> None:
    """Draw a button that opens the check of the space in use."""
    st.html('<h2 class="ev-section">Check the space in use</h2>')
    states.note(
        f"How good is {view.name}? Its report is like that of a file. It takes some seconds, for a large space up to "
        "two minutes."
    )
    st.button("Check this space", key="open:check", on_click=lambda: address.put(**{CHECK: "yes"}))


def show(view: current.View) -> None:
    """Show the check of the space in use, and a button that closes it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        states.panel("How good are these vectors?", f"{view.name}, the space in use", level=3)
        closing = {CHECK: None, cards.PRINT: None}
        st.button("Close the check", key="open:check-closed", on_click=address.put, kwargs=closing, type="tertiary")
    verdicts.section(view, view.recipe, {})
    with st.container(horizontal=True):
        st.page_link("words/map/page.py", label="Open the map", icon=":material/scatter_plot:")
        if view.space.noun == "word":
            st.page_link("quality/evaluation/page.py", label="Evaluate", icon=":material/fact_check:")
    section(view, view.recipe, {})


def section(view: current.View, recipe: catalog.Recipe, lost: Mapping[str, int]) -> None:
    """Draw the parts of the check below the verdict, each as soon as it is computed.

    Args:
        lost: Two counts: *dropped*, rows that were left out, and *missing*, rows that the file lacks.
    """
    if (rows := catalog.entry(recipe).rows) < FEW:
        states.note(
            f"{counted(rows, 'row')}: close rows and the cost of smaller vectors are measured from {FEW} rows on, "
            f"outliers from {FEW_FOR_OUTLIERS}."
        )
        return
    about = catalog.entry(recipe).title
    tasks = [
        calls.task(slot, call(function, recipe), title=f"{doing.rstrip('.')}: {about}")
        for slot, (_, doing, function) in _PARTS.items()
    ]
    for column, task in zip(st.columns(2, gap="large"), tasks[:-1], strict=True):
        with column:
            _listed(task)
    _smaller(view, recipe, tasks[-1])
    cards.section(recipe, lost, tasks)


def _listed(task: work.Task) -> None:
    """Draw the verdict on duplicates or outliers, a table of the first `LISTED` of them, and a download of all."""
    slot = task.slot
    states.panel(_PARTS[slot][0], level=3)
    found = _result(task)
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
        part = (
            ""
            if len(listed) <= LISTED
            else f"The first {LISTED} of {len(listed):,} {'pairs' if slot == 'duplicates' else 'outliers'}."
        )
        states.note(part, found.legend)
        text = csv_files.csv_text(listed, header).encode("utf-8-sig", "replace")
        st.download_button(
            "Download as CSV",
            text,
            f"{slot}.csv",
            "text/csv",
            type="tertiary",
            icon=export.TABLE_ICON,
            key=f"open:{slot}",
        )
    states.details(found.note)


def _smaller(view: current.View, recipe: catalog.Recipe, task: work.Task) -> None:
    """Draw, for each smaller form of the vectors, its size in bytes and the share of neighbors that it keeps."""
    states.panel(_PARTS[task.slot][0], "How many of the nearest neighbors stay the same", level=3)
    found: Compression | None = _result(task)
    if found is None:
        return
    states.meaning(found.meaning)
    figure.plotly(compression_figure(found, view.theme, phone=view.phone), "open-compression")
    half = max(max(form.high - form.preserved, form.preserved - form.low) for form in found.forms)
    states.note(
        f"Dotted line: what chance keeps ({share(found.chance)}). Sample: {counted(found.sample, 'row')}; "
        f"95\u00a0% intervals: ± {100 * half:.1f} points or less."
    )
    states.details(found.note)
    export.export_row(
        key="compression",
        picture="plot:open-compression",
        table=found.table,
        filename=f"smaller-{csv_files.file_name(catalog.entry(recipe).title)}",
        calls=[call(_SMALLER, recipe)],
        note={"title": "Smaller vectors", "meaning": found.meaning, "baseline": found.note},
    )


def _result(task: work.Task) -> Any:
    """Return the result of one part of the check, such as near-duplicates; None if there is no result.

    If there is none, draw the progress of the job, or the reason, such as too few rows.
    """
    if task.lasting:  # too few rows: no progress is left to show
        states.meaning(task.sentence)
    elif task.result is None:
        work.show(task, _PARTS[task.slot][1])
    return task.result
