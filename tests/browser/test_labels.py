"""Every chart states in words what it means, for visitors who cannot see it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.server import ROOT

pytestmark = pytest.mark.browser

WITHOUT_TABLE = ("", "train")
"""Start, whose figures are of other pages, and Train before its first run."""
MENU = Path(ROOT, "pages", "_shared", "app", "menu.py").read_text("utf-8")
PAGES = [path.removesuffix("/page").rpartition("/")[2] for path in re.findall(r'"([a-z/_]+)\.py"', MENU)]
ELSEWHERE = ("map", "neighbors", "subwords", "analogy", "evaluation", "isotropy", "compare", "timeline")
ELSEWHERE += ("senses", "attention", "path", "pooling", "search", "trajectory")
"""The tests of these pages ask `visitor.charts` themselves."""
WITHOUT_CHART = ("open", "jobs", "glossary", "learn", "teach")
"""Pages that open without a chart."""
SMALL = {"layers": "sentences=20"}
"""What makes the work of a page small: it is waited for, and labels do not depend on it."""
QUIET = """() => ![...document.querySelectorAll('[data-testid="stMain"] button')]
  .some((one) => one.innerText.trim() === "Cancel")"""


def test_every_chart_has_a_label(visitor):
    assert len(PAGES) > 20
    found = 0
    for path in ["", *(path for path in PAGES if path not in ("home", *ELSEWHERE, *WITHOUT_CHART))]:
        page = visitor.go(f"{path}?{SMALL.get(path, '')}")
        page.wait_for_function(QUIET, timeout=60_000)
        visitor.settle()
        found += visitor.charts(table=path not in WITHOUT_TABLE)
    assert found > 4


def test_a_label_holds_the_result_that_stands_over_the_figure(visitor):
    page = visitor.go("neighbors?word=guitar")
    meaning = page.locator(".ev-meaning").first
    expect(meaning).to_contain_text("best match by chance", timeout=60_000)
    chart = page.locator(".st-key-neighbors-plot .js-plotly-plot")
    expect(chart).to_have_attribute("aria-label", re.compile(re.escape(meaning.inner_text())), timeout=20_000)
    assert visitor.charts() > 0
