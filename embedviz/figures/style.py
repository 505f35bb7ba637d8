"""What all figures share: words as labels, and the plain Plotly layout."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from embedviz.core.phrases import visible

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme

_TURNING = re.compile("[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]")  # right-to-left text


def layout(
    theme: Theme, *, height: int, top: int = 4, left: int = 4, right: int = 8, bottom: int = 52
) -> dict[str, Any]:
    """Return a layout for figures with direct labels: no legend, no title, a thin horizontal grid."""
    axis = {
        "gridcolor": theme.grid,
        "gridwidth": 1,
        "zeroline": False,
        "tickfont": {"size": 13, "color": theme.muted},
        "linecolor": theme.border,
        "automargin": False,
        "fixedrange": True,
    }
    return {
        "height": height,
        "margin": {"l": left, "r": right, "t": top, "b": bottom},
        "font": {"family": '"Source Sans", sans-serif', "size": 14, "color": theme.ink},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "hoverlabel": {"bgcolor": theme.bg, "bordercolor": theme.border, "font": {"size": 13, "color": theme.ink}},
        "xaxis": {
            **axis,
            "showgrid": False,
            "showline": True,
            "ticks": "outside",
            "ticklen": 4,
            "tickcolor": theme.border,
        },
        "yaxis": {**axis, "nticks": 4},
        "yaxis2": {**axis},
    }


def framed(theme: Theme) -> dict[str, Any]:
    """Return options that, given to both axes, draw a thin line around a grid of colored cells."""
    return {"showline": True, "mirror": True, "linewidth": 1, "linecolor": theme.border, "showgrid": False}


def short(word: str, most: int = 24) -> str:
    """Return the word as a label: cut, escaped, and isolated if right-to-left letters would reorder other text."""
    cut = visible(word if len(word) <= most else word[: most - 1] + "…")
    escaped = html.escape(cut, quote=False)  # Plotly does not decode entities of quotes
    return f"\u2068{escaped}\u2069" if _TURNING.search(cut) else escaped


def short_apart(words: Sequence[str], most: int) -> list[str]:
    """Return each word shortened to at most `most` characters, as a label.

    If different long words would get the same label, each label is the beginning and the end of its word.
    """
    cut = [short(word, most) for word in words]
    same = Counter(dict(zip(words, cut, strict=True)).values())
    tail = 2 * most // 3
    return [
        short(f"{word[: most - tail - 1]}…{word[-tail:]}", most) if same[name] > 1 and len(word) > most else name
        for word, name in zip(words, cut, strict=True)
    ]


def faded(color: str, opacity: float) -> str:
    """Return a color `#RRGGBB` with an opacity, as `rgba(…)`."""
    red, green, blue = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def axis_title(text: str, theme: Theme, standoff: int = 8) -> dict[str, Any]:
    """Return the title of an axis: small and muted."""
    return {"text": text, "standoff": standoff, "font": {"size": 13, "color": theme.muted}}


def color_key(length: float, values: Sequence[float], texts: Sequence[str], theme: Theme) -> dict[str, Any]:
    """Return the color scale under a map, `length` pixels long (at most 320), with these texts at these values."""
    return {
        "orientation": "h",
        "thickness": 10,
        "lenmode": "pixels",
        "len": min(length, 320),
        "x": 0,
        "xanchor": "left",
        "yref": "container",
        "y": 0,
        "yanchor": "bottom",
        "ypad": 4,
        "xpad": 0,
        "outlinewidth": 0,
        "tickvals": values,
        "ticktext": texts,
        "tickfont": {"size": 13, "color": theme.muted},
        "ticks": "",
        "ticklabeloverflow": "allow",
    }


def label(figure: Any, text: str, x: Any, y: Any, color: str, size: int = 13, *, paper: str = "", **place: Any) -> None:
    """Write a text in the figure.

    Args:
        figure: A Plotly figure or a `Draft`.
        text: Plotly's HTML; words in it must be escaped by `short`.
        x, y: Where the text is anchored, in units of the axes.
        color: Color of the text.
        size: Font size in pixels.
        paper: Axes on which the position is a share of the plot: "x", "y" or "xy".
        place: Further settings of a Plotly annotation: `xanchor`, `yshift`, `align` and others.
    """
    shares = {f"{axis}ref": "paper" for axis in paper}
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, font={"size": size, "color": color}, **shares, **place)


def rectangle(figure: Any, x: tuple[float, float], color: str, y: tuple[float, float] = (0, 1), **refs: str) -> None:
    """Fill a rectangle behind the traces; without `y`, from the bottom to the top of the plot."""
    (left, right), (low, high) = x, y
    where = {"x0": left, "x1": right, "y0": low, "y1": high, **({"yref": "paper"} if y == (0, 1) else {}), **refs}
    figure.add_shape(type="rect", **where, fillcolor=color, line={"width": 0}, layer="below")


def dotted(theme: Theme, **more: Any) -> dict[str, Any]:
    """Return the line style of a baseline."""
    return {"color": theme.ink, "width": 1.25, "dash": "dot", **more}


def baseline(
    figure: Any,
    theme: Theme,
    x: float,
    text: str = "",
    side: str = "center",
    *,
    rows: Sequence[float] = (),
    layer: str = "below",
) -> None:
    """Draw a dotted vertical line at x, with its name above the plot.

    Args:
        text: Name of the line; empty for no name.
        side: The end of the name that stands at the line: "left", "center" or "right".
        rows: Lower and upper end of the line; empty for the whole height of the plot.
        layer: Whether the line lies "below" or "above" the traces.
    """
    low, high = rows or (0, 1)
    line = {"type": "line", "x0": x, "x1": x, "y0": low, "y1": high, "line": dotted(theme)}
    figure.add_shape(**line, **({} if rows else {"yref": "paper"}), layer=layer)
    if text:
        label(figure, text, x, 1, theme.muted, paper="y", xanchor=side, yanchor="bottom")


def band(figure: Any, x: Sequence[Any], low: Sequence[float], high: Sequence[float], color: str, **more: Any) -> None:
    """Fill the band between two curves.

    Args:
        x: x of the points of both curves.
        low, high: y of the lower and of the upper curve.
        color: Color of the band.
        more: Further arguments of Plotly's scatter.
    """
    edges = {"x": [*x, *reversed(x)], "y": [*high, *reversed(low)]}
    style = {"mode": "lines", "fill": "toself", "fillcolor": color, "line": {"width": 0}, "hoverinfo": "skip"}
    figure.add_scatter(**{**edges, **style, **more})


_LARGE = 20
"""Smallest font size in the lecture view, in pixels."""
_SCALED = ("xshift", "yshift", "standoff", "thickness", "ticklen", "ax", "ay", "ygap", "xgap")


def enlarged(figure: Any) -> Any:
    """Return the figure for the lecture view: fonts of at least 20 px, and larger margins and markers."""
    import plotly.graph_objects as go

    return go.Figure(larger(figure.to_dict()), skip_invalid=True)


def larger(part: Any, name: str = "") -> Any:
    """Return a part of a figure with its lengths in pixels enlarged.

    `name` is the key of the part in the figure's specification. It says whether a number is a length in pixels.
    """
    factor = _LARGE / 14
    if isinstance(part, dict):
        if name == "margin":
            return {side: round(factor * value) for side, value in part.items()}
        return {key: larger(value, f"{name}.{key}" if key == "size" else key) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [larger(each, name) for each in part]
    if isinstance(part, bool) or not isinstance(part, int | float):
        return part
    if name.endswith("font.size"):
        return max(_LARGE, round(factor * part))
    return factor * part if name in _SCALED or name == "marker.size" else part
