"""Search, as a visitor on a phone meets it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_text_that_is_found_is_opened_below(phone):
    page = phone.go("search?query=bush+fires+near+Sydney&method=bm25&method=lsa")
    column = page.locator('.column[data-name="lsa"]')
    page.locator('button[data-name="lsa"]').click(timeout=60_000)
    expect(column.locator("li")).to_have_count(3)
    expect(page.locator('.column[data-name="bm25"]')).to_be_hidden()
    phone.fits()
    column.locator("li button").first.click()
    expect(page).to_have_url(re.compile(r"doc=news.34.*by=lsa|by=lsa.*doc=news.34"))
    expect(page.get_by_text("Rank 1 of 300 by LSA")).to_be_visible()
    expect(column.locator("li.shown")).to_have_count(1)
    phone.charts()
