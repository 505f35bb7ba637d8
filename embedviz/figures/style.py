"""What all figures share: how words are written, and the quiet layout of Plotly."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme

_TURNING = re.compile("[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]")  # right to left


def layout(
    theme: Theme, *, height: int, top: int = 4, left: int = 4, right: int = 8, bottom: int = 52
) -> dict[str, Any]:
    """A layout with direct labels in mind: no legend, no title, a thin horizontal grid."""
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


def short(word: str, most: int = 24) -> str:
    """The word as a label: cut, escaped, and kept from turning the text after it."""
    cut = word if len(word) <= most else word[: most - 1] + "…"
    said = html.escape(cut, quote=False)  # Plotly reads no entities of quotes, and shows them as they are
    return f"\u2068{said}\u2069" if _TURNING.search(cut) else said


def faded(color: str, opacity: float) -> str:
    """A color of six hexadecimal digits, seen through."""
    red, green, blue = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def axis_title(text: str, theme: Theme, standoff: int = 8) -> dict[str, Any]:
    """The title of an axis: small and muted."""
    return {"text": text, "standoff": standoff, "font": {"size": 13, "color": theme.muted}}


def color_key(length: float, values: Sequence[float], texts: Sequence[str], theme: Theme) -> dict[str, Any]:
    """The scale of colors under a map, at most so many pixels long, with these texts at these values."""
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


def dotted(figure: Any, x: float, theme: Theme) -> None:
    """A baseline: a dotted line from bottom to top, below what is drawn."""
    line = {"color": theme.ink, "width": 1.25, "dash": "dot"}
    figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, yref="paper", line=line, layer="below")
