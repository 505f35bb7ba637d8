"""Jobs: what comes back, what stops, what a death costs, who shares, and that nothing is left behind."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import embedviz
from embedviz import jobs
from embedviz.core import device, limits
from embedviz.jobs import Cancelled, Job, JobError, Pool, crew
from embedviz.jobs.worker import LONG
from tests import job_functions

HERE = Path(__file__).resolve().parents[1]
SECONDS = 20.0  # that nothing here should take
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux's own")


def make(**options: Any) -> Pool:
    return Pool(**{"prefixes": ("job_functions:", "embedviz."), "paths": (HERE,), "memory": 2 << 30} | options)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


@pytest.fixture(scope="module")
def shared() -> Iterator[Pool]:
    """A pool for tests that leave its workers well."""
    with make() as pool:
        yield pool


@pytest.fixture
def pool() -> Iterator[Pool]:
    with make() as pool:
        yield pool


@pytest.fixture
def single() -> Iterator[Pool]:
    with make(workers=1) as pool:
        yield pool


def until(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


def heard(job: Job) -> Job:
    """The job, once its function has reported."""
    until(lambda: job.message or job.finished)
    return job


def ended(job: Job) -> Job:
    assert job.wait(SECONDS)
    return job


def alive(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    answer = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(answer) and not answer.startswith("Z")


# What comes back.


def test_result_and_arguments(shared: Pool) -> None:
    job = shared.submit("job_functions:add", 40, b=2)
    assert job.result(SECONDS) == 42
    assert (job.state, job.finished, job.fraction, job.error) == ("done", True, 1.0, None)
    assert job.seconds == job.seconds > 0


def test_progress_and_every_point_of_the_series(shared: Pool) -> None:
    job = ended(shared.submit("job_functions:steps", 5000))
    assert [point["step"] for point in job.series] == list(range(5000))
    assert job.message == "step 5000 of 5000"
    assert job.version < 1000  # messages are merged


def test_what_came_too_early_arrives_though_the_function_falls_silent(pool: Pool) -> None:
    job = pool.submit("job_functions:watched")
    until(lambda: job.message == "second")
    assert (job.fraction, job.series, job.state) == (0.2, [(1, 2.0)], "running")


def test_frames_are_dropped_above_25_a_second(shared: Pool) -> None:
    job = ended(shared.submit("job_functions:frames", 200, 0.4))
    assert job.arrays["points"].shape == (100, 2)
    assert not job.arrays["points"].flags.writeable
    assert 3 <= job.version <= 2 * 25 * job.seconds + 5


def test_report_is_only_for_jobs() -> None:
    assert job_functions.add(1, 2) == 3


def test_a_large_result_goes_by_file_and_leaves_none(pool: Pool, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = pool.submit("job_functions:big", 100).result(SECONDS)
    assert found.points.nbytes == 100_000_000
    assert found.points[-1, -1] == 12_499_999
    assert found.words == ["a", "b"]
    assert not found.points.flags.writeable  # as it was
    assert not list(tmp_path.iterdir())
    assert os.fstat(pool._crew.team[0].file.fileno()).st_size == 0


@pytest.mark.parametrize("kind", ["owned", "strided", "transposed", "number", "empty", "mapped", "dates", "text"])
def test_arrays_come_back_equal_and_nobody_can_change_them(shared: Pool, kind: str, tmp_path: Path) -> None:
    found = shared.submit("job_functions:array", kind, str(tmp_path / "array.npy")).result(SECONDS)
    made = job_functions.array(kind, str(tmp_path / "array.npy"))
    assert (found.dtype, found.shape) == (made.dtype, made.shape)
    assert np.array_equal(found, made)
    assert type(found) is np.ndarray
    if kind != "dates":  # numpy does not let go of their memory
        assert not found.flags.writeable
        with pytest.raises(ValueError, match="WRITEABLE"):
            found.setflags(write=True)


def test_an_array_that_is_there_twice_comes_back_once(shared: Pool) -> None:
    first, second = shared.submit("job_functions:twice").result(SECONDS)
    assert first is second


def test_large_arguments(shared: Pool) -> None:
    array = np.arange(3_000_000)
    assert np.array_equal(shared.submit("job_functions:same", array).result(SECONDS), array)


def test_workers_are_used_again_and_yield_to_the_server(single: Pool) -> None:
    first, second = (single.submit("job_functions:surroundings").result(SECONDS) for _ in range(2))
    assert first == second
    assert first["nice"] >= min(19, os.nice(0) + 10)
    assert first["session"] == first["pid"]
    assert first["threads"] == str(device.cores())


def test_cores_are_divided(pool: Pool) -> None:
    heard(pool.submit("job_functions:sleep", 60))
    found = pool.submit("job_functions:surroundings").result(SECONDS)
    assert found["threads"] == str(max(1, device.cores() // 2))


def test_a_product_has_one_thread_and_a_large_one_all_of_its_job(single: Pool) -> None:
    plain, large = single.submit("job_functions:threads_of_products").result(SECONDS)
    if not plain:
        pytest.skip("the library of this machine does not say how many threads it has")
    assert plain == 1
    assert min(2, device.cores()) <= large <= device.cores()  # the library may have a limit of its own


def test_threads_that_wait_for_the_next_product_leave_their_core_to_other_jobs(single: Pool) -> None:
    busy = single.submit("job_functions:products_and_pauses").result(SECONDS)
    assert busy < 1.3 + 0.4 * (device.cores() - 1)  # where they all spin it is the number of cores


def test_what_a_job_prints_stays_off_the_output(pool: Pool, capfd: pytest.CaptureFixture[str]) -> None:
    pool.submit("job_functions:shout").result(SECONDS)
    pool.close()
    assert capfd.readouterr().out == ""


# What is refused, and what fails.


@pytest.mark.parametrize(
    "name",
    ["os:system", "embedviz:space", "embedviz.jobs", "embedviz.jobs:_cores", "embedviz.a:b.c", "job_functionsx:a"],
)
def test_only_functions_of_the_library(shared: Pool, name: str) -> None:
    with pytest.raises(ValueError, match=r"may not be run as a job\. Give .* “embedviz\.”"):
        shared.submit(name)


@pytest.mark.parametrize("name", ["job_functions:absent", "job_functions:SECONDS", "embedviz.absent:run"])
def test_unknown_function(shared: Pool, name: str) -> None:
    assert "There is no function" in str(ended(shared.submit(name)).error)


@pytest.mark.parametrize("name", ["silent", "positional"])
def test_a_function_that_takes_no_report_is_a_sentence(shared: Pool, name: str) -> None:
    job = ended(shared.submit(f"job_functions:{name}", 1))
    assert job.error == f"“job_functions:{name}” takes no report and cannot run as a job."


def test_a_function_that_takes_any_keyword_takes_a_report(shared: Pool) -> None:
    assert shared.submit("job_functions:keywords", a=1).result(SECONDS) == ["a", "report"]


def test_arguments_that_cannot_be_sent(shared: Pool) -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        shared.submit("job_functions:same", lambda: None)
    with pytest.raises(ValueError, match="more than 64 MB"):
        shared.submit("job_functions:same", np.zeros(9_000_000))


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("value", "Give three words."),
        ("told", "Give three words."),
        ("type", "internal error (TypeError)"),
        ("assert", "internal error (AssertionError)"),
        ("key", "internal error (KeyError)"),
        ("exit", "internal error (SystemExit)"),
        ("memory", "Not enough memory"),
        ("file", "No such file or directory: vectors.bin"),
        ("import", "needs the package “no_such_package_here”"),
    ],
)
def test_errors_are_sentences(shared: Pool, kind: str, sentence: str) -> None:
    job = ended(shared.submit("job_functions:fail", kind, "Give three words."))
    assert job.state == "failed"
    assert sentence in str(job.error)
    assert "Traceback" not in str(job.error)
    assert "in fail" in job.traceback
    with pytest.raises(JobError) as caught:
        job.result()
    assert str(caught.value) == job.error


def test_details_cross_as_plain_data(shared: Pool) -> None:
    job = ended(shared.submit("job_functions:fail", "told", "No such word.", {"word": "kat", "near": np.arange(2)}))
    assert job.details == {"word": "kat", "near": [0, 1]}
    with pytest.raises(JobError) as caught:
        job.result()
    assert caught.value.details == job.details
    assert ended(shared.submit("job_functions:fail", "told", "No such word.", {"a": float})).details == {
        "a": "<class 'float'>"
    }


@pytest.mark.parametrize("name", ["unsendable", "unreadable", "bad_point"])
def test_what_cannot_cross_fails_and_the_pool_goes_on(single: Pool, name: str) -> None:
    assert ended(single.submit(f"job_functions:{name}")).state == "failed"
    assert single.submit("job_functions:add", 1).result(SECONDS) == 1


@linux
@pytest.mark.parametrize("job", [("fill", 8.0), ("hoard",)])
def test_too_much_memory_is_a_sentence_and_the_worker_lives(job: tuple[Any, ...]) -> None:
    with make(workers=1, memory=400 << 20) as pool:
        before = pool.submit("job_functions:pid").result(SECONDS)
        assert str(ended(pool.submit(f"job_functions:{job[0]}", *job[1:])).error).startswith("Not enough memory")
        assert pool.submit("job_functions:fill", 0.1).result(SECONDS) == before


@pytest.mark.parametrize(("workers", "long"), [(2, 2), (1, 2), (3, 1)])
def test_all_workers_together_may_take_four_fifths_of_the_memory(workers: int, long: int) -> None:
    short, twice = jobs.shares(workers, long)
    assert twice == 2 * short
    assert workers * short + long * twice <= 0.8 * device.memory() < workers * short + long * twice + 2**20


@linux
def test_a_long_job_may_take_more_than_a_short_one() -> None:
    with make(memory=None) as pool:
        taken = [pool.submit("job_functions:limit", long=long).result(SECONDS) for long in (False, True)]
        assert taken == list(pool.memory) == list(jobs.shares(2, 2))


# What stops.


def test_a_job_that_listens_can_tidy_up_and_its_worker_goes_on(
    single: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embedviz.jobs.crew.PATIENCE", SECONDS)  # a busy machine may be slow to answer
    for note in (tmp_path / "first", tmp_path / "second"):
        job = heard(single.submit("job_functions:tidy", str(note)))
        process = single._crew.team[0].process
        job.cancel()
        assert job.state == "cancelled"
        until(note.exists)
        with pytest.raises(Cancelled):
            job.result()
        assert single.submit("job_functions:pid").result(SECONDS) == process.pid


@pytest.mark.parametrize("call", [("busy",), ("sleep", 100), ("deaf",)])
def test_a_job_that_does_not_listen_is_ended_and_its_place_comes_back(single: Pool, call: tuple[Any, ...]) -> None:
    job = heard(single.submit(f"job_functions:{call[0]}", *call[1:]))
    process = single._crew.team[0].process
    job.cancel()
    assert single.submit("job_functions:pid").result(SECONDS) != process.pid
    until(lambda: process.returncode is not None)
    assert job.state == "cancelled"


def test_a_waiting_job_is_cancelled_and_never_runs(single: Pool, tmp_path: Path) -> None:
    heard(single.submit("job_functions:until", str(tmp_path / "go")))
    job = single.submit("job_functions:note", str(tmp_path / "notes"), "ran")
    job.cancel()
    (tmp_path / "go").touch()
    assert single.submit("job_functions:add", 1).result(SECONDS) == 1
    assert not (tmp_path / "notes").exists()
    assert job.seconds == 0


@linux
def test_what_a_job_started_ends_with_it(single: Pool) -> None:
    job = single.submit("job_functions:child")
    until(lambda: job.series)
    (child,) = job.series[0]
    assert alive(child)
    job.cancel()
    until(lambda: not alive(child))


def test_the_first_end_wins(shared: Pool) -> None:
    job = ended(shared.submit("job_functions:add", 1))
    job.cancel()
    assert (job.state, job.result()) == ("done", 1)


def test_result_says_that_it_is_not_there_yet(pool: Pool) -> None:
    with pytest.raises(TimeoutError, match=r"not|still"):
        pool.submit("job_functions:sleep", 60).result(0.05)


# What a death costs.


def test_a_killed_worker_costs_its_job_alone(pool: Pool, tmp_path: Path) -> None:
    other = heard(pool.submit("job_functions:until", str(tmp_path / "go")))
    job = heard(pool.submit("job_functions:sleep", 100))
    (worker,) = [worker for worker in pool._crew.team if worker.job is job]
    os.kill(worker.process.pid, signal.SIGKILL)
    assert "ended by the system" in str(ended(job).error)
    assert pool.submit("job_functions:add", 1).result(SECONDS) == 1
    assert other.state == "running"
    (tmp_path / "go").touch()
    assert other.result(SECONDS) != worker.process.pid


def test_a_reading_that_does_not_come_back_from_c_is_ended_with_its_sentence(single: Pool) -> None:
    begun = time.monotonic()
    job = single.submit("job_functions:read_in_c", 0.2)
    with pytest.raises(JobError, match="The file was not read within the limit of time for its size"):
        job.result(SECONDS)
    assert time.monotonic() - begun < SECONDS


@pytest.mark.parametrize(("call", "how"), [(("die", signal.SIGSEGV), "SIGSEGV"), (("leave", 7), "exit code 7")])
def test_other_deaths_are_named(single: Pool, call: tuple[Any, ...], how: str) -> None:
    assert how in str(ended(single.submit(f"job_functions:{call[0]}", *call[1:])).error)
    assert single.submit("job_functions:add", 1).result(SECONDS) == 1


def test_an_idle_worker_that_died_is_replaced(single: Pool) -> None:
    process = single._crew.team[0].process if single.submit("job_functions:pid").result(SECONDS) else None
    assert process is not None
    process.kill()
    until(lambda: not single._crew.team)
    assert single.submit("job_functions:pid").result(SECONDS) != process.pid


def test_a_worker_that_cannot_start_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with make() as pool:
        assert "could not be started" in str(ended(pool.submit("job_functions:add", 1)).error)


# Who shares, and who goes first.


def test_equal_public_jobs_are_one_until_the_last_owner_leaves(single: Pool) -> None:
    first = single.submit("job_functions:sleep", 60, key="k", owner="ann")
    assert single.submit("job_functions:sleep", 60, key="k", owner="bob") is first
    assert single.submit("job_functions:sleep", 60, key="other", owner="bob") is not first
    assert first.owners == {"ann", "bob"}
    single.release(first, "ann")
    single.release(first, "nobody")
    assert not first.finished
    single.release(first, "bob")
    assert first.state == "cancelled"
    assert single.get(first.id) is first
    assert single.submit("job_functions:sleep", 60, key="k", owner="ann") is not first


def test_a_private_job_is_shared_by_its_key_and_forgotten_with_its_last_owner(single: Pool) -> None:
    first = single.submit("job_functions:add", 1, key="token", owner="ann", private=True)
    assert single.submit("job_functions:add", 1, key="token", owner="bob", private=True) is first
    ended(first)
    single.release(first, "ann")
    assert single.get(first.id) is first
    assert first.owners == {"bob"}
    single.release(first, "bob")
    assert single.get(first.id) is None
    assert single.submit("job_functions:add", 1, key="token", owner="bob", private=True) is not first


def test_a_private_job_that_is_released_while_it_runs_is_stopped_and_forgotten(single: Pool) -> None:
    job = heard(single.submit("job_functions:sleep", 60, key="token", owner="ann", private=True))
    single.release(job, "ann")
    assert job.state == "cancelled"
    assert single.get(job.id) is None
    assert single.submit("job_functions:add", 1).result(SECONDS) == 1


def test_a_private_job_is_forgotten_when_its_owner_does_not_come_back() -> None:
    with make(grace=0.1) as pool:
        job = ended(pool.submit("job_functions:add", 1, owner="ann", private=True))
        pool.leave("ann")
        until(lambda: pool.get(job.id) is None)


def test_a_finished_job_is_found_by_its_key_and_a_failed_one_runs_again(shared: Pool) -> None:
    done = ended(shared.submit("job_functions:pid", key="finished"))
    assert shared.submit("job_functions:pid", key="finished", owner="bob") is done
    assert shared.submit("job_functions:add", 1, key="finished") is not done
    failed = ended(shared.submit("job_functions:fail", "value", "No.", key="failed"))
    assert shared.submit("job_functions:fail", "value", "No.", key="failed") is not failed


def test_what_failed_is_not_run_again_where_that_is_not_wanted(single: Pool) -> None:
    call = ("job_functions:fail", "value", "No.")
    failed = ended(single.submit(*call, key="k", owner="ann", again=False))
    assert single.submit(*call, key="k", owner="ann", again=False) is failed
    assert single.submit(*call, key="k", owner="bob", again=False) is failed
    second = ended(single.submit(*call, key="k", owner="ann"))
    assert second is not failed
    assert single.submit(*call, key="k", owner="ann", again=False) is second
    single.refresh()
    assert single.submit(*call, key="k", owner="ann", again=False) is not second


@pytest.mark.parametrize("how", ["cancel", "release"])
def test_what_its_owner_stopped_is_not_run_again_where_that_is_not_wanted(single: Pool, how: str) -> None:
    def ask(owner: str, again: bool = False) -> Job:
        return single.submit("job_functions:sleep", 60, key="k", owner=owner, again=again)

    first = ask("ann")
    if how == "cancel":
        first.cancel()
    else:
        single.release(first, "ann")
    assert ask("ann") is first
    assert first.state == "cancelled"
    assert single.get(first.id, "ann after a reload") is first
    assert ask("ann after a reload") is first
    second = ask("bob")  # who stopped nothing
    assert second is not first
    assert ask("ann") is second
    second.cancel()
    assert ask("ann", again=True) not in (first, second)


def test_what_ended_because_its_owner_was_gone_is_run_again() -> None:
    with make(grace=0.05) as pool:
        first = pool.submit("job_functions:sleep", 60, key="k", owner="ann", again=False)
        pool.leave("ann")
        assert ended(first).state == "cancelled"
        assert pool.get(first.id, "ann again") is first
        assert pool.submit("job_functions:sleep", 60, key="k", owner="ann again", again=False) is not first


def test_what_is_no_longer_kept_is_run_again() -> None:
    with make(workers=1, kept_jobs=1) as pool:
        first = ended(pool.submit("job_functions:fail", "value", "No.", key="k", again=False))
        ended(pool.submit("job_functions:add", 1))
        assert pool.submit("job_functions:fail", "value", "No.", key="k", again=False) is not first


def test_finished_jobs_are_kept_up_to_a_number_and_a_size() -> None:
    with make(workers=1, kept_jobs=3, kept_bytes=3_000_000) as pool:
        done = [ended(pool.submit("job_functions:add", i, key=i)) for i in range(3)]
        assert pool.get(done[0].id) is done[0]  # and is now the last used
        done.append(ended(pool.submit("job_functions:add", 3, key=3)))
        assert [job for job in done if pool.get(job.id)] == [done[0], done[2], done[3]]
        large = ended(pool.submit("job_functions:big", 5))
        assert [job for job in [*done, large] if pool.get(job.id)] == [large]
        assert large.result().points.nbytes == 5_000_000


def test_owners_take_turns(single: Pool, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    heard(single.submit("job_functions:until", str(tmp_path / "go"), owner="zoe"))
    for owner, word in [("ann", "a1"), ("ann", "a2"), ("ann", "a3"), ("bob", "b1"), ("bob", "b2"), ("cat", "c1")]:
        last = single.submit("job_functions:note", str(notes), word, owner=owner)
    (tmp_path / "go").touch()
    ended(last)
    until(lambda: len(notes.read_text().split()) == 6)
    assert notes.read_text().split() == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_the_queue_of_one_owner_is_bounded() -> None:
    with make(workers=1, most_waiting=3) as pool:
        heard(pool.submit("job_functions:sleep", 60, owner="ann"))
        for _ in range(3):
            pool.submit("job_functions:add", 1, owner="ann")
        with pytest.raises(JobError, match=r"3 of your jobs are waiting already, .*\. Wait"):
            pool.submit("job_functions:add", 1, owner="ann")
        pool.submit("job_functions:add", 1, owner="bob")


def test_all_arguments_in_the_queue_are_bounded() -> None:
    with make(workers=1, waiting_bytes=3 << 20) as pool:
        running = heard(pool.submit("job_functions:sleep", 60, owner="ann"))
        first = pool.submit("job_functions:same", bytes(2 << 20), owner="ann")
        with pytest.raises(JobError, match=r"may hold 3 MB of data in all, .*\. Try again"):
            pool.submit("job_functions:same", bytes(2 << 20), owner="bob", key="k")
        pool.submit("job_functions:same", bytes(1 << 19), owner="bob")
        first.cancel()
        last = pool.submit("job_functions:same", bytes(2 << 20), owner="bob", key="k")
        running.cancel()
        assert len(last.result(SECONDS)) == 2 << 20


def test_whoever_finds_a_job_by_its_id_adopts_it(tmp_path: Path) -> None:
    go = tmp_path / "go"
    with make(grace=0.3) as pool:
        kept = pool.submit("job_functions:until", str(go), owner="ann", private=True)
        lost = pool.submit("job_functions:until", str(go), owner="ann")
        pool.leave("ann")
        assert pool.get(kept.id, "ann after a reload") is kept
        assert pool.get(lost.id) is lost  # to look is not to want
        assert ended(lost).state == "cancelled"
        until(lambda: kept.owners == {"ann after a reload"})
        assert kept.state == "running"
        go.touch()
        assert kept.result(SECONDS)
        assert pool.get(kept.id) is kept
        pool.leave("ann after a reload")
        until(lambda: pool.get(kept.id) is None)


def test_who_stops_a_job_after_a_reload_ends_it_though_the_old_owner_has_grace_left() -> None:
    with make(grace=30) as pool:
        job = pool.submit("job_functions:sleep", 60, owner="ann", key="k")
        pool.leave("ann")
        again = pool.submit("job_functions:sleep", 60, owner="ann after a reload", key="k")
        assert again is job
        pool.release(job, "ann after a reload")
        assert ended(job).state == "cancelled"


def test_an_owner_who_finds_a_job_is_here_again() -> None:
    with make(grace=0.1) as pool:
        job = pool.submit("job_functions:sleep", 60, owner="ann")
        pool.leave("ann")
        pool.get(job.id, "ann")
        time.sleep(0.3)
        assert (job.finished, job.owners) == (False, {"ann"})


def test_an_owner_who_comes_back_in_time_keeps_the_job() -> None:
    with make(grace=0.3) as pool:
        kept = pool.submit("job_functions:sleep", 60, owner="ann")
        lost = pool.submit("job_functions:sleep", 60, owner="bob", key="k")
        both = pool.submit("job_functions:sleep", 60, owner="cat", key="both")
        pool.submit("job_functions:sleep", 60, owner="bob", key="both")
        pool.leave("ann")
        pool.leave("bob")
        assert not lost.finished
        pool.enter("ann")
        assert ended(lost).state == "cancelled"
        time.sleep(0.1)
        assert not kept.finished
        assert not both.finished
        assert both.owners == {"cat"}


def test_a_long_job_stays_longer_after_its_last_owner_than_a_short_one() -> None:
    with make(grace=0.05, long_grace=0.6, long=1) as pool:
        short = pool.submit("job_functions:sleep", 60, owner="ann")
        long = pool.submit("job_functions:sleep", 60, owner="ann", long=True)
        pool.leave("ann")
        assert ended(short).state == "cancelled"
        assert not long.finished
        assert ended(long).state == "cancelled"


def test_unsaved_work_stays_one_hour() -> None:
    with make() as pool:
        assert pool.long_grace == limits.STAY == 3600


def test_two_threads_submit_at_once(shared: Pool) -> None:
    found: list[list[Job]] = []

    def ask(owner: str) -> None:
        found.append([ended(shared.submit("job_functions:add", i, key=f"at once {i}", owner=owner)) for i in range(50)])

    threads = [threading.Thread(target=ask, args=(owner,)) for owner in ("ann", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [job.result() for job in found[0]] == list(range(50))
    assert found[0] == found[1]


# Beginning and end.


def test_nothing_starts_before_the_first_job_and_warm_starts_one(pool: Pool) -> None:
    time.sleep(0.05)
    assert not pool._crew.team
    pool.warm()
    until(lambda: len(pool._crew.team) == 1)
    pool.submit("job_functions:add", 1).result(SECONDS)
    assert len(pool._crew.team) == 1


def test_every_worker_gets_ready_once_and_no_job_waits_for_it(pool: Pool) -> None:
    pool.warm("job_functions:get_ready")
    until(lambda: any(worker.preparing for worker in pool._crew.team))
    assert pool.submit("job_functions:readiness").result(SECONDS)[1] == 0
    until(lambda: [worker.prepared for worker in pool._crew.team] == [True, True])
    both = [pool.submit("job_functions:sleep", 0.2) for _ in range(2)]
    ready = pool.submit("job_functions:readiness")
    assert ready.result(SECONDS)[1] == 1
    assert all(job.result(SECONDS) == job.result() for job in both)


def test_a_worker_that_comes_later_gets_ready_too(single: Pool) -> None:
    single.warm("job_functions:get_ready")
    until(lambda: [worker.prepared for worker in single._crew.team] == [True])
    (before,) = single._crew.team
    heard(stopped := single.submit("job_functions:deaf"))
    stopped.cancel()
    until(lambda: before not in single._crew.team)
    until(lambda: [worker.prepared for worker in single._crew.team] == [True])
    assert single.submit("job_functions:readiness").result(SECONDS)[1] == 1


@pytest.mark.parametrize("function", ["die", "silent", "nothing"])
def test_who_cannot_get_ready_works_all_the_same(single: Pool, function: str) -> None:
    single.warm(f"job_functions:{function}")
    assert single.submit("job_functions:add", 1, 2).result(SECONDS) == 3
    until(lambda: not any(worker.preparing for worker in single._crew.team))
    assert single.submit("job_functions:add", 3, 4).result(SECONDS) == 7


def test_only_functions_of_the_library_make_ready(shared: Pool) -> None:
    with pytest.raises(ValueError, match="may not be run as a job"):
        shared.warm("os:abort")


def test_after_refresh_nothing_old_is_used(single: Pool) -> None:
    first = ended(single.submit("job_functions:pid", key="k"))
    single.refresh()
    second = ended(single.submit("job_functions:pid", key="k"))
    assert first.result() != second.result()


def test_close_cancels_and_leaves_nothing_open(recwarn: pytest.WarningsRecorder) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    pool = make()
    running = [pool.submit("job_functions:sleep", 60) for _ in range(3)]
    heard(running[0])
    processes = [worker.process for worker in pool._crew.team]
    pool.close()
    pool.close()
    assert {job.state for job in running} == {"cancelled"}
    assert all(process.returncode is not None for process in processes)
    assert len(list(Path("/dev/fd").iterdir())) == before
    with pytest.raises(JobError, match="closed"):
        pool.submit("job_functions:add", 1)
    gc.collect()
    assert not recwarn.list


def test_the_pool_of_the_process_survives_a_hot_reload() -> None:
    loaded = {name: module for name, module in sys.modules.items() if name.split(".")[:2] == ["embedviz", "jobs"]}
    try:
        first = jobs.run("embedviz.jobs:find", "no such job")
        assert ended(first).state == "failed"
        assert "takes no report" in str(first.error)
        assert jobs.find(first.id) is first
        for name in loaded:
            del sys.modules[name]
        import embedviz.jobs as again

        assert again is not jobs
        assert again.pool() is jobs.pool()
        assert again.find(first.id, "ann") is first
        assert again.JobError is not JobError
        with pytest.raises(again.JobError):
            first.result()
    finally:
        for name in [name for name in sys.modules if name.split(".")[:2] == ["embedviz", "jobs"]]:
            del sys.modules[name]
        sys.modules |= loaded
        embedviz.jobs = jobs
        jobs.pool().close()


SERVER = """
import sys, time
from embedviz.core.limits import STAY
from embedviz.jobs import Pool
pool = Pool(prefixes=("job_functions:",), paths=[sys.argv[1]])
jobs = [pool.submit("job_functions:" + name, *rest) for name, *rest in (("busy",), ("sleep", 300))]
while not all(job.message for job in jobs):
    time.sleep(.01)
print(*(worker.process.pid for worker in pool._crew.team), flush=True)
if sys.argv[2] == "end":
    sys.exit()
time.sleep(300)
"""


@linux
@pytest.mark.parametrize("how", ["TERM", "KILL", "INT", "end"])
def test_nothing_outlives_the_server(how: str) -> None:
    command = [sys.executable, "-c", SERVER, str(HERE), how]
    path = os.pathsep.join([str(HERE.parent), str(HERE)])
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "PYTHONPATH": path}
    ) as server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        assert len(pids) == 2
        if how != "end":
            assert all(map(alive, pids))
            server.send_signal(signal.Signals[f"SIG{how}"])
        server.wait(SECONDS)
    until(lambda: not any(map(alive, pids)))


def test_long_work_keeps_no_short_work_waiting(tmp_path: Path) -> None:
    """One place of each kind; long work has a process that steps further back, and that no short work runs in."""
    with make(workers=1, long=1) as pool:
        slow = pool.submit("job_functions:until", str(tmp_path / "go"), long=True)
        second = pool.submit("job_functions:surroundings", long=True)
        until(lambda: slow.state == "running")
        quick = [pool.submit("job_functions:surroundings") for _ in range(3)]
        assert all(job.wait(SECONDS) for job in quick)
        assert (slow.state, second.state) == ("running", "waiting")
        assert len({job.result()["pid"] for job in quick}) == 1
        (tmp_path / "go").touch()
        assert second.wait(SECONDS)
        assert second.result()["pid"] == slow.result()
        assert second.result()["nice"] == min(19, quick[0].result()["nice"] + LONG)
        assert pool.submit("job_functions:pid").result(SECONDS) == quick[0].result()["pid"]


@pytest.mark.parametrize(("name", "value"), [("REUSED", 0.0), ("REST", 0.1)])
def test_the_process_of_a_long_job_ends_if_it_holds_much_memory_or_none_follows(
    name: str, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, name, value)
    with make(workers=1, long=1) as pool:
        first = pool.submit("job_functions:pid", long=True).result(SECONDS)
        until(lambda: not alive(first))
        assert pool.submit("job_functions:pid", long=True).result(SECONDS) != first


def test_an_owner_sees_what_is_theirs_and_of_others_only_how_much(single: Pool, tmp_path: Path) -> None:
    gate = tmp_path / "go"
    ours = single.submit("job_functions:until", str(gate), owner="anna", title="Waiting for a file")
    until(lambda: ours.state == "running")
    theirs = single.submit("job_functions:add", 1, owner="ben", private=True)
    next_one = single.submit("job_functions:add", 2, owner="anna")
    assert single.jobs("anna") == [next_one, ours]
    assert single.jobs("ben") == [theirs]
    assert single.jobs("nobody") == []
    assert tuple(single.load("anna")) == (1, 2, 0, 1)
    assert tuple(single.load("ben")) == (1, 2, 1, 1)
    assert (ours.title, ours.threads, next_one.threads) == ("Waiting for a file", device.cores(), 0)
    if sys.platform == "linux":
        until(lambda: (single.memory_of(ours) or 0) > 5 << 20)  # its process may be about to begin
    assert single.memory_of(next_one) is None
    assert next_one.waited > 0 == next_one.seconds
    gate.touch()
    assert next_one.wait(SECONDS)
    waited = next_one.waited
    assert tuple(single.load("anna")) == (0, 0, 0, 0)
    assert 0 < waited == next_one.waited
    until(lambda: next_one.ago > 0.01)
    single.release(theirs, "ben")
    assert single.jobs("ben") == []


def test_the_queue_says_for_how_long_it_lasts_at_most() -> None:
    """Two places: the sum of what is left before a job, halved; unknown as long as one before it has no estimate."""
    with make(workers=1, long=2) as pool:
        begun = [pool.submit("job_functions:sleep", 30.0, long=True, expected=30.0) for _ in range(2)]
        until(lambda: all(job.state == "running" for job in begun))
        waiting = [pool.submit("job_functions:sleep", 30.0, long=True, expected=each) for each in (20.0, 0.0, 10.0)]
        first, second, third = (pool.seconds_before(job) for job in waiting)
        assert first == pytest.approx(30.0, abs=5.0)
        assert second == pytest.approx(40.0, abs=5.0)
        assert third is None
        assert [pool.before(job) for job in waiting] == [0, 1, 2]
