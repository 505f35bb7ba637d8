"""Figures of map quality: co-ranking curve, Shepard diagram, sweep of a setting, and the map of a structureless copy.

A structureless copy is a Gaussian cloud with the mean and covariance of the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import share
from embedviz.figures.style import axis_title, band, dotted, label, layout, rectangle, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from embedviz.core.space import Float
    from embedviz.figures.theme import Theme
    from embedviz.projection.quality import Checked
    from embedviz.projection.quality.shepard import ShepardDiagram
    from embedviz.projection.quality.sweep import Sweep

HEIGHT = 310
NOISE_HEIGHT = 340
SWEEP_HEIGHT = 260
MOST_IN_SMALL = 5_000
"""A small map in `sweep_figure()` draws at most this number of points. Of more points, it draws evenly spaced ones."""
_TICKS = (1, 2, 5, 10, 15, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_LATE = 0.8  # share of the axis; beyond it a name has no room on its right
_SHARES = (0, 0.2, 0.4, 0.6, 0.8, 1)
_CURVES, _FAR = (0.0, 0.78), (0.86, 1.0)  # the two plots, as shares of the width
_PARTS = 15  # groups of pairs, from near to far in the space; each gives a median
_LINE = 20  # pixels of a line of text
_MANY = 3_000  # from this number on, points are drawn small


def curve_figure(checked: Checked, theme: Theme, *, phone: bool = False, k: int | None = None) -> go.Figure:
    """Draw the share of the k nearest neighbors that the map keeps, by k.

    A band marks the copies: in 95 % of cases, no tested value of one more structureless copy is above it. A column at
    the right marks how well the map keeps the order of long distances.

    Args:
        k: A value of k that a dotted line marks.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=HEIGHT, top=48, left=48, right=8, bottom=46))
    points = checked.shares
    ks = [each.k for each in points]
    values = [each.value for each in points]
    ends = [min(1.0, each.high) for each in points], [max(0.0, each.low) for each in points]
    random = {"color": theme.rest, "width": 1.25}
    at_random = [each / (checked.quality.shown - 1) for each in ks]
    figure.add_scatter(x=ks, y=at_random, mode="lines", line=random, hoverinfo="skip")
    _copies(figure, ks, *ends, [each.copies for each in points], theme)
    figure.add_scatter(
        x=ks,
        y=values,
        mode="lines",
        line={"color": theme.categorical[0], "width": 2.5},
        customdata=[[*map(share, checked.at(k))] for k in ks],
        hovertemplate="<b>%{customdata[0]} of %{x:,} nearest</b><br>copies: %{customdata[1]}<extra></extra>",
    )
    distances = checked.permissions.long_distances
    highest = max(*values, *ends[0], distances.value, distances.high)
    top, last = min(1.25, max(0.4, 1.35 * highest)), ks[-1]
    _marks(figure, checked, theme, top)
    if k is not None:
        figure.add_shape(type="line", x0=k, x1=k, y0=0, y1=top, line=dotted(theme))
    _far(figure, checked, theme)
    _named(figure, theme)
    figure.update_layout(**_curve_axes(last, top, -4 if phone else -7, theme))
    return figure


def _curve_axes(last: int, top: float, first: int, theme: Theme) -> dict[str, Any]:
    """Return the axes of `curve_figure`: k on a log scale, shares, and the column for the order of long distances.

    Args:
        last: The greatest k.
        top: Upper end of the axis of shares.
        first: Slice start in the list of possible ticks of k; with −7, the seven highest ticks are drawn.
    """
    shares = [tick for tick in _SHARES if tick <= top]
    ticks = [k for k in _TICKS if k < last and k != 15][first:]
    return {
        "xaxis": {
            "type": "log",
            "domain": _CURVES,
            "range": [0, float(np.log10(last))],
            "tickvals": ticks,
            "ticktext": [f"{k:,}" for k in ticks],
            "title": axis_title("nearest looked at (k)", theme),
        },
        "xaxis2": {
            "domain": _FAR,
            "range": [0, 1],
            "tickvals": [],
            "showgrid": False,
            "zeroline": False,
            "showline": True,
            "linecolor": theme.border,
            "fixedrange": True,
            "title": axis_title("in order", theme, 20),
        },
        "yaxis": {"range": [-0.02, top], "tickvals": shares, "ticktext": [*map(share, shares)]},
    }


def noise_figure(
    points: Float, copy: Float, theme: Theme, *, words: Sequence[str] = (), phone: bool = False
) -> go.Figure:
    """Draw a map and, at its right (on a phone below it), the map of a structureless copy (random data).

    Args:
        words: Hover texts of the points of the first map; empty for none.
    """
    import plotly.graph_objects as go

    height = 2 * NOISE_HEIGHT if phone else NOISE_HEIGHT
    figure = go.Figure(layout=layout(theme, height=height, top=26, bottom=4))
    size = 2.5 if len(points) >= _MANY else 4
    titles = ("this map", "a structureless copy, same method")
    for place, (drawn, title) in enumerate(zip((points, copy), titles, strict=True)):
        end = "" if place == 0 else "2"
        (figure.add_scatter if 2 * len(points) <= MOST_IN_SMALL else figure.add_scattergl)(
            x=drawn[:, 0],
            y=drawn[:, 1],
            mode="markers",
            marker={"size": size, "color": theme.categorical[0] if place == 0 else theme.muted, "opacity": 0.7},
            xaxis=f"x{end}",
            yaxis=f"y{end}",
            hovertext=[short(word) for word in words] if words and place == 0 else None,
            hoverinfo="text" if words and place == 0 else "skip",
        )
        across, upward = (
            ([0, 1], [0.54 * (1 - place), 0.46 + 0.54 * (1 - place)])
            if phone
            else (
                [0.51 * place, 0.49 + 0.51 * place],
                [0, 1],
            )
        )
        hidden = {"visible": False, "showgrid": False}
        figure.update_layout(
            {
                f"xaxis{end}": {**hidden, "domain": across, "anchor": f"y{end}"},
                f"yaxis{end}": {**hidden, "domain": upward, "anchor": f"x{end}", "scaleanchor": f"x{end}"},
            }
        )
        label(
            figure,
            title,
            across[0],
            upward[1],
            theme.categorical_labels[0] if place == 0 else theme.muted,
            size=14,
            paper="xy",
            xanchor="left",
            yanchor="bottom",
        )
    return figure


def shepard_figure(found: ShepardDiagram, theme: Theme) -> go.Figure:
    """Draw the distance of each pair in the space and on the map; a line shows the median distance on the map."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=HEIGHT, top=30, left=44, right=8, bottom=46))
    figure.add_scatter(
        x=found.in_space,
        y=found.on_map,
        mode="markers",
        marker={"size": 3.5, "color": theme.categorical[0], "opacity": 0.35},
        hoverinfo="skip",
    )
    parts = np.array_split(np.argsort(found.in_space, kind="stable"), _PARTS)
    figure.add_scatter(
        x=[float(np.median(found.in_space[part])) for part in parts if len(part)],
        y=[float(np.median(found.on_map[part])) for part in parts if len(part)],
        mode="lines",
        line={"color": theme.ink, "width": 2.5},
        hoverinfo="skip",
    )
    measured = "1 − cosine" if found.metric == "cosine" else "Euclidean"
    figure.update_layout(
        xaxis={"title": axis_title(f"distance in the space ({measured})", theme)}, yaxis={"range": [0, 1.02]}
    )
    for text, x, anchor, color in (
        ("distance on the map", 0, "left", theme.muted),
        ("<b>median</b>", 1, "right", theme.ink),
    ):
        label(figure, text, x, 1, color, paper="xy", xanchor=anchor, yanchor="bottom")
    return figure


def _copies(figure: Any, ks: list[int], high: list[float], low: list[float], middle: list[float], theme: Theme) -> None:
    band(figure, ks, low, high, theme.border)
    figure.add_scatter(x=ks, y=middle, mode="lines", line=dotted(theme), hoverinfo="skip")


def _marks(figure: Any, checked: Checked, theme: Theme, top: float) -> None:
    """Mark on the curve the number of neighbors k for which neighbors were judged.

    The mark is filled if the user may read single neighbors from the map. If the user may read groups, the k for which
    groups were judged is marked too.
    """
    neighbors, groups, _ = checked.permissions
    curve = {each.k: each.value for each in checked.shares}
    named = {neighbors.scale or 1: ("neighbors", neighbors.given)}
    if groups.given and groups.scale is not None:
        same = groups.scale in named and neighbors.given
        named[groups.scale] = ("neighbors, groups" if same else "groups", True)
    for place, (k, (name, given)) in enumerate(named.items()):
        across = float(np.log10(k) / np.log10(checked.points[-1].k))
        left = across > (_LATE if place else 0.3)
        figure.add_scatter(
            x=[k],
            y=[curve[k]],
            mode="markers",
            marker={
                "size": 10,
                "opacity": 1,
                "color": theme.categorical[0] if given else theme.bg,
                "line": {"width": 2, "color": theme.categorical[0]},
            },
            hoverinfo="skip",
            cliponaxis=False,
        )
        figure.add_shape(type="line", x0=k, x1=k, y0=curve[k], y1=top, line={"color": theme.muted, "width": 1})
        label(
            figure,
            f"{name}, k = {k:,}",
            float(np.log10(k)),
            top,
            theme.categorical_labels[0],
            size=14,
            xanchor="right" if left else "left",
            yanchor="top",
            xshift=-5 if left else 5,
            yshift=-_LINE * place,
        )


def _far(figure: Any, checked: Checked, theme: Theme) -> None:
    """Draw the share of triplets in order: copies as a bar, the map as a dot, a random layout as a line.

    A triplet is in order if the same of two points is nearer to a third in the space and on the map.
    """
    distances = checked.permissions.long_distances
    low, middle, high = distances.low, distances.copies, distances.high
    refs = {"xref": "x2", "yref": "y"}
    rectangle(figure, (0.2, 0.8), theme.border, (low, min(1.0, high)), **refs)
    figure.add_shape(type="line", x0=0.2, x1=0.8, y0=middle, y1=middle, line=dotted(theme), **refs)
    random = {"color": theme.rest, "width": 1.25}
    figure.add_shape(type="line", x0=0.2, x1=0.8, y0=0.5, y1=0.5, line=random, **refs)
    figure.add_scatter(
        x=[0.5],
        y=[distances.value],
        xaxis="x2",
        mode="markers",
        marker={
            "size": 10,
            "opacity": 1,
            "color": theme.categorical[0] if distances.given else theme.bg,
            "line": {"width": 2, "color": theme.categorical[0]},
        },
        customdata=[[share(distances.value), share(distances.copies)]],
        hovertemplate="<b>%{customdata[0]} of triplets in order</b><br>copies: %{customdata[1]}<extra></extra>",
        cliponaxis=False,
    )


def _named(figure: Any, theme: Theme) -> None:
    """Write the axis title and the names of the lines."""
    for text, x, anchor, color in (
        ("share of the k nearest kept", 0, "left", theme.muted),
        ("<b>this map</b>", 1, "right", theme.categorical_labels[0]),
        ("┄ structureless copies", 1, "right", theme.muted),
    ):
        label(
            figure,
            text,
            x,
            1,
            color,
            paper="xy",
            xanchor=anchor,
            yanchor="bottom",
            xshift={"left": -48, "right": 0}[anchor] - (72 if text.startswith("┄") else 0),
            yshift=_LINE if x == 0 else 0,
        )


def sweep_figure(
    swept: Sweep,
    colors: Sequence[str],
    theme: Theme,
    *,
    here: float,
    badges: Sequence[tuple[str, str]] = (),
    phone: bool = False,
) -> go.Figure:
    """Draw a small map per value of a setting, three in a row (two on a phone), each with its share of neighbors kept.

    Args:
        colors: Color of each point.
        here: The value of the map above this figure; its small map is marked as *shown above*.
        badges: For each small map, two texts: what may be read from it, and from the map of a structureless copy. Empty
            until known.
    """
    import plotly.graph_objects as go

    across = 2 if phone else 3
    lines = -(-len(swept.values) // across)
    named = 26 + 19 * len(badges[0] if badges else ())
    height = (SWEEP_HEIGHT + named - 26) * lines
    figure = go.Figure(layout=layout(theme, height=height, top=4, left=4, right=4, bottom=4))
    chosen = np.unique(np.linspace(0, len(colors) - 1, min(len(colors), MOST_IN_SMALL)).astype(np.int64))
    drawn = [colors[place] for place in chosen.tolist()]
    for place, (value, points) in enumerate(zip(swept.values, swept.points, strict=True)):
        line, column = divmod(place, across)
        end = str(place + 1) if place else ""
        few = len(chosen) * len(swept.values) <= MOST_IN_SMALL
        (figure.add_scatter if few else figure.add_scattergl)(
            x=points[chosen, 0],
            y=points[chosen, 1],
            mode="markers",
            marker={"size": 2.5 if len(chosen) >= _MANY else 4, "color": drawn, "opacity": 0.8},
            xaxis=f"x{end}",
            yaxis=f"y{end}",
            hoverinfo="skip",
        )
        left, top = column / across, 1 - line / lines
        room = named / height
        hidden = {"visible": False, "showgrid": False}
        domain = [left + 0.01, left + 1 / across - 0.01], [top - 1 / lines + 0.02, top - room]
        figure.update_layout(
            {
                f"xaxis{end}": {**hidden, "domain": domain[0], "anchor": f"y{end}"},
                f"yaxis{end}": {**hidden, "domain": domain[1], "anchor": f"x{end}", "scaleanchor": f"x{end}"},
            }
        )
        text = f"<b>{value:g}</b> · {share(swept.kept[place])} kept{' · shown above' if value == here else ''}"
        ends = {"xanchor": "left", "yanchor": "top"}
        label(figure, text, left + 0.01, top, theme.ink if value == here else theme.muted, size=14, paper="xy", **ends)
        for row, words in enumerate(badges[place] if badges else (), 1):
            ink = theme.muted if row > 1 else theme.ink
            label(figure, words, left + 0.01, top - (26 + 19 * (row - 1)) / height, ink, size=13, paper="xy", **ends)
    return figure
