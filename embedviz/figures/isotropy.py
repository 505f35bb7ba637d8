"""Figures of a space's shape: cosines of random pairs, variance by component, dimensions, lengths by rank.

Each may show the same of a corrected space; then the space as it was is drawn in grey.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.figures.style import axis_title, faded, layout
from embedviz.saying import number, share

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.isotropy import Isotropy

HEIGHT = 270


def cosines_figure(found: Isotropy, theme: Theme, before: Isotropy | None = None, *, phone: bool = False) -> go.Figure:
    """The cosines of random pairs over those of random directions, dotted."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=HEIGHT, bottom=30))
    if before is not None:
        figure.add_trace(_density(before, theme.muted, theme, filled=False))
    blue = theme.categorical[0]
    figure.add_trace(_density(found, blue, theme, filled=True))
    middle = _middle(found)
    expected = np.asarray(found.expected, np.float64) / _area(found)
    figure.add_scatter(
        x=middle,
        y=expected,
        mode="lines",
        line={"color": theme.ink, "width": 1.25, "dash": "dot"},
        hovertemplate="random directions<extra></extra>",
    )
    top = max(float(expected.max()), float((found.histogram.counts / _area(found)).max()))
    if before is not None:
        top = max(top, float((before.histogram.counts / _area(before)).max()))
    edges = [*found.histogram.edges[[0, -1]], *(before.histogram.edges[[0, -1]] if before else [])]
    figure.update_layout(
        yaxis={"visible": False, "range": [0, 1.12 * top]}, xaxis={"range": [min(edges), max(edges)], "nticks": 6}
    )
    if not phone:
        mean, spread = found.value("mean_cosine") or 0.0, found.value("cosine_spread") or 0.0
        name = "this space" if before is None else "corrected"
        _label(
            figure,
            0.99,
            0.62,
            f"{name}<br>mean {number(mean)}, sd {number(spread)}",
            theme.categorical_labels[0],
        )
        _label(figure, 0.99, 0.94, f"random directions, dotted<br>mean 0, sd {number(found.spread)}", theme.muted)
        if before is not None:
            mean, spread = before.value("mean_cosine") or 0.0, before.value("cosine_spread") or 0.0
            _label(figure, 0.99, 0.3, f"as it was<br>mean {number(mean)}, sd {number(spread)}", theme.muted)
    return figure


def variance_figure(found: Isotropy, theme: Theme, before: Isotropy | None = None) -> go.Figure:
    """The share of variance that the first k principal components hold, over that of an isotropic space, dotted."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=HEIGHT, left=44, bottom=30))
    d = len(found.components)
    if before is not None:
        figure.add_trace(_held(before.components, theme.muted, 1.5))
    figure.add_trace(_held(found.components, theme.categorical[0], 2.5))
    figure.add_trace(_held(found.flat[: max(1, int(np.count_nonzero(found.flat)))], theme.ink, 1.25, dash="dot"))
    sums = np.cumsum(found.components, dtype=np.float64)
    for level, said in ((0.5, "half"), (0.9, "nine tenths")):
        if not len(sums) or sums[-1] < level:
            continue
        at = int(np.searchsorted(sums, level)) + 1
        left = at > 0.62 * d
        figure.add_scatter(
            x=[at],
            y=[100 * float(sums[at - 1])],
            mode="markers+text",
            marker={"size": 9, "color": theme.categorical[0], "opacity": 1},
            text=[f"{said}: {at:,} "],
            textposition="top left" if left or at > 0.1 * d else "middle right",
            textfont={"size": 14, "color": theme.categorical_labels[0]},
            cliponaxis=False,
            hoverinfo="skip",
        )
    _label(figure, 0.99, 0.2, "isotropic, dotted", theme.muted)
    figure.update_layout(
        yaxis={"range": [0, 104], "tickvals": [0, 50, 100], "ticktext": ["0\u00a0%", "50\u00a0%", "100\u00a0%"]},
        xaxis={"range": [min(1, d - 1), d], "nticks": 5},
    )
    return figure


def rogues_figure(found: Isotropy, theme: Theme) -> go.Figure:
    """What the greatest dimensions add to the mean cosine, as shares of it; dotted where all would add alike."""
    import plotly.graph_objects as go

    listed = [rogue for rogue in found.rogues if rogue.share is not None]
    figure = go.Figure(layout=layout(theme, height=26 * len(listed) + 34, left=52, bottom=26))
    places = list(range(len(listed)))
    values = [100 * (rogue.share or 0.0) for rogue in listed]
    figure.add_bar(
        x=values,
        y=places,
        orientation="h",
        marker={"color": theme.categorical[0], "cornerradius": 3},
        width=0.5,
        text=[share(rogue.share or 0.0, fine=True) for rogue in listed],
        textposition="outside",
        constraintext="none",
        textfont={"size": 13, "color": theme.muted},
        cliponaxis=False,
        hoverinfo="skip",
    )
    even = 100 / found.dimensions
    line = {"color": theme.ink, "width": 1.25, "dash": "dot"}
    figure.add_shape(type="line", x0=even, x1=even, y0=0, y1=1, yref="paper", line=line)
    figure.update_layout(
        yaxis={
            "autorange": "reversed",
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [f"{rogue.dimension:,}" for rogue in listed],
            "showgrid": False,
            "tickfont": {"size": 13, "color": theme.ink},
        },
        xaxis={"visible": False, "range": [0, 1.25 * max([*values, 1.5 * even])]},
    )
    return figure


def lengths_figure(found: Isotropy, theme: Theme, before: Isotropy | None = None) -> go.Figure:
    """The median length of rows by their place, the first being the most frequent."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=190, left=44, bottom=44))
    for one, color, width in ((before, theme.muted, 1.5), (found, theme.categorical[0], 2.5)):
        if one is not None:
            figure.add_scatter(
                x=one.curve[:, 0],
                y=one.curve[:, 1],
                mode="lines",
                line={"color": color, "width": width},
                hovertemplate="place %{x:,.0f}<br>median length %{y:.2f}<extra></extra>",
            )
    highest = max(float(one.curve[:, 1].max()) for one in (found, before) if one is not None and len(one.curve))
    figure.update_layout(
        xaxis={
            "type": "log",
            "title": axis_title("place by frequency", theme, 6),
            "dtick": 1,
        },
        yaxis={"range": [0, 1.1 * highest], "nticks": 4},
    )
    return figure


def _density(found: Isotropy, color: str, theme: Theme, *, filled: bool) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(
        x=_middle(found),
        y=found.histogram.counts / _area(found),
        mode="lines",
        line={"color": color, "width": 2 if filled else 1.5},
        fill="tozeroy" if filled else None,
        fillcolor=faded(color, 0.15) if filled else None,
        hovertemplate="cosine %{x:.2f}<extra></extra>",
    )


def _middle(found: Isotropy) -> Any:
    edges = found.histogram.edges
    return (edges[:-1] + edges[1:]) / 2


def _area(found: Isotropy) -> float:
    edges = found.histogram.edges
    return found.pairs * float(edges[1] - edges[0])


def _held(components: Any, color: str, width: float, dash: str = "solid") -> Any:
    import plotly.graph_objects as go

    places = np.arange(1, len(components) + 1)
    return go.Scatter(
        x=places,
        y=100 * np.cumsum(components, dtype=np.float64),
        mode="lines",
        line={"color": color, "width": width, "dash": dash},
        hovertemplate="first %{x:,}: %{y:.1f}\u00a0%<extra></extra>",
    )


def _label(figure: Any, x: float, y: float, text: str, color: str) -> None:
    figure.add_annotation(
        x=x,
        y=y,
        xref="paper",
        yref="paper",
        text=text,
        showarrow=False,
        xanchor="right",
        align="right",
        font={"size": 14, "color": color},
    )
