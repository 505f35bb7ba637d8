"""Figures of a corpus: frequency by rank, and lengths of the lines."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from embedviz.core.phrases import number
from embedviz.figures.style import axis_title, baseline, dotted, label, layout, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from embedviz.corpus.vocabulary import Curve, Described, Lengths, WordCount
    from embedviz.figures.theme import Theme

_HEIGHT = 380


def zipf_figure(
    found: Described, theme: Theme, *, min_count: int = 1, marked: Sequence[WordCount] = (), phone: bool = False
) -> go.Figure:
    """Draw frequency by rank on log scales, with the fitted line, the minimum count, and a text of random letters."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=330 if phone else _HEIGHT, left=64, bottom=48, top=8))
    figure.add_trace(_curve(found.typed, theme.rest, 2, "random letters", found.typed.words))
    line = found.curve.line
    if line is not None:
        ends = [1, line.ranks]
        figure.add_trace(
            go.Scatter(
                x=ends,
                y=[line.scale / rank**line.exponent for rank in ends],
                mode="lines",
                line=dotted(theme),
                hoverinfo="skip",
            )
        )
    figure.add_trace(_curve(found.curve, theme.categorical[0], 2.5, "this corpus", found.tokens))
    low = math.log10(min(float(found.curve.shares[-1]), float(found.typed.shares[-1]))) - 0.25
    high = math.log10(max(float(found.curve.shares[0]), float(found.typed.shares[0]))) + 0.25
    last = math.log10(max(2, int(found.curve.ranks[-1]), int(found.typed.ranks[-1])))
    figure.update_layout(
        xaxis={"type": "log", "range": [-0.05, last + 0.12], **_ticks(0, last), "title": axis_title("rank", theme)},
        yaxis={
            "type": "log",
            "range": [low, high],
            **_ticks(low, high, shares=True),
            "title": axis_title("share of all words", theme, 4),
            "showgrid": True,
        },
    )
    _least(figure, found, theme, min_count, low)
    _named(figure, found, theme, phone)
    _words(figure, marked, theme)
    return figure


def lengths_figure(lengths: Lengths, theme: Theme) -> go.Figure:
    """Draw the histogram of the lengths of lines, on a logarithmic scale, with the median."""
    import plotly.graph_objects as go

    edges, counts = lengths.edges.tolist(), lengths.counts.tolist()
    figure = go.Figure(layout=layout(theme, height=170, top=24, bottom=44))
    if len(edges) > 1:
        places = [math.log10(math.sqrt(low * max(low, high - 1))) for low, high in pairwise(edges)]
        spans = [_span(low, high - 1) for low, high in pairwise(edges)]
        widths = [math.log10(high / low) * 0.9 for low, high in pairwise(edges)]
    else:
        places, spans, widths = [math.log10(max(1, edges[0]))], [_span(edges[0], edges[0])], [0.1]
    figure.add_bar(
        x=places,
        y=counts,
        width=widths,
        customdata=spans,
        marker={"color": theme.rest},
        hovertemplate="%{y:,} lines of %{customdata}<extra></extra>",
    )
    low, high = min(places) - 0.15, max(places) + 0.15
    ticks = [tick for tick in (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000) if low <= math.log10(tick) <= high]
    figure.update_layout(
        yaxis={"visible": False},
        xaxis={
            "range": [low, high],
            "tickvals": [math.log10(tick) for tick in ticks],
            "ticktext": [f"{tick:,}" for tick in ticks],
            "title": axis_title("words per line", theme),
        },
    )
    middle = math.log10(max(1.0, lengths.median))
    side = "left" if middle < (low + high) / 2 else "right"
    baseline(figure, theme, middle, f"median {lengths.median:,.0f}", side)
    return figure


def _span(low: int, high: int) -> str:
    return f"{low:,} to {high:,} words" if high > low else f"{low:,} word{'' if low == 1 else 's'}"


def _curve(curve: Curve, color: str, width: float, what: str, words: int) -> Any:
    import plotly.graph_objects as go

    ranks = curve.ranks.tolist()
    return go.Scatter(
        x=ranks,
        y=curve.shares.tolist(),
        mode="lines+markers" if len(ranks) < 3 else "lines",
        line={"color": color, "width": width},
        customdata=[round(share * words) for share in curve.shares.tolist()],
        hovertemplate=f"<b>{what}</b><br>rank %{{x:,}}: count %{{customdata:,}}<extra></extra>",
    )


def _least(figure: Any, found: Described, theme: Theme, min_count: int, low: float) -> None:
    """Draw the minimum count as a dotted line if it is above 1 and inside the figure."""
    least = math.log10(max(1, min_count) / found.tokens)
    if min_count <= 1 or not low < least < 0:
        return
    line = {"color": theme.ink, "width": 1, "dash": "dot"}
    figure.add_shape(type="line", x0=0, x1=1, xref="paper", y0=10**least, y1=10**least, line=line, layer="below")
    label(
        figure,
        f"below: count under {min_count:,}",
        0,
        least,
        theme.muted,
        paper="x",
        xanchor="left",
        yanchor="top",
        xshift=6,
    )


def _named(figure: Any, found: Described, theme: Theme, phone: bool) -> None:
    """Draw the names of the curves; on a phone the page names them under the figure."""
    line = found.curve.line
    if phone or len(found.curve.ranks) < 3:
        return
    place = len(found.curve.ranks) // 2
    label = "this corpus" if line is None else f"this corpus (dotted: fitted line, slope {number(-line.exponent)})"
    _label(figure, found.curve, place, label, theme.categorical_labels[0], ("left", "bottom", 8))
    typed = found.typed.line
    if len(found.typed.ranks) > 2:
        label = "random letters" if typed is None else f"random letters: slope {number(-typed.exponent)}"
        _label(figure, found.typed, int(0.55 * len(found.typed.ranks)), label, theme.muted, ("right", "top", -8))


def _label(figure: Any, curve: Curve, place: int, text: str, color: str, side: tuple[str, str, int]) -> None:
    across, up, shift = side
    label(
        figure,
        text,
        math.log10(int(curve.ranks[place])),
        math.log10(float(curve.shares[place])),
        color,
        size=14,
        xanchor=across,
        yanchor=up,
        xshift=shift,
    )


def _words(figure: Any, marked: Sequence[WordCount], theme: Theme) -> None:
    """Draw the words of the search box as rings on the curve, with their names."""
    import plotly.graph_objects as go

    if marked:
        figure.add_trace(
            go.Scatter(
                x=[entry.rank for entry in marked],
                y=[entry.share for entry in marked],
                mode="markers+text",
                marker={"size": 10, "color": theme.bg, "opacity": 1, "line": {"color": theme.ink, "width": 2}},
                text=[f"  {short(entry.word)}" for entry in marked],
                textposition="top right",
                textfont={"size": 14, "color": theme.ink},
                customdata=[entry.times for entry in marked],
                hovertemplate="%{text}<br>rank %{x:,}: count %{customdata:,}<extra></extra>",
                cliponaxis=False,
            )
        )


def _ticks(low: float, high: float, *, shares: bool = False) -> dict[str, Any]:
    """Return at most five powers of ten as axis ticks."""
    powers = list(range(math.ceil(low), math.floor(high) + 1))
    powers = powers[:: max(1, math.ceil(len(powers) / 5))]
    labels = [f"{10**power:,}" for power in powers] if not shares else [_share(power, low) for power in powers]
    return {"tickvals": [10.0**power for power in powers], "ticktext": labels}


def _share(power: int, low: float) -> str:
    """Return 10^power as text: a percentage, or “10” with an exponent if `low` (the first power) is below −5.5."""
    return f"10<sup>{power}</sup>" if low < -5.5 else f"{100 * 10.0**power:g}\u00a0%"
