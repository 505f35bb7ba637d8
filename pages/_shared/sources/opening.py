"""Open the texts in use from the folder that a worker wrote, or show why they are not there."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

import streamlit as st

from embedviz.core.options import OptionError
from embedviz.corpus import CorpusError
from pages._shared.app import address, states
from pages._shared.results import work
from pages._shared.sources import text_list, uploads
from pages._shared.sources.picking import TextPicker
from pages._shared.sources.text_address import TextAddress

_EXPIRED = "An unsaved upload is deleted one hour after you close the page. Choose the file again."


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Named = TypeVar("_Named", bound=_HasName)


def opened(
    picker: TextPicker, named: TextAddress, folder: Path, make: Callable[[], bool], opener: Callable[[str], _Named]
) -> _Named | None:
    """Return the texts from the folder that a worker writes; None while the worker runs, or if it failed.

    Args:
        make: Starts the worker, and returns whether the folder is written; if not, draws the progress.

    Raises:
        OptionError: The folder cannot be opened.
    """
    if named.private:
        uploads.visit(named.source, listed=False)
    if not folder.is_dir():
        if not make():
            return None
        st.rerun()  # a control above this place shows how the texts were read
    try:
        found = opener(str(folder))
    except CorpusError as error:
        raise OptionError(str(error)) from None
    text_list.remember(picker, named, found.name)
    return found


def gone(picker: TextPicker, title: str, sentence: str = _EXPIRED) -> None:
    """Say that texts no longer exist, and offer the default texts."""
    states.state(title, sentence)
    _default_button(picker)


def progress(picker: TextPicker, named: TextAddress, task: work.Task, doing: str) -> None:
    """Draw the progress of the job that reads texts, or why it failed and what the visitor can do."""
    if task.running:
        work.show(task, doing)
        return
    first, _, rest = task.sentence.partition(". ")
    states.state(f"{first.rstrip('.')}.", rest)
    with st.container(horizontal=True):
        if task.stopped:
            st.button("Read it again", type="primary", on_click=work.again, args=(picker.name,))
        elif named.options:
            plainly = {picker.name: str(named.plain)}
            st.button("Use default settings", type="primary", on_click=address.put, kwargs=plainly)
        _default_button(picker)


def _default_button(picker: TextPicker) -> None:
    st.button(f"Use {picker.default}", on_click=address.put, kwargs={picker.name: None})
