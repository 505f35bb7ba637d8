"""The figure of how well senses separate: one score over the layers, with its chance band and its control."""

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

HEIGHT = 330
SHARES = ("nearest_neighbor", "nearest_centroid")
"""Scores that are shares of the points, and said in percent."""
_TOP, _BOTTOM = 30, 48
_WIDE, _PHONE = 320, 296  # pixels that the plot is wide, about
_MOST_TICKS = 13


def scores_figure(found: Senses, score: str, layer: int, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw a score of every layer over its chance band, the control dotted, one layer marked.

    Args:
        found: Of sentences whose senses are known and scored.
        score: Its name: difference, silhouette, ari, nearest_neighbor or nearest_centroid.
        layer: The one that is marked.

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
    beyond = 0.06 * (layers[-1] - layers[0] or 1)
    x = layers[0] - beyond, layers[-1] + beyond
    every = [*values, *lows, *highs, *([] if control is None else [size * control.value])]
    reach = max(every) - min(every) or 1.0
    y = min(every) - 0.06 * reach, max(every) + 0.06 * reach

    figure = go.Figure(layout=layout(theme, height=HEIGHT, top=_TOP, left=48, right=10, bottom=_BOTTOM))
    _band(figure, (x[0], *layers, x[1]), [ends[:1] + ends + ends[-1:] for ends in (lows, highs)], theme)
    free = _Free(x, y, _PHONE if phone else _WIDE)
    if control is not None:
        here = size * control.value
        _control(figure, control, layers, x, here, say, theme)
        free.line(x, [here, here])
    if layer in curve:
        upward = [y[0], size * curve[layer].value]
        figure.add_scatter(x=[layer, layer], y=upward, mode="lines", line=dotted(theme), hoverinfo="skip")
    figure.add_trace(_line(curve, layer, values, say, theme))
    free.line(layers, values)
    if layer in curve:
        top, said = size * curve[layer].value, say(curve[layer].value)
        aside = 30 * (x[1] - x[0]) / free.wide
        spots = [(layer, top, 19), (layer - aside, top, 6), (layer + aside, top, 6), (layer, top, -19)]
        _write(figure, free.place(spots, said, 9.0), f"<b>{said}</b>", theme.ink, 15)
        free.line([layer, layer], [y[0], top])
    if control is not None:
        said = f"{'other words' if phone else 'other words alone'}: {say(control.value)}"
        _write(figure, free.place([(at, here, by) for by in (10, -10) for at in free.across], said), said, theme.muted)
    said = "95\u00a0% of shuffles, all layers"
    bottoms, tops = (np.interp(free.across, layers, ends) for ends in (lows, highs))
    every_place = ((0, 0.5), (-11, 1.0), (11, 0.0), (11, 1.0), (-11, 0.0))
    places = [
        (at, low + part * (high - low), above)
        for above, part in every_place
        for at, low, high in zip(free.across, bottoms, tops, strict=True)
    ]
    _write(figure, free.place(places, said), said, theme.muted)
    every_other = range(layers[0], layers[-1] + 1, -(-len(layers) // _MOST_TICKS))
    figure.update_layout(
        xaxis={"range": x, "tickvals": [*every_other], "title": axis_title("layer", theme, 6)},
        yaxis={"range": y, "nticks": 5, "ticksuffix": unit},
    )
    return figure


def _band(figure: Any, layers: Any, ends: Any, theme: Theme) -> None:
    """Draw the chance bands, as wide as the plot."""
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


def _control(figure: Any, control: Score, layers: Any, x: Any, y: float, say: Any, theme: Theme) -> None:
    """Draw the score of the other words alone: one number, since it is of the input layer."""
    places = [x[0], *layers, x[1]]
    figure.add_scatter(
        x=places,
        y=[y] * len(places),
        mode="lines",
        line=dotted(theme),
        hovertemplate=f"<b>other words alone</b><br>{say(control.value)}<br>"
        f"shuffled senses {say(control.low)} to {say(control.high)}<extra></extra>",
    )


def _line(curve: dict[int, Score], layer: int, values: Any, say: Any, theme: Theme) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(
        x=list(curve),
        y=values,
        mode="lines+markers",
        line={"color": theme.ink, "width": 2},
        marker={
            "size": [15 if at == layer else 9 for at in curve],
            "color": [theme.ink if at == layer else theme.bg for at in curve],
            "opacity": 1,
            "line": {"color": theme.ink, "width": 2},
        },
        cliponaxis=False,
        customdata=[[say(one.value), say(one.low), say(one.high)] for one in curve.values()],
        hovertemplate="<b>layer %{x}</b><br>%{customdata[0]}<br>shuffled senses %{customdata[1]} to %{customdata[2]}"
        "<extra></extra>",
    )


class _Free:
    """Where a label covers the least of lines and other labels, in pixels of the plot."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], wide: float) -> None:
        self.x, self.y, self.wide, self.high = x, y, wide, HEIGHT - _TOP - _BOTTOM
        self.across = np.linspace(*x, 25).tolist()
        self.points = np.zeros((0, 2))
        self.taken: list[tuple[float, float, float, float]] = []

    def line(self, x: Any, y: Any) -> None:
        """Keep labels off a line from corner to corner."""
        steps = np.linspace(0, len(x) - 1, 60 * len(x))
        corners = np.arange(len(x))
        points = np.stack([np.interp(steps, corners, axis) for axis in (x, y)], axis=1)
        self.points = np.concatenate([self.points, self._pixels(points)])

    def place(self, places: Sequence[tuple[float, float, float]], text: str, letter: float = 5.7) -> Any:
        """Return the best of some places (x, y, pixels above it) for the middle of a label, and take it."""
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


def _write(figure: Any, place: tuple[float, float, float], text: str, color: str, size: int = 13) -> None:
    x, y, above = place
    label(figure, text, x, y, color, size=size, yshift=above)
