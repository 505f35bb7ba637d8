"""Figures of exercises in lessons: bars, curves, points that should lie on a diagonal, a grid of words, a cloud."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from embedviz.figures.draft import Draft
from embedviz.figures.style import axis_title, baseline, faded, label, layout, short

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme

_BAR = 30  # height of a row in px
_WIDE, _NARROW = 620, 340  # least width of a figure in px: on a screen, on a phone
_LETTER = 6.8  # width of a letter beside a bar in px


@dataclass(frozen=True)
class LessonCurve:
    """A curve, or a series of points, with its name.

    Attributes:
        x, y: Coordinates of the points.
        text: Name of the curve.
        color: Index into `theme.categorical`; None draws it in grey.
        dash: Plotly's name of the dash pattern; an empty string draws points only.
    """

    x: Sequence[float]
    y: Sequence[float]
    text: str
    color: int | None = 0
    dash: str = "solid"


def bars_chart(
    names: Sequence[str],
    values: Sequence[float],
    texts: Sequence[str],
    theme: Theme,
    *,
    title: str,
    usual: tuple[float, str] | None = None,
    ceiling: float | None = None,
    phone: bool = False,
) -> Draft:
    """Draw a bar for each name with a text at its end, and a dotted line at the baseline.

    Args:
        texts: What is written at the end of each bar.
        title: Title of the axis of values.
        usual: The baseline and its name.
        ceiling: The largest value at any position of the page's slider. With it, the axis stays the same when the
            slider moves.
    """
    most = 14 if phone else 28
    short_names = [short(name, most) for name in names]
    left = int(18 + 7.6 * max((min(len(name), most) for name in names), default=4))
    top = 26 if usual else 6
    box = layout(theme, height=_BAR * max(1, len(names)) + 60 + top, top=top, left=left, right=16, bottom=56)
    places = list(range(len(names)))
    figure = Draft(box)
    look: dict[str, Any] = {"orientation": "h", "marker": {"color": theme.categorical[0]}, "width": 0.62}
    figure.add_trace("bar", x=list(values), y=places, hoverinfo="skip", **look)
    largest = max([*values, usual[0] if usual else 0.0, ceiling or 0.0, 1e-12])
    for place, value, text in zip(places, values, texts, strict=True):
        label(figure, text, max(0.0, value), place, theme.ink, xanchor="left", xshift=6, bgcolor=theme.bg, borderpad=1)
    if usual:
        baseline(figure, theme, usual[0], usual[1], "left" if usual[0] < largest / 2 else "right")
    reached = values if ceiling is None else [largest] * len(values)
    figure.update_layout(
        xaxis={
            "range": [0, _reach(reached, texts, largest, (_NARROW if phone else _WIDE) - left)],
            "title": axis_title(title, theme),
            "nticks": 5,
        },
        yaxis={
            "range": [len(names) - 0.4, -0.6],
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [f"{name} " for name in short_names],
            "tickfont": {"size": 14, "color": theme.ink},
            "showgrid": False,
        },
    )
    return figure


def _reach(values: Sequence[float], texts: Sequence[str], largest: float, width: float) -> float:
    """Return the end of the axis of values, so that the text beside each bar ends within `width` pixels."""
    parts = (max(0.25, 1 - (_LETTER * len(text) + 24) / width) for text in texts)
    return max([1.1 * largest, *(value / part for value, part in zip(values, parts, strict=True))])


def curves_chart(
    curves: Sequence[LessonCurve],
    theme: Theme,
    *,
    across: str,
    up: str,
    log: str = "",
    marked: tuple[float, str] | None = None,
    ticks: Sequence[str] = (),
    height: int = 340,
) -> Draft:
    """Draw curves in one plot, with their names in a row above it.

    Args:
        across, up: Titles of the axes; `up` stands above the plot.
        log: The axes with a logarithmic scale: "x", "y" or "xy".
        marked: An x with its name, drawn as a dotted vertical line.
        ticks: Names of x = 0, 1, …, written under the x axis.
    """
    figure = Draft(layout(theme, height=height, top=52, left=64, right=16, bottom=52))
    names = []
    for one in curves:
        color = theme.muted if one.color is None else theme.categorical[one.color]
        style: dict[str, Any] = {"mode": "lines", "line": {"color": color, "width": 2.5, "dash": one.dash}}
        if not one.dash:
            style = {"mode": "markers", "marker": {"color": color, "size": 8, "opacity": 1}}
        figure.add_scatter(x=list(one.x), y=list(one.y), **style, hovertemplate="%{x:.3~g}: %{y:.3~g}<extra></extra>")
        text = theme.muted if one.color is None else theme.categorical_labels[one.color]
        names.append(f'<span style="color:{text}">{short(one.text, 60)}</span>')
    label(figure, "   ".join(names), 0, 1, theme.ink, paper="xy", xanchor="left", yanchor="bottom", yshift=22)
    label(figure, up, 0, 1, theme.muted, paper="xy", xanchor="left", yanchor="bottom", yshift=2)
    if marked:
        baseline(figure, theme, marked[0], layer="above")
        place = math.log10(marked[0]) if "x" in log else marked[0]  # on a log axis, a label stands at the exponent
        label(figure, marked[1], place, 1, theme.muted, paper="y", xanchor="left", yanchor="top", xshift=6)
    kinds = {axis: {"type": "log", "dtick": 1 if axis == "x" else None} for axis in log}
    figure.update_layout(
        xaxis={"title": axis_title(across, theme), **kinds.get("x", {})},
        yaxis={"exponentformat": "power", **kinds.get("y", {})},
    )
    if ticks:
        reach = [-0.15, len(ticks) - 0.85]
        figure.update_layout(xaxis={"tickvals": list(range(len(ticks))), "ticktext": list(ticks), "range": reach})
    return figure


def agreement_chart(
    points: Sequence[Sequence[float]],
    theme: Theme,
    *,
    across: str,
    up: str,
    named: Sequence[tuple[float, float, str]] = (),
) -> Any:
    """Draw points that should lie on the diagonal, which is dotted.

    Args:
        points: Pairs (wanted value, value reached).
        across, up: Titles of the axes; `up` stands above the plot.
        named: Points with a name, (x, y, name), drawn in rust.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=420, top=30, left=44, right=16, bottom=52))
    every = [value for point in (*points, *(one[:2] for one in named)) for value in point] or [0.0]
    low, high = min(every), max(every)
    room = 0.04 * (high - low) + 1e-9
    line = {"x": [low, high], "y": [low, high], "mode": "lines", "line": {"color": theme.muted, "dash": "dot"}}
    figure.add_scatter(**line, hoverinfo="skip")
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    marker = {"size": 5, "color": theme.categorical[0], "opacity": 0.35}
    figure.add_scatter(x=xs, y=ys, mode="markers", marker=marker, hoverinfo="skip")
    worst = {"size": 8, "color": theme.categorical[1], "symbol": "diamond-open", "opacity": 1}
    figure.add_scatter(
        x=[one[0] for one in named], y=[one[1] for one in named], mode="markers", marker=worst, hoverinfo="skip"
    )
    for place, (x, y, text) in enumerate(named):
        end, shift = ("right", -8) if x > (low + high) / 2 else ("left", 8)
        color = theme.categorical_labels[1]
        label(figure, short(text, 30), x, y, color, xanchor=end, xshift=shift, yshift=-8 * (place % 2))
    label(figure, up, 0, 1, theme.muted, paper="xy", xanchor="left", yanchor="bottom", yshift=4)
    box = {"range": [low - room, high + room], "nticks": 6}
    figure.update_layout(xaxis={"title": axis_title(across, theme), **box}, yaxis=box)
    return figure


def words_grid(
    rows: Sequence[str], cells: Sequence[Sequence[tuple[str, float]]], theme: Theme, *, key: str, phone: bool = False
) -> Any:
    """Draw a grid of words: a row for each token, a column for each layer from 0 on.

    Args:
        cells: For each row, the word of each cell and the number that shades the cell.
        key: What the numbers are, for the hover text.
    """
    import plotly.graph_objects as go

    left, wide = 12 if phone else 20, max(8 * min(len(row), 10 if phone else 16) for row in rows)
    box = layout(theme, height=34 * len(rows) + 52, top=30, left=left + wide, right=4, bottom=8)
    most = 6 if phone else 14
    values = [[number for _, number in row] for row in cells]
    flat = [number for row in values for number in row]
    figure = go.Figure(layout=box)
    figure.add_heatmap(
        z=values,
        zmin=min(flat),
        zmax=max(max(flat), min(flat) + 1e-6),
        colorscale=[[0, faded(theme.categorical[0], 0.0)], [1, faded(theme.categorical[0], 0.55)]],
        text=[[short(word, most) for word, _ in line] for line in cells],
        texttemplate="%{text}",
        textfont={"size": 12 if phone else 13, "color": theme.ink},
        showscale=False,
        xgap=2,
        ygap=2,
        customdata=[
            [[short(row, 30), short(word, 30)] for word, _ in line] for row, line in zip(rows, cells, strict=True)
        ],
        hovertemplate=f"<b>%{{customdata[0]}}</b>, layer %{{x}}<br>%{{customdata[1]}}<br>{key} "
        f"%{{z:.2f}}<extra></extra>",
    )
    columns = len(cells[0])
    figure.update_layout(
        xaxis={
            "side": "top",
            "tickvals": list(range(columns)),
            "showline": False,
            "ticks": "",
            "range": [-0.5, columns - 0.5],
        },
        yaxis={
            "range": [len(rows) - 0.5, -0.5],
            "tickmode": "array",
            "tickvals": list(range(len(rows))),
            "ticktext": [f"{short(row, 10 if phone else 16)} " for row in rows],
            "tickfont": {"size": 14, "color": theme.ink},
            "showgrid": False,
        },
    )
    return figure


def cloud_chart(
    points: Any, groups: Sequence[str], singles: Sequence[str], theme: Theme, *, phone: bool = False, height: int = 420
) -> Any:
    """Draw groups of points with their names at their outer ends, and single points as numbered rings.

    Args:
        points: Coordinates, shape (n + s, 2): first the n points of the groups, then the s single points.
        groups: The group of each of the n points.
        singles: Names of the s single points.
    """
    import numpy as np
    import plotly.graph_objects as go

    many = len(groups)
    top = 16 + 19 * (len(singles) if phone else 1)  # the row of names
    figure = go.Figure(layout=layout(theme, height=height + top, top=top, left=8, right=8, bottom=8))
    middle = points[:many].mean(axis=0)
    for place, group in enumerate(dict.fromkeys(groups)):
        own = points[:many][np.array(groups) == group]
        symbol = "diamond-open" if place % 2 else "circle"
        marker = {"color": theme.category(place), "size": 8, "symbol": symbol, "opacity": 1}
        figure.add_scatter(x=own[:, 0], y=own[:, 1], mode="markers", marker=marker, hoverinfo="skip")
        out = own[np.argmax((own - middle) @ (own.mean(axis=0) - middle))]
        up = 1 if out[1] >= middle[1] else -1
        label(figure, short(group), float(out[0]), float(out[1]), theme.category_label(place), 15, yshift=18 * up)
    ring = {"color": theme.bg, "size": 20, "line": {"width": 2, "color": theme.ink}, "opacity": 1}
    figure.add_scatter(
        x=points[many:, 0],
        y=points[many:, 1],
        mode="markers+text",
        marker=ring,
        text=[str(place) for place in range(1, len(singles) + 1)],
        textfont={"size": 13, "color": theme.ink},
        hoverinfo="skip",
    )
    key = [f"<b>{place}</b> {short(name, 40)}" for place, name in enumerate(singles, 1)]
    above = {"paper": "xy", "xanchor": "left", "yanchor": "bottom", "align": "left"}
    label(figure, ("<br>" if phone else "     ").join(key), 0, 1, theme.ink, 14, **above)
    aspect = 0.8 if phone else 1.9
    reach = 1.2 * max(float(abs(points[:, 1]).max()), float(abs(points[:, 0]).max()) / aspect)
    figure.update_xaxes(visible=False, range=[-reach * aspect, reach * aspect], scaleanchor="y")
    figure.update_yaxes(visible=False, range=[-reach, reach])
    return figure
