"""What several tests need: the built-in space, small spaces, and real data where it is at hand."""

import gc
import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from embedviz.core.builtin import builtin_space
from embedviz.core.space import Origin, VectorSpace

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # run in the background of a script: what is started must hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)

JOBS = "tests/jobs"

gc.disable()  # until all tests are collected: what is imported stays


def pytest_collection_finish():
    """Collect garbage again, but do not look through what all tests share, and seldom through all that they make."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 50)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each process whole folders of tests, for `--dist loadscope`: that of jobs, then the one with most tests.

    What one test of a folder has loaded, computed or trained serves the others, if they run in the same process. Tests
    of jobs wait more than they compute: at the end, alone, they would leave the cores idle.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFolder(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return nodeid.partition("::")[0].rpartition("/")[0]

        def _assign_work_unit(self, node):
            if JOBS in self.workqueue:
                self.workqueue.move_to_end(JOBS, last=False)
            super()._assign_work_unit(node)

    return ByFolder(config, log) if config.getvalue("dist") == "loadscope" else None


settings.register_profile("quick", deadline=None, max_examples=60)
settings.load_profile("quick")


@pytest.fixture(scope="session", autouse=True)
def _own_journal(tmp_path_factory):
    """The journal of trainings lies apart from that of the user who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path_factory.mktemp("data-home")))
        yield


@pytest.fixture(autouse=True)
def _end_jobs_of_pages():
    """End the jobs that a page started and no test waits for."""
    yield
    if visit := sys.modules.get("tests.visit"):
        visit.forget()


def pytest_make_parametrize_id(config, val, argname):
    """Name packed bytes without their content: it holds the time, and each process must give a test the same name."""
    return "bytes" if isinstance(val, bytes) and len(val) > 20 else None


@pytest.fixture
def own_folders(tmp_path, monkeypatch):
    """Folders of this test alone for saved spaces, models and uploads."""
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path / "uploads"))
    return tmp_path


@pytest.fixture
def own_workers(own_folders):
    """Workers of this test alone: they have the environment of the moment at which their pool was made."""
    from embedviz import jobs

    jobs.pool().close()
    yield
    jobs.pool().close()


@pytest.fixture(scope="session")
def builtin() -> VectorSpace:
    return builtin_space()


@pytest.fixture(scope="session")
def encoder():
    """The built-in model, loaded once."""
    from embedviz.contextual.encoder import load

    return load()


@pytest.fixture(scope="session")
def bank_chart(encoder):
    """The chart of “bank” in the sentences that come with the program."""
    from embedviz.contextual.senses import chart

    return chart("bank", model=encoder)


@pytest.fixture
def a_card(tmp_path, monkeypatch):
    """A graphics card that is used where it pays: `cpu:0`, on which the code for a card runs with tensors of the CPU.

    The lock of the card lies in a folder of the test.
    """
    from embedviz.core import device, graphics_card

    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path))
    monkeypatch.delenv(device.VARIABLE, raising=False)
    monkeypatch.setattr(device, "chosen_device", lambda name="auto": "cpu" if name == "cpu" else "cpu:0")
    graphics_card.LastUse.reset()
    yield "cpu:0"
    graphics_card.LastUse.reset()


@pytest.fixture
def forced_card(a_card, monkeypatch):
    """The same card, named by the environment: it is used for small work as well."""
    monkeypatch.setenv("EMBEDVIZ_DEVICE", "cuda")
    return a_card


@pytest.fixture
def space() -> VectorSpace:
    """Two hundred words in twelve dimensions, the last of them a row of zeros."""
    matrix = np.random.default_rng(7).normal(size=(200, 12)).astype(np.float32)
    matrix[-1] = 0
    return VectorSpace([f"w{number}" for number in range(200)], matrix, origin=Origin("test", "small", "frequency"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data that EMBEDVIZ_DATA names; a test that needs it skips where there is none."""
    folder = Path(os.environ.get("EMBEDVIZ_DATA", ""))
    if not os.environ.get("EMBEDVIZ_DATA") or not (folder / "vectors").is_dir():
        pytest.skip("EMBEDVIZ_DATA names no folder of real data")
    return folder


def pytest_terminal_summary(terminalreporter):
    """Give each repeated try its reason, and write the outcomes where `python -m tests` reads them."""
    stats = terminalreporter.stats
    if again := stats.get("rerun"):
        terminalreporter.section("tries that failed and were repeated")
        for report in again:
            terminalreporter.line(f"RERUN {report.nodeid}: {_reason(report)}")
    if tally := os.environ.get("EMBEDVIZ_TALLY"):
        outcomes = ("passed", "failed", "error", "skipped", "rerun")
        Path(tally).write_text(json.dumps({name: len(stats.get(name, ())) for name in outcomes}))


def _reason(report) -> str:
    """The first line of what a failed try raised."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr)).strip().splitlines()[0][:300]
