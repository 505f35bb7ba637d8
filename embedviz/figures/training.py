"""Figure of a measure during a training run, by epoch, with the value of vectors that have learned nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from embedviz.figures.style import axis_title, baseline, dotted, label, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.training.measures import TrainingCurve

HEIGHT, LOW = 190, 140
"""Height in pixels of the figure of a page's main measure, and of any other figure."""
_RIGHT, _BOTTOM = 70, 46
_OFF = 3  # a start above this multiple of the later values would flatten the curve
_PAPER = 20  # height of a name in pixels
_DOTS = 60  # up to this number of values, each is drawn as a dot
_LETTER, _NARROW = 6.6, 300  # width in pixels of a letter, and of the narrowest figure


def curve_figure(
    curve: TrainingCurve,
    theme: Theme,
    *,
    epochs: float,
    other: TrainingCurve | None = None,
    other_name: str = "",
    at: float | None = None,
    height: int = HEIGHT,
) -> go.Figure:
    """Draw a measure by epoch with a dotted baseline; the axis has room for all epochs.

    The y axis starts at zero, or below the lowest negative value. The first value may be far above all others, such as
    the cost of random vectors. Then it lies outside the figure and is written at the upper edge. A baseline outside the
    figure is left out.

    Args:
        curve: The measure; without values, the figure has its axes and its baseline.
        epochs: Number of epochs requested.
        other: The same measure in another run, drawn as a thin line.
        other_name: Name of the other run, written at its end.
        at: An epoch that a vertical line marks.
        height: Height of the figure in pixels.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=height, top=10, left=38, right=_RIGHT, bottom=_BOTTOM))
    points, other_points = curve.points, other.points if other is not None else []
    last = max([float(epochs), *(place for place, _ in (*points, *other_points))]) or 1.0
    beneath = curve.beneath(last)
    low, high, above = _range(points, other_points, [value for _, value in beneath])
    if beneath and max(value for _, value in beneath) <= high:
        _baseline(figure, curve, beneath, low, high, height, theme)
    if other_points:
        _line(figure, other_points, curve, theme.muted, 1.25, other_name)
        _end(figure, other_points[-1], short(other_name, 10), theme.muted, 0)
    if above is not None:
        points = points[1:]
    if points:
        _line(figure, points, curve, theme.categorical[0], 2.5, "")
        shift = _apart(points[-1], other_points[-1] if other_points else None, low, high, height)
        _end(figure, points[-1], f"<b>{curve.formatted(points[-1][1])}</b>", theme.categorical_labels[0], shift)
        head = {"size": 8, "opacity": 1, "color": theme.categorical[0]}
        figure.add_scatter(
            x=[points[-1][0]], y=[points[-1][1]], mode="markers", marker=head, cliponaxis=False, hoverinfo="skip"
        )
    if above is not None:
        _above(figure, above, curve, theme)
    if at is not None:
        baseline(figure, theme, at)
    figure.update_layout(
        xaxis={
            "range": [0, last],
            "nticks": 6,
            "dtick": _step(last),
            "tick0": 0,
            "title": axis_title("epochs", theme, 6),
        },
        yaxis={"range": [low, high], "nticks": 4, "tickformat": curve.ticks},
    )
    return figure


def _range(
    points: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]], beneath: Sequence[float]
) -> tuple[float, float, float | None]:
    """Return the ends of the y axis, and the first value if the axis leaves it out, else None.

    The axis leaves out a first value of `points` that is more than `_OFF` times all later values.
    """
    values = [value for _, value in (*points, *other)]
    rest = [value for place, value in (*points, *other) if place > 0]
    above = None
    if points and points[0][0] <= 0 and rest and points[0][1] > _OFF * max(0.0, *rest) > 0:
        above, values = points[0][1], rest
        beneath = [value for value in beneath if max(beneath) <= _OFF * max(rest)]
    top = max([0.0, *values, *beneath]) or 1.0
    bottom = min([0.0, *values, *beneath])
    return bottom - (0.06 * (top - bottom) if bottom < 0 else 0.0), top + 0.14 * (top - bottom), above


def _step(last: float) -> float:
    """Return the number of epochs between two ticks, for at most five steps; whole if `last` is at least 1."""
    if 1 <= last <= 5:
        return 1
    size = 10.0 ** math.floor(math.log10(last / 5))
    return next(step * size for step in (1, 2, 5, 10) if last / (step * size) <= 5)


def _baseline(
    figure: Any,
    curve: TrainingCurve,
    beneath: Sequence[tuple[float, float]],
    low: float,
    high: float,
    height: int,
    theme: Theme,
) -> None:
    figure.add_scatter(
        x=[at for at, _ in beneath],
        y=[each for _, each in beneath],
        mode="lines",
        line=dotted(theme),
        hoverinfo="skip",
    )
    text = curve.named(beneath[-1][1])
    place, value, right, above = _emptiest(curve.points, beneath, text, low, high, height)
    label(
        figure,
        text,
        place,
        value,
        theme.muted,
        xanchor="right" if right else "left",
        yanchor="bottom" if above else "top",
        xshift=0 if right else 4,
    )


def _emptiest(
    points: Sequence[tuple[float, float]],
    beneath: Sequence[tuple[float, float]],
    text: str,
    low: float,
    high: float,
    height: int,
) -> tuple[float, float, bool, bool]:
    """Return where the name of a baseline covers least of the curve.

    The place is x, y, whether the name ends at x (else it begins there), and whether it stands above y (else below).
    """
    pixels = (height - 10 - _BOTTOM) / (high - low)
    last = max(place for place, _ in (*points, *beneath)) or 1.0
    wide = _LETTER * len(text) / _NARROW * last
    found = []
    for right, (place, value) in ((True, beneath[-1]), (False, beneath[0])):
        start = max(0.0, place - wide) if right else place
        for above in (True, False):
            bottom = value * pixels - (0 if above else _PAPER)
            out = bottom + _PAPER > high * pixels or bottom < low * pixels
            inside = sum(
                start <= at <= start + wide and bottom - 3 <= each * pixels <= bottom + _PAPER for at, each in points
            )
            found.append((100 * out + inside, place, value, right, above))
    _, place, value, right, above = min(found, key=lambda one: one[0])
    return place, value, right, above


def _line(
    figure: Any, points: Sequence[tuple[float, float]], curve: TrainingCurve, color: str, width: float, name: str
) -> None:
    where = f"{short(name)}<br>" if name else ""
    beneath = curve.beneath(0.0)
    against = f"<br>{curve.named(beneath[-1][1])}" if beneath else ""
    figure.add_scatter(
        x=[place for place, _ in points],
        y=[value for _, value in points],
        mode="lines" if len(points) > _DOTS else "lines+markers" if len(points) > 1 else "markers",
        line={"color": color, "width": width if len(points) > _DOTS else width / 2},
        marker={"size": 5 if len(points) > 1 else 6, "opacity": 1, "color": color},
        customdata=[curve.formatted(value) for _, value in points],
        hovertemplate=f"{where}<b>{curve.name} %{{customdata}}</b><br>epoch %{{x:.3~g}}{against}<extra></extra>",
    )


def _end(figure: Any, end: tuple[float, float], text: str, color: str, shift: float) -> None:
    label(
        figure,
        text,
        end[0],
        end[1],
        color,
        size=15 if shift or text.startswith("<b>") else 13,
        xanchor="left",
        xshift=9,
        yshift=shift,
    )


def _apart(end: tuple[float, float], other: tuple[float, float] | None, low: float, high: float, height: int) -> float:
    """Return the vertical shift in pixels that separates a curve's label from the label of the other curve.

    Both labels stand at the ends of the curves (`end` and `other`). The shift is 0 without another curve, and if the
    labels do not overlap.
    """
    if other is None or end[0] < other[0] * 0.8:
        return 0.0
    gap = (end[1] - other[1]) / (high - low) * (height - 10 - _BOTTOM)
    return 0.0 if abs(gap) >= _PAPER else math.copysign(_PAPER - abs(gap), gap)


def _above(figure: Any, value: float, curve: TrainingCurve, theme: Theme) -> None:
    """Write the first value, which lies above the figure, at the upper edge."""
    text = f"↑ {curve.formatted(value)} at the start"
    label(figure, text, 1, 1, theme.muted, paper="xy", xanchor="right", yanchor="top")
