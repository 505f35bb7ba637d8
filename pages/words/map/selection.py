"""Words selected on a map: their table, its export, and the map of these words only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from embedviz.core.phrases import counted
from pages._shared.app import address, frame, states
from pages._shared.app.word_lists import keep, words_behind
from pages._shared.map.questions import sampled
from pages._shared.output import csv_files
from pages._shared.results import calls

if TYPE_CHECKING:
    from embedviz.core.call import Call
    from embedviz.core.space import Ints, VectorSpace
    from embedviz.projection import Projection
    from embedviz.projection.coloring import Coloring

LISTED = 1_000
"""Greatest number of words in the table; the file has all."""
_PHONE = "Two fingers zoom, a tap chooses a word."
_ORBIT = "Drag to turn, Shift and drag to move, scroll to zoom, click a word. The lasso selects words."
_MOUSE = "Scroll to zoom, drag to move, click a word. Shift and drag to select words."
_NAME = "selected"


def hint(*, flat: bool, phone: bool) -> str:
    """Return how to move a map and choose words, in one or two sentences."""
    return _PHONE if phone else _MOUSE if flat else _ORBIT


def chosen(words: Call) -> Ints | None:
    """Return the positions on a map of the words that the visitor selected, ascending; None if it has none of them.

    Args:
        words: The call that samples the words of the map.
    """
    token = address.get(_NAME)
    listed = words_behind(token)
    if listed is None:
        return None
    index = calls.answer(words.value("space")).index
    rows = np.asarray([index[word] for word in listed if word in index], np.int64)
    positions = np.flatnonzero(np.isin(sampled(words).rows, rows))
    return positions if len(positions) else None


@frame.safely
def choose(projected: Projection, positions: Ints) -> None:
    """Select the words at these positions on the map; write them into the address."""
    address.put(selected=keep(projected.words[int(place)] for place in positions) if len(positions) else None)


def show(
    space: VectorSpace,
    projected: Projection,
    positions: Ints,
    color: Coloring | None,
    choose_word: Callable[[str], None],
) -> None:
    """Draw the selected words with their class or value, and buttons: export, a map of these words only, clear."""
    values = color.described() if color is not None else None
    listed = positions[:LISTED]
    words = [projected.words[int(place)] for place in listed]
    states.panel(f"{len(positions):,} words selected", "Click a row to choose the word")
    columns: dict[str, Any] = {"word": words}
    if color is not None and values is not None and any(values):
        columns[color.title] = [values[int(place)] for place in listed]

    def picked() -> None:
        chosen = st.session_state["selection-table"]["selection"]
        rows = [*chosen["rows"], *(row for row, _ in chosen["cells"])]
        if rows:
            choose_word(words[rows[0]])

    st.dataframe(
        columns,
        hide_index=True,
        height=min(280, 38 + 35 * len(words)),
        key="selection-table",
        on_select=picked,
        selection_mode=["single-row", "single-cell"],
    )
    if len(positions) > LISTED:
        states.note(f"The first {LISTED:,} are listed. The file has all.")
    with st.container(horizontal=True):
        if len(positions) < len(projected.rows) and len(positions) >= 4:
            narrowed = {"only": address.get(_NAME), _NAME: None}
            st.button("Show only these", on_click=address.put, kwargs=narrowed)
        st.download_button(
            "Table",
            csv_files.bytes_of(lambda: csv_files.map_table(space, projected, color, positions)),
            "selection.csv",
            "text/csv",
            type="tertiary",
            icon=":material/table_view:",
            on_click="ignore",
            key="selection-file",
        )
        st.button("Clear", type="tertiary", on_click=address.put, kwargs={_NAME: None})


def undo_buttons(searched: bool, added: int, narrowed: bool) -> None:
    """Draw the buttons that undo changes of the map: a search, added words, a narrowing to a selection."""
    undoing = {
        "Clear the search": "find" if searched else "",
        f"Remove {counted(added, 'added word')}": "add" if added else "",
        "Show all words again": "only" if narrowed else "",
    }
    with st.container(horizontal=True, key="map-clear"):
        for label, name in undoing.items():
            if name:
                st.button(label, type="tertiary", on_click=address.put, kwargs={name: None})
