"""Callbacks of a map for the values that the browser sends: a click, a selection, a filter, a step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages._shared.map.filters import Filtered, read_filter
from pages._shared.map.selections import (
    Click,
    MapSelection,
    read_click,
    read_selection,
    read_step,
    selection_key,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from embedviz.figures.scatter import Scatter


def listeners(
    figure: Scatter,
    key: str,
    run: Mapping[str, Any] | None,
    on_click: Callable[[Click], None] | None,
    on_select: Callable[[NDArray[np.int64]], None] | None,
    on_step: Callable[[int], None] | None,
    on_filter: Callable[[Filtered], None] | None,
) -> dict[str, Any]:
    """Return the callbacks of the map component, each by the name of its keyword argument.

    Streamlit calls them before it runs the script of the page. Each callback first checks what the browser sent.
    """

    def clicked() -> None:
        click = read_click((st.session_state.get(key) or {}).get("clicked"), figure)
        if click is not None and on_click is not None:
            on_click(click)

    def drawn() -> None:
        value = (st.session_state.get(key) or {}).get("selected")
        rows = read_selection(value, figure)
        if rows is None or not isinstance(value, dict):
            return
        st.session_state[selection_key(key)] = MapSelection(figure.geometry_digest, value["id"], rows)
        if on_select is not None:
            on_select(rows)

    def stepped() -> None:
        value = (st.session_state.get(key) or {}).get("step")
        step = read_step(value, run)
        if step and on_step is not None:
            on_step(step)

    def chosen() -> None:
        filtered = read_filter((st.session_state.get(key) or {}).get("filtered"), figure)
        if filtered is not None and on_filter is not None:
            on_filter(filtered)

    return {
        "on_clicked_change": clicked,
        "on_filtered_change": chosen,
        "on_selected_change": drawn,
        "on_missing_change": lambda: _note_missing(key),
        "on_step_change": stepped,
    }


def _note_missing(key: str) -> None:
    """Record that the browser lacks the rows of the selection, so that the next run of the page sends them."""
    value = (st.session_state.get(key) or {}).get("missing")
    selection: MapSelection | None = st.session_state.get(selection_key(key))
    if selection is not None and isinstance(value, dict) and value.get("selection") == selection.id:
        st.session_state[selection_key(key)] = replace(selection, there=False)
