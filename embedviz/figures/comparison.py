"""Figures of two spaces, and of one word through many: kept neighbors, steps beside all words, the path of a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from embedviz.figures.style import layout, short
from embedviz.saying import number, share

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.comparison import Overlap, Path, Timeline
    from embedviz.figures.theme import Theme

_HEIGHT = 300
_STEPS = 260


def overlap_figure(found: Overlap, theme: Theme, *, chosen: int | None = None, phone: bool = False) -> go.Figure:
    """How many words keep 0, 1, … k of their k nearest, beside what two unrelated spaces give.

    Args:
        chosen: A bar that stands out, by the neighbors its words keep.
    """
    import plotly.graph_objects as go

    counts, k = found.histogram.tolist(), found.k
    figure = go.Figure(layout=layout(theme, height=_HEIGHT, top=30, left=44))
    colors = [theme.categorical[0] if chosen in (None, kept) else theme.rest for kept in range(k + 1)]
    figure.add_bar(
        x=list(range(k + 1)),
        y=counts,
        marker={"color": colors},
        customdata=[[share(count / len(found.looked)), number(chance)] for count, chance in _beside(found)],
        hovertemplate="<b>%{x} of " + str(k) + " kept</b><br>%{y:,} words, %{customdata[0]}<br>"
        "unrelated spaces: %{customdata[1]} words<extra></extra>",
    )
    edges = [place - 0.5 for place in range(k + 2)]
    expected = found.by_chance.tolist()
    figure.add_scatter(
        x=edges,
        y=[*expected, expected[-1]],
        mode="lines",
        line={"color": theme.ink, "width": 1.25, "dash": "dot", "shape": "hv"},
        hoverinfo="skip",
    )
    highest = max(*counts, *expected)
    every = 1 if k <= (12 if phone else 24) else -(-k // 10)
    figure.update_layout(
        bargap=0.12,
        clickmode="event+select",
        xaxis={
            "tickmode": "array",
            "tickvals": list(range(0, k + 1, every)),
            "range": [-0.6, k + 0.6],
            "title": _title(f"of its {k} nearest, a word keeps", theme),
        },
        yaxis={"range": [0, 1.08 * highest], "tickformat": ",d"},
    )
    peak = max(range(k + 1), key=lambda kept: expected[kept])
    if not phone:
        right = peak < 0.6 * k
        figure.add_annotation(
            x=peak + (0.6 if right else -0.6),
            y=expected[peak],
            text="dotted: two unrelated spaces",
            showarrow=False,
            xanchor="left" if right else "right",
            yanchor="bottom",
            font={"size": 13, "color": theme.muted},
            bgcolor=theme.bg,
        )
    figure.add_annotation(
        x=1,
        xref="paper",
        y=1,
        yref="paper",
        text=f"words (of {len(found.looked):,})",
        showarrow=False,
        xanchor="right",
        yanchor="bottom",
        font={"size": 13, "color": theme.muted},
    )
    return figure


def _beside(found: Overlap) -> list[tuple[int, float]]:
    return list(zip(found.histogram.tolist(), found.by_chance.tolist(), strict=True))


def steps_figure(found: Timeline, measure: str, theme: Theme, *, phone: bool = False) -> go.Figure:
    """A word's cosine with itself, or the neighbors it keeps, step by step, over the band of all words.

    Args:
        measure: *cosine* or *overlap*.
    """
    import plotly.graph_objects as go

    names = [short(step.name, 10 if phone or len(found.steps) > 8 else 18) for step in found.steps]
    bands = [(place, band) for place, step in enumerate(found.steps) if (band := getattr(step, measure)) is not None]
    figure = go.Figure(layout=layout(theme, height=_STEPS, top=16, left=44, right=52, bottom=30))
    places = [place for place, _ in bands]
    figure.add_scatter(
        x=[*places, *reversed(places)],
        y=[*(band.high for _, band in bands), *(band.low for _, band in reversed(bands))],
        mode="lines" if len(bands) > 1 else "markers",
        fill="toself",
        fillcolor=_faded(theme.rest, 0.4),
        line={"width": 0, "color": theme.rest},
        marker={"color": theme.rest},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=places,
        y=[band.median for _, band in bands],
        mode="lines+markers" if len(bands) == 1 else "lines",
        line={"color": theme.ink, "width": 1.25, "dash": "dot"},
        hoverinfo="skip",
    )
    say = share if measure == "overlap" else number
    figure.add_scatter(
        x=places,
        y=[band.value for _, band in bands],
        mode="lines+markers+text",
        line={"color": theme.categorical[0], "width": 2},
        marker={"size": 9, "opacity": 1, "color": theme.categorical[0]},
        text=[say(band.value) for _, band in bands],
        textposition=["bottom center" if band.value < band.median else "top center" for _, band in bands],
        textfont={"size": 14, "color": theme.categorical_labels[0]},
        cliponaxis=False,
        customdata=[[names[place], say(band.median), say(band.low), say(band.high)] for place, band in bands],
        hovertemplate="<b>%{customdata[0]}</b><br>%{text}<br>all words %{customdata[1]}, 90 %: %{customdata[2]} to "
        "%{customdata[3]}<extra></extra>",
    )
    lows = [min(band.value, band.low) for _, band in bands]
    every = -(-len(names) // (4 if phone else 8))
    figure.update_layout(
        xaxis={
            "tickmode": "array",
            "tickvals": list(range(0, len(names), every)),
            "ticktext": names[::every],
            "range": [-0.3, len(names) - 0.7],
        },
        yaxis={"range": [min(-0.08, *(low - 0.12 for low in lows)), 1.05], "nticks": 4},
    )
    if bands:
        for text, at in (("all words", bands[-1][1].median), ("90\u00a0%", bands[-1][1].high)):
            figure.add_annotation(
                x=1,
                xref="paper",
                y=at,
                text=text,
                showarrow=False,
                xanchor="left",
                xshift=-18,
                font={"size": 13, "color": theme.muted},
            )
    return figure


def path_figure(path: Path, word: str, theme: Theme, *, phone: bool = False) -> go.Figure:
    """The word at each step among the words around it, these at their place in the last space."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=330 if phone else 460, top=12, left=8, right=8, bottom=44))
    figure.add_scatter(
        x=[spot.x for spot in path.around],
        y=[spot.y for spot in path.around],
        mode="markers+text",
        marker={"size": 5, "color": theme.rest, "opacity": 1},
        text=[short(spot.label, 16) for spot in path.around],
        textposition="top center",
        textfont={"size": 12 if phone else 13, "color": theme.muted},
        hoverinfo="skip",
    )
    blue, label = theme.categorical[0], theme.categorical_labels[0]
    figure.add_scatter(
        x=[spot.x for spot in path.steps],
        y=[spot.y for spot in path.steps],
        mode="lines+markers+text",
        line={"color": blue, "width": 2},
        marker={"size": 9, "color": blue, "opacity": 1},
        text=[f"<b>{short(word, 16)}</b> {short(spot.label, 16)}" for spot in path.steps],
        textposition="bottom center",
        textfont={"size": 13 if phone else 14, "color": label},
        hoverinfo="skip",
    )
    spots = (*path.around, *path.steps)
    wide = max(spot.x for spot in spots) - min(spot.x for spot in spots) or 1.0
    room = 0.14 * wide
    axis = {"showgrid": False, "showline": False, "showticklabels": False, "ticks": "", "zeroline": False}
    first, second = path.variance
    figure.update_layout(
        xaxis={
            **axis,
            "range": [min(spot.x for spot in spots) - room, max(spot.x for spot in spots) + room],
            "title": _title(f"direction 1 ({share(first, fine=True)} of variance)", theme),
            "constrain": "domain",
        },
        yaxis={
            **axis,
            "scaleanchor": "x",
            "title": _title(f"direction 2 ({share(second, fine=True)})", theme),
        },
    )
    return figure


def _title(text: str, theme: Theme) -> dict[str, Any]:
    return {"text": text, "standoff": 8, "font": {"size": 13, "color": theme.muted}}


def _faded(color: str, opacity: float) -> str:
    red, green, blue = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
