"""A file of vectors: received, read by a worker, or refused."""

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.core import limits
from embedviz.core.phrases import counted
from embedviz.core.space import SpaceError
from embedviz.formats import FORMATS
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources import uploads

LABEL = "A file of vectors; it may be compressed"
_TITLES = ", ".join(re.sub(r" \([^)]{21,}\)", "", each.title) for each in FORMATS.values() if not each.folder)
READ = (
    f"Formats: {_TITLES}; also compressed (.gz, .bz2, .xz, .zip), or a .zip file of a model folder or a spaCy folder."
)
ENCODING = "open:encoding"
"""Key of the widget that chooses another encoding."""
CHOICE = "open:choice"
"""Key of the widget that chooses a column, a tensor or a file of an archive."""
WORDS = "open:words"
"""Key of the widget that receives a list of words for a matrix."""
COLUMN = "open:column"
"""Key of the widget that chooses the column with the names or the texts of the rows."""
_CHOICES = {"vector_column": "Vectors", "text_column": "Names of the rows", "member": "File of the archive"}


@frame.safely
def take() -> None:
    """Receive the file that was just chosen and start reading it."""
    if (uploaded := uploads.chosen("open:file")) is not None:
        name = plain(uploaded.name, 80)
        for ending in (".gz", ".bz2", ".xz"):
            name = name.removesuffix(ending)
        read(uploads.receive(uploaded, catalog.clean_name(name.rsplit(".", 1)[0]), uploaded.size), skip_bad=False)


@frame.safely
def read_again(token: str) -> None:
    """Read a copy of an upload in the character encoding that the visitor chose, as a new space."""
    read(_copied(token), skip_bad=False, encoding=st.session_state[ENCODING])


@frame.safely
def read_column(token: str) -> None:
    """Read a copy of an uploaded table, with the names of rows from the chosen column, as a new space."""
    read(_copied(token), skip_bad=False, choices={"text_column": st.session_state[COLUMN]})


@frame.safely
def name_rows(token: str) -> None:
    """Read an uploaded matrix again as a new space, with the words of an uploaded list; without a list, do nothing."""
    if (listed := uploads.chosen(WORDS)) is None:
        return
    again = _copied(token)
    words = uploads.receive(listed, plain(listed.name, 80), listed.size)
    read(again, skip_bad=False, choices={"words": str(uploads.folder_of(words) / "file")})


def _copied(token: str) -> str:
    """Copy an upload; return the token of the copy.

    Raises:
        SpaceError: The file is no longer here.
    """
    if (received := uploads.file_of(token)) is None:
        raise SpaceError("The file is no longer here. Choose it again.")
    path, name = received
    with path.open("rb") as content:
        return uploads.receive(content, name, path.stat().st_size)


@frame.safely
def read_choice(token: str, option: str) -> None:
    """Read an upload again, with the chosen column, tensor or archive member as this `option` of `import_spaces()`."""
    read(token, skip_bad=False, choices={option: st.session_state[CHOICE]})


@frame.safely
def read(token: str, *, skip_bad: bool, encoding: str = "", choices: Mapping[str, str] | None = None) -> None:
    """Start the job that reads an upload; write the job's id into the page's address, where a reload finds it.

    Args:
        token: Token of the upload.
        skip_bad: Whether to leave out rows that cannot be read.
        choices: Options of `import_spaces()`, among `words`, `text_column`, `vector_column` and `member`.
    """
    if (received := uploads.file_of(token)) is None:
        raise SpaceError("The file is no longer here. Choose it again.")
    path, name = received
    given: dict[str, Any] = {"max_bytes": limits.UNPACKED_BYTES, **(choices or {})}
    task = work.run(
        "upload",
        "embedviz.formats:import_spaces",
        str(path),
        str(path.with_name("space")),
        name,
        skip_bad=skip_bad,
        encoding=encoding,
        **given,
        key="|".join([token, str(skip_bad), encoding, *(choices or {}), *(choices or {}).values()]),
        private=True,
        wait=0.0,
    )
    address.put(job=f"{work.started(task).id}.{token}", closed=None)


def put_away(token: str) -> None:
    """Close the report on an upload, and delete the uploaded file."""
    work.again("upload")
    if uploads.file_of(token) is not None:
        uploads.drop_file(token)
    address.put(job=None, card=None, check=None, closed="yes")


def refused(task: work.Task, token: str) -> None:
    """Write why a file was not read; draw buttons to read it in another way or to choose another file."""
    if task.stopped or (task.job and task.job.state == "cancelled"):
        uploads.drop_file(token)
        states.state("Reading was cancelled.", "Nothing of the file was kept.")
    else:
        title = plain(given[1], 60) if (given := uploads.file_of(token)) else "The file was not read."
        states.state(title, task.sentence.partition("\n")[0])
    details = (task.job.details if task.job else None) or {}
    if lines := details.get("python"):
        st.code("\n".join(lines), language="python")
    usable, choices, option = details.get("usable"), details.get("choices"), details.get("option", "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if choices and option in _CHOICES and uploads.file_of(token):
            with st.container(width=420):
                st.selectbox(_CHOICES[option], choices, key=CHOICE)
            st.button("Read it", type="primary", on_click=read_choice, args=(token, option))
        if usable and uploads.file_of(token):
            label = f"Use the {counted(usable, 'readable row')}"
            st.button(label, type="primary", on_click=read, args=(token,), kwargs={"skip_bad": True})
        st.button("Choose another file", on_click=put_away, args=(token,))
        if details.get("looks_like") == "plain text":
            for name in ("documents", "search"):
                st.page_link(f"texts/{name}/page.py", label=f"Open {name.capitalize()}")
