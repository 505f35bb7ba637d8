"""Figures of formulas: the parallelogram of an analogy, and for other formulas the words nearest to the sum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from embedviz.core.phrases import number
from embedviz.figures.style import axis_title, label, layout, rectangle, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.neighbors.analogy import Analogy
    from embedviz.neighbors.parallelogram import Parallelogram, PlanePoint

_LETTER = 7.4  # mean width of a letter at font size 14, in pixels
_LINE = 24  # distance between two labels in a column
_HEIGHT = 18  # height of a label
_DOT = 8  # radius around a dot that labels avoid
_Point = tuple[float, float]
_Segment = tuple[_Point, _Point]
_Mark = dict[str, Any]


class _ParallelogramFrame(NamedTuple):
    """The drawn area: size in pixels, lower left corner in units of the plane, and plane units per pixel."""

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
    """A label in pixels: `side` is 1 if it begins at x, −1 if it ends at x, 0 if x is its middle."""

    x: float
    y: float
    side: int
    width: float

    @property
    def anchor(self) -> str:
        return ("center", "left", "right")[self.side]

    @property
    def left(self) -> float:
        return self.x - (0.0, self.width / 2, self.width)[1 - self.side]

    @property
    def corners(self) -> tuple[_Point, _Point]:
        """Return the lower left and the upper right corner, with a margin of 4 pixels."""
        return (self.left - 4, self.y - _HEIGHT / 2), (self.left + self.width + 4, self.y + _HEIGHT / 2)

    def touches(self, other: _Label) -> bool:
        """Return whether the label overlaps another label."""
        (left, bottom), (right, top) = self.corners
        (start, low), (end, high) = other.corners
        return left < end and start < right and bottom < high and low < top

    def crossed(self, line: _Segment) -> bool:
        """Return whether a line runs through the label (Liang and Barsky, 1984)."""
        first, last = 0.0, 1.0
        for axis, (low, high) in enumerate(zip(*self.corners, strict=True)):
            start, step = line[0][axis], line[1][axis] - line[0][axis]
            if step == 0:
                if not low < start < high:
                    return False
                continue
            enters, leaves = sorted(((low - start) / step, (high - start) / step))
            first, last = max(first, enters), min(last, leaves)
        return first < last

    def gap(self, dot: _Point) -> float:
        """Return the distance from a dot to the label, 0 inside it."""
        (left, bottom), (right, top) = self.corners
        return math.hypot(max(left - dot[0], 0.0, dot[0] - right), max(bottom - dot[1], 0.0, dot[1] - top))


class _Named(NamedTuple):
    """A label, and its leader: the line from the dot to the label. A label beside its dot has no leader (None)."""

    label: _Label
    leader: _Segment | None = None


class _TakenSpace(NamedTuple):
    """The lines, dots and labels in a frame, in pixels. No further label may cover them."""

    frame: _ParallelogramFrame
    lines: list[_Segment]
    dots: list[_Point]
    labels: list[_Label]
    leaders: list[_Segment]

    def free(self, label: _Label) -> bool:
        (left, bottom), (right, top) = label.corners
        return (
            left >= 0
            and right <= self.frame.width
            and bottom >= 0
            and top <= self.frame.height
            and not any(label.touches(other) for other in self.labels)
            and all(label.gap(dot) > _DOT - 4 for dot in self.dots)
            and not any(label.crossed(line) for line in (*self.lines, *self.leaders))
        )

    def tells(self, label: _Label, point: _Point) -> bool:
        """Return whether a label covers nothing and is over 2 pixels nearer to its point than to every other dot."""
        own = label.gap(point)
        return self.free(label) and all(label.gap(dot) > own + 2 for dot in self.dots if dot != point)

    def open(self, leader: _Segment) -> bool:
        """Return whether a new line from a dot to a label crosses no label, no other dot and no earlier such line."""
        return (
            not any(label.crossed(leader) for label in self.labels)
            and not any(_meet(leader, other) for other in self.leaders)
            and all(_off(dot, leader) > _DOT - 2 for dot in self.dots if math.dist(dot, leader[0]) > _DOT)
        )

    def add(self, named: _Named) -> None:
        self.labels.append(named.label)
        if named.leader:
            self.leaders.append(named.leader)


def analogy_figure(found: Analogy, theme: Theme, *, phone: bool = False, small: bool = False) -> go.Figure:
    """Draw the parallelogram of the formula, or the figure of `sum_figure()`.

    The figure of `sum_figure()` has a dot for each answer. It is drawn if the formula has no parallelogram or no
    answer.

    Args:
        phone: Whether the figure is as narrow as a phone.
        small: Whether the figure is a small preview. A parallelogram then has only the first answer, and `sum_figure()`
            draws at most three dots.
    """
    if found.parallelogram is None or not found.answers:
        return sum_figure(found, theme, phone=phone, most=3 if small else None)
    return parallelogram_figure(found, found.parallelogram, theme, phone=phone, small=small)


def sum_figure(found: Analogy, theme: Theme, *, phone: bool = False, most: int | None = None) -> go.Figure:
    """Draw each answer as a dot at its cosine with the formula's sum of vectors.

    A band shows the cosines of random words: mean ± one standard deviation.

    Args:
        phone: Whether the figure is as narrow as a phone.
        most: Maximum number of answers; all if None.
    """
    import plotly.graph_objects as go

    listed = found.answers[:most]
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
    rectangle(figure, (found.mean - found.sd, found.mean + found.sd), theme.grid)
    label(figure, "a random word ± sd", found.mean, 1, theme.muted, paper="y", yanchor="bottom")
    title = axis_title("cosine to the sum", theme)
    figure.update_layout(
        xaxis={"range": [low, high + room], "title": title},
        yaxis={"visible": False, "range": [len(listed) + 0.5, 0.4]},
    )
    return figure


def parallelogram_figure(
    found: Analogy, drawn: Parallelogram, theme: Theme, *, phone: bool = False, small: bool = False
) -> go.Figure:
    """Draw the plane of the analogy: its three words, the constructed corner, and the best answers."""
    import plotly.graph_objects as go

    answer, *others = drawn.answers[: 1 if small else 4 if phone else 6]
    if not small:
        others += [one for one in drawn.answers if one.word == found.expected and one not in (answer, *others)]
    frame = _frame([*drawn.corners, answer, *others], phone=phone, small=small)
    sides = _sides(drawn, answer, theme)
    corners, anchors = _anchors(drawn, frame, theme, "result" if small else "the sum")
    places = [frame.pixels(place.x, place.y) for place in (*drawn.corners, answer, *others)]
    lines = [(frame.pixels(side["x0"], side["y0"]), frame.pixels(side["x1"], side["y1"])) for side in sides]
    taken = _TakenSpace(frame, lines, places, corners, [])
    leaders, names = _labels(found, taken, answer, others, theme)
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
        _dots([one for one in others if one.word != found.expected], scores, theme.muted, 8),
        _dots([one for one in others if one.word == found.expected], scores, theme.categorical[2], 11),
        _dots([answer], scores, theme.categorical[0], 13),
    ]
    figure = go.Figure([*dots, corner], layout(theme, height=int(frame.height), top=0, bottom=0, left=0, right=0))
    across, upward = frame.ranges()
    figure.update_layout(
        xaxis={"visible": False, "range": across},
        yaxis={"visible": False, "range": upward, "scaleanchor": "x"},
        shapes=[*sides, *leaders],
        annotations=[*names, *anchors],
    )
    return figure


def _sides(drawn: Parallelogram, answer: PlanePoint, theme: Theme) -> list[_Mark]:
    """Return the sides of the parallelogram and the line from the constructed corner to the answer."""
    return [
        _line((one.x, one.y), (other.x, other.y), color, dash, 1.5)
        for one, other, color, dash in (
            (drawn.corner, answer, theme.categorical[1], "solid"),
            (drawn.corner, drawn.b, theme.muted, "dot"),
            (drawn.corner, drawn.c, theme.muted, "dot"),
            (drawn.a, drawn.b, theme.muted, "solid"),
            (drawn.a, drawn.c, theme.muted, "solid"),
        )
    ]


def _labels(
    found: Analogy,
    taken: _TakenSpace,
    answer: PlanePoint,
    others: Sequence[PlanePoint],
    theme: Theme,
) -> tuple[list[_Mark], list[_Mark]]:
    """Return two lists: lines that join labels to their dots, and the labels of the answer and of `others`.

    A word of `others` gets a label only if there is room for it.

    Args:
        taken: What is drawn already; the labels are added to it.
        answer: The word of rank 1, which always gets a label.
        others: The words of the next ranks and the expected word.
    """
    frame = taken.frame
    first = frame.pixels(answer.x, answer.y)
    leaders: list[_Mark] = []
    names: list[_Mark] = []

    def write(named: _Named, text: str, color: str, size: int = 14) -> None:
        if named.leader:
            start, end = (frame.units(*point) for point in named.leader)
            leaders.append(_line(start, end, theme.rest, "solid", 1))
        names.append(_text(frame.units(named.label.x, named.label.y), text, color, named.label.anchor, size=size))

    width = 1.2 * _width(answer.word, bold=True)
    best = _named(first, width, taken) or _Named(next(_label_places(first, width)))
    taken.add(best)
    write(best, f"<b>{short(answer.word)}</b>", theme.categorical_labels[0], 16)
    placed = _others(found, others, taken)
    for place in others:
        if place.word in placed:
            bold = place.word == found.expected
            name = f"<b>{short(place.word)}</b>" if bold else short(place.word)
            write(placed[place.word], name, theme.categorical_labels[2] if bold else theme.muted)
    return leaders, names


def _others(found: Analogy, others: Sequence[PlanePoint], taken: _TakenSpace) -> dict[str, _Named]:
    """Return word → label, for the words ranked after the answer and for the expected word.

    The label of an isolated point is next to it. The labels of points close together form one column.
    The expected word comes first, then the others by rank. A word without room gets no label.
    """
    points = {place.word: taken.frame.pixels(place.x, place.y) for place in others}
    widths = {place.word: _width(place.word, bold=place.word == found.expected) for place in others}
    waiting = sorted(points, key=lambda word: word != found.expected)
    named: dict[str, _Named] = {}
    for word in list(waiting):
        alone = all(math.dist(points[word], dot) > 40 or dot == points[word] for dot in taken.dots)
        labels = (label for label in _label_places(points[word], widths[word]) if taken.tells(label, points[word]))
        label = next(labels, None) if alone else None
        if label:
            named[word] = _Named(label)
            taken.add(named[word])
            waiting.remove(word)
    for most in range(len(waiting), 1, -1):
        column = _column([points[word] for word in waiting[:most]], [widths[word] for word in waiting[:most]], taken)
        if column:
            for word, one in zip(waiting, column, strict=False):
                named[word] = one
                taken.add(one)
            break
    for word in waiting:
        one_more = None if word in named else _named(points[word], widths[word], taken)
        if one_more:
            named[word] = one_more
            taken.add(one_more)
    return named


def _frame(places: Sequence[PlanePoint], *, phone: bool, small: bool) -> _ParallelogramFrame:
    width, most = (260.0, 200.0) if small else (358.0, 336.0) if phone else (700.0, 420.0)
    aside, above = (52, 34) if phone or small else (90, 40)
    xs, ys = [place.x for place in places], [place.y for place in places]
    wide, tall = max(xs) - min(xs), max(ys) - min(ys)
    unit = max(wide / (width - 2 * aside), tall / (most - 2 * above))
    height = tall / unit + 2 * above
    left = (max(xs) + min(xs) - width * unit) / 2
    return _ParallelogramFrame(width, height, left, (max(ys) + min(ys) - height * unit) / 2, unit)


def _anchors(
    drawn: Parallelogram, frame: _ParallelogramFrame, theme: Theme, total: str
) -> tuple[list[_Label], list[_Mark]]:
    """Return the labels of the four corners, first as rectangles, then as Plotly annotations.

    The constructed corner is named by its formula, or by `total` if the formula is too long for a label.
    """
    labels: list[_Label] = []
    names = []
    for place, down in zip(drawn.corners, (20, -20, 20, -20), strict=True):
        corner = place is drawn.corner
        x, y = frame.pixels(place.x, place.y)
        for name in (short(place.word, 40 if corner else 24), total):
            width = 1.08 * _width(name, most=40, bold=not corner)
            side = 1 if x < width / 2 else -1 if frame.width - x < width / 2 else 0
            label = _Label(x, y - down, side, width)
            if not corner or not (width > frame.width / 2.4 or any(label.touches(other) for other in labels)):
                break
        labels.append(label)
        color = theme.categorical_labels[1] if corner else theme.ink
        text = name if corner else f"<b>{name}</b>"
        names.append(_text((place.x, place.y), text, color, label.anchor, down=down, size=15))
    return labels, names


def _dots(places: Sequence[PlanePoint], scores: dict[str, float], color: str, size: int) -> Any:
    import plotly.graph_objects as go

    sentences = [
        f"{f'cosine to the sum {number(scores[place.word])}<br>' if place.word in scores else ''}"
        f"{number(place.off)} outside the plane"
        for place in places
    ]
    return go.Scatter(
        x=[place.x for place in places],
        y=[place.y for place in places],
        mode="markers",
        marker={"size": size, "color": color, "opacity": 1},
        customdata=[[short(place.word), text] for place, text in zip(places, sentences, strict=True)],
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
        cliponaxis=False,
    )


def _line(start: _Point, end: _Point, color: str, dash: str, width: float) -> _Mark:
    line = {"color": color, "width": width, "dash": dash}
    return {"type": "line", "x0": start[0], "y0": start[1], "x1": end[0], "y1": end[1], "line": line, "layer": "below"}


def _text(at: _Point, text: str, color: str, side: str, *, size: int = 14, down: float = 0) -> _Mark:
    font = {"size": size, "color": color}
    return {"x": at[0], "y": at[1], "text": text, "showarrow": False, "xanchor": side, "yshift": -down, "font": font}


def _width(word: str, *, most: int = 24, bold: bool = False) -> float:
    letters = sum(2 if ord(letter) > 0x2E7F else 1 for letter in word[:most])
    return letters * _LETTER * (1.06 if bold else 1)


def _label_places(point: _Point, width: float) -> Iterator[_Label]:
    """Yield the places of a label beside its point, the best place first; all in pixels."""
    for up, side in product((0, -12, 12), (1, -1)):
        yield _Label(point[0] + 12 * side, point[1] + up, side, width)
    for up in (-20, 20):
        yield _Label(point[0], point[1] + up, 0, width)


def _named(point: _Point, width: float, taken: _TakenSpace) -> _Named | None:
    """Return the label of a point: beside it, or else at the end of a short line; None if there is no room."""
    for box in _label_places(point, width):
        if taken.tells(box, point):
            return _Named(box)
    for far in range(24, 160, 8):
        for turn in range(24):
            angle = turn * math.pi / 12
            x, y = point[0] + far * math.cos(angle), point[1] + far * math.sin(angle)
            label = _Label(x, y, 1 if math.cos(angle) > -1e-9 else -1, width)
            named = _Named(label, (point, (x - 5 * label.side, y)))
            if named.leader and taken.free(label) and taken.open(named.leader):
                return named
    return None


def _column(points: Sequence[_Point], widths: Sequence[float], taken: _TakenSpace) -> list[_Named] | None:
    """Return labels in one column left or right of the points, as near as possible; None if there is no room."""
    heights = _spread([y for _, y in points], taken.frame.height)
    places = product(range(24, 260, 12), (0, -12, 12, -24, 24, -48, 48), (1, -1))
    for gap, shift, side in sorted(places, key=lambda place: place[0] + abs(place[1])):
        edge = max(x for x, _ in points) if side > 0 else min(x for x, _ in points)
        labels = [_Label(edge + side * gap, y + shift, side, width) for y, width in zip(heights, widths, strict=True)]
        if not all(map(taken.free, labels)):
            continue
        named = [
            _Named(label, (point, (label.x - 5 * side, label.y))) for point, label in zip(points, labels, strict=True)
        ]
        leaders = [one.leader for one in named if one.leader]
        if any(_meet(one, other) for k, one in enumerate(leaders) for other in leaders[:k]):
            continue
        if any(label.crossed(leader) for label, leader in product(labels, leaders)):
            continue
        if all(map(taken.open, leaders)):
            return named
    return None


def _meet(one: _Segment, other: _Segment) -> bool:
    """Return whether two line segments cross."""

    def side(line: _Segment, point: _Point) -> bool:
        (x0, y0), (x1, y1) = line
        return (x1 - x0) * (point[1] - y0) > (y1 - y0) * (point[0] - x0)

    return side(one, other[0]) != side(one, other[1]) and side(other, one[0]) != side(other, one[1])


def _off(point: _Point, line: _Segment) -> float:
    """Return the distance from a point to a line segment."""
    (x0, y0), (x1, y1) = line
    dx, dy = x1 - x0, y1 - y0
    share = ((point[0] - x0) * dx + (point[1] - y0) * dy) / (dx * dx + dy * dy or 1.0)
    share = min(max(share, 0.0), 1.0)
    return math.dist(point, (x0 + share * dx, y0 + share * dy))


def _spread(heights: Sequence[float], most: float) -> list[float]:
    """Return the heights in the given order, moved so that they are at least `_LINE` apart and lie from 0 to `most`."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed: list[float] = []
    for row in order:
        placed.append(max(heights[row], placed[-1] + _LINE) if placed else heights[row])
    shift = sum(heights) / len(heights) - sum(placed) / len(placed)
    shift = max(min(shift, most - _LINE / 2 - placed[-1]), _LINE / 2 - placed[0])
    moved = dict(zip(order, placed, strict=True))
    return [moved[row] + shift for row in range(len(heights))]


def _color(found: Analogy, word: str, theme: Theme) -> str:
    """Return the color of a dot by the role of its word: the answer, the expected word, or any other word."""
    return {found.expected: theme.categorical[2], found.answer: theme.categorical[0]}.get(word, theme.muted)
