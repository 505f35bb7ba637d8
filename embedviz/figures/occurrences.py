"""The figure of how alike the occurrences of a word are, each two of them, group after group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import number
from embedviz.figures.style import color_key, framed, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.contextual.senses import Chart
    from embedviz.figures.theme import Theme

_KEY = 60  # pixels of the scale under the map
_NAMES = 26  # pixels of the names above it
_LETTER = 8  # pixels
_LONGEST = 60  # characters of a sentence


def differences_figure(chart: Chart, layer: int, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw pairs of occurrences: violet above the mean pair of the layer, gold below; one scale for all layers.

    Args:
        chart: What is drawn.
        layer: Of its layers.
    """
    import plotly.graph_objects as go

    place = chart.layers.index(layer)
    values = np.array(chart.differences[place], np.float64)
    values[np.diag_indices(len(values))] = np.nan
    reach = _reach(chart.differences)
    groups = chart.groups(layer) or [""] * len(chart.found)
    names = [f"{at} · {short(chart.found.occurrences[row].snippet, _LONGEST)}" for at, row in enumerate(chart.order, 1)]
    side = 300 if phone else 400
    places = [*np.linspace(0, 0.5, 5).tolist(), *np.linspace(0.5, 1, 5).tolist()]
    figure = go.Figure(layout=layout(theme, height=side + _KEY + _NAMES, left=78, right=0, top=_NAMES, bottom=_KEY))
    figure.add_heatmap(
        x=names,
        y=names,
        z=values,
        zmin=-reach,
        zmax=reach,
        colorscale=list(zip(places, theme.diverging_second, strict=True)),
        hoverongaps=False,
        hovertemplate=f"%{{x}}<br>%{{y}}<br><b>%{{z:+.2f}}</b> against the mean pair of layer {layer}<extra></extra>",
        colorbar=_key(reach, float(chart.means[place]), side, theme),
    )
    ordered = [groups[row] for row in chart.order.tolist()]
    ticks = _middles(ordered)
    above = [group for group in ticks if len(short(group, 12)) * _LETTER < side * ordered.count(group) / len(ordered)]
    axis = {
        **framed(theme),
        "constrain": "domain",
        "tickmode": "array",
        "tickfont": {"size": 13, "color": theme.ink},
        "nticks": None,
    }
    figure.update_layout(
        shapes=_borders(ordered, theme),
        xaxis={
            **axis,
            "side": "top",
            "tickvals": [names[ticks[group]] for group in above],
            "ticktext": [short(group, 12) for group in above],
            "tickangle": 0,
            "ticks": "",
            "constraintoward": "left",
        },
        yaxis={
            **axis,
            "tickvals": [names[at] for at in ticks.values()],
            "ticktext": [short(group, 12) for group in ticks],
            "autorange": "reversed",
            "scaleanchor": "x",
            "constraintoward": "top",
        },
    )
    return figure


def _borders(groups: list[str], theme: Theme) -> list[dict[str, Any]]:
    """Return the lines between two groups, upright and across; none where each occurrence is its own."""
    low, high = -0.5, len(groups) - 0.5
    line = {"type": "line", "line": {"color": theme.ink, "width": 1}}
    ends = [at - 0.5 for at in range(1, len(groups)) if groups[at] != groups[at - 1]]
    upright = [{**line, "x0": end, "x1": end, "y0": low, "y1": high} for end in ends]
    return [*upright, *({**line, "x0": low, "x1": high, "y0": end, "y1": end} for end in ends)]


def _reach(differences: Any) -> float:
    """Return how far the scale goes to both sides of zero: to 99 % of what is off the diagonals of all layers."""
    n = differences.shape[-1]
    off = np.abs(differences[:, ~np.eye(n, dtype=bool)])
    return float(np.quantile(off, 0.99)) if off.size and off.max() > 0 else 0.1


def _middles(groups: list[str]) -> dict[str, int]:
    """Return the middle row of each group."""
    rows: dict[str, list[int]] = {}
    for at, group in enumerate(groups):
        rows.setdefault(group, []).append(at)
    return {group: own[len(own) // 2] for group, own in rows.items() if group}


def _key(reach: float, mean: float, side: float, theme: Theme) -> dict[str, Any]:
    """Return the scale under the map as cosines, the mean named; no cosine is above 1."""
    high = min(reach, 1 - mean)
    named: list[tuple[float, str]] = [(-reach, number(mean - reach)), (0, f"{number(mean)}, mean pair")]
    if high > reach / 2:
        named.append((high, number(mean + high)))
    return color_key(side, [value for value, _ in named], [text for _, text in named], theme)
