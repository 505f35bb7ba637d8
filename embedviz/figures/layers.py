"""Figures of layers: a measure at every layer with baseline and published models, and the similarity of layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import number
from embedviz.figures.matrix import written
from embedviz.figures.style import axis_title, band, dotted, faded, framed, label, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.contextual.layers import Layers, Value
    from embedviz.figures.theme import Theme
    from embedviz.testsets.datasets import Published

_HEIGHT, _PHONE = 340, 300
_LABEL = 17  # height of a label
_LETTER = 7.2  # width of a letter
_CLEAR = 12  # pixels between the middle of a label and a curve
_GRID = 9  # pixels between the middle of a label and the line at zero
_OFF = 4  # a published curve above this multiple of the live model's highest value would flatten it
_MODELS = (1, 2, 6)  # indices of the published models' colors in `theme.categorical`
_NEAR_AXIS = 0.12  # share of the height; a value below it is written above its point

_End = tuple[str, float, float, str]
"""The label of a curve: text, x, y and color."""


def on_scale(found: Layers, measure: str, published: Sequence[Published]) -> tuple[list[Published], list[Published]]:
    """Return the published models that have the measure, in two lists: to be drawn, and to be left out.

    A model is left out if its highest value is above 1 and above `_OFF` times the highest value of `found`. With such a
    model, the curve of `found` would be flat.
    """
    known = [value.value for value in found.curve(measure) if value.value is not None]
    having = [model for model in published if measure in model.curves]
    most = max([1.0, *(_OFF * value for value in known)])
    fits = [model for model in having if max(model.curves[measure]) <= most]
    return fits, [model for model in having if model not in fits]


def curves_figure(
    found: Layers,
    measure: str,
    theme: Theme,
    published: Sequence[Published] = (),
    *,
    say: Any = number,
    against: str = "",
    axis: str = "",
    phone: bool = False,
) -> go.Figure:
    """Draw a measure at every layer with its 95 % interval; its baseline is dotted, published models are thin lines.

    Args:
        published: Models to draw as well, except those that `on_scale` leaves out.
        say: Function that formats a value.
        against: The name of the baseline.
        axis: The title of the y axis.
    """
    import plotly.graph_objects as go

    height = _PHONE if phone else _HEIGHT
    figure = go.Figure(layout=layout(theme, height=height, top=14, left=64, right=96 if phone else 140, bottom=48))
    values = found.curve(measure)
    drawn, _ = on_scale(found, measure, published)
    ends = _published(figure, drawn, published, measure, theme, "" if phone else " (paper)")
    if found.before:
        before = [layer.values[measure] for layer in found.before]
        figure.add_trace(_line(before, theme.muted, 1.5, "uncorrected", say))
        ends += _end("uncorrected", before, theme.muted)
    deepest = max([found.depth, *(len(model.curves[measure]) - 1 for model in drawn)])
    ends += _baseline(figure, values, against, theme, deepest)
    _intervals(figure, values, theme)
    name = "corrected" if found.before else _short(found.model)
    figure.add_trace(_line(values, theme.categorical[0], 2.5, name, say))
    low, high = _range(found, values, drawn, measure)
    here = ", measured here:" if drawn and not phone else ""
    ends += _values(figure, values, f"{name}{here}", low, high, theme, say)
    _named(figure, ends, low, high, height - 62, (260 if phone else 440) / (1.02 * deepest + 0.2))
    figure.update_layout(
        xaxis={
            "range": [-0.02 * deepest - 0.1, deepest + 0.1],
            "dtick": 1 if deepest <= 12 and not phone else max(1, round(deepest / 6)),
            "tick0": 0,
            "title": axis_title("layer; 0 is the input", theme, 6),
        },
        yaxis={
            "range": [low, high],
            "nticks": 5,
            "title": axis_title(axis.partition(" (")[0] if phone else axis, theme, 6),
        },
    )
    return figure


def _published(
    figure: Any, drawn: Sequence[Published], every: Sequence[Published], measure: str, theme: Theme, suffix: str
) -> list[_End]:
    """Draw the published models, each in its own color, and return their labels with position and color.

    The text of a label is the model's title plus `suffix`. `every` fixes the color of each model.
    """
    ends: list[_End] = []
    for color, model in zip(_MODELS, every, strict=False):
        if model not in drawn:
            continue
        values = model.curves[measure]
        figure.add_scatter(
            x=list(range(len(values))),
            y=list(values),
            mode="lines+markers",
            line={"color": theme.categorical[color], "width": 1.5},
            marker={"size": 5, "opacity": 1, "color": theme.categorical[color]},
            hovertemplate=f"<b>{model.title}</b><br>layer %{{x}}: %{{y:.2f}}<br>as published<extra></extra>",
        )
        ends.append((f"{model.title}{suffix}", len(values) - 1, values[-1], theme.categorical_labels[color]))
    return ends


def _baseline(figure: Any, values: Sequence[Value], against: str, theme: Theme, deepest: int) -> list[_End]:
    """Draw the baseline of each layer as a dotted line and return its label; a constant baseline spans the plot."""
    known = [(at, value.against) for at, value in enumerate(values) if value.against is not None]
    if not known:
        return []
    if len({value for _, value in known}) == 1:
        known += [(at, known[0][1]) for at in range(len(values), deepest + 1)]
    figure.add_scatter(
        x=[at for at, _ in known],
        y=[value for _, value in known],
        mode="lines",
        line=dotted(theme),
        hovertemplate=f"{against}<br>layer %{{x}}: %{{y:.3f}}<extra></extra>",
    )
    at, value = known[-1]
    name = against or ("chance" if values[0].chance is not None else "isotropic")
    return [(name, at, value, theme.muted)]


def _values(
    figure: Any, values: Sequence[Value], name: str, low: float, high: float, theme: Theme, say: Any
) -> list[_End]:
    """Write the lowest and the highest value at their points; return the label of the curve, with its last value.

    The label is a list of one item: text, x, y, color. The list is empty if no value is known.
    """
    known = [(value.value, at) for at, value in enumerate(values) if value.value is not None]
    if not known:
        return []
    for (value, at), shift in ((min(known), -15), (max(known), 15)):
        above_axis = (value - low) / (high - low) > _NEAR_AXIS
        if at != known[-1][1]:  # the end of the curve has its value in its name
            _written(figure, at, shift if above_axis else 15, values, theme, say)
    return _end(f"{name} {say(known[-1][0])}", values, theme.categorical_labels[0])


def alike_figure(found: Layers, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw linear CKA of all pairs of layers on a color scale from 0 (unrelated) to 1 (equal)."""
    import plotly.graph_objects as go

    count = len(found.layers)
    side = 300 if phone else min(400, max(220, 44 * count))
    figure = go.Figure(layout=layout(theme, height=side + 44, top=4, left=40, right=4, bottom=44))
    shades = len(theme.sequential) - 1
    figure.add_heatmap(
        z=np.clip(found.alike, 0, 1),
        zmin=0,
        zmax=1,
        colorscale=[(place / shades, color) for place, color in enumerate(theme.sequential)],
        showscale=False,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertemplate="<b>layers %{y} and %{x}</b><br>CKA %{z:.2f}<br>unrelated 0<extra></extra>",
    )
    if count <= (8 if phone else 13):
        figure.add_trace(written(found.alike, figure.data[0], theme, 13))
    axis = {"tickmode": "linear", "dtick": 1 if count <= 13 else 4, **framed(theme)}
    figure.update_layout(
        xaxis={**axis, "title": axis_title("layer", theme, 4), "constrain": "domain"},
        yaxis={
            **axis,
            "title": axis_title("layer", theme, 4),
            "autorange": "reversed",
            "scaleanchor": "x",
            "nticks": None,
            "constrain": "domain",
        },
    )
    return figure


def _short(name: str) -> str:
    return "MiniLM" if name == "all-MiniLM-L6-v2" else short(name, 12)


def _line(values: Sequence[Value], color: str, width: float, name: str, say: Any) -> Any:
    import plotly.graph_objects as go

    known = [(at, value) for at, value in enumerate(values) if value.value is not None]
    return go.Scatter(
        x=[at for at, _ in known],
        y=[value.value for _, value in known],
        mode="lines+markers",
        line={"color": color, "width": width},
        marker={"size": 8 if width > 2 else 5, "opacity": 1, "color": color},
        cliponaxis=False,
        customdata=[[say(value.value), say(value.against), _interval(value, say)] for _, value in known],
        hovertemplate=f"<b>{name}</b>, layer %{{x}}: %{{customdata[0]}}%{{customdata[2]}}<br>"
        "baseline %{customdata[1]}<extra></extra>",
    )


def _interval(value: Value, say: Any) -> str:
    return "" if value.low is None else f" ({say(value.low)} to {say(value.high)})"


def _intervals(figure: Any, values: Sequence[Value], theme: Theme) -> None:
    """Draw the 95 % intervals of all layers as one band along the curve."""
    known = [(at, value.low, value.high) for at, value in enumerate(values) if value.low is not None]
    if known:
        places, lows, highs = zip(*known, strict=True)
        blue = theme.categorical[0]
        band(figure, places, lows, highs, faded(blue, 0.18), line={"width": 0, "color": blue})


def _end(name: str, values: Sequence[Value], color: str) -> list[_End]:
    known = [(at, value.value) for at, value in enumerate(values) if value.value is not None]
    return [(name, known[-1][0], known[-1][1], color)] if known else []


def _written(figure: Any, at: int, shift: int, values: Sequence[Value], theme: Theme, say: Any) -> None:
    """Write the value of a layer above or below its point."""
    label(figure, say(values[at].value), at, values[at].value, theme.categorical_labels[0], size=14, yshift=shift)


def _range(found: Layers, values: Sequence[Value], published: Sequence[Published], measure: str) -> tuple[float, float]:
    """Return the range of the y axis, from 0 (or the lowest value, if negative) to the highest, with a margin."""
    every = [each for value in values for each in (value.value, value.low, value.high, value.against)]
    every += [layer.values[measure].value for layer in found.before]
    every += [each for model in published for each in model.curves[measure]]
    known = [each for each in every if each is not None]
    low, high = min([0.0, *known]), max([0.0, *known]) or 1.0
    return low - 0.03 * (high - low), high + 0.1 * (high - low)


def _named(figure: Any, ends: list[_End], low: float, high: float, pixels: int, wide: float) -> None:
    """Write a name at the end of each curve, moved up or down so that it covers no curve, name, axis or line at zero.

    Args:
        figure: The figure, with all its curves.
        pixels: Height of the plot.
        wide: Pixels from one layer to the next.
    """
    curves = [trace for trace in figure.data if trace.fill is None and len(trace.x) > 1]
    taken: list[tuple[float, float]] = []  # x, pixels from below

    def height(y: float) -> float:
        return (y - low) / (high - low) * pixels

    for text, x, y, color in sorted(ends, key=lambda end: (-end[1], end[2])):
        across = x + np.linspace(10, 10 + _LETTER * len(text), 12) / wide

        def free(place: float, x: float = x, across: Any = across) -> bool:
            if place < _LABEL / 2 or any(
                abs(place - other) < _LABEL and abs(x - there) <= 2.5 for there, other in taken
            ):
                return False
            if low <= 0 <= high and abs(place - height(0)) < _GRID:
                return False
            return not any(
                (np.abs(height(np.interp(inside, trace.x, trace.y)) - place) < _CLEAR).any()
                for trace in curves
                if len(inside := across[across <= max(trace.x)])
            )

        wanted = max(height(y), _LABEL / 2)
        shifts = [shift for step in range(40) for shift in ((step * 4, -step * 4) if step else (0,))]
        place = wanted + next((shift for shift in shifts if free(wanted + shift)), 0)
        taken.append((x, place))
        if abs(place - height(y)) > _LABEL / 2:  # a line from the end of the curve to its name
            ends_at = {"x0": x, "y0": y, "x1": x + 8 / wide, "y1": low + place / pixels * (high - low)}
            figure.add_shape(type="line", **ends_at, line={"color": color, "width": 1})
        label(figure, text, x, y, color, size=14, xanchor="left", xshift=8, yshift=place - height(y))
