"""The figure of how well senses separate: one score over the layers, with its chance band and its control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.figures.style import layout
from embedviz.saying import number, share

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.separation import Score
    from embedviz.studies.senses import Senses

HEIGHT = 340
SHARES = ("nearest_neighbor", "nearest_centroid")
"""Scores that are said in percent."""


def scores_figure(found: Senses, score: str, layer: int, theme: Theme, *, phone: bool = False) -> go.Figure:
    """A score of every layer over the band of shuffled senses, the control dotted, one layer marked.

    Args:
        found: Of labelled sentences that have scores.
        score: The name of a score: difference, silhouette, ari, nearest_neighbor or nearest_centroid.
        layer: The one that is marked.

    Raises:
        ValueError: The sentences have no such score.
    """
    import plotly.graph_objects as go

    curve = _curve(found, score)
    if not curve:
        raise ValueError(f"There is no score “{score}” of these sentences.")
    say = share if score in SHARES else number
    layers, scores = [place for place, _ in curve], [one for _, one in curve]
    figure = go.Figure(layout=layout(theme, height=HEIGHT, left=44, top=24))
    for bound in ([one.low for one in scores], [one.high for one in scores]):
        figure.add_scatter(
            x=layers,
            y=bound,
            mode="lines",
            line={"width": 0},
            fill="tonexty" if figure.data else None,
            fillcolor=theme.grid,
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=layers,
        y=[one.value for one in scores],
        mode="lines+markers",
        line={"color": theme.ink, "width": 2},
        marker={"size": 9, "color": theme.bg, "opacity": 1, "line": {"color": theme.ink, "width": 2}},
        customdata=[[say(one.value), say(one.low), say(one.high)] for one in scores],
        hovertemplate="<b>layer %{x}</b><br>%{customdata[0]}<br>shuffled senses %{customdata[1]} to %{customdata[2]}"
        "<extra></extra>",
    )
    return figure


def _curve(found: Senses, name: str) -> list[tuple[int, Score]]:
    every = ((layer, getattr(each, name)) for layer, each in found.scored)
    return [(layer, score) for layer, score in every if score is not None]
