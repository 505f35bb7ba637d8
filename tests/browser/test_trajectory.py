"""The movie of a training in a browser: played, stepped through, exported as a page of its own."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
from playwright.sync_api import expect

from embedviz.core.space import VectorSpace
from embedviz.core.trajectory import Trajectory
from embedviz.figures.scatter import scatter
from embedviz.training import replay

pytestmark = pytest.mark.browser

WORDS = [f"w{row}" for row in range(30)]


def watched(folder, seed):
    """A space whose thirty words went from the middle to their places in four moments."""
    matrix = np.random.default_rng(seed).normal(size=(len(WORDS), 6)).astype(np.float32)
    space = VectorSpace(WORDS, matrix).save(folder)
    shares = np.array([0, 0.5, 0.8, 1], np.float32)
    Trajectory(WORDS, np.arange(len(WORDS)), 2 * shares, shares[:, None, None] * matrix).save(folder / "trajectory")
    return space


def test_two_movies_go_by_one_slider_and_the_address_holds_the_moment(visitor, server):
    folders = [server.log.parent / "models" / name for name in ("first-run", "second-run")]
    try:
        for seed, folder in enumerate(folders):
            watched(folder, seed)
        page = visitor.go("trajectory?space=saved:first-run&also=saved:second-run&trail=w3")
        maps = page.locator(".map")
        expect(maps).to_have_count(2)
        for one in maps.all():
            expect(one).to_have_attribute("data-moment", "2")
            expect(one.get_by_role("button", name="Reset view")).to_be_visible()  # it opens at the trails
        page.get_by_role("combobox", name="Trails").click()
        page.keyboard.type("w1")
        page.keyboard.press("Enter")  # that word, and none of those that go on from it
        visitor.says(lambda query: query.get("trail") == ["w3", "w1"])
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Zoom to the trails").first.click()
        slider = page.get_by_role("slider", name="Moment of the training")
        slider.focus()
        slider.press("ArrowLeft")
        for one in maps.all():
            expect(one).to_have_attribute("data-moment", "1.6")
        visitor.says(lambda query: query.get("step") == ["2"])
        expect(page.locator(".curves")).to_have_attribute("data-epoch", "1.6")
        maps.last.locator(".over").press(",")
        expect(maps.first).to_have_attribute("data-moment", "1")
        page.get_by_role("combobox", name="Speed").select_option("¼ ×")
        page.get_by_role("combobox", name="Speed").select_option("4")
        page.get_by_role("button", name="Play").click()
        expect(maps.first).to_have_attribute("data-moment", "2")
        visitor.says(lambda query: query.get("step") == ["3"])
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        assert visitor.charts() > 1
        page.get_by_role("button", name="Lecture view").first.click()
        expect(page.get_by_test_id("stSidebar")).to_be_hidden()
        expect(page.get_by_role("button", name="Play")).to_be_in_viewport()
        expect(slider).to_be_in_viewport()
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def test_the_exported_movie_plays_from_disk(page, tmp_path):
    watched(tmp_path / "run", 0)
    path = tmp_path / "movie.html"
    path.write_text(scatter(replay.film(str(tmp_path / "run"))).html(title="Run", trails=[3, 99]), "utf-8")
    page.goto(path.as_uri())
    drawn = page.locator(".map")
    expect(drawn).to_have_attribute("data-moment", "2")
    expect(drawn).to_have_attribute("data-ready", "true")
    page.get_by_role("slider").press("Home")
    expect(drawn).to_have_attribute("data-moment", "0")
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="Play").click()
    expect(drawn).to_have_attribute("data-moment", re.compile("1|1.6"))  # a step, and nothing between
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
