"""Bookmarks: kept in the browser, brought back with the map's camera, safe whatever their names are."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from embedviz.figures.web import component
from tests.browser.server import ROOT
from tests.browser.visitor import READY

pytestmark = pytest.mark.browser
KEY = "embedviz:bookmarks"


def panel(page):
    """The open list."""
    toggle = page.get_by_role("button", name="Bookmarks", exact=True)
    if toggle.get_attribute("aria-expanded") == "false":
        toggle.click()
    return page.get_by_role("dialog", name="Bookmarks")


def save(page, name=None):
    listed = panel(page)
    if name is not None:
        listed.get_by_role("textbox", name="Name of the bookmark").fill(name)
    listed.get_by_role("button", name="Save view").click()
    expect(listed.get_by_text("Saved.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(listed).to_be_hidden()


def stored(page):
    return json.loads(page.evaluate(f"localStorage.getItem('{KEY}') ?? '[]'"))


def zoomed(page):
    """The map after some zooming and moving: its camera."""
    box = page.locator(".map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 3)
    page.mouse.wheel(0, -500)
    page.wait_for_timeout(600)
    return page.locator(".map").get_attribute("data-camera")


def test_a_saved_view_comes_back_with_its_camera_in_a_reloaded_browser(visitor):
    page = visitor.go("map?word=guitar&color=norm")
    visitor.map()
    before = page.locator(".map").get_attribute("data-camera")
    camera = zoomed(page)
    assert camera != before
    save(page)
    assert [one["name"] for one in stored(page)] == ["Map · guitar · MiniLM input words"]
    visitor.go("neighbors?word=river")
    loads = []
    page.on("load", lambda: loads.append(page.url))
    panel(page).get_by_role("button", name=re.compile("^Map · guitar")).click()
    page.locator(READY).wait_for(timeout=30_000)
    expect(page.locator(READY)).to_have_attribute("data-selection", "guitar")
    expect(page.locator(READY)).to_have_attribute("data-coloring", "value")
    expect(page.locator(READY)).to_have_attribute("data-camera", camera)
    visitor.says(lambda query: query == {"word": ["guitar"], "color": ["norm"]})
    assert page.url.split("?")[0].endswith("/map")
    assert loads == []
    expect(page.get_by_role("dialog", name="Bookmarks")).to_be_hidden()


def test_a_view_of_the_same_page_brings_its_settings_and_nothing_newer(visitor):
    page = visitor.go("map")
    visitor.map()
    camera = page.locator(".map").get_attribute("data-camera")
    save(page, "plain")
    zoomed(page)
    visitor.search("guitar")
    expect(page.locator(READY)).to_have_attribute("data-selection", "guitar")
    panel(page).get_by_role("button", name="plain", exact=True).click()
    expect(page.locator(READY)).not_to_have_attribute("data-selection", "guitar")
    expect(page.locator(READY)).to_have_attribute("data-camera", camera)
    visitor.says(lambda query: query == {})


def test_a_camera_that_is_none_does_no_harm(visitor):
    page = visitor.go("neighbors?word=guitar")
    odd = {"id": "a", "name": "odd", "page": "map", "query": "?word=guitar", "cameras": {"map": {"zoom": "x"}, "no": 3}}
    page.evaluate(f"(text) => localStorage.setItem('{KEY}', text)", json.dumps([odd]))
    panel(page).get_by_role("button", name="odd", exact=True).click()
    page.locator(READY).wait_for(timeout=30_000)
    expect(page.locator(READY)).to_have_attribute("data-selection", "guitar")


def test_bookmarks_go_from_browser_to_browser_as_a_file(visitors, tmp_path):
    first, second = visitors(), visitors()
    page = first.go("neighbors?space=shelf:glove&word=king&k=3")
    save(page, "three of king")
    with page.expect_download() as download:
        panel(page).get_by_role("button", name="Save as file").click()
    path = tmp_path / "bookmarks.json"
    download.value.save_as(path)
    other = second.go("map")
    panel(other).locator('input[type="file"]').set_input_files(str(path))
    expect(panel(other).get_by_text("1 added.")).to_be_visible()
    panel(other).locator('input[type="file"]').set_input_files(str(path))
    expect(panel(other).get_by_text("no new bookmark")).to_be_visible()
    panel(other).get_by_role("button", name="three of king", exact=True).click()
    expect(other.locator("h1")).to_contain_text("Neighbors")
    second.settle()
    second.says(lambda query: query == {"space": ["shelf:glove"], "word": ["king"], "k": ["3"]})


def test_the_browser_goes_back_from_a_bookmark(visitor):
    page = visitor.go("neighbors?word=river")
    save(page, "river")
    visitor.menu("Map")
    visitor.map()
    panel(page).get_by_role("button", name="river", exact=True).click()
    expect(page.locator("h1")).to_contain_text("Neighbors")
    page.go_back()
    expect(page.locator("h1")).to_contain_text("Map")


def test_the_start_page_can_be_bookmarked_too(visitor):
    page = visitor.go("?word=piano")
    visitor.map()
    camera = zoomed(page)
    save(page)
    visitor.menu("Neighbors")
    panel(page).get_by_role("button", name=re.compile("^Start · piano")).click()
    page.locator(READY).wait_for(timeout=30_000)
    expect(page.locator(READY)).to_have_attribute("data-selection", "piano")
    expect(page.locator(READY)).to_have_attribute("data-camera", camera)


@pytest.fixture
def alone(page):
    """The control on a bare page without a server; `listeners` has what listens to the storage."""
    module = component(ROOT / "pages/_shared/app/bookmarks.mjs")
    page.route("http://bare.invalid/", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
    page.route("**/bookmarks.js", lambda route: route.fulfill(body=module, content_type="text/javascript"))
    page.goto("http://bare.invalid/")
    page.evaluate(
        """() => {
          globalThis.listeners = new Set();
          for (const [name, kept] of [['addEventListener', 'add'], ['removeEventListener', 'delete']]) {
            const before = globalThis[name];
            globalThis[name] = function (type, listener, ...rest) {
              if (type === 'storage') listeners[kept](listener);
              return before.call(globalThis, type, listener, ...rest);
            };
          }
          globalThis.mount = async () => {
            const host = document.body.appendChild(document.createElement('div'));
            const parentElement = host.attachShadow({ mode: 'open' });
            const { default: bookmarks } = await import('/bookmarks.js');
            const data = { page: 'map', name: 'one', charts: ['map'] };
            const end = bookmarks({ data, parentElement, setTriggerValue: () => {} });
            globalThis.unmount = () => { host.remove(); end(); };
          };
        }"""
    )
    return page


def bookmark(name, **cameras):
    return {"id": name, "name": name, "page": "map", "query": "", "cameras": cameras}


def test_bookmarks_are_renamed_and_deleted(alone):
    alone.evaluate("mount()")
    for name in ("one", "two"):
        save(alone, name)
    listed = panel(alone)
    listed.get_by_role("button", name="Rename one").click()
    listed.get_by_role("textbox", name="New name").fill("three")
    listed.get_by_role("button", name="Rename", exact=True).click()
    listed.get_by_role("button", name="Delete two").click()
    assert [one["name"] for one in stored(alone)] == ["three"]
    alone.evaluate("unmount()")
    alone.evaluate("mount()")
    expect(panel(alone).get_by_role("listitem")).to_have_count(1)
    panel(alone).get_by_role("button", name="Delete three").click()
    expect(panel(alone).get_by_text("Kept in this browser alone.")).to_be_visible()


def test_a_hostile_name_is_text(alone):
    alone.evaluate("mount()")
    name = '<img src="//elsewhere.example/x" onerror="window.hurt=1">'
    save(alone, name)
    expect(panel(alone).get_by_role("button", name=name, exact=True)).to_be_visible()
    assert alone.evaluate("window.hurt") is None


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "null",
        '{"a": 1}',
        "[1, null, {}]",
        '[{"id": "a", "name": "x", "page": "../..", "query": "", "cameras": {}}]',
        '[{"id": "a", "name": "x", "page": "//elsewhere.example", "query": "", "cameras": {}}]',
        '[{"id": "a", "name": "x", "page": "map", "query": "", "cameras": null}]',
    ],
)
def test_what_is_no_bookmark_in_the_storage_is_ignored(alone, text):
    alone.evaluate("mount()")
    alone.evaluate(f"(text) => localStorage.setItem('{KEY}', text)", text)
    expect(panel(alone).get_by_role("listitem")).to_have_count(0)
    alone.keyboard.press("Escape")
    save(alone, "mine")
    assert [one["name"] for one in stored(alone)] == ["mine"]


def test_the_view_that_was_opened_last_gives_the_map_its_camera(alone):
    listed = [bookmark("one", map={"zoom": 1}), bookmark("two", map={"zoom": 2}), bookmark("none")]
    alone.evaluate(f"(text) => localStorage.setItem('{KEY}', text)", json.dumps(listed))
    alone.evaluate("mount()")
    for names, expected in ((["one", "two"], [["map", {"zoom": 2}]]), (["one", "none"], [])):
        alone.evaluate("delete globalThis.embedvizMaps")
        for name in names:
            panel(alone).get_by_role("button", name=name, exact=True).click()
        alone.evaluate("globalThis.restored = []")
        alone.evaluate("globalThis.embedvizMaps = { restore: (...given) => restored.push(given) }")
        alone.wait_for_timeout(300)
        assert alone.evaluate("restored") == expected


def test_a_control_that_has_gone_listens_no_longer(alone):
    for _ in range(3):
        alone.evaluate("mount()")
        expect(panel(alone)).to_be_visible()
        assert alone.evaluate("listeners.size") == 1
        alone.evaluate("unmount()")
        alone.wait_for_function("() => listeners.size === 0")


def test_what_another_tab_keeps_is_listed_at_once(alone):
    alone.evaluate("mount()")
    expect(panel(alone).get_by_role("listitem")).to_have_count(0)
    other = alone.context.new_page()
    other.route("http://bare.invalid/", lambda route: route.fulfill(body="", content_type="text/html"))
    other.goto("http://bare.invalid/")
    other.evaluate(f"(text) => localStorage.setItem('{KEY}', text)", json.dumps([bookmark("elsewhere")]))
    expect(panel(alone).get_by_role("button", name="elsewhere", exact=True)).to_be_visible()
