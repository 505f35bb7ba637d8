"""A draft becomes the figure that Plotly itself would build."""

import plotly.graph_objects as go
import pytest

from embedviz.figures.draft import Draft
from embedviz.figures.lessons import bars_chart
from embedviz.figures.theme import THEMES


def test_a_draft_is_the_figure_that_plotly_builds_piece_by_piece():
    base = {"xaxis": {"showgrid": False, "range": [0, 2]}}
    figures = Draft(base), go.Figure(layout=base)
    for figure in figures:
        figure.add_scatter(x=[0, 1], y=[2, 3], mode="lines")
        figure.add_annotation(x=1, y=2, text="a", showarrow=False)
        figure.add_shape(type="line", x0=0, x1=1, y0=0, y1=1)
        figure.update_layout(xaxis={"range": [0, 1]}, height=300)
    assert figures[0].figure() == figures[1]
    assert base["xaxis"]["range"] == [0, 2]


def test_plotly_refuses_what_it_does_not_know():
    draft = Draft({})
    draft.add_scatter(colour="red")
    with pytest.raises(ValueError, match="colour"):
        draft.figure()


def test_bars_have_their_texts_at_their_ends():
    bars = bars_chart(["a", "<b>"], [0.1, 0.3], ["one", "two"], THEMES["light"], title="share").figure()
    assert [(each.x, each.text) for each in bars.layout.annotations] == [(0.1, "one"), (0.3, "two")]
    assert bars.layout.yaxis.ticktext == ("a ", "&lt;b&gt; ")
