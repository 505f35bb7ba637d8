"""Seconds from the server's start to the first drawn map, and milliseconds from a click to the painted answer.

No peer runs here: the figures are the program's own, in headless Chromium with software drawing. A click is timed in
the browser: to the frame in which the map has its ring, and to the frame in which Python's answer (the panel) stands.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from embedviz.core.space import Origin, VectorSpace
from tests.browser.conftest import FLAGS
from tests.browser.server import ROOT, served

READY = '.map[data-ready="true"]'
CLICKS = 9
PLACES = (
    ("2,000", "map", 2_000),
    ("20,000", "map?sample_n=20000", 20_000),
    ("100,000", "map?space=saved:random+100k&sample_n=100000&color=plain", 100_000),
)
WATCH = """(map) => {
  const begun = performance.now(), before = map.dataset.selection;
  window.embedvizTimes = new Promise((done) => {
    let ring = null;
    const look = () => {
      const now = performance.now() - begun;
      if (ring === null && map.dataset.selection !== before) ring = now;
      const title = document.querySelector('.ev-panel h2')?.textContent;
      if (now > 8000) done(null);
      else if (ring !== null && title === map.dataset.selection) requestAnimationFrame(() => done([ring, now]));
      else requestAnimationFrame(look);
    };
    look();
  });
}"""


def random_space(folder: Path, name: str, n: int, d: int = 50) -> None:
    matrix = np.random.default_rng(0).normal(size=(n, d)).astype(np.float32)
    VectorSpace([f"w{i}" for i in range(n)], matrix, origin=Origin("random", name, "frequency")).save(folder / name)


def click_times(page: Page, address: str, n: int) -> list[tuple[float, float]]:
    """Milliseconds to the ring and to the answer, for some clicks on points near the middle."""
    page.goto(address)
    page.locator(f'.map[data-ready="true"][data-points="{n}"]').wait_for(timeout=60_000)
    page.get_by_text("of neighbors kept").wait_for(timeout=120_000)
    surface, times, random = page.locator(".map"), [], np.random.default_rng(1)
    box = surface.bounding_box()
    while len(times) < CLICKS:
        across, down = random.uniform(0.42, 0.58, 2)
        page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] * down)
        page.wait_for_timeout(200)
        if surface.get_attribute("data-hover") in ("", None, surface.get_attribute("data-selection")):
            continue
        surface.evaluate(WATCH)
        page.mouse.down()
        page.mouse.up()
        if found := page.evaluate("window.embedvizTimes"):
            times.append(tuple(found))
        page.wait_for_timeout(500)
    return times


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        models = Path(scratch) / "models"
        random_space(models, "random 100k", 100_000)
        chromium = Path("/usr/bin/chromium")
        browser = driver.chromium.launch(executable_path=chromium if chromium.exists() else None, args=FLAGS)
        start = time.perf_counter()
        with served(ROOT / "app.py", Path(scratch) / "log", {"EMBEDVIZ_MODELS": str(models)}) as server:
            answered = time.perf_counter() - start
            for visitor in ("first", "second"):
                page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
                began = time.perf_counter()
                page.goto(f"{server.address}/map")
                page.locator(READY).wait_for(timeout=60_000)
                now = time.perf_counter()
                print(f"{visitor} visitor: map drawn {now - began:.2f} s after asking", end="")
                print(
                    f", {now - start:.2f} s after the start (answering after {answered:.2f} s)" * (visitor == "first")
                )
            for label, query, n in PLACES:
                ring, answer = zip(*click_times(page, f"{server.address}/{query}", n), strict=True)
                print(
                    f"{label} points, median of {CLICKS}: click to ring {statistics.median(ring):.0f} ms, "
                    f"to the answer {statistics.median(answer):.0f} ms (worst {max(answer):.0f})"
                )
        browser.close()


if __name__ == "__main__":
    main()
