"""Pooling, as a visitor on a phone meets it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_weight_is_turned_with_the_keys(phone):
    page = phone.go("pooling?one=The+film+was+good.&two=The+film+was+not+good.")
    expect(page.get_by_text("The sentences share 4 of 5 words.")).to_be_visible(timeout=90_000)
    page.get_by_role("button", name="Weights").click()
    last = page.get_by_role("slider", name="Layer 6")
    expect(last).to_be_visible()
    last.press("ArrowRight")
    phone.says(lambda query: query.get("weights") == ["0,0,0,0,0,0,0.1"])
    expect(page.get_by_text("Layer 6 · 16\u00a0%")).to_be_visible()
    phone.fits()
    assert phone.charts() > 0
