"""Figures of skip-gram: the errors of one step beside the vectors that it moves, and a word with its window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.figures.placing import along, name_sides
from embedviz.figures.style import layout, short

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme
    from embedviz.training.huffman import HuffmanTree
    from embedviz.training.learning_step import LearningStep


_PLANE = 330, 290  # pixels that the plane of the vectors has at least


def step_figure(step: LearningStep, rate: float, groups: Sequence[int], theme: Theme, *, phone: bool = False) -> Any:
    """Draw ŷ - y of each scored word, and the vectors with arrows to where the step moves them.

    Args:
        groups: The number of the color of each word.
    """
    from plotly.subplots import make_subplots

    rows, columns = (2, 1) if phone else (1, 2)
    shown = make_subplots(rows, columns, horizontal_spacing=0.06, vertical_spacing=0.2)
    shown.update_layout(layout(theme, height=720 if phone else 400, left=40, bottom=64, top=24))
    names = [short(step.model.words[row]) for row in step.rows]
    colors = [theme.categorical[groups[row] % 8] for row in step.rows]
    shown.add_bar(
        x=list(range(len(names))),
        y=step.errors,
        marker={"color": colors},
        customdata=names,
        hovertemplate="%{customdata}: %{y:.3f}<extra></extra>",
        row=1,
        col=1,
    )
    shown.update_xaxes(tickvals=list(range(len(names))), ticktext=names, tickangle=-60, row=1, col=1)
    shown.update_yaxes(range=[-1.05, 1.05], title={"text": "ŷ − y", "standoff": 4}, row=1, col=1)
    _vectors(shown, step, rate, groups, theme, rows, columns)
    plain = {"showgrid": False, "showticklabels": False, "showline": False, "ticks": "", "zeroline": True}
    shown.update_xaxes(**plain, zerolinecolor=theme.grid, row=rows, col=columns)
    shown.update_yaxes(**plain, zerolinecolor=theme.grid, scaleanchor="x2", row=rows, col=columns)
    return shown


def _vectors(
    shown: Any, step: LearningStep, rate: float, groups: Sequence[int], theme: Theme, row: int, column: int
) -> None:
    """Add the output vectors as points, the input vector of the center as an arrow, and what moves."""
    model, place = step.model, {"row": row, "col": column}
    colors = [theme.categorical[group % 8] for group in groups]
    text = [short(word) for word in model.words]
    font = {"size": 12, "color": [theme.categorical_labels[group % 8] for group in groups]}
    after = step.applied(rate)
    own = model.input[step.center], after.input[step.center]
    sides = _sides([*model.output, own[0]], [*text, f"v · {text[step.center]}"], [((0.0, 0.0), own[0]), own])
    shown.add_scatter(
        x=model.output[:, 0],
        y=model.output[:, 1],
        mode="markers+text",
        marker={"color": colors, "size": 6},
        text=[word if side else "" for word, side in zip(text, sides, strict=False)],
        textposition=[side or "top center" for side in sides[:-1]],
        textfont=font,
        hoverinfo="skip",
        cliponaxis=False,
        **place,
    )
    moves = [(model.output[each], after.output[each], theme.categorical[groups[each] % 8]) for each in step.rows]
    for start, end, color in [((0.0, 0.0), own[0], theme.muted), (*own, theme.ink), *moves]:
        if float(np.hypot(*np.subtract(end, start))) > 1e-3:
            shown.add_annotation(
                x=end[0],
                y=end[1],
                ax=start[0],
                ay=start[1],
                xref="x2",
                yref="y2",
                axref="x2",
                ayref="y2",
                text="",
                showarrow=True,
                arrowhead=2,
                arrowwidth=2,
                arrowsize=0.9,
                arrowcolor=color,
            )
    shown.add_scatter(
        x=[own[0][0]],
        y=[own[0][1]],
        mode="markers+text",
        marker={"color": theme.ink, "size": 9, "symbol": "diamond"},
        text=[f"v · {text[step.center]}"],
        textposition=sides[-1] or "bottom center",
        textfont={"size": 13, "color": theme.ink},
        hoverinfo="skip",
        cliponaxis=False,
        **place,
    )


def _sides(points: Sequence[Any], names: Sequence[str], arrows: Sequence[Any]) -> list[str]:
    """Return the side of each name beside its point, the last one first; empty where it would cover another."""
    spots = np.asarray(points, np.float64)
    wide, tall = np.maximum(np.ptp(spots, axis=0), 1e-9)
    scale = min(_PLANE[0] / (1.1 * wide), _PLANE[1] / (1.1 * tall))
    lines = [box for start, end in arrows for box in along(scale * np.asarray(start), scale * np.asarray(end))]
    order = [len(names) - 1, *range(len(names) - 1)]
    return name_sides((scale * spots).tolist(), [6.6 * len(name) for name in names], order, lines)


def window_figure(words: Sequence[str], center: int, weights: Any, theme: Theme, *, phone: bool = False) -> Any:
    """Draw the words of a sentence, each context word as high as the probability that it is in the window.

    Args:
        weights: That probability at distance 1, 2, ….
    """
    import plotly.graph_objects as go

    distances = [abs(place - center) for place in range(len(words))]
    heights = [1.0 if not far else float(weights[far - 1]) if far <= len(weights) else 0.0 for far in distances]
    colors = [theme.ink if not far else theme.categorical[0] for far in distances]
    shown = go.Figure(layout=layout(theme, height=300, left=44, bottom=84, top=12))
    shown.add_bar(
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
    shown.update_xaxes(tickvals=list(range(len(words))), ticktext=names, tickangle=angle, tickfont={"size": 14})
    shown.update_yaxes(range=[0, 1.02], title={"text": "P(in window)", "standoff": 4})
    return shown


def tree_figure(tree: HuffmanTree, word: str, theme: Theme) -> Any:
    """Draw the decisions to each word by its count, one word in ink, with the line of -log2 of its share."""
    import plotly.graph_objects as go

    counts = np.asarray(tree.counts, np.float64)
    place = list(tree.words).index(word)
    shown = go.Figure(layout=layout(theme, height=360, left=44, top=12))
    line = np.geomspace(counts.min(), counts.max(), 60)
    line_style = {"color": theme.muted, "dash": "dot", "width": 1.5}
    shown.add_scatter(x=line, y=-np.log2(line / counts.sum()), mode="lines", line=line_style, hoverinfo="skip")
    shown.add_scatter(
        x=counts,
        y=tree.lengths,
        mode="markers",
        marker={"color": theme.categorical[0], "size": 7, "opacity": 0.6},
        customdata=[short(each) for each in tree.words],
        hovertemplate="%{customdata}: %{x:,} times, %{y} decisions<extra></extra>",
    )
    shown.add_scatter(
        x=[counts[place]],
        y=[tree.lengths[place]],
        mode="markers+text",
        marker={"color": theme.ink, "size": 11},
        text=[short(word)],
        textposition="top right" if counts[place] < np.sqrt(counts.min() * counts.max()) else "top left",
        textfont={"size": 15, "color": theme.ink},
        hoverinfo="skip",
    )
    shown.update_xaxes(type="log", title={"text": "count in the corpus"}, dtick=1)
    shown.update_yaxes(title={"text": "decisions", "standoff": 4}, rangemode="tozero")
    return shown
