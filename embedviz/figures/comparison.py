"""Figures of two spaces and of a timeline: neighbors kept, a word's change at each step, and the path of a word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from embedviz.core.phrases import number, number_in, share, without_common_start
from embedviz.figures.placing import along, name_sides
from embedviz.figures.style import axis_title, band, dotted, faded, label, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.geometry.comparison import Overlap, Timeline, TimelinePath

_HEIGHT = 300
_STEPS = 260
_PATH = 440


def overlap_figure(found: Overlap, theme: Theme, *, chosen: int | None = None, phone: bool = False) -> go.Figure:
    """Draw how many words keep 0, 1, … k of their k nearest neighbors; the dotted line is for two unrelated spaces.

    Args:
        chosen: Number of kept neighbors whose bar is highlighted; None highlights all bars.
    """
    import plotly.graph_objects as go

    counts, k, expected = found.histogram.tolist(), found.k, found.by_chance.tolist()
    nouns = f"{found.shared.noun}s"
    figure = go.Figure(layout=layout(theme, height=_HEIGHT, top=30, left=44))
    colors = [theme.categorical[0] if chosen in (None, common) else theme.rest for common in range(k + 1)]
    figure.add_bar(
        x=list(range(k + 1)),
        y=counts,
        marker={"color": colors},
        customdata=[
            [share(count / len(found.looked)), number(chance)] for count, chance in zip(counts, expected, strict=True)
        ],
        hovertemplate="<b>%{x} of " + str(k) + f" kept</b><br>%{{y:,}} {nouns}, %{{customdata[0]}}<br>"
        f"unrelated spaces: %{{customdata[1]}} {nouns}<extra></extra>",
    )
    most = max(expected)
    top = 1.08 * max(*counts, most) if most < 1.6 * max(counts) else 1.3 * max(counts)
    drawn = [min(each, 0.96 * top) for each in expected]
    figure.add_scatter(
        x=[-0.5, *(place - 0.5 for place in range(k + 2))],
        y=[0, *drawn, drawn[-1]],
        mode="lines",
        line=dotted(theme, shape="hv"),
        hoverinfo="skip",
    )
    every = 1 if k <= (12 if phone else 24) else -(-k // 10)
    figure.update_layout(
        bargap=0.12,
        clickmode="event+select",
        xaxis={
            "tickmode": "array",
            "tickvals": list(range(0, k + 1, every)),
            "range": [-0.6, k + 0.6],
            "title": axis_title(f"neighbors kept, of {k}", theme),
        },
        yaxis={"range": [0, top], "tickformat": ",d"},
    )
    _name_unrelated(figure, expected, top, nouns, theme)
    label(
        figure,
        f"number of {nouns}, of {len(found.looked):,} compared",
        0,
        1,
        theme.muted,
        paper="xy",
        xanchor="left",
        yanchor="bottom",
    )
    return figure


def _name_unrelated(figure: Any, expected: Sequence[float], top: float, nouns: str, theme: Theme) -> None:
    """Write the name of the dotted line, which shows two unrelated spaces, at its peak.

    If the figure cuts off the peak, also write how high it is.
    """
    most = max(expected)
    peak = expected.index(most)
    right = peak < 0.6 * (len(expected) - 1)
    side = "left" if right else "right"
    beyond = f"<br>↑ its full height: {most:,.0f} {nouns}" if most > top else ""
    x, y = peak + (0.6 if right else -0.6), min(most, 0.97 * top)
    text = f"dotted: two unrelated spaces{beyond}"
    label(figure, text, x, y, theme.muted, xanchor=side, yanchor="top", align=side)


def steps_figure(found: Timeline, measure: str, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw how much a word has changed at each step of the timeline, over a band of all words.

    Args:
        measure: *cosine*: the word's cosine with its vector at the first step. *overlap*: the share of its nearest
            neighbors at the first step that it keeps.
    """
    import plotly.graph_objects as go

    names = without_common_start([step.name for step in found.steps])
    names = [short(name, 10 if phone or len(names) > 8 else 18) for name in names]
    across = step_places(found)
    bands = [
        (across[place], names[place], one)
        for place, step in enumerate(found.steps)
        if (one := getattr(step, measure)) is not None
    ]
    begin = across[[step.name for step in found.steps].index(found.first)]
    figure = go.Figure(layout=layout(theme, height=_STEPS, top=24, left=60, right=66 if phone else 92, bottom=30))
    places = [place for place, _, _ in bands]
    style = {"mode": "lines" if len(bands) > 1 else "markers", "line": {"width": 0, "color": theme.rest}}
    lows, highs = [each.low for _, _, each in bands], [each.high for _, _, each in bands]
    band(figure, places, lows, highs, faded(theme.rest, 0.4), **style, marker={"color": theme.rest})
    figure.add_scatter(
        x=places,
        y=[one.median for _, _, one in bands],
        mode="lines+markers" if len(bands) == 1 else "lines",
        line=dotted(theme),
        hoverinfo="skip",
    )
    say = share if measure == "overlap" else number
    _word_line(figure, bands, say, theme)
    _first_point(figure, begin, found.first, say, theme)
    lows = [min(one.value, one.low) for _, _, one in bands]
    labelled = _apart(across, 4 if phone else 8)
    span = across[-1] - across[0] or 1.0
    figure.update_layout(
        xaxis={
            "tickmode": "array",
            "tickvals": [across[place] for place in labelled],
            "ticktext": [names[place] for place in labelled],
            "range": [across[0] - 0.06 * span, across[-1] + 0.06 * span],
        },
        yaxis={
            "range": [min([-0.08, *(low - 0.12 for low in lows)]), 1.08],
            "tickvals": [0, 0.5, 1],
            "ticktext": [say(each) for each in (0, 0.5, 1)] if measure == "overlap" else ["0", "0.5", "1"],
            "title": axis_title("neighbors kept" if measure == "overlap" else "cosine with itself", theme, 6),
        },
    )
    if bands:
        for text, at in (
            ("median", bands[-1][2].median),
            ("middle<br>90\u00a0%" if phone else "middle 90\u00a0%", bands[-1][2].high),
        ):
            label(figure, text, 1, at, theme.muted, paper="x", xanchor="left", xshift=-8)
    return figure


def _word_line(figure: Any, bands: Sequence[tuple[float, str, Any]], say: Any, theme: Theme) -> None:
    """Draw the word's own cosine or overlap at each step as a line."""
    figure.add_scatter(
        x=[place for place, _, _ in bands],
        y=[one.value for _, _, one in bands],
        mode="lines+markers+text",
        line={"color": theme.categorical[0], "width": 2},
        marker={"size": 9, "opacity": 1, "color": theme.categorical[0]},
        text=[say(one.value) for _, _, one in bands],
        textposition=["bottom center" if 0.1 < one.value < one.median else "top center" for _, _, one in bands],
        textfont={"size": 14, "color": theme.categorical_labels[0]},
        cliponaxis=False,
        customdata=[[name, say(one.median), say(one.low), say(one.high)] for _, name, one in bands],
        hovertemplate="<b>%{customdata[0]}</b><br>%{text}<br>all words %{customdata[1]}, 9 in 10: "
        "%{customdata[2]} to %{customdata[3]}<extra></extra>",
    )


def _first_point(figure: Any, begin: float, first: str, say: Any, theme: Theme) -> None:
    """Draw the step with which all others are compared."""
    figure.add_scatter(
        x=[begin],
        y=[1.0],
        mode="markers+text",
        marker={"size": 9, "opacity": 1, "symbol": "circle-open", "color": theme.categorical[0], "line": {"width": 2}},
        text=[say(1.0)],
        textposition="middle right",
        textfont={"size": 14, "color": theme.categorical_labels[0]},
        cliponaxis=False,
        hovertemplate=f"<b>{short(first, 18)}</b><br>{say(1.0)}: it is compared with itself<extra></extra>",
    )


def step_places(found: Timeline) -> list[float]:
    """Return the x position of each step: the number in its name if these numbers rise, else 0, 1, 2, …."""
    numbers = [number_in(step.name) for step in found.steps]
    if all(numbers):
        values = [float(each) for each in numbers]
        if all(one < other for one, other in pairwise(values)):
            return values
    return [float(place) for place in range(len(numbers))]


def _apart(across: Sequence[float], most: int) -> list[int]:
    """Return the steps whose ticks are labelled: the last step, and earlier steps that leave room for labels.

    Two labelled steps are at least the whole width ÷ `most` apart.
    """
    room = (across[-1] - across[0]) / most
    labelled = [len(across) - 1]
    for place in range(len(across) - 2, -1, -1):
        if across[labelled[-1]] - across[place] >= room:
            labelled.append(place)
    return labelled[::-1]


def path_figure(path: TimelinePath, word: str, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw a word at all steps as a path among its neighbors. The neighbors have their positions in the last space."""
    import plotly.graph_objects as go

    height = 330 if phone else _PATH
    figure = go.Figure(layout=layout(theme, height=height, top=12, left=8, right=8, bottom=44))
    named = _named(path, (340, height - 56) if phone else (760, height - 56))
    own = named[len(path.around) :]
    figure.add_scatter(
        x=[spot.x for spot in path.around],
        y=[spot.y for spot in path.around],
        mode="markers+text",
        marker={"size": 6, "color": theme.rest, "opacity": 1, "line": {"width": 1, "color": theme.bg}},
        zorder=1,
        text=[_apart_from(short(spot.label, 16), side) for spot, side in zip(path.around, named, strict=False)],
        textposition=[side or "top center" for side in named[: len(path.around)]],
        textfont={"size": 12 if phone else 13, "color": theme.muted},
        customdata=[short(spot.label) for spot in path.around],
        hovertemplate="%{customdata}<extra></extra>",
    )
    blue, label = theme.categorical[0], theme.categorical_labels[0]
    figure.add_scatter(
        x=[spot.x for spot in path.steps],
        y=[spot.y for spot in path.steps],
        mode="lines+markers+text",
        line={"color": blue, "width": 2},
        marker={"size": 9, "color": blue, "opacity": 1},
        text=[f"<b>{name}</b>" if side else "" for name, side in zip(_step_names(path), own, strict=True)],
        textposition=[side or "bottom center" for side in own],
        textfont={"size": 13 if phone else 14, "color": label},
        customdata=[short(f"{word} {spot.label}", 40) for spot in path.steps],
        hovertemplate="<b>%{customdata}</b><extra></extra>",
    )
    spots = (*path.around, *path.steps)
    wide = max(spot.x for spot in spots) - min(spot.x for spot in spots) or 1.0
    room = 0.14 * wide
    axis = {"showgrid": False, "showline": False, "showticklabels": False, "ticks": "", "zeroline": False}
    figure.update_layout(
        xaxis={
            **axis,
            "range": [min(spot.x for spot in spots) - room, max(spot.x for spot in spots) + room],
            "title": axis_title("direction 1", theme),
            "constrain": "domain",
        },
        yaxis={
            **axis,
            "scaleanchor": "x",
            "title": axis_title("direction 2", theme),
        },
    )
    return figure


def _apart_from(name: str, side: str) -> str:
    """Return a name with a blank that keeps the name off its point; an empty string if `side` is empty.

    `side` is Plotly's text position of the name, such as "middle right".
    """
    if not side:
        return ""
    return f"\u00a0{name}" if side.endswith("right") else f"{name}\u00a0" if side.endswith("left") else name


def _named(path: TimelinePath, size: tuple[int, int]) -> list[str]:
    """Return a text position for the name of each word, then of each step; empty for a name without room.

    No names overlap. The last and the first step are placed first, then the other steps, then the words.

    Args:
        size: Width and height of the plot, in pixels.
    """
    spots = (*path.around, *path.steps)
    wide = max(spot.x for spot in spots) - min(spot.x for spot in spots)
    tall = max(spot.y for spot in spots) - min(spot.y for spot in spots)
    scale = min(size[0] / (1.28 * wide or 1.0), size[1] / (1.1 * tall or 1.0))
    points = [(scale * spot.x, scale * spot.y) for spot in spots]
    begin = len(path.around)
    widths = [7.0 * min(len(spot.label), 16) for spot in path.around]
    widths += [8.4 * len(name) for name in _step_names(path)]
    lines = [box for ends in pairwise(points[begin:]) for box in along(*ends)]
    order = dict.fromkeys([len(spots) - 1, *range(begin, len(spots)), *range(begin)])
    return name_sides(points, widths, list(order), lines)


def _step_names(path: TimelinePath) -> list[str]:
    """Return the names of the steps without their common beginning, shortened to 12 letters."""
    return [short(name, 12) for name in without_common_start([spot.label for spot in path.steps])]
