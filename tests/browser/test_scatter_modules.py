"""The map drawn on a bare page of a real browser; its pure functions are tested in `tests/web`."""

from __future__ import annotations

import base64
import io
import re
import struct
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from embedviz.figures.scatter import MODULES, REST, pack, scatter
from embedviz.figures.theme import THEMES

pytestmark = pytest.mark.browser

BARE = (
    b"<!doctype html><html lang=en><meta name=viewport content='width=device-width'><title>map</title>"
    b"<body style='margin:0'><div id=host></div></body></html>"
)


class Projection(SimpleNamespace):
    __hash__ = object.__hash__
    __eq__ = object.__eq__


def figure(n=400, kind="category", axes=(), seed=0, classes=(0, 1, 2)):
    """Three gatherings of points and a grey cloud; the first word lies alone in the middle of the right edge."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-10, 10, (n, 2)).astype(np.float32)
    points[0] = (10, 0)
    codes = np.full(n, REST, np.uint8)
    for place, (x, y) in enumerate([(-6, 6), (5, 5), (-5, -6)]):
        rows = slice(1 + 20 * place, 21 + 20 * place)
        points[rows] = rng.normal((x, y), 0.4, (20, 2))
        codes[rows] = classes[place]
    words = [f"word{row}" for row in range(n)]
    words[0], words[1] = "<b>alone</b>", "queen"
    made = Projection(words=words, points=points, method="PCA", axes=axes, quality=None)
    labels = ("Animals", "Music", "Food and drink")
    if kind == "value":
        codes, labels = (np.arange(n) * 254 // n).astype(np.uint8), ()
    color = SimpleNamespace(title="groups", kind=kind, codes=codes, labels=labels, low=0.0, high=1.0, diverging=False)
    return scatter(made, color)


@pytest.fixture(scope="module")
def site():
    """A loopback server with the modules under `scatter/` and whatever a test puts into `data`."""
    data: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            folder, _, name = self.path.split("?")[0].strip("/").partition("/")
            if folder in ("scatter", "web") and name in MODULES:
                self.answer(MODULES[name].encode(), "text/javascript")
            elif folder in ("data", "frames") and name in data:
                self.answer(data[name], "application/octet-stream")
            elif not folder:
                self.answer(BARE, "text/html; charset=utf-8")
            else:
                self.send_error(404)

        def answer(self, content, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            if kind == "text/javascript":
                self.send_header("Cache-Control", "max-age=3600")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            """Nothing: the test's own output is enough."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield SimpleNamespace(address=f"http://127.0.0.1:{server.server_port}/", data=data)
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def drawn(page, site):
    """Mounts a figure on the bare page as Streamlit does, and waits until it is drawn."""
    page.goto(site.address)
    page.evaluate(
        """() => {
          const shadow = document.getElementById('host').attachShadow({ mode: 'open' });
          const root = document.createElement('div');
          root.className = 'map';
          shadow.append(root);
          globalThis.sent = [];
          globalThis.mount = async (data) => {
            const main = await import('/scatter/main.mjs');
            const setTriggerValue = (name, value) => sent.push([name, value]);
            globalThis.store = await import('/scatter/store.mjs');
            globalThis.unmount = main.default({ data, parentElement: shadow, setTriggerValue }, location.href);
          };
        }"""
    )

    def show(made=None, *, wait=True, publish=True, **marks):
        made = made or figure()
        tokens = {"geometry": f"g{made.geometry_digest}", "paint": f"p{made.paint_digest}"}
        if publish:
            site.data[tokens["geometry"]], site.data[tokens["paint"]] = made.envelope(), made.paint()
        data = {
            "chart": "map",
            "geometry": {"token": tokens["geometry"], "id": made.geometry_digest},
            "paint": {"token": tokens["paint"], "id": made.paint_digest},
            "count": len(made),
            "height": 500,
            "chosen": None,
            "neighbors": [],
            "hits": [],
            "note": {"title": "Map", "space": "test words", "count": "400 words", "badge": "checking"},
            "summary": "A map of 400 words.",
            **marks,
        }
        page.evaluate("(data) => mount(data)", data)
        root = page.locator(".map")
        if wait:
            wanted = f"{made.geometry_digest} {made.paint_digest}"
            page.wait_for_function(f"(wanted) => store.views.get({MAP})?.shown === wanted", arg=wanted)
            page.wait_for_function(f"() => {MAP}.dataset.ready === 'true'")
            frames(page)
        return root

    return show


MAP = "document.getElementById('host').shadowRoot.querySelector('.map')"
AT_FIVE = {"x": 0, "y": 0, "zoom": 5}


def frames(page):
    """Waits until the map has drawn what it has to draw: a frame that may have begun, and a whole one."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


def rest(root):
    """The camera, once the map moves no longer and has been drawn where it is."""
    expect(root).to_have_attribute("data-moving", "false")
    frames(root.page)
    return state(root)["camera"]


def state(root):
    return root.evaluate("(root) => ({ ...root.dataset })")


def place(page, root, row):
    """Where a row lies on the page, in pixels."""
    x, y = root.evaluate(
        """async (root, row) => {
          const { views } = await import('/scatter/store.mjs');
          const [x, y] = views.get(root).view.state.position(row);
          const box = root.getBoundingClientRect();
          return [box.left + x, box.top + y];
        }""",
        row,
    )
    return x, y


def encoded(content):
    return base64.b64encode(content).decode()


def rgb(color):
    return [int(color[start : start + 2], 16) for start in (1, 3, 5)]


# a drawn map


FEW = "async (root) => (await import('/scatter/store.mjs')).views.get(root).view.state.few()"


def test_a_closer_look_at_many_points_makes_them_few(drawn, page):
    root = drawn(figure(5000))
    assert root.evaluate(FEW) == 0
    box = root.bounding_box()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.8 * box["height"])
    for _ in range(30):
        page.mouse.wheel(0, -400)
    page.wait_for_timeout(500)
    assert root.evaluate(FEW) == 1
    rows = root.evaluate(
        """async (root) => {
          const { view } = (await import('/scatter/store.mjs')).views.get(root);
          return [view.located().inside.length, view.fading.rows.length];
        }"""
    )
    assert rows[0] == rows[1]


def test_a_map_is_drawn_in_the_colors_of_its_categories(drawn):
    root = drawn()
    seen = root.evaluate(
        """async (root) => {
          const { views } = await import('/scatter/store.mjs');
          const { view } = views.get(root);
          view.drawPoints(1);
          const { gl } = view.painting;
          const color = (row) => {
            const [x, y] = view.state.position(row);
            const pixel = new Uint8Array(4);
            const [px, py] = [x, y].map((v) => Math.round(v * view.state.ratio));
            gl.readPixels(px, gl.drawingBufferHeight - py, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            return [...pixel.slice(0, 3)];
          };
          return [5, 25, 45].map(color);
        }"""
    )
    for pixel, expected in zip(seen, THEMES["light"].categorical, strict=False):
        assert np.abs(np.array(pixel) - rgb(expected)).max() < 90, (pixel, expected)
    got = state(root)
    assert (got["points"], got["drawn"], got["coloring"], got["theme"]) == ("400", "400", "category", "light")
    assert sorted(got["names"].split("|")) == ["Animals", "Food and drink", "Music"]
    assert int(got["labels"]) > 20


def test_the_pointer_finds_a_word_and_untrusted_text_stays_text(drawn, page):
    root = drawn()
    frames = state(root)["frames"]
    page.mouse.move(*place(page, root, 0))
    assert state(root)["hover"] == "<b>alone</b>"
    assert root.locator(".tip strong").text_content() == "<b>alone</b>"
    assert root.locator(".tip b").count() == 0
    page.mouse.move(*place(page, root, 1))
    assert root.locator(".tip").inner_text() == "queen\nAnimals"
    assert state(root)["frames"] == frames, "a hover drew the points again"


def test_a_click_marks_at_once_and_tells_python(drawn, page):
    made = figure()
    root = drawn(made)
    frames = state(root)["frames"]
    page.mouse.click(*place(page, root, 0))
    page.wait_for_function("() => sent.length === 1")
    assert page.evaluate("sent") == [["clicked", {"index": 0, "of": made.geometry_digest}]]
    expect(root).to_have_attribute("data-selection", "<b>alone</b>")
    assert root.locator("[aria-live]").text_content() == "<b>alone</b> chosen"
    drawn(made, chosen=0, neighbors=[1, 2, 3], hits=[4])
    got = state(root)
    assert (got["neighbors"], got["hits"]) == ("3", "1")
    assert got["frames"] == frames, "a highlight drew the points again"


def test_dragging_moves_the_wheel_zooms_and_the_button_brings_all_back(drawn, page):
    root = drawn()
    home = state(root)["camera"]
    box = root.bounding_box()
    x, y = box["x"] + 300, box["y"] + 200
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=4)
    page.mouse.up()
    moved = rest(root)
    assert moved != home
    assert page.evaluate("sent") == [], "a drag is no click"
    page.mouse.wheel(0, -300)
    expect(root).not_to_have_attribute("data-camera", moved)
    assert float(rest(root).split(",")[2]) > 1.5
    root.get_by_role("button", name="Reset view").click()
    assert rest(root) == home
    assert root.locator(".reset").is_hidden()


def test_keys_move_zoom_walk_and_choose(drawn, page):
    root = drawn(chosen=0, neighbors=[1, 2, 3])
    page.keyboard.press("Tab")
    map_ = root.get_by_role("application")
    assert map_.evaluate("(e) => e === e.getRootNode().activeElement")
    assert map_.get_attribute("aria-label") == "A map of 400 words."
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    assert float(rest(root).split(",")[2]) == pytest.approx(1.5)
    page.keyboard.press("0")
    rest(root)
    page.keyboard.press("n")
    assert state(root)["hover"] == "queen"
    assert root.locator("[aria-live]").text_content() == "queen, Animals, neighbor 1 of 3"
    page.keyboard.press("]")
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert state(root)["hover"] == "word3"
    page.keyboard.press("Enter")
    assert page.evaluate("sent.at(-1)[1].index") == 3


def test_the_camera_outlives_the_map_and_the_map_ends_cleanly(drawn, page):
    made = figure()
    root = drawn(made)
    page.keyboard.press("Tab")
    page.keyboard.press("+")
    camera = rest(root)
    lost = root.evaluate(
        """async (root) => {
          const { views } = await import('/scatter/store.mjs');
          const { gl } = views.get(root).view.painting;
          const shadow = root.parentNode;
          unmount();
          await new Promise((done) => setTimeout(done, 20));
          const kept = views.has(root);
          root.remove();
          unmount();
          await new Promise((done) => setTimeout(done, 20));
          const fresh = document.createElement('div');
          fresh.className = 'map';
          shadow.append(fresh);
          return [kept, views.has(root), gl.isContextLost()];
        }"""
    )
    assert lost == [True, False, True]
    assert state(drawn(made))["camera"] == camera


def test_missing_bytes_are_asked_for_again_and_found_under_a_new_token(drawn, page, site):
    made = figure(seed=3)
    root = drawn(made, wait=False, publish=False)
    page.wait_for_function("() => sent.some(([name]) => name === 'missing')")
    assert state(root)["ready"] == "false"
    drawn(made)
    assert state(root)["ready"] == "true"


def test_a_theme_that_changes_is_followed_without_a_rerun(drawn, page):
    root = drawn()
    page.evaluate(
        """() => {
          const style = document.getElementById('host').style;
          style.setProperty('--st-background-color', '#14171A');
          style.setProperty('--st-text-color', '#E9E7E2');
        }"""
    )
    expect(root).to_have_attribute("data-theme", "dark")


def test_the_picture_is_twice_the_size_and_bears_its_title(drawn, page):
    root = drawn()
    with page.expect_download() as waiting:
        page.evaluate("dispatchEvent(new CustomEvent('embedviz:picture', { detail: { chart: 'map' } }))")
    assert waiting.value.suggested_filename == "map-test-words.png"
    box = root.bounding_box()
    width, height = map(int, state(root)["picture"].split("x"))
    assert width == 2 * (box["width"] + 48)
    assert height == 2 * (24 + 32 + 21 + 8 + box["height"] + 8 + 2 * 21 + 24)
    page.evaluate("dispatchEvent(new CustomEvent('embedviz:picture', { detail: { chart: 'another' } }))")


NO_WEBGL = """() => {
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return KINDS.includes(kind) && this.className === 'under' ? null : get.call(this, kind, ...rest);
  };
}"""


def test_without_any_canvas_there_is_a_sentence(drawn, page):
    page.evaluate(NO_WEBGL.replace("KINDS", "['webgl2', '2d']"))
    root = drawn()
    assert "cannot draw the map" in root.locator(".status").inner_text()
    assert "cannot draw the map" in state(root)["error"]


@pytest.mark.parametrize("make", [figure, lambda: solid(400)], ids=["flat", "solid"])
def test_without_webgl_a_plain_canvas_draws_and_answers(drawn, page, make):
    made = make()
    pictures = []
    for blocked in (False, True):
        if blocked:
            page.evaluate(NO_WEBGL.replace("KINDS", "['webgl2']"))
            page.evaluate("() => document.getElementById('host').shadowRoot.querySelector('.map').remove()")
            page.evaluate(
                """() => {
                  const root = document.createElement('div');
                  root.className = 'map';
                  document.getElementById('host').shadowRoot.append(root);
                }"""
            )
        root = drawn(made)
        assert state(root)["renderer"] == ("canvas" if blocked else "webgl2")
        assert state(root)["drawn"] == "400"
        pictures.append(pixels(root))
    inked = [np.abs(picture - picture[2, 2]).max(axis=2) > 24 for picture in pictures]
    assert inked[1].sum() == pytest.approx(inked[0].sum(), rel=0.35)
    assert (inked[0] & inked[1]).sum() > 0.6 * inked[0].sum()
    page.mouse.click(*place(page, root, 0))
    page.wait_for_function("() => sent.length === 1")
    assert page.evaluate("sent[0][1].index") == 0


def test_a_lost_context_comes_back_with_the_same_picture(drawn):
    root = drawn()
    before = pixels(root)
    root.evaluate(
        """async (root) => {
          const { views } = await import('/scatter/store.mjs');
          const { gl } = views.get(root).view.painting;
          const lose = gl.getExtension('WEBGL_lose_context');
          const back = new Promise((done) => gl.canvas.addEventListener('webglcontextrestored', done, { once: true }));
          lose.loseContext();
          await new Promise((done) => setTimeout(done, 50));
          if (!gl.isContextLost()) throw new Error('The context was not lost.');
          lose.restoreContext();
          await back;
        }"""
    )
    after = pixels(root)
    assert np.count_nonzero(np.abs(before - before[2, 2]).max(axis=2) > 24) > 500
    assert np.array_equal(before, after)


# three dimensions


def solid(n=400, axes=(), seed=0):
    """A ball of points with their rows; the first two words lie one behind the other as the map is first seen."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3)).astype(np.float32)
    points *= (4 * rng.uniform(0.2, 1, (n, 1)) ** (1 / 3) / np.linalg.norm(points, axis=1, keepdims=True)).astype("f4")
    made = Projection(
        words=[f"word{row}" for row in range(n)],
        points=points,
        method="PCA",
        axes=axes,
        rows=np.arange(n),
        quality=None,
    )
    return scatter(made, None)


def pixels(root):
    """The drawn points as an array of shape (height, width, 3), read in the task that draws them."""
    width, height, content = root.evaluate(
        """async (root) => {
          const { views } = await import('/scatter/store.mjs');
          const { view } = views.get(root);
          view.drawPoints(1);
          const copy = document.createElement('canvas');
          [copy.width, copy.height] = [view.under.width, view.under.height];
          const context = copy.getContext('2d');
          context.drawImage(view.under, 0, 0);
          const { data } = context.getImageData(0, 0, copy.width, copy.height);
          let text = '';
          for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
          return [copy.width, copy.height, btoa(text)];
        }"""
    )
    return np.frombuffer(base64.b64decode(content), np.uint8).reshape(height, width, 4)[..., :3].astype(int)


def test_a_drag_turns_what_has_depth_and_the_pointer_still_finds_its_word(drawn, page):
    root = drawn(solid())
    assert state(root)["dimensions"] == "3"
    home, before = state(root)["camera"], pixels(root)
    x, y = place(page, root, 5)
    page.mouse.move(500, 250)
    page.mouse.down()
    page.mouse.move(620, 280, steps=5)
    page.mouse.up()
    camera = [float(value) for value in rest(root).split(",")]
    assert camera[:4] == pytest.approx([float(value) for value in home.split(",")][:4]), "an orbit moved the center"
    assert camera[4] == pytest.approx(float(home.split(",")[4]) + 120 * 0.005, abs=1e-4)
    assert np.mean(np.abs(pixels(root) - before).max(axis=2) > 24) > 0.002
    assert np.hypot(*np.subtract(place(page, root, 5), (x, y))) > 5
    for row in front(root)[:5]:
        page.mouse.move(*place(page, root, row))
        assert state(root)["hover"] == f"word{row}"
    assert page.evaluate("sent") == []
    page.mouse.dblclick(500, 20)
    assert rest(root) == home


def front(root):
    """Rows from the front-most on."""
    return root.evaluate(
        """async (root) => {
          const { views } = await import('/scatter/store.mjs');
          const { depth } = views.get(root).view.located();
          return [...depth.keys()].sort((a, b) => depth[b] - depth[a]);
        }"""
    )


def test_shift_moves_what_has_depth_and_arrows_turn_it(drawn, page):
    root = drawn(solid())
    home = [float(value) for value in state(root)["camera"].split(",")]
    x = place(page, root, 7)[0]
    page.keyboard.down("Shift")
    page.mouse.move(500, 250)
    page.mouse.down()
    page.mouse.move(540, 250, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    moved = [float(value) for value in rest(root).split(",")]
    assert moved[4:] == home[4:]
    assert place(page, root, 7)[0] - x == pytest.approx(40, rel=0.45)
    page.keyboard.press("Home")
    rest(root)
    page.keyboard.press("ArrowRight")
    turned = [float(value) for value in rest(root).split(",")]
    assert turned[4] < home[4]
    assert turned[:4] == pytest.approx(home[:4], abs=1e-5)


def test_a_click_takes_the_front_most_of_points_behind_each_other(drawn, page):
    made = solid()
    toward = np.array([-np.cos(0.35) * np.sin(-0.5), np.sin(0.35), np.cos(0.35) * np.cos(-0.5)])
    points = made.projection.points.copy()
    for _ in range(9):  # the middle of the picture is the median, which the three points move
        middle = np.sort(points, axis=0)[len(points) // 2]
        for row, far in {11: -2.0, 12: 2.5, 13: 0.5}.items():
            points[row] = middle + far * toward
    both = Projection(**{**vars(made.projection), "points": points})
    root = drawn(scatter(both))
    assert np.hypot(*np.subtract(place(page, root, 11), place(page, root, 12))) < 2
    page.mouse.click(*place(page, root, 11))
    page.wait_for_function("() => sent.length === 1")
    assert page.evaluate("sent[0][1].index") == 12


# from one layout to the next


def test_a_flight_begins_on_the_spot_and_ends_in_the_picture_of_a_fresh_map(drawn, page, site):
    first, second = solid(seed=1), solid(seed=2)
    root = drawn(first)
    start = np.array([place(page, root, row) for row in range(20)])
    page.evaluate("globalThis.embedvizNow = performance.now.bind(performance)")
    page.evaluate("performance.now = () => 1000")  # time stands: the flight cannot leave its start
    drawn(second)
    assert state(root)["flying"] == "true"
    seen = np.array([place(page, root, row) for row in range(20)])
    assert np.abs(seen - start).max() < 0.01
    page.evaluate("performance.now = () => 1300")
    frames(page)
    half = np.array([place(page, root, row) for row in range(20)])
    page.evaluate("performance.now = () => 1700")
    expect(root).to_have_attribute("data-flying", "false")
    goal = np.array([place(page, root, row) for row in range(20)])
    assert np.abs(half - start).max() > 5
    assert np.abs(half - goal).max() > 5
    page.evaluate("performance.now = embedvizNow")
    flown = pixels(root)
    page.evaluate(
        """() => {
          document.getElementById('host').shadowRoot.querySelector('.map').remove();
          const root = document.createElement('div');
          root.className = 'map';
          document.getElementById('host').shadowRoot.append(root);
        }"""
    )
    fresh = drawn(second)
    assert np.array_equal(pixels(fresh), flown)


def test_a_layout_that_arrives_in_flight_begins_where_the_points_are(drawn, page):
    first, second, third = (solid(seed=seed) for seed in (1, 2, 3))
    root = drawn(first)
    page.evaluate("performance.now = () => 1000")
    drawn(second)
    page.evaluate("performance.now = () => 1250")
    frames(page)
    half = np.array([place(page, root, row) for row in range(20)])
    drawn(third)
    seen = np.array([place(page, root, row) for row in range(20)])
    assert np.abs(seen - half).max() < 0.01
    page.evaluate("performance.now = () => 1900")
    expect(root).to_have_attribute("data-flying", "false")


def far_off():
    """The figure elsewhere and much larger."""
    made = figure()
    return scatter(Projection(**{**vars(made.projection), "points": 50 * made.projection.points + 9000}), made.color)


@pytest.mark.parametrize("other", [solid, far_off])
def test_a_layout_that_arrives_in_a_glide_is_shown_whole(drawn, page, other):
    root = drawn()
    page.keyboard.press("Tab")
    page.keyboard.press("+")
    page.evaluate("globalThis.embedvizNow = performance.now.bind(performance)")
    page.evaluate("performance.now = () => 1000")  # time stands: the glide cannot end
    page.keyboard.press("0")
    drawn(other())
    page.evaluate("performance.now = embedvizNow")
    rest(root)
    page.wait_for_function(f"() => {MAP}.dataset.flying !== 'true'")
    cameras = root.evaluate(
        """async (root) => {
          const { cameras, views } = await import('/scatter/store.mjs');
          const { view } = views.get(root);
          return [view.state.camera, cameras.get(view.keyOf(view.state.geometry)) ?? null, view.state.isHome()];
        }"""
    )
    assert cameras[1:] == [None, True], cameras
    assert np.isfinite(list(cameras[0].values())).all()


@pytest.mark.parametrize("make", [figure, solid])
def test_what_is_no_camera_of_this_map_moves_nothing(drawn, make):
    root = drawn(make())
    home = state(root)["camera"]
    seen = root.evaluate(
        """async (root) => {
          const { cameras, views } = await import('/scatter/store.mjs');
          const { view } = views.get(root);
          const { geometry, paint, camera } = view.state;
          const flat = { x: 1, y: 1, zoom: 2 };
          const deep = { ...flat, z: 1, yaw: 1, pitch: 0 };
          const wrong = [geometry.dimensions === 3 ? flat : deep, { ...camera, x: NaN }, { ...camera, zoom: 0 }, null];
          for (const one of wrong) view.steering.lookAt(one);
          const after = [cameras.get(view.keyOf(view.state.geometry)) ?? null, view.state.isHome()];
          for (const one of wrong) {
            cameras.set(view.keyOf(view.state.geometry), one);
            view.state.geometry = null;
            view.show(geometry, paint);
            after.push(view.state.isHome());
          }
          return after;
        }"""
    )
    assert seen == [None, *[True] * 5]
    assert state(root)["camera"] == home


def test_words_fly_by_their_rows_between_two_and_three_dimensions(drawn, page):
    made = solid()
    turned = Projection(
        words=made.projection.words[::-1][:300],
        points=50 * made.projection.points[::-1, :2][:300],
        rows=np.arange(400)[::-1][:300].copy(),
        method="PCA",
        axes=(),
        quality=None,
    )
    root = drawn(made)
    start = place(page, root, 390)
    page.evaluate("performance.now = () => 1000")
    drawn(scatter(turned))
    assert state(root)["flying"] == "true"
    assert np.abs(np.subtract(place(page, root, 9), start)).max() < 0.01
    page.evaluate("performance.now = () => 1700")
    expect(root).to_have_attribute("data-flying", "false")
    landed = place(page, root, 9)
    page.evaluate("performance.now = () => 3000")
    drawn(made)
    assert np.abs(np.subtract(place(page, root, 390), landed)).max() < 0.01


def test_nothing_flies_between_words_that_are_not_the_same_or_where_motion_is_unwanted(drawn, page):
    made = solid()
    other = Projection(
        **{
            **vars(made.projection),
            "words": [f"other{row}" for row in range(400)],
            "points": made.projection.points * 2,
        }
    )
    root = drawn(made)
    drawn(scatter(other))
    assert state(root).get("flying", "false") == "false"
    page.emulate_media(reduced_motion="reduce")
    again = Projection(**{**vars(other), "points": other.points[::-1].copy()})
    drawn(scatter(again))
    assert state(root).get("flying", "false") == "false"


# points that move within their layout


MOVE = """(root, [points, ms, bounds]) =>
  store.views.get(root).view.moveTo(new Float32Array(points), ms, bounds ?? undefined)"""


def elsewhere(made, scale=50.0, shift=9000.0):
    """The figure's words in other places, much farther apart."""
    points = made.projection.points
    return np.asarray(scale * points[:, ::-1] + shift, np.float32) if points.shape[1] == 2 else scale * points + shift


@pytest.mark.parametrize("make", [figure, solid])
def test_points_that_move_begin_where_they_are_and_end_as_a_fresh_map_with_all_that_was_marked(drawn, page, make):
    made = make()
    root = drawn(made, chosen=0, neighbors=[1, 2])
    page.evaluate("globalThis.embedvizNow = performance.now.bind(performance)")
    page.evaluate("performance.now = () => 1000")
    start = np.array([place(page, root, row) for row in range(20)])
    goal = np.roll(elsewhere(made), 1, axis=0)
    assert root.evaluate(MOVE, [goal.ravel().tolist(), 500, None])
    frames(page)
    assert state(root)["flying"] == "true"
    assert np.abs([place(page, root, row) for row in range(20)] - start).max() < 0.01
    page.evaluate("performance.now = () => 1250")
    frames(page)
    half = np.array([place(page, root, row) for row in range(20)])
    assert np.abs(half - start).max() > 5
    further = np.roll(goal, 1, axis=0)
    assert root.evaluate(MOVE, [further.ravel().tolist(), 500, None])
    frames(page)
    assert np.abs([place(page, root, row) for row in range(20)] - half).max() < 0.01
    page.evaluate("performance.now = () => 1760")
    expect(root).to_have_attribute("data-flying", "false")
    page.evaluate("performance.now = embedvizNow")
    assert (state(root)["selection"], state(root)["neighbors"]) == (made.words[0], "2")
    assert root.evaluate("(root) => store.views.get(root).view.state.isHome()")
    seen = np.array([place(page, root, row) for row in range(20)])
    page.evaluate(
        """() => {
          const shadow = document.getElementById('host').shadowRoot;
          shadow.querySelector('.map').remove();
          shadow.append(Object.assign(document.createElement('div'), { className: 'map' }));
        }"""
    )
    fresh = drawn(scatter(Projection(**{**vars(made.projection), "points": further}), made.color))
    assert np.abs([place(page, fresh, row) for row in range(20)] - seen).max() < 0.01


def test_a_reader_who_looks_closer_stays_there_while_the_map_grows(drawn, page):
    made = figure()
    made.projection.rows = np.arange(400)
    made = scatter(made.projection, made.color)
    root = drawn(made)
    page.mouse.move(500, 300)
    page.mouse.wheel(0, -400)
    rest(root)
    before = np.array([place(page, root, row) for row in range(30)])
    zoom = state(root)["camera"].split(",")[2]
    grown = elsewhere(made)[:, ::-1]  # the same picture, larger and elsewhere
    root.evaluate(MOVE, [np.ascontiguousarray(grown).ravel().tolist(), 0, None])
    frames(page)
    assert state(root)["camera"].split(",")[2] == zoom
    assert np.abs([place(page, root, row) for row in range(30)] - before).max() < 0.5
    after = scatter(Projection(**{**vars(made.projection), "points": grown.copy() * 2}), made.color)
    drawn(after)
    page.wait_for_function(f"() => {MAP}.dataset.flying === 'false'")
    assert state(root)["camera"].split(",")[2] == zoom


def test_a_movement_within_given_bounds_keeps_the_frame_and_wrong_points_move_nothing(drawn, page):
    made = figure()
    root = drawn(made)
    home = state(root)["camera"]
    bounds = root.evaluate("(root) => store.views.get(root).view.state.geometry.bounds")
    goal = np.ascontiguousarray(made.projection.points / 3)
    assert root.evaluate(MOVE, [goal.ravel().tolist(), 0, bounds])
    frames(page)
    assert state(root)["camera"] == home
    seen = place(page, root, 0)
    assert root.evaluate(MOVE, [goal.ravel().tolist()[:-1], 0, None]) is False
    frames(page)
    assert place(page, root, 0) == seen
    page.emulate_media(reduced_motion="reduce")
    root.evaluate(MOVE, [made.projection.points.ravel().tolist(), 60_000, bounds])
    assert state(root)["flying"] == "false"


def test_a_word_is_pointed_at_and_labels_are_placed_while_the_map_moves(drawn, page):
    made = figure()
    root = drawn(made)
    page.evaluate("globalThis.embedvizNow = performance.now.bind(performance)")
    page.evaluate("performance.now = () => 1000")
    goal = np.roll(made.projection.points, 5, axis=0)
    root.evaluate(MOVE, [goal.ravel().tolist(), 500, None])
    page.evaluate("performance.now = () => 1250")
    frames(page)
    assert state(root)["flying"] == "true"
    page.mouse.move(*place(page, root, 0))
    expect(root).to_have_attribute("data-hover", "<b>alone</b>")
    root.evaluate("(root) => { store.views.get(root).view.labeled = -1e9; root.dataset.labels = ''; }")
    expect(root).to_have_attribute("data-labels", re.compile("[1-9]"))
    assert state(root)["flying"] == "true"


def framed(points, **header):
    """One frame of a stream, as the route sends it."""
    envelope = pack({"kind": "frame", "version": 1, "fraction": 0.5, **header}, {"points": points.ravel()})
    return struct.pack("<I", len(envelope)) + envelope


def test_a_map_follows_a_stream_and_goes_back_when_that_is_stopped(drawn, site, page):
    made = figure()
    goal = np.roll(elsewhere(made), 1, axis=0)
    site.data["job"] = framed(made.projection.points[:50]) + framed(goal)
    root = drawn(made)
    home = [place(page, root, row) for row in range(20)]
    drawn(made, stream="job")
    expect(root).to_have_attribute("data-stream", "off")
    expect(root).to_have_attribute("data-flying", "false")
    assert state(root)["streamed"] == "1"
    drawn(scatter(made.projection), stream="job")  # colored anew: it stays where it is
    points = "(root) => [...store.views.get(root).view.state.geometry.points]"
    assert root.evaluate(points) == goal.ravel().tolist()
    drawn(scatter(made.projection), stream=None)
    expect(root).to_have_attribute("data-flying", "false")
    page.wait_for_function(f"() => {MAP}.dataset.flying === 'false'")
    assert np.abs(np.subtract([place(page, root, row) for row in range(20)], home)).max() < 0.01
    assert root.evaluate("(root) => store.views.get(root).view.state.isHome()")


def test_a_camera_waits_a_minute_for_its_layout_and_no_longer(drawn, page):
    first, second, third = (figure(seed=seed) for seed in (0, 1, 2))
    root = drawn(first)
    page.evaluate("globalThis.embedvizNow = performance.now.bind(performance)")
    for made, seconds, zoom in ((second, 59, "5.00000"), (third, 61, "1.00000")):
        page.evaluate("(camera) => embedvizMaps.restore('map', camera)", {**AT_FIVE, "of": made.geometry_digest})
        page.evaluate("(seconds) => { performance.now = () => embedvizNow() + 1000 * seconds; }", seconds)
        drawn(made)
        assert state(root)["camera"].split(",")[2] == zoom
        page.evaluate("performance.now = embedvizNow")


def test_a_bookmark_gives_a_map_its_camera_at_once_or_when_it_comes(drawn, page):
    made = solid()
    assert (
        page.evaluate("async () => { await import('/scatter/store.mjs'); return embedvizMaps.camera('map'); }") is None
    )
    camera = {"x": 0.5, "y": 0.25, "z": 0, "zoom": 3, "yaw": 1, "pitch": -0.2}
    page.evaluate("(camera) => embedvizMaps.restore('map', camera)", camera)
    root = drawn(made)
    assert page.evaluate("embedvizMaps.camera('map')") == {**camera, "of": made.geometry_digest}
    page.evaluate("(camera) => embedvizMaps.restore('map', camera)", {**camera, "zoom": 5})
    assert rest(root).split(",")[2] == "5.00000"
    page.evaluate("(camera) => embedvizMaps.restore('map', camera)", {**camera, "zoom": 9, "of": "another layout"})
    for wrong in ({"x": 1}, "nothing", None):
        page.evaluate("(camera) => embedvizMaps.restore('map', camera)", wrong)
    assert rest(root).split(",")[2] == "5.00000"


@pytest.mark.parametrize("kind", ["value", "ordered"])
def test_a_value_has_a_legend_that_no_label_covers(drawn, kind):
    made = figure(kind="value") if kind == "value" else figure(kind="ordered", axes=("direction 1", "direction 2"))
    assert state(drawn(made))["coloring"] == kind


@pytest.mark.parametrize("make", [figure, lambda: solid(400)], ids=["flat", "solid"])
def test_on_a_phone_the_tools_cover_no_point(drawn, page, make):
    page.set_viewport_size({"width": 358, "height": 700})
    root = drawn(make(), selecting=True)
    low = root.locator(".tools").bounding_box()
    edge = low["y"] + low["height"] - root.bounding_box()["y"]
    highest = root.evaluate(
        """async (root) => {
          const { state } = (await import('/scatter/store.mjs')).views.get(root).view;
          return Math.min(...Array.from({ length: state.geometry.count }, (_, row) => state.position(row)[1]));
        }"""
    )
    assert edge + 2 < highest < edge + 120


def test_a_finger_chooses_and_the_page_keeps_scrolling(browser, site):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    try:
        page = context.new_page()
        page.goto(site.address)
        made = figure()
        site.data["g"], site.data["p"] = made.envelope(), made.paint()
        data = {
            "chart": "phone", "geometry": {"token": "g", "id": made.geometry_digest},
            "paint": {"token": "p", "id": made.paint_digest}, "count": 400, "height": 525, "chosen": None,
            "neighbors": [], "hits": [], "note": {}, "summary": "",
        }  # fmt: skip
        page.evaluate(
            """async (data) => {
              globalThis.sent = [];
              const root = document.createElement('div');
              root.className = 'map';
              document.body.append(root);
              const main = await import('/scatter/main.mjs');
              const setTriggerValue = (...a) => sent.push(a);
              main.default({ data, parentElement: document.body, setTriggerValue }, location.href);
            }""",
            data,
        )
        page.wait_for_selector(".map[data-ready=true]")
        root = page.locator(".map")
        assert root.bounding_box()["height"] <= 336
        assert root.locator(".over").evaluate("(e) => getComputedStyle(e).touchAction") == "pan-y"
        x, y = place(page, root, 0)
        page.touchscreen.tap(x, y)
        page.wait_for_function("() => sent.length === 1")
        assert state(root)["hover"] == "<b>alone</b>"
        root.locator(".over").press("+")
        rest(root)
        assert root.locator(".over").evaluate("(e) => getComputedStyle(e).touchAction") == "none"
        assert root.locator(".reset").bounding_box()["height"] >= 40
    finally:
        context.close()


def test_two_fingers_zoom_about_their_middle_and_choose_nothing(drawn, page):
    root = drawn()
    root.locator(".over").evaluate(
        """(over) => {
          const box = over.getBoundingClientRect();
          const touch = (type, pointerId, x) => over.dispatchEvent(new PointerEvent(type, {
            pointerId, pointerType: 'touch', button: 0, bubbles: true, clientX: box.left + x, clientY: box.top + 250,
          }));
          touch('pointerdown', 1, 400);
          touch('pointerdown', 2, 600);
          for (let k = 0; k < 10; k++) {
            touch('pointermove', 1, 400 - 10 * k);
            touch('pointermove', 2, 600 + 10 * k);
          }
          touch('pointerup', 1, 310);
          touch('pointerup', 2, 690);
        }"""
    )
    x, _, zoom = map(float, rest(root).split(","))
    assert zoom == pytest.approx(1.9, rel=0.02)
    assert x == pytest.approx(0, abs=0.5)
    assert page.evaluate("sent") == []


# selection


def winds_around(polygon, points):
    """Which points a closed polygon winds around, by the sum of the angles it turns about each."""
    corners = np.asarray(polygon).reshape(-1, 2)
    away = corners[None] - np.asarray(points)[:, None]
    angles = np.arctan2(away[..., 1], away[..., 0])
    turns = np.diff(angles, axis=1, append=angles[:, :1])
    turned = ((turns + np.pi) % (2 * np.pi) - np.pi).sum(axis=1)
    return np.abs(turned) > np.pi


def draw(page, root, corners, **keys):
    """Draws through corners of the map, in pixels from its upper left corner, with keys held down."""
    box = root.bounding_box()
    for key in keys.get("hold", ()):
        page.keyboard.down(key)
    (x, y), *others = corners
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    for x, y in others:
        page.mouse.move(box["x"] + x, box["y"] + y, steps=4)
    page.mouse.up()
    for key in keys.get("hold", ()):
        page.keyboard.up(key)


def spots(root, n):
    """Where all rows stand, in pixels from the map's upper left corner: an array of shape (n, 2)."""
    return np.array(
        root.evaluate(
            """async (root, n) => {
              const { views } = await import('/scatter/store.mjs');
              const { view } = views.get(root);
              return Array.from({ length: n }, (_, row) => { const [x, y] = view.state.position(row); return [x, y]; });
            }""",
            n,
        )
    )


def last_rows(page):
    return page.evaluate("sent.filter(([name]) => name === 'selected').at(-1)[1].indices")


TRIANGLE = [(300, 60), (760, 120), (420, 440)]


def test_a_lasso_selects_what_it_encloses_and_greys_the_rest(drawn, page):
    made = figure()
    root = drawn(made, selecting=True)
    camera = state(root)["camera"]
    page.get_by_role("button", name="Lasso").click()
    draw(page, root, TRIANGLE)
    expected = np.flatnonzero(winds_around(TRIANGLE, spots(root, 400))).tolist()
    assert 20 < len(expected) < 200
    assert last_rows(page) == expected
    got = state(root)
    assert (got["selected"], got["camera"], got["tool"]) == (str(len(expected)), camera, "lasso")
    assert root.locator("[aria-live]").text_content() == f"{len(expected)} words selected"
    seen = root.evaluate(
        """async (root) => {
          const { views } = await import('/scatter/store.mjs');
          const { view } = views.get(root);
          view.drawPoints(1);
          const { gl } = view.painting;
          return [...view.state.paint.codes.keys()].filter((row) => view.state.paint.codes[row] !== 255).map((row) => {
            const [x, y] = view.state.position(row);
            const pixel = new Uint8Array(4);
            const [px, py] = [x, y].map((v) => Math.round(v * view.state.ratio));
            gl.readPixels(px, gl.drawingBufferHeight - py, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            const spread = Math.max(...pixel.slice(0, 3)) - Math.min(...pixel.slice(0, 3));
            return [view.state.selection.mask[row], spread];
          });
        }"""
    )
    assert np.median([spread for kept, spread in seen if kept]) > 60
    assert np.median([spread for kept, spread in seen if not kept]) < 12


def test_only_what_is_selected_bears_labels(drawn):
    made = figure(800)
    rows = [*range(1, 21), *range(100, 400)]  # all of one category, none of the others, and some of the grey cloud
    root = drawn(made, selecting=True, selected={"id": "p", "of": made.geometry_digest, "count": 320, "indices": rows})
    assert state(root)["names"] == "Animals"
    named = root.evaluate(
        """async (root) => {
          const { views } = await import('/scatter/store.mjs');
          return views.get(root).view.fading.rows;
        }"""
    )
    assert len(named) > 20
    assert set(named) <= set(rows)


def test_a_selection_ends_with_its_layout_and_outlives_a_coloring(drawn, page):
    made = figure()
    root = drawn(made, selecting=True)
    page.get_by_role("button", name="Lasso").click()
    draw(page, root, TRIANGLE)
    count = state(root)["selected"]
    recolored = scatter(made.projection, figure(kind="value").color)
    drawn(recolored, selecting=True)
    page.wait_for_function(f"() => {MAP}.dataset.coloring === 'value'")
    assert state(root)["selected"] == count
    drawn(figure(seed=5), selecting=True)
    root.locator(".picked").wait_for(state="hidden")
    assert state(root)["selected"] == "0"
    assert page.evaluate("sent.length") == 1


def test_a_map_that_is_no_longer_wanted_does_not_come_late(drawn, page):
    first, second = figure(), figure(seed=6)
    root = drawn(first)
    page.route(re.compile("/data/"), lambda route: (page.wait_for_timeout(300), route.continue_()))
    drawn(second, wait=False)
    drawn(first, wait=False)
    page.wait_for_timeout(900)
    assert state(root)["geometry"] == first.geometry_digest
    page.unroute_all(behavior="ignoreErrors")


def test_shift_draws_without_a_tool_and_keys_add_and_take_away(drawn, page):
    made = figure()
    root = drawn(made, selecting=True)
    camera = state(root)["camera"]
    where = spots(root, 400)
    draw(page, root, TRIANGLE, hold=["Shift"])
    first = set(np.flatnonzero(winds_around(TRIANGLE, where)).tolist())
    assert set(last_rows(page)) == first
    page.get_by_role("button", name="Box").click()
    inside = set(np.flatnonzero(((where > (300, 200)) & (where < (600, 470))).all(axis=1)).tolist())
    assert inside - first
    assert inside & first
    draw(page, root, [(300, 200), (600, 470)], hold=["Control"])
    assert set(last_rows(page)) == first | inside
    draw(page, root, [(600, 470), (300, 200)], hold=["Alt"])
    assert set(last_rows(page)) == first - inside
    draw(page, root, [(300, 200), (600, 470)])
    assert set(last_rows(page)) == inside
    assert state(root)["camera"] == camera


def test_escape_clears_and_so_does_the_button(drawn, page):
    root = drawn(selecting=True)
    page.get_by_role("button", name="Lasso").click()
    draw(page, root, TRIANGLE)
    page.keyboard.press("Escape")
    assert last_rows(page) == []
    assert state(root)["selected"] == "0"
    assert root.locator("[aria-live]").text_content() == "Nothing is selected"
    draw(page, root, TRIANGLE)
    page.get_by_role("button", name="Clear the selection of").click()
    assert last_rows(page) == []
    assert root.locator(".picked").is_hidden()


def test_escape_drops_what_is_half_drawn_and_a_tap_chooses(drawn, page):
    root = drawn(selecting=True)
    page.get_by_role("button", name="Lasso").click()
    box = root.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 300, steps=5)
    assert root.locator(".drawing path").get_attribute("d")
    page.keyboard.press("Escape")
    assert root.locator(".drawing path").get_attribute("d") is None
    page.mouse.up()
    assert page.evaluate("sent") == []
    page.mouse.click(*place(page, root, 0))
    assert page.evaluate("sent.at(-1)")[0] == "clicked"


def test_keys_choose_the_tool_and_select_the_word_in_hand(drawn, page):
    root = drawn(selecting=True, chosen=0, neighbors=[1, 2, 3])
    root.locator(".over").focus()
    for key, tool in (("l", "lasso"), ("b", "box"), ("m", "move")):
        page.keyboard.press(key)
        assert state(root)["tool"] == tool
        assert root.get_by_role("button", name=tool.title(), exact=True).get_attribute("aria-pressed") == "true"
    for key in "nsns":
        page.keyboard.press(key)
    assert last_rows(page) == [1, 2]
    page.keyboard.press("s")
    assert last_rows(page) == [1]


def test_a_map_that_selects_nothing_shows_no_tools(drawn, page):
    root = drawn()
    assert root.get_by_role("toolbar").count() == 0
    draw(page, root, TRIANGLE, hold=["Shift"])
    assert page.evaluate("sent") == []
    assert state(root)["camera"].split(",")[2] == "1.00000"


def test_python_selects_and_an_id_alone_brings_back_what_was_drawn_here(drawn, page, site):
    made = figure()
    of = made.geometry_digest
    root = drawn(made, selecting=True, selected={"id": "p1", "of": of, "count": 2, "indices": [3, 5]})
    assert state(root)["selected"] == "2"
    page.get_by_role("button", name="Lasso").click()
    draw(page, root, TRIANGLE)
    mine = page.evaluate("sent.at(-1)[1]")
    drawn(made, selecting=True, selected={"id": "p1", "of": of, "count": 2, "indices": [3, 5]})
    assert state(root)["selected"] == str(mine["count"]), "an answer to something older undid what was drawn"
    drawn(made, selecting=True, selected={"id": mine["id"], "of": of, "count": mine["count"]})
    mask = np.zeros(400, np.uint8)
    mask[:300] = 1
    site.data["bits"] = np.packbits(mask, bitorder="little").tobytes()
    drawn(made, selecting=True, selected={"id": "p2", "of": of, "count": 300, "token": "bits"})
    page.wait_for_function(f"() => {MAP}.dataset.selected === '300'")
    drawn(made, selecting=True, selected={"id": mine["id"], "of": of, "count": mine["count"]})
    assert state(root)["selected"] == str(mine["count"])
    drawn(made, selecting=True, selected={"id": "gone", "of": of, "count": 7})
    assert page.evaluate("sent.at(-1)") == ["missing", {"selection": "gone"}]
    drawn(made, selecting=True, selected={"id": "p0", "of": of, "count": 0})
    assert state(root)["selected"] == "0"


FINGERS = """(over, steps) => {
  const box = over.getBoundingClientRect();
  for (const [type, pointerId, x, y] of steps) {
    over.dispatchEvent(new PointerEvent('pointer' + type, {
      pointerId, pointerType: 'touch', button: 0, bubbles: true, clientX: box.left + x, clientY: box.top + y,
    }));
  }
}"""


def test_one_finger_draws_with_a_tool_and_two_still_zoom(drawn, page):
    root = drawn(selecting=True)
    over = root.locator(".over")
    over.evaluate("(over) => { over.setPointerCapture = () => {}; }")  # a made-up finger cannot be captured
    page.get_by_role("button", name="Box").click()
    assert over.evaluate("(e) => getComputedStyle(e).touchAction") == "none"
    where = spots(root, 400)
    over.evaluate(FINGERS, [["down", 1, 300, 200], ["move", 1, 450, 300], ["move", 1, 600, 470], ["up", 1, 600, 470]])
    inside = np.flatnonzero(((where > (300, 200)) & (where < (600, 470))).all(axis=1)).tolist()
    assert last_rows(page) == inside
    apart = [step for k in range(10) for step in (["move", 1, 400 - 10 * k, 250], ["move", 2, 600 + 10 * k, 250])]
    ends = [["up", 1, 310, 250], ["up", 2, 690, 250]]
    over.evaluate(FINGERS, [["down", 1, 400, 250], ["down", 2, 600, 250], *apart, *ends])
    assert float(rest(root).split(",")[2]) == pytest.approx(1.9, rel=0.02)
    assert page.evaluate("sent.length") == 1
    over.evaluate(FINGERS, [["down", 1, 100, 100], ["move", 1, 600, 470], ["up", 1, 600, 470]])
    assert page.evaluate("sent.length") == 2, "after a pinch one finger draws again"


# pictures

SVG = "{http://www.w3.org/2000/svg}"


def saved(page, form):
    """The picture of the map in a format, as it is downloaded: its name and its bytes."""
    with page.expect_download() as waiting:
        page.evaluate(
            "(format) => dispatchEvent(new CustomEvent('embedviz:picture', { detail: { chart: 'map', format } }))", form
        )
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def shot(page, svg):
    """An SVG as a browser draws it, twice the size, in 256 greys."""
    page.set_content(
        f"<style>body {{ margin: 0 }} img {{ display: block; zoom: 2 }}</style>"
        f"<img src='data:image/svg+xml;base64,{encoded(svg)}'>"
    )
    page.wait_for_function("() => document.images[0].complete")
    return np.asarray(Image.open(io.BytesIO(page.locator("img").screenshot())).convert("L"), int)


def picture(content):
    """A picture in 256 greys, and its dots an inch."""
    with Image.open(io.BytesIO(content)) as read:
        return np.asarray(read.convert("L"), int), round(read.info["dpi"][0])


def test_the_print_has_its_density_and_a_stereo_pair_is_what_two_cameras_see(drawn, page):
    root = drawn(solid())
    home, width = state(root)["camera"], root.bounding_box()["width"] + 48
    name, content = saved(page, "print")
    printed, density = picture(content)
    assert (name, density) == ("map-test-words.png", 300)
    assert printed.shape[1] == round(width * 300 / 96)
    name, content = saved(page, "stereo")
    pair, density = picture(content)
    assert (name, density) == ("map-test-words-stereo.png", 192)
    assert pair.shape[1] == 2 * 2 * width
    assert pair.shape[0] == pytest.approx(printed.shape[0] * 192 / 300, abs=1)
    assert state(root)["camera"] == home
    left, right = np.split(pair, 2, axis=1)
    turned = """async ([root, yaw]) => {
      const { views } = await import('/scatter/store.mjs');
      const { view } = views.get(root);
      view.state.camera = { ...view.state.camera, yaw };
      view.location.forget();
    }"""
    yaw = float(home.split(",")[4])
    for eye, other, turn in ((left, right, 0.03), (right, left, -0.03)):
        page.evaluate(turned, [root.element_handle(), yaw + turn])
        seen, _ = picture(saved(page, "png")[1])
        assert np.mean(np.abs(seen - eye) > 64) < 0.002
        assert np.mean(np.abs(seen - other) > 64) > 0.01


def test_a_class_in_two_parts_says_at_the_second_that_it_is_one(drawn, page):
    drawn(figure(classes=(0, 1, 0)))
    page.wait_for_timeout(300)
    tree = ElementTree.fromstring(saved(page, "svg")[1])
    texts = [text.text for text in tree.iter(f"{SVG}text") if not text.get("aria-hidden")]
    assert [text for text in texts if text.startswith("Animals")] == ["Animals", "Animals (also here)"]
    assert "Music (also here)" not in texts


@pytest.mark.parametrize(
    "made", [figure(), figure(axes=("across", "up")), figure(kind="value"), solid(axes=("a", "b", "c"))]
)
def test_the_svg_has_its_labels_as_text_and_looks_like_the_png(drawn, page, made):
    reading = "Read: groups of words that lie together, each as a whole. Do not read: gaps, sizes & single pairs."
    note = {"title": "A <map> & more", "space": "test words", "count": "400 words", "badge": "●●○ Read groups"}
    note["reading"] = f"{reading} {reading}"
    root = drawn(made, chosen=5, neighbors=[6, 7, 8], hits=[100], note=note)
    page.wait_for_timeout(300)
    name, content = saved(page, "svg")
    assert name == "a-map-more-test-words.svg"
    tree = ElementTree.fromstring(content)
    box = root.bounding_box()
    assert int(tree.get("width")) == box["width"] + 48
    assert tree.get("viewBox") == f"0 0 {tree.get('width')} {tree.get('height')}"
    texts = [text.text for text in tree.iter(f"{SVG}text") if not text.get("aria-hidden")]
    assert texts[:4] == ["A <map> & more", "test words", "400 words", "●●○ Read groups"]
    (about,) = [group for group in tree.iter(f"{SVG}g") if group.get("id") == "note"]
    written = [(text.text, float(text.get("y"))) for text in about.iter(f"{SVG}text")]
    assert len(written) > 5  # the reading is longer than the map is wide
    assert " ".join(text for text, _ in written[4:]) == note["reading"]
    ends = [y for _, y in written]
    assert ends == sorted(ends)
    assert ends[1] < 90
    assert ends[2] > 90 + box["height"]
    assert ends[-1] < int(tree.get("height")) - 20
    assert tree.find(f"{SVG}desc").text == " · ".join([*note.values()][1:])
    labels = root.evaluate(
        """async (root) => {
          const { views } = await import('/scatter/store.mjs');
          return [...views.get(root).view.fading.labels.values()].map(({ label }) => label.text);
        }"""
    )
    assert len(labels) > 20
    assert set(labels) <= set(texts)
    assert {axis for axis in made.projection.axes if " (" not in axis} <= set(texts)
    (points,) = [group for group in tree.iter(f"{SVG}g") if group.get("id") == "points"]
    assert len(list(points.iter(f"{SVG}circle"))) == 400
    _, png = saved(page, "png")
    expected = np.asarray(Image.open(io.BytesIO(png)).convert("L"), int)
    seen = shot(page, content)
    assert seen.shape == expected.shape
    assert np.mean(np.abs(seen - expected) > 64) < 0.01
    assert np.mean(np.abs(expected - expected[0, 0]) > 64) > 0.005


def test_two_classes_differ_in_shape_and_a_selection_in_color_in_the_svg(drawn, page):
    made = figure()
    codes = np.resize(np.array([0, 1], np.uint8), 400)
    color = SimpleNamespace(**{**vars(made.color), "codes": codes, "labels": ("a", "b")})
    pair = scatter(made.projection, color)
    of = pair.geometry_digest
    drawn(pair, selecting=True, selected={"id": "p", "of": of, "count": 3, "indices": [0, 1, 2]})
    _, content = saved(page, "svg")
    tree = ElementTree.fromstring(content)
    (points,) = [group for group in tree.iter(f"{SVG}g") if group.get("id") == "points"]
    drawn_as = Counter()
    for group in points.iter(f"{SVG}g"):
        drawn_as[group.get("fill")] += len(group.findall(f"{SVG}circle"))
    first, second = (f"rgb({' '.join(map(str, rgb(color)))})" for color in THEMES["light"].categorical[:2])
    rest = f"rgb({' '.join(map(str, rgb(THEMES['light'].rest)))})"
    assert (drawn_as[first], drawn_as[rest]) == (2, 397)
    assert [path.get("stroke") for path in points.iter(f"{SVG}path")] == [second]


def test_many_points_become_a_picture_inside_the_svg(drawn, page):
    drawn(figure(21_000))
    page.wait_for_timeout(300)
    _, content = saved(page, "svg")
    tree = ElementTree.fromstring(content)
    assert len(list(tree.iter(f"{SVG}circle"))) == 0
    (image,) = tree.iter(f"{SVG}image")
    inner = image.get("{http://www.w3.org/1999/xlink}href")
    assert inner.startswith("data:image/png;base64,")
    assert sum(1 for text in tree.iter(f"{SVG}text")) > 20
    _, png = saved(page, "png")
    expected = np.asarray(Image.open(io.BytesIO(png)).convert("L"), int)
    assert np.mean(np.abs(shot(page, content) - expected) > 64) < 0.01
