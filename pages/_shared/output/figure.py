"""A Plotly figure on a page: no toolbar, the page's own colors, in a container that the export finds by its key."""

from collections.abc import Callable
from typing import Any

import pandas  # noqa: F401 - Plotly fails if another thread is still importing it, as on a fresh server
import streamlit as st

from embedviz.figures.draft import Draft
from embedviz.figures.style import enlarged, larger
from pages._shared.app import presenting

_CONFIG = {"displayModeBar": False, "displaylogo": False}


def plotly(figure: Any, key: str, *, lecture: bool = True) -> None:
    """Draw a figure or a draft in a container named `key`; in the lecture view, enlarge the figure.

    Args:
        lecture: Whether the figure has a lecture view of its own.
    """
    _draw(figure.figure() if isinstance(figure, Draft) else figure, key, lecture=lecture)


def as_drawn(draft: Draft, key: str) -> Draft:
    """Return a figure as `plotly` draws it in the container `key`: with large type if the lecture view shows it.

    Args:
        draft: The traces and the layout of the figure.
    """
    if not (presenting.type_is_large() and (presenting.on(key) or presenting.whole("lesson"))):
        return draft
    found = Draft(larger(draft.layout))
    found.data = larger(draft.data)
    return found


def chosen(figure: Any, key: str, choose: Callable[[Any], None]) -> None:
    """Draw the figure in a container named `key`, and call `choose` with the x of a bar that is clicked."""
    chart = f"{key}-chart"

    def clicked() -> None:
        at = picked(st.session_state.get(chart))
        if at is not None:
            choose(at)

    _draw(figure, key, key_of_chart=chart, on_select=clicked)


def _draw(
    figure: Any, key: str, key_of_chart: str | None = None, on_select: Any = "ignore", lecture: bool = True
) -> None:
    large = lecture and presenting.on(key)
    if large:
        presenting.stage(key)
    with st.container(key=key, height="stretch" if large else "content"):
        st.plotly_chart(
            enlarged(figure) if presenting.type_is_large() and (large or presenting.whole("lesson")) else figure,
            theme=None,
            width="stretch",
            height="stretch" if large else "content",
            config=_CONFIG,
            key=key_of_chart,
            on_select=on_select,
            selection_mode="points",
        )


def picked(state: Any) -> Any:
    """Return the x of the clicked point from the state of a chart; None if no point was clicked."""
    points = ((state or {}).get("selection") or {}).get("points") or []
    return points[0].get("x") if points else None
