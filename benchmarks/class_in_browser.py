"""A class in Chromium: pages that open the map together, click words for a minute, and train the teaching corpus.

    python benchmarks/class_in_browser.py [--pages 30] [--seconds 60]

All pages and the server share one machine, so the figures are also those of a browser that draws all maps by software.
A click is timed in the browser, to the frame in which Python's answer (the panel of the word) stands. Memory is that of
the server alone, private to its process: before, with the first page, and with all pages open.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from playwright.async_api import async_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.map_in_browser import READY, WATCH
from benchmarks.visitors import result
from tests.browser.conftest import FLAGS
from tests.browser.server import ROOT, served

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

PAUSE = 2.0
PATIENCE = 120_000
TEACHING = "train?corpus=teaching"


async def opened(browser: Browser, address: str) -> tuple[Page, float]:
    """A page with the map, and the seconds until it was drawn."""
    page = await (await browser.new_context(viewport={"width": 1280, "height": 720})).new_page()
    begun = time.perf_counter()
    await page.goto(f"{address}/map")
    await page.locator(READY).wait_for(timeout=PATIENCE)
    return page, time.perf_counter() - begun


async def click(page: Page, seconds: float, seed: int) -> list[float]:
    """Milliseconds from clicks on points near the middle to their answers."""
    chance, surface, times = random.Random(seed), page.locator(".map"), []
    box = await surface.bounding_box()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        await asyncio.sleep(chance.uniform(0.5, 1.5) * PAUSE)
        across, down = chance.uniform(0.3, 0.7), chance.uniform(0.3, 0.7)
        await page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] * down)
        await page.wait_for_timeout(50)
        hovered = await surface.get_attribute("data-hover")
        if hovered in ("", None, await surface.get_attribute("data-selection")):
            continue
        await surface.evaluate(WATCH)
        await page.mouse.down()
        await page.mouse.up()
        if found := await page.evaluate("window.embedvizTimes"):
            times.append(found[1])
    return times


async def train(page: Page, address: str) -> float:
    """Seconds from the click on *Train* to the sentence about the loss."""
    await page.goto(f"{address}/{TEACHING}")
    button = page.get_by_role("button", name="Train", exact=True)
    await button.wait_for(timeout=PATIENCE)
    begun = time.perf_counter()
    await button.click(timeout=PATIENCE)
    await page.get_by_text("The loss is").first.wait_for(timeout=PATIENCE)
    return time.perf_counter() - begun


async def run(address: str, process: psutil.Process, count: int, seconds: float) -> None:
    """Measures and prints."""

    def held() -> float:
        return float(process.memory_full_info().uss / 2**20)

    chromium = Path("/usr/bin/chromium")
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium if chromium.exists() else None, args=FLAGS)
        before = held()
        first, drawn = await opened(browser, address)
        one = held()
        print(f"first page: map drawn after {drawn:.1f} s; {one - before:.0f} MiB more than {before:.0f}")
        others = await asyncio.gather(*(opened(browser, address) for _ in range(count - 1)))
        pages = [first, *(page for page, _ in others)]
        last = max(seconds for _, seconds in others)
        print(f"{count} pages: {(held() - one) / (count - 1):.1f} MiB a session; the last map after {last:.1f} s")
        found = await asyncio.gather(*(click(page, seconds, seed) for seed, page in enumerate(pages)))
        result(f"{count} pages, clicks on the map", [each for times in found for each in times])
        print(f"after the clicks: {(held() - one) / (count - 1):.1f} MiB a session")
        trained = await asyncio.gather(*(train(page, address) for page in pages))
        print(f"training together: first {min(trained):.1f} s, last {max(trained):.1f} s after its click")
        await browser.close()


def main() -> None:
    """Reads the arguments and starts the server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, served(ROOT / "app.py", Path(scratch) / "log") as server:
        time.sleep(3)
        asyncio.run(run(server.address, psutil.Process(server.process.pid), options.pages, options.seconds))


if __name__ == "__main__":
    main()
