"""A space as a file: a format to choose, the file in the making, the button that fetches it."""

from __future__ import annotations

import shlex
from pathlib import Path

import streamlit as st

from embedviz import catalog
from embedviz.formats import WRITABLE, Written
from pages._shared.app import frame, states
from pages._shared.output import export
from pages._shared.results import cache, work
from pages._shared.sources import uploads

MOST_DOWNLOADED = 150_000_000
"""Bytes of a file that a browser may fetch: the server holds it in memory while it does."""
CHOSEN, MADE = "open:download", "open:download-made"


def size(count: int) -> str:
    """Return a number of bytes in a readable unit."""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count:,} bytes"


def download(recipe: catalog.Recipe, title: str) -> None:
    """Draw a format to choose, the file in the making, then the button that fetches it."""
    key = cache.key_of(str(recipe))
    made = st.session_state.get(MADE)
    if made and made[0] == key:
        path = uploads.folder_of(made[2]) / "file"
        task = work.run(
            "download",
            "embedviz.formats:write",
            cache.space(key),
            str(path),
            made[1],
            skip_bad=True,
            key=made[2],
            private=True,
        )
        _fetch(task, path, f"{export.file_name(title)}{WRITABLE[made[1]].endings[0]}")
        return
    sizes = {name: cache.file_size(key, name) for name in WRITABLE}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=420):
            name = st.selectbox(
                "Format",
                list(WRITABLE),
                format_func=lambda name: f"{WRITABLE[name].title}, about {size(sizes[name])}",
            )
        if sizes[name] <= MOST_DOWNLOADED:
            st.button("Make the file", type="primary", on_click=_make, args=(key, name, sizes[name]))
        st.button("Close", type="tertiary", on_click=close)
    if sizes[name] > MOST_DOWNLOADED:
        source = shlex.quote(str(recipe)) if recipe.in_terminal else "FILE"
        out = f"vectors{WRITABLE[name].endings[0]}"
        states.note(f"Larger than {size(MOST_DOWNLOADED)}: embedviz convert {source} {out}, in a terminal.")


def _fetch(task: work.Task, path: Path, filename: str) -> None:
    """Draw the button that fetches a file that was made, or how far it is."""
    written: Written | None = task.result
    if task.running:
        work.show(task, f"Writing {filename}.")
        return
    if written is None:
        states.state(f"{filename} was not made.", task.sentence)
        with st.container(horizontal=True):
            st.button("Make it again", on_click=work.again, args=("download",))
            st.button("Close", type="tertiary", on_click=close)
        return
    with st.container(horizontal=True):
        st.download_button(
            f"Download {filename} ({size(written.bytes)})",
            path.read_bytes,
            filename,
            "application/octet-stream",
            type="primary",
            on_click="ignore",
        )
        st.button("Close", type="tertiary", on_click=close)
    states.note(
        *(f"Left out: {each.count:,} · {each.reason}." for each in written.dropped),
        f"This format has no place for: {', '.join(written.lost)}." if written.lost else "",
    )


@frame.safely
def _make(key: str, name: str, count: int) -> None:
    """Make room for a file; the run that follows starts writing it."""
    st.session_state[MADE] = (key, name, uploads.make_room(count))


def choose(recipe: str) -> None:
    """Show what a space can be downloaded as."""
    close()
    st.session_state[CHOSEN] = recipe


def close() -> None:
    """Let go of the download and of the file that was made for it."""
    st.session_state.pop(CHOSEN, None)
    if made := st.session_state.pop(MADE, None):
        work.release("download")
        uploads.delete(made[2])
