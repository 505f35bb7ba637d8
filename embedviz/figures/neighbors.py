"""Figures of neighbors: the nearest words of a query, how near all words' nearest neighbors are, and a preview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import in_quotes, number
from embedviz.figures.style import axis_title, baseline, faded, label, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.neighbors import KOccurrences, Neighbor, Neighborhood

_ROW = 26
_MOST_ROWS = 25
_WIDE, _NARROW = 24, 12  # most letters of a name beside its dot: on a screen, on a phone
_LONGEST_QUERY = 30  # most letters of several words in the title of an axis


def neighborhood_figure(near: Neighborhood, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw up to 25 nearest words as dots above the histogram of all words; dotted: the best match by chance."""
    import plotly.graph_objects as go

    listed = near.neighbors[:_MOST_ROWS]
    counts, edges = near.histogram
    tall = _ROW * (len(listed) + 1)
    figure = go.Figure(layout=layout(theme, height=tall + 180))
    share = 120 / (tall + 120)
    figure.add_trace(_outline(counts, edges, theme))
    names = [short(name, _NARROW if phone and near.labels else _WIDE) for name in near.display_names[: len(listed)]]
    figure.add_trace(_dots(near, listed, names, theme))
    _name(figure, near, names, theme)
    values = [neighbor.similarity for neighbor in listed]
    low, high = min([*edges, *values]), max([*edges, *values])
    room = (0.5 if phone else 0.6 if near.labels else 0.22) * (high - low) if high > low else 1.0
    figure.update_layout(
        xaxis={
            "range": [low - 0.02 * (high - low), high + room],
            "tickvals": _ticks(low, high),
            "title": axis_title(f"{near.scale.unit} {near.scale.joint} {_query(near.words)}", theme),
        },
        yaxis={"domain": [0, share - 0.03], "visible": False, "range": [0, max(1, counts.max()) * 1.08]},
        yaxis2={"domain": [share, 1], "anchor": "x", "range": [len(listed) + 0.5, 0.2], "visible": False},
    )
    if near.shuffled_best is not None:
        right = near.shuffled_best > low + 0.72 * (high + room - low) or near.scale.nearer < 0
        named = "" if phone else f"best match<br>by chance: {near.best_text}"
        _chance(figure, near.shuffled_best, 0.55 * share, theme, right=right, named=named)
    if not phone:
        named = f"all {near.compared:,}<br>other {near.noun}s"
        far = near.scale.nearer < 0  # the other words lie on the right
        at, paper = (near.percentiles[2], "y") if far else (0, "xy")
        label(figure, named, at, share * 0.75, theme.muted, paper=paper, xanchor="left")
    return figure


def _ticks(low: float, high: float) -> list[float]:
    """Return at most seven round ticks from `low` to `high`. The space beyond `high` is for the words."""
    raw = max(high - low, 1e-9) / 6
    size = 10.0 ** np.floor(np.log10(raw))
    step = next(each * size for each in (1, 2, 5, 10) if each * size >= raw)
    return [round(float(at * step), 9) for at in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]


def _outline(counts: Any, edges: Any, theme: Theme) -> Any:
    import plotly.graph_objects as go

    heights = np.append(counts, counts[-1] if len(counts) else 0)
    return go.Scatter(
        x=edges,
        y=heights,
        mode="lines",
        line={"color": theme.muted, "width": 1, "shape": "hv"},
        fill="tozeroy",
        fillcolor=faded(theme.rest, 0.35),
        hovertemplate="%{y:,} words near %{x:.2f}<extra></extra>",
    )


def _chance(figure: go.Figure, best: float, up: float, theme: Theme, *, right: bool, named: str) -> None:
    """Draw a dotted line at `best`, the best match by chance, and the label `named` at height `up`.

    If `right`, the line is near the right edge of the figure, so the label is on its left; else on its right.
    """
    side, shift = ("right", -6) if right else ("left", 6)
    baseline(figure, theme, best)
    place: dict[str, Any] = {"xanchor": side, "xshift": shift, "align": side}
    label(figure, named, best, up, theme.muted, paper="y", yanchor="middle", bgcolor=theme.bg, **place)


def _dots(near: Neighborhood, listed: Sequence[Neighbor], names: Sequence[str], theme: Theme) -> go.Scatter:
    import plotly.graph_objects as go

    known = near.frequency
    often = [f"{known.title} {value:,}" for value in known.values] if known else [""] * len(listed)
    lines = f"<b>%{{customdata[0]}}</b><br>{near.scale.unit} %{{x:.2f}}; random word {number(near.mean)}"
    more = "<br>%{customdata[1]}" if known else ""
    return go.Scatter(
        x=[neighbor.similarity for neighbor in listed],
        y=[neighbor.rank for neighbor in listed],
        yaxis="y2",
        mode="markers",
        marker={"size": 10, "color": theme.categorical[0], "opacity": 1},
        cliponaxis=False,
        customdata=list(zip(names, often, strict=False)),
        hovertemplate=f"{lines}{more}<extra></extra>",
    )


def _name(figure: go.Figure, near: Neighborhood, names: Sequence[str], theme: Theme) -> None:
    """Write each word with its value beside its dot, on the background color, so that no line runs through it."""
    placing: dict[str, Any] = {"yref": "y2", "xanchor": "left", "xshift": 9, "bgcolor": theme.bg, "borderpad": 0}
    for name, one, value in zip(names, near.neighbors, near.value_texts, strict=False):
        text = f"{name}  <span style='color:{theme.muted}'>{value}</span>"
        label(figure, text, one.similarity, one.rank, theme.ink, 14, **placing)


def _query(words: Sequence[str]) -> str:
    """Return the words of a query in quotes, for the title of an axis.

    Several words with more than `_LONGEST_QUERY` characters are replaced by their number.
    """
    written = in_quotes([short(word) for word in words])
    return written if len(words) == 1 or len(written) <= _LONGEST_QUERY else f"these {len(words)} words"


def nearest_figure(lists: KOccurrences, word: str | None, row: int, theme: Theme) -> go.Figure:
    """Draw the histogram of the metric's value between each word and its nearest neighbor, with its median.

    Args:
        word: The word to mark; None for no word.
        row: Row of this word. Without a list of neighbors for this row, the word is not marked.
    """
    import plotly.graph_objects as go

    finite = lists.nearest[np.isfinite(lists.nearest)]
    counts, edges = np.histogram(finite, 40)
    figure = go.Figure(layout=layout(theme, height=190, top=28))
    figure.add_bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=counts,
        marker={"color": theme.rest},
        hovertemplate="%{y:,} words near %{x:.2f}<extra></extra>",
    )
    figure.update_layout(bargap=0.1, yaxis={"visible": False}, xaxis={"nticks": 5})
    middle = float(np.median(finite))
    own = lists.nearest_of(row) if word else None
    left = own is not None and own < middle
    baseline(figure, theme, middle, f"median {number(middle)}", "left" if left else "right")
    if word is None or own is None:
        return figure
    blue = {"color": theme.categorical[0], "width": 2}
    figure.add_shape(type="line", x0=own, x1=own, y0=0, y1=1, yref="paper", line=blue)
    text, side = f"{short(word)} {number(own)}", "right" if left else "left"
    label(figure, text, own, 1, theme.categorical_labels[0], paper="y", xanchor=side, yanchor="bottom")
    return figure


def bars_figure(near: Neighborhood, theme: Theme) -> go.Figure:
    """Draw a few neighbors as bars with the best match by chance: a small preview for the page Start."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=34 * len(near.neighbors) + 28, left=92, bottom=26))
    names = [short(name, 14) for name in near.display_names]
    places = list(range(len(names)))
    values = [neighbor.similarity for neighbor in near.neighbors]
    figure.add_bar(
        x=values,
        y=places,
        orientation="h",
        marker={"color": theme.categorical[0], "cornerradius": 4},
        width=0.28,
        text=[number(value) for value in values],
        textposition="outside",
        constraintext="none",
        textfont={"size": 13, "color": theme.muted},
        cliponaxis=False,
        hoverinfo="skip",
    )
    figure.update_layout(
        yaxis={
            "autorange": "reversed",
            "tickmode": "array",
            "tickvals": places,
            "ticktext": names,
            "showgrid": False,
            "tickfont": {"size": 14, "color": theme.ink},
        },
        xaxis={"visible": False, "range": [0, 1.25 * max([*values, near.shuffled_best or 0, 0.01])]},
    )
    if near.shuffled_best is not None:
        text = f"chance reaches {number(near.shuffled_best)}"
        baseline(figure, theme, near.shuffled_best)
        label(figure, text, near.shuffled_best, 0, theme.muted, paper="y", xanchor="center", yanchor="top")
    return figure
