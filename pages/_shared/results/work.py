"""Long work on a page: starts or finds a job, shows how far it is, and runs the page again when it ends.

A *slot* is a place on a page for one result, such as the badge. A slot whose question changed lets the old job go; a
slot whose job was stopped or failed stays so until its visitor asks again.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from embedviz import jobs
from pages._shared.app import address, states

POLL = 0.5
SHORT = 0.25
"""Seconds to wait for a job before anything is said: most that are found again are done."""
_REFUSAL = re.compile(r"^embedviz\.[\w.]*\.(OptionError|EncoderError|SentencesError): ", re.MULTILINE)
_SLOTS = "work:slots"
_LOG = "work:log"
_MOST_LOGGED = 60
_BEGAN = "work:began"


@dataclass(frozen=True)
class Task:
    """What stands in a slot: a job, or why there is none.

    Attributes:
        ended: Whether the job had ended when this run of the page came by. The job goes on meanwhile: a run that asked
            it twice would find it running, without a result yet, and then not running, and take that for no result.
    """

    slot: str
    asked: tuple[str, str]
    job: jobs.Job | None = None
    stopped: bool = False
    refused: str = ""
    ended: bool = False

    @property
    def running(self) -> bool:
        """Whether a result may still come."""
        return self.job is not None and not self.ended and not self.stopped

    @property
    def result(self) -> Any:
        """What the job gave, or None."""
        return self.job.result() if self.job is not None and self.ended and self.job.state == "done" else None

    @property
    def lasting(self) -> bool:
        """Whether the function refused what it was given, and would again."""
        return self.job is not None and bool(_REFUSAL.search(self.job.traceback))

    @property
    def sentence(self) -> str:
        """Why there is no result and none will come."""
        if self.stopped or (self.job is not None and self.job.state == "cancelled"):
            return "Stopped."
        return self.refused or (self.job.error if self.job is not None else None) or "The computation gave no result."


@dataclass(frozen=True)
class Wish:
    """A job as this session knows it: what it does, and the page and address that it was asked on.

    Attributes:
        title: "" where nobody said.
        page: As its address calls it; None where this session has not been there.
    """

    title: str = ""
    page: str | None = None
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)


def owner() -> str:
    """This session's name in the queue; its jobs end a while after it leaves."""
    name = _owner()
    jobs.pool().enter(name)
    return name


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda name: jobs.pool().leave(name))
def _owner() -> str:
    return secrets.token_urlsafe(12)


Bound = tuple[tuple[Any, ...], dict[str, Any]]
"""What a function is called with, by position and by name."""


def run(
    slot: str,
    function: str,
    *args: Any,
    key: str,
    private: bool = False,
    wait: float = SHORT,
    title: str = "",
    long: bool = False,
    **kwargs: Any,
) -> Task:
    """The task of a slot, as `ask` gives it, of a function called with these arguments."""
    return ask(slot, function, lambda: (args, kwargs), key=key, private=private, wait=wait, title=title, long=long)


def ask(
    slot: str,
    function: str,
    bind: Callable[[], Bound],
    *,
    key: str,
    private: bool = False,
    wait: float = SHORT,
    title: str = "",
    long: bool = False,
) -> Task:
    """The task of a slot: the job of a library function by its key, found or begun; waits once for a quick one.

    Args:
        slot: The place on a page.
        function: "embedviz.module:function".
        bind: Gives what it is called with; asked only where a job is begun.
        key: Says all that the result depends on.
        private: Whether it is forgotten once its last owner has left.
        wait: Seconds to wait for a quick one.
        title: What the page Jobs calls it; without one, what `show` and `row` say of it.
        long: Whether it may take minutes, so that it takes no place of short work.
    """
    slots: dict[str, Task] = st.session_state.setdefault(_SLOTS, {})
    asked, me = (function, key), owner()
    task = slots.get(slot)
    if task is not None and task.asked != asked:
        _let_go(task, me)
        task = None
    if task is None or (task.job is not None and not task.stopped and jobs.find(task.job.id, owner=me) is None):
        try:
            args, kwargs = bind()
            how = {"key": key, "owner": me, "private": private, "long": long, "title": title}
            task = Task(slot, asked, jobs.run(function, *args, **how, **kwargs))
        except (jobs.JobError, ValueError) as error:
            task = Task(slot, asked, refused=str(error))
        slots[slot] = task
        if task.job is not None:
            task.job.wait(wait)
    _note(task)
    return _seen(task)


def adopt(slot: str, job_id: str) -> Task | None:
    """The task of a job that an address names, now this session's as well; None where it is no longer known."""
    kept: Task | None = st.session_state.get(_SLOTS, {}).get(slot)
    job = jobs.find(job_id, owner=owner()) if job_id else None
    if kept is not None and kept.job is not None and kept.job.id == job_id:
        _note(kept)
        return _seen(kept)
    if job is None:
        return None
    _note(task := Task(slot, (job.function, job_id), job))
    return _seen(task)


def _seen(task: Task) -> Task:
    """The task as it is now, for the whole of this run."""
    return replace(task, ended=task.job is not None and task.job.finished)


def _note(task: Task, title: str = "") -> None:
    """Notes where a job was asked for, and what it was called there."""
    if task.job is None:
        return
    log: dict[str, Wish] = st.session_state.setdefault(_LOG, {})
    known = log.pop(task.job.id, None)
    page, query = address.place()
    log[task.job.id] = Wish(title or (known.title if known else "") or task.job.title, page, query)
    while len(log) > _MOST_LOGGED:
        del log[next(iter(log))]


def wishes() -> list[tuple[jobs.Job, Wish]]:
    """This session's jobs that are still known, the latest first."""
    log: dict[str, Wish] = st.session_state.get(_LOG, {})
    return [(job, log.get(job.id, Wish(job.title))) for job in jobs.pool().jobs(owner())]


def end(job: jobs.Job) -> None:
    """Ends a job for this visitor, in whatever slots it stands."""
    for task in list(st.session_state.get(_SLOTS, {}).values()):
        if task.job is not None and task.job.id == job.id:
            stop(task)
    jobs.pool().release(job, owner())


def _let_go(task: Task, me: str) -> None:
    if task.job is not None:
        jobs.pool().release(task.job, me)


def stop(task: Task) -> None:
    """Ends the task for this visitor; others who wait for the same job keep it."""
    _let_go(task, owner())
    st.session_state.setdefault(_SLOTS, {})[task.slot] = replace(task, stopped=True)


def holds(slot: str, asked: tuple[str, str]) -> bool:
    """Whether the slot has a task of this function and key, running or ended."""
    task: Task | None = st.session_state.get(_SLOTS, {}).get(slot)
    return task is not None and task.asked == asked


def release(slot: str) -> None:
    """Empties a slot whose result nobody waits for any more; its job ends with its last owner."""
    task: Task | None = st.session_state.get(_SLOTS, {}).pop(slot, None)
    if task is not None:
        _let_go(task, owner())


def again(slot: str) -> None:
    """Forgets what became of a slot, so that the next run begins its job anew."""
    st.session_state.get(_SLOTS, {}).pop(slot, None)


def show(task: Task, what: str) -> None:
    """Progress with a way to stop, or why there is no result, with a way to ask again where that may help."""
    _note(task, what)
    if task.running and task.job is not None:
        watch(task, lambda job: _progress(task, job, what))
    else:
        states.state(what, task.sentence)
        if not task.lasting:
            st.button("Compute it", key=f"again-{task.slot}", on_click=again, args=(task.slot,))


@st.fragment(run_every=POLL)
def watch(task: Task, show: Callable[[jobs.Job], None]) -> None:
    """Shows a running job now and twice a second, and runs the whole page again when it has ended."""
    if task.job is None or task.job.finished:
        st.rerun()
    else:
        show(task.job)


def row(task: Task, what: str) -> None:
    """Progress with a way to stop, in one line above what stays meanwhile."""
    _note(task, what)
    watch(task, lambda job: _progress_row(task, job, what))


def _progress(task: Task, job: jobs.Job, what: str) -> None:
    states.state(what, step(job))
    if job.fraction is not None:
        states.bar(job.fraction)
    _stop_here(task)


def _progress_row(task: Task, job: jobs.Job, what: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"row-{task.slot}"):
        with st.container():
            states.step(f"{what} {step(job)}", job.fraction)
        _stop_here(task)


def _stop_here(task: Task) -> None:
    if st.button("Cancel", key=f"stop-{task.slot}"):
        stop(task)
        st.rerun()


def step(job: jobs.Job) -> str:
    """What a job is doing, and how long it will take where that can be said."""
    if job.state == "waiting":
        return "In the queue, behind other work."
    seconds = _left(job)
    left = f" About {max(1, round(seconds))} s left." if seconds is not None else ""
    return f"{job.message}.{left}" if job.message else "Starting …"


def _left(job: jobs.Job) -> float | None:
    """Seconds to the job's end at its pace since it first told how far it is; None until that is a tenth of the way."""
    began: dict[str, tuple[float, float]] = st.session_state.setdefault(_BEGAN, {})
    if not job.fraction:
        return None
    if job.id not in began:
        while len(began) >= 8:
            del began[next(iter(began))]
        began[job.id] = (job.seconds, job.fraction)
    seconds, fraction = began[job.id]
    done = job.fraction - fraction
    return (job.seconds - seconds) * (1 - job.fraction) / done if done >= 0.1 else None
