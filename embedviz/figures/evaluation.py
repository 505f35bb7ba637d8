"""Figures of test sets: shares by section with baselines, correlations, the pairs of a test set, and associations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from embedviz.core.phrases import number, share
from embedviz.figures.style import axis_title, baseline, label, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.core.stats.intervals import Share
    from embedviz.evaluation import Effect, Evaluation, SimilarityScores
    from embedviz.evaluation.kind import FigureLine, Scores
    from embedviz.figures.theme import Theme

SYMBOLS = ("circle", "diamond-open", "square", "triangle-up-open", "star", "cross-open")
_GLYPHS = "●◇■△★✚"
"""`SYMBOLS` as characters, in the same order."""
_ROW = 24
_WIDE, _NARROW = 700, 340  # least width of a figure in pixels: on a screen, on a phone
_LINE = 19  # pixels between the marks of two spaces in the first line, where their names are written
_LETTER = 7.2
MOST_NAMED = 45
"""Up to this number, the words of a list are drawn with their names; the words of a longer list are only dots."""


class _Mark(NamedTuple):
    """The result of one space: value, ends of its interval, baseline (None for no baseline) and hover text."""

    value: float
    low: float
    high: float
    baseline: float | None
    hover: str


class _Row(NamedTuple):
    """A line of the figure: its title, a note in grey beside the title, and a mark (or None) for each space."""

    title: str
    note: str
    marks: Sequence[Any]


class _Spot(NamedTuple):
    """A mark and the height at which it is drawn, in pixels from the top."""

    title: str
    mark: _Mark
    height: float


class _Axis(NamedTuple):
    """The x axis: its title, the name of the baseline, its lowest value, and the function that formats values."""

    title: str
    baseline: str
    low: float
    text: Callable[[float], str]


def evaluation_figure(
    row: Evaluation, scores: Sequence[Any], names: Sequence[str], theme: Theme, *, phone: bool = False
) -> go.Figure:
    """Draw the results of several spaces; for word similarity and WEAT, only the result of the first space.

    Args:
        row: The kind of test, a row of `EVALUATIONS`.
        scores: The result of each space in `names`, None if it has no result yet; the first must have a result.
    """
    if row.name in _OWN:
        return _OWN[row.name](scores[0], theme, phone=phone)
    lines = [each.lines if each is not None else () for each in scores]
    return lines_figure(lines, names, row.baseline, row.unit, theme, phone=phone)


def lines_figure(
    lines: Sequence[Sequence[FigureLine]], names: Sequence[str], baseline: str, unit: str, theme: Theme, *, phone: bool
) -> go.Figure:
    """Draw the results of several spaces in rows: a mark with its interval per space, a tick for each baseline.

    Args:
        lines: The rows of each space. A space may have none, but not all. The first with rows gives the titles.
        baseline, unit: Name of the baseline, in two words; what the axis counts.
    """
    marks = [{line.title: line.mark for line in each} for each in lines]
    first = next(each for each in lines if each)
    rows = [
        _Row(("▼ " if _behind(line) else "") + line.title, line.note, [each.get(line.title) for each in marks])
        for line in first
    ]
    return _shares([rows[0], *(row for row in rows[1:] if any(row.marks))], names, baseline, unit, theme, phone)


def _behind(line: FigureLine) -> bool:
    """Return whether a line's value lies below its baseline."""
    return line.mark is not None and line.mark.baseline is not None and line.mark.value < line.mark.baseline


def shares_figure(
    rows: Sequence[tuple[str, str, Share, float]], name: str, baseline: str, unit: str, theme: Theme, *, phone: bool
) -> go.Figure:
    """Draw shares with their intervals, each on a line with its title and a note, and a tick for its baseline.

    Args:
        rows: Title, note, share and baseline of each line.
        name, baseline, unit: What is measured (for hover text); the baseline, in two words; what the axis counts.
    """
    drawn = [
        _Row(
            title,
            note,
            [
                _Mark(
                    each.value,
                    *each.interval,
                    against,
                    f"{share(each.value)}, {each.right:,} of {each.of:,} {unit}<br>{baseline} {share(against)}",
                )
            ],
        )
        for title, note, each, against in rows
    ]
    return _shares(drawn, [name], baseline, unit, theme, phone)


def agreement_figure(
    rows: Sequence[tuple[str, Sequence[Scores | None]]],
    names: Sequence[str],
    theme: Theme,
) -> go.Figure:
    """Draw Spearman's ρ on each test set with its interval; 95 % of random orders have a |ρ| below the tick."""
    drawn = [
        _Row(title, "", [_agreement_mark(cast("SimilarityScores | None", each)) for each in scores])
        for title, scores in rows
    ]
    lowest = min([mark.low for row in drawn for mark in row.marks if mark] + [0.0])
    bottom = math.floor(4 * lowest) / 4
    return _marked(drawn, names, _Axis("Spearman’s ρ with people", "random order", bottom, number), theme, True)


def _agreement_mark(scores: SimilarityScores | None) -> _Mark | None:
    if scores is None or scores.spearman is None or scores.low is None or scores.high is None:
        return None
    hover = f"ρ {number(scores.spearman)}, {scores.count:,} pairs<br>|ρ| by chance below {number(scores.chance)}"
    return _Mark(scores.spearman, scores.low, scores.high, scores.chance, hover)


def _shares(
    rows: Sequence[_Row], names: Sequence[str], baseline: str, unit: str, theme: Theme, phone: bool
) -> go.Figure:
    return _marked(rows, names, _Axis(unit, baseline, 0.0, share), theme, phone)


def _marked(rows: Sequence[_Row], names: Sequence[str], axis: _Axis, theme: Theme, narrow: bool) -> go.Figure:
    """Draw rows of marks with whiskers and baseline ticks; above the first row, name the baseline and the spaces."""
    import plotly.graph_objects as go

    count = len(names)
    listed = narrow and count > 1  # the names stand above the figure, since a line has no room for them
    above = 26 + (_LINE * count if listed else 0)
    tight = min(_LINE, max(7, 24 // count))
    heights = [_LINE * count + 12, *[max(_ROW, tight * count + 6)] * (len(rows) - 1)]
    centers = [sum(heights[:place]) + heights[place] / 2 for place in range(len(rows))]
    most = (24 if count == 1 else 17) if narrow else 40
    left = int(14 + 6.6 * max(min(len(row.title), most) + (0 if narrow else len(row.note) + 2) for row in rows))
    figure = go.Figure(layout=layout(theme, height=sum(heights) + above + 52, top=above, left=left, right=4))
    end = 1.05
    for place, name in enumerate(names):
        steps = [_LINE, *[tight] * (len(rows) - 1)]
        spots = [
            _Spot(row.title, mark, center + step * (place - (count - 1) / 2))
            for row, center, step in zip(rows, centers, steps, strict=True)
            if (mark := row.marks[place]) is not None
        ]
        figure.add_traces([_ticks(spots, theme), _dots(spots, short(name, 30), place, theme)])
        if (mark := rows[0].marks[place]) is not None:
            named = "" if count == 1 or listed else f"{short(name, 26)} "
            text = f"{named}{axis.text(mark.value)}"
            room = min(0.7, (14 + _LETTER * len(text)) / ((_NARROW if narrow else _WIDE) - left))
            end = max(end, (mark.high - room * axis.low) / (1 - room))
            color, height = theme.categorical_labels[place], spots[0].height
            label(figure, text, mark.high, height, color, size=14, xanchor="left", xshift=8)
    if listed:
        _name_spaces(figure, names, left, theme)
    _name_baseline(figure, rows[0], centers[0] - _LINE * count / 2 - 2, axis, theme)
    ticks = sorted({axis.low, 0, 0.5, 1} if narrow or axis.low else {0, 0.25, 0.5, 0.75, 1})
    figure.update_layout(
        xaxis={
            "range": [axis.low - 0.02 * (end - axis.low), end],
            "tickvals": ticks,
            "ticktext": [share(each) if axis.text is share else f"{each:.2g}".replace("-", "−") for each in ticks],
            "title": axis_title(axis.title, theme),
        },
        yaxis={
            "range": [sum(heights), 0],
            "tickmode": "array",
            "tickvals": centers,
            "ticktext": [_named(row, most, theme, note=not narrow) for row in rows],
            "tickfont": {"size": 13, "color": theme.ink},
            "showgrid": True,
        },
    )
    return figure


def _name_spaces(figure: Any, names: Sequence[str], left: int, theme: Theme) -> None:
    """Write the names of the spaces with their marks above the figure, one per line."""
    for place, name in enumerate(names):
        color, over = theme.categorical_labels[place], 22 + _LINE * (len(names) - 1 - place)
        text = f"{_GLYPHS[place]} {short(name, 40)}"
        label(figure, text, 0, 1, color, 14, paper="xy", xanchor="left", yanchor="bottom", xshift=-left, yshift=over)


def _named(row: _Row, most: int, theme: Theme, *, note: bool) -> str:
    note_text = f"  <span style='color:{theme.muted}'>{row.note}</span>" if note and row.note else ""
    return f"{short(row.title, most)}{note_text} "


def _dots(spots: Sequence[_Spot], name: str, place: int, theme: Theme) -> Any:
    import plotly.graph_objects as go

    color = theme.categorical[place]
    line = {"width": 2 if SYMBOLS[place].endswith("open") else 0, "color": color}
    return go.Scatter(
        x=[spot.mark.value for spot in spots],
        y=[spot.height for spot in spots],
        mode="markers",
        marker={"size": 9, "color": color, "symbol": SYMBOLS[place], "opacity": 1, "line": line},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, spot.mark.high - spot.mark.value) for spot in spots],
            "arrayminus": [max(0.0, spot.mark.value - spot.mark.low) for spot in spots],
            "color": color,
            "thickness": 1.5,
            "width": 0,
        },
        customdata=[[short(spot.title, 40), spot.mark.hover] for spot in spots],
        hovertemplate=f"<b>%{{customdata[0]}}</b> {name}<br>%{{customdata[1]}}<extra></extra>",
    )


def _ticks(spots: Sequence[_Spot], theme: Theme) -> Any:
    import plotly.graph_objects as go

    based = [spot for spot in spots if spot.mark.baseline is not None]
    return go.Scatter(
        x=[spot.mark.baseline for spot in based],
        y=[spot.height for spot in based],
        mode="markers",
        marker={"size": 12, "symbol": "line-ns-open", "color": theme.ink, "opacity": 1, "line": {"width": 1.5}},
        hoverinfo="skip",
    )


def _name_baseline(figure: Any, row: _Row, top: float, axis: _Axis, theme: Theme) -> None:
    """Write the baseline's name above the tick of the first line, with its value if only one space has a baseline."""
    found = [mark.baseline for mark in row.marks if mark is not None and mark.baseline is not None]
    if not found:
        return
    left = found[0] < axis.low + 0.35 * (1 - axis.low)
    label(
        figure,
        f"{axis.baseline} {axis.text(found[0])}" if len(found) == 1 else axis.baseline,
        found[0],
        top,
        theme.muted,
        xanchor="left" if left else "center",
        yanchor="bottom",
        xshift=-5 if left else 0,
    )


def pairs_figure(scores: SimilarityScores, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw pairs of words by rating and cosine; the pairs whose two ranks differ most, at most 8, are rust."""
    import plotly.graph_objects as go

    scored = np.flatnonzero(scores.covered & ~scores.itself)
    people, cosines = scores.people[scored], scores.cosines[scored]
    names = [scores.pairs[place] for place in scored]
    ordered = [(one.pair.one, one.pair.other) for one in scores.worst(len(scores.pairs))]
    worst = {*[pair for pair in ordered if pair[0].lower() != pair[1].lower()][:8]}
    out = np.array([(pair.one, pair.other) in worst for pair in names], np.bool_)
    figure = go.Figure(layout=layout(theme, height=360 if phone else 460, left=40, top=8))
    for part, color, size in ((~out, theme.categorical[0], 5), (out, theme.categorical[1], 7)):
        figure.add_scatter(
            x=people[part],
            y=cosines[part],
            mode="markers",
            marker={"size": size, "color": color, "opacity": 1 if size > 5 else 0.6, "symbol": _shape(size)},
            customdata=[
                f"{short(pair.one)} and {short(pair.other)}" for pair, inside in zip(names, part, strict=True) if inside
            ],
            hovertemplate="<b>%{customdata}</b><br>people %{x:.2f}<br>cosine %{y:.2f}<extra></extra>",
        )
    if not phone:
        _name_pairs(figure, scores, scored[out], theme)
    figure.update_layout(
        xaxis={"title": axis_title("people’s score", theme)},
        yaxis={
            "tickformat": ".1f",
            "title": axis_title("cosine", theme, 4),
        },
    )
    return figure


def _shape(size: int) -> str:
    return "circle" if size <= 5 else "diamond"


def _name_pairs(figure: Any, scores: SimilarityScores, places: Any, theme: Theme) -> None:
    """Write the names of the word pairs `places` (indices) next to their marks; omit names that have no room."""
    scored = scores.covered & ~scores.itself
    across, up = (_pixels(values, scored, size) for values, size in ((scores.people, 640), (scores.cosines, 390)))
    rest = np.flatnonzero(scored)
    free = np.setdiff1d(rest, places)
    boxes: list[tuple[float, float, float]] = []
    for place in places.tolist():
        pair, x, y = scores.pairs[place], float(across[place]), float(up[place])
        text = f"{short(pair.one, 14)}, {short(pair.other, 14)}"
        width = 10 + _LETTER * len(text)
        sides = []
        for anchor, left in (("left", x), ("right", x - width)):
            marks, points = (_inside(across, up, among, left, width, y) for among in (places, free))
            covered = any(left < end and start < left + width and abs(y - height) < 18 for start, end, height in boxes)
            if marks == 1 and not covered and left >= -8 and left + width < 664:
                sides.append((points, anchor, left))
        if sides:
            _, anchor, left = min(sides)
            boxes.append((left, left + width, y))
            label(
                figure,
                text,
                float(scores.people[place]),
                float(scores.cosines[place]),
                theme.categorical_labels[1],
                size=14,
                xanchor=anchor,
                xshift=8 if anchor == "left" else -8,
            )


def _pixels(values: Any, scored: Any, size: int) -> Any:
    """Return the approximate positions of the values in pixels, on an axis `size` pixels long."""
    low, high = float(values[scored].min()), float(values[scored].max())
    return (values - low) * (size / ((high - low) or 1.0))


def _inside(across: Any, up: Any, among: Any, left: float, width: float, y: float) -> int:
    """Return how many of the marks with the indices `among` a label would cover; the label's own mark counts too."""
    near = (across[among] >= left - 4) & (across[among] <= left + width + 4)
    return int(np.count_nonzero(near & (np.abs(up[among] - y) < 12)))


def association_figure(effect: Effect, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw the words of both target lists by s: the mean cosine with attribute list a minus that with list b."""
    import plotly.graph_objects as go

    across = 300 if phone else 640
    words = [
        *zip(effect.x.words, effect.s_x.tolist(), strict=True),
        *zip(effect.y.words, effect.s_y.tolist(), strict=True),
    ]
    low, high = _ends([*words, ("", 0.0)], across)
    figure = go.Figure()
    top, over = 0.0, list[tuple[float, float]]()
    lanes = ((effect.test.x, effect.x, effect.s_x, 0), (effect.test.y, effect.y, effect.s_y, 1))
    for (title, _), covered, values, place in lanes:
        spots = _stacked(covered.words, values.tolist(), (high - low) / across)
        _lane(figure, title, spots, top, place, theme)
        over += _over_zero(spots, top, (high - low) / across)
        mean = float(values.mean())
        named = f"{short(title, 18)}:" if phone else f"{short(title, 24)}: mean"
        text = f"{named} {number(mean)}"
        _mean_mark(figure, text, mean, top, theme, place, *_name_place(text, mean, (low, high), across))
        top += 48 + _LINE * (1 + max((level for _, _, level, _ in spots), default=0))
    figure.update_layout(layout(theme, height=int(top) + 92, top=4, left=4, right=8, bottom=72))
    ends = [0.0, *(end for rows in sorted(over) for end in rows), top]
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        if start < end:
            baseline(figure, theme, 0.0, rows=(start, end))
    figure.update_layout(
        xaxis={
            "range": [low, high],
            "nticks": 5,
            "title": axis_title("difference of mean cosines", theme, 28),
        },
        yaxis={"visible": False, "range": [top, 0]},
    )
    _name_sides(figure, effect, (low, high), across, theme, phone=phone)
    return figure


def _lane(
    figure: Any, title: str, spots: Sequence[tuple[str, float, int, bool]], top: float, place: int, theme: Theme
) -> None:
    """Draw the words of one list below the height `top`; words that would cover each other are on different lines."""
    figure.add_scatter(
        x=[value for _, value, _, _ in spots],
        y=[top + 44 + _LINE * level for _, _, level, _ in spots],
        mode="markers+text",
        marker={"size": 8, "color": theme.categorical[place], "symbol": SYMBOLS[place], "opacity": 1},
        text=[short(word, 16) if named else "" for word, _, _, named in spots],
        textposition="middle right",
        textfont={"size": 13, "color": theme.categorical_labels[place]},
        customdata=[short(word) for word, _, _, _ in spots],
        hovertemplate=f"<b>%{{customdata}}</b> {short(title)}<br>s %{{x:.3f}}<br>equally near 0<extra></extra>",
    )


def _over_zero(spots: Sequence[tuple[str, float, int, bool]], top: float, unit: float) -> list[tuple[float, float]]:
    """Return the vertical ranges (top, bottom) without the zero line: the levels with a word written across 0."""
    levels = {level for word, value, level, named in spots if named and value <= 0 < value + unit * _width(word)}
    half = _LINE / 2
    return [(top + 44 + _LINE * level - half, top + 44 + _LINE * level + half) for level in levels]


def _name_place(text: str, mean: float, ends: tuple[float, float], across: int) -> tuple[float, str]:
    """Return x position and anchor of a mean's name, off the zero line if possible; `across`: axis width in pixels."""
    low, high = ends
    wide = (high - low) / across * _LETTER * len(text)
    outward, inward = ("left", "right") if mean >= 0 else ("right", "left")
    if abs(mean) > wide:
        return mean, inward
    if (high if mean >= 0 else -low) > wide:
        return 0.0, outward
    return mean, "left" if mean < (low + high) / 2 else "right"


def _mean_mark(figure: Any, text: str, mean: float, top: float, theme: Theme, place: int, at: float, side: str) -> None:
    """Draw the mean of one list as a short line with its name."""
    figure.add_shape(type="line", x0=mean, x1=mean, y0=top + 24, y1=top + 33, line={"color": theme.ink, "width": 1.5})
    color = theme.categorical_labels[place]
    anchors: dict[str, Any] = {"xanchor": side, "yanchor": "bottom", "xshift": 0 if at else 5 if side == "left" else -5}
    label(figure, text, at, top + 24, color, size=14, bgcolor=theme.bg, borderpad=0, **anchors)


def _name_sides(
    figure: Any, effect: Effect, ends: tuple[float, float], across: int, theme: Theme, *, phone: bool
) -> None:
    """Write under each side of the axis, if there is room, the attribute to which the words on that side are nearer."""
    low, high = ends
    a, b = effect.test.a[0], effect.test.b[0]
    nearer = "" if phone else "nearer to "
    for text, side, room in ((f"← {nearer}{short(b, 18)}", "right", -low), (f"{nearer}{short(a, 18)} →", "left", high)):
        if room * across / (high - low) > 6.6 * len(text):
            label(
                figure,
                text,
                0,
                0,
                theme.muted,
                paper="y",
                xanchor=side,
                yanchor="top",
                xshift=8 if side == "left" else -8,
                yshift=-24,
            )


def _ends(words: Sequence[tuple[str, float]], across: int) -> tuple[float, float]:
    """Return the lowest and highest value of the x axis, so that each word fits to the right of its value.

    Args:
        words, across: Pairs (word, value); the width of the axis in pixels.
    """
    low, high = min(value for _, value in words), max(value for _, value in words)
    low -= 0.03 * ((high - low) or 1.0)
    parts = [(value, min(0.6, _width(word) / across)) for word, value in words]
    return low, max([high, *((value - part * low) / (1 - part) for value, part in parts)])


def _width(word: str) -> float:
    """Return the width of a dot with its word, in pixels."""
    return 16 + _LETTER * min(len(word), 16)


def _stacked(words: Sequence[str], values: Sequence[float], unit: float) -> list[tuple[str, float, int, bool]]:
    """Return (word, value, level, whether the name is drawn) for each word; words on one level do not overlap."""
    named = len(words) <= MOST_NAMED
    free: list[float] = []
    spots = []
    for value, word in sorted(zip(values, words, strict=True)):
        width = unit * (_width(word) if named else 12)
        level = next((place for place, end in enumerate(free) if end <= value), len(free))
        free[level : level + 1] = [value + width]
        spots.append((word, value, level, named))
    return spots


_OWN: dict[str, Callable[..., Any]] = {"similarity": pairs_figure, "weat": association_figure}
"""Kinds of test with a figure of their own; all others are drawn by `lines_figure`."""
