"""The page Attention in a real browser: a head is opened, a token is asked, the drawing is saved."""

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_head_is_opened_a_token_asked_and_the_drawing_saved(visitor):
    page = visitor.go("attention")
    expect(page.get_by_role("button", name="Layer 1, head 5", exact=True)).to_have_attribute(
        "aria-pressed", "true", timeout=60_000
    )
    expect(page.locator(".sheet canvas")).to_have_count(72)
    bars = page.locator(".heads svg text").filter(has_text="0.71")
    expect(bars).to_have_count(1)
    page.get_by_role("button", name="Layer 1, head 5", exact=True).press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    visitor.says(lambda query: query.get("head") == ["3"])
    expect(page.locator(".ev-meaning").first).to_contain_text("Layer 1, head 3: “bank” gives “the” 1.00")
    page.locator('.heads svg [data-query="8"]').click()
    visitor.says(lambda query: query.get("token") == ["8"])
    expect(page.locator(".ev-meaning").first).to_contain_text("“river” gives “the”")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Image").click()
    assert saved.value.suggested_filename.startswith("attention-1-3-I-sat")
    picture = np.asarray(Image.open(saved.value.path()).convert("RGB"), int)
    blue = (picture[..., 2] - picture[..., 0] > 60).sum()
    assert blue > 2_000  # the lines and bars of the head itself, not only its text
    assert visitor.charts() > 0
