"""Figures of poolings: the cosine of two sentences with each pooling, and Spearman's ρ over pairs with scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from embedviz.core.phrases import number, share
from embedviz.figures.matrix import written
from embedviz.figures.style import axis_title, baseline, label, layout, rectangle

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.contextual.pooled import PoolingCosine
    from embedviz.contextual.sentence_pairs import PairRow, PairScores
    from embedviz.figures.theme import Theme

_ROW = 48
_CELL = 34
_GAP = 0.03  # share of the width, between poolings
_NAMES = 112  # height of the names of corrections, in pixels
_SHORT = {"none": "no correction", "abtt": "all but the top"}


def poolings_figure(found: Sequence[PoolingCosine], theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw the cosine of two sentences with each pooling, over the band of 95 % of random pairs.

    A dotted tick marks the mean of the random pairs. A pooling that gives all sentences equal cosines has a
    label but no mark.
    """
    import plotly.graph_objects as go

    left, right = (104, 84) if phone else (132, 150)
    figure = go.Figure(layout=layout(theme, height=_ROW * len(found) + 68, left=left, right=right, bottom=64))
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
            "<b>%{customdata[0]}</b><br>cosine %{customdata[1]}, above %{customdata[5]} of random pairs"
            "<br>random pair %{customdata[2]} (95\u00a0%: %{customdata[3]} to %{customdata[4]})<extra></extra>"
        ),
        cliponaxis=False,
    )
    _write_values(figure, found, theme, phone=phone)
    least = min([0.0, *(min(one.low, one.cosine) for _, one in drawn)])
    figure.update_layout(
        xaxis={"range": [least - 0.02, 1.01], "nticks": 6, "title": axis_title(_key(theme), theme)},
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


def _key(theme: Theme) -> str:
    """Return the title of the cosine axis, with a legend: band = 95 % of random pairs, dotted tick = their mean."""
    square = f'<span style="color:{theme.grid}">██</span>'
    return f"cosine<br>{square} 95\u00a0% of random pairs · dotted: their mean"


def _write_values(figure: Any, found: Sequence[PoolingCosine], theme: Theme, *, phone: bool) -> None:
    """Write each cosine, and the mean of random pairs, at the right of its row."""
    for place, one in enumerate(found):
        label_text = ("all equal" if phone else "equal for all") if one.constant else f"<b>{number(one.cosine)}</b>"
        if not one.constant:
            random = f"random {number(one.mean)}"
            label_text += f'<br><span style="font-size:12px">{random}</span>' if phone else f" · {random}"
        label(
            figure,
            label_text,
            1,
            place,
            theme.muted if one.constant else theme.ink,
            size=12 if phone and one.constant else 14,
            paper="x",
            xanchor="left",
            align="left",
            xshift=12,
        )


def _named(one: PoolingCosine) -> str:
    return one.title if one.layer is None else f"{one.title}, layer {one.layer}"


def scores_figure(
    found: PairScores, theme: Theme, *, held_out: bool = False, pooling: str = "", phone: bool = False
) -> go.Figure:
    """Draw Spearman's ρ as the color of a cell for each layer (row), pooling and correction (columns).

    Cells in the faintest color are within chance. The highest value of each pooling is written in its cell.

    Args:
        held_out: Whether to draw ρ with held-out corrections: those for one half of the pairs are fitted to the other
            half.
        pooling: The only pooling drawn on a phone; the first if there is none of this name.
    """
    import plotly.graph_objects as go

    blocks = _blocks(found)
    if phone:
        blocks = [block for block in blocks if pooling in {row.pooling for row in block}] or blocks[:1]
    corrections = list(dict.fromkeys(row.correction for row in found.rows if row.setting(held_out) is not None))
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
    """Return the rows grouped by pooling; all rows that use several layers form one group."""
    names = dict.fromkeys(row.pooling if row.layer is not None else "" for row in found.rows)
    return [[row for row in found.rows if (row.pooling if row.layer is not None else "") == name] for name in names]


def _lines(block: Sequence[PairRow]) -> list[tuple[int | None, str]]:
    return list(dict.fromkeys((row.layer, row.pooling) for row in block))


def _title(block: Sequence[PairRow]) -> str:
    return block[0].layer_pooling.title.partition(",")[0]


class _Cells(NamedTuple):
    """The cells of one pooling: rows by layer or name, columns by correction, with hover texts."""

    lines: list[tuple[int | None, str]]
    values: Any
    hovers: list[list[str]]


def _cells(block: Sequence[PairRow], corrections: Sequence[str], held_out: bool) -> _Cells:
    lines = _lines(block)
    values = np.full((len(lines), len(corrections)), np.nan)
    hovers = [["" for _ in corrections] for _ in lines]
    for row in block:
        if row.correction not in corrections:
            continue
        at, column = lines.index((row.layer, row.pooling)), corrections.index(row.correction)
        found = row.setting(held_out)
        hovers[at][column] = row.title
        if found is not None:
            values[at, column] = found.spearman
            hovers[at][column] += f"<br>ρ {number(found.spearman)} ({number(found.low)} to {number(found.high)})"
    return _Cells(lines, values, hovers)


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
    """Draw the cells of one pooling, the last layer on top; `deepest` rows fill the height of the figure."""
    cells = _cells(block, corrections, held_out)
    number_of = "" if place == 1 else str(place)
    axes = {"xaxis": f"x{number_of}", "yaxis": f"y{number_of}"}
    colors = list(zip(np.linspace(0, 1, len(theme.sequential)).tolist(), theme.sequential, strict=True))
    figure.add_heatmap(
        z=cells.values,
        zmin=scale[0],
        zmax=scale[1],
        colorscale=colors,
        showscale=False,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        customdata=cells.hovers,
        hovertemplate=f"<b>%{{customdata}}</b><br>shuffled scores below {number(scale[0])}<extra></extra>",
        **axes,
    )
    text = written(np.clip(cells.values, *scale), figure.data[-1], theme, 13)
    known = cells.values[np.isfinite(cells.values)]
    text.text = [number(value) if value == known.max() else "" for value in known]
    figure.add_trace(text.update(**axes))
    _block_axes(figure, block, corrections, cells.lines, axes, across, deepest, theme)


def _block_axes(
    figure: Any,
    block: Sequence[PairRow],
    corrections: Sequence[str],
    lines: Sequence[tuple[int | None, str]],
    axes: dict[str, str],
    across: tuple[float, float],
    deepest: int,
    theme: Theme,
) -> None:
    """Set the axes of one pooling, with the names of corrections below and of layers at the left."""
    several = block[0].layer is None
    axis = {
        "tickmode": "array",
        "tickfont": {"size": 13, "color": theme.ink},
        "showgrid": False,
        "showline": False,
        "ticks": "",
        "zeroline": False,
        "fixedrange": True,
    }
    below = {
        **axis,
        "domain": across,
        "anchor": axes["yaxis"],
        "tickvals": [*range(len(corrections))],
        "ticktext": [_SHORT.get(name) or _correction(block, name) for name in corrections],
        "tickangle": -90,
        "range": [-0.5, len(corrections) - 0.5],
    }
    left = {
        **axis,
        "anchor": axes["xaxis"],
        "tickvals": [*range(len(lines))],
        "ticktext": [_titled(_first(block, line), several) for line in lines],
        "showticklabels": axes["yaxis"] == "y" or several,
        "range": [-0.5, len(lines) - 0.5],
        "domain": (1 - len(lines) / deepest, 1),
    }
    names = {one: f"{one}{axes[one][1:]}" for one in ("xaxis", "yaxis")}
    figure.update_layout({names["xaxis"]: below, names["yaxis"]: left})


def _first(block: Sequence[PairRow], line: tuple[int | None, str]) -> PairRow:
    return next(row for row in block if (row.layer, row.pooling) == line)


def _titled(row: PairRow, several: bool) -> str:
    return row.layer_pooling.title if several else f"layer {row.layer}"


def _correction(block: Sequence[PairRow], name: str) -> str:
    row = next(row for row in block if row.correction == name)
    return row.title.rpartition(", ")[2]
