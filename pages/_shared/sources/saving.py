"""A form for the name of a space, and what is done with it."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from embedviz.catalog import Recipe, folder_of
from embedviz.core.space import SpaceError
from pages._shared.app import address
from pages._shared.app.escape import escape
from pages._shared.results import cache

_LAST = "saved last"
_TWICE = 3.0  # seconds within which Enter and a click on the button are one wish


def named(label: str, name: str, verb: str, act: Callable[[str], Recipe]) -> None:
    """Draw a form for a name; `act` is what is done with it, and returns the recipe that is then in use."""
    made = form(label, name, verb, act)
    if made is not None:
        address.put(space=str(made), job=None)
        st.rerun()


def form(label: str, name: str, verb: str, act: Callable[[str], Recipe]) -> Recipe | None:
    """Draw a form for a name; return what `act` returns once it is sent, None before and where that is refused."""
    with st.form(f"{verb}-{name}", border=False):
        chosen = st.text_input(label, name)
        if st.form_submit_button(verb):
            wish, now = (verb, name, chosen), time.monotonic()
            before, at, there = st.session_state.get(_LAST, ((), 0.0, None))
            if before == wish and now - at < _TWICE and folder_of(there).is_dir():
                return there
            try:
                made = act(chosen)
            except SpaceError as error:
                st.error(escape(str(error)))
                return None
            st.session_state[_LAST] = (wish, time.monotonic(), made)
            cache.entries.clear()
            return made
    return None
