"""General charts: values as colors in a table, points as a path, values before and after, and values by year."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from embedviz.figures.placing import along, name_sides
from embedviz.figures.style import axis_title, faded, label, layout, short

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme

_MOST_WRITTEN = 12
"""Up to this number of columns, each cell shows its value."""
_NARROW, _HEIGHT, _LETTER = 270, 290, 6.6
"""Sizes of `path_chart()` in pixels: width and height of the plot on a phone, and width of a letter in a name."""


def heat_chart(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    *,
    key: str,
    digits: int = 2,
    phone: bool = False,
) -> Any:
    """Draw a table of values as shades of one color, with the values written in the cells if there is room.

    Args:
        key: What a value is, for the hover text.
    """
    import plotly.graph_objects as go

    most = 10 if phone else 32
    left = 16 + int(7.2 * min(most, max(map(len, rows))))
    top = 16 + int(6.4 * min(most, max(map(len, columns))))
    height = (24 if phone else 30) * len(rows) + top + 12
    figure = go.Figure(layout=layout(theme, height=height, top=top, left=left, right=24, bottom=8))
    flat = [value for row in values for value in row]
    low, high = min(*flat, 0.0), max(*flat, 1e-6)
    write = len(columns) <= (6 if phone else _MOST_WRITTEN)
    figure.add_heatmap(
        z=[list(row) for row in values],
        zmin=low,
        zmax=high,
        colorscale=[[0, faded(theme.categorical[0], 0.04)], [1, faded(theme.categorical[0], 0.62)]],
        text=[[f"{value:.{digits}f}".replace("-", "−") for value in row] for row in values],
        texttemplate="%{text}" if write else "",
        textfont={"size": 12 if phone else 13, "color": theme.ink},
        showscale=False,
        xgap=2,
        ygap=2,
        customdata=[[[short(row, 40), short(column, 40)] for column in columns] for row in rows],
        hovertemplate=f"<b>%{{customdata[0]}}</b><br>%{{customdata[1]}}<br>{key} %{{text}}<extra></extra>",
    )
    ticks = {"tickmode": "array", "tickfont": {"size": 12 if phone else 13, "color": theme.ink}, "showgrid": False}
    figure.update_layout(
        xaxis={
            **ticks,
            "side": "top",
            "tickangle": -60 if max(map(len, columns)) > 3 else 0,
            "tickvals": list(range(len(columns))),
            "ticktext": [short(column, most) for column in columns],
            "showline": False,
            "ticks": "",
            "range": [-0.5, len(columns) - 0.5],
        },
        yaxis={
            **ticks,
            "tickvals": list(range(len(rows))),
            "ticktext": [f"{short(row, most)} " for row in rows],
            "range": [len(rows) - 0.5, -0.5],
        },
    )
    return figure


def path_chart(
    points: Sequence[tuple[float, float]], names: Sequence[str], theme: Theme, *, across: str, up: str
) -> Any:
    """Draw points as a path in the given order, each with its name if there is room.

    Args:
        across, up: Titles of the axes; `up` stands above the plot.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=380, top=34, left=64, right=24, bottom=56))
    xs, ys = [x for x, _ in points], [y for _, y in points]
    reach = [1.25 * (max(each) - min(each)) + 1e-6 for each in (xs, ys)]
    spots = [(_NARROW * x / reach[0], _HEIGHT * y / reach[1]) for x, y in points]
    lines = [box for start, end in pairwise(spots) for box in along(start, end)]
    order = sorted(range(len(names)), key=lambda place: place not in (0, len(names) - 1))
    sides = name_sides(spots, [_LETTER * len(name) for name in names], order, lines)
    figure.add_scatter(
        x=xs,
        y=ys,
        mode="lines+markers+text",
        line={"color": faded(theme.categorical[0], 0.4), "width": 1.5},
        marker={"color": theme.categorical[0], "size": 9, "opacity": 1},
        text=[name if side else "" for name, side in zip(names, sides, strict=True)],
        textposition=[side or "top center" for side in sides],
        textfont={"size": 13, "color": theme.ink},
        cliponaxis=False,
        hovertext=list(names),
        hovertemplate="<b>%{hovertext}</b><br>%{x:.3f}, %{y:.3f}<extra></extra>",
    )
    label(figure, up, 0, 1, theme.muted, paper="xy", xanchor="left", yanchor="bottom", yshift=6)
    figure.update_layout(
        xaxis={"title": axis_title(across, theme), "range": [min(xs) - 0.08 * reach[0], min(xs) + 0.92 * reach[0]]},
        yaxis={"range": [min(ys) - 0.08 * reach[1], min(ys) + 0.92 * reach[1]]},
    )
    return figure


def change_chart(
    names: Sequence[str],
    before: Sequence[tuple[float, float, float]],
    after: Sequence[tuple[float, float, float]],
    theme: Theme,
    *,
    across: str,
    up: str,
    usual: tuple[float, str] | None = None,
) -> Any:
    """Draw two values with their intervals for each name: before a change (grey) and after it (blue).

    Args:
        before, after: Value, low and high of each name.
        across, up: Titles of the axes; `up` stands above the plot.
        usual: Value and name of a baseline; None draws no baseline.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=340, top=52, left=56, right=16, bottom=52))
    colors = (theme.muted, theme.categorical[0])
    for shift, color, symbol, each in zip(
        (-0.08, 0.08), colors, ("circle-open", "circle"), (before, after), strict=True
    ):
        figure.add_scatter(
            x=[place + shift for place in range(len(names))],
            y=[value for value, _, _ in each],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [high - value for value, _, high in each],
                "arrayminus": [value - low for value, low, _ in each],
                "color": color,
                "thickness": 1.5,
                "width": 4,
            },
            mode="markers",
            marker={"color": color, "size": 9, "symbol": symbol, "opacity": 1, "line": {"color": color, "width": 2}},
            hovertemplate="%{y:.3f}<extra></extra>",
        )
    if usual is not None:
        line = {"color": theme.muted, "dash": "dot", "width": 1}
        figure.add_hline(y=usual[0], line=line)
        label(figure, usual[1], 1, usual[0], theme.muted, paper="x", xanchor="right", yshift=8)
    key = [
        f'<span style="color:{color}">{text}</span>'
        for color, text in ((theme.muted, "○ before"), (theme.categorical_labels[0], "● after"))
    ]
    label(figure, "   ".join(key), 0, 1, theme.ink, paper="xy", xanchor="left", yanchor="bottom", yshift=22)
    label(figure, up, 0, 1, theme.muted, paper="xy", xanchor="left", yanchor="bottom", yshift=2)
    ticks = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": list(names)}
    figure.update_layout(xaxis={"title": axis_title(across, theme), **ticks, "range": [-0.5, len(names) - 0.5]})
    return figure


def years_chart(
    points: Sequence[tuple[float, float, str]], chosen: int, theme: Theme, *, up: str, phone: bool = False
) -> Any:
    """Draw named values by year on a logarithmic scale. One point is in color; on a phone, only this point has a name.

    Args:
        points: Year, value above 0 and name.
        chosen: Index of the point in color; −1 for none.
        up: Title of the axis of values, above the plot.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=420, top=40, left=56, right=24, bottom=44))
    colors = [theme.categorical[0] if place == chosen else theme.muted for place in range(len(points))]
    years, values = [year for year, _, _ in points], [value for _, value, _ in points]
    marker = {"size": [14 if place == chosen else 9 for place in range(len(points))], "color": colors, "opacity": 1}
    figure.add_scatter(x=years, y=values, mode="markers", marker=marker, hoverinfo="skip")
    last = max(years)
    for place, (year, value, name) in enumerate(points):
        if phone and place != chosen:
            continue
        ink = theme.categorical_labels[0] if place == chosen else theme.ink
        side = "right" if year > last - 8 and place % 2 else "left"
        shift = -12 if side == "right" else 12
        label(figure, name, year, math.log10(value), ink, xanchor=side, xshift=shift, yshift=8)
    label(figure, up, 0, 1, theme.muted, paper="xy", xanchor="left", yanchor="bottom", yshift=8)
    figure.update_layout(
        xaxis={"range": [min(years) - 2, last + 3], "tickformat": "d"},
        yaxis={"type": "log", "dtick": 1, "exponentformat": "power"},
    )
    return figure
