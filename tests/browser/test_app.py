"""The program as a visitor meets it: a real server, a real Chromium."""

from __future__ import annotations

import gzip
import os
import re
import signal
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.server import ROOT, served
from tests.browser.visitor import READY, SETTLED, Visitor, dark_pixels, difference

pytestmark = pytest.mark.browser


def vector_file(path: Path, n: int = 300, d: int = 20) -> Path:
    random = np.random.default_rng(0)
    rows = "\n".join(f"w{i} " + " ".join(f"{value:.4f}" for value in random.normal(size=d)) for i in range(n))
    path.write_bytes(
        gzip.compress(f"{n} {d}\n{rows}\n".encode()) if path.suffix == ".gz" else f"{n} {d}\n{rows}\n".encode()
    )
    return path


def upload(visitor: Visitor, path: Path) -> None:
    visitor.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(str(path))


def test_a_closed_popover_does_not_undo_what_back_has_changed(visitor):
    page = visitor.go("map?method=pca")
    visitor.map()
    first = page.locator(READY).get_attribute("data-geometry")
    page.get_by_test_id("stPopover").get_by_role("button", name="Settings").click()
    page.get_by_test_id("stPopoverBody").get_by_role("combobox", name="Rule").click()
    page.get_by_role("option", name="Rule: Random").click()
    visitor.says(lambda query: query.get("sample") == ["random"])
    expect(page.locator(READY)).not_to_have_attribute("data-geometry", first)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    page.go_back()
    visitor.says(lambda query: query == {"method": ["pca"]})
    expect(page.locator(READY)).to_have_attribute("data-geometry", first)  # the server has heard of it too
    page.get_by_text("3-D", exact=True).click()
    visitor.says(lambda query: query == {"method": ["pca"], "components": ["3"]})


def test_a_pasted_text_stays_in_use_when_the_next_control_is_changed(visitor):
    page = visitor.go("learn?lesson=counting")
    page.get_by_test_id("stPopover").get_by_role("button", name="Corpus").click()
    page.get_by_test_id("stPopoverBody").get_by_role("textbox").fill("the tea is hot\nthe tea is cold\nhot tea\n" * 9)
    page.get_by_role("button", name="Use this text").click()
    visitor.says(lambda query: query.get("corpus", [""])[0].startswith("upload:"))
    box = page.get_by_role("textbox", name="Word of this text")
    expect(box).to_have_value("tea", timeout=30_000)
    box.fill("hot")
    box.press("Enter")
    query = visitor.says(lambda query: query.get("counted") == ["hot"])
    assert query["corpus"][0].startswith("upload:")


def test_words_are_completed_found_and_taken_back_and_a_pattern_marks_its_hits(visitor):
    page = visitor.go("map")
    visitor.map()
    expect(page.locator("h1")).to_have_count(1)
    assert dark_pixels(page) > 500
    box = page.get_by_role("combobox", name=re.compile("word", re.I)).first
    box.press_sequentially("guit", delay=30)
    page.get_by_role("option", name="guitar", exact=True).click()
    expect(page.locator(READY)).to_have_attribute("data-selection", "guitar")
    expect(page.get_by_role("button", name="guitars", exact=True)).to_be_visible()
    visitor.says(lambda query: query.get("word") == ["guitar"])
    visitor.search("wolf")
    expect(page.locator(READY)).to_have_attribute("data-selection", "wolf")
    page.go_back()
    expect(page.locator(READY)).to_have_attribute("data-selection", "guitar")
    expect(page.locator("h2", has_text="guitar")).to_be_visible()
    visitor.search("/ing$/")
    expect(page.get_by_text(re.compile(r"/ing\$/ is found in \d+ of the 544 words shown"))).to_be_visible()
    expect(page.locator(READY)).to_have_attribute("data-hits", re.compile(r"[1-9]\d*"))
    visitor.search("/(/")
    expect(page.get_by_text("is no regular expression")).to_be_visible()


def test_a_clicked_point_becomes_the_word_and_the_camera_stays(visitor):
    page = visitor.go("map")
    visitor.map()
    surface = page.locator(".map")
    box = surface.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(400)
    found = None
    for step in range(-120, 121, 8):
        page.mouse.move(box["x"] + box["width"] / 2 + step, box["y"] + box["height"] / 2)
        page.wait_for_timeout(30)
        if found := surface.get_attribute("data-hover"):
            break
    assert found
    camera = surface.get_attribute("data-camera")
    page.mouse.down()
    page.mouse.up()
    expect(surface).to_have_attribute("data-selection", found)
    expect(page.locator("h2", has_text=found)).to_be_visible()
    assert surface.get_attribute("data-camera") == camera
    visitor.menu("Neighbors")
    visitor.menu("Map")
    visitor.map()
    expect(page.locator(READY)).to_have_attribute("data-selection", found)
    expect(page.locator(".map")).to_have_attribute("data-camera", camera)


def test_a_word_goes_along_from_page_to_page_and_back(visitor):
    page = visitor.go("map?word=wolf&color=norm")
    visitor.map()
    visitor.menu("Neighbors")
    expect(page.get_by_role("button", name="wolves", exact=True)).to_be_visible()
    visitor.search("guitar")
    expect(page.get_by_role("button", name="guitars", exact=True)).to_be_visible()
    visitor.menu("Map")
    visitor.map()
    expect(page.locator(READY)).to_have_attribute("data-selection", "guitar")
    visitor.says(lambda query: query == {"word": ["guitar"], "color": ["norm"]})


def test_a_link_shows_the_same_view_in_another_browser(visitors):
    first = visitors()
    first.go("map")
    first.map()
    first.search("piano")
    expect(first.page.locator(READY)).to_have_attribute("data-selection", "piano")
    first.page.get_by_role("combobox", name=re.compile("Color")).click()
    first.page.get_by_role("option", name=re.compile("Vector length")).click()
    expect(first.page.locator(READY)).to_have_attribute("data-coloring", "value")
    first.says(lambda query: query == {"word": ["piano"], "color": ["norm"]})
    second = visitors()
    second.page.goto(first.page.url)
    second.map()
    expect(second.page.locator(READY)).to_have_attribute("data-selection", "piano")
    expect(second.page.locator(READY)).to_have_attribute("data-coloring", "value")


def test_an_unknown_word_is_answered_with_spellings(visitor):
    page = visitor.go("neighbors?word=Paris")
    expect(page.get_by_text("“Paris” is not in this space. It has “paris”, which is used instead.")).to_be_visible()
    page = visitor.go("neighbors?word=parris")
    expect(page.get_by_text("“parris” is not among the 21,719 words.")).to_be_visible()
    page.get_by_role("button", name="paris", exact=True).click()
    expect(page.get_by_role("button", name="parisian", exact=True)).to_be_visible()


def test_a_script_in_a_link_is_text(visitor):
    page = visitor.go("neighbors?word=<script>alert(1)</script>")
    expect(page.get_by_text("“<script>alert(1)</script>” is not among the").first).to_be_visible()


def test_words_that_are_added_bring_their_own_labels(visitors):
    """What stands on a changed map is what stands on the same map opened afresh."""
    first = visitors()
    page = first.go("map?word=guitar&color=plain")
    first.map()
    before = int(page.locator(".map").get_attribute("data-points"))
    page.get_by_role("button", name=re.compile("to the map")).click()
    expect(page.locator(READY)).not_to_have_attribute("data-points", str(before))
    expect(page.locator(".map")).to_have_attribute("data-neighbors", "10")
    added = int(page.locator(".map").get_attribute("data-points")) - before
    assert added > 0
    first.says(lambda query: len(query.get("add", [])) == added)
    second = visitors()
    second.page.goto(page.url)
    second.map()

    def said():
        names = ("data-labels", "data-points", "data-camera")
        return [[one.page.locator(".map").get_attribute(name) for name in names] for one in (first, second)]

    for one in (page, second.page):
        expect(one.locator(".map")).not_to_have_attribute("data-stream", "on")  # both may follow the same job
        expect(one.locator(".map")).not_to_have_attribute("data-flying", "true")
        one.wait_for_timeout(500)  # labels come in quietly
    first.until(lambda: said()[0] == said()[1], said)
    boxes = [one.page.locator(".map").bounding_box() for one in (first, second)]
    assert abs(boxes[0]["height"] - boxes[1]["height"]) <= 1  # the browser rounds
    pictures = [one.page.locator(".map canvas").last.screenshot() for one in (first, second)]
    assert difference(*pictures) < 0.002


def test_a_word_chosen_on_the_start_page_goes_along(visitor):
    page = visitor.go("?word=piano")
    visitor.map()
    visitor.menu("Map")
    visitor.map()
    expect(page.locator(READY)).to_have_attribute("data-selection", "piano")
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Start").click()
    page.get_by_role("button", name="Look around").click()
    expect(page.locator(READY)).to_have_attribute("data-selection", "piano")


def test_a_file_is_read_used_saved_renamed_and_deleted(visitor, tmp_path):
    page, held, gate = visitor.page, [], {"closed": True}
    mine = f"my own {uuid.uuid4().hex[:6]}"  # a second try meets what the first one has saved

    def between(socket):
        server = socket.connect_to_server()

        def arrive(message):
            """Hold back the end of the check, and what comes after it, until the gate is open."""
            if gate["closed"] and (held or b"mean cosine of two rows" in message):
                held.append((socket, message))
            else:
                socket.send(message)

        server.on_message(arrive)

    page.route_web_socket(re.compile("_stcore/stream"), between)
    visitor.go("open")
    upload(visitor, vector_file(tmp_path / "mine.txt.gz", n=8_000))
    expect(page.get_by_text("Checking the vectors.")).to_be_visible()
    expect(page.get_by_text(re.compile("8,000 words × 20 numbers"))).to_be_visible()
    page.get_by_role("button", name="Save it").first.click()
    name = page.get_by_label("Name", exact=True)
    name.fill("typed while the check ends")
    visitor.until(lambda: held, seconds=60)
    gate["closed"] = False
    for socket, message in held:
        socket.send(message)
    expect(page.get_by_text("Checks of the rows")).to_be_visible()
    visitor.settle()
    expect(name).to_have_value("typed while the check ends")
    page.get_by_role("button", name="Use this space").click()
    expect(page.get_by_text("in use: mine")).to_be_visible()
    visitor.says(lambda query: query.get("space", [""])[0].startswith("upload:"))
    visitor.settle()
    page.get_by_role("button", name="Save it").first.click()
    name.fill(mine)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(f"Saved as {mine}.").last).to_be_visible()
    expect(page.get_by_text(mine).first).to_be_visible()
    visitor.says(lambda query: query.get("space") == [f"saved:{mine}"])
    visitor.menu("Map")
    visitor.map()
    expect(page.locator(READY)).to_have_attribute("data-points", "2000")
    visitor.menu("Open")
    expect(page.get_by_text("share of the 10 nearest neighbors kept")).to_be_visible()  # nothing comes in above
    page.get_by_text("Other spaces, models and downloads").click()
    page.locator("[class*=st-key-space-]").filter(has_text=mine).get_by_role("button", name="Rename").click()
    page.get_by_label("New name").fill(f"other {mine}")
    page.get_by_label("New name").press("Enter")
    expect(page.get_by_text(f"other {mine}").first).to_be_visible()
    visitor.settle()
    page.locator("[class*=st-key-space-]").filter(has_text=f"other {mine}").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("in use: MiniLM input words")).to_be_visible()


def test_a_bad_file_is_a_sentence(visitor, tmp_path):
    page = visitor.go("open")
    (tmp_path / "bad.txt").write_bytes(b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}")
    upload(visitor, tmp_path / "bad.txt")
    expect(page.locator(".ev-plain").filter(has_text="pickle").first).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Choose another file").click()
    expect(page.get_by_test_id("stFileUploaderDropzoneInput")).to_have_count(1)


def test_the_good_lines_of_a_broken_file_can_be_used_after_a_reload(visitor, tmp_path):
    path = vector_file(tmp_path / "ragged.txt", n=100)
    lines = path.read_text().splitlines()
    lines[60] = lines[60].rsplit(" ", 3)[0]
    path.write_text("\n".join(lines[1:]) + "\n")
    page = visitor.go("open")
    upload(visitor, path)
    expect(page.get_by_role("button", name="Use the 99 readable rows")).to_be_visible(timeout=20_000)
    page.reload()
    page.get_by_role("button", name="Use the 99 readable rows").click(timeout=20_000)
    expect(page.get_by_text(re.compile("99 words × 20 numbers"))).to_be_visible(timeout=20_000)
    expect(page.get_by_text("not read", exact=True)).to_be_visible()


def test_an_upload_is_found_again_after_a_reload_and_hidden_from_others(visitors, tmp_path):
    mine = visitors()
    page = mine.go("open")
    upload(mine, vector_file(tmp_path / "private-name.txt"))
    expect(page.get_by_text("300 words × 20")).to_be_visible(timeout=20_000)
    page.reload()
    expect(page.get_by_text("300 words × 20")).to_be_visible(timeout=20_000)
    mine.page.wait_for_timeout(500)
    other = visitors()
    for path in ("open", "map", ""):
        assert "private-name" not in other.go(path).content()
    for route in ("data/", "data/x", "words/x", "scatter/", "data/..%2f..%2fapp.py", "uploads/"):
        try:
            with urllib.request.urlopen(f"{mine.address}/{route}") as answer:
                body = answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            body = error.read().decode("utf-8", "replace")
        assert "private-name" not in body
        assert "import streamlit" not in body


def test_a_worker_killed_in_the_middle_costs_only_its_job(visitor, server):
    page = visitor.go("neighbors?word=king&metric=dot&hubs=yes")
    workers = []
    for _ in range(100):
        children = Path(f"/proc/{server.process.pid}/task").glob("*/children")
        workers = [int(pid) for child in children for pid in child.read_text().split()]
        if workers and page.get_by_text("Finding the neighbors of every word").count():
            break
        time.sleep(0.05)
    if not workers:
        pytest.skip("no list of child processes on this system")
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    expect(page.get_by_text("kings").first).to_be_visible(timeout=60_000)
    visitor.settle()
    other = visitor.go("neighbors?space=shelf:glove&word=queen&metric=euclidean&hubs=yes")
    expect(other.get_by_text("Number of lists of 10 that contain the word")).to_be_visible(timeout=60_000)


def test_what_was_stopped_stays_stopped_until_it_is_asked_again(visitor):
    page = visitor.go("neighbors?space=saved:large&hubs=yes")
    page.get_by_role("button", name="Cancel").click(timeout=20_000)
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    page.wait_for_timeout(1500)
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    page.get_by_role("button", name="Compute it").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("Cancelled.")).to_have_count(0)


def test_what_stands_in_the_header_takes_the_mouse(visitor):
    """The toolbar's band lies over the title line."""
    page = visitor.go("neighbors?word=model")
    page.get_by_role("combobox", name="Space").click(timeout=20_000)
    page.get_by_role("option").filter(has_text="fastText").first.click()
    visitor.says(lambda query: query.get("space") == ["shelf:fasttext"])
    page.get_by_role("radio", name="Subwords").click(timeout=20_000)
    expect(page.locator("h1")).to_have_text("Subwords")
    page.get_by_test_id("stMainMenu").get_by_role("button").click(timeout=20_000)
    expect(page.get_by_role("menuitemradio", name="Dark")).to_be_visible()


def test_two_visitors_at_once(visitors):
    one, two = visitors(), visitors()
    one.go("map?word=guitar")
    two.go("neighbors?word=river&space=shelf:glove~center")
    one.map()
    expect(two.page.get_by_role("combobox", name="Space")).to_have_value(re.compile("^centered: GloVe"))
    expect(one.page.locator(READY)).to_have_attribute("data-selection", "guitar")


def test_the_theme_follows_the_system(visitors):
    dark = visitors(color_scheme="dark")
    page = dark.go("map")
    dark.map()
    expect(page.locator(READY)).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(page.locator(READY)).to_have_attribute("data-theme", "light")


def test_a_theme_that_was_chosen_holds_on_every_page(visitor):
    page = visitor.go("map")
    visitor.map()
    page.get_by_test_id("stMainMenu").get_by_role("button").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(page.locator(READY)).to_have_attribute("data-theme", "dark")
    page.wait_for_timeout(1000)
    visitor.go("")
    visitor.map()
    expect(page.locator(READY)).to_have_attribute("data-theme", "dark")


def test_a_phone_has_no_sideways_scroll(phone):
    for path in ("", "map?word=guitar", "neighbors?word=guitar", "analogy", "analogy?formula=king", "open"):
        page = phone.go(path)
        page.wait_for_timeout(500)
        phone.fits()


def formula_box(page):
    return page.get_by_role("combobox", name="Formula of words")


def test_a_formula_is_typed_with_completion_answered_and_found_again(visitors):
    visitor = visitors()
    page = visitor.go("analogy")
    expect(page.get_by_text("= queen")).to_be_visible()
    assert visitor.charts() > 0
    box = formula_box(page)
    box.click()
    box.fill("")
    options = page.locator(".st-key-analogy-formula [role=option]")
    for typed, word in (("wal", "walking"), (" - wal", "walk"), (" + swi", "swim")):
        box.press_sequentially(typed)
        options.filter(has_text=re.compile(f"^{word}$")).click()
        expect(box).to_have_value(re.compile(f"{word}$"))
        expect(options.first).to_be_hidden()
    assert visitor.query() == {}  # nothing is sent before Enter
    box.press("Enter")
    expect(page.get_by_text("= swimming")).to_be_visible()
    visitor.says(lambda query: query.get("formula") == ["walking - walk + swim"])
    expected = page.get_by_role("combobox", name="Expected word")
    expected.fill("swam")
    expected.press("Enter")
    expect(page.get_by_text("swam, is third").first).to_be_visible()
    visitor.says(lambda query: query.get("expect") == ["swam"])
    again = visitors()
    again.page.goto(page.url)
    expect(again.page.get_by_text("= swimming")).to_be_visible(timeout=30_000)
    expect(again.page.get_by_text("swam, is third").first).to_be_visible()
    expect(formula_box(again.page)).to_have_value("walking - walk + swim")


def test_the_word_at_the_caret_is_completed_in_the_middle_of_a_formula(visitor):
    page = visitor.go("analogy?formula=kin-man%2Bwoman")
    box = formula_box(page)
    expect(box).to_have_value("kin-man+woman")
    options = page.locator(".st-key-analogy-formula [role=option]")
    box.evaluate("input => { input.focus(); input.setSelectionRange(3, 3); }")
    page.keyboard.type("g")
    options.filter(has_text=re.compile("^king$")).click()
    # a hyphen may belong to a word, so all of it is replaced; then its last part alone is completed
    expect(box).to_have_value("king+woman")
    box.fill("king-wom")
    options.filter(has_text=re.compile("^woman$")).click()
    expect(box).to_have_value("king-woman")
    box.press("Enter")
    visitor.says(lambda query: query["formula"][0].replace(" ", "") == "king-woman")
    expect(page.get_by_text(re.compile(r"^= \w")).first).to_be_visible()


def test_a_word_that_a_formula_found_leads_to_its_neighbors(visitor):
    page = visitor.go("analogy?formula=king - man %2B woman")
    page.get_by_role("button", name="monarch", exact=True).first.click()
    expect(page.locator("h1")).to_contain_text("Neighbors")
    expect(page.get_by_text("Nearest to “monarch”: ")).to_be_visible()
    visitor.says(lambda query: query.get("word") == ["monarch"])
    visitor.menu("Analogy")
    expect(formula_box(page)).to_have_value("king - man + woman")


def test_an_example_and_a_formula_without_blanks(visitor):
    page = visitor.go("analogy")
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("button", name="sad − happy + rich = poor?").click()
    expect(page.get_by_text("It fails: wealthy is first")).to_be_visible()
    page.keyboard.press("Escape")
    formula_box(page).fill("king-man+womann")
    formula_box(page).press("Enter")
    page.get_by_role("button", name="woman", exact=True).click()
    expect(page.get_by_text("= queen")).to_be_visible()
    expect(formula_box(page)).to_have_value("king - man + woman")


def test_pictures_and_tables_come_down(visitor):
    page = visitor.go("map?word=guitar")
    visitor.map()
    with page.expect_download() as picture:
        page.get_by_role("button", name="Image").click()
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as table:
        page.get_by_role("button", name="Table").click()
    assert Path(table.value.path()).read_text("utf-8-sig").startswith("word,x,y,")
    for path in ("neighbors?word=guitar", "analogy"):
        page = visitor.go(path)
        with page.expect_download() as picture:
            page.get_by_role("button", name="Image").click()
        assert Path(picture.value.path()).stat().st_size > 5_000


def test_a_picture_asked_for_before_the_figure_is_drawn_comes_down_too(visitor):
    late = re.compile(r"/static/js/.*plotly.*\.js", re.I)
    held = []
    visitor.page.route(late, lambda route: held.append(route))
    page = visitor.go("neighbors?word=guitar")
    expect(page.locator(".js-plotly-plot .main-svg")).to_have_count(0)
    assert held
    with page.expect_download() as picture:
        page.get_by_role("button", name="Image").click()
        page.wait_for_timeout(500)
        for route in held:
            route.continue_()
        page.unroute(late)
    assert Path(picture.value.path()).stat().st_size > 5_000


def test_a_first_deep_link_on_a_fresh_server_under_a_base_path(browser, tmp_path):
    environment = {"EMBEDVIZ_MODELS": str(tmp_path / "models")}
    with served(ROOT / "app.py", tmp_path / "log", environment, base="teaching") as fresh:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(f"{fresh.address}/map?word=guitar")
        page.wait_for_function(SETTLED, timeout=30_000)
        expect(page.get_by_text("guitars").first).to_be_visible()
        expect(page.get_by_text("Page not found")).to_have_count(0)
        page.locator(READY).wait_for(timeout=30_000)
        context.close()
