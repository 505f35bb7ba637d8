"""The lecture view: one figure and what it means, in large type, by the address alone."""

import plotly.graph_objects as go

from embedviz.figures.style import enlarged
from tests.visit import html, opened, run_until

ISOTROPY = "quality/isotropy/page.py"
SMALL = "synthetic:noise(n=400,d=16)"


def styles(page):
    return " ".join(element.proto.body for element in page.get("html") if "<style" in element.proto.body)


def test_the_first_figure_is_shown_alone_with_its_meaning():
    page = opened(ISOTROPY, space=SMALL, present="1")
    assert "ev-lecture" in run_until(page, "mean cosine", "ev-lecture")
    assert "ev-subject" in html(page)
    assert ".st-key-isotropy-cosines" in styles(page)
    assert [button.label for button in page.button if button.key == "present-close"] == ["Close"]


def test_the_header_has_a_button_for_the_first_figure_and_the_meaning_is_that_of_the_page():
    page = opened("words/neighbors/page.py", word="bank")
    page.button(key="present-first").click().run()
    assert page.query_params["present"] == "1"
    assert ".st-key-neighbors-plot" in styles(page)
    assert html(page).count("ev-subject") >= 1
    assert html(page).count("All 10 listed are nearer than") == 2


def test_a_button_opens_the_lecture_view_of_its_figure_and_another_closes_it():
    page = opened(ISOTROPY, space=SMALL)
    run_until(page, "mean cosine")
    page.button(key="present-isotropy-cosines").click().run()
    assert page.query_params["present"] == "isotropy-cosines"
    assert "ev-lecture" in html(page)
    page.button(key="present-close").click().run()
    assert "present" not in page.query_params
    assert "ev-lecture" not in html(page)


def test_a_figure_that_is_not_on_the_page_hides_nothing():
    page = opened(ISOTROPY, space=SMALL, present="nothing-like-it")
    assert "ev-lecture" not in run_until(page, "mean cosine")
    assert not [button for button in page.button if button.key == "present-close"]


def test_an_enlarged_figure_has_type_of_20_pixels_and_keeps_its_data():
    figure = go.Figure(layout={"font": {"size": 14}, "margin": {"l": 28}, "xaxis": {"tickfont": {"size": 13}}})
    figure.add_scatter(x=[1, 2], y=[3, 4], marker={"size": 7})
    figure.add_annotation(x=1, y=3, text="word", font={"size": 16}, xshift=7)
    large = enlarged(figure)
    assert large.layout.font.size == large.layout.xaxis.tickfont.size == 20
    assert (large.layout.margin.l, large.layout.annotations[0].font.size) == (40, 23)
    assert (large.layout.annotations[0].xshift, large.data[0].marker.size) == (10, 10)
    assert (list(large.data[0].x), large.layout.annotations[0].x) == ([1, 2], 1)
    assert figure.layout.font.size == 14
