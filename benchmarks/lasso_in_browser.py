"""Milliseconds from the end of a lasso around a tenth of a map to what the reader gets.

No peer runs here: the figures are the program's own, in headless Chromium with software drawing. `sent` is the script
that runs until Python is told; `greyed` is when the points have been drawn anew; `answered` is the frame in which what
Python counted stands on the page. `bytes` is the message, which crosses the wire once.
"""

import json
import math
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from embedviz.figures.scatter import VERSION
from tests.browser.conftest import FLAGS
from tests.browser.server import ROOT, served

LASSOS = 7
CORNERS = 90
SIZES = (10_000, 100_000, 1_000_000)
WATCH = """async (map, store) => {
  const { views } = await import(store);
  const { view } = views.get(map);
  const tell = view.onSelect, frames = map.dataset.frames;
  window.embedvizTimes = new Promise((done) => {
    let begun = 0;
    const times = {};
    window.addEventListener('pointerup', () => (begun = performance.now()), { capture: true, once: true });
    view.onSelect = (message, selection) => {
      tell(message, selection);
      times.sent = performance.now() - begun;
      times.bytes = JSON.stringify(message).length;
      times.count = selection.count;
      const look = () => {
        const now = performance.now() - begun;
        if (!times.greyed && map.dataset.frames !== frames) times.greyed = now;
        const told = document.querySelector('[data-testid=stText]').textContent.includes(`heard ${selection.count};`);
        if (now > 20000) done(null);
        else if (!times.greyed || !told) requestAnimationFrame(look);
        else requestAnimationFrame(() => done({ ...times, answered: performance.now() - begun }));
      };
      requestAnimationFrame(look);
    };
  });
}"""


def lasso_times(page: Page, address: str, n: int) -> list[dict[str, float]]:
    """What each of some lassos took; each goes around another tenth, a little larger than the last."""
    page.goto(f"{address}?mode=plane&n={n}")
    surface = page.locator('.map[data-ready="true"]')
    surface.wait_for(timeout=120_000)
    page.wait_for_timeout(2000)
    page.get_by_role("button", name="Lasso").click()
    box, times = surface.bounding_box(), []
    side = min(box["width"], box["height"]) - 42  # the lattice is square, between the margins
    x, y = box["x"] + (box["width"] + 2) / 2, box["y"] + (box["height"] - 10) / 2
    for turn in range(LASSOS):
        radius = side * math.sqrt(0.1 / math.pi) * (1 + turn / 100)
        for corner in range(CORNERS):
            angle = 2 * math.pi * corner / CORNERS
            page.mouse.move(x + radius * math.cos(angle), y + radius * math.sin(angle))
            if not corner:
                page.mouse.down()
        surface.evaluate(WATCH, f"{address}/scatter/store.mjs?v={VERSION}")
        page.mouse.up()
        times.append(page.evaluate("window.embedvizTimes"))
        page.wait_for_timeout(1000)
    return times


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        chromium = Path("/usr/bin/chromium")
        browser = driver.chromium.launch(executable_path=chromium if chromium.exists() else None, args=FLAGS)
        with served(ROOT / "tests/browser/demo/demo_app.py", Path(scratch) / "log") as server:
            for n in SIZES:
                page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
                times = lasso_times(page, server.address, n)
                middle = {name: round(statistics.median(time[name] for time in times)) for name in times[0]}
                worst = max(time["answered"] for time in times)
                print(f"{n:,} points, median of {LASSOS} lassos: {json.dumps(middle)}; slowest answer {worst:.0f} ms")
                page.context.close()
        browser.close()


if __name__ == "__main__":
    main()
