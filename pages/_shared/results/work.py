"""Long work on a page: the progress of a job, and a rerun of the page when the job ends."""

from collections.abc import Callable

import streamlit as st

from embedviz import jobs
from embedviz.core.phrases import counted, duration
from pages._shared.app import states
from pages._shared.results import estimate
from pages._shared.results.history import StartedJob as StartedJob
from pages._shared.results.history import entry, note
from pages._shared.results.task import Task as Task
from pages._shared.results.tasks import SHORT as SHORT
from pages._shared.results.tasks import adopt as adopt
from pages._shared.results.tasks import again as again
from pages._shared.results.tasks import ask as ask
from pages._shared.results.tasks import end as end
from pages._shared.results.tasks import holds as holds
from pages._shared.results.tasks import owner as owner
from pages._shared.results.tasks import release as release
from pages._shared.results.tasks import run as run
from pages._shared.results.tasks import stop as stop

POLL = 0.5
WATCHED = "work:watched"
"""Key of the session state; set while a part of the page watches a job."""
_BEGAN = "work:began"


def started(task: Task) -> jobs.Job:
    """Return the job of a task. If none could be started, empty the slot, so that the next try starts one.

    Raises:
        JobError: No job could be started; the message says why.
    """
    if task.job is None:
        again(task.slot)
        raise jobs.JobError(task.sentence)
    return task.job


def started_jobs() -> list[tuple[jobs.Job, StartedJob]]:
    """Return this session's jobs that the pool still knows, the latest first, each with its page and address."""
    return [(job, entry(job)) for job in jobs.pool().jobs(owner())]


def show(task: Task, what: str) -> None:
    """Show the progress of a running task with a cancel button; for any other task, why it gave no result.

    A button offers to try again, unless the function refused its arguments.
    """
    if task.job is not None:
        note(task.job, task.job.title or what)
    if task.running and task.job is not None:
        watch(task, lambda job: _progress(task, job, what))
    else:
        states.state(what, task.sentence)
        if not task.lasting:
            st.button("Compute it", key=f"again-{task.slot}", on_click=again, args=(task.slot,))


@st.fragment(run_every=POLL)
def watch(task: Task, show: Callable[[jobs.Job], None]) -> None:
    """Show a running job now and twice a second; run the whole page again when the job has ended."""
    if task.job is None or task.job.finished:
        st.rerun()
    else:
        st.session_state[WATCHED] = True
        show(task.job)


def row(task: Task, what: str, also: Callable[[jobs.Job], None] | None = None) -> None:
    """Show a task's progress with a cancel button in one line, so that the figure below can stay on the page.

    Args:
        also: Draws a further button, before the cancel button.
    """
    if task.job is not None:
        note(task.job, task.job.title or what)
    watch(task, lambda job: _progress_row(task, job, what, also))


def _progress(task: Task, job: jobs.Job, what: str) -> None:
    states.state(what, step(job))
    if job.fraction is not None:
        states.bar(job.fraction)
    _cancel_button(task)


def _progress_row(task: Task, job: jobs.Job, what: str, also: Callable[[jobs.Job], None] | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"row-{task.slot}"):
        with st.container():
            states.step(f"{what} {step(job)}", job.fraction)
        if also is not None:
            also(job)
        _cancel_button(task)


def _cancel_button(task: Task) -> None:
    if st.button("Cancel", key=f"stop-{task.slot}"):
        stop(task)
        st.rerun()


def step(job: jobs.Job) -> str:
    """Return a sentence on what a job is doing, with the time left, or with the share done if the time is not known.

    For a waiting job, the sentence says its place in the queue.
    """
    if job.state == "waiting":
        before, seconds = jobs.pool().before(job), jobs.pool().seconds_before(job)
        place = f"In the queue, after {counted(before, 'other job')}" if before else "In the queue: the next to start"
        return f"{place}, in at most {duration(max(1.0, seconds))}." if seconds else f"{place}."
    left = f" {estimate.left(_left(job), job.fraction)}" if job.fraction and job.fraction < 1 else ""
    return f"{sentence(job.message)}{left}" if job.message else "Starting …"


def sentence(message: str) -> str:
    """Return a job's message as a sentence; a first letter such as the t of t-SNE stays in lower case."""
    begun = message[:1].upper() + message[1:] if message[1:2].islower() else message
    return begun if begun.endswith(("…", ".")) else f"{begun}."


def _left(job: jobs.Job) -> float | None:
    """Return the estimated seconds to the end of a job; None if the estimate is not stable."""
    began: dict[str, list[tuple[float, float]]] = st.session_state.setdefault(_BEGAN, {})
    if not job.fraction:
        return None
    if job.id not in began:
        while len(began) >= 8:
            del began[next(iter(began))]
    looks = began.setdefault(job.id, [])
    estimate.add(looks, job.seconds, job.fraction)
    return estimate.remaining(looks)
