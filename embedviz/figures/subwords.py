"""Figure of a word's parts: the share of each part in the word's vector, with the shares of other words' n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from embedviz.core.phrases import signed_share as percent
from embedviz.figures.style import axis_title, baseline, faded, layout, rectangle, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.neighbors.anatomy import Anatomy, VectorPart

MOST = 16
"""At most this number of parts is drawn: those with the largest shares, and always the word's own vector."""
_ROW = 25
_LETTER = 8.4  # width of a letter of the spelled word, in pixels
_SPELLED = {False: 20, True: 11}  # most letters of a word spelled out beside each part; the key: whether on a phone


def caption(found: Anatomy) -> str:
    """Say which shares are drawn; empty if all are drawn."""
    if len(found.parts) <= MOST:
        return ""
    if found.own in found.ranked[MOST:]:
        return f"The {MOST - 1} largest of {len(found.parts)} shares, and below them that of the word’s own vector."
    return f"The {MOST} largest of {found.counted}."


def _drawn(found: Anatomy) -> list[VectorPart]:
    """Return the parts with the largest shares. If the word's own vector is not among them, it comes last."""
    ranked = [part for part in found.ranked if part.share is not None]
    if found.own in ranked[MOST:]:
        return [*ranked[: MOST - 1], found.own]
    return ranked[:MOST]


def shares_figure(found: Anatomy, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw each part as a dot at its share in the word's vector, over the band of n-grams of other words.

    For an n-gram that the word has twice or more, the dot shows the share of one occurrence. The order is by the share
    of all occurrences, the largest first.
    """
    import plotly.graph_objects as go

    parts = _drawn(found)
    values = [(part.share or 0.0) / part.times for part in parts]
    spelled = len(found.word) + 2 <= _SPELLED[phone]
    names = [_named(part, found.word, theme, spelled=spelled) for part in parts]
    letters = len(found.word) + 2 if spelled else max(len(part.text) for part in parts)
    band = [found.drawn.low, found.drawn.high] if found.drawn else []
    low, high = min([0.0, *values, *band]), max([*values, *band, found.even])
    room = high - low or 1.0
    left = int(_LETTER * max(letters, 15 if any(part.bucket is None for part in parts) else 0)) + 14
    figure = go.Figure(layout=layout(theme, height=_ROW * (len(parts) + 1) + 84, left=left, top=30))
    if found.drawn:
        rectangle(figure, (found.drawn.low, found.drawn.high), theme.grid)
    if found.count > 1:
        baseline(figure, theme, found.even, f"equal shares: {percent(found.even)}", "auto")
    figure.add_trace(_dots(parts, values, theme))
    figure.update_layout(
        xaxis={
            "range": [low - 0.03 * room, high + (0.2 if phone else 0.12) * room],
            "tickformat": ".0%" if room > 0.04 else ".1%",
            "title": axis_title(f"share of the vector of {short(found.word)}", theme),
        },
        yaxis={
            "range": [len(parts) - 0.4, -0.6],
            "tickmode": "array",
            "tickvals": list(range(len(parts))),
            "ticktext": names,
            "tickfont": {"size": 14, "color": theme.ink, "family": '"Source Code Pro", monospace'},
            "gridcolor": faded(theme.grid, 0.6),
        },
    )
    return figure


def _dots(parts: list[VectorPart], values: list[float], theme: Theme) -> Any:
    import plotly.graph_objects as go

    blue = theme.categorical[0]
    return go.Scatter(
        x=values,
        y=list(range(len(parts))),
        mode="markers+text",
        marker={
            "size": 10,
            "symbol": ["diamond-open" if part.bucket is None else "circle" for part in parts],
            "color": blue,
            "line": {"width": [2 if part.bucket is None else 0 for part in parts], "color": blue},
            "opacity": 1,
        },
        text=[
            f"  {percent(value)}{f' × {part.times}' if part.times > 1 else ''}"
            for part, value in zip(parts, values, strict=True)
        ],
        textposition="middle right",
        textfont={"size": 14, "color": theme.muted},
        cliponaxis=False,
        customdata=[short(part.text) for part in parts],
        hovertemplate="<b>%{customdata}</b><br>share %{text}<extra></extra>",
    )


def _named(part: VectorPart, word: str, theme: Theme, *, spelled: bool) -> str:
    """Return the n-gram as a label: in bold inside its word if there is room, else alone."""
    if part.bucket is None:
        return short(part.text)
    whole = f"<{word}>"
    start = whole.find(part.text)
    if not spelled or start < 0:
        return short(part.text)
    end = start + len(part.text)
    before, after = (
        f"<span style='color:{theme.muted}'>{short(text)}</span>" if text else ""
        for text in (whole[:start], whole[end:])
    )
    return f"{before}<b>{short(part.text)}</b>{after}"
