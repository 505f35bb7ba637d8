"""The section Sources: vectors in databases and on the web that the operator of this server has named."""

import streamlit as st

from embedviz.files.errors import FormatError
from embedviz.files.named_sources import NamedSource, named_sources
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape
from pages._shared.results import work
from pages._shared.sources import uploads

ROOM = 2**27
"""Bytes of disk space to reserve for a source, whose true size is known only when a worker has read the source."""


def section() -> None:
    """List the sources by name, each with a button to read it; draw nothing if the operator named none."""
    try:
        sources = named_sources()
    except FormatError as error:
        st.html('<h2 class="ev-section">Sources</h2>')
        states.note(escape(str(error)))
        return
    if not sources:
        return
    st.html('<h2 class="ev-section">Sources</h2>')
    states.note(
        "Vectors in databases and on the web, named by the operator of this server. "
        "A source is read into a space that only you see until you save it."
    )
    for number, source in enumerate(sources.values()):
        with st.container(horizontal=True, vertical_alignment="center", key=f"source-row-{number}"):
            with st.container(width=420):
                rows = f"at most {source.parsed.limit:,} rows"
                states.entry(source.name, " · ".join(filter(None, [source.about, rows])))
            st.button("Read", key=f"read-source-{number}", on_click=_read, args=(source,))


@frame.safely
def _read(source: NamedSource) -> None:
    """Start the job that reads a source; write the job's id into the page's address, where a reload finds it."""
    token = uploads.make_room(ROOM)
    (uploads.folder_of(token) / "name").write_text(source.name, encoding="utf-8")
    task = work.run(
        "upload",
        "embedviz.formats.remote:import_named",
        source.name,
        str(uploads.folder_of(token) / "space"),
        key=token,
        private=True,
        wait=0.0,
    )
    address.put(job=f"{work.started(task).id}.{token}")
