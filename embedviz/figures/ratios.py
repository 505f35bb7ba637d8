"""Figure of ratios: how much more often each word stands near one word than near another, on a log scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from embedviz.core.phrases import number
from embedviz.figures.style import axis_title, baseline, label, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.corpus.published_ratios import PublishedRatio
    from embedviz.corpus.ratios import Ratio, Ratios
    from embedviz.figures.theme import Theme

_ROW = 28
_FARTHEST = 300.0  # ratios beyond this, or below its inverse, lie at the edge
_STEPS = (1, 2, 5, 10, 30, 100, 300)


def ratio_text(row: Ratio) -> str:
    """Return a ratio as text: ∞ if the word stands only near the first of the two words.

    A dash means that it never stands near either of them.
    """
    if row.ratio is None:
        return "–"
    if math.isinf(row.ratio):
        return "∞"
    return number(row.ratio, 2 if row.ratio < 10 else 0)


def interval_text(row: Ratio) -> str:
    """Return the 95 % interval of a ratio as text; a dash if there is no ratio."""
    if row.ratio is None:
        return "–"
    low, high = (number(bound, 2 if bound < 10 else 0) if math.isfinite(bound) else "∞" for bound in row[4:6])
    return f"{low} to {high}"


def ratios_figure(found: Ratios, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw each word's ratio with its interval; a dotted line marks 1. A word without a ratio is left out.

    A ratio beyond the axis is a triangle at the edge, which points outward.
    """
    rows = [row for row in found.rows if row.ratio is not None]
    ends = [end for row in rows for end in (row.low, row.high, row.ratio) if end and 0 < end < math.inf]
    far = min(_FARTHEST, max([2.0, *(max(end, 1 / end) for end in ends)]))
    figure, edge = _frame([row.word for row in rows], far, found.one, found.other, theme, phone=phone)
    for place, row in enumerate(rows):
        _mark(figure, row, place, edge, found, theme)
    return figure


def published_ratios_figure(
    rows: Sequence[PublishedRatio], one: str, other: str, theme: Theme, *, phone: bool = False
) -> go.Figure:
    """Draw the ratios of a published table, each with its value as text; a dotted line marks 1."""
    far = max(max(row.ratio, 1 / row.ratio) for row in rows) * 1.5
    figure, edge = _frame([row.word for row in rows], far, one, other, theme, phone=phone)
    places = list(range(len(rows)))
    marker = {"size": 10, "color": theme.categorical[0], "opacity": 1}
    figure.add_scatter(
        x=[_placed(row.ratio, edge) for row in rows], y=places, mode="markers", marker=marker, hoverinfo="skip"
    )
    for place, row in zip(places, rows, strict=True):
        end, shift = ("left", 10) if row.ratio > 0.5 else ("right", -10)
        label(figure, f"{row.ratio:g}", _placed(row.ratio, edge), place, theme.ink, xanchor=end, xshift=shift)
    return figure


def _frame(
    words: Sequence[str], far: float, one: str, other: str, theme: Theme, *, phone: bool
) -> tuple[go.Figure, float]:
    """Return a figure with a row for each word and a log axis, and log10 of the ratio at the edge of the axis."""
    import plotly.graph_objects as go

    edge = math.log10(far) * 1.12
    most = 12 if phone else 22
    left = int(16 + 7.4 * max((min(len(word), most) for word in words), default=4))
    height = _ROW * max(1, len(words)) + 66
    figure = go.Figure(layout=layout(theme, height=height, top=6, left=left, right=10, bottom=60))
    baseline(figure, theme, 0.0)
    ticks = sorted({sign * math.log10(step) for step in _STEPS if step <= far * 1.01 for sign in (1, -1)})
    if len(ticks) > (5 if phone else 9):
        ticks = [tick for tick in ticks if abs(tick - round(tick)) < 1e-9]
    title = f"‹ near {short(other, 14)} · ratio · near {short(one, 14)} ›"
    figure.update_layout(
        xaxis={
            "range": [-edge * 1.04, edge * 1.04],
            "tickvals": ticks,
            "ticktext": [f"{10**tick:.2g}" for tick in ticks],
            "title": axis_title(title, theme),
        },
        yaxis={
            "range": [len(words) - 0.4, -0.6],
            "tickmode": "array",
            "tickvals": list(range(len(words))),
            "ticktext": [f"{short(word, most)} " for word in words],
            "tickfont": {"size": 14, "color": theme.ink},
            "showgrid": True,
        },
    )
    return figure, edge


def _mark(figure: Any, row: Ratio, place: int, edge: float, found: Ratios, theme: Theme) -> None:
    """Draw a word's ratio as a mark and its interval as a line, both cut off at the edges."""
    color = {1: theme.categorical[0], -1: theme.categorical[1], 0: theme.muted}[row.tells]
    low, middle, high = (_placed(value, edge) for value in (row.low, row.ratio or 0.0, row.high))
    beyond = abs(middle) >= edge
    symbol = (
        ("triangle-right" if middle > 0 else "triangle-left") if beyond else "circle" if row.tells else "circle-open"
    )
    figure.add_scatter(
        x=[low, high],
        y=[place, place],
        mode="lines",
        line={"color": color, "width": 1.5},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=[middle],
        y=[place],
        mode="markers",
        marker={
            "size": 11 if beyond else 9,
            "color": color,
            "symbol": symbol,
            "opacity": 1,
            "line": {"width": 2 if not row.tells and not beyond else 0, "color": color},
        },
        customdata=[
            [
                short(row.word, 40),
                f"ratio {ratio_text(row)} (95\u00a0%: {interval_text(row)})",
                f"{row.pairs[0]:,} times near {short(found.one)}, {row.pairs[1]:,} near {short(found.other)}",
            ]
        ],
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[2]}<extra></extra>",
    )


def _placed(ratio: float, edge: float) -> float:
    """Return the position of a ratio on the axis: its log10, limited to the edges."""
    if ratio <= 0:
        return -edge
    return max(-edge, min(edge, math.log10(ratio))) if math.isfinite(ratio) else edge
