"""Figures of skip-gram: errors and moved vectors of one step, a word with its window, and the Huffman tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.figures.draft import Draft
from embedviz.figures.placing import along, name_sides
from embedviz.figures.style import layout, short

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme
    from embedviz.training.huffman import HuffmanTree
    from embedviz.training.learning_step import LearningStep, SkipgramModel


_PLANE = 330, 290  # least width and height of the plane of vectors in pixels


def step_figure(step: LearningStep, rate: float, groups: Sequence[int], theme: Theme, *, phone: bool = False) -> Draft:
    """Draw the error ŷ - y of each word that the step scores, and the vectors with arrows to where the step moves them.

    All steps have the same traces, so that a page can update one figure from step to step.

    Args:
        groups: Index of each word's color.
    """
    names = [short(step.model.words[row]) for row in step.rows]
    bars = {
        "type": "bar",
        "x": list(range(len(names))),
        "y": step.errors.round(4).tolist(),
        "marker": {"color": [theme.category(groups[row]) for row in step.rows]},
        "customdata": names,
        "hovertemplate": "%{customdata}: %{y:.3f}<extra></extra>",
    }
    box = layout(theme, height=720 if phone else 400, left=40, bottom=64, top=24)
    places = ([0.0, 1.0], [0.6, 1.0]), ([0.0, 1.0], [0.0, 0.4])
    (across, up), (other_across, other_up) = places if phone else (([0.0, 0.47], [0.0, 1.0]), ([0.53, 1.0], [0.0, 1.0]))
    ticks = {"tickvals": bars["x"], "ticktext": names, "tickangle": -60}
    box["xaxis"] = {**box["xaxis"], **ticks, "domain": across}
    title = {"text": "ŷ − y", "standoff": 4}
    box["yaxis"] = {**box["yaxis"], "range": [-1.05, 1.05], "title": title, "domain": up}
    plain = {"showgrid": False, "showticklabels": False, "showline": False, "ticks": "", "zeroline": True}
    plain |= {"zerolinecolor": theme.grid, "fixedrange": True}
    after = step.applied(rate)
    reach = _reach([*step.model.output, *after.output, step.model.input[step.center], after.input[step.center]])
    wide = reach * _PLANE[0] / _PLANE[1]
    box["xaxis2"] = {**plain, "domain": other_across, "anchor": "y2", "range": [-wide, wide]}
    box["yaxis2"] = {**plain, "domain": other_up, "anchor": "x2", "scaleanchor": "x2", "range": [-reach, reach]}
    figure = Draft(box)
    figure.data = [bars, *_vectors(step, after, groups, theme, _PLANE[1] / (2 * reach))]
    return figure


def _reach(points: Sequence[Any]) -> float:
    """Return half the height of a plane that holds the points, rounded up to a power of 1.25.

    Because of the rounding, the plane keeps its scale over many steps.
    """
    across, up = np.abs(np.asarray(points, np.float64)).max(axis=0)
    needed = 1.1 * max(up, across * _PLANE[1] / _PLANE[0], 1e-9)
    return float(1.25 ** np.ceil(np.log(needed) / np.log(1.25)))


def _vectors(
    step: LearningStep, after: SkipgramModel, groups: Sequence[int], theme: Theme, scale: float
) -> list[dict[str, Any]]:
    """Return the traces: output vectors as points; the center's input vector and the moves of all vectors as arrows.

    Args:
        after: The model after the step.
        scale: Least number of pixels per unit of the plane.
    """
    model = step.model
    text = [short(word) for word in model.words]
    own = model.input[step.center], after.input[step.center]
    center = f"v · {text[step.center]}"
    sides = _sides([*model.output, own[0]], [*text, center], [((0.0, 0.0), own[0]), own], scale)
    words = _named(
        model.output,
        [word if side else " " for word, side in zip(text, sides, strict=False)],  # "" would be lost in all later steps
        [side or "top center" for side in sides[:-1]],
        {"color": [theme.category(group) for group in groups], "size": 6},
        {"size": 12, "color": [theme.category_label(group) for group in groups]},
    )
    diamond = {"color": theme.ink, "size": 9, "symbol": "diamond"}
    middle = _named([own[0]], [center], [sides[-1] or "bottom center"], diamond, {"size": 13, "color": theme.ink})
    moves: list[tuple[str, list[Any]]] = [(theme.muted, [((0.0, 0.0), own[0])]), (theme.ink, [own])]
    for group in sorted(set(groups)):  # a group without scored words has no arrows
        rows = [row for row in step.rows if groups[row] == group]
        moves.append((theme.category(group), [(model.output[row], after.output[row]) for row in rows]))
    return [words, *(_arrows(color, each, scale) for color, each in moves), middle]


def _named(points: Any, names: list[str], sides: list[str], marker: Any, font: Any) -> dict[str, Any]:
    """Return a trace of points in the plane, with their names beside them."""
    return {
        "type": "scatter",
        "x": [round(float(point[0]), 4) for point in points],
        "y": [round(float(point[1]), 4) for point in points],
        "mode": "markers+text",
        "marker": marker,
        "text": names,
        "textposition": sides,
        "textfont": font,
        "hoverinfo": "skip",
        "cliponaxis": False,
        "xaxis": "x2",
        "yaxis": "y2",
    }


def _arrows(color: str, moves: Sequence[Any], scale: float) -> dict[str, Any]:
    """Return a trace of arrows in one color. A short arrow has a small head; a move of length 0 has no arrow."""
    lengths = [float(np.hypot(*np.subtract(end, start))) for start, end in moves]
    far = [move for move, length in zip(moves, lengths, strict=True) if length > 1e-3]
    heads = [min(10.0, max(4.0, 0.8 * scale * length)) for length in lengths if length > 1e-3]
    points = [point for start, end in far for point in (start, end, (None, None))]
    return {
        "type": "scatter",
        "x": [None if point[0] is None else round(float(point[0]), 4) for point in points],
        "y": [None if point[1] is None else round(float(point[1]), 4) for point in points],
        "mode": "lines+markers",
        "line": {"color": color, "width": 2},
        "marker": {
            "color": color,
            "symbol": "arrow",
            "angleref": "previous",
            "size": [size for head in heads for size in (0, round(head, 1), 0)],
            "opacity": 1,
        },
        "hoverinfo": "skip",
        "cliponaxis": False,
        "xaxis": "x2",
        "yaxis": "y2",
    }


def _sides(points: Sequence[Any], names: Sequence[str], arrows: Sequence[Any], scale: float) -> list[str]:
    """Return the text position of each name, in the order of `names`; empty for a name that has no room.

    The last name is placed before the others.
    """
    spots = np.asarray(points, np.float64)
    lines = [
        box
        for start, end in arrows
        for box in along((scale * np.asarray(start)).tolist(), (scale * np.asarray(end)).tolist())
    ]
    order = [len(names) - 1, *range(len(names) - 1)]
    return name_sides((scale * spots).tolist(), [6.6 * len(name) for name in names], order, lines)


def window_figure(words: Sequence[str], center: int, weights: Any, theme: Theme, *, phone: bool = False) -> Draft:
    """Draw a sentence as bars; the bar of a context word is as high as the probability that the window holds the word.

    Args:
        weights: The probability at distance 1, 2, ….
    """
    distances = [abs(place - center) for place in range(len(words))]
    heights = [1.0 if not far else float(weights[far - 1]) if far <= len(weights) else 0.0 for far in distances]
    colors = [theme.ink if not far else theme.categorical[0] for far in distances]
    figure = Draft(layout(theme, height=300, left=44, bottom=84, top=12))
    figure.add_trace(
        "bar",
        x=list(range(len(words))),
        y=heights,
        marker={"color": colors},
        text=[
            "" if phone else "center" if not far else f"{height:.2f}" if height else ""
            for far, height in zip(distances, heights, strict=True)
        ],
        textposition="inside",
        textangle=0,
        hoverinfo="skip",
    )
    names = [short(word, 14) for word in words]
    angle = -60 if len(words) > (6 if phone else 14) else 0
    ticks = {"tickvals": list(range(len(words))), "ticktext": names, "tickangle": angle, "tickfont": {"size": 14}}
    title = {"text": "P(in window)", "standoff": 4}
    figure.update_layout(xaxis=ticks, yaxis={"range": [0, 1.02], "title": title})
    return figure


def tree_figure(tree: HuffmanTree, word: str, theme: Theme) -> Any:
    """Draw how many decisions lead to each word, by how often the word occurs, with one word highlighted.

    The dotted line is -log2 of a word's share of all occurrences.
    """
    import plotly.graph_objects as go

    counts = np.asarray(tree.counts, np.float64)
    place = list(tree.words).index(word)
    figure = go.Figure(layout=layout(theme, height=360, left=44, top=12))
    line = np.geomspace(counts.min(), counts.max(), 60)
    line_style = {"color": theme.muted, "dash": "dot", "width": 1.5}
    figure.add_scatter(x=line, y=-np.log2(line / counts.sum()), mode="lines", line=line_style, hoverinfo="skip")
    figure.add_scatter(
        x=counts,
        y=tree.lengths,
        mode="markers",
        marker={"color": theme.categorical[0], "size": 7, "opacity": 0.6},
        customdata=[short(each) for each in tree.words],
        hovertemplate="%{customdata}: %{x:,} times, %{y} decisions<extra></extra>",
    )
    figure.add_scatter(
        x=[counts[place]],
        y=[tree.lengths[place]],
        mode="markers+text",
        marker={"color": theme.ink, "size": 11},
        text=[short(word)],
        textposition="top right" if counts[place] < np.sqrt(counts.min() * counts.max()) else "top left",
        textfont={"size": 15, "color": theme.ink},
        hoverinfo="skip",
    )
    figure.update_xaxes(type="log", title={"text": "count in the corpus"}, dtick=1)
    figure.update_yaxes(title={"text": "decisions", "standoff": 4}, rangemode="tozero")
    return figure
