"""Files in and out, in a real Chromium: a fastText model's unseen words, an archive's columns, a download."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from embedviz.formats import read
from tests.browser.visitor import READY, Visitor

pytestmark = pytest.mark.browser


def upload(visitor: Visitor, path: Path) -> None:
    visitor.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(str(path))


def test_an_uploaded_fasttext_model_has_neighbors_for_a_word_it_never_saw(visitor):
    model = Path(str(files("gensim"))) / "test" / "test_data" / "lee_fasttext_new.bin"
    if not model.exists():
        pytest.skip("this gensim carries no test data")
    page = visitor.go("open")
    upload(visitor, model)
    expect(page.get_by_text(re.compile("1,763 words × 10 numbers"))).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Use this space").click()
    expect(page.get_by_text("in use: lee_fasttext_new")).to_be_visible()
    visitor.menu("Neighbors")
    visitor.search("chatgpt")
    expect(page.get_by_text("its vector is assembled from 22 n-grams")).to_be_visible()
    expect(page.get_by_text("thousands").first).to_be_visible()
    page.get_by_role("button", name="Count how often each").click()
    expect(page.get_by_text("How near is the nearest?")).to_be_visible(timeout=30_000)
    visitor.menu("Map")
    visitor.map()
    expect(page.get_by_text("can compute a vector from its")).to_be_visible()
    page.get_by_role("link", name="Neighbors of this word").click()
    expect(page.locator("h1")).to_contain_text("Neighbors")
    expect(page.get_by_text("assembled from 22 n-grams")).to_be_visible()


def test_an_archives_columns_color_the_map_and_it_comes_back_as_text(visitor, tmp_path):
    words = np.array([f"w{i}" for i in range(120)] + ["new york"])
    matrix = np.random.default_rng(0).normal(size=(121, 8)).astype(np.float32)
    topic = np.array([["red", "blue"][i % 2] for i in range(121)])
    np.savez(tmp_path / "colored.npz", words=words, matrix=matrix, topic=topic)
    page = visitor.go("open")
    upload(visitor, tmp_path / "colored.npz")
    expect(page.get_by_text(re.compile("121 words × 8 numbers"))).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Use this space").click()
    expect(page.get_by_text("in use: colored")).to_be_visible()
    page.get_by_text("Other spaces, models and downloads").click()
    row = page.locator('[class*="st-key-space-"]').filter(has_text="colored")
    expect(row.get_by_role("button", name="Export")).to_have_count(1)  # while the list moves, one may stand twice
    row.get_by_role("button", name="Export").click()
    page.get_by_role("button", name="Make the file").click()
    fetch = page.get_by_role("button", name=re.compile(r"Save colored\.txt"))
    expect(fetch).to_be_visible(timeout=20_000)
    expect(page.get_by_text("Left out: 1")).to_be_visible()
    expect(page.get_by_text(re.compile("This format cannot hold topic"))).to_be_visible()
    with page.expect_download() as coming:
        fetch.click()
    assert coming.value.suggested_filename == "colored.txt"
    coming.value.save_as(tmp_path / "back")
    back, _ = read(tmp_path / "back")
    assert list(back.words) == words[:-1].tolist()
    assert back.matrix.tobytes() == matrix[:-1].tobytes()
    page.get_by_role("button", name="Close the export").click()
    expect(fetch).to_have_count(0)
    space = visitor.says(lambda query: "space" in query)["space"][0]
    page = visitor.go(f"map?space={space}&color=column")
    visitor.map()
    expect(page.locator(READY)).to_have_attribute("data-points", "121")
    expect(page.locator(READY)).to_have_attribute("data-coloring", "category")
    expect(page.get_by_role("combobox", name="Color")).to_have_value("Color: Column topic")
