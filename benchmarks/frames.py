"""Frames of a job that a map follows: how many a second reach the browser, and what each costs the server.

A worker reports points as fast as frames are taken, for some seconds; the browser's map moves with them. No peer runs
here: a chart made anew in a fragment reaches 1 to 6 a second. The server's cost is the processor time of this process,
which holds the pool and the route, so it hardly depends on what else runs.
"""

import statistics
import sys
import threading
import time
from pathlib import Path

import numpy as np
import uvicorn
from playwright.sync_api import sync_playwright
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from embedviz.figures.scatter import scatter
from embedviz.jobs import Pool
from embedviz.projection import Projection
from pages._shared.app import frames, routes
from tests.browser.conftest import FLAGS

SECONDS = 8.0
SIZES = (10_000, 30_000, 100_000)
PAGE = "<!doctype html><title>map</title><body style='margin:0'><div class=map style='width:900px'></div></body>"
MOUNT = """async (data) => {
  const main = await import('/scatter/main.mjs');
  const root = document.querySelector('.map');
  main.default({ data, parentElement: document.body, setTriggerValue() {} }, location.href);
  globalThis.came = [];
  new MutationObserver(() => came.push(performance.now())).observe(root, { attributeFilter: ['data-streamed'] });
}"""


def wander(points: np.ndarray, seconds: float, *, report) -> None:
    """Runs in the worker: the points drift, reported a hundred times a second."""
    end, random = time.monotonic() + seconds, np.random.default_rng(0)
    drift = random.normal(scale=0.003, size=points.shape).astype(np.float32)
    while (left := end - time.monotonic()) > 0:
        points = points + drift
        report(1 - left / seconds, "wandering", points=points)
        time.sleep(0.01)


def map_of(n: int):
    points = np.random.default_rng(n).normal(size=(n, 2)).astype(np.float32)
    words = [f"w{row}" for row in range(n)]
    return scatter(Projection(words, np.arange(n), points, "random", {}, (), ""))


def measured(page, pool: Pool, n: int) -> str:
    figure = map_of(n)
    geometry, paint = figure.geometry_digest, figure.paint_digest
    tokens = routes.hold(geometry, figure.envelope()), routes.hold(paint, figure.paint())
    job = pool.submit("frames:wander", figure.projection.points, SECONDS)
    data = {"chart": "map", "count": n, "height": 500, "neighbors": [], "hits": [], "note": {}, "summary": "a map"}
    data |= {"geometry": {"token": tokens[0], "id": geometry}, "stream": frames._streams().publish(job)}
    data |= {"paint": {"token": tokens[1], "id": paint}, "selecting": False, "selected": None}
    page.goto(page.url)
    while job.state == "waiting":
        time.sleep(0.01)
    page.evaluate(MOUNT, data)
    page.wait_for_function("came.length > 3", timeout=60_000)
    spent, begun = time.process_time(), page.evaluate("[came.length, +document.querySelector('.map').dataset.frames]")
    started = time.monotonic()
    page.wait_for_timeout(1000 * (SECONDS - 2.5))
    passed, spent = time.monotonic() - started, time.process_time() - spent
    came, drawn = page.evaluate("[came.length, +document.querySelector('.map').dataset.frames]")
    apart = page.evaluate("came.slice(1).map((at, i) => at - came[i])")
    job.wait()
    visible = came - begun[0]
    return (
        f"{n:>8,} points: {visible / passed:5.1f} frames a second (median {statistics.median(apart):.0f} ms apart), "
        f"drawn {(drawn - begun[1]) / passed:5.1f} times a second; "
        f"server {1000 * spent / max(visible, 1):.2f} ms a frame"
    )


def main() -> None:
    app = Starlette(routes=[*routes.ROUTES, *frames.ROUTES, Route("/", lambda _: HTMLResponse(PAGE))])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with Pool(1, prefixes=("frames:",), paths=[Path(__file__).parent]) as pool, sync_playwright() as playwright:
        chromium = Path("/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=chromium if chromium.exists() else None, args=FLAGS)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        for n in SIZES:
            print(measured(page, pool, n), flush=True)
        browser.close()
    server.should_exit = True


if __name__ == "__main__":
    main()
