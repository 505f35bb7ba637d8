"""Figures of the workbenches: named bars with their baseline, curves, and marks along the rows of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from embedviz.figures.style import axis_title, baseline, label, layout, short

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme

_BAR = 30  # px of a row


@dataclass(frozen=True)
class LessonCurve:
    """One curve: its name is written at its last point where `named` is true.

    Attributes:
        x, y: Its points.
        text: Its name.
        color: A place among the categories of the theme; None draws it in grey.
        dash: Plotly's name of the line; empty draws points only.
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
    phone: bool = False,
) -> Any:
    """Draw a bar for each name with its value beside it, and a dotted line at the baseline.

    Args:
        texts: What is written at the end of each bar.
        title: Of the axis of values.
        usual: The baseline and its name.
    """
    import plotly.graph_objects as go

    most = 14 if phone else 28
    shown = [short(name, most) for name in names]
    left = int(18 + 7.6 * max((min(len(name), most) for name in names), default=4))
    top = 26 if usual else 6
    box = layout(theme, height=_BAR * max(1, len(names)) + 60 + top, top=top, left=left, right=16, bottom=56)
    places = list(range(len(names)))
    bars = go.Bar(
        x=list(values),
        y=places,
        orientation="h",
        marker={"color": theme.categorical[0]},
        hoverinfo="skip",
        width=0.62,
    )
    figure = go.Figure(bars, box)
    largest = max([*values, usual[0] if usual else 0.0, 1e-12])
    for place, value, text in zip(places, values, texts, strict=True):
        label(figure, text, max(0.0, value), place, theme.ink, xanchor="left", xshift=6)
    if usual:
        baseline(figure, theme, usual[0], usual[1], "left" if usual[0] < largest / 2 else "right")
    figure.update_layout(
        xaxis={"range": [0, largest * 1.25], "title": axis_title(title, theme), "nticks": 5},
        yaxis={
            "range": [len(names) - 0.4, -0.6],
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [f"{name} " for name in shown],
            "tickfont": {"size": 14, "color": theme.ink},
            "showgrid": False,
        },
    )
    return figure


def curves_chart(
    curves: Sequence[LessonCurve],
    theme: Theme,
    *,
    across: str,
    up: str,
    log: str = "",
    marked: tuple[float, str] | None = None,
    height: int = 340,
) -> Any:
    """Draw curves over one axis, each with its name in a row above the plot.

    Args:
        across, up: Titles of the axes; `up` stands above the plot.
        log: The axes with a logarithmic scale: "x", "y" or "xy".
        marked: A place on the x axis with its name, as a dotted line.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=height, top=52, left=64, right=16, bottom=52))
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
        place = math.log10(marked[0]) if "x" in log else marked[0]  # a label on such an axis stands at the exponent
        label(figure, marked[1], place, 1, theme.muted, paper="y", xanchor="left", yanchor="top", xshift=6)
    kinds = {axis: {"type": "log", "dtick": 1 if axis == "x" else None} for axis in log}
    figure.update_layout(
        xaxis={"title": axis_title(across, theme), **kinds.get("x", {})},
        yaxis={"exponentformat": "power", **kinds.get("y", {})},
    )
    return figure
