"""Figure of the similarity of all pairs of occurrences of a word, sorted by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import number
from embedviz.figures.style import color_key, framed, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.contextual.senses import Chart
    from embedviz.figures.theme import Theme

_KEY = 60  # height of the color scale under the map, in pixels
_NAMES = 26  # height of the names above the map, in pixels
_LETTER = 8  # width of a letter in pixels
_LONGEST = 60  # characters of a sentence
_LEAST = 0.02  # least part of the scale above the mean pair, even if the mean is 1


def differences_figure(chart: Chart, layer: int, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw the cosines of all pairs of occurrences: violet above the layer's mean cosine, gold below.

    Equal differences have equal colors at all layers.

    Args:
        layer: The layer drawn, one of `chart.layers`.
    """
    import plotly.graph_objects as go

    place = chart.layers.index(layer)
    values = np.array(chart.differences[place], np.float64)
    values[np.diag_indices(len(values))] = np.nan
    reach = _reach(chart.differences)
    groups = chart.groups(layer) or [""] * len(chart.found)
    names = [f"{at} · {short(chart.found.occurrences[row].snippet, _LONGEST)}" for at, row in enumerate(chart.order, 1)]
    side = 300 if phone else 400
    mean = float(chart.means[place])
    high = min(reach, max(1 - mean, _LEAST * reach))
    figure = go.Figure(layout=layout(theme, height=side + _KEY + _NAMES, left=78, right=0, top=_NAMES, bottom=_KEY))
    figure.add_heatmap(
        x=names,
        y=names,
        z=values,
        zmin=-reach,
        zmax=high,
        colorscale=_colors(high / reach, theme),
        hoverongaps=False,
        hovertemplate=f"%{{x}}<br>%{{y}}<br><b>%{{z:+.2f}}</b> against the mean pair of layer {layer}<extra></extra>",
        colorbar=_key(reach, high, mean, side, theme),
    )
    ordered = [groups[row] for row in chart.order.tolist()]
    figure.update_layout(shapes=_borders(ordered, theme), **_group_axes(names, ordered, side, theme))
    return figure


def _group_axes(names: list[str], ordered: list[str], side: int, theme: Theme) -> dict[str, Any]:
    """Return the axes of a square of occurrences, with names of groups at the left, and above where they fit.

    Args:
        names: Name of each occurrence, in the order of the axes.
        ordered: Group of each occurrence, in the same order.
        side: Length of the square, in pixels.
    """
    ticks = _middles(ordered)
    above = [group for group in ticks if len(short(group, 12)) * _LETTER < side * ordered.count(group) / len(ordered)]
    axis = {
        **framed(theme),
        "constrain": "domain",
        "tickmode": "array",
        "tickfont": {"size": 13, "color": theme.ink},
        "nticks": None,
    }
    return {
        "xaxis": {
            **axis,
            "side": "top",
            "tickvals": [names[ticks[group]] for group in above],
            "ticktext": [short(group, 12) for group in above],
            "tickangle": 0,
            "ticks": "",
            "constraintoward": "left",
        },
        "yaxis": {
            **axis,
            "tickvals": [names[at] for at in ticks.values()],
            "ticktext": [short(group, 12) for group in ticks],
            "autorange": "reversed",
            "scaleanchor": "x",
            "constraintoward": "top",
        },
    }


def _borders(groups: list[str], theme: Theme) -> list[dict[str, Any]]:
    """Return the lines that separate neighboring groups, vertical and horizontal; none if there is only one group."""
    low, high = -0.5, len(groups) - 0.5
    line = {"type": "line", "line": {"color": theme.ink, "width": 1}}
    ends = [at - 0.5 for at in range(1, len(groups)) if groups[at] != groups[at - 1]]
    upright = [{**line, "x0": end, "x1": end, "y0": low, "y1": high} for end in ends]
    return [*upright, *({**line, "x0": low, "x1": high, "y0": end, "y1": end} for end in ends)]


def _reach(differences: Any) -> float:
    """Return the limit of the color scale: 99 % of the absolute differences off the diagonals are below."""
    n = differences.shape[-1]
    off = np.abs(differences[:, ~np.eye(n, dtype=bool)])
    return float(np.quantile(off, 0.99)) if off.size and off.max() > 0 else 0.1


def _colors(high: float, theme: Theme) -> list[tuple[float, str]]:
    """Return Plotly's color scale: the diverging colors, which range from −1 to 1, cut off above `high`."""
    from plotly.colors import find_intermediate_color, hex_to_rgb, label_rgb

    colors = [label_rgb(hex_to_rgb(color)) for color in theme.diverging_second]
    below, above = colors[:5], colors[5:]
    cut, steps = high * (len(above) - 1), int(high * (len(above) - 1))
    ends = [(step / (len(above) - 1), above[step]) for step in range(steps + 1)]
    if steps < len(above) - 1:
        last = find_intermediate_color(above[steps], above[steps + 1], cut - steps, colortype="rgb")
        ends.append((high, last))
    placed = [*zip(np.linspace(-1, 0, len(below)).tolist(), below, strict=True), *ends]
    return [((place + 1) / (high + 1), color) for place, color in placed]


def _middles(groups: list[str]) -> dict[str, int]:
    """Return the index of the middle occurrence of each group that has a name."""
    rows: dict[str, list[int]] = {}
    for at, group in enumerate(groups):
        rows.setdefault(group, []).append(at)
    return {group: own[len(own) // 2] for group, own in rows.items() if group}


def _key(reach: float, high: float, mean: float, side: float, theme: Theme) -> dict[str, Any]:
    """Return the color scale under the map, labelled with cosines. The mean cosine is labelled like “0.53, mean pair”.

    The length of the scale is proportional to its range, so that equal differences are equally long at all layers.
    """
    named: list[tuple[float, str]] = [(-reach, number(mean - reach)), (0, f"{number(mean)}, mean pair")]
    if high > reach / 2:
        named.append((high, number(min(mean + high, 1))))
    values, texts = zip(*named, strict=True)
    return color_key(min(side, 320) * (reach + high) / (2 * reach), values, texts, theme)
