"""Links to a run: one to control it, which is its address, and one only to look at it.

A second token stands for the run without its rights: its folder is a link to that of the run. The second follows from
the first by a secret of the server; nobody can find the first from it.
"""

from contextlib import suppress
from urllib.parse import urlencode

import streamlit as st

from embedviz import jobs
from pages._shared.app import address, states
from pages._shared.results.task import Task
from pages._shared.sources import uploads
from pages._shared.sources.steps import JOB, RUN, SLOT

_CONTROLS = (JOB, "before", "space")
"""Names of the address that lead to the run itself, or to other runs."""


def only(token: str) -> bool:
    """Return whether a token only lets its holder look at a run."""
    return uploads.folder_of(token).is_symlink()


def look_token(token: str) -> str:
    """Return the token with which others look at a run."""
    look = uploads.token_of("look", token)
    with suppress(FileExistsError):
        uploads.folder_of(look).symlink_to(token)
    return look


def task(token: str) -> Task | None:
    """Return the job of a run that this visitor looks at, without any right to it; None where it is no longer known."""
    run = uploads.folder_of(token).resolve().name
    job = next((job for job in jobs.pool().jobs() if job.key == run), None)
    return Task(SLOT, (job.function, job.id), job, ended=job.finished) if job is not None else None


def share(token: str) -> None:
    """Offer the two links of a run; to who only looks, the one that they have."""
    with st.popover("Share", key="train-share", type="tertiary", icon=":material/share:"):
        states.note("To look at this run:")
        st.code(_link(token if only(token) else look_token(token)), language=None, wrap_lines=True)
        if not only(token):
            states.note("To control it (stop, discard): the address of this page. Give it to nobody else.")


def _link(token: str) -> str:
    """Return the address of this page with a token that only looks."""
    shared = {name: address.get_list(name) for name in address.names() if name not in _CONTROLS}
    return f"{st.context.url or ''}?{urlencode({**shared, RUN: token}, doseq=True)}"
