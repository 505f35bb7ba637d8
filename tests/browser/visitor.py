"""A visitor: one person with a browser of their own, before a real server."""

from __future__ import annotations

import re
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date, timedelta

import numpy as np
import pytest
from playwright.sync_api import Browser, Error, Page, Request, expect

from embedviz.core.space import VectorSpace
from embedviz.core.subwords import Subwords
from tests.browser.lending import lent
from tests.browser.server import ROOT, Server, served

READY = '.map[data-ready="true"]'
WALKS = ["walk", "walks", "walked", "walking", "stone", "river"]
STILL = "reduce"
"""What a visitor asks for: placeholders that pulse while a page loads cost a third of the browser's work."""
SETTLED = """() => document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    && document.querySelector('[data-testid="stMain"]')?.innerText.trim()"""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests: each of its own would import and compile everything anew."""
    folder = tmp_path_factory.mktemp("app")
    environment = {"EMBEDVIZ_MODELS": str(folder / "models"), "EMBEDVIZ_WARM_UP": "off"}
    many = np.random.default_rng(0).normal(size=(28_000, 50)).astype(np.float32)
    VectorSpace([f"w{row}" for row in range(len(many))], many).save(folder / "models" / "large")
    columns = {
        "topic": [f"topic {row % 30}" for row in range(600)],
        "score": np.arange(600) / 10,
        "date": [str(date(2000, 1, 1) + timedelta(row)) for row in range(600)],
        "text": [f"note {row}" for row in range(600)],
    }
    VectorSpace([f"n{row}" for row in range(600)], many[:600], metadata=columns).save(folder / "models" / "columns")
    spelled = Subwords(3, 6, many[:500])
    composed = spelled.composed([word.encode() for word in WALKS], many[-len(WALKS) :])
    VectorSpace(WALKS, composed, subwords=spelled).save(folder / "models" / "spelled")
    with served(ROOT / "app.py", folder / "log", environment) as running:
        yield running
        assert "Traceback" not in (folder / "log").read_text()


UNLABELLED = """() => {
  const large = (one) => one.getBoundingClientRect().width >= 60 && one.getBoundingClientRect().height >= 60;
  const hidden = (one) => one.closest('[aria-hidden="true"]');
  const main = document.querySelector('[data-testid="stMain"]');
  const drawn = (one) => [...(one.shadowRoot?.querySelectorAll("canvas, svg") ?? [])];
  const inside = [...main.querySelectorAll("*")].flatMap(drawn);
  const charts = [...main.querySelectorAll(".js-plotly-plot"), ...inside].filter((one) => large(one) && !hidden(one));
  const silent = charts.filter((one) => !one.closest("[aria-label]")?.getAttribute("aria-label").trim());
  return [charts.length, silent.map((one) => one.outerHTML.slice(0, 120))];
}"""


class Visitor:
    """One person with a browser of their own; asks no host but ours, and meets no error."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("pageerror", self._fails)
        self.page.on("request", self._asks)

    def leave(self) -> None:
        """End the visit: no error was met, no other host was asked, and no exception stands on the page."""
        self.page.remove_listener("pageerror", self._fails)
        self.page.remove_listener("request", self._asks)
        assert self.errors == []
        assert self.hosts - {"", urllib.parse.urlsplit(self.address).netloc} == set()
        assert self.page.get_by_test_id("stException").count() == 0

    def _fails(self, error: Error) -> None:
        self.errors.append(str(error))

    def _asks(self, request: Request) -> None:
        self.hosts.add(urllib.parse.urlsplit(request.url).netloc)

    def go(self, path: str = "") -> Page:
        self.page.goto(f"{self.address}/{path}")
        self.settle()
        return self.page

    def settle(self) -> None:
        self.page.wait_for_function(SETTLED, timeout=30_000)

    def map(self) -> None:
        self.page.locator(READY).wait_for(timeout=30_000)

    def menu(self, title: str) -> None:
        self.page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click()
        expect(self.page.locator("h1")).to_contain_text(title)
        self.settle()

    def search(self, text: str) -> None:
        box = self.page.get_by_role("combobox", name=re.compile("word", re.I)).first
        box.fill(text)
        box.press("Enter")

    def charts(self, *, table: bool = True) -> int:
        """The number of charts of the page; each says in words what it means, and has a table at one click."""
        button = self.page.get_by_role("button", name="Table", exact=True)
        for _ in range(120):
            count, silent = self.page.evaluate(UNLABELLED)
            complete = count and not silent and (not table or button.count())
            if complete:
                break
            self.page.wait_for_timeout(100)
        assert not silent
        assert not (count and table) or button.count(), "without a table at one click"
        return int(count)

    def fits(self) -> None:
        """Nothing is wider than the window."""
        assert self.page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 1, self.page.url

    def query(self) -> dict[str, list[str]]:
        """What the address says now, which is written at the end of a run: `says` waits for it."""
        return urllib.parse.parse_qs(urllib.parse.urlsplit(self.page.url).query)

    def says(self, fits: Callable[[dict[str, list[str]]], object], seconds: float = 20.0) -> dict[str, list[str]]:
        """The address once it fits; the test fails where it never does."""
        self.until(lambda: fits(self.query()), self.query, seconds)
        return self.query()

    def until(self, holds: Callable[[], object], else_says: Callable[[], object] = str, seconds: float = 20.0) -> None:
        """Wait, while the browser works, until this holds; the test fails where it never does."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, else_says()
            self.page.wait_for_timeout(50)


@pytest.fixture
def visitors(browser: Browser, server: Server) -> Iterator[Callable[..., Visitor]]:
    with ExitStack() as visits:
        usual = {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light", "reduced_motion": STILL}

        def come(**options: object) -> Visitor:
            page = visits.enter_context(lent(browser, rest=f"{server.address}/_stcore/health", **{**usual, **options}))
            visitor = Visitor(page, server.address)
            visits.callback(visitor.leave)
            return visitor

        yield come


@pytest.fixture
def visitor(visitors) -> Visitor:
    return visitors()


@pytest.fixture
def phone(visitors) -> Visitor:
    return visitors(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, device_scale_factor=2)


def dark_pixels(page: Page) -> int:
    """Pixels of a picture of the map that are not its background."""
    from io import BytesIO

    from PIL import Image

    picture = np.asarray(Image.open(BytesIO(page.locator(".map canvas").first.screenshot())).convert("L"), int)
    return int(np.count_nonzero(np.abs(picture - picture[2, 2]) > 24))


def difference(one: bytes, other: bytes) -> float:
    """The share of pixels that differ clearly between two pictures, where both are."""
    from io import BytesIO

    from PIL import Image

    first, second = (np.asarray(Image.open(BytesIO(picture)).convert("L"), int) for picture in (one, other))
    height, width = np.minimum(first.shape, second.shape)
    first, second = first[:height, :width], second[:height, :width]
    return float(np.mean(np.abs(first - second) > 48))
