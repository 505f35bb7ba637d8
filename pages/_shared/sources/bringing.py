"""The form for a visitor's own texts: upload a file, or paste a text."""

import io
from typing import BinaryIO

import streamlit as st

from embedviz import catalog
from embedviz.core import limits
from embedviz.core.space import SpaceError
from pages._shared.app import states, widget_keys
from pages._shared.app.escape import escape, plain
from pages._shared.sources import uploads
from pages._shared.sources.picking import TextPicker
from pages._shared.sources.text_address import TextAddress

LABEL = "A file: .txt, .csv, .tsv, .jsonl, .parquet, or a .zip or .tar of text files; plain, .gz, .xz or .bz2"
LONGEST_KEPT = 20_000
"""A pasted text with more bytes is removed from its box."""


def form(picker: TextPicker, given: TextAddress, refusal: str) -> None:
    """Draw a box to upload a file, a box to paste a text, and the reason if a text was refused.

    Args:
        refusal: Why the texts in use cannot be read; empty if they can.
    """
    at, why = st.session_state.get(picker.key("refused"), ("", ""))
    st.file_uploader(LABEL, key=picker.key("file"), on_change=_take_file, args=(picker,))
    st.text_area(
        "Or paste a text",
        key=_pasted(picker),
        height=110,
        placeholder="One text per line",
        on_change=_take_pasted,
        args=(picker,),
    )
    st.button("Use this text", key=picker.key("read"), on_click=_take_box, args=(picker,))
    if why := why if at == str(given) else refusal:
        st.error(escape(why))
    states.note(f"{picker.limit} Your texts stay on the computer that runs this program.")


def _pasted(picker: TextPicker) -> str:
    """Return the widget key of the box into which a text is pasted."""
    return widget_keys.current(picker.key("pasted"))


def _take_file(picker: TextPicker) -> None:
    """Receive the uploaded file and make it the texts in use."""
    if (uploaded := uploads.chosen(picker.key("file"))) is not None:
        _receive(picker, uploaded, catalog.clean_name(plain(uploaded.name, 80).split(".")[0]), uploaded.size)


def _take_pasted(picker: TextPicker) -> None:
    """Receive the pasted text and make it the texts in use."""
    text = str(st.session_state.get(_pasted(picker), ""))
    content = text.encode("utf-8", "replace")
    if len(text) > limits.PASTED_TEXT:
        _refuse(
            picker, f"This text has {len(text):,} characters; {limits.PASTED_TEXT:,} may be pasted. Save it as a file."
        )
    elif content.strip():
        _receive(picker, io.BytesIO(content), "Pasted text", len(content))
        if picker.key("refused") not in st.session_state:
            st.session_state[picker.key("pasted as")] = picker.current().source
    if len(content) > LONGEST_KEPT:  # a browser sends the content of a box with every click
        widget_keys.renew(picker.key("pasted"))


def _take_box(picker: TextPicker) -> None:
    """Receive the pasted text after a click on the button, unless it was received when the visitor left the box.

    An empty box is refused.
    """
    given = picker.current()
    refused, _ = st.session_state.get(picker.key("refused"), ("", ""))
    if st.session_state.get(picker.key("pasted as")) == given.source or refused == str(given):
        return
    if str(st.session_state.get(_pasted(picker), "")).strip():
        _take_pasted(picker)
    else:
        _refuse(picker, "The box is empty. Paste a text first.")


def _receive(picker: TextPicker, content: BinaryIO, name: str, size: int) -> None:
    try:
        picker.put(TextAddress("upload", uploads.receive(content, name, size)))
    except SpaceError as error:
        _refuse(picker, str(error))


def _refuse(picker: TextPicker, why: str) -> None:
    st.session_state[picker.key("refused")] = (str(picker.current()), why)
