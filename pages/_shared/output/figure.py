"""A Plotly figure on a page: no toolbar, the page's own colors, in a container that the export finds by its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas  # noqa: F401 - Plotly trips over one that another thread is still importing, as on a fresh server
import streamlit as st

_CONFIG = {"displayModeBar": False, "displaylogo": False}


def plotly(figure: Any, key: str) -> None:
    """Draw the figure in a container named `key`."""
    with st.container(key=key):
        st.plotly_chart(figure, theme=None, width="stretch", config=_CONFIG)


def chosen(figure: Any, key: str, choose: Callable[[Any], None]) -> None:
    """Draw the figure in a container named `key`; the x of a bar that is clicked goes to `choose`."""
    chart = f"{key}-chart"

    def clicked() -> None:
        at = picked(st.session_state.get(chart))
        if at is not None:
            choose(at)

    with st.container(key=key):
        st.plotly_chart(
            figure,
            theme=None,
            width="stretch",
            config=_CONFIG,
            key=chart,
            on_select=clicked,
            selection_mode="points",
        )


def picked(state: Any) -> Any:
    """Return the x of the point that was clicked, by the state of a chart; None where none was."""
    points = ((state or {}).get("selection") or {}).get("points") or []
    return points[0].get("x") if points else None
