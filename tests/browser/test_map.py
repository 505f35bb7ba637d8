"""The map as a visitor works with it: slow methods as jobs, three dimensions, selections."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import READY, dark_pixels

pytestmark = pytest.mark.browser

LONG = "map?method=tsne&sample_n=20000&tsne_iterations=2000"
CANCEL = ".st-key-stop-map button"
"""Of the map's own job: the check of a map has one too."""


def drawn(page, count: int, *, geometry: str = "") -> str:
    """The id of the geometry that a map of that many points shows, once it is another than the one given."""
    page.locator(f'{READY}[data-points="{count}"]:not([data-geometry="{geometry}"])').wait_for(timeout=60_000)
    return page.locator(READY).get_attribute("data-geometry")


def test_another_map_is_there_while_a_job_makes_the_one_asked_for(visitor):
    page = visitor.go("map?method=tsne&sample_n=600&tsne_iterations=5000")
    expect(page.get_by_text("t-SNE on its way: 600 of 21,719 words")).to_be_visible()
    before = drawn(page, 600)
    expect(page.locator(READY)).to_have_attribute("data-streamed", re.compile("[2-9]|..+"), timeout=60_000)
    assert page.locator(READY).get_attribute("data-geometry") == before
    assert dark_pixels(page) > 300
    expect(page.get_by_text("t-SNE: perplexity 30")).to_be_attached(timeout=60_000)
    drawn(page, 600, geometry=before)
    expect(page.locator(CANCEL)).to_have_count(0)
    assert visitor.charts() > 0


def test_a_long_job_says_its_cost_and_is_found_again_after_a_reload_and_stops(visitor):
    page = visitor.go(LONG)
    cancel = page.locator(CANCEL)
    expect(page.get_by_text("20,000 words by t-SNE: about")).to_be_visible()
    expect(cancel).to_have_count(0)
    page.get_by_role("button", name="Draw it").click()
    expect(cancel).to_be_visible(timeout=20_000)
    (job,) = visitor.says(lambda query: "job" in query)["job"]
    page.reload()
    expect(cancel).to_be_visible(timeout=20_000)
    expect(page.get_by_role("button", name="Draw it")).to_have_count(0)
    visitor.says(lambda query: query.get("job") == [job])
    cancel.click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    expect(page.get_by_text("PCA meanwhile: 20,000 of 21,719 words")).to_be_visible()
    expect(page.get_by_role("button", name="Draw it")).to_be_visible()
    expect(page.locator(READY)).to_have_attribute("data-points", "20000")


def test_two_visitors_have_a_run_each(visitors):
    one, two = visitors(), visitors()
    first = one.go("map?method=tsne&sample_n=500&tsne_iterations=500&tsne_seed=1")
    second = two.go("map?method=umap&sample_n=400&umap_seed=2")
    expect(first.get_by_text(re.compile("t-SNE: .*seed 1"))).to_be_attached(timeout=60_000)
    expect(second.get_by_text(re.compile("UMAP: .*seed 2"))).to_be_attached(timeout=60_000)
    drawn(first, 500)
    drawn(second, 400)


def test_three_dimensions_are_turned_by_dragging(visitor):
    page = visitor.go("map?components=3&word=guitar")
    visitor.map()
    box = page.locator(".map").bounding_box()
    across, down = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.locator(READY).get_attribute("data-camera")
    page.mouse.move(across - 200, down - 150)
    page.mouse.down()
    page.mouse.move(across, down - 100, steps=6)
    page.mouse.up()
    expect(page.locator(READY)).not_to_have_attribute("data-camera", before)
    assert dark_pixels(page) > 300
    page.get_by_text("2-D", exact=True).click()
    expect(page.get_by_text("Scroll to zoom, drag to move")).to_be_visible()


def test_selected_words_are_listed_and_shown_alone_and_come_back(visitor):
    page = visitor.go("map?sample=frequent")
    before = drawn(page, 2000)
    page.get_by_role("button", name=re.compile("box", re.I)).first.click()
    box = page.locator(".map").bounding_box()
    across, down = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(across - 80, down - 80)
    page.mouse.down()
    page.mouse.move(across + 80, down + 80, steps=5)
    page.mouse.up()
    title = page.locator(".ev-panel h2").filter(has_text="words selected")
    expect(title).to_be_visible()
    count = int(title.inner_text().split()[0].replace(",", ""))
    assert 4 < count < 2000
    page.reload()
    expect(title).to_have_text(f"{count:,} words selected", timeout=20_000)
    page.get_by_role("button", name="Show only these").click()
    alone = drawn(page, count, geometry=before)
    expect(page.get_by_text(f"only {count:,} selected")).to_be_visible()
    page.get_by_role("button", name="Show all words again").click()
    assert drawn(page, 2000, geometry=alone) == before


def test_back_comes_to_the_page_as_it_was(visitor):
    visitor.go("analogy?formula=doctor - man %2B woman")
    visitor.menu("Map")
    visitor.page.get_by_role("radio", name="Axes").click()
    visitor.page.wait_for_url("**/map?sample=groups&method=axes")
    visitor.menu("Analogy")
    visitor.page.wait_for_url("**/analogy?formula=**")
    visitor.page.go_back()
    visitor.page.wait_for_url("**/map?sample=groups&method=axes", timeout=20_000)
    expect(visitor.page.locator("h1")).to_contain_text("Map")
    expect(visitor.page.get_by_role("radio", name="Axes")).to_be_checked()


def test_the_lecture_view_fills_the_window_and_escape_leaves_it(visitor):
    page = visitor.go("map")
    drawn(page, 544)
    usual = page.locator(".map").bounding_box()
    page.get_by_role("button", name="Lecture view").last.click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.wait_for_url("**present=map**")
    large = page.locator(".map").bounding_box()
    assert large["width"] > 1.4 * usual["width"]
    page.locator(".st-key-badge button").click()
    expect(page.get_by_text("which points form a group").first).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def test_a_run_is_paused_kept_at_a_step_and_goes_on(visitor):
    page = visitor.go("map?method=tsne&sample_n=600&tsne_iterations=5000&tsne_seed=5")
    drawn(page, 600)
    slider = page.get_by_role("slider", name="Step of the run")
    page.get_by_role("button", name="Pause", exact=True).click(timeout=60_000)
    page.get_by_role("button", name="Stop and keep").click()
    (text,) = visitor.says(lambda query: "tsne_until" in query)["tsne_until"]
    assert 0 < int(text) < 5000
    expect(page.get_by_text(f"Stopped at step {int(text):,} of 5,000")).to_be_visible()
    slider.press("Home")
    expect(slider).to_have_value("0")
    first = page.locator(READY).get_attribute("data-moment")
    step = f"{int(first):,}"
    page.get_by_role("button", name=f"Keep step {step}", exact=True).click()
    visitor.says(lambda query: query.get("tsne_until") == [first])
    expect(page.get_by_text(f"Stopped at step {step} of 5,000")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Run to the end").click()
    visitor.says(lambda query: "tsne_until" not in query)
    expect(page.get_by_text("t-SNE on its way: 600 of 21,719 words")).to_be_visible()
