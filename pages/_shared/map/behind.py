"""Figures behind the badge of a map: the co-ranking curve with the numbers at one k, and the Shepard diagram."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import Call
from embedviz.core.phrases import share
from embedviz.figures.quality import curve_figure, shepard_figure
from pages._shared.app import states
from pages._shared.output import figure
from pages._shared.results import calls

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.projection.quality import Checked
    from embedviz.projection.quality.shepard import ShepardDiagram

_K, _SHEPARD = "badge-k", "badge-shepard"
_MOST_CURVES = 16
"""Most co-ranking curves that stay in memory."""


@lru_cache(maxsize=_MOST_CURVES)
def _drawn(checked: Checked, theme: Theme, k: int, *, phone: bool) -> go.Figure:
    """Return the figure of the co-ranking curve. It is cached for all visitors, since drawing takes long."""
    return curve_figure(checked, theme, phone=phone, k=k)


def curve(checked: Checked, theme: Theme, *, phone: bool) -> None:
    """Draw the co-ranking curve, a slider for k, and the share of the k nearest neighbors kept."""
    ks = [each.k for each in checked.points]
    if st.session_state.get(_K) not in ks:
        st.session_state[_K] = checked.quality.k if checked.quality.k in ks else ks[0]
    at = int(st.session_state[_K])
    figure.plotly(_drawn(checked, theme, at, phone=phone), "badge-curve", lecture=False)
    above = any(each.beyond and not each.given for each in checked.permissions)
    states.note(
        "Grey band: maps of structureless copies, random data with the same mean and covariance. Thin grey line: a "
        "random layout. Right: the share of long distances in order.",
        "Open circle above the band: more than by chance, but not enough to read." if above else "",
    )
    if len(ks) > 1:
        st.select_slider("Nearest looked at (k)", ks, key=_K, format_func=lambda k: f"{k:,}")
    preserved, copied = checked.at(at)
    random = at / (checked.quality.shown - 1)
    header = ("neighbors kept", "this map", "structureless copies", "random layout")
    states.table(header, [(f"of the {at:,} nearest", share(preserved), share(copied), share(random))], strong=1)


def diagram(checking: Call | None, theme: Theme) -> None:
    """Offer the Shepard diagram of a checked map; a click computes it."""
    if checking is None or not st.toggle(
        "Show the Shepard diagram: distances in the space and on the map", key=_SHEPARD
    ):
        return
    values = {
        name: value for name, value in checking.arguments if name in ("space", "rows", "method", "options", "points")
    }
    found: ShepardDiagram = calls.result(Call("embedviz.projection.quality.shepard:shepard", tuple(values.items())))
    figure.plotly(shepard_figure(found, theme), "badge-shepard-figure", lecture=False)
    states.note(found.meaning, f"{len(found.in_space):,} random pairs of the {found.shown:,} points.")
