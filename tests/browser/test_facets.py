"""Classes, dates and sizes on a map with columns: chosen in the browser, held by the address, undone by Back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import READY

pytestmark = pytest.mark.browser

MAP = "map?space=saved:columns&method=pca&sample=frequent&color=column&column_column=topic"


def test_a_reader_filters_by_class_and_date_and_colors_other_classes(visitor):
    page = visitor.go(f"{MAP}&size=score")
    drawn = page.locator(READY)
    drawn.wait_for()
    expect(drawn).to_have_attribute("data-shown", "600")
    first = page.locator(".entry .only").first
    first.press("Enter")
    expect(drawn).to_have_attribute("data-shown", "20")
    visitor.says(lambda query: len(query.get("hide", ())) == 8)
    page.get_by_role("button", name="Show all").click()
    visitor.says(lambda query: "hide" not in query)
    first.press("Delete")
    expect(drawn).to_have_attribute("data-shown", "580")
    expect(first).to_have_attribute("aria-label", re.compile("20 points, hidden"))
    visitor.says(lambda query: len(query.get("hide", ())) == 1)
    page.go_back()
    expect(drawn).to_have_attribute("data-shown", "600")
    visitor.settle()  # one move at a time: a second Back while the server answers the first would be undone
    page.go_back()
    expect(drawn).to_have_attribute("data-shown", "20")
    page.get_by_role("button", name="Show all").click()
    search = page.get_by_role("combobox", name=re.compile("Color a class"))
    search.fill("topic 29")
    search.press("Enter")
    visitor.says(lambda query: "topic 29" in "".join(query.get("column_classes", ())))
    expect(page.get_by_text("In color: 8 chosen of 30 classes.")).to_be_attached()
    page.get_by_role("slider", name="First date").press("End")
    expect(drawn).to_have_attribute("data-shown", "1")
    query = visitor.says(lambda query: "between" in query)
    assert query["between"] == ["2001-08-22..2001-08-22"]
    page.reload()
    expect(drawn).to_have_attribute("data-shown", "1", timeout=30_000)
    expect(page.get_by_role("button", name=re.compile("^topic 29, 20 points"))).to_be_visible()


def test_the_keyboard_walks_classes_and_undoes_and_a_map_with_depth_turns(visitors):
    visitor = visitors(reduced_motion="no-preference")
    page = visitor.go(f"{MAP}&components=3")
    drawn = page.locator(READY)
    drawn.wait_for()
    before = drawn.get_attribute("data-camera")
    page.get_by_role("button", name="Turn slowly").click()
    expect(drawn).not_to_have_attribute("data-camera", before)
    page.get_by_role("button", name="Stop turning").click()
    expect(drawn).to_have_attribute("data-undo", "1")
    over = page.locator(".map .over")
    over.press("Control+z")
    expect(drawn).to_have_attribute("data-camera", before)
    over.press("c")
    expect(page.locator(".map [aria-live]")).to_contain_text("class 1 of 8")
    over.press("s")
    expect(page.get_by_role("list", name="Selected: 1 word").get_by_role("listitem")).to_have_count(1)
    over.press("Control+z")
    expect(drawn).to_have_attribute("data-selected", "0")
    over.press("Control+Shift+z")
    expect(drawn).to_have_attribute("data-selected", "1")


def test_regions_have_names_that_a_reader_changes_and_the_address_keeps(visitor):
    page = visitor.go("map?space=saved:columns&method=pca&sample=frequent&color=plain&dates=none&regions=topic")
    title = page.locator(".regions summary")
    expect(title).to_contain_text(re.compile("[1-9] in view"), timeout=60_000)
    title.click()
    buttons = page.locator(".regions div.row button:visible")
    old = buttons.first.inner_text()
    buttons.first.click()
    box = page.get_by_role("textbox", name="Name of the region")
    box.fill("Dry land")
    box.press("Enter")
    expect(buttons.filter(has_text="Dry land")).to_have_count(1)
    visitor.says(lambda query: "Dry land" in "".join(query.get("region_names", ())))
    page.reload()
    expect(title).to_contain_text(re.compile("[1-9] in view"), timeout=60_000)
    title.click()
    expect(buttons.filter(has_text="Dry land")).to_have_count(1)
    page.get_by_role("button", name="Original names").click()
    expect(buttons.filter(has_text=re.compile(f"^{re.escape(old)}$"))).not_to_have_count(0)
    visitor.says(lambda query: "region_names" not in query)
