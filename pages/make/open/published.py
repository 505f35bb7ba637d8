"""The section Word vectors: published vectors that are downloaded into a saved space."""

import streamlit as st

from embedviz import catalog
from embedviz.contextual import models
from embedviz.contextual.models import DownloadedVectors, PublishedVectors
from pages._shared.app import address, frame, states
from pages._shared.results import fetching, work

SLOT, NAME = "vectors", "vectors"
"""Slot of the job that downloads, and the name in the address under which the job and the vectors stand."""


def section() -> None:
    """Offer the published vectors that are not here yet; if the visitor has begun a download, show it instead."""
    st.html('<h2 class="ev-section">More published word vectors</h2>')
    states.note("Downloads appear in the list of spaces above. Their checksums are verified.")
    job, _, name = address.get(NAME).partition(".")
    task = work.adopt(SLOT, job)
    if task is None:
        _offer([each for each in models.published() if not _here(each)])
    elif task.running:
        work.show(task, f"Downloading {name}.")
    elif task.result is not None:
        found: DownloadedVectors = task.result
        states.state(f"{found.name} is saved.", f"{found.rows:,} words × {found.dimensions}, license {found.license}.")
        with st.container(horizontal=True):
            use = f"saved:{found.name}"
            st.button("Use this space", type="primary", key="use-vectors", on_click=frame.choose_space, args=(use,))
            st.button("Done", key="vectors-done", type="tertiary", on_click=fetching.close, args=(SLOT, NAME))
    else:
        states.state(f"{name} was not downloaded.", task.sentence)
        with st.container(horizontal=True):
            st.button("Try again", key="vectors-again", type="primary", on_click=_start, args=(name,))
            st.button("Close", key="vectors-close", on_click=fetching.close, args=(SLOT, NAME))


def _here(one: PublishedVectors) -> bool:
    return catalog.folder_of(catalog.Recipe("saved", one.name)).exists()


def _offer(offered: list[PublishedVectors]) -> None:
    if not offered:
        states.note("All of them are saved spaces.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=420):
            one = st.selectbox(
                "Published vectors",
                offered,
                format_func=lambda one: f"{one.name} · {one.bytes / 1e6:,.0f} MB · {one.license}",
                key="vectors:known",
            )
        st.button("Download", key="download-vectors", on_click=_start, args=(one.name,))
    states.note(f"{one.about} {one.rows:,} words × {one.dimensions}.")


@frame.safely
def _start(name: str) -> None:
    """Start the download of vectors, and write its job into the page's address, so that a reload finds the job."""
    fetching.begin(SLOT, NAME, "embedviz.contextual.models:download_vectors", name, name)
