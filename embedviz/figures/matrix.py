"""Figure of a similarity matrix: a heat map whose color scale is centered on random pairs; the diagonal is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import number
from embedviz.figures.style import color_key, layout, short_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.neighbors import SimilarityMatrix

MOST_WRITTEN = 12
"""Up to this number of words, each cell shows its value."""
_CELL = 44
_LABEL = 17  # least distance of two labels in pixels
_KEY = 64  # height of the color scale under the map, in pixels


def matrix_figure(matrix: SimilarityMatrix, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw a cell for each pair of words: blue if the pair is nearer than random pairs, rust if it is farther."""
    import plotly.graph_objects as go

    m = len(matrix.words)
    longest = max(map(len, matrix.words))
    high, wide = (12, 14) if phone else (18, 30)  # letters of a label below and beside the map
    names, side_names = (short_apart(matrix.words, most) for most in (high, wide))
    below, left = (int(12 + 6.9 * min(longest, most)) for most in (high, wide))
    side = min((350 if phone else 640) - left, 520, max(120, m * _CELL))
    every = -(-m * _LABEL // side)
    ticks = [place for place in range(m) if place % every == 0]
    values = np.array(matrix.values, np.float64)
    values[np.diag_indices(m)] = np.nan
    center, reach = matrix.mean, _reach(matrix, values)
    figure = go.Figure(layout=layout(theme, height=side + below + _KEY, left=left, right=0, bottom=below + _KEY))
    figure.add_heatmap(
        z=values,
        zmin=center - reach,
        zmax=center + reach,
        colorscale=_scale(theme, matrix.scale.nearer),
        xgap=1 if m <= 60 else 0,
        ygap=1 if m <= 60 else 0,
        hoverongaps=False,
        customdata=[[[one, other] for other in names] for one in names],
        hovertemplate=(
            f"<b>%{{customdata[0]}} and %{{customdata[1]}}</b><br>{matrix.scale.unit} %{{z:.2f}}"
            f"<br>random pair {number(center)}<extra></extra>"
        ),
        colorbar=_key(matrix, reach, side, theme),
    )
    if m <= MOST_WRITTEN:
        figure.add_trace(written(values, figure.data[0], theme, 12 if phone else 13))
    axis = _axis(ticks, 12 if every > 1 or phone else 13, theme)
    figure.update_layout(
        xaxis={
            **axis,
            "ticktext": [names[place] for place in ticks],
            "tickangle": -90,
            "constraintoward": "left",
            "range": [-0.5, m - 0.5],
        },
        yaxis={
            **axis,
            "ticktext": [side_names[place] for place in ticks],
            "scaleanchor": "x",
            "constraintoward": "top",
            "range": [m - 0.5, -0.5],
            "nticks": None,
        },
    )
    return figure


def _axis(ticks: Sequence[int], size: int, theme: Theme) -> dict[str, Any]:
    """Return the settings that both axes share: the positions of the ticks, and the font size of their names."""
    return {
        "tickmode": "array",
        "tickvals": ticks,
        "tickfont": {"size": size, "color": theme.ink},
        "showgrid": False,
        "showline": False,
        "ticks": "outside",
        "ticklen": 5,
        "tickcolor": "rgba(0,0,0,0)",
        "constrain": "domain",
    }


def _reach(matrix: SimilarityMatrix, values: Any) -> float:
    """Return how far the color scale reaches on each side of its middle."""
    low, _, high = matrix.percentiles
    farthest = max(float(np.nanmax(np.abs(values - matrix.mean))), high - matrix.mean, matrix.mean - low)
    return farthest or 1.0


def _scale(theme: Theme, nearer: int) -> list[tuple[float, str]]:
    """Return the diverging color scale, faintest in the middle; reversed if a smaller value means nearer."""
    colors = theme.diverging if nearer > 0 else theme.diverging[::-1]
    places = [*np.linspace(0, 0.5, 5).tolist(), *np.linspace(0.5, 1, 5).tolist()]
    return list(zip(places, colors, strict=True))


def written(values: Any, heat: Any, theme: Theme, size: int) -> Any:
    """Return a trace that writes each value in its cell, in the ink with the higher contrast."""
    import plotly.graph_objects as go

    rows, columns = np.nonzero(np.isfinite(values))
    written_values = values[rows, columns]
    places = np.linspace(0, 1, 65)
    levels = np.array([_luminance(color) for _, color in heat.colorscale])
    lightness = np.interp(places, [place for place, _ in heat.colorscale], levels)
    cells = np.interp((written_values - heat.zmin) / (heat.zmax - heat.zmin), places, lightness)
    inks = sorted((theme.bg, theme.ink), key=_luminance)
    dark, pale = _luminance(inks[0]), _luminance(inks[1])
    return go.Scatter(
        x=columns,
        y=rows,
        mode="text",
        text=[number(value) for value in written_values],
        textfont={
            "size": size,
            "color": [inks[0] if (cell + 0.05) ** 2 > (dark + 0.05) * (pale + 0.05) else inks[1] for cell in cells],
        },
        hoverinfo="skip",
    )


def _luminance(color: str) -> float:
    """Return the relative luminance of `#RRGGBB` (WCAG 2)."""
    channels = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _key(matrix: SimilarityMatrix, reach: float, side: float, theme: Theme) -> dict[str, Any]:
    """Return the color scale under the map, with labels at its ends and its middle."""
    center = matrix.mean
    ends = (number(center - reach), f"random pair {number(center)}", number(center + reach))
    return color_key(side - 44, [center - reach, center, center + reach], ends, theme)
