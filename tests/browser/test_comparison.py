"""Decades in one zip, in a real Chromium: opened, followed through by one word, two of them compared bar by bar."""

from __future__ import annotations

import json
import re
import zipfile

import numpy as np
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_decades_are_opened_followed_and_compared(visitor, tmp_path):
    random = np.random.default_rng(0)
    matrix = random.normal(size=(80, 6))
    with zipfile.ZipFile(tmp_path / "decades.zip", "w") as archive:
        archive.writestr("terms.json", json.dumps([f"w{row}" for row in range(79)] + ["gay"]))
        for year in (1850, 1900, 1990):
            matrix = matrix + random.normal(scale=0.3, size=matrix.shape)
            archive.writestr(f"m_{year}.f32.bin", matrix.astype("<f4").tobytes())
    page = visitor.go("open")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(str(tmp_path / "decades.zip"))
    expect(page.get_by_text("3 spaces of 80 words × 6.")).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Follow a word").click()
    expect(page.locator("h1")).to_contain_text("Compare")
    expect(page.get_by_text(re.compile("^Of all words, "))).to_be_visible(timeout=30_000)
    expect(page.get_by_role("heading", name="in each space")).to_be_visible(timeout=30_000)
    assert visitor.charts() > 0
    query = visitor.says(lambda asked: "also" in asked)
    assert len(query["also"]) == 2
    page = visitor.go(f"compare?space={query['space'][0]}&also={query['also'][1]}&k=3")
    bars = page.locator(".st-key-overlap-plot .bars .point path")
    expect(bars.nth(1)).to_be_visible(timeout=30_000)
    assert visitor.charts() > 0
    box = bars.nth(1).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 2)
    visitor.says(lambda asked: asked.get("kept") == ["1"])
    expect(page.get_by_text("1 of 3 kept: ")).to_be_visible()
