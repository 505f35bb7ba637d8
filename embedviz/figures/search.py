"""Figures of the page Search: scores of the found texts with the best score by chance; accuracy of each method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from embedviz.core.phrases import number, share
from embedviz.figures.style import axis_title, baseline, layout, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.retrieval import Hits, Ranking
    from embedviz.retrieval.accuracy import Retrieval

_ROW = 34


def lifts_figure(found: Hits, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw the scores of each method on a common scale: 0 is a random text, 1 is the best score by chance.

    A method without hits, or without scores by chance, is left out.
    """
    import plotly.graph_objects as go

    listed = [one for one in found.rankings.values() if one.hits and one.chance.lifts and one.chance.lifts[-1] > 0]
    figure = go.Figure(layout=layout(theme, height=_ROW * len(listed) + 66, left=64, top=22))
    for place, one in enumerate(listed):
        figure.add_trace(_strip(one, place, theme))
    most = max([1.0, *(_lift(one, one.hits[0].score) for one in listed)])
    figure.update_layout(
        xaxis={
            "range": [0, 1.06 * most],
            "nticks": 4 if phone else 7,
            "title": axis_title(
                f"{'' if phone else 'score on a common scale: '}0 = random text, 1 = best score by chance", theme
            ),
        },
        yaxis={
            "range": [len(listed) - 0.4, -0.6],
            "tickmode": "array",
            "tickvals": list(range(len(listed))),
            "ticktext": [one.title for one in listed],
            "showgrid": False,
            "tickfont": {"size": 14, "color": theme.ink},
        },
    )
    _chance(figure, 1.0, "best score by chance", theme)
    return figure


def retrieval_figure(found: Retrieval, theme: Theme) -> go.Figure:
    """Draw the mean accuracy of each method with its 95 % interval, the best first; a dotted line marks chance."""
    import plotly.graph_objects as go

    names = found.ranked
    figure = go.Figure(layout=layout(theme, height=_ROW * len(names) + 50, left=64, top=22, bottom=28, right=44))
    blue = theme.categorical[0]
    for place, name in enumerate(names):
        low, high = found.interval(name)
        figure.add_shape(type="line", x0=low, x1=high, y0=place, y1=place, line={"color": blue, "width": 2})
    figure.add_trace(
        go.Scatter(
            x=[found.mean(name) for name in names],
            y=list(range(len(names))),
            mode="markers",
            marker={"size": 10, "color": blue, "opacity": 1},
            customdata=[
                f"{found.titles[name]} {share(found.mean(name))}<br>95\u00a0%: {share(found.interval(name)[0])} to "
                f"{share(found.interval(name)[1])}<br>chance {share(found.chance)}"
                for name in names
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.update_layout(
        xaxis={"range": [0, 1.02], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]},
        yaxis={
            "range": [len(names) - 0.4, -0.6],
            "tickmode": "array",
            "tickvals": list(range(len(names))),
            "ticktext": [found.titles[name] for name in names],
            "showgrid": False,
            "tickfont": {"size": 14, "color": theme.ink},
        },
    )
    _chance(figure, found.chance, "chance", theme)
    return figure


def _lift(one: Ranking, score: float) -> float:
    return (score - one.chance.median) / one.chance.lifts[-1]


def _strip(one: Ranking, place: int, theme: Theme) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(
        x=[_lift(one, hit.score) for hit in one.hits],
        y=[place] * len(one.hits),
        mode="markers",
        marker={
            "size": 11,
            "color": [theme.categorical[0] if _lift(one, hit.score) > 1 else theme.rest for hit in one.hits],
            "opacity": 1,
            "line": {"color": theme.bg, "width": 1},
        },
        customdata=[(short(hit.title), number(hit.score), number(one.chance.median)) for hit in one.hits],
        hovertemplate=f"<b>%{{customdata[0]}}</b><br>{one.unit} %{{customdata[1]}}<br>"
        "random text %{customdata[2]}<extra></extra>",
    )


def _chance(figure: Any, x: float, text: str, theme: Theme) -> None:
    baseline(figure, theme, x, text, "center" if x > 0.1 else "left")
