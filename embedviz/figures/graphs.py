"""Figure of a graph or of the map of its nodes' vectors, with one node and its nearest nodes marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.figures.style import label, layout, short

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme

_MOST_NAMED = 40


def nodes_chart(
    places: Any,
    names: Sequence[str],
    groups: Sequence[str],
    theme: Theme,
    *,
    edges: Any = None,
    chosen: int = -1,
    near: Sequence[int] = (),
    height: int = 400,
) -> Any:
    """Draw nodes at their places, colored by group. The chosen node has a thick ring, its nearest nodes a thin ring.

    Args:
        places: Coordinates, shape (n, 2).
        edges: Pairs of nodes that are joined by a line, shape (m, 2); None draws no lines.
        chosen: Index of the chosen node; −1 for none.
        near: Indices of the nodes nearest to the chosen node.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=height, top=8, left=8, right=8, bottom=8))
    points = np.asarray(places, np.float64)
    points = points - (points.max(axis=0) + points.min(axis=0)) / 2
    points = points / (np.abs(points).max() or 1.0)
    if edges is not None and len(edges):
        ends = np.full((len(edges), 3, 2), np.nan)
        ends[:, :2] = points[np.asarray(edges)]
        flat = [[None if value != value else value for value in ends[:, :, axis].ravel().tolist()] for axis in range(2)]
        line = {"color": theme.muted, "width": 0.7}
        figure.add_scatter(x=flat[0], y=flat[1], mode="lines", line=line, opacity=0.45, hoverinfo="skip")
    order = list(dict.fromkeys(groups))
    colors = [theme.category(order.index(group)) for group in groups]
    symbols = ["diamond" if order.index(group) % 2 else "circle" for group in groups]
    ring = [3 if place == chosen else 2 if place in near else 0 for place in range(len(names))]
    figure.add_scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker={
            "color": colors,
            "symbol": symbols,
            "size": [16 if place == chosen else 11 for place in range(len(names))],
            "opacity": 1,
            "line": {"color": theme.ink, "width": ring},
        },
        text=[f"<b>{short(name)}</b><br>{short(group)}" for name, group in zip(names, groups, strict=True)],
        hovertemplate="%{text}<extra></extra>",
    )
    written = range(len(names)) if len(names) <= _MOST_NAMED else [chosen, *near]
    for place in written:
        if place >= 0:
            label(
                figure, short(names[place], 14), float(points[place, 0]), float(points[place, 1]), theme.ink, yshift=13
            )
    box = {"visible": False, "range": [-1.15, 1.15]}
    figure.update_layout(xaxis=box, yaxis=box)
    return figure
