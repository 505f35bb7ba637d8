"""Words find their places, in a real Chromium: a corpus, a training, a map that moves, and a space for every page."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_words_move_while_they_learn_and_the_space_has_neighbors_and_is_saved(visitors):
    visitor = visitors(reduced_motion="no-preference")
    page = visitor.go("train?corpus=lee&word2vec_epochs=12&word2vec_vector_size=20&watch=government")
    visitor.map()
    expect(page.get_by_text("Before training")).to_be_visible()
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator(".map")).to_have_attribute("data-streamed", re.compile("^[1-9]"), timeout=60_000)
    expect(
        page.get_by_text(re.compile(r"The loss is [\d.]+ per prediction; before learning it was 4\.16"))
    ).to_be_visible(timeout=90_000)
    visitor.map()
    page.get_by_role("button", name="Save it").click()
    name = f"lee words {uuid.uuid4().hex[:6]}"  # a second try meets what the first one has saved
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(f"Saved as {name}")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Neighbors", exact=True).click()
    expect(page.locator("h1")).to_contain_text("Neighbors")
    expect(page.get_by_role("combobox", name="Space")).to_have_value(re.compile("Lee news"))
    visitor.says(lambda query: query["space"][0].startswith("upload:") and query["word"] == ["government"])
    page.go_back()
    expect(page.locator("h1")).to_contain_text("Train")
    expect(page.get_by_text(re.compile(r"The loss is [\d.]+ per prediction"))).to_be_visible()
    visitor.says(lambda query: query["corpus"] == ["lee"])
