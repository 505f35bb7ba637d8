"""A space as a file: the choice of a format, the progress, the button that saves it."""

import shlex
from pathlib import Path

import streamlit as st

from embedviz import catalog
from embedviz.core import limits
from embedviz.core.phrases import byte_size, counted, joined
from embedviz.formats import WRITABLE, Written
from pages._shared.app import frame, states
from pages._shared.output.csv_files import file_name
from pages._shared.results import cache, work
from pages._shared.sources import uploads

CHOSEN, MADE = "open:download", "open:download-made"


def download(recipe: catalog.Recipe, title: str) -> None:
    """Draw the choice of a format. After the choice, draw the progress, and then the button that saves the file."""
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
        _fetch(task, path, f"{file_name(title)}{WRITABLE[made[1]].endings[0]}")
        return
    sizes = {name: cache.file_size(key, name) for name in WRITABLE}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=420):
            name = st.selectbox(
                "Format",
                list(WRITABLE),
                format_func=lambda name: f"{WRITABLE[name].title}, about {byte_size(sizes[name])}",
            )
        if sizes[name] <= limits.DOWNLOAD_BYTES:
            st.button("Make the file", type="primary", on_click=_make, args=(key, name, sizes[name]))
        st.button("Close the export", type="tertiary", on_click=close)
    if sizes[name] > limits.DOWNLOAD_BYTES:
        source = shlex.quote(str(recipe)) if recipe.in_terminal else "FILE"
        out = f"vectors{WRITABLE[name].endings[0]}"
        states.note(f"Files over {byte_size(limits.DOWNLOAD_BYTES)} need a terminal: embedviz convert {source} {out}")


def _fetch(task: work.Task, path: Path, filename: str) -> None:
    """Draw the button that saves the finished file; before, draw the progress of writing."""
    written: Written | None = task.result
    if task.running:
        work.show(task, f"Writing {filename}.")
        return
    if written is None:
        states.state(f"{filename} was not made.", task.sentence)
        with st.container(horizontal=True):
            st.button("Make it again", on_click=work.again, args=("download",))
            st.button("Close the export", type="tertiary", on_click=close)
        return
    with st.container(horizontal=True):
        st.download_button(
            f"Save {filename} ({byte_size(written.bytes)})",
            path.read_bytes,
            filename,
            "application/octet-stream",
            type="primary",
            on_click="ignore",
        )
        st.button("Close the export", type="tertiary", on_click=close)
    states.note(
        *(f"Left out: {counted(each.count, 'row')} ({each.reason})." for each in written.dropped),
        f"This format cannot hold {joined(written.lost)}." if written.lost else "",
    )


@frame.safely
def _make(key: str, name: str, count: int) -> None:
    """Reserve `count` bytes for a file; the next run of the page starts to write the file."""
    st.session_state[MADE] = (key, name, uploads.make_room(count))


def choose(recipe: str) -> None:
    """Open the export of a space, and close an earlier export."""
    close()
    st.session_state[CHOSEN] = recipe


def close() -> None:
    """Close the export and delete its file."""
    st.session_state.pop(CHOSEN, None)
    if made := st.session_state.pop(MADE, None):
        work.release("download")
        uploads.delete(made[2])
