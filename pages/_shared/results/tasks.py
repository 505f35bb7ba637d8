"""The slots of a session: each has the task of one job.

A *slot* is a place on a page for one result, such as the badge. A slot that gets another question releases its old job.
A slot whose job was cancelled or failed stays so until the visitor starts it again.
"""

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from embedviz import jobs
from pages._shared.results.history import note
from pages._shared.results.task import Task

SHORT = 0.25
"""Seconds to wait for a job before the page shows its progress; a job that is done already answers sooner."""
SLOTS = "work:slots"
"""The session's tasks by their slots."""
_OPTIONS = {"private", "wait", "title", "long", "expected"}  # of `ask`; the rest are arguments of the function
Bound = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments of a function, by position and by name."""


def owner() -> str:
    """Return the name of this session as an owner of jobs, and record that the session is present.

    Short jobs of a session are released 45 seconds after its end, long jobs an hour after it.
    """
    name = _owner()
    jobs.pool().enter(name)
    return name


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda name: jobs.pool().leave(name))
def _owner() -> str:
    return secrets.token_urlsafe(12)


def run(slot: str, function: str, *args: Any, key: str, **named: Any) -> Task:
    """Start a job for a function with these arguments, and return the job as the task of a slot.

    If the slot already has a job with this function and key, no new job is started. `named` may also contain options of
    `ask()`.
    """
    options = {name: named.pop(name) for name in _OPTIONS & named.keys()}
    return ask(slot, function, lambda: (args, named), key=key, **options)


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
    expected: float = 0.0,
) -> Task:
    """Return the task (job and outcome) of a slot; start the job unless the slot has one with this key.

    Args:
        function: "embedviz.module:function".
        bind: Returns the arguments of the function; called only if a job is started.
        key: Identifies everything that the result depends on.
        private: Whether the result is forgotten once its last owner has left.
        wait: Seconds to wait for a quick job.
        title: Name of the job on the page Jobs; if empty, the sentence passed to `work.show()` or `work.row()`.
        long: Whether the job may take minutes; then it does not delay short jobs.
        expected: Estimated seconds of the job, to tell other visitors how long their jobs will wait; 0 if unknown.
    """
    slots: dict[str, Task] = st.session_state.setdefault(SLOTS, {})
    question_key, me = (function, key), owner()
    task = slots.get(slot)
    if task is not None and task.question_key != question_key:
        _let_go(task, me)
        task = None
    if task is None or (task.job is not None and not task.stopped and jobs.find(task.job.id, owner=me) is None):
        try:
            args, kwargs = bind()
            how = {"key": key, "owner": me, "private": private, "long": long, "title": title, "expected": expected}
            task = Task(slot, question_key, jobs.run(function, *args, **how, **kwargs))
        except (jobs.JobError, ValueError) as error:
            task = Task(slot, question_key, refused=str(error))
        slots[slot] = task
        if task.job is not None:
            note(task.job, title)  # before the wait, in which another page may be opened
            task.job.wait(wait)
    return _seen(task)


def adopt(slot: str, job_id: str) -> Task | None:
    """Return the task of a job that an address names, and make this session an owner of the job.

    Return None for an unknown job.
    """
    task: Task | None = st.session_state.get(SLOTS, {}).get(slot)
    job = jobs.find(job_id, owner=owner()) if job_id else None
    if task is not None and task.job is not None and task.job.id == job_id:
        return _seen(task)
    return None if job is None else _seen(Task(slot, (job.function, job_id), job))


def _seen(task: Task) -> Task:
    """Return the task with its present state, fixed for this run of the page; add its job to the session's history."""
    if task.job is not None:
        note(task.job)
    return replace(task, ended=task.job is not None and task.job.finished)


def end(job: jobs.Job) -> None:
    """Cancel a job for this visitor, in every slot that has it."""
    for task in list(st.session_state.get(SLOTS, {}).values()):
        if task.job is not None and task.job.id == job.id:
            stop(task)
    jobs.pool().release(job, owner())


def _let_go(task: Task, me: str) -> None:
    if task.job is not None:
        jobs.pool().release(task.job, me)


def stop(task: Task) -> None:
    """Cancel the task for this visitor; others who wait for the same job still get its result."""
    _let_go(task, owner())
    st.session_state.setdefault(SLOTS, {})[task.slot] = replace(task, stopped=True)


def holds(slot: str, question_key: tuple[str, str]) -> bool:
    """Return whether the slot has a task of this function and key, running or ended."""
    task: Task | None = st.session_state.get(SLOTS, {}).get(slot)
    return task is not None and task.question_key == question_key


def release(slot: str) -> None:
    """Empty a slot whose result is no longer needed; its job is cancelled unless other visitors wait for it."""
    task: Task | None = st.session_state.get(SLOTS, {}).pop(slot, None)
    if task is not None:
        _let_go(task, owner())


def again(slot: str) -> None:
    """Remove the task of a slot, so that the next run of the page starts the job of the slot again."""
    st.session_state.get(SLOTS, {}).pop(slot, None)
