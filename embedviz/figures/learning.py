"""Figures of the course: the numbers of one row, and labelled points of a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.figures.style import label

if TYPE_CHECKING:
    from embedviz.core.space import Float
    from embedviz.figures.theme import Theme


def row_figure(values: Float, chosen: int, theme: Theme) -> Any:
    """Draw the numbers of a row as bars, the chosen one in ink."""
    import plotly.graph_objects as go

    colors = [theme.ink if place == chosen else theme.categorical[0] for place in range(len(values))]
    bars = go.Bar(y=values, marker={"color": colors}, hovertemplate="number %{x}: %{y:.3f}<extra></extra>")
    return go.Figure(bars, _layout(theme, 260, bargap=0.1))


def plane_figure(
    points: Float, groups: Sequence[str], labels: dict[int, str], theme: Theme, reach: float, height: int = 400
) -> Any:
    """Draw points of a plane, one color for each group, with labels on some; the scale is that of `reach`."""
    import plotly.graph_objects as go

    shown = go.Figure(layout=_layout(theme, height))
    for number, group in enumerate(dict.fromkeys(groups)):
        own = np.flatnonzero(np.array(groups) == group)
        color = theme.categorical[number % 8] if group else theme.rest_sparse
        symbol = "diamond-open" if number % 2 and group else "circle"
        marker = {"color": color, "size": 9 if group else 5, "symbol": symbol, "opacity": 1}
        shown.add_scatter(x=points[own, 0], y=points[own, 1], mode="markers", marker=marker, hoverinfo="skip")
        if group:
            x, y = points[own].mean(axis=0)
            label(shown, group, float(x), float(y), theme.categorical_labels[number % 8], 14, yshift=16)
    for row, text in labels.items():
        label(shown, text, float(points[row, 0]), float(points[row, 1]), theme.ink, 14, yshift=14)
    shown.update_xaxes(visible=False, range=[-reach, reach], scaleanchor="y")
    shown.update_yaxes(visible=False, range=[-reach, reach])
    return shown


def _layout(theme: Theme, height: int, **more: Any) -> dict[str, Any]:
    font = {"family": "Source Sans, sans-serif", "size": 13, "color": theme.muted}
    clear = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}
    axis = {"gridcolor": theme.grid, "zeroline": True, "zerolinecolor": theme.muted}
    plain = {"showgrid": False, "zeroline": False}
    return {
        **clear,
        "height": height,
        "margin": {"l": 36, "r": 8, "t": 8, "b": 28},
        "font": font,
        "showlegend": False,
        "xaxis": plain,
        "yaxis": axis,
        **more,
    }
