"""A visitor: one person with a browser of their own, before a real server."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from embedviz.core.space import VectorSpace
from embedviz.core.subwords import Subwords
from tests.browser.server import ROOT, Server, served

READY = '.map[data-ready="true"]'
WALKS = ["walk", "walks", "walked", "walking", "stone", "river"]
SETTLED = """() => document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    && document.querySelector('[data-testid="stMain"]')?.innerText.trim()"""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests: each of its own would import and compile everything anew."""
    folder = tmp_path_factory.mktemp("app")
    environment = {"EMBEDVIZ_MODELS": str(folder / "models")}
    many = np.random.default_rng(0).normal(size=(28_000, 50)).astype(np.float32)
    VectorSpace([f"w{row}" for row in range(len(many))], many).save(folder / "models" / "large")
    spelled = Subwords(3, 6, many[:500])
    composed = spelled.composed([word.encode() for word in WALKS], many[-len(WALKS) :])
    VectorSpace(WALKS, composed, subwords=spelled).save(folder / "models" / "spelled")
    with served(ROOT / "app.py", folder / "log", environment) as running:
        yield running
        assert "Traceback" not in (folder / "log").read_text()


class Visitor:
    """One person with a browser of their own; asks no host but ours, and meets no error."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context, self.address = context, address
        self.page: Page = context.new_page()
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add(urllib.parse.urlsplit(request.url).netloc))

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

    def query(self) -> dict[str, list[str]]:
        """What the address says now, which is written at the end of a run: `says` waits for it."""
        return urllib.parse.parse_qs(urllib.parse.urlsplit(self.page.url).query)

    def says(self, fits: Callable[[dict[str, list[str]]], object], seconds: float = 20.0) -> dict[str, list[str]]:
        """The address once it fits; the test fails where it never does."""
        waited = 0.0
        while not fits(self.query()) and waited < seconds:
            self.page.wait_for_timeout(50)
            waited += 0.05
        query = self.query()
        assert fits(query), query
        return query


@pytest.fixture
def visitors(browser: Browser, server: Server) -> Iterator[type]:
    made: list[Visitor] = []

    def come(**options: object) -> Visitor:
        context = browser.new_context(
            **{"viewport": {"width": 1440, "height": 900}, "color_scheme": "light", **options}
        )
        made.append(Visitor(context, server.address))
        return made[-1]

    yield come
    host = urllib.parse.urlsplit(server.address).netloc
    for visitor in made:
        assert visitor.errors == []
        assert visitor.hosts - {"", host} == set()
        visitor.context.close()


@pytest.fixture
def visitor(visitors) -> Visitor:
    return visitors()


def dark_pixels(page: Page) -> int:
    """Pixels of a picture of the map that are not its background."""
    from io import BytesIO

    from PIL import Image

    picture = np.asarray(Image.open(BytesIO(page.locator(".map canvas").first.screenshot())).convert("L"), int)
    return int(np.count_nonzero(np.abs(picture - picture[2, 2]) > 24))


def difference(one: bytes, other: bytes) -> float:
    """The share of pixels that differ clearly between two pictures."""
    from io import BytesIO

    from PIL import Image

    first, second = (np.asarray(Image.open(BytesIO(picture)).convert("L"), int) for picture in (one, other))
    return float(np.mean(np.abs(first - second) > 48))
