"""Clusters, pasted lists and words compared each with each, as a visitor meets them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import READY

pytestmark = pytest.mark.browser


def test_clusters_color_the_map_when_they_are_there(visitor):
    page = visitor.go("map?color=clusters&clusters_k=4")
    expect(page.locator(READY)).to_have_attribute("data-coloring", "category", timeout=60_000)
    expect(page.get_by_text("The 4 k-means clusters")).to_be_visible()
    expect(page.locator(".st-key-coloring .ev-pill")).to_have_count(0)


def test_a_long_list_is_pasted_and_found_again_after_a_reload(visitor, builtin):
    page = visitor.go("map?sample=list")
    visitor.map()
    expect(page.locator(READY)).to_have_attribute("data-points", "6")
    page.get_by_test_id("stPopover").get_by_role("button", name="Settings").click()
    box = page.get_by_role("textbox", name="List")
    box.fill("\n".join(builtin.words[2_000:2_900]))
    box.press("Control+Enter")
    expect(page.locator(READY)).to_have_attribute("data-points", "900", timeout=30_000)
    visitor.says(lambda query: set(query) == {"sample", "list"})
    assert len(page.url) < 300
    page.reload()
    expect(page.locator(READY)).to_have_attribute("data-points", "900", timeout=30_000)


def test_words_are_compared_each_with_each(phone):
    page = phone.go("neighbors?view=matrix&word=guitar")
    plot = page.locator(".js-plotly-plot")
    expect(plot.locator("text", has_text=re.compile(r"^0\.80$")).first).to_be_visible(timeout=30_000)
    phone.fits()

    def sizes():
        return plot.locator("text").evaluate_all(
            "all => all.filter((one) => one.textContent.trim())"
            ".map((one) => parseFloat(getComputedStyle(one).fontSize))"
        )

    phone.until(lambda: (found := sizes()) and all(size >= 12 for size in found), sizes)  # one just drawn has none yet
    with page.expect_download() as table:
        page.get_by_role("button", name="Table").click()
    lines = Path(table.value.path()).read_text("utf-8-sig").splitlines()
    assert len(lines) == 12
    assert lines[0].startswith("word,")
    assert len(lines[1].split(",")) == 12


def test_a_word_that_no_text_has_is_taken_apart(phone):
    page = phone.go("subwords?space=saved:spelled")
    expect(page.locator(".st-key-subwords-search input")).to_have_value("predictably")
    phone.search("walkish")
    expect(page.get_by_text("“walkish” is not in the vocabulary. Its vector is the mean of")).to_be_visible()
    expect(page.locator(".js-plotly-plot").get_by_text("<walkish>").first).to_be_visible()
    page.get_by_text("Hash collisions: which n-grams share a vector?").click()
    expect(page.get_by_text("n-grams of 6 words")).to_be_visible()
    assert phone.charts() > 0
    phone.fits()
    page.get_by_role("button", name="walks").first.click()
    phone.says(lambda query: query["word"] == ["walks"])
    expect(page.get_by_text("the word itself").first).to_be_visible()
