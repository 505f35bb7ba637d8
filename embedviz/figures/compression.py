"""Figure of compression: the share of nearest neighbors kept if the vectors are stored in fewer bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.core.phrases import byte_size, share
from embedviz.figures.style import axis_title, dotted, layout

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from embedviz.figures.theme import Theme
    from embedviz.geometry.compression import Compression


def compression_figure(found: Compression, theme: Theme, *, phone: bool = False) -> go.Figure:
    """Draw the share of nearest neighbors that each format keeps, with its interval; the largest format is on top."""
    import plotly.graph_objects as go

    forms = found.with_whole[::-1]  # Plotly draws rows from the bottom up
    figure = go.Figure(
        layout=layout(
            theme, height=(44 if phone else 30) * len(forms) + 70, top=18, left=150 if phone else 250, right=56
        )
    )
    figure.add_scatter(
        x=[form.preserved for form in forms],
        y=[f"{form.title}{'<br>' if phone else ', '}{byte_size(form.bytes)}" for form in forms],
        mode="markers+text",
        text=[f"\u2002\u2002{share(form.preserved)}" for form in forms],
        textposition="middle right",
        textfont={"size": 13, "color": theme.ink},
        cliponaxis=False,
        marker={"color": theme.categorical[0], "size": 9, "opacity": 1},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [form.high - form.preserved for form in forms],
            "arrayminus": [form.preserved - form.low for form in forms],
            "color": theme.categorical[0],
            "thickness": 1.5,
            "width": 0,
        },
        customdata=[[f"{form.bytes:,}", share(form.low), share(form.high)] for form in forms],
        hovertemplate="<b>%{y}</b><br>%{text} kept, %{customdata[1]} to %{customdata[2]}<br>%{customdata[0]} bytes"
        "<extra></extra>",
    )
    figure.add_shape(
        type="line", x0=found.chance, x1=found.chance, y0=0, y1=1, yref="paper", line=dotted(theme), layer="below"
    )
    figure.update_layout(
        xaxis={
            "range": [0, 1.02],
            "tickformat": ".0%",
            "nticks": 5,
            "title": axis_title(f"share of the {found.k} nearest neighbors kept", theme),
        },
        yaxis={"tickfont": {"size": 13, "color": theme.ink}, "tickvals": list(range(len(forms))), "showgrid": True},
    )
    return figure
