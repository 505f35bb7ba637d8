"""Figures of the course: the numbers of one vector, and labelled points of a plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from embedviz.figures.draft import Draft
from embedviz.figures.placing import name_sides
from embedviz.figures.style import axis_title, short

if TYPE_CHECKING:
    from embedviz.core.space import Float
    from embedviz.figures.theme import Theme


_TIP = 40
"""Letters per line of a hover text."""

_PLANE = 360
"""Height of the plane in pixels: on a screen 720 pixels high, there is also room for a slider and a formula."""


def row_figure(values: Sequence[float], chosen: int, theme: Theme) -> Draft:
    """Draw the numbers of a vector as bars, with the bar `chosen` in the color of the text."""
    figure = Draft(_layout(theme, 260, bargap=0.1, barmode="overlay", margin={"l": 56, "r": 8, "t": 8, "b": 44}))
    figure.update_layout(
        xaxis={"title": axis_title(f"place in the row, 0 to {len(values) - 1}", theme)},
        yaxis={"title": axis_title("number at this place", theme)},
    )
    tip = "number %{x}: %{y:.3f}<extra></extra>"
    figure.add_trace("bar", y=values, marker={"color": theme.categorical[0]}, hovertemplate=tip)
    figure.add_trace("bar", x=[chosen], y=[values[chosen]], marker={"color": theme.ink}, hovertemplate=tip)
    return figure


def plane_figure(
    points: Float, groups: Sequence[str], theme: Theme, reach: float, *, texts: Sequence[str] = ()
) -> Draft:
    """Draw points of a plane, each group in its color with its name; points without a group are grey.

    Args:
        reach: Half the height of the plane, in units of the points.
        texts: Hover text of each point; empty for no hover texts.
    """
    named = [group for group in dict.fromkeys(groups) if group]
    figure = Draft(_layout(theme, _PLANE))
    digits = 3 - math.floor(math.log10(reach))  # rounds by at most a tenth of a pixel
    for place, group in enumerate(["", *named]):
        own = np.flatnonzero(np.array(groups) == group)
        color = theme.category(place - 1) if group else theme.rest
        symbol = "diamond-open" if len(own) > 1 and group and not place % 2 else "circle"
        marker = {"color": color, "size": 9 if group else 4, "symbol": symbol, "opacity": 1}
        x, y = points[own].T.astype(np.float64).round(digits).tolist()
        tip: dict[str, Any] = {"hoverinfo": "skip"}
        if texts:
            tip = {"hovertext": [_lines(texts[row]) for row in own.tolist()], "hoverinfo": "text"}
        figure.add_scatter(x=x, y=y, mode="markers", marker=marker, **tip)
    _name(figure, points, np.array(groups), named, theme, (_PLANE - 36) / (2 * reach))
    axis = {"visible": False, "range": [-reach, reach]}
    figure.update_layout(xaxis={**axis, "scaleanchor": "y"}, yaxis=axis)
    return figure


def _lines(text: str) -> str:
    """Return a text wrapped into lines that fit a phone, escaped for Plotly."""
    return "<br>".join(short(line, _TIP) for line in wrap(text, _TIP))


def _name(
    figure: Any, points: Float, groups: NDArray[np.str_], named: Sequence[str], theme: Theme, scale: float
) -> None:
    """Write each group's name beside its outermost point, unless it would cover another name.

    `scale` is the number of pixels per unit of the plane.
    """
    shares = [points[groups == group] for group in named]
    middle = points[groups != ""].mean(axis=0) if named else 0.0
    ends = [own[np.argmax((own - middle) @ (own.mean(axis=0) - middle))] for own in shares]
    spots = [*ends, *(point for own in shares for point in own)]
    widths = [8.0 * len(group) for group in named] + [0.0] * (len(spots) - len(named))
    sides = name_sides([(scale * point).tolist() for point in spots], widths, range(len(named)), over_marks=True)
    for place, (group, end) in enumerate(zip(named, ends, strict=True)):
        figure.add_scatter(
            x=[float(end[0])],
            y=[float(end[1])],
            mode="markers+text",
            marker={"size": 9, "opacity": 0},
            text=[short(group) if sides[place] else ""],
            textposition=sides[place] or "top center",
            textfont={"size": 15, "color": theme.category_label(place)},
            cliponaxis=False,
            hoverinfo="skip",
        )


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
        "hoverlabel": {"bgcolor": theme.bg, "bordercolor": theme.border, "font": {"size": 13, "color": theme.ink}},
        "xaxis": plain,
        "yaxis": axis,
        **more,
    }
