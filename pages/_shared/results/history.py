"""The jobs that the pages of a session showed: what each does, and the page and address that last showed it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from embedviz import jobs
from pages._shared.app import address

_LOG = "work:log"
_MOST_LOGGED = 60


@dataclass(frozen=True)
class StartedJob:
    """A job of this session: what it does, and the page that last showed it.

    Attributes:
        title: Title of the job; empty if no page gave one.
        page: The page's name in an address; None if no page of this session has shown the job.
        query: The values of the page's address.
    """

    title: str = ""
    page: str | None = None
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)


def note(job: jobs.Job, title: str = "") -> None:
    """Remember the title of a job, with the present page and address as its place; a later call replaces the place."""
    log: dict[str, StartedJob] = st.session_state.setdefault(_LOG, {})
    known = log.pop(job.id, None)
    page, query = address.place()
    log[job.id] = StartedJob(title or (known.title if known else "") or job.title, page, query)
    while len(log) > _MOST_LOGGED:
        del log[next(iter(log))]


def entry(job: jobs.Job) -> StartedJob:
    """Return what this session remembers of a job."""
    log: dict[str, StartedJob] = st.session_state.get(_LOG, {})
    return log.get(job.id, StartedJob(job.title))
