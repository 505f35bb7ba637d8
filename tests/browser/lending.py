"""Pages of the browser that go from test to test: one that is warm costs half the work of a fresh one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

BLANK = "about:blank"
FORGET = "() => { try { localStorage.clear(); sessionStorage.clear(); } catch { /* a page without storage */ } }"
EMULATED = ("viewport", "color_scheme", "reduced_motion")
"""Options that a page can be given anew: its context, with its process and its caches, serves them all."""
IDLE: dict[str, list[Page]] = {}
"""Clean pages by the other options of their context; each has a context of its own."""


class Trust:
    """How often tests have failed: a page that was lent before a failure is not used again."""

    failures = 0


@contextmanager
def lent(browser: Browser, *, rest: str = BLANK, **options: Any) -> Iterator[Page]:
    """Lend a page of a context with these options, without storage, cookies, routes or permissions of an earlier test.

    Args:
        browser: Where a context is made if no clean one is idle.
        rest: Where the page waits for the next test; an address of the same server keeps its process and its caches.
        options: The options of the context.
    """
    fixed = sorted((name, value) for name, value in options.items() if name not in EMULATED)
    key, failures = repr((browser, fixed)), Trust.failures
    idle = IDLE.setdefault(key, [])
    page = idle.pop() if idle else browser.new_context(**options).new_page()
    _dress(page, options)
    try:
        yield page
    except BaseException:
        page.context.close()
        raise
    if failures == Trust.failures:
        _clean(page, rest)
        idle.append(page)
    else:
        page.context.close()


def _dress(page: Page, options: dict[str, Any]) -> None:
    """Give the page the window and the wishes of this test."""
    page.emulate_media(
        color_scheme=options.get("color_scheme", "light"), reduced_motion=options.get("reduced_motion", "null")
    )
    if page.viewport_size != options["viewport"]:
        page.set_viewport_size(options["viewport"])


def _clean(page: Page, rest: str) -> None:
    """Leave the app, and take away what a test has set or stored."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.unroute_all(behavior="ignoreErrors")
    page.evaluate(FORGET)
    page.goto(rest)
    page.evaluate(FORGET)  # what the app stored while it was left
    page.context.clear_cookies()
    page.context.clear_permissions()
