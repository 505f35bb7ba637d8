"""A file that is slow to read is stopped at the limit of time, with one sentence, and leaves nothing behind."""

import json
import signal
import subprocess
import sys
import threading
import time

import pytest

from embedviz.core import time_limit
from embedviz.corpus import CorpusError, read_texts
from embedviz.formats import FormatError, import_file, read
from tests.cli.test_cli import run

pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
"""The limit may end a reading between the opening of its file and the block that closes it."""


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """Some 20 MB of JSON Lines, which Python reads line by line."""
    path = tmp_path_factory.mktemp("slow") / "slow.jsonl"
    numbers = [round(number / 997, 6) for number in range(300)]
    lines = (json.dumps({"text": f"text {row}", "vector": numbers}) for row in range(8_000))
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def limit(monkeypatch):
    monkeypatch.setenv(time_limit.VARIABLE, "0.2")


def test_the_limit_grows_with_the_size(monkeypatch):
    monkeypatch.delenv(time_limit.VARIABLE, raising=False)
    assert time_limit.seconds_for(0) == time_limit.LEAST_SECONDS
    assert time_limit.seconds_for(10**9) > 3_600
    monkeypatch.setenv(time_limit.VARIABLE, "7.5")
    assert time_limit.seconds_for(10**9) == 7.5


def test_a_slow_file_is_stopped_and_leaves_no_draft(slow, tmp_path, limit):
    begun = time.perf_counter()
    with pytest.raises(FormatError, match=r"The file \(24.0 MB\) was not read within 0.2 seconds"):
        import_file(slow, tmp_path / "space")
    assert time.perf_counter() - begun < 5
    assert not list(tmp_path.iterdir())
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_slow_file_is_stopped_in_another_thread(slow, limit):
    found = []

    def reading():
        with pytest.raises(FormatError, match="set EMBEDVIZ_READING_SECONDS") as error:
            read(slow)
        found.append(error.value)

    thread = threading.Thread(target=reading)
    thread.start()
    thread.join(30)
    assert len(found) == 1


def test_slow_texts_are_stopped(slow, limit):
    with pytest.raises(CorpusError, match="the limit for its size"):
        read_texts(slow)


def test_a_limit_inside_another_does_not_count(slow, tmp_path, monkeypatch):
    monkeypatch.setenv(time_limit.VARIABLE, "0.001")

    def reading():
        with time_limit.limited(tmp_path / "outer", CorpusError), time_limit.limited(slow, FormatError):
            time.sleep(5)

    with pytest.raises(CorpusError, match=r"The file \(0\.0 MB\)"):
        reading()


def test_the_command_line_says_it_in_one_sentence(slow, limit):
    ended = run("info", str(slow))
    assert ended.returncode == 2
    assert ended.stderr.startswith("embedviz: The file (24.0 MB)")
    assert "was not read within 0.2 seconds" in ended.stderr


class _Busy:
    """A destructor in which Python ignores exceptions."""

    def __del__(self):
        time.sleep(0.4)


def test_a_limit_that_a_destructor_swallows_comes_again(slow, limit):
    def reading():
        with time_limit.limited(slow, FormatError):
            _Busy()
            time.sleep(5)

    begun = time.perf_counter()
    with pytest.raises(FormatError, match="was not read within"):
        reading()
    assert time.perf_counter() - begun < 3


def test_a_command_that_does_not_come_back_from_c_ends_with_its_sentence():
    code = """if True:
        import sys, embedviz.cli
        from embedviz.core import time_limit
        from tests.job_functions import read_in_c
        with embedviz.cli._leaving():
            read_in_c(0.2)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("embedviz: The file (0.0 MB) was not read within 0.2 seconds")
