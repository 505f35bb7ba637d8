"""Trainings that are cut off, with their worker or with the server, and those whose end was wished for."""

import asyncio
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from embedviz import jobs, training
from embedviz.core.space import SpaceError, open_folder
from embedviz.corpus.tokenized import write_corpus

HERE = Path(__file__).resolve().parents[1]
LINES = [f"the {one} and the {other} went home".split() for one in "abcdefgh" for other in "stuvwxyz"]
RUN = "tiny_trainer:in_a_worker"
SERVER = """
import sys, time
from embedviz import jobs
pool = jobs.Pool(1, prefixes=("tiny_trainer:",), paths=[sys.argv[1]])
job = pool.submit("tiny_trainer:in_a_worker", sys.argv[2], sys.argv[3], options={"epochs": 1000})
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def journal(monkeypatch, tmp_path):
    monkeypatch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "runs"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(LINES, tmp_path_factory.mktemp("corpus") / "c", name="Toy")


@pytest.fixture
def pool(journal):
    with jobs.Pool(1, prefixes=("tiny_trainer:",), paths=[HERE], memory=2 << 30) as pool:
        yield pool


def until(condition):
    end = time.monotonic() + 20
    while not (found := condition()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)
    return found


def checkpoint(journal):
    return next((file for file in journal.glob("*/run.json") if '"kept": true' in file.read_text("utf-8")), None)


def test_what_a_killed_worker_had_learned_is_kept(pool, corpus, journal, tmp_path):
    job = pool.submit(RUN, str(corpus.folder), str(tmp_path / "space"), options={"epochs": 1000})
    until(lambda: checkpoint(journal))
    assert training.interrupted() == []
    os.kill(pool._crew.team[0].process.pid, signal.SIGKILL)
    assert job.wait(20)
    assert job.state == "failed"
    (found,) = training.interrupted()
    assert not (tmp_path / "space").exists()
    assert found.kept
    assert found.epoch >= 1
    assert "Tiny on Toy" in found.sentence
    assert training.interrupted(found.id) == [found]
    assert training.interrupted("another-one") == []
    kept = training.keep(found.id, tmp_path / "kept")
    space, record, path = open_folder(kept), training.record(kept), training.trajectory(kept)
    assert list(space.words) == list(corpus.words)
    assert record.ended == training.CUT_OFF
    assert record.epochs == pytest.approx(found.epoch)
    assert record.matrix == training.matrix_hash(space.matrix)
    assert path.epochs[-1] <= record.epochs
    assert training.interrupted() == []
    with pytest.raises(SpaceError, match="nothing to keep"):
        training.keep(found.id, tmp_path / "twice")


def test_what_goes_on_when_the_server_is_killed_is_told_at_the_next_start(corpus, journal, tmp_path):
    arguments = [str(HERE), str(corpus.folder), str(tmp_path / "space")]
    server = subprocess.Popen([sys.executable, "-c", SERVER, *arguments], cwd=HERE.parent)
    try:
        until(lambda: checkpoint(journal))
    finally:
        server.kill()
        server.wait()
    (found,) = until(training.interrupted)  # its worker ends with it
    assert training.tidy() == [found]
    training.forget(found.id)
    assert training.interrupted() == []
    assert not list(journal.iterdir())


def test_a_cancelled_training_leaves_nothing_even_where_its_trainer_does_not_hear(pool, corpus, journal, tmp_path):
    job = pool.submit(RUN, str(corpus.folder), str(tmp_path / "space"), options={"epochs": 1000}, deaf=True)
    until(lambda: checkpoint(journal) and (tmp_path / "deaf").exists())
    worker = pool._crew.team[0].process
    job.cancel()
    until(lambda: worker.poll() is not None)
    assert training.interrupted() == []
    assert training.tidy() == []
    assert not list(journal.iterdir())
    assert not (tmp_path / "space").exists()


def test_an_error_after_a_checkpoint_leaves_the_checkpoint(corpus, journal, tmp_path):
    from embedviz.training import journal as kept

    result = kept.Interrupted("a-run-of-ours", "tiny", "Tiny", "Toy", str(tmp_path), False, "2026-01-01T00:00:00", 5.0)
    with pytest.raises(SpaceError, match="is running"), kept.recording(result), kept.recording(result):
        pass
    assert training.interrupted() == []
    with pytest.raises(ZeroDivisionError):
        _fail(kept.recording(result))
    (found,) = training.interrupted()
    assert (found.epoch, found.kept) == (2.0, True)
    assert len(list(journal.glob("*/space-*"))) == 1
    with pytest.raises(SpaceError, match="names no training"):
        training.forget("../../x")


def test_a_checkpoint_that_cannot_be_kept_stays_in_the_journal(corpus, tmp_path, monkeypatch):
    from embedviz.training import journal as kept

    result = kept.Interrupted("a-run-of-ours", "tiny", "Tiny", "Toy", str(tmp_path), False, "2026-01-01T00:00:00", 5.0)
    with pytest.raises(ZeroDivisionError):
        _fail(kept.recording(result))
    with monkeypatch.context() as full:
        full.setattr(os, "rename", _refuse)
        with pytest.raises(OSError, match="No space left"):
            training.keep(result.id, tmp_path / "kept")
    assert [each.kept for each in training.interrupted()] == [True]
    assert (training.keep(result.id, tmp_path / "kept") / "card.json").read_text() == "{}"
    assert training.interrupted() == []


def _refuse(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def _fail(begun):
    with begun as entry:
        entry.checkpoint(1.0, _space)
        entry.checkpoint(2.0, _space)
        raise ZeroDivisionError


def _space(folder):
    folder.mkdir()
    (folder / "card.json").write_text("{}")


def test_what_is_left_of_a_private_run_goes_with_its_visitors(journal):
    from embedviz.training import journal as kept
    from pages._shared.sources import uploads

    result = kept.Interrupted("a-run-of-ours", "tiny", "Tiny", "Toy", "/x", True, "2026-01-01T00:00:00", 5.0)
    with pytest.raises(ZeroDivisionError):
        _fail(kept.recording(result))
    uploads.arrive(result.id)
    uploads.sweep(grace=-1)
    assert [each.id for each in training.interrupted()] == [result.id]
    uploads.leave(result.id)
    uploads.sweep(grace=-1)
    assert not list(journal.iterdir())
    with kept.recording(result) as entry:
        entry.checkpoint(1.0, _space)
        uploads.delete(result.id)
        assert not entry.has_checkpoint  # also if its process ends now
    assert not list(journal.iterdir())


def test_a_server_that_lives_on_clears_away_what_nobody_asked_for(journal):
    from embedviz.training import journal as kept
    from pages._server import lifespan

    result = kept.Interrupted("a-run-of-ours", "tiny", "Tiny", "Toy", "/x", False, "2026-01-01T00:00:00", 5.0)
    with pytest.raises(ZeroDivisionError):
        _fail(kept.recording(result))
    lifespan._clear(lifespan._SELDOM)
    assert len(list(journal.iterdir())) == 1
    long_ago = time.time() - 86_400 * (kept.KEPT_DAYS + 1)
    os.utime(journal / result.id, (long_ago, long_ago))
    lifespan._clear(1)
    assert len(list(journal.iterdir())) == 1
    lifespan._clear(lifespan._SELDOM)
    assert not list(journal.iterdir())


def test_an_error_does_not_end_the_clearing_away(monkeypatch, caplog):
    from pages._server import lifespan

    turns: list[int] = []

    def fail_once(turn):
        turns.append(turn)
        if turn == 1:
            raise RuntimeError("a folder that nobody may read")

    monkeypatch.setattr(lifespan, "_clear", fail_once)
    monkeypatch.setattr(lifespan, "_SWEEP", 0.001)

    async def live():
        sweeper = asyncio.create_task(lifespan._sweep())
        async with asyncio.timeout(30):
            while len(turns) < 3:
                await asyncio.sleep(0.01)
        sweeper.cancel()

    asyncio.run(live())
    assert turns[:3] == [1, 2, 3]
    assert [record.getMessage() for record in caplog.records] == ["Old uploads and trainings were not deleted"]


def test_the_next_start_says_in_its_log_what_was_cut_off(journal, caplog):
    from embedviz.training import journal as kept
    from pages._server import lifespan

    result = kept.Interrupted("a-run-of-ours", "tiny", "Tiny", "Secret", "/x", False, "2026-01-01T00:00:00", 5.0)
    with pytest.raises(ZeroDivisionError):
        _fail(kept.recording(result))
    lifespan._log_interrupted()
    assert caplog.messages == ["1 training cut off by an earlier end. A checkpoint is kept of 1: see Train."]
