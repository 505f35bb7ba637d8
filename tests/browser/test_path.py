"""Path, as a visitor on a phone meets it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_another_word_of_the_sentence_is_chosen_by_its_chip(phone):
    page = phone.go("path")
    expect(page.get_by_text("“bank” changes")).to_be_visible(timeout=120_000)
    page.get_by_role("radio", name="river").click()
    expect(page).to_have_url(re.compile("at=8"))
    expect(page.get_by_text("“river” changes")).to_be_visible(timeout=120_000)
    expect(page.locator(".st-key-path-plane svg .trace").last).to_be_attached()
    phone.fits()
    assert phone.charts() > 0
