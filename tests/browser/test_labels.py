"""Every chart states in words what it means, for visitors who cannot see it."""

import re
from pathlib import Path

import pytest

from embedviz.core.phrases import listing
from tests.browser.server import ROOT

pytestmark = pytest.mark.browser

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
    found, silent = 0, []
    for path in ["", *(path for path in PAGES if path != "home")]:
        page = visitor.go(path)
        page.wait_for_function(QUIET, timeout=60_000)
        visitor.settle()
        for _ in range(40):
            charts, without = page.evaluate(UNLABELLED)
            if charts and not without:
                break
            page.wait_for_timeout(100)
        found += charts
        silent += [f"{path}: {each}" for each in without]
    assert found > 15
    assert not silent, listing(silent, 20)
