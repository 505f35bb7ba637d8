"""The exported page opened from disk, and the picture in a notebook: no server, and no request."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from embedviz.figures.scatter import REST, Scatter, scatter

pytestmark = pytest.mark.browser

NASTY = "</script><img src=x onerror=alert(1)>"


def figure(n: int = 300) -> Scatter:
    random = np.random.default_rng(0)
    points = random.uniform(-5, 5, (n, 2)).astype(np.float32)
    points[0], points[1] = (5, 0), (-5, 0)
    codes = np.full(n, REST, np.uint8)
    codes[: n // 2] = np.arange(n // 2) % 3
    color = SimpleNamespace(
        title="groups", kind="category", codes=codes, labels=("Ones", "Twos", "Threes"), low=0.0, high=0.0,
        diverging=False,
    )  # fmt: skip
    words = [NASTY, "Queen", *(f"word{row}" for row in range(2, n))]
    return scatter(SimpleNamespace(words=words, points=points, method="pca", axes=("across", "up")), color)


@pytest.fixture
def opened(page: Page, tmp_path: Path):
    """Opens a page of a map from disk; ends with the requests it made, which must be that file alone."""
    asked: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda sentence: problems.append(sentence.text) if sentence.type == "error" else None)

    def show(text: str) -> Page:
        path = tmp_path / "map.html"
        path.write_text(text, "utf-8")
        page.goto(path.as_uri())
        return page

    yield show
    assert asked == [(tmp_path / "map.html").as_uri()]
    assert problems == []


def colors(page: Page) -> set[tuple[int, ...]]:
    picture = Image.open(io.BytesIO(page.locator(".map").screenshot())).convert("RGB")
    return {color for _, color in picture.getcolors(1 << 24) or []}


def place(page: Page, row: int) -> tuple[float, float]:
    """Where a row of the figure lies on the page: these points span the map's width."""
    box = page.locator(".map").bounding_box()
    assert box is not None
    camera = [float(value) for value in (page.locator(".map").get_attribute("data-camera") or "").split(",")]
    points = figure().projection.points
    width, height = box["width"] - 26 - 24, box["height"] - 16 - 26
    span = points.max(0) - points.min(0)
    k = min(width / span[0], height / span[1]) * camera[2]
    middle = box["x"] + (26 + box["width"] - 24) / 2, box["y"] + (16 + box["height"] - 26) / 2
    return float(middle[0] + k * (points[row, 0] - camera[0])), float(middle[1] - k * (points[row, 1] - camera[1]))


@pytest.mark.parametrize(("theme", "bg", "blue"), [("light", "#FCFCFA", "#2F4BB2"), ("dark", "#14171A", "#567BE5")])
def test_a_page_from_disk_draws_its_map_and_asks_for_nothing(opened, theme: str, bg: str, blue: str) -> None:
    page = opened(figure().html(title="A <map>", note={"badge": "checking", "sample": "300 words"}, theme=theme))
    page.wait_for_selector('.map[data-ready="true"]')
    page.wait_for_timeout(300)
    assert {_rgb(bg), _rgb(blue)} <= colors(page)
    assert page.locator("h1").inner_text() == "A <map>"
    assert page.get_by_text("checking").is_visible()
    assert page.get_by_text("300 words").is_visible()
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")
    assert page.get_by_role("application").get_attribute("aria-label") == "A <map>: a map of 300 words."


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[start : start + 2], 16) for start in (1, 3, 5))


def test_a_page_from_disk_is_hovered_clicked_moved_and_zoomed(opened) -> None:
    page = opened(figure().html())
    map_ = page.locator('.map[data-ready="true"]')
    map_.wait_for()
    page.mouse.move(*place(page, 0))
    expect(map_).to_have_attribute("data-hover", NASTY)
    assert page.locator(".tip strong").text_content() == NASTY
    page.mouse.down()
    page.mouse.up()
    expect(map_).to_have_attribute("data-selection", NASTY)
    assert page.locator("input").input_value() == NASTY
    assert page.locator("img").count() == 0
    home = map_.get_attribute("data-camera")
    page.mouse.wheel(0, -300)
    expect(map_).not_to_have_attribute("data-camera", home)
    page.get_by_role("button", name="Reset view").click()
    expect(map_).to_have_attribute("data-camera", home)
    assert page.get_by_role("toolbar").count() == 0


def test_a_page_from_disk_finds_a_word(opened) -> None:
    page = opened(figure().html())
    map_ = page.locator('.map[data-ready="true"]')
    map_.wait_for()
    box = page.get_by_role("combobox", name="Find a word")
    for typed, chosen, hits, says in (
        ("queen", "Queen", "0", ""),
        ("word29", "word29", "0", ""),
        ("word2x", "", "0", "“word2x” is not among the 300 words."),
        ("WORD1", "", "110", "110 of 300 words begin with “WORD1”."),
        ("", "", "0", ""),
    ):
        box.fill(typed)
        box.press("Enter")
        expect(map_).to_have_attribute("data-selection", chosen)
        expect(map_).to_have_attribute("data-hits", hits)
        assert page.locator(".said").inner_text() == says
    box.fill("word12")
    assert page.locator("datalist option").evaluate_all("es => es.map(e => e.value)")[:2] == ["word12", "word120"]


def test_a_page_may_not_ask_a_server(page: Page, tmp_path: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: request.failure == "csp" and asked.remove(request.url))
    path = tmp_path / "map.html"
    path.write_text(figure().html(), "utf-8")
    page.goto(path.as_uri())
    refused = page.evaluate(
        """async () => {
          const image = new Image();
          const failed = new Promise((done) => ([image.onload, image.onerror] = [() => done(false), () => done(true)]));
          image.src = 'http://127.0.0.1:9/x.png';
          const fetched = fetch('http://127.0.0.1:9/').then(() => 'answered', (error) => error.name);
          const script = document.createElement('script');
          script.textContent = 'globalThis.ran = true';
          document.body.append(script);
          return [await failed, await fetched, globalThis.ran ?? false];
        }"""
    )
    assert refused == [True, "TypeError", False]
    assert asked == [path.as_uri()]


def test_several_maps_of_a_notebook_do_not_meet(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 900, "height": 1200}, color_scheme="light")
    page = context.new_page()
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{figure()._repr_html_()}{figure(50)._repr_html_()}", "utf-8")
    page.goto(path.as_uri())
    try:
        counts = []
        for frame in page.frames[1:]:
            frame.wait_for_selector('.map[data-ready="true"]')
            counts.append(frame.locator(".map").get_attribute("data-points"))
            frame.get_by_role("combobox").fill(f"word{10 * len(counts)}")
            frame.get_by_role("combobox").press("Enter")
        assert counts == ["300", "50"]
        for frame, word in zip(page.frames[1:], ("word10", "word20"), strict=True):
            expect(frame.locator(".map")).to_have_attribute("data-selection", word)
        assert page.locator("iframe").first.bounding_box()["height"] == 520  # type: ignore[index]
    finally:
        context.close()
