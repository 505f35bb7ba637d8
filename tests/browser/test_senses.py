"""Senses, as a visitor meets it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_layer_is_chosen_and_own_sentences_are_pasted(visitor):
    page = visitor.go("senses?word=bank")
    expect(page.get_by_text("Pictures: the two main directions")).to_be_visible(timeout=60_000)
    slider = page.get_by_role("slider", name=re.compile("layer", re.I))
    slider.focus()
    slider.press("Home")
    expect(page.get_by_text("Who is like whom at layer 0?")).to_be_visible(timeout=20_000)
    visitor.says(lambda query: query.get("layer") == ["0"])
    page.get_by_role("button", name="Sentences").click()
    page.get_by_role("radio", name="Your own").click()
    box = page.get_by_role("textbox", name=re.compile("One sentence per line"))
    box.fill("An unembellished bank.\nNo such word.\nSo unembellished 🙂.")
    box.press("Control+Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_text("1 occurrence of “bank” in 1 sentence")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("2 sentences without the word were left out")).to_be_visible()
    visitor.search("unembellished")
    expect(page.get_by_text("into une ##mbe ##llis ##hed; their mean stands for it")).to_be_visible(timeout=60_000)
