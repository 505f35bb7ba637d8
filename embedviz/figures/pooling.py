"""Figures of poolings: a pair of sentences beside random pairs, and scored pairs by layer, pooling and correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import number, share
from embedviz.figures.matrix import written
from embedviz.figures.style import axis_title, baseline, label, layout, rectangle

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.contextual.pooled import PoolingCosine as Beside
    from embedviz.contextual.sentence_pairs import PairRow, PairScores
    from embedviz.figures.theme import Theme

_ROW = 52
_CELL = 34
_GAP = 0.03  # of the width, between poolings
_NAMES = 112  # pixels of the names of corrections
_SHORT = {"none": "no correction", "abtt": "all but the top"}


def beside_figure(found: Sequence[Beside], theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw for each pooling the pair's cosine, over the band of 95 % of random pairs and a dotted tick, their mean.

    A pooling by which all sentences have one cosine is named and not drawn.
    """
    import plotly.graph_objects as go

    left, right = (104, 84) if phone else (132, 150)
    figure = go.Figure(layout=layout(theme, height=_ROW * len(found) + 48, left=left, right=right, bottom=44))
    places = range(len(found))
    for place, one in zip(places, found, strict=True):
        if one.constant:
            continue
        rectangle(figure, (one.low, max(one.high, one.low + 0.004)), theme.grid, (place - 0.24, place + 0.24))
        baseline(figure, theme, one.mean, rows=(place - 0.32, place + 0.32), layer="above")
    drawn = [(place, one) for place, one in zip(places, found, strict=True) if not one.constant]
    figure.add_scatter(
        x=[one.cosine for _, one in drawn],
        y=[place for place, _ in drawn],
        mode="markers",
        marker={"size": 12, "color": theme.categorical[0], "opacity": 1},
        customdata=[
            (one.title, number(one.cosine), number(one.mean), number(one.low), number(one.high), share(one.below))
            for _, one in drawn
        ],
        hovertemplate=(
            "<b>%{customdata[0]}</b><br>cosine %{customdata[1]}, nearer than %{customdata[5]} of random pairs"
            "<br>random pair %{customdata[2]} (95\u00a0%: %{customdata[3]} to %{customdata[4]})<extra></extra>"
        ),
        cliponaxis=False,
    )
    for place, one in zip(places, found, strict=True):
        said = ("all alike" if phone else "the same for all") if one.constant else f"<b>{number(one.cosine)}</b>"
        if not phone and not one.constant:
            said += f" · random {number(one.mean)}"
        label(
            figure,
            said,
            1,
            place,
            theme.muted if one.constant else theme.ink,
            size=12 if phone and one.constant else 14,
            paper="x",
            xanchor="left",
            xshift=12,
        )
    least = min([0.0, *(min(one.low, one.cosine) for _, one in drawn)])
    figure.update_layout(
        xaxis={"range": [least - 0.02, 1.01], "nticks": 6, "title": axis_title("cosine", theme)},
        yaxis={
            "range": [len(found) - 0.5, -0.5],
            "tickmode": "array",
            "tickvals": [*places],
            "ticktext": [_named(one) for one in found],
            "tickfont": {"size": 13 if phone else 14, "color": theme.ink},
            "showgrid": False,
        },
    )
    return figure


def _named(one: Beside) -> str:
    return one.title if one.layer is None else f"{one.title}, layer {one.layer}"


def scores_figure(
    found: PairScores, theme: Theme, *, held_out: bool = False, pooling: str = "", phone: bool = False
) -> go.Figure:
    """Draw Spearman's ρ in a cell for each layer (row), pooling and correction (columns); pale is within chance.

    Args:
        held_out: Whether corrections are those fitted to the other half.
        pooling: Which one is drawn on a phone.
    """
    import plotly.graph_objects as go

    blocks = _blocks(found)
    if phone:
        blocks = [block for block in blocks if pooling in {row.pooling for row in block}] or blocks[:1]
    corrections = list(dict.fromkeys(row.correction for row in found.rows))
    deepest = max(len(_lines(block)) for block in blocks)
    left = 76 if phone else 60
    height = _CELL * deepest + _NAMES + 40
    figure = go.Figure(layout=layout(theme, height=height, left=left, right=0, top=30, bottom=_NAMES))
    values = [each.spearman for row in found.rows if (each := row.setting(held_out)) is not None]
    low = found.chance
    high = max([low + 0.05, *values])
    width = (1 - _GAP * (len(blocks) - 1) - (0.09 if len(blocks) > 1 else 0)) / len(blocks)
    start = 0.0
    for place, block in enumerate(blocks, 1):
        several = block[0].layer is None
        if several and len(blocks) > 1:
            start += 0.09
        _add_block(
            figure, block, corrections, place, (start, min(1.0, start + width)), (low, high), held_out, deepest, theme
        )
        title = "Several layers" if several else _title(block)
        label(
            figure,
            f"<b>{title}</b>",
            start,
            1,
            theme.ink,
            size=14,
            paper="xy",
            xanchor="left",
            yanchor="bottom",
            yshift=6,
        )
        start += width + _GAP
    return figure


def _blocks(found: PairScores) -> list[list[PairRow]]:
    """Return the rows by pooling, those of several layers together."""
    names = dict.fromkeys(row.pooling if row.layer is not None else "" for row in found.rows)
    return [[row for row in found.rows if (row.pooling if row.layer is not None else "") == name] for name in names]


def _lines(block: Sequence[PairRow]) -> list[tuple[int | None, str]]:
    return list(dict.fromkeys((row.layer, row.pooling) for row in block))


def _title(block: Sequence[PairRow]) -> str:
    return block[0].way.title.partition(",")[0]


def _add_block(
    figure: Any,
    block: Sequence[PairRow],
    corrections: Sequence[str],
    place: int,
    across: tuple[float, float],
    scale: tuple[float, float],
    held_out: bool,
    deepest: int,
    theme: Theme,
) -> None:
    """Draw one pooling's cells, the last layer on top; `deepest` cells are as high as the figure."""
    lines = _lines(block)
    several = block[0].layer is None
    cells = np.full((len(lines), len(corrections)), np.nan)
    hovers = [["" for _ in corrections] for _ in lines]
    for row in block:
        at, column = lines.index((row.layer, row.pooling)), corrections.index(row.correction)
        told = row.setting(held_out)
        hovers[at][column] = row.title
        if told is not None:
            cells[at, column] = told.spearman
            hovers[at][column] += f"<br>ρ {number(told.spearman)} ({number(told.low)} to {number(told.high)})"
    axes = {"xaxis": f"x{place if place > 1 else ''}", "yaxis": f"y{place if place > 1 else ''}"}
    colors = list(zip(np.linspace(0, 1, len(theme.sequential)).tolist(), theme.sequential, strict=True))
    figure.add_heatmap(
        z=cells,
        zmin=scale[0],
        zmax=scale[1],
        colorscale=colors,
        showscale=False,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        customdata=hovers,
        hovertemplate=f"<b>%{{customdata}}</b><br>shuffled scores below {number(scale[0])}<extra></extra>",
        **axes,
    )
    text = written(np.clip(cells, *scale), figure.data[-1], theme, 13)
    known = cells[np.isfinite(cells)]
    text.text = [number(value) for value in known]
    figure.add_trace(text.update(**axes))
    names = [_titled(row, several) for row in (_first(block, line) for line in lines)]
    axis = {
        "tickmode": "array",
        "tickfont": {"size": 13, "color": theme.ink},
        "showgrid": False,
        "showline": False,
        "ticks": "",
        "zeroline": False,
        "fixedrange": True,
    }
    number_of = "" if place == 1 else str(place)
    figure.update_layout(
        {
            f"xaxis{number_of}": {
                **axis,
                "domain": across,
                "anchor": axes["yaxis"],
                "tickvals": [*range(len(corrections))],
                "ticktext": [_SHORT.get(name) or _correction(block, name) for name in corrections],
                "tickangle": -90,
                "range": [-0.5, len(corrections) - 0.5],
            },
            f"yaxis{number_of}": {
                **axis,
                "anchor": axes["xaxis"],
                "tickvals": [*range(len(lines))],
                "ticktext": names,
                "showticklabels": place == 1 or several,
                "range": [-0.5, len(lines) - 0.5],
                "domain": (1 - len(lines) / deepest, 1),
            },
        }
    )


def _first(block: Sequence[PairRow], line: tuple[int | None, str]) -> PairRow:
    return next(row for row in block if (row.layer, row.pooling) == line)


def _titled(row: PairRow, several: bool) -> str:
    return row.way.title if several else f"layer {row.layer}"


def _correction(block: Sequence[PairRow], name: str) -> str:
    row = next(row for row in block if row.correction == name)
    return row.title.rpartition(", ")[2]
