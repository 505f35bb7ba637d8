"""A file of vectors on its way in: received, read by a worker, or refused; what the page says of each."""

from __future__ import annotations

import streamlit as st

from embedviz import catalog
from embedviz.core.space import SpaceError
from embedviz.formats import FORMATS
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources import uploads

LABEL = f"A file of vectors: {', '.join(each.title for each in FORMATS.values())}; plain or .gz"
ENCODING = "open:encoding"
"""The key of the choice of another encoding."""


@frame.safely
def take() -> None:
    """Receive the file that was just chosen and start reading it."""
    uploaded = st.session_state.get("open:file")
    if uploaded is not None:
        name = catalog.clean_name(plain(uploaded.name, 80).removesuffix(".gz").rsplit(".", 1)[0])
        read(uploads.receive(uploaded, name, uploaded.size), skip_bad=False)


@frame.safely
def read_again(token: str) -> None:
    """Read the same file in the encoding that was chosen, as a space of its own."""
    if (received := uploads.file_of(token)) is None:
        raise SpaceError("The file is no longer here. Choose it again.")
    path, name = received
    with path.open("rb") as content:
        read(uploads.receive(content, name, path.stat().st_size), skip_bad=False, encoding=st.session_state[ENCODING])


@frame.safely
def read(token: str, *, skip_bad: bool, encoding: str = "") -> None:
    """Start the job that reads an upload, and put it into the address, so that a reload finds it."""
    received = uploads.file_of(token)
    if received is None:
        raise SpaceError("The file is no longer here. Choose it again.")
    path, name = received
    task = work.run(
        "upload",
        "embedviz.formats:import_spaces",
        str(path),
        str(path.with_name("space")),
        name,
        skip_bad=skip_bad,
        encoding=encoding,
        max_bytes=uploads.MOST_UNPACKED,
        key=f"{token}|{skip_bad}|{encoding}",
        private=True,
        wait=0.0,
    )
    address.put(job=f"{task.job.id}.{token}" if task.job else None)


def put_away(token: str) -> None:
    """Let go of the reading, of its report and of the file."""
    work.again("upload")
    if uploads.file_of(token) is not None:
        uploads.drop_file(token)
    address.put(job=None)


def refused(task: work.Task, token: str) -> None:
    """Say why a file was not read, and offer the ways out."""
    if task.stopped or (task.job and task.job.state == "cancelled"):
        uploads.drop_file(token)
        states.state("Reading was stopped.", "Nothing was kept of the file.")
    else:
        first, _, rest = task.sentence.partition(". ")
        states.state(f"{first.rstrip('.')}.", rest)
    usable = ((task.job.details if task.job else None) or {}).get("usable")
    with st.container(horizontal=True):
        if usable and uploads.file_of(token):
            again = {"skip_bad": True}
            st.button(f"Use the {usable:,} lines", type="primary", on_click=read, args=(token,), kwargs=again)
        st.button("Choose another file", on_click=put_away, args=(token,))
