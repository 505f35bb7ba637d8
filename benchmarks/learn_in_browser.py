"""Milliseconds from a key press on a control of a lesson to the changed figure and formula.

No peer runs here: the figures are the program's own, in headless Chromium with software drawing. A press is timed in
the browser, from the key's event to the frame that shows the last part of the lesson that changes with it: figure,
formula or sentence. `python benchmarks/learn_in_browser.py [LESSON …]`
"""

import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Locator, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pages.learn.lessons.table import LESSONS
from tests.browser.conftest import FLAGS
from tests.browser.server import ROOT, served

PRESSES = 16


class Control(NamedTuple):
    """A control of a lesson: its role and name on the page, the state in which it is tried, and the keys in turn."""

    role: str
    name: str
    query: str = ""
    keys: tuple[str, ...] = ("ArrowRight",) * 4 + ("ArrowLeft",) * 4


HAND = Control("button", "b: ", keys=("ArrowLeft", "ArrowUp"))
CONTROLS = {
    "what": [Control("slider", "Place in the row", "&number=100")],
    "near": [HAND._replace(name="b · ")],
    "learning": [Control("slider", "Epoch", "&moment=20")],
    "senses": [Control("slider", "Layer", "&layer=1")],
    "vectors": [HAND, Control("slider", "Temperature T", "&figure=scores", ("ArrowLeft", "ArrowRight"))],
    "lsa": [Control("slider", "Dimensions k", "&figure=ppmi", ("ArrowRight", "ArrowLeft"))],
    "room": [
        Control("slider", "Dimensions d", "&d=30", ("ArrowRight", "ArrowLeft")),
        Control("slider", "Largest change", "&figure=distances", ("ArrowLeft", "ArrowRight")),
    ],
    "company": [Control("slider", "Word", "&place=2"), Control("slider", "Window", "&window=2")],
    "step": [Control("button", name, "&step=100", keys=("Enter",)) for name in ("Step", "20 steps", "Undo")],
    "glove": [Control("slider", "Exponent α", "&figure=weight", ("ArrowLeft", "ArrowRight"))],
    "inside": [Control("slider", "Pieces of the byte-level BPE", "&pieces=400")],
    "mixture": [
        Control("slider", "Share of", "&weight=40"),
        Control("slider", "Share of", "&figure=layers&sense=bank&weight=40"),
    ],
    "attention": [
        Control("slider", "Head", "&head=2"),
        Control("slider", "Token", "&token=2"),
        Control("slider", "Layer", "&layer=2&head=2", ("ArrowRight", "ArrowLeft")),
    ],
    "positions": [
        Control("slider", "Position n", "&n=20"),
        Control("slider", "Position n", "&figure=learned&n=20"),
    ],
    "rotary": [Control("slider", "Position n", "&n=20"), Control("slider", "Pair of", "&pair=4")],
}
WATCH = """() => {
  const lesson = document.querySelector('.st-key-lesson');
  const hands = [...lesson.querySelectorAll('*')].map((one) => one.shadowRoot?.querySelector('.hand')).filter(Boolean);
  const inner = (found) => [...found].map((one) => one.innerHTML).join();
  const parts = {
    figure: () => inner(lesson.querySelectorAll('.js-plotly-plot .main-svg, .st-key-inside-pieces')) +
      inner(hands.map((one) => one.querySelector('svg'))),
    formula: () => [...lesson.querySelectorAll('.katex-mathml')].map((one) => one.textContent).join() +
      hands.map((one) => one.querySelector('.readings').textContent).join(),
    meaning: () => [...lesson.querySelectorAll('.ev-meaning')].map((one) => one.textContent).join(),
  };
  const before = Object.fromEntries(Object.entries(parts).map(([name, read]) => [name, read()]));
  window.embedvizTimes = new Promise((done) => {
    document.addEventListener('keydown', () => {
      const begun = performance.now(), times = {};
      const look = () => {
        const now = performance.now() - begun;
        for (const [name, read] of Object.entries(parts)) {
          if (!(name in times) && read() !== before[name]) times[name] = now;
        }
        if (Object.keys(times).length === 3 || now > 700) done(times);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, { capture: true, once: true });
  });
}"""


def press_times(page: Page, control: Locator, keys: tuple[str, ...]) -> list[dict[str, float]]:
    """Return what each of some presses took, by the part of the lesson that changed."""
    times = []
    for turn in range(PRESSES + 2):
        control.focus()
        page.wait_for_timeout(300)
        page.evaluate(WATCH)
        page.keyboard.press(keys[turn % len(keys)])
        found = page.evaluate("window.embedvizTimes")
        if found and turn > 1:  # the first two fill the memory of the server
            times.append(found)
    return times


def control_of(page: Page, control: Control) -> Locator:
    """Return the control on the page; the name of an arrow changes with its place."""
    if control is HAND or control.name == "b · ":
        return page.locator('[data-name="b"]')
    return page.get_by_role(control.role, name=control.name, exact=control.role == "button").first


def line(label: str, times: list[dict[str, float]]) -> str:
    """Return one row of the table."""
    if not times:
        return f"| {label} | nothing changed | | |"
    last = sorted(max(time.values()) for time in times)
    parts = {name: [time[name] for time in times if name in time] for name in ("figure", "formula", "meaning")}
    text = ", ".join(f"{name} {statistics.median(each):.0f}" for name, each in parts.items() if each)
    p95 = last[min(len(last) - 1, round(0.95 * (len(last) - 1)))]
    return f"| {label} | {statistics.median(last):.0f} | {p95:.0f} | {text} |"


def main() -> None:
    asked = sys.argv[1:] or [one.name for one in LESSONS if one.name in CONTROLS]
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        chromium = Path("/usr/bin/chromium")
        browser = driver.chromium.launch(executable_path=chromium if chromium.exists() else None, args=FLAGS)
        with served(ROOT / "app.py", Path(scratch) / "log") as server:
            print("| lesson, control | median ms | 95 % ms | of each part |\n| --- | --- | --- | --- |")
            for name in asked:
                for control in CONTROLS[name]:
                    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
                    page.goto(f"{server.address}/learn?lesson={name}{control.query}")
                    page.get_by_text("Your turn").wait_for(timeout=180_000)
                    found = control_of(page, control)
                    found.wait_for()
                    page.wait_for_timeout(1500)
                    print(line(f"{name}, {control.name}", press_times(page, found, control.keys)), flush=True)
                    page.context.close()
        browser.close()


if __name__ == "__main__":
    main()
