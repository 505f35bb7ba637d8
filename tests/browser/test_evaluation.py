"""The page Evaluate, as a visitor with a test set of their own meets it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
LISTS = "cat dog horse violin\npiano violin guitar london\nparis london rome guitar\n"


def test_a_set_of_ones_own_is_tested_and_found_after_a_reload(visitor):
    page = visitor.go("evaluation?test=odd")
    expect(page.get_by_text("a random word (").first).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Your own set").click()
    given = {"name": "mine.txt", "mimeType": "text/plain", "buffer": LISTS.encode()}
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(given)
    page.locator("details").filter(has_text="From the file mine.txt.").locator("summary").click(timeout=30_000)
    expect(page.get_by_text("From the file mine.txt.")).to_be_visible()
    expect(page.get_by_text("The odd word is found in 100")).to_be_visible()
    expect(page.get_by_test_id("stFileUploaderDropzoneInput")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"set=[\w-]{22}"))
    page.reload()
    expect(page.get_by_text("The odd word is found in 100")).to_be_visible(timeout=30_000)
    expect(page.locator(".st-key-evaluation-plot .main-svg").first).to_be_visible()
    assert visitor.charts() > 0
