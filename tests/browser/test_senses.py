"""Senses, as a visitor meets it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_layer_is_chosen_and_own_sentences_are_pasted(visitor):
    page = visitor.go("senses?word=bank")
    expect(page.get_by_text("nearest to their own sense")).to_be_visible(timeout=60_000)
    slider = page.get_by_role("slider", name=re.compile("layer", re.I))
    slider.focus()
    slider.press("Home")
    expect(page.get_by_text("Which occurrences are alike at layer 0?")).to_be_visible(timeout=20_000)
    visitor.says(lambda query: query.get("layer") == ["0"])
    page.get_by_role("button", name="Sentences").click()
    page.get_by_role("radio", name="Your own").click()
    box = page.get_by_role("textbox", name=re.compile("One sentence per line"))
    box.fill("An unembellished bank.\nNo such word.\nSo unembellished 🙂.")
    box.press("Control+Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_text("1 occurrence of “bank” in 1 sentence")).to_be_attached(timeout=60_000)
    expect(page.get_by_text("2 sentences without the word were left out")).to_be_attached()
    visitor.search("unembellished")
    expect(page.get_by_text("into une ##mbe ##llis ##hed; its vector is their mean")).to_be_attached(timeout=60_000)


def test_the_mark_of_the_score_follows_the_layer_while_it_plays(visitors):
    visitor = visitors(reduced_motion="no-preference")
    page = visitor.go("senses?word=bank&layer=6")
    chart = page.locator(".st-key-senses-scores .js-plotly-plot")
    expect(page.get_by_text("nearest to their own sense")).to_be_visible(timeout=60_000)
    expect(chart.locator("> b")).to_have_count(0, timeout=20_000)
    page.get_by_role("button", name="Play").click()
    expect(chart.locator("> b")).to_have_text(re.compile("^50"), timeout=5_000)
    expect(chart.locator("> b")).to_have_count(0, timeout=60_000)  # Plotly has drawn the last layer
    assert visitor.charts() > 0
