"""Figures of a word through the layers: its path on a plane, curves, and its cosines in changed sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from embedviz.core.phrases import number, share
from embedviz.figures.placing import Box, along, around
from embedviz.figures.style import axis_title, band, dotted, faded, label, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.contextual.word_path import Arrangement as Arranged
    from embedviz.contextual.word_path import WordCurve as Curve
    from embedviz.contextual.word_path import WordPath as Path
    from embedviz.figures.theme import Theme

_WIDE, _PHONE = (640.0, 440.0), (358.0, 336.0)
_BAR_STEP = 0.02  # share of the width: from one bar to the next
_CURVE, _ARRANGED = 190, 270
_LETTER, _LINE = 7.2, 17.0  # width of a letter and height of a line of text, in pixels
_MOST_NAMED = 24
_MOST_DOTS = 14  # with more layers, only some have their number

_Point = tuple[float, float]
_Shift = tuple[str, float, float]
"""Anchor of a label, and its offset in pixels to the right of its point and above it."""
_SIDEWAYS: tuple[_Shift, ...] = (
    ("left", 10.0, 0.0),
    ("right", -10.0, 0.0),
    ("left", 8.0, 14.0),
    ("left", 8.0, -14.0),
    ("right", -8.0, 14.0),
    ("right", -8.0, -14.0),
)
_ABOVE: tuple[_Shift, ...] = (("center", 0.0, 16.0), ("center", 0.0, -16.0))


class _PlaneFrame(NamedTuple):
    """The size of a plot in pixels, its lower left corner in units of the plane, and plane units per pixel."""

    width: float
    height: float
    left: float
    low: float
    unit: float

    def pixels(self, point: Sequence[float]) -> _Point:
        return (point[0] - self.left) / self.unit, (point[1] - self.low) / self.unit

    def holds(self, box: Box) -> bool:
        return box.left >= 0 and box.low >= 0 and box.right <= self.width and box.high <= self.height


def plane_figure(found: Path, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw the word's vectors at all layers, on the plane in which they differ most; other words are grey paths."""
    import plotly.graph_objects as go

    plane = found.plane
    mine = plane.points.tolist()
    others = plane.context.transpose(1, 0, 2).tolist()
    frame = _framed([*mine, *(point for line in others for point in line)], *(_PHONE if phone else _WIDE))
    titles = [f"direction {place} ({share(held)} of variance)" for place, held in enumerate(plane.shares, 1)]
    bottom, left = 40, 26
    figure = go.Figure(
        layout=layout(theme, height=int(frame.height) + bottom, top=0, bottom=bottom, left=left, right=0)
    )
    for name, line in zip(plane.names, others, strict=True):
        figure.add_trace(_other(name, line, theme))
    figure.add_trace(_own(found, mine, theme))
    marks = [frame.pixels(point) for point in [*mine, *(line[-1] for line in others)]]
    taken = [around(point, 6) for point in marks]
    taken += [box for one, other in pairwise(map(frame.pixels, mine)) for box in along(one, other)]
    labels = list(_numbers(found, mine, frame, taken, theme))
    labels += _names(plane.names[:_MOST_NAMED], [line[-1] for line in others], frame, taken, theme)
    bare = {"showgrid": False, "showticklabels": False, "ticks": "", "showline": False, "zeroline": False}
    figure.update_layout(
        xaxis={
            **bare,
            "range": [frame.left, frame.left + frame.width * frame.unit],
            "title": axis_title(titles[0], theme),
        },
        yaxis={
            **bare,
            "range": [frame.low, frame.low + frame.height * frame.unit],
            "scaleanchor": "x",
            "title": axis_title(titles[1], theme, 4),
        },
        annotations=labels,
    )
    return figure


def _framed(points: Sequence[Sequence[float]], width: float, height: float) -> _PlaneFrame:
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    wide, tall = max(xs) - min(xs), max(ys) - min(ys)
    unit = max(wide / (width - 110), tall / (height - 60), 1e-9)
    height = max(160.0, tall / unit + 60)
    return _PlaneFrame(
        width, height, (max(xs) + min(xs) - width * unit) / 2, (max(ys) + min(ys) - height * unit) / 2, unit
    )


def _other(name: str, line: Sequence[Sequence[float]], theme: Theme) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(
        x=[point[0] for point in line],
        y=[point[1] for point in line],
        mode="lines+markers",
        line={"color": faded(theme.rest, theme.rest_opacity), "width": 1},
        marker={"size": [*[2] * (len(line) - 1), 6], "color": theme.rest, "opacity": 1},
        customdata=[[short(name), layer] for layer in range(len(line))],
        hovertemplate="<b>%{customdata[0]}</b><br>layer %{customdata[1]}<extra></extra>",
    )


def _own(found: Path, points: Sequence[Sequence[float]], theme: Theme) -> Any:
    import plotly.graph_objects as go

    blue, last = theme.categorical[0], len(points) - 1
    sentences = [
        f"layer {layer}<br>cosine with own input {number(value)}<br>other words’ inputs {number(chance)}"
        for layer, (value, chance) in enumerate(
            zip(found.own.values, found.own.chance if found.own.chance is not None else found.own.values, strict=True)
        )
    ]
    return go.Scatter(
        x=[point[0] for point in points],
        y=[point[1] for point in points],
        mode="lines+markers",
        line={"color": blue, "width": 2},
        marker={
            "size": [11, *[8] * (last - 1), 12][: last + 1],
            "color": [theme.bg, *[blue] * last],
            "line": {"color": blue, "width": 2},
            "opacity": 1,
        },
        customdata=[[short(found.word.text), text] for text in sentences],
        hovertemplate="<b>%{customdata[0]}</b>, %{customdata[1]}<extra></extra>",
        cliponaxis=False,
    )


def _numbers(
    found: Path, points: Sequence[Sequence[float]], frame: _PlaneFrame, taken: list[Box], theme: Theme
) -> Iterator[dict[str, Any]]:
    """Yield the label of the word at its last layer, then the layers' numbers; skip a number that has no room."""
    last = len(points) - 1
    every = -(-last // _MOST_DOTS)
    order = [last, 0, *(layer for layer in range(1, last) if layer % every == 0)]
    for layer in order:
        word = short(found.word.text, 18)
        text = f"<b>{word}</b>, layer {layer}" if layer == last else "input (0)" if layer == 0 else str(layer)
        letters = len(found.word.text[:18]) + 9 if layer == last else len(text)
        shifts = _SIDEWAYS if layer in (0, last) else (*_ABOVE, *_SIDEWAYS)
        label = _placed(points[layer], letters, frame, taken, shifts, must=layer in (0, last))
        if label is not None:
            size = 15 if layer == last else 13
            yield _text(points[layer], text, theme.categorical_labels[0], label, size)


def _names(
    names: Sequence[str], ends: Sequence[Sequence[float]], frame: _PlaneFrame, taken: list[Box], theme: Theme
) -> Iterator[dict[str, Any]]:
    for name, end in zip(names, ends, strict=False):
        if not any(map(str.isalnum, name)):
            continue
        label = _placed(end, len(name[:18]), frame, taken, (*_SIDEWAYS, *_ABOVE), must=False)
        if label is not None:
            yield _text(end, short(name, 18), theme.muted, label, 13)


def _placed(
    point: Sequence[float],
    letters: int,
    frame: _PlaneFrame,
    taken: list[Box],
    tries: Sequence[_Shift],
    *,
    must: bool,
) -> _Shift | None:
    """Return the first of `tries` at which a label covers no box in `taken`, and add the label's box to `taken`.

    If no try fits, return None. With `must`, return instead a shift to the left or right of the point, even if the
    label covers something there.
    """
    x, y = frame.pixels(point)
    width = letters * _LETTER
    for anchor, across, up in tries:
        left = x + across - {"left": 0.0, "center": width / 2, "right": width}[anchor]
        box = Box(left, y + up - _LINE / 2, left + width, y + up + _LINE / 2)
        if frame.holds(box) and not any(box.touches(other) for other in taken):
            taken.append(box)
            return anchor, across, up
    return ("left" if x < frame.width / 2 else "right", 10.0 if x < frame.width / 2 else -10.0, 0.0) if must else None


def _text(point: Sequence[float], text: str, color: str, place: _Shift, size: int) -> dict[str, Any]:
    anchor, across, up = place
    return {
        "x": point[0],
        "y": point[1],
        "text": text,
        "showarrow": False,
        "xanchor": anchor,
        "xshift": across,
        "yshift": up,
        "font": {"size": size, "color": color},
    }


def curve_figure(
    curve: Curve,
    word: str,
    theme: Theme,
    *,
    unit: str = "cosine",
    axis: str = "",
    height: int = _CURVE,
    phone: bool = False,
) -> go.Figure:
    """Draw a value of the word at each layer, over the band of other words; a dotted line shows unrelated words.

    Args:
        unit: What the values are, *cosine* or *length*.
        axis: The title of the y axis; without a title, the figure is compact.
        height: Height of the figure in pixels.
    """
    import plotly.graph_objects as go

    layers, values = curve.layers.tolist(), curve.values.tolist()
    low, high = curve.low.tolist(), curve.high.tolist()
    figure = go.Figure(layout=layout(theme, height=height, top=16, left=56 if axis else 34, right=20, bottom=44))
    band(figure, layers, low, high, faded(theme.rest, 0.4))
    if curve.chance is not None:
        figure.add_scatter(
            x=layers,
            y=curve.chance.tolist(),
            mode="lines",
            line=dotted(theme),
            hoverinfo="skip",
        )
        name = "with the inputs of unrelated words" if axis and not phone else "unrelated words"
        _note_at(figure, layers[len(layers) // 2], float(curve.chance[len(layers) // 2]), name, "bottom", theme)
    _name_band(figure, curve, height, theme, wide=bool(axis) and not phone)
    few = len(layers) <= (8 if phone else 14)
    labels = [number(value) if unit == "cosine" else number(value, 1) for value in values]
    figure.add_scatter(
        x=layers,
        y=values,
        mode="lines+markers+text",
        line={"color": theme.categorical[0], "width": 2},
        marker={"size": 8, "opacity": 1, "color": theme.categorical[0]},
        text=[text if few or place in (0, len(labels) - 1) else "" for place, text in enumerate(labels)],
        textposition="top center",
        textfont={"size": 13, "color": theme.categorical_labels[0]},
        cliponaxis=False,
        customdata=[[text, number(one), number(other)] for text, one, other in zip(labels, low, high, strict=True)],
        hovertemplate=f"<b>{short(word)}</b>, layer %{{x}}<br>{unit} %{{customdata[0]}}<br>"
        "other words %{customdata[1]} to %{customdata[2]}<extra></extra>",
    )
    least = 0.0 if curve.chance is None else min([0.0, *curve.chance.tolist(), *low, *values])
    top = 1.08 * max([*high, *values])
    figure.update_layout(
        yaxis={"range": [least, 1.14 if unit == "cosine" else top], "nticks": 5 if axis else 3}
        | ({"title": axis_title(axis, theme, 6)} if axis else {}),
        xaxis={**_ticks(layers), "title": axis_title("layer; 0 is the input" if axis else "layer", theme, 4)},
    )
    return figure


def _name_band(figure: Any, curve: Curve, height: int, theme: Theme, *, wide: bool) -> None:
    """Write the name of the band at its right end, if there is room inside or below the band.

    Inside, the name stands below the line of the word.

    Args:
        height: Height of the figure in pixels.
        wide: Whether the figure has room for the long name, “95 % of other words”.
    """
    last, name = curve.layers.tolist()[-1], "95\u00a0% of other words" if wide else "other words"
    roof, floor = float(np.minimum(curve.values, curve.high)[-2:].min()), float(curve.low[-2:].max())
    if wide and (roof - floor) * (height - 60) / 1.14 > 1.5 * _LINE:
        label(figure, name, last, (roof + floor) / 2, theme.muted, xanchor="right", yanchor="middle", xshift=-4)
    elif curve.chance is None or curve.low[-1] - curve.chance[-2:].max() > 0.17:
        _note_at(figure, last, float(curve.low[-1]), name, "top", theme)


def _note_at(figure: Any, x: float, y: float, text: str, side: str, theme: Theme) -> None:
    below = side == "top"
    clear = -5 if below else 4
    label(figure, text, x, y, theme.muted, xanchor="right" if below else "center", yanchor=side, yshift=clear)


def arranged_figure(found: Path, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw the mean cosine of the word with itself in changed sentences, by layer.

    Bars at the last layer span 95 % of the cosines.
    """
    import plotly.graph_objects as go

    listed = [one for one in found.arranged if len(one)]
    layers = list(range(found.depth + 1))
    right = 66 if phone else 136
    figure = go.Figure(layout=layout(theme, height=_ARRANGED, top=10, left=56, right=right, bottom=44))
    least = min([float(one.band[0].min()) for one in listed], default=0.0)
    low = max(-1.0, least - 0.06 * (1 - least) - 0.002)
    colors = dict(zip(("moved", "shuffled", "replaced"), (0, 1, 2), strict=True))
    for place, one in enumerate(listed):
        figure.add_trace(_bar(one, found.depth * (1 + _BAR_STEP * place), theme.categorical[colors[one.name]]))
    for one in listed:
        figure.add_trace(_line(one, layers, theme.categorical[colors[one.name]]))
    heights = _apart([float(one.mean[-1]) for one in listed], _LINE * (1 - low) / (_ARRANGED - 54))
    for one, height in zip(listed, heights, strict=True):
        label(
            figure,
            one.name if phone else one.title,
            1,
            height,
            theme.categorical_labels[colors[one.name]],
            size=14,
            paper="x",
            xanchor="left",
            xshift=8,
        )
    figure.update_layout(
        yaxis={
            "range": [low, 1 + 0.03 * (1 - low)],
            "nticks": 4,
            "title": axis_title(f"cosine (axis starts at {number(low)})", theme, 6),
        },
        xaxis={**_ticks(layers), "title": axis_title("layer", theme, 4)},
    )
    return figure


def _line(one: Arranged, layers: list[int], color: str) -> Any:
    import plotly.graph_objects as go

    low, high = one.band
    return go.Scatter(
        x=layers,
        y=one.mean.tolist(),
        mode="lines+markers",
        line={"color": color, "width": 2},
        marker={"size": 7, "opacity": 1, "color": color},
        cliponaxis=False,
        customdata=[[number(value) for value in row] for row in zip(one.mean, low, high, strict=True)],
        hovertemplate=f"<b>{one.title}</b>, layer %{{x}}<br>cosine %{{customdata[0]}}<br>"
        f"95\u00a0% of {len(one)}: %{{customdata[1]}} to %{{customdata[2]}}<extra></extra>",
    )


def _bar(one: Arranged, x: float, color: str) -> Any:
    """Return a vertical bar that spans 95 % of the cosines in changed sentences, at the last layer."""
    import plotly.graph_objects as go

    ends = [float(end[-1]) for end in one.band]
    line = {"color": faded(color, 0.35), "width": 6}
    return go.Scatter(x=[x, x], y=ends, mode="lines", line=line, cliponaxis=False, hoverinfo="skip", meta="bar")


def _ticks(layers: list[int]) -> dict[str, Any]:
    every = -(-len(layers) // 13)
    return {
        "tickmode": "array",
        "tickvals": [layer for layer in layers if layer % every == 0],
        "range": [layers[0] - 0.25, layers[-1] + 0.25],
    }


def _apart(heights: Sequence[float], least: float) -> list[float]:
    """Return the heights in the given order, moved down until they are at least `least` apart and at most 1."""
    order = sorted(range(len(heights)), key=heights.__getitem__, reverse=True)
    placed: dict[int, float] = {}
    below = 1.0 + least
    for row in order:
        below = min(heights[row], below - least)
        placed[row] = below
    return [placed[row] for row in range(len(heights))]
