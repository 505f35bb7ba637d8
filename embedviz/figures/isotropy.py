"""Figures of isotropy: cosines of random pairs, variance by component, dimensions, lengths by rank.

All but the figure of dimensions may show a corrected space; then the uncorrected space is drawn in grey.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import number, share
from embedviz.figures.style import axis_title, baseline, dotted, faded, label, layout

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.geometry.isotropy import Isotropy

HEIGHT = 270
_TOP = 1.04  # upper end of the axis of shares
_WIDE, _PHONE = 480, 300  # least width of the plot in pixels: on a screen, on a phone


def cosines_figure(found: Isotropy, theme: Theme, before: Isotropy | None = None, *, phone: bool = False) -> go.Figure:
    """Draw the histogram of the cosines of random pairs; a dotted curve shows random directions."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=HEIGHT, bottom=48))
    if before is not None:
        figure.add_trace(_density(before, theme.muted, filled=False))
    blue = theme.categorical[0]
    figure.add_trace(_density(found, blue, filled=True))
    middle = _middle(found)
    expected = np.asarray(found.expected, np.float64) / _area(found)
    figure.add_scatter(
        x=middle,
        y=expected,
        mode="lines",
        line=dotted(theme),
        hovertemplate="random directions<extra></extra>",
    )
    top = max(float(expected.max()), float((found.histogram.counts / _area(found)).max()))
    if before is not None:
        top = max(top, float((before.histogram.counts / _area(before)).max()))
    edges = [*found.histogram.edges[[0, -1]], *(before.histogram.edges[[0, -1]] if before else [])]
    figure.update_layout(
        yaxis={"visible": False, "range": [0, 1.12 * top]},
        xaxis={
            "range": [min(edges), max(edges)],
            "nticks": 6,
            "title": axis_title("cosine of a random pair", theme, 4),
        },
    )
    if not phone:
        mean, spread = found.value("mean_cosine") or 0.0, found.value("cosine_spread") or 0.0
        name = "this space" if before is None else "corrected"
        _label(
            figure,
            0.99,
            0.62,
            f"{name}<br>mean {number(mean)}, sd {number(spread)}",
            theme.categorical_labels[0],
        )
        _label(figure, 0.99, 0.94, f"random directions, dotted<br>mean 0, sd {number(found.spread)}", theme.muted)
        if before is not None:
            mean, spread = before.value("mean_cosine") or 0.0, before.value("cosine_spread") or 0.0
            _label(figure, 0.99, 0.3, f"uncorrected<br>mean {number(mean)}, sd {number(spread)}", theme.muted)
    return figure


def variance_figure(found: Isotropy, theme: Theme, before: Isotropy | None = None, *, phone: bool = False) -> go.Figure:
    """Draw the share of variance of the first k principal components; a dotted curve shows an isotropic space."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=HEIGHT, left=44, bottom=48))
    d = len(found.components)
    if before is not None:
        figure.add_trace(_held(before.components, theme.muted, 1.5))
    figure.add_trace(_held(found.components, theme.categorical[0], 2.5))
    figure.add_trace(_held(found.flat[: max(1, int(np.count_nonzero(found.flat)))], theme.ink, 1.25, dash="dot"))
    drawn = [found.components, found.flat, *([before.components] if before else [])]
    room = _LabelRoom([np.cumsum(shares[:d], dtype=np.float64) for shares in drawn], d, phone)
    sums = np.cumsum(found.components, dtype=np.float64)
    for level, name in ((0.5, "50\u00a0%"), (0.9, "90\u00a0%")):
        if not len(sums) or sums[-1] < level:
            continue
        at = int(np.searchsorted(sums, level)) + 1
        text, height = f"{at:,} hold {name}", float(sums[at - 1])
        figure.add_scatter(
            x=[at],
            y=[100 * height],
            mode="markers",
            marker={"size": 9, "color": theme.categorical[0], "opacity": 1},
            cliponaxis=False,
            hoverinfo="skip",
        )
        across, up = room.take(at, height, text)
        label(
            figure,
            text,
            at,
            100 * height,
            theme.categorical_labels[0],
            size=14,
            xanchor="left",
            xshift=across,
            yshift=up,
        )
    _label(figure, 0.99, 0.2, "isotropic, dotted", theme.muted)
    if before is not None:
        _label(figure, 0.99, 0.1, "uncorrected, grey", theme.muted)
    figure.update_layout(
        yaxis={"range": [0, 100 * _TOP], "tickvals": [0, 50, 100], "ticktext": ["0\u00a0%", "50\u00a0%", "100\u00a0%"]},
        xaxis={"range": [min(1, d - 1), d], "nticks": 5, "title": axis_title("number of directions k", theme, 4)},
    )
    return figure


class _LabelRoom:
    """Free room for labels between curves and earlier labels, in pixels of the plot."""

    def __init__(self, curves: list[Any], d: int, phone: bool) -> None:
        self.curves, self.d = [curve for curve in curves if len(curve)], d
        self.wide, self.high = (_PHONE if phone else _WIDE), HEIGHT - 52
        self.taken = [(self.wide - 130.0, 0.1 * self.high - 12, float(self.wide), 0.2 * self.high + 12)]

    def take(self, at: int, height: float, text: str) -> tuple[float, float]:
        """Reserve a place for a label near a point.

        Return the offsets in pixels from the point to the label's left end and to the middle of its height.
        """
        x, y = self.wide * (at - 1) / max(1, self.d - 1), self.high * height / _TOP
        length = 6.8 * len(text)
        tries = [(side, away) for away in range(6, int(self.high), 4) for side in (-1, 1)]
        for side, away in [*tries, (-1, 6)]:
            left = max(2.0, x - 8 - length) if side < 0 else min(x + 8, self.wide - length)
            middle = y - side * away
            box = (left, middle - 9, left + length, middle + 9)
            if self._clear(box):
                break
        self.taken.append(box)
        return left - x, middle - y

    def _clear(self, box: tuple[float, float, float, float]) -> bool:
        left, low, right, high = box
        if left < 0 or low < 0 or high > self.high + 6:
            return False
        if any(left < there[2] and there[0] < right and low < there[3] and there[1] < high for there in self.taken):
            return False
        for curve in self.curves:  # no curve falls, so its two ends bound it
            first, last = np.interp(
                [left - 4, right + 4], self.wide * np.linspace(0, 1, len(self.steps(curve))), self.steps(curve)
            )
            if first < high + 3 and last > low - 3:
                return False
        return True

    def steps(self, curve: Any) -> Any:
        """Return the heights of a curve at the components 1 to d, in pixels of the plot, (d,).

        A curve with fewer than d values stays at its last value.
        """
        return self.high / _TOP * np.pad(curve, (0, self.d - len(curve)), mode="edge")


def rogues_figure(found: Isotropy, theme: Theme) -> go.Figure:
    """Draw the dimensions that add most to the mean cosine, each with its share of the mean cosine.

    A dotted line marks the share of a dimension if all dimensions add equally.
    """
    import plotly.graph_objects as go

    listed = [rogue for rogue in found.rogues if rogue.share is not None]
    figure = go.Figure(layout=layout(theme, height=26 * len(listed) + 34, left=52, bottom=26))
    places = list(range(len(listed)))
    values = [100 * (rogue.share or 0.0) for rogue in listed]
    figure.add_bar(
        x=values,
        y=places,
        orientation="h",
        marker={"color": theme.categorical[0], "cornerradius": 3},
        width=0.5,
        text=[share(rogue.share or 0.0, fine=True) for rogue in listed],
        textposition="outside",
        constraintext="none",
        textfont={"size": 13, "color": theme.muted},
        cliponaxis=False,
        hoverinfo="skip",
    )
    even = 100 / found.dimensions
    baseline(figure, theme, even, layer="above")
    figure.update_layout(
        yaxis={
            "autorange": "reversed",
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [f"{rogue.dimension:,}" for rogue in listed],
            "showgrid": False,
            "tickfont": {"size": 13, "color": theme.ink},
        },
        xaxis={"visible": False, "range": [0, 1.25 * max([*values, 1.5 * even])]},
    )
    return figure


def lengths_figure(found: Isotropy, theme: Theme, before: Isotropy | None = None) -> go.Figure:
    """Draw the median length (norm) of the vectors by frequency rank of the words."""
    import plotly.graph_objects as go

    figure = go.Figure(layout=layout(theme, height=190, left=44, bottom=44))
    for one, color, width in ((before, theme.muted, 1.5), (found, theme.categorical[0], 2.5)):
        if one is not None:
            figure.add_scatter(
                x=one.curve[:, 0],
                y=one.curve[:, 1],
                mode="lines",
                line={"color": color, "width": width},
                hovertemplate="rank %{x:,.0f}<br>median length %{y:.2f}<extra></extra>",
            )
    highest = max(float(one.curve[:, 1].max()) for one in (found, before) if one is not None and len(one.curve))
    figure.update_layout(
        xaxis={
            "type": "log",
            "title": axis_title("frequency rank", theme, 6),
            "dtick": 1,
        },
        yaxis={"range": [0, 1.1 * highest], "nticks": 4},
    )
    return figure


def _density(found: Isotropy, color: str, *, filled: bool) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(
        x=_middle(found),
        y=found.histogram.counts / _area(found),
        mode="lines",
        line={"color": color, "width": 2 if filled else 1.5},
        fill="tozeroy" if filled else None,
        fillcolor=faded(color, 0.15) if filled else None,
        hovertemplate="cosine %{x:.2f}<extra></extra>",
    )


def _middle(found: Isotropy) -> Any:
    edges = found.histogram.edges
    return (edges[:-1] + edges[1:]) / 2


def _area(found: Isotropy) -> float:
    edges = found.histogram.edges
    return found.pairs * float(edges[1] - edges[0])


def _held(components: Any, color: str, width: float, dash: str = "solid") -> Any:
    import plotly.graph_objects as go

    places = np.arange(1, len(components) + 1)
    return go.Scatter(
        x=places,
        y=100 * np.cumsum(components, dtype=np.float64),
        mode="lines",
        line={"color": color, "width": width, "dash": dash},
        hovertemplate="first %{x:,}: %{y:.1f}\u00a0%<extra></extra>",
    )


def _label(figure: Any, x: float, y: float, text: str, color: str) -> None:
    label(figure, text, x, y, color, size=14, paper="xy", xanchor="right", align="right")
