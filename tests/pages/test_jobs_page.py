"""The page Jobs: what a visitor began, from wherever they began it, and of others only how much."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import app_test

from embedviz import jobs, training
from embedviz.corpus.tokenized import write_corpus
from tests.visit import html, opened, run_until, until

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_else_runs() -> Iterator[None]:
    """What other tests left under way would be told here: all of them are one visitor."""
    for end in (False, True):
        for job in jobs.pool()._register.jobs():
            job.cancel()
        if not end:
            yield


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def theirs(builtin) -> Iterator[jobs.Job]:
    """Another visitor's long work."""
    job = jobs.run("embedviz.projection:lay_out", builtin, range(4_000), "tsne", iterations=5_000, owner="x", long=True)
    yield job
    job.cancel()


def test_what_was_begun_on_a_page_is_told_and_stopped_here(theirs):
    test = opened("words/map/page.py", method="tsne", sample_n="600", tsne_iterations="5000", tsne_seed="77")
    assert "Not checked while it moves" in html(test)
    test.switch_page("make/jobs.py").run()
    visible = run_until(test, "<b>Placing 600 words by t-SNE · page Map</b>", "Step ", "1 of yours running, 0 waiting")
    assert "Jobs of other visitors: 1 running and 0 waiting." in visible
    link = next(each.proto for each in test.get("page_link") if each.proto.label == "See its page")
    assert "method=tsne" in link.query_string
    assert len(test.query_params["job"]) > 20
    (stop,) = [button for button in test.button if button.label == "Cancel"]
    stop.click().run()
    until(test, lambda page: "You have no running jobs." in html(page))
    assert re.search("Cancelled after [^,]+, [^,]+ ago", html(test))
    assert theirs.state == "running"
    ended = next(each.proto for each in test.get("page_link") if each.proto.label == "See its page")
    assert "method=tsne" in ended.query_string
    assert "Cancelled." in html(test.switch_page("words/map/page.py").run())


def test_a_reload_finds_what_the_address_names(theirs):
    test = opened("make/jobs.py", job=theirs.id)
    run_until(test, "<b>Lay out</b>", "1 of yours running")
    assert "other visitors" in html(test)


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page that is opened is a visitor's own, not one visitor's with all others."""

    class Own(app_test.LocalScriptRunner):
        def __init__(self, script: str, session_state: Any, *rest: Any, **more: Any) -> None:
            super().__init__(script, session_state, *rest, **more)
            self._session_id = f"visitor {id(session_state)}"

    monkeypatch.setattr(app_test, "LocalScriptRunner", Own)


def test_two_visitors_train_at_once_and_each_sees_only_their_own(sessions, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path / "uploads"))
    folder = tmp_path / "models" / "corpora"
    folder.mkdir(parents=True)
    lines = [line.split() for line in ("the king rules the land", "the queen rules the sea", "a man sees a woman")]
    tests = {}
    for name in ("alpha", "beta"):
        write_corpus(lines * 2_000, folder / name, name=name)
        asked = {"word2vec_epochs": "1000", "word2vec_workers": "1", "word2vec_vector_size": "8"}
        tests[name] = opened("make/train/page.py", corpus=f"file:{name}", **asked)
        next(button for button in tests[name].button if button.label == "Train").click().run()
    runs = {}
    for name, test in tests.items():
        run_until(test, "Epoch ")
        given = test.query_params["run"]
        runs[name] = given if isinstance(given, str) else given[-1]
        test.switch_page("make/jobs.py").run()
    assert len(set(runs.values())) == 2
    for (name, test), other in zip(tests.items(), ("beta", "alpha"), strict=True):
        visible = run_until(test, f"<b>Word2Vec of {name} · page Train</b>", "1 of yours running, 0 waiting")
        assert "Jobs of other visitors: 1 running and 0 waiting." in visible
        assert other not in visible
        assert runs[other] not in f"{visible} {test.query_params}"
    next(button for button in tests["alpha"].button if button.label == "Cancel").click().run()
    until(tests["alpha"], lambda page: "You have no running jobs." in html(page))
    assert "1 of yours running" in html(tests["beta"].run())
    assert [job.state for job in jobs.pool()._register.jobs() if job.title == "Word2Vec of beta"] == ["running"]


def test_equal_trainings_of_a_class_are_one_job_that_one_may_leave(sessions, tmp_path, monkeypatch):
    """The same text and settings join the run that is under way; another seed begins one of its own."""
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path / "uploads"))
    (tmp_path / "models" / "corpora").mkdir(parents=True)
    lines = [line.split() for line in ("the king rules the land", "the queen rules the sea", "a man sees a woman")]
    write_corpus(lines * 2_000, tmp_path / "models" / "corpora" / "gamma", name="gamma")
    how = {"word2vec_epochs": "1000", "word2vec_workers": "1", "word2vec_vector_size": "8", "corpus": "file:gamma"}
    tests = [opened("make/train/page.py", **how, **more) for more in ({}, {}, {"word2vec_seed": "9"})]
    for test in tests:
        next(button for button in test.button if button.label == "Train").click().run()
    runs = [test.query_params["run"] for test in tests]
    jobs_of = [job for job in jobs.pool().jobs() if job.title == "Word2Vec of gamma" and not job.finished]
    assert (runs[0], len(set(map(str, runs))), len(jobs_of)) == (runs[1], 2, 2)
    first, second, third = tests
    run_until(first, "Epoch ", "1 other visitor watches this run.")
    next(button for button in first.button if button.label == "Leave").click().run()
    assert "run" not in first.query_params
    until(second, lambda page: "other visitor" not in html(page))
    assert {job.state for job in jobs_of} <= {"running", "waiting"}
    assert {"Stop and keep", "Discard it"} <= {button.label for button in second.button}
    for test in (second, third):
        next(button for button in test.button if button.label == "Discard it").click().run()
    until(third, lambda _: all(job.state == "cancelled" for job in jobs_of))


def test_equal_trainings_on_the_text_that_the_page_opens_with_are_one_job(sessions, tmp_path, monkeypatch):
    """That text is tokenized into a folder of uploads, which two visitors share."""
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path / "uploads"))
    tests = [opened("make/train/page.py", word2vec_epochs="1000") for _ in range(2)]
    for test in tests:
        until(test, lambda page: any(button.label == "Train" for button in page.button))
        next(button for button in test.button if button.label == "Train").click().run()
    assert tests[0].query_params["run"] == tests[1].query_params["run"]
    for test in tests:
        until(test, lambda page: any(button.label in ("Leave", "Discard it") for button in page.button))
        next(button for button in test.button if button.label in ("Leave", "Discard it")).click().run()


CUT_OFF = """
import os
from embedviz.training.journal import Interrupted, recording
for name, private in (("a" * 8, False), ("b" * 8, True)):
    told = Interrupted(name, "word2vec", "Word2Vec", f"corpus {name}", "", private, "2026-01-02T03:04", 5.0)
    globals()[name] = recording(told)
    globals()[name].__enter__()
os._exit(1)
"""


def test_a_training_that_was_cut_off_is_told_unless_it_was_private():
    assert subprocess.run([sys.executable, "-c", CUT_OFF], cwd=ROOT, check=False).returncode == 1
    visible = html(opened("make/jobs.py"))
    assert "corpus aaaaaaaa" in visible
    assert "corpus bbbbbbbb" not in visible
    assert "corpus bbbbbbbb" in html(opened("make/jobs.py", run="b" * 8))


def test_its_python_runs_as_it_stands(sessions, capsys):
    test = opened("make/jobs.py")
    run_until(test, "You have no running jobs.")
    assert "The senses of bank" in [each.proto.label for each in test.get("page_link")]
    exec(test.code[0].value, {})
    assert "A map of 600 words done" in capsys.readouterr().out


def test_a_training_that_was_ended_early_is_not_called_done(tmp_path):
    lines = [f"the {one} and the {other} went home".split() for one in "abcdef" for other in "stuvwx"]
    corpus = write_corpus(lines, tmp_path / "corpus", name="toy")
    out = str(tmp_path / "out")
    training.finish(out)
    options = {"epochs": 500, "vector_size": 4, "min_count": 1}
    task = "embedviz.training:train"
    job = jobs.run(task, str(corpus.folder), "word2vec", out, options=options, owner="x", long=True)
    assert job.result(30).ended == training.STOPPED
    visible = html(opened("make/jobs.py", job=job.id))
    assert re.search(r"Ended early at epoch [0-9.]+ of 500 in ", visible)
