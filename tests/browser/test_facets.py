"""Classes, dates and sizes on a map with columns: chosen in the browser, held by the address, undone by Back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import READY

pytestmark = pytest.mark.browser

MAP = "map?space=saved:columns&method=pca&sample=all&color=column&column_column=topic"


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
    assert query["between"] == ["2001-08-23..2001-08-23"]
    page.reload()
    expect(drawn).to_have_attribute("data-shown", "1", timeout=30_000)
    expect(page.get_by_role("button", name=re.compile("^topic 29, 20 points"))).to_be_visible()
