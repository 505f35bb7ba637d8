"""The list of texts that a visitor may choose, and the select box that shows it."""

from typing import Literal

import streamlit as st

from embedviz.core.phrases import unique_names
from pages._shared.app import address
from pages._shared.app.escape import plain
from pages._shared.sources import uploads
from pages._shared.sources.picking import TextPicker
from pages._shared.sources.text_address import TextAddress, corpora_root, is_file_name, saved_texts

_UPLOADS = "picking:uploads"
_LONGEST = 60  # characters of a title


def choose(
    picker: TextPicker, given: TextAddress, label_visibility: Literal["visible", "collapsed"] = "visible"
) -> None:
    """Draw the box in which a visitor selects the texts of the page; the texts in use, `given`, are preselected."""
    listed = {str(_as_read(picker, one, given)): title for one, title in _offered(picker).items()}
    received = uploads.file_of(given.source) if given.private else None
    listed.setdefault(str(given), received[1] if received is not None else "Your text")
    # Streamlit treats two options of the same title as one
    titles = dict(zip(listed, unique_names(plain(title, _LONGEST) for title in listed.values()), strict=True))
    st.selectbox(
        f"{picker.title} in use",
        list(listed),
        format_func=lambda one: titles.get(one, plain(one, _LONGEST)),
        label_visibility=label_visibility,
        # a browser may still send an option of the previous run
        **address.bind(picker.name, str(given), lambda one: one if one in listed else str(given)),
    )


def remember(picker: TextPicker, given: TextAddress, title: str) -> None:
    """Store the title and the options of texts that were read, so that every page offers them."""
    if given.private:
        st.session_state.setdefault(_UPLOADS, {})[given.source] = title
    st.session_state.setdefault(picker.key("as"), {})[given.kind, given.source] = str(given)


def _offered(picker: TextPicker) -> dict[TextAddress, str]:
    """Return all texts that this visitor may choose, with their titles."""
    found = {TextAddress("built-in", name): title for name, title in picker.builtin.items()}
    root = corpora_root()
    if picker.files and root.is_dir():
        names = sorted(path.name for path in root.iterdir() if is_file_name(path.name))
        found |= {TextAddress("file", name): name for name in names}
    if picker.saved:
        found |= {TextAddress("saved", name): f"{name} (saved)" for name in saved_texts()}
    own: dict[str, str] = st.session_state.get(_UPLOADS, {})
    here = {token: title for token, title in own.items() if uploads.folder_of(token).is_dir()}
    return found | {TextAddress("upload", token): title for token, title in here.items()}


def _as_read(picker: TextPicker, one: TextAddress, given: TextAddress) -> TextAddress | str:
    """Return the address of the texts `one` with reading options.

    This is `given` if both are the same texts. Otherwise it is the address under which the visitor last read these
    texts, as a string, or `one` if the visitor has not read them.
    """
    if one == given.plain:
        return given
    read: dict[tuple[str, str], str] = st.session_state.get(picker.key("as"), {})
    return read.get((one.kind, one.source), one)
