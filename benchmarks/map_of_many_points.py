"""The map of 10,000, 100,000 and 1,000,000 points in two and three dimensions: what a reader waits for.

No peer runs here: the figures are the program's own, inside Streamlit, in headless Chromium with software drawing.

    drawn    seconds from the address to the drawn map, about 1.5 of them Streamlit's own start
    pan      milliseconds a frame (and the longest) while the pointer drags the map, or turns it in three dimensions
    moving   points drawn in such a frame: the first part of a random order, halved while frames are slow
    ring     milliseconds from a click to the frame that bears its ring
    Python   milliseconds from a click to the frame that bears Python's answer
    rest     milliseconds of the longest task after the camera has come to rest: all points drawn, found and labeled
    morph    frames of a flight of all points to another layout, and milliseconds of the longest
    heap     megabytes of JavaScript, after a collection

*canvas* is the plain canvas that stands in where a browser offers no WebGL2; of a million points it draws 300,000.
Run it with the sizes wanted, or with none for all: `python benchmarks/map_of_many_points.py 10000 100000`.
"""

import itertools
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.browser.conftest import FLAGS
from tests.browser.server import ROOT, served

SIZES = (10_000, 100_000, 1_000_000)
NO_WEBGL = """{
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind === 'webgl2' ? null : get.call(this, kind, ...rest);
  };
}"""
CLICKS = 7
COLUMNS = {
    **{"points": 10, "d": 2, "renderer": 9, "drawn": 8, "pan": 15, "moving": 9},
    **{"ring": 8, "Python": 8, "rest": 9, "morph": 13, "heap": 7},
}
DRAG = """async (map) => {
  const over = map.querySelector('.over'), box = over.getBoundingClientRect(), times = [];
  const held = { pointerId: 1, pointerType: 'mouse', button: 0, buttons: 1, bubbles: true };
  const send = (type, x, y) =>
    over.dispatchEvent(new PointerEvent(type, { ...held, clientX: box.left + x, clientY: box.top + y }));
  over.setPointerCapture = () => {};
  const frame = () => new Promise(requestAnimationFrame);
  send('pointerdown', 400, 250);
  let before = await frame();
  for (let k = 0; k < 40; k++) {
    send('pointermove', 400 + 6 * k, 250 + 2 * k);
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  const drawn = Number(map.dataset.drawn);
  send('pointerup', 640, 330);
  const tasks = [];
  const watch = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
  watch.observe({ type: 'longtask' });
  await new Promise((done) => setTimeout(done, 1500));
  watch.disconnect();
  return [times.slice(5), drawn, Math.max(0, ...tasks)];
}"""
CLICK = """async (map) => {
  const loaded = performance.getEntriesByType('resource').find(({ name }) => name.includes('store.mjs'));
  const { views } = await import(loaded.name);
  const { view } = views.get(map);
  const box = map.getBoundingClientRect(), answer = document.querySelector('.st-key-answer');
  let spot = null;
  for (let k = 0; k < 4000 && !spot; k++) {
    const [x, y] = [300 + ((k * 37 + NUMBER * 61) % 300), 150 + ((k * 53) % 200)];
    const row = view.rowAt(x, y, 12);
    if (row >= 0 && row !== view.chosen) spot = { x, y, row };
  }
  const begun = performance.now();
  const at = { pointerId: 1, pointerType: 'mouse', button: 0, bubbles: true };
  Object.assign(at, { clientX: box.left + spot.x, clientY: box.top + spot.y });
  view.over.setPointerCapture = () => {};
  view.over.dispatchEvent(new PointerEvent('pointerdown', at));
  view.over.dispatchEvent(new PointerEvent('pointerup', at));
  const word = view.geometry.words.at(spot.row);
  let ring = null;
  for (;;) {
    const now = await new Promise(requestAnimationFrame);
    if (ring === null && map.dataset.selection === word) ring = performance.now() - begun;
    if (ring !== null && answer.textContent.trim() === `chosen ${spot.row}`) return [ring, performance.now() - begun];
    if (now - begun > 10_000) return null;
  }
}"""
FLIGHT = """(map) => {
  globalThis.flightTimes = [];
  let before = null;
  const look = (now) => {
    if (map.dataset.flying === 'true') {
      if (before !== null) flightTimes.push(now - before);
      before = now;
    } else before = null;
    if (!globalThis.flightEnds) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


def measured(browser: Browser, address: str, n: int, dimensions: int, renderer: str) -> dict[str, str]:
    """All figures for one size, in a browser session of its own."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    if renderer == "canvas":
        context.add_init_script(NO_WEBGL)
    page = context.new_page()
    start = time.perf_counter()
    page.goto(f"{address}/?mode=map&n={n}&d={dimensions}")
    page.locator(f'.map[data-ready="true"][data-points="{n}"][data-renderer="{renderer}"]').wait_for(timeout=120_000)
    drawn = time.perf_counter() - start
    root = page.locator(".map")
    page.wait_for_timeout(2000)
    root.evaluate(DRAG)  # the first teaches the map how many points it can draw while it moves
    times, moving, rest = root.evaluate(DRAG)
    page.keyboard.press("Escape")
    root.get_by_role("button", name="Reset view").click()
    page.wait_for_timeout(2500)
    answers = []
    for number in range(CLICKS):
        if found := root.evaluate(CLICK.replace("NUMBER", str(number))):
            answers.append(found)
        page.wait_for_timeout(1000)
    ring, python = (statistics.median(column) for column in zip(*answers, strict=True))
    heap = used_heap(page)
    flight = flown(page, root)
    context.close()
    return {
        "points": f"{n:,}",
        "d": str(dimensions),
        "renderer": renderer,
        "drawn": f"{drawn:.1f} s",
        "pan": f"{statistics.median(times):.0f} ({max(times):.0f}) ms",
        "moving": f"{moving:,}",
        "ring": f"{ring:.0f} ms",
        "Python": f"{python:.0f} ms",
        "rest": f"{rest:.0f} ms",
        "morph": flight,
        "heap": f"{heap:.0f} MB",
    }


def used_heap(page: Page) -> float:
    """Megabytes of JavaScript in use after a collection, array buffers among them."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")
    return float(used["usedSize"] + used.get("backingStorageSize", 0)) / 1e6


def flown(page: Page, root: Any) -> str:
    """Frames of a flight and the longest of them, or *jumps*."""
    root.evaluate(FLIGHT)
    page.get_by_role("button", name="Another layout").click()
    page.wait_for_timeout(4000)
    times = page.evaluate("() => { globalThis.flightEnds = true; return flightTimes; }")
    return f"{len(times) + 1} ({max(times):.0f} ms)" if times else "jumps"


def drawn_once(browser: Browser, address: str) -> None:
    """Nothing; the server has made these points when it returns."""
    page = browser.new_page()
    page.goto(address)
    page.locator('.map[data-ready="true"]').wait_for(timeout=120_000)
    page.close()


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        chromium = Path("/usr/bin/chromium")
        browser = driver.chromium.launch(executable_path=chromium if chromium.exists() else None, args=FLAGS)
        with served(ROOT / "tests/browser/demo/demo_app.py", Path(scratch) / "log") as server:
            print(*(f"{name:>{width}}" for name, width in COLUMNS.items()))
            made: set[tuple[int, int]] = set()
            for n, dimensions, renderer in itertools.product(sizes, (2, 3), ("webgl2", "canvas")):
                if (n, dimensions) not in made:  # the points are random numbers that no reader waits for
                    drawn_once(browser, f"{server.address}/?mode=map&n={n}&d={dimensions}")
                    made.add((n, dimensions))
                row = measured(browser, server.address, n, dimensions, renderer)
                print(*(f"{row[name]:>{width}}" for name, width in COLUMNS.items()), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
