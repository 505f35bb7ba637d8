"""Figures of exercises."""

from embedviz.figures.lessons import bars_chart
from embedviz.figures.theme import THEMES


def test_a_chart_without_bars_is_drawn():
    figure = bars_chart([], [], [], THEMES["light"], title="cosine").figure()
    assert figure.layout.xaxis.range[1] > 0
