"""Figures of layers: a measure from layer to layer beside its baseline and published models, and which are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import number
from embedviz.figures.style import axis_title, band, dotted, faded, label, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.contextual.layers import Layers, Value
    from embedviz.figures.theme import Theme
    from embedviz.testsets.datasets import Published

_HEIGHT, _PHONE = 400, 300
_LABEL = 17  # pixels that a label needs
_OFF = 4  # times the live model's highest value, beyond which a curve would flatten it
_MODELS = (1, 2, 6)  # colors of the published models


def on_scale(found: Layers, measure: str, published: Sequence[Published]) -> tuple[list[Published], list[Published]]:
    """Return the published models that have the measure: those whose values fit the scale, and the others."""
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
    phone: bool = False,
) -> go.Figure:
    """Draw a measure from layer to layer, over its 95 % interval; its baseline dotted, published models thin.

    Args:
        published: Models to draw beside it; those that lack the measure are left out.
        say: How a value is said.
        against: What the baseline is.
    """
    import plotly.graph_objects as go

    height = _PHONE if phone else _HEIGHT
    figure = go.Figure(layout=layout(theme, height=height, top=14, left=44, right=96 if phone else 116, bottom=48))
    values = found.curve(measure)
    ends: list[tuple[str, float, float, str]] = []  # text, x, y, color
    beside, _ = on_scale(found, measure, published)
    for color, model in zip(_MODELS, published, strict=False):
        if model not in beside:
            continue
        curve = model.curves[measure]
        line = {"color": theme.categorical[color], "width": 1.5}
        figure.add_scatter(
            x=list(range(len(curve))),
            y=list(curve),
            mode="lines+markers",
            line=line,
            marker={"size": 5, "opacity": 1, "color": theme.categorical[color]},
            hovertemplate=f"<b>{model.title}</b><br>layer %{{x}}: %{{y:.2f}}<br>as published<extra></extra>",
        )
        ends.append((model.title, len(curve) - 1, curve[-1], theme.categorical_labels[color]))
    if found.before:
        figure.add_trace(_line([layer.values[measure] for layer in found.before], theme.muted, 1.5, "as it was", say))
        ends += _end("as it was", [layer.values[measure] for layer in found.before], theme.muted)
    if any(value.against is not None for value in values):
        figure.add_scatter(
            x=[at for at, value in enumerate(values) if value.against is not None],
            y=[value.against for value in values if value.against is not None],
            mode="lines",
            line=dotted(theme),
            hovertemplate=f"{against}<br>layer %{{x}}: %{{y:.3f}}<extra></extra>",
        )
        last = max(at for at, value in enumerate(values) if value.against is not None)
        ends.append(
            (
                "chance" if values[last].chance is not None else "isotropic",
                last,
                values[last].against or 0.0,
                theme.muted,
            )
        )
    _intervals(figure, values, theme)
    name = "corrected" if found.before else _short(found.model)
    figure.add_trace(_line(values, theme.categorical[0], 2.5, name, say))
    known = [(value.value, at) for at, value in enumerate(values) if value.value is not None]
    for at, shift in ((min(known)[1], -15), (max(known)[1], 15)) if known else ():
        if at != known[-1][1]:  # the end of the curve has its value in its name
            _written(figure, at, shift, values, theme, say)
    ends += _end(f"{name} {say(known[-1][0])}" if known else name, values, theme.categorical_labels[0])
    low, high = _range(found, values, beside, measure)
    deepest = max([found.depth, *(len(model.curves[measure]) - 1 for model in beside)])
    _named(figure, ends, low, high, height - 62)
    figure.update_layout(
        xaxis={
            "range": [-0.02 * deepest - 0.1, deepest + 0.1],
            "dtick": 1 if deepest <= 12 and not phone else max(1, round(deepest / 6)),
            "tick0": 0,
            "title": axis_title("layer; 0 is the input", theme, 6),
        },
        yaxis={"range": [low, high], "nticks": 5},
    )
    return figure


def alike_figure(found: Layers, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw linear CKA of each layer with each: pale for unrelated, dark for the same."""
    import plotly.graph_objects as go

    count = len(found.layers)
    side = 300 if phone else min(400, max(220, 44 * count))
    figure = go.Figure(layout=layout(theme, height=side + 44, top=4, left=40, right=4, bottom=44))
    text = [[number(value) if np.isfinite(value) else "" for value in row] for row in found.alike.tolist()]
    shades = len(theme.sequential) - 1
    figure.add_heatmap(
        z=np.clip(found.alike, 0, 1),
        zmin=0,
        zmax=1,
        colorscale=[(place / shades, color) for place, color in enumerate(theme.sequential)],
        showscale=False,
        xgap=1,
        ygap=1,
        text=text if count <= (8 if phone else 13) else None,
        texttemplate="%{text}" if count <= (8 if phone else 13) else None,
        textfont={"size": 12},
        hoverongaps=False,
        hovertemplate="<b>layers %{y} and %{x}</b><br>CKA %{z:.2f}<br>unrelated 0<extra></extra>",
    )
    axis = {"tickmode": "linear", "dtick": 1 if count <= 13 else 4, "showgrid": False, "showline": False}
    figure.update_layout(
        xaxis={**axis, "title": axis_title("layer", theme, 4), "constrain": "domain"},
        yaxis={**axis, "autorange": "reversed", "scaleanchor": "x", "nticks": None, "constrain": "domain"},
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
    """Draw the interval of each layer, as a band where layers lie side by side."""
    known = [(at, value.low, value.high) for at, value in enumerate(values) if value.low is not None]
    if known:
        places, lows, highs = zip(*known, strict=True)
        blue = theme.categorical[0]
        band(figure, places, lows, highs, faded(blue, 0.18), line={"width": 0, "color": blue})


def _end(name: str, values: Sequence[Value], color: str) -> list[tuple[str, float, float, str]]:
    known = [(at, value.value) for at, value in enumerate(values) if value.value is not None]
    return [(name, known[-1][0], known[-1][1], color)] if known else []


def _written(figure: Any, at: int, shift: int, values: Sequence[Value], theme: Theme, say: Any) -> None:
    """Write the value of a layer above or below its point."""
    label(figure, say(values[at].value), at, values[at].value, theme.categorical_labels[0], size=14, yshift=shift)


def _range(found: Layers, values: Sequence[Value], beside: Sequence[Published], measure: str) -> tuple[float, float]:
    """Return the ends of the axis: 0, or below where a value is, and somewhat above the highest."""
    every = [each for value in values for each in (value.value, value.low, value.high, value.against)]
    every += [layer.values[measure].value for layer in found.before]
    every += [each for model in beside for each in model.curves[measure]]
    known = [each for each in every if each is not None]
    low, high = min([0.0, *known]), max([0.0, *known]) or 1.0
    return low - 0.03 * (high - low), high + 0.1 * (high - low)


def _named(figure: Any, ends: list[tuple[str, float, float, str]], low: float, high: float, pixels: int) -> None:
    """Write a name at the end of each curve, moved up or down so that none covers another that ends beside it."""
    taken: list[tuple[float, float]] = []  # x, pixels from below
    for text, x, y, color in sorted(ends, key=lambda end: (-end[1], -end[2])):
        wanted = (y - low) / (high - low) * pixels
        place = next(
            wanted + shift
            for step in range(0, 40)
            for shift in ((step * 4, -step * 4) if step else (0,))
            if all(abs(wanted + shift - other) >= _LABEL or abs(x - there) > 2.5 for there, other in taken)
            or step == 39
        )
        taken.append((x, place))
        label(figure, text, x, y, color, size=14, xanchor="left", xshift=8, yshift=place - wanted)
