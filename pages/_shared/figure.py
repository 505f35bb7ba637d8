"""A Plotly figure on a page: no toolbar, the page's own colors, in a container that the export finds by its key."""

from __future__ import annotations

from typing import Any

import pandas  # noqa: F401 - Plotly trips over one that another thread is still importing, as on a fresh server
import streamlit as st


def plotly(figure: Any, key: str) -> None:
    """Draws the figure in a container named `key`."""
    with st.container(key=key):
        st.plotly_chart(figure, theme=None, width="stretch", config={"displayModeBar": False, "displaylogo": False})
