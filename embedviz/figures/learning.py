"""Figures of the course: the numbers of one row, and labelled points of a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.figures.style import label, short

if TYPE_CHECKING:
    from embedviz.core.space import Float
    from embedviz.figures.theme import Theme


def row_figure(values: Float, chosen: int, theme: Theme) -> Any:
    """Draw the numbers of a row as bars, the chosen one in ink."""
    import plotly.graph_objects as go

    colors = [theme.ink if place == chosen else theme.categorical[0] for place in range(len(values))]
    bars = go.Bar(y=values, marker={"color": colors}, hovertemplate="number %{x}: %{y:.3f}<extra></extra>")
    return go.Figure(bars, _layout(theme, 260, bargap=0.1))


def plane_figure(points: Float, groups: Sequence[str], theme: Theme, reach: float, *, height: int = 400) -> Any:
    """Draw points of a plane, each group in its color with its name; points without a group are grey.

    Args:
        reach: Half the height of the plane, in its own units.
    """
    import plotly.graph_objects as go

    named = [group for group in dict.fromkeys(groups) if group]
    shown = go.Figure(layout=_layout(theme, height))
    for place, group in enumerate(["", *named]):
        own = np.flatnonzero(np.array(groups) == group)
        color = theme.categorical[(place - 1) % 8] if group else theme.rest
        symbol = "diamond-open" if group and not place % 2 else "circle"
        marker = {"color": color, "size": 9 if group else 4, "symbol": symbol, "opacity": 1}
        shown.add_scatter(x=points[own, 0], y=points[own, 1], mode="markers", marker=marker, hoverinfo="skip")
    for place, group in enumerate(named):
        x, y = points[np.array(groups) == group].mean(axis=0)
        written: dict[str, Any] = {"yshift": -18 if place % 2 else 18, "bgcolor": theme.bg, "borderpad": 1}
        label(shown, short(group), float(x), float(y), theme.categorical_labels[place % 8], 15, **written)
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
