"""Long work on a page: starts or finds a job, shows how far it is, and runs the page again when it ends."""

from __future__ import annotations

import html
import secrets
from collections.abc import Callable
from typing import Any

import streamlit as st

from embedviz import jobs
from pages._shared import states

POLL = 0.5
SHORT = 0.25
"""Seconds to wait for a job before anything is said: most that are found again are done."""


def owner() -> str:
    """This session's name in the queue; its jobs end a while after it leaves."""
    name = _owner()
    jobs.pool().enter(name)
    return name


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda name: jobs.pool().leave(name))
def _owner() -> str:
    return secrets.token_urlsafe(12)


def run(function: str, *args: Any, key: str, private: bool = False, wait: float = SHORT, **kwargs: Any) -> jobs.Job:
    """The job of a library function, found again by its key where it ran already; waits a moment for quick ones."""
    job = jobs.run(function, *args, key=key, owner=owner(), private=private, **kwargs)
    if not job.finished:
        job.wait(wait)
    return job


@st.fragment(run_every=POLL)
def watch(job_id: str, show: Callable[[jobs.Job], None]) -> None:
    """Shows a job now and twice a second, and runs the whole page again when it has ended."""
    job = jobs.find(job_id)
    if job is None or job.finished:
        st.rerun()
    else:
        show(job)


def progress(what: str, key: str, stop: Callable[[], None] | None = None) -> Callable[[jobs.Job], None]:
    """A way to show a job: what is done, a bar, step and time, and a button that stops it."""

    def show(job: jobs.Job) -> None:
        states.state(what, _step(job))
        if job.fraction is not None:
            st.html(
                f'<div class="ev-bar" role="progressbar" aria-valuenow="{job.fraction:.0%}">'
                f'<i style="width:{100 * job.fraction:.1f}%;background:var(--ev-ink)"></i></div>'
            )
        if st.button("Stop here", key=f"stop-{key}"):
            (stop or job.cancel)()
            job.wait(1.0)
            st.rerun()

    return show


def _step(job: jobs.Job) -> str:
    if job.state == "waiting":
        return "Waiting for a free place; other visitors are computing."
    left = ""
    if job.fraction and job.seconds > 2:
        seconds = job.seconds * (1 - job.fraction) / job.fraction
        left = f" About {max(1, round(seconds))} s left on this machine."
    message = f"{job.message}." if job.message else "Beginning."
    return f"{message}{left}"


def failed(job: jobs.Job) -> None:
    """The sentence of a job that did not end well."""
    if job.state == "cancelled":
        states.note("Stopped.")
    else:
        states.note(job.error or "The computation ended without a result.")


def pill(text: str) -> None:
    """A quiet pill of text."""
    st.html(f'<span class="ev-pill">{html.escape(text)}</span>')
