"""The shared components in a real browser: word box, export row, escaped words, theme watcher."""

from __future__ import annotations

import io
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Browser, Error, Page, expect

from pages._shared.app.escape import unescaped
from tests.browser.lending import lent
from tests.browser.server import ROOT, served

pytestmark = pytest.mark.browser

BASE = "teaching"  # the demo answers under a path, as behind a proxy
SETTLED = """() => document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')"""
SHOTS = os.environ.get("EMBEDVIZ_SHOTS")  # a folder: pictures of the components are left there


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the demo app, which runs until the module is done."""
    log = tmp_path_factory.mktemp("demo") / "log"
    with served(ROOT / "tests/browser/demo/demo_app.py", log, base=BASE) as running:
        yield running.address


@contextmanager
def visit(browser: Browser, address: str, *, phone: bool = False, theme: str = "light") -> Iterator[Page]:
    """A settled page of the demo, wide or phone; no error may be logged while it is open."""
    size = {"width": 390, "height": 844} if phone else {"width": 1440, "height": 900}
    touch: dict[str, Any] = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2} if phone else {}
    origin = address.partition(f"/{BASE}")[0]
    with lent(browser, rest=f"{origin}/{BASE}/_stcore/health", viewport=size, color_scheme=theme, **touch) as page:
        errors: list[str] = []

        def note(error: Error) -> None:
            errors.append(str(error))

        page.on("pageerror", note)
        page.goto(address)
        ready = ".st-key-link-map, .st-key-link-first, .st-key-in-select, .st-key-answer"
        page.wait_for_selector(ready, timeout=30_000)
        page.wait_for_function(SETTLED, timeout=30_000)
        yield page
        page.remove_listener("pageerror", note)
        assert not errors


def settle(page: Page) -> None:
    page.wait_for_timeout(150)
    page.wait_for_function(SETTLED, timeout=30_000)
    page.wait_for_timeout(150)


def sentence(page: Page) -> str:
    return page.get_by_test_id("stText").inner_text()


def completions(page: Page) -> list[str]:
    page.wait_for_selector(".st-key-word [role=option]")
    return page.locator(".st-key-word [role=option]").all_inner_texts()


@pytest.fixture
def box(browser: Browser, demo: str) -> Iterator[Page]:
    with visit(browser, demo) as page:
        yield page


@pytest.fixture(scope="module")
def still(browser: Browser, demo: str) -> Iterator[Page]:
    """One visit for all tests that change nothing: each closes what it opens."""
    with visit(browser, demo) as page:
        yield page


def combobox(page: Page) -> Any:
    return page.get_by_role("combobox", name="Word", exact=True)


# ---- word box


def test_it_completes_by_frequency_then_in_another_case(box: Page) -> None:
    combobox(box).fill("gui")
    assert completions(box) == ["guitar", "guitars", "guitarist", "guillotine", "guild", "Guitar"]
    assert box.locator(".st-key-word [role=option] b").first.inner_text() == "gui"


def test_keys_walk_the_list_and_choose(box: Page) -> None:
    field = combobox(box)
    field.fill("kin")
    assert completions(box) == ["king", "kings", "kingdom", "King"]
    expect(field).to_have_attribute("aria-expanded", "true")
    active = box.locator(".st-key-word [aria-selected=true]")
    steps = {"ArrowDown": "king", "ArrowDown ": "kings", "End": "King", "ArrowDown  ": "king", "ArrowUp": "King"}
    for key, word in {**steps, "Home": "king"}.items():
        box.keyboard.press(key.strip())
        assert active.inner_text() == word
        assert active.get_attribute("id") == field.get_attribute("aria-activedescendant")
    box.keyboard.press("ArrowDown")
    box.keyboard.press("Enter")
    expect(box.get_by_test_id("stText")).to_contain_text("typed 'kings'; word 'kings'")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_have_value("kings")


def test_escape_closes_then_restores(box: Page) -> None:
    field = combobox(box)
    field.fill("the")
    completions(box)
    box.keyboard.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_have_value("the")
    box.keyboard.press("Escape")
    expect(field).to_have_value("guitar")
    assert "typed None" in sentence(box)


def test_a_click_chooses_and_markup_stays_text(box: Page) -> None:
    combobox(box).fill("<b")
    assert completions(box) == ["<b>bold</b>"]
    box.locator(".st-key-word [role=option]").first.click()
    expect(box.get_by_test_id("stText")).to_contain_text("typed '<b>bold</b>'")


def test_what_is_typed_is_sent_as_it_is(box: Page) -> None:
    field = combobox(box)
    field.fill("no such word")
    box.keyboard.press("Enter")
    expect(box.get_by_test_id("stText")).to_contain_text("typed 'no such word'; word 'no such word'")


def test_a_pattern_is_sent_and_never_completed(box: Page) -> None:
    asked: list[str] = []
    box.on("request", lambda request: asked.append(request.url) if re.search(r"words/.+q=.", request.url) else None)
    field = combobox(box)
    field.fill("/^un.*ly$/")
    box.wait_for_timeout(400)
    assert asked == []
    box.keyboard.press("Enter")
    expect(box.get_by_test_id("stText")).to_contain_text("typed '/^un.*ly$/'")


def test_the_cross_clears(box: Page) -> None:
    combobox(box).focus()
    box.get_by_role("button", name="Clear").click()
    expect(box.get_by_test_id("stText")).to_contain_text("typed ''; word ''")
    expect(combobox(box)).to_have_value("")


def test_another_value_updates_the_box_unless_something_unsent_is_typed(box: Page) -> None:
    field = combobox(box)
    box.get_by_role("button", name="Choose king").click()
    expect(field).to_have_value("king")
    box.get_by_role("button", name="Choose the").evaluate("button => { setTimeout(() => button.click(), 300) }")
    field.fill("unsent")
    settle(box)
    box.wait_for_timeout(600)
    assert "word 'the'" in sentence(box)
    expect(field).to_have_value("unsent")


def test_an_ended_token_is_renewed(box: Page) -> None:
    field = combobox(box)
    first = True

    def once(route: Any) -> None:
        nonlocal first
        route.fulfill(status=404) if first else route.continue_()
        first = False

    box.route(re.compile(r"/words/"), once)
    field.fill("gui")  # the box asks, hears 404, has the page publish again
    settle(box)
    field.fill("guit")
    assert completions(box)[0] == "guitar"


def test_a_token_ends_with_its_session(browser: Browser, demo: str) -> None:
    with visit(browser, demo) as page:
        with page.expect_response(re.compile("/words/.*q=gui")) as waiting:
            combobox(page).fill("gui")
        address = waiting.value.url
        assert _status(address) == 200
    for _ in range(50):
        if (status := _status(address)) != 200:
            break
        time.sleep(0.1)
    assert status == 404


def _status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_typing_is_answered_quickly_over_the_base_path(box: Page) -> None:
    answers: list[str] = []
    box.on("response", lambda response: answers.append(response.url) if "/words/" in response.url else None)
    combobox(box).fill("wor")
    assert len(completions(box)) == 8
    assert all(f"/{BASE}/words/" in address for address in answers)


def test_touch_targets(browser: Browser, demo: str) -> None:
    with visit(browser, demo, phone=True) as page:
        combobox(page).fill("gui")
        completions(page)
        measured = "es => es.map(e => [e.getBoundingClientRect().width, e.getBoundingClientRect().height])"
        assert page.locator(".st-key-word .box").evaluate_all(measured) == [[358, 40]]
        assert min(high for _, high in page.locator(".st-key-word [role=option]").evaluate_all(measured)) >= 40
        sizes = page.locator("[class*=st-key-export-] button").evaluate_all(measured)
        assert len(sizes) == 16
        assert min(min(size) for size in sizes) >= 40
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
        page.locator(".st-key-word [role=option]").nth(1).tap()
        expect(page.get_by_test_id("stText")).to_contain_text("typed 'guitars'")


# ---- export row


def test_the_image_holds_the_figure_between_its_lines(still: Page) -> None:
    with still.expect_download() as waiting:
        still.locator(".st-key-image-neighbors").get_by_role("button", name="Image").click()
    assert waiting.value.suggested_filename == "neighbors-guitar.png"
    content = Path(waiting.value.path()).read_bytes()
    _keep("plotly-light.png", content)
    image = Image.open(io.BytesIO(content)).convert("RGB")
    plot = still.locator(".st-key-chart .js-plotly-plot").bounding_box()
    assert plot is not None
    assert abs(image.width - 2 * (plot["width"] + 48)) <= 2
    assert image.height > 2 * (plot["height"] + 48)
    assert image.getpixel((2, 2)) == (0xFC, 0xFC, 0xFA)
    colors = {color for _, color in image.getcolors(1 << 24) or []}
    assert (0x2F, 0x4B, 0xB2) in colors  # the points
    title = image.crop((0, 0, image.width, 2 * 60)).getcolors(1 << 24) or []
    assert any(color == (0x1E, 0x24, 0x29) for _, color in title)


def test_the_image_takes_the_theme_of_the_page(browser: Browser, demo: str) -> None:
    with visit(browser, demo, theme="dark") as page:
        with page.expect_download() as waiting:
            page.locator(".st-key-image-neighbors").get_by_role("button", name="Image").click()
        content = Path(waiting.value.path()).read_bytes()
        _keep("plotly-dark.png", content)
        assert Image.open(io.BytesIO(content)).convert("RGB").getpixel((2, 2)) == (0x14, 0x17, 0x1A)


def test_the_image_keeps_what_one_layer_borrows_from_another(still: Page) -> None:
    with still.expect_download() as waiting:
        still.locator(".st-key-image-heat").get_by_role("button", name="Image").click()
    image = Image.open(waiting.value.path()).convert("RGB")
    colors = [color for _, color in image.getcolors(1 << 24) or []]
    assert (255, 0, 0) in colors
    assert any(100 < red < 155 and 100 < green < 155 and blue < 40 for red, green, blue in colors)  # the color bar


def test_the_map_is_asked_for_its_picture(still: Page) -> None:
    still.evaluate("window.addEventListener('embedviz:picture', event => { window.heard = event.detail })")
    still.locator(".st-key-image-map").get_by_role("button", name="Image").click()
    heard = still.evaluate("window.heard")
    assert heard["chart"] == "first"
    assert heard["filename"] == "map"
    assert heard["note"]["title"] == "Nearest to guitar"


def test_a_plotly_figure_is_saved_as_svg_with_its_lines_as_text(still: Page) -> None:
    still.locator(".st-key-more-neighbors").get_by_role("button").click()
    with still.expect_download() as waiting:
        still.locator(".st-key-svg-neighbors").get_by_role("button", name="SVG").click()
    still.keyboard.press("Escape")
    assert waiting.value.suggested_filename == "neighbors-guitar.svg"
    tree = ElementTree.parse(waiting.value.path()).getroot()
    texts = ["".join(text.itertext()) for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"guitars", "guitarist", "guitarists", "Nearest to guitar"} <= set(texts)
    assert [text for text in texts if text.startswith("●●○ Read groups")]
    assert b"http" not in re.sub(rb'xmlns(:\w+)?="[^"]*"', b"", Path(waiting.value.path()).read_bytes())
    begun = texts.index("A guitar is near to guitars, and")
    meaning = texts[begun : texts.index("●●○ Read groups · 29 % of neighbors kept")]
    assert len(meaning) >= 4
    assert "a" * 300 + "wkward" in "".join(meaning)
    assert " ".join(meaning).count("Few are.") == 30


def test_a_map_is_saved_as_svg_and_as_a_web_page(browser: Browser, demo: str) -> None:
    with plane(browser, demo) as page:
        page.locator(".st-key-more-first").get_by_role("button").click()
        with page.expect_download() as waiting:
            page.locator(".st-key-svg-first").get_by_role("button", name="SVG").click()
        assert waiting.value.suggested_filename == "plane.svg"
        svg = ElementTree.parse(waiting.value.path()).getroot()
        texts = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert {"A plane <of> words", "direction 1", "Ones", "checking"} <= set(texts)
        with page.expect_download() as waiting:
            page.get_by_test_id("stDownloadButton").get_by_role("button", name="Web page").click()
        assert waiting.value.suggested_filename == "plane.html"
        assert "<h1>A plane &lt;of&gt; words</h1>" in Path(waiting.value.path()).read_text("utf-8")
        _keep("more.png", page.screenshot())


def test_the_link_is_copied_and_said(browser: Browser, demo: str) -> None:
    for secure in (True, False):
        with visit(browser, f"{demo}/?word=king") as page:
            page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            page.evaluate("navigator.clipboard.writeText('before')")
            if not secure:
                page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
            button = page.locator(".st-key-link-neighbors").get_by_role("button")
            button.click()
            expect(button).to_contain_text("Copied")
            sentence = "Copied. Others cannot open this link: embedviz runs on this computer."
            expect(page.locator(".st-key-link-neighbors [role=status]")).to_contain_text(sentence)
            page.evaluate("delete navigator.clipboard")
            assert page.evaluate("navigator.clipboard.readText()") == page.url
            assert "word=king" in page.url
            if secure:
                expect(button).to_contain_text("Copy link", timeout=12_000)


def test_the_table_is_made_when_it_is_asked_for(still: Page) -> None:
    with still.expect_download() as waiting:
        still.get_by_test_id("stDownloadButton").get_by_role("button").click()
    assert waiting.value.suggested_filename == "neighbors-guitar.csv"
    text = Path(waiting.value.path()).read_bytes().decode("utf-8-sig")
    assert text.splitlines() == ["word,cosine", "guitars,0.8", "'=cmd(),0.62", "naïve,-0.5"]


def test_the_code_is_one_click_away(still: Page) -> None:
    still.locator(".st-key-python-neighbors").get_by_role("button").click()
    expect(still.get_by_test_id("stCode")).to_contain_text('space = embedviz.load("builtin")')
    still.keyboard.press("Escape")


# ---- selection on a map


@contextmanager
def plane(browser: Browser, demo: str, n: int = 400, **look: Any) -> Iterator[Page]:
    """The demo's map, drawn, and no request to a host but ours."""
    with visit(browser, f"{demo}/?mode=plane&n={n}", **look) as page:
        page.wait_for_selector('.map[data-ready="true"]')
        page.wait_for_timeout(300)
        yield page


def draw(page: Page, corners: list[tuple[float, float]], *keys: str) -> None:
    """Draws through corners of the map, as shares of its width and height, with keys held down."""
    box = page.locator(".map").bounding_box()
    assert box is not None
    for key in keys:
        page.keyboard.down(key)
    for step, (across, down) in enumerate(corners):
        page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"], steps=5)
        if not step:
            page.mouse.down()
    page.mouse.up()
    for key in keys:
        page.keyboard.up(key)


MIDDLE = [(0.3, 0.25), (0.7, 0.25), (0.7, 0.8), (0.3, 0.8)]


def test_a_drawn_selection_reaches_python_and_an_id_alone_comes_back(browser: Browser, demo: str) -> None:
    with plane(browser, demo, 40_000) as page:
        received: list[int] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
        page.reload()
        page.wait_for_selector('.map[data-ready="true"]')
        settle(page)
        map_ = page.locator(".map")
        page.get_by_role("button", name="Lasso").click()
        draw(page, MIDDLE)
        expect(map_).to_have_attribute("data-selected", re.compile(r"^\d{5}$"))
        count = int(map_.get_attribute("data-selected") or 0)
        expect(page.get_by_test_id("stText")).to_contain_text(f"heard {count}; selected {count}")
        settle(page)
        before = len(received)
        page.get_by_role("button", name="Rerun").click()
        expect(page.get_by_test_id("stText")).to_contain_text(f"heard None; selected {count}")
        settle(page)
        assert sum(received[before:]) < 40_000, "the selection went along with the rerun"
        assert map_.get_attribute("data-selected") == str(count)
        page.keyboard.press("Tab")
        page.locator(".map .over").press("Escape")
        expect(page.get_by_test_id("stText")).to_contain_text("heard 0; selected 0")


def test_what_python_selects_is_shown(browser: Browser, demo: str) -> None:
    with plane(browser, demo) as page:
        map_ = page.locator(".map")
        for button, count in (("Select few", "3"), ("Select half", "200")):
            page.get_by_role("button", name=button).click()
            expect(map_).to_have_attribute("data-selected", count)
        page.get_by_role("button", name="Clear", exact=True).click()
        expect(map_).to_have_attribute("data-selected", "0")


def test_a_large_selection_of_python_goes_by_the_route(browser: Browser, demo: str) -> None:
    with plane(browser, demo, 40_000) as page:
        with page.expect_response(re.compile("/data/")) as waiting:
            page.get_by_role("button", name="Select half").click()
        assert len(waiting.value.body()) == 5000
        expect(page.locator(".map")).to_have_attribute("data-selected", "20000")


def test_a_finger_draws_a_box_on_a_phone_and_the_tools_are_large_enough(browser: Browser, demo: str) -> None:
    with plane(browser, demo, phone=True) as page:
        tools = page.get_by_role("toolbar").get_by_role("button")
        sizes = tools.evaluate_all("es => es.map(e => [e.offsetWidth, e.offsetHeight])")
        assert len(sizes) == 3
        assert min(min(size) for size in sizes) >= 40
        page.get_by_role("button", name="Box").tap()
        box = page.locator(".map").bounding_box()
        assert box is not None
        session = page.context.new_cdp_session(page)
        left, top = box["x"] + 0.2 * box["width"], box["y"] + 0.3 * box["height"]
        for kind, step in (("touchStart", 0), ("touchMove", 1), ("touchMove", 2), ("touchEnd", 2)):
            points = [] if kind == "touchEnd" else [{"x": left + 100 * step, "y": top + 60 * step}]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        expect(page.get_by_test_id("stText")).to_contain_text(re.compile(r"heard [1-9]\d+; selected [1-9]\d+"))
        _keep("selection-phone.png", page.screenshot())


@pytest.mark.skipif(not SHOTS, reason="Set EMBEDVIZ_SHOTS to a folder to get pictures.")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_of_a_selection(browser: Browser, demo: str, theme: str) -> None:
    with plane(browser, demo, 2500, theme=theme) as page:
        page.get_by_role("button", name="Lasso").click()
        draw(page, [(0.4, 0.2), (0.6, 0.3), (0.65, 0.7), (0.5, 0.85), (0.35, 0.6)])
        settle(page)
        page.wait_for_timeout(400)
        _keep(f"selection-{theme}.png", page.screenshot())


# ---- theme and width


def test_the_menu_s_theme_reaches_python(box: Page) -> None:
    assert "theme light; width wide" in sentence(box)
    runs = int(re.search(r"runs (\d+)", sentence(box))[1])  # type: ignore[index]
    box.get_by_test_id("stMainMenu").get_by_role("button").click()
    box.get_by_test_id("stMainMenuItem-theme-Dark").click()
    started = time.perf_counter()
    expect(box.get_by_test_id("stText")).to_contain_text("theme dark", timeout=5000)
    took = time.perf_counter() - started
    settle(box)
    box.wait_for_timeout(500)
    after = int(re.search(r"runs (\d+)", sentence(box))[1])  # type: ignore[index]
    assert after == runs + 1
    assert took < 2.5
    ink = box.locator(".st-key-chart .js-plotly-plot text").first.evaluate("e => getComputedStyle(e).fill")
    assert ink == "rgb(233, 231, 226)"


def test_resizing_runs_the_script_only_over_the_threshold(box: Page) -> None:
    runs = int(re.search(r"runs (\d+)", sentence(box))[1])  # type: ignore[index]
    for width in (1300, 1100, 900, 800, 700):
        box.set_viewport_size({"width": width, "height": 900})
        box.wait_for_timeout(60)
    settle(box)
    assert f"runs {runs};" in sentence(box)
    box.set_viewport_size({"width": 390, "height": 844})
    expect(box.get_by_test_id("stText")).to_contain_text(f"runs {runs + 1}; theme light; width phone")


def test_a_phone_costs_no_extra_run(browser: Browser, demo: str) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        user_agent="Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36",
    )
    page = context.new_page()
    page.goto(demo)
    expect(page.get_by_test_id("stText")).to_contain_text("runs 1; theme light; width phone", timeout=30_000)
    page.wait_for_timeout(800)
    assert "runs 1;" in sentence(page)
    context.close()


# ---- escape


def test_nasty_words_come_out_as_they_are(browser: Browser, demo: str) -> None:
    with visit(browser, f"{demo}/?mode=nasty") as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        nasty = json.loads(page.get_by_test_id("stCode").first.inner_text())
        literal = [" ".join(word.split()) for word in nasty]
        places = {
            "markdown": "[data-testid=stMarkdown]",
            "caption": "[data-testid=stCaptionContainer]",
            "html": "[data-testid=stMarkdown]",
            "button": "[data-testid=stButton]",
            "radio": "[data-testid=stRadioOption], label[data-baseweb=radio], [role=radiogroup] label",
            "table": "tbody td",
        }
        for place, selector in places.items():
            visible = page.locator(f".st-key-in-{place}").locator(selector)
            expect(visible).to_have_count(len(literal))
            found = visible.all_text_contents()
            assert [unescaped(text) for text in found] == literal, place
        expect(page.locator(".st-key-in-bold strong")).to_have_count(len(literal))
        bold = page.locator(".st-key-in-bold strong").all_text_contents()
        assert [unescaped(text) for text in bold] == literal
        for bad in ("a", "img", "em", "code", "del", ".katex", "script", "b", "h1", "li", "hr", "blockquote", "pre"):
            for place in places:
                assert page.locator(f".st-key-in-{place}").locator(bad).count() == 0, (place, bad)
        assert not [address for address in asked if "missing.png" in address]


def test_a_select_box_shows_plain_text(browser: Browser, demo: str) -> None:
    with visit(browser, f"{demo}/?mode=nasty") as page:
        nasty = json.loads(page.get_by_test_id("stCode").first.inner_text())
        page.locator(".st-key-in-select").get_by_role("combobox").click()
        page.keyboard.press("ArrowDown")
        page.wait_for_selector("[role=option]")
        found = page.get_by_role("option").all_text_contents()
        assert found
        assert found == [" ".join(word.split()) for word in nasty][: len(found)]


# ---- the map


@pytest.mark.parametrize("color", ["plain", "groups"])
def test_a_map_of_three_dimensions_keeps_its_camera_over_a_click(browser: Browser, demo: str, color: str) -> None:
    with visit(browser, f"{demo}/?mode=map&d=3&color={color}") as page:
        root = page.locator('.map[data-ready="true"]')
        expect(root).to_have_attribute("data-dimensions", "3")
        box = root.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 500, box["y"] + 250)
        page.mouse.down()
        page.mouse.move(box["x"] + 600, box["y"] + 260, steps=4)
        page.mouse.up()
        expect(root).to_have_attribute("data-moving", "false")
        camera = root.get_attribute("data-camera")
        row, x, y = root.evaluate(
            """async (root) => {
              const loaded = performance.getEntriesByType('resource').find(({ name }) => name.includes('store.mjs'));
              const { view } = (await import(loaded.name)).views.get(root);
              const row = view.rowAt(view.state.width / 2, view.state.tall / 2, 60);
              const [x, y] = view.state.position(row);
              return [row, x, y];
            }"""
        )
        page.mouse.click(box["x"] + x, box["y"] + y)
        expect(page.get_by_test_id("stText")).to_contain_text(re.compile(r"chosen \d+"))
        chosen = page.get_by_test_id("stText").inner_text().removeprefix("chosen ")
        expect(root).to_have_attribute("data-selection", f"word{chosen}")
        assert color == "groups" or chosen == str(row)
        assert root.get_attribute("data-camera") == camera


def test_another_layout_is_flown_to_and_so_are_other_dimensions(browser: Browser, demo: str) -> None:
    with visit(browser, f"{demo}/?mode=map&n=500") as page:
        root = page.locator('.map[data-ready="true"]')
        root.evaluate(
            """(root) => {
              globalThis.flights = [];
              const note = () => flights.push(root.dataset.flying);
              new MutationObserver(note).observe(root, { attributeFilter: ['data-flying'] });
            }"""
        )
        for number, name in enumerate(["Another layout", "The other dimensions", "The other dimensions"], 1):
            page.get_by_role("button", name=name).click()
            page.wait_for_function("(n) => flights.length >= 2 * n", arg=number)
            assert page.evaluate("flights") == ["true", "false"] * number
            expect(root).to_have_attribute("data-dimensions", "3" if number == 2 else "2")
            expect(root).to_have_attribute("data-points", "500")


# ---- pictures, on demand


@pytest.mark.skipif(not SHOTS, reason="Set EMBEDVIZ_SHOTS to a folder to get pictures.")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("phone", [False, True])
def test_pictures(browser: Browser, demo: str, phone: bool, theme: str) -> None:
    with visit(browser, demo, phone=phone, theme=theme) as page:
        name = f"{'phone' if phone else 'wide'}-{theme}"
        _keep(f"{name}.png", page.screenshot())
        combobox(page).fill("gui")
        completions(page)
        page.keyboard.press("ArrowDown")
        _keep(f"{name}-open.png", page.screenshot())
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.locator(".st-key-python-neighbors button").click()
        page.wait_for_timeout(500)
        _keep(f"{name}-code.png", page.screenshot())


def _keep(name: str, content: bytes) -> None:
    if SHOTS:
        Path(SHOTS, name).write_bytes(content)


# ---- movie


def test_a_movie_follows_its_slider_and_the_address_follows_when_it_is_let_go(browser: Browser, demo: str) -> None:
    """Points meet at the first layer and part to the last; a point is found, read and chosen; the picture is saved."""
    with visit(browser, f"{demo}/?mode=movie") as page:
        visible, result = page.locator(".picture"), page.get_by_test_id("stText")
        expect(visible).to_have_attribute("data-at", "2.00")
        slider = page.get_by_role("slider", name="Layer")
        rail = slider.bounding_box()
        assert rail is not None
        page.mouse.move(rail["x"] + rail["width"] - 8, rail["y"] + 20)
        page.mouse.down()
        page.mouse.move(rail["x"] + 0.3 * rail["width"], rail["y"] + 20, steps=4)
        expect(visible).to_have_attribute("data-at", re.compile(r"^0\.[56]"))
        expect(result).to_have_text("layer 2; row None")
        page.mouse.up()
        expect(visible).to_have_attribute("data-at", "1.00")
        expect(result).to_have_text("layer 1; row None")
        slider.press("Home")
        expect(result).to_have_text("layer 0; row None")
        page.get_by_role("button", name="Layer 2").click()
        expect(result).to_have_text("layer 2; row None")
        expect(visible).to_have_attribute("data-at", "2.00")
        canvas = visible.get_by_role("application")
        canvas.press("ArrowRight")
        expect(page.locator(".tip")).to_have_text("<i>0</i> on the bank againleft")
        expect(page.locator(".tip b")).to_have_text("bank")
        canvas.press("Enter")
        expect(result).to_have_text("layer 2; row 0")
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Image").click()
        assert Image.open(io.BytesIO(Path(waiting.value.path()).read_bytes())).width > 1000
        page.get_by_role("button", name="More").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name="SVG").click()
        texts = [
            text.text
            for text in ElementTree.fromstring(Path(waiting.value.path()).read_bytes()).iter(
                "{http://www.w3.org/2000/svg}text"
            )
        ]
        assert {"Two", "0", "1", "2", "left", "right", "alone", "bank"} <= set(texts)
