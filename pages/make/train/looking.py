"""Links to a run: its own address, which can control it, and a link that only shows it."""

from urllib.parse import urlencode

import streamlit as st

from embedviz import jobs
from pages._shared.app import states
from pages._shared.results.task import Task
from pages._shared.sources import looking, uploads
from pages._shared.sources.looking import only as only
from pages._shared.sources.steps import RUN, SLOT

_OTHERS = ("before", "space")
"""Names in the address that lead to spaces other than that of the run; a shared link leaves these names out."""


def task(token: str) -> Task | None:
    """Return the task of a run that this visitor may only look at; None if the run's job is no longer known."""
    run = uploads.folder_of(token).resolve().name
    job = next((job for job in jobs.pool().jobs() if job.key == run), None)
    return Task(SLOT, (job.function, job.id), job, ended=job.finished) if job is not None else None


def share(token: str) -> None:
    """Draw the link that only shows a run. A visitor who only looks gets the link that they already have."""
    with st.popover("Share", key="train-share", type="tertiary", icon=":material/share:"):
        states.note("To look at this run:")
        st.code(_link(token if only(token) else looking.look_token(token)), language=None, wrap_lines=True)
        if not only(token):
            states.note("Share this link, not the address of the page: that address can stop or delete the run.")


def _link(token: str) -> str:
    """Return a link to this page and to the run that `token` identifies, without other runs and other spaces."""
    shared = {name: values for name, values in looking.for_others().items() if name not in _OTHERS}
    return f"{st.context.url or ''}?{urlencode({**shared, RUN: token}, doseq=True)}"
