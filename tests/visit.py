"""Pages through the frame, without a browser: opened with an address, read as HTML, run until their jobs have ended."""

import functools
import json
import re
import time
from pathlib import Path
from unittest import mock

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner import RerunData, script_cache
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.util import calc_hash

from embedviz import jobs
from pages._shared.app import address
from pages._shared.results import cache
from tests import short_checks

TERM = re.compile(r'<span class="ev-term"[^>]*>([^<]*)</span>')
FRAME = Path(__file__).parent.parent / "pages" / "_main.py"
SECONDS = 180.0
"""How long a job's answer is waited for, however busy the machine is."""


manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)
"""A server reads the metadata of all installed packages once; `AppTest` would at each run, a third of a test's time."""

local_script_runner.ScriptCache = functools.cache(script_cache.ScriptCache)
"""A server compiles its pages once; `AppTest` would at each run."""


class Gate:
    """Whether the jobs of pages begin: not while a page is only opened, for most tests read what it shows at once."""

    closed = used = False
    wait = jobs.Job.wait


def _wait(job, timeout=None):
    """Wait for a job as ever, but not for one that may not begin."""
    return job.finished if Gate.closed else Gate.wait(job, timeout)


jobs.Job.wait = _wait


def hold():
    """Let no job of the process's pool begin."""
    pool = jobs.pool()
    ours = pool._register.next
    if not hasattr(pool, "gate"):
        short_checks.one_at_a_time()
        pool.gate = pool._register.next = lambda **places: None if Gate.closed else ours(**places)
    Gate.closed = Gate.used = True


def begin():
    """Let the jobs that are waiting begin."""
    Gate.closed = False
    jobs.pool()._bell.ring()


def forget():
    """Cancel the jobs that no test waits for any more, where they have not begun."""
    if Gate.used:
        for job in jobs.pool().jobs():
            if job.state == "waiting":
                job.cancel()
        Gate.used = Gate.closed = False


def opened(page, **query):
    """The page after its first run; what lies in the folders of this test is listed, not what lay in another's.

    The page is the first that is opened, as from a link: `switch_page` would need a run of the start page before it.
    Its jobs begin with its second run, or when the test waits for them by `until`.
    """
    hold()
    cache.entries.clear()
    test = AppTest.from_file(str(FRAME), default_timeout=180)
    test._page_hash = calc_hash(address.page_name(page))
    for name, value in query.items():
        test.query_params[name] = value
    first = test.run()
    run_again = first._run

    def run(*given, **options):
        begin()
        return run_again(*given, **options)

    first._run = run
    return first


def html(test):
    """What the page shows as HTML, without its styles and the marks of explained terms, with plain blanks."""
    visible = (TERM.sub(r"\1", element.proto.body) for element in test.get("html"))
    return " ".join(text for text in visible if "<style" not in text).replace("\xa0", " ")


def place(test, element):
    """Where an element stands, by its number in each block from the page inward; elsewhere a browser makes it anew."""

    def inside(block):
        for number, one in getattr(block, "children", {}).items():
            if one is element:
                return [number]
            if found := inside(one):
                return [number, *found]
        return []

    return inside(test.main)


def written(test, part="formula"):
    """The formulas of a lesson, also those that follow a slider; or their sentence, where `part` is "meaning"."""
    sent = [json.loads(one.proto.json) for one in test.get("bidi_component") if one.proto.json]
    lines = [line for one in sent if one.get("part") == part for line in one["now"]]
    if part == "meaning":
        return "".join(piece for piece, _ in lines).replace("\xa0", " ")
    return " ".join([*lines, *(line.value for line in test.latex)])


def columns(test):
    """What a lesson has sent of its sliders: by the name of each slider and its place, figure, formula and sentence."""
    sent = [json.loads(one.proto.json) for one in test.get("bidi_component") if one.proto.json]
    return {one["name"]: one["steps"] for one in sent if one.get("part") == "column"}


def until(test, holds, seconds=SECONDS):
    """The page once this holds of it; between two runs the jobs have the processor, longer each time."""
    begin()
    end = time.monotonic() + seconds
    pause = 0.1
    while not holds(test):
        assert not test.exception
        assert time.monotonic() < end, html(test)[-2_000:]
        unfinished = [job for job in jobs.pool().jobs() if not job.finished]
        if unfinished:
            unfinished[-1].wait(pause)
        else:
            time.sleep(0.1)
        pause = min(1.5 * pause, 2.0)
        test.run()
    assert not test.exception
    return test


def run_until(test, *sentences, seconds=SECONDS):
    """The HTML of the page once all these stand on it."""
    return html(until(test, lambda page: all(sentence in html(page) for sentence in sentences), seconds))


def went_back():
    """Runs of a test in this block come by the browser's Back or Forward, as Streamlit's browser marks them."""
    marked = functools.partial(RerunData, is_history_navigation=True)
    return mock.patch("streamlit.testing.v1.local_script_runner.RerunData", marked)
