"""The lecture view by mouse and keyboard."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_figure_fills_the_window_until_escape(visitor):
    page = visitor.go("isotropy")
    plot = page.locator(".st-key-isotropy-cosines .js-plotly-plot")
    plot.wait_for(timeout=60_000)  # until then the last of the buttons is that of the header
    page.get_by_role("button", name="Lecture view").last.click(timeout=60_000)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.locator(".st-key-isotropy-variance")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".ev-lecture")).to_contain_text("cosine")
    expect(plot.locator(".xtick text").first).to_have_css("font-size", "20px")
    page.wait_for_function(
        "() => document.querySelector('.js-plotly-plot .main-svg').getBoundingClientRect().height > 500"
    )
    visitor.says(lambda query: query.get("present") == ["isotropy-cosines"])
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("present="))
    assert visitor.charts() > 1
