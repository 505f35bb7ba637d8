"""Every chart states in words what it means, for visitors who cannot see it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from embedviz.core.phrases import listing
from tests.browser.server import ROOT

pytestmark = pytest.mark.browser

WITHOUT_TABLE = ("", "train")
"""Start, whose figures are of other pages, and Train before its first run."""
MENU = Path(ROOT, "pages", "_main.py").read_text("utf-8")
PAGES = [path.removesuffix("/page").rpartition("/")[2] for path in re.findall(r'"([a-z/_]+)\.py"', MENU)]
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
QUIET = """() => ![...document.querySelectorAll('[data-testid="stMain"] button')]
  .some((one) => one.innerText.trim() === "Cancel")"""


def test_every_chart_has_a_label(visitor):
    assert len(PAGES) > 20
    found, silent, tableless = 0, [], []
    for path in ["", *(path for path in PAGES if path != "home")]:
        page = visitor.go(path)
        page.wait_for_function(QUIET, timeout=60_000)
        visitor.settle()
        for _ in range(40):
            charts, without = page.evaluate(UNLABELLED)
            table = path in WITHOUT_TABLE or page.get_by_role("button", name="Table", exact=True).count() > 0
            if charts and not without and table:
                break
            page.wait_for_timeout(100)
        found += charts
        silent += [f"{path}: {each}" for each in without]
        if charts and not table:
            tableless.append(path)
    assert found > 15
    assert not silent, listing(silent, 20)
    assert not tableless, f"without a table at one click: {listing(tableless, 20)}"


def test_a_label_holds_the_result_that_stands_over_the_figure(visitor):
    page = visitor.go("neighbors?word=guitar")
    meaning = page.locator(".ev-meaning").first
    expect(meaning).to_contain_text("best match by chance", timeout=60_000)
    chart = page.locator(".st-key-neighbors-plot .js-plotly-plot")
    expect(chart).to_have_attribute("aria-label", re.compile(re.escape(meaning.inner_text())), timeout=20_000)
