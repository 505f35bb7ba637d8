"""Figure of the separation of senses: one score over the layers, with its chance band and the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import number, share
from embedviz.figures.style import axis_title, dotted, label, layout

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.contextual.senses import Senses
    from embedviz.figures.theme import Theme
    from embedviz.geometry.separation import Score

HEIGHT = 300
SHARES = ("nearest_neighbor", "nearest_centroid")
"""Scores that are shares of the points, shown in percent."""
_TOP, _BOTTOM = 26, 100
_WIDE, _PHONE = 320, 296  # approximate width of the plot in pixels: on a screen, on a phone
_MOST_TICKS = 13
_AXIS = {
    "difference": "within minus between",
    "silhouette": "silhouette",
    "ari": "adjusted Rand index",
    "nearest_neighbor": "share near its own sense",
    "nearest_centroid": "share nearest to own sense",
}


def scores_figure(found: Senses, score: str, layer: int, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw a score at every layer over its chance band, with the baseline as a dotted line and one layer marked.

    Args:
        found: Results for sentences with known senses.
        score: Name of the score: difference, silhouette, ari, nearest_neighbor or nearest_centroid.
        layer: The marked layer.

    Raises:
        ValueError: The sentences have no such score.
    """
    import plotly.graph_objects as go

    curve = {at: one for at, each in found.scored if (one := getattr(each, score, None)) is not None}
    if not curve:
        raise ValueError(f"These sentences have no score of the name “{score}”.")
    control: Score | None = getattr(found.control, score, None)
    say, size, unit = (share, 100.0, "\u00a0%") if score in SHARES else (number, 1.0, "")
    layers = list(curve)
    values = [size * one.value for one in curve.values()]
    lows, highs = ([size * getattr(one, end) for one in curve.values()] for end in ("low", "high"))
    x = _padded(layers[0], layers[-1])
    y = _padded(*_ends([*values, *lows, *highs, *([] if control is None else [size * control.value])]))

    figure = go.Figure(layout=layout(theme, height=HEIGHT, top=_TOP, left=72, right=10, bottom=_BOTTOM))
    _band(figure, (x[0], *layers, x[1]), [ends[:1] + ends + ends[-1:] for ends in (lows, highs)], theme)
    _mean(figure, (x[0], *layers, x[1]), [size * one.chance for one in curve.values()], theme)
    free = _LabelPlacer(x, y, _PHONE if phone else _WIDE)
    figure.add_trace(_line(curve, values, say, theme))
    free.line(layers, values)
    if control is not None:
        free.line(x, (size * control.value, size * control.value))
    if layer in curve:
        _mark(figure, free, layer, size * curve[layer].value, say(curve[layer].value), theme)
    if control is not None:
        here = size * control.value
        _control(figure, control, layers, x, here, say, theme)
    every_other = range(layers[0], layers[-1] + 1, -(-len(layers) // _MOST_TICKS))
    figure.update_layout(
        xaxis={"range": x, "tickvals": [*every_other], "title": axis_title(_key(control, say, theme), theme, 6)},
        yaxis={"range": y, "nticks": 5, "ticksuffix": unit, "title": axis_title(_AXIS[score], theme, 6)},
    )
    return figure


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def _padded(low: float, high: float) -> tuple[float, float]:
    """Return the range of an axis: the range of the values, with a margin on both sides."""
    reach = 0.06 * (high - low or 1.0)
    return low - reach, high + reach


def _mark(figure: Any, free: _LabelPlacer, layer: int, value: float, text: str, theme: Theme) -> None:
    """Mark one layer with a dot and its value. The page moves both; it finds them by their name, *marked*."""
    dot = {"size": 15, "color": theme.ink, "opacity": 1}
    figure.add_scatter(x=[layer], y=[value], mode="markers", marker=dot, hoverinfo="skip", meta="marked")
    figure.data[-1].cliponaxis = False
    right = 30 * (free.x[1] - free.x[0]) / free.wide
    spots = [(layer, value, 19), (layer - right, value, 6), (layer + right, value, 6), (layer, value, -19)]
    spots += [(layer - right / 2, value, 20), (layer + right / 2, value, 20)]
    _write(figure, free.place(spots, text, 9.0), f"<b>{text}</b>", theme.ink, 15, name="marked")


def _key(control: Score | None, say: Any, theme: Theme) -> str:
    """Return the title of the axis, with the legend of the band and the dotted line."""
    square = f'<span style="color:{theme.grid}">██</span>'
    line = f'<span style="color:{theme.rest}">━━━</span>'
    band = f"{square} 95\u00a0% of random labelings lie here<br>{line} their mean"
    dots = f'<span style="color:{theme.ink}">• • •</span>'
    other = "" if control is None else f"<br>{dots} baseline, only the other words: {say(control.value)}"
    return f"layer<br>{band}{other}"


def _band(figure: Any, layers: Any, ends: Any, theme: Theme) -> None:
    """Draw the chance band over the whole width of the plot."""
    for place, bound in enumerate(ends):
        figure.add_scatter(
            x=layers,
            y=bound,
            mode="lines",
            line={"width": 0},
            fill="tonexty" if place else None,
            fillcolor=theme.grid,
            hoverinfo="skip",
        )


def _mean(figure: Any, layers: Any, values: list[float], theme: Theme) -> None:
    """Draw the mean score of shuffled labels as a line inside the band."""
    figure.add_scatter(
        x=layers,
        y=values[:1] + values + values[-1:],
        mode="lines",
        line={"color": theme.rest, "width": 1.5},
        hoverinfo="skip",
        meta="shuffled",
    )


def _control(figure: Any, control: Score, layers: Any, x: Any, y: float, say: Any, theme: Theme) -> None:
    """Draw the baseline as a dotted line: the score computed only from the other words, at the input layer."""
    places = [x[0], *layers, x[1]]
    figure.add_scatter(
        x=places,
        y=[y] * len(places),
        mode="lines",
        line=dotted(theme),
        hovertemplate=f"<b>baseline, only the other words</b><br>{say(control.value)}<br>"
        f"shuffled labels {say(control.low)} to {say(control.high)}<extra></extra>",
    )


def _line(curve: dict[int, Score], values: Any, say: Any, theme: Theme) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(
        x=list(curve),
        y=values,
        mode="lines+markers",
        line={"color": theme.ink, "width": 2},
        marker={"size": 9, "color": theme.bg, "opacity": 1, "line": {"color": theme.ink, "width": 2}},
        cliponaxis=False,
        meta="scores",
        customdata=[[say(one.value), say(one.low), say(one.high)] for one in curve.values()],
        hovertemplate="<b>layer %{x}</b><br>%{customdata[0]}<br>shuffled labels %{customdata[1]} to %{customdata[2]}"
        "<extra></extra>",
    )


class _LabelPlacer:
    """Placement of labels so that they cover as little as possible of lines and other labels, in pixels of the plot."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], wide: float) -> None:
        self.x, self.y, self.wide, self.high = x, y, wide, HEIGHT - _TOP - _BOTTOM
        self.across = np.linspace(*x, 25).tolist()
        self.points = np.zeros((0, 2))
        self.taken: list[tuple[float, float, float, float]] = []

    def line(self, x: Any, y: Any) -> None:
        """Add a line through these points, which labels should not cover."""
        steps = np.linspace(0, len(x) - 1, 60 * len(x))
        corners = np.arange(len(x))
        points = np.stack([np.interp(steps, corners, axis) for axis in (x, y)], axis=1)
        self.points = np.concatenate([self.points, self._pixels(points)])

    def place(self, places: Sequence[tuple[float, float, float]], text: str, letter: float = 5.7) -> Any:
        """Return the best of some places (x, y, pixels above y) for the middle of a label, and reserve it."""
        boxes = [self._box(place, letter * len(text)) for place in places]
        best = min(range(len(places)), key=lambda one: self._cost(boxes[one]))
        self.taken.append(boxes[best])
        return places[best]

    def _pixels(self, points: Any) -> Any:
        start, end = np.array([self.x, self.y]).T
        return (np.asarray(points) - start) / (end - start) * (self.wide, self.high)

    def _box(self, place: tuple[float, float, float], long: float) -> tuple[float, float, float, float]:
        x, y = self._pixels(place[:2])
        return x - long / 2, y + place[2] - 8, x + long / 2, y + place[2] + 8

    def _cost(self, box: tuple[float, float, float, float]) -> float:
        left, low, right, high = box
        outside = max(0.0, -left) + max(0.0, right - self.wide) + max(0.0, -low) + max(0.0, high - self.high - _TOP)
        x, y = self.points.T
        covered = np.count_nonzero((x > left - 4) & (x < right + 4) & (y > low) & (y < high))
        met = [
            there for there in self.taken if left < there[2] and there[0] < right and low < there[3] and there[1] < high
        ]
        return 100 * outside + 2000 * len(met) + float(covered)


def _write(figure: Any, place: tuple[float, float, float], text: str, color: str, size: int = 13, **more: Any) -> None:
    x, y, above = place
    label(figure, text, x, y, color, size=size, yshift=above, **more)
