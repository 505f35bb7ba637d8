"""Pages through the frame, without a browser: opened with an address, read as HTML, run until their jobs have ended."""

import re
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from pages._shared.app import address
from pages._shared.results import cache

TERM = re.compile(r'<span class="ev-term"[^>]*>([^<]*)</span>')
FRAME = Path(__file__).parent.parent / "pages" / "_main.py"
SECONDS = 180.0
"""How long a job's answer is waited for, however busy the machine is."""


def opened(page, **query):
    """The page after its first run; what lies in the folders of this test is listed, not what lay in another's.

    The page is the first that is opened, as from a link: `switch_page` would need a run of the start page before it.
    """
    cache.entries.clear()
    test = AppTest.from_file(str(FRAME), default_timeout=180)
    test._page_hash = calc_hash(address.page_name(page))
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def html(test):
    """What the page shows as HTML, without its styles and the marks of explained terms, with plain blanks."""
    shown = (TERM.sub(r"\1", element.proto.body) for element in test.get("html"))
    return " ".join(text for text in shown if "<style" not in text).replace("\xa0", " ")


def until(test, holds, seconds=SECONDS):
    """The page once this holds of it; between two runs the jobs have the processor as long as a run had it."""
    end = time.monotonic() + seconds
    taken = 0.1
    while not holds(test):
        assert not test.exception
        assert time.monotonic() < end, html(test)[-2_000:]
        time.sleep(min(max(0.1, taken), 1.0))
        begun = time.monotonic()
        test.run()
        taken = time.monotonic() - begun
    assert not test.exception
    return test


def run_until(test, *sentences, seconds=SECONDS):
    """The HTML of the page once all these stand on it."""
    return html(until(test, lambda page: all(sentence in html(page) for sentence in sentences), seconds))
