"""Figures of formulas: the parallelogram of an analogy, and for other formulas the words nearest to the sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.figures.style import layout, short
from embedviz.saying import number

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.analogy import Analogy, Parallelogram, Place
    from embedviz.figures.theme import Theme

_LETTER = 7.4  # mean width of a letter of 14 px
_LINE = 24  # between two labels
_Point = tuple[float, float]
_Mark = dict[str, Any]


class _Frame(NamedTuple):
    """The drawn area: its size in pixels, and how many units a pixel stands for."""

    width: float
    height: float
    left: float
    bottom: float
    unit: float

    def pixels(self, x: float, y: float) -> _Point:
        return (x - self.left) / self.unit, (y - self.bottom) / self.unit

    def units(self, x: float, y: float) -> _Point:
        return self.left + x * self.unit, self.bottom + y * self.unit

    def ranges(self) -> tuple[_Point, _Point]:
        (left, bottom), (right, top) = self.units(0, 0), self.units(self.width, self.height)
        return (left, right), (bottom, top)


class _Label(NamedTuple):
    """A label beside a point, in pixels; `side` is −1 where it ends at x, 1 where it begins there."""

    x: float
    y: float
    side: int
    width: float

    @property
    def anchor(self) -> str:
        return "left" if self.side > 0 else "right"

    def middle(self) -> list[_Point]:
        """Points along the label, close enough that no other label hides between two."""
        return [(self.x + self.side * step, self.y) for step in range(0, int(self.width), 6)]

    def covered(self, marks: NDArray[np.float64]) -> int:
        """How many of the points, (n, 2), it covers."""
        start = self.x if self.side > 0 else self.x - self.width
        beside = (start - 4 < marks[:, 0]) & (marks[:, 0] < start + self.width + 4)
        return int(np.count_nonzero(beside & (np.abs(marks[:, 1] - self.y) < _LINE / 2)))


def analogy_figure(found: Analogy, theme: Theme, *, phone: bool = False, small: bool = False) -> go.Figure:
    """The parallelogram where the formula is a question and spans one, else the words nearest to the sum.

    Args:
        found: What is drawn.
        theme: The colors.
        phone: Whether it is as narrow as a phone's page.
        small: Whether it is a card's, with the first answer alone.
    """
    if found.parallelogram is None or not found.answers:
        return sum_figure(found, theme, phone=phone)
    return parallelogram_figure(found, found.parallelogram, theme, phone=phone, small=small)


def sum_figure(found: Analogy, theme: Theme, *, phone: bool = False) -> go.Figure:
    """The words nearest to the sum as dots, beside the mean of all other words and one standard deviation around it."""
    import plotly.graph_objects as go

    listed = found.answers
    figure = go.Figure(layout=layout(theme, height=34 * max(1, len(listed)) + 96, top=28))
    values = [answer.score for answer in listed]
    low, high = found.mean - 3 * found.sd, max([*values, found.mean + 3 * found.sd])
    room = (0.5 if phone else 0.2) * (high - low or 1.0)
    figure.add_trace(
        go.Scatter(
            x=values,
            y=[answer.rank for answer in listed],
            mode="markers+text",
            marker={"size": 10, "color": [_color(found, answer.word, theme) for answer in listed], "opacity": 1},
            text=[
                f"  {short(answer.word)}  <span style='color:{theme.muted}'>{number(answer.score)}</span>"
                for answer in listed
            ],
            textposition="middle right",
            textfont={"size": 14, "color": theme.ink},
            cliponaxis=False,
            customdata=[short(answer.word) for answer in listed],
            hovertemplate="<b>%{customdata}</b><br>cosine %{x:.2f}<br>"
            f"random word {number(found.mean)}<extra></extra>",
        )
    )
    figure.add_shape(
        type="rect",
        x0=found.mean - found.sd,
        x1=found.mean + found.sd,
        y0=0,
        y1=1,
        yref="paper",
        fillcolor=theme.grid,
        line={"width": 0},
        layer="below",
    )
    figure.add_annotation(
        x=found.mean,
        y=1,
        yref="paper",
        yanchor="bottom",
        text="a random word ± sd",
        showarrow=False,
        font={"size": 13, "color": theme.muted},
    )
    title = {"text": "cosine to the sum", "standoff": 8, "font": {"size": 13, "color": theme.muted}}
    figure.update_layout(
        xaxis={"range": [low, high + room], "title": title},
        yaxis={"visible": False, "range": [len(listed) + 0.5, 0.4]},
    )
    return figure


def parallelogram_figure(
    found: Analogy, drawn: Parallelogram, theme: Theme, *, phone: bool = False, small: bool = False
) -> go.Figure:
    """The plane of the question's words: the corner that always closes, the answer, and the words that come next."""
    import plotly.graph_objects as go

    answer, *others = drawn.answers[: 1 if small else 4 if phone else 6]
    if not small:
        others += [one for one in drawn.answers if one.word == found.expected and one not in (answer, *others)]
    frame = _frame([*drawn.corners, answer, *others], phone=phone, small=small)
    sides, along = _sides(drawn, answer, theme)
    marks = [frame.pixels(x, y) for x, y in along]
    leaders, names = _labels(found, frame, marks, answer, others, theme, small)
    scores = {one.word: one.score for one in found.answers}
    corner = go.Scatter(
        x=[drawn.corner.x],
        y=[drawn.corner.y],
        mode="markers",
        marker={"size": 13, "color": theme.bg, "line": {"color": theme.categorical[1], "width": 2.5}, "opacity": 1},
        hovertemplate="<b>the sum</b><br>constructed, not found<extra></extra>",
        cliponaxis=False,
    )
    dots = [
        _dots(drawn.corners[:3], scores, theme.ink, 11),
        _dots(others, scores, theme.muted, 8),
        _dots([answer], scores, theme.categorical[0], 13),
    ]
    figure = go.Figure([*dots, corner], layout(theme, height=int(frame.height), top=0, bottom=0, left=0, right=0))
    across, upward = frame.ranges()
    figure.update_layout(
        xaxis={"visible": False, "range": across},
        yaxis={"visible": False, "range": upward, "scaleanchor": "x"},
        shapes=[*sides, *leaders],
        annotations=[*names, *_anchors(drawn, frame, theme)],
    )
    return figure


def _sides(drawn: Parallelogram, answer: Place, theme: Theme) -> tuple[list[_Mark], list[_Point]]:
    """The lines, and points along them from the constructed corner on, so close that no label hides between two."""
    lines: list[_Mark] = []
    along: list[_Point] = []
    for one, other, color, dash in (
        (drawn.corner, answer, theme.categorical[1], "solid"),
        (drawn.corner, drawn.b, theme.muted, "dot"),
        (drawn.corner, drawn.c, theme.muted, "dot"),
        (drawn.a, drawn.b, theme.muted, "solid"),
        (drawn.a, drawn.c, theme.muted, "solid"),
    ):
        lines.append(_line((one.x, one.y), (other.x, other.y), color, dash, 1.5))
        along += [(one.x + step / 60 * (other.x - one.x), one.y + step / 60 * (other.y - one.y)) for step in range(61)]
    return lines, along


def _labels(
    found: Analogy,
    frame: _Frame,
    marks: list[_Point],
    answer: Place,
    others: Sequence[Place],
    theme: Theme,
    small: bool,
) -> tuple[list[_Mark], list[_Mark]]:
    """The names of what was found and the cosine of the first, with their leaders, where they cover the least.

    Args:
        found: What is named.
        frame: The drawn area.
        marks: NDArray[np.float64] along the lines in pixels; the first is the constructed corner.
        answer: The first word.
        others: Those that come next.
        theme: The colors.
        small: Whether the cosine is left out.
    """
    first, rest = frame.pixels(answer.x, answer.y), [frame.pixels(place.x, place.y) for place in others]
    marks = [*marks, first, *rest]
    blue, rust = theme.categorical_labels[:2]
    named = _beside(first, 1.2 * _width(answer.word, bold=True), marks)
    names = [_text(frame.units(named.x, named.y), f"<b>{short(answer.word)}</b>", blue, named.anchor, size=16)]
    marks += named.middle()
    if not small:
        said = f"cosine {number(found.answers[0].score)}"
        cosine = _beside(((marks[0][0] + first[0]) / 2, (marks[0][1] + first[1]) / 2), _width(said), marks)
        names.append(_text(frame.units(cosine.x, cosine.y), said, rust, cosine.anchor))
        marks += cosine.middle()
    leaders: list[_Mark] = []
    wanted = [place.word == found.expected for place in others]
    widths = [_width(place.word, bold=bold) for place, bold in zip(others, wanted, strict=True)]
    for place, label, bold in zip(others, _column(rest, widths, marks, frame), wanted, strict=True):
        end = frame.units(label.x - 3 * label.side, label.y)
        leaders.append(_line((place.x, place.y), end, theme.rest, "solid", 1))
        name, color = (f"<b>{short(place.word)}</b>", theme.ink) if bold else (short(place.word), theme.muted)
        names.append(_text(frame.units(label.x, label.y), name, color, label.anchor))
    return leaders, names


def _frame(places: Sequence[Place], *, phone: bool, small: bool) -> _Frame:
    width, most = (260.0, 200.0) if small else (358.0, 336.0) if phone else (700.0, 420.0)
    beside, above = (52, 34) if phone or small else (90, 40)
    xs, ys = [place.x for place in places], [place.y for place in places]
    wide, tall = max(xs) - min(xs), max(ys) - min(ys)
    unit = max(wide / (width - 2 * beside), tall / (most - 2 * above))
    height = tall / unit + 2 * above
    left = (max(xs) + min(xs) - width * unit) / 2
    return _Frame(width, height, left, (max(ys) + min(ys) - height * unit) / 2, unit)


def _anchors(drawn: Parallelogram, frame: _Frame, theme: Theme) -> list[_Mark]:
    """The names of the four corners: those of the lower side below it, those of the upper side above."""
    names = []
    for place, down in zip(drawn.corners, (20, -20, 20, -20), strict=True):
        corner = place is drawn.corner
        name, width = short(place.word, 40 if corner else 24), _width(place.word[:40], bold=not corner)
        if corner and width > frame.width / 2.4:
            name, width = "the sum", _width("the sum")
        x, _ = frame.pixels(place.x, place.y)
        side = "left" if x < width / 2 else "right" if frame.width - x < width / 2 else "center"
        color = theme.categorical_labels[1] if corner else theme.ink
        names.append(_text((place.x, place.y), name if corner else f"<b>{name}</b>", color, side, down=down, size=15))
    return names


def _dots(places: Sequence[Place], scores: dict[str, float], color: str, size: int) -> Any:
    import plotly.graph_objects as go

    said = [
        f"{f'cosine to the sum {number(scores[place.word])}<br>' if place.word in scores else ''}"
        f"{number(place.off)} off the plane"
        for place in places
    ]
    return go.Scatter(
        x=[place.x for place in places],
        y=[place.y for place in places],
        mode="markers",
        marker={"size": size, "color": color, "opacity": 1},
        customdata=[[short(place.word), text] for place, text in zip(places, said, strict=True)],
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
        cliponaxis=False,
    )


def _line(start: _Point, end: _Point, color: str, dash: str, width: float) -> _Mark:
    line = {"color": color, "width": width, "dash": dash}
    return {"type": "line", "x0": start[0], "y0": start[1], "x1": end[0], "y1": end[1], "line": line, "layer": "below"}


def _text(at: _Point, text: str, color: str, side: str, *, size: int = 14, down: float = 0) -> _Mark:
    font = {"size": size, "color": color}
    return {"x": at[0], "y": at[1], "text": text, "showarrow": False, "xanchor": side, "yshift": -down, "font": font}


def _width(word: str, *, bold: bool = False) -> float:
    letters = sum(2 if ord(letter) > 0x2E7F else 1 for letter in word[:24])
    return letters * _LETTER * (1.06 if bold else 1)


def _beside(point: _Point, width: float, marks: Sequence[_Point]) -> _Label:
    """The label of one point, on that side of it where it covers the fewest marks; all in pixels."""
    places = [
        _Label(point[0] + 12 * side, point[1] + up, side, width) for up in (-12, 12, 0, -22, 22) for side in (1, -1)
    ]
    points = np.array(marks)
    return min(places, key=lambda label: label.covered(points))


def _column(points: Sequence[_Point], widths: Sequence[float], marks: Sequence[_Point], frame: _Frame) -> list[_Label]:
    """Labels in one column left or right of the points, where they cover the fewest marks; all in pixels."""
    if not points:
        return []
    heights, drawn = _spread([y for _, y in points], frame.height), np.array(marks)
    columns: list[tuple[float, int, list[_Label]]] = []
    for side in (-1, 1):
        edge = max(x for x, _ in points) if side > 0 else min(x for x, _ in points)
        for gap in range(24, 320, 12):
            labels = [_Label(edge + side * gap, y, side, width) for y, width in zip(heights, widths, strict=True)]
            outside = sum(not 0 <= label.x + side * label.width <= frame.width for label in labels)
            covered = sum(label.covered(drawn) for label in labels)
            columns.append((40 * outside + covered + gap / 12, len(columns), labels))
    return min(columns)[2]


def _spread(heights: Sequence[float], most: float) -> list[float]:
    """The heights, in their own order, moved apart to at least a line and kept inside as a whole."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed: list[float] = []
    for row in order:
        placed.append(max(heights[row], placed[-1] + _LINE) if placed else heights[row])
    shift = sum(heights) / len(heights) - sum(placed) / len(placed)
    shift = max(min(shift, most - _LINE / 2 - placed[-1]), _LINE / 2 - placed[0])
    moved = dict(zip(order, placed, strict=True))
    return [moved[row] + shift for row in range(len(heights))]


def _color(found: Analogy, word: str, theme: Theme) -> str:
    return theme.categorical[0] if word == found.marked else theme.muted
