"""The choice of texts on a page: a popover, or a select box in the header, with a form for a visitor's texts."""

from collections.abc import Callable

import streamlit as st

from pages._shared.sources import bringing, text_list
from pages._shared.sources.picking import TextPicker
from pages._shared.sources.text_address import TextAddress


def _nothing(given: TextAddress) -> str:
    return ""


def _closed(picker: TextPicker, given: TextAddress) -> str:
    """Close the popover if other texts are in use than in the last run; return the key of the popover."""
    open_now, before = picker.key("open"), picker.key("before")
    if st.session_state.get(before) != (chosen := str(given.plain)):
        st.session_state[before], st.session_state[open_now] = chosen, False
    return open_now


def control(
    picker: TextPicker,
    settings: Callable[[TextAddress], None] | None = None,
    refusal: Callable[[TextAddress], str] = _nothing,
) -> None:
    """Draw a popover with the choice of texts and the form for a visitor's own texts; it closes when texts are chosen.

    Args:
        settings: Draws the reading options.
        refusal: Returns why the texts cannot be read, or an empty text. The popover shows this reason, since an open
            popover may cover the page.

    Raises:
        OptionError: The address names no texts.
    """
    given = picker.current()
    with st.popover(picker.title, icon=picker.icon, key=_closed(picker, given), on_change="rerun"):
        text_list.choose(picker, given)
        if settings is not None:
            settings(given)
        bringing.form(picker, given, refusal(given))


def header(
    picker: TextPicker,
    settings: Callable[[TextAddress], None] | None = None,
    refusal: Callable[[TextAddress], str] = _nothing,
) -> None:
    """Draw the choice of texts for the header of a page: a select box, and a popover *Your own texts*.

    The popover closes when texts are chosen. The arguments are those of `control`.

    Raises:
        OptionError: The address names no texts.
    """
    given = picker.current()
    phone = st.session_state["frame:look"].width == "phone"
    with st.container(width=190 if phone else 240, key=f"{picker.name}-in-use"):
        text_list.choose(picker, given, label_visibility="collapsed")
    open_now = _closed(picker, given)
    with st.popover("Your own texts", icon=":material/upload_file:", type="tertiary", key=open_now, on_change="rerun"):
        if settings is not None and given.private:
            settings(given)
        bringing.form(picker, given, refusal(given))
