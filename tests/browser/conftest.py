"""One Chromium for all browser tests, and the visitors who use it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.browser import lending
from tests.browser.visitor import phone, server, visitor, visitors  # noqa: F401 - fixtures of every test here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Error, Page

PATIENCE = 20_000
"""Milliseconds that an expectation waits: on a busy machine a page may need them, and a test that passes never does."""
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that fails here is run again, twice at most: what fails thrice is broken, else it is listed as rerun."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """The pages that a failing test held are not lent again."""
    report = yield
    lending.Trust.failures += report.failed
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium that `CHROMIUM` names, else the system's, else Playwright's own; without any the test is skipped.

    The build without windows is taken first: it needs a fifth less of the processor.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as driver:
        try:
            made = driver.chromium.launch(executable_path=path, args=FLAGS)
        except playwright.Error as error:
            if os.environ.get("CI"):
                raise  # there a browser is owed: skipping would pass for tested
            pytest.skip(f"Chromium does not start: {str(error).splitlines()[0]}")
        yield made
        made.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page of 1000 x 700 pixels in the light theme; an uncaught error in it fails the test."""
    with lending.lent(browser, viewport={"width": 1000, "height": 700}, color_scheme="light") as made:
        errors: list[str] = []

        def note(error: Error) -> None:
            errors.append(str(error))

        made.on("pageerror", note)
        yield made
        made.remove_listener("pageerror", note)
        assert not errors
