"""A form that names a space and saves it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from embedviz.catalog import Recipe, SpaceEntry, entry, folder_of
from embedviz.core.space import SpaceError
from pages._shared.app import address
from pages._shared.app.escape import escape
from pages._shared.results import cache

_LAST = "saved last"
_TWICE = 3.0  # seconds within which Enter and a click on the button count once


class _Saved(NamedTuple):
    """The last form that was sent: its content, the time, and the saved recipe."""

    wish: tuple[str, str, str]
    at: float
    recipe: Recipe


def named(label: str, name: str, verb: str, act: Callable[[str], Recipe]) -> None:
    """Draw a form for a name; once sent, `act` gets the name and returns the recipe to use."""
    made = form(label, name, verb, act)
    if made is not None:
        address.put(space=str(made))
        done = "Renamed to" if verb == "Rename" else "Saved as"
        st.toast(f"{done} {escape(made.name)}. It is the space in use now.")
        st.rerun()


def copy_of(source: SpaceEntry, recipe: Recipe) -> bool:
    """Return whether a recipe is that of a saved copy of a space, uncorrected."""
    if recipe.kind != "saved" or recipe.corrections:
        return False
    copy = entry(recipe)
    size = (source.rows, source.dimensions)
    return copy.card["origin"] == source.card["origin"] and (copy.rows, copy.dimensions) == size


def form(label: str, name: str, verb: str, act: Callable[[str], Recipe]) -> Recipe | None:
    """Draw a form for a name; once sent, return the result of `act`, else None."""
    with st.form(f"{verb}-{name}", border=False):
        chosen = st.text_input(label, name)
        if st.form_submit_button(verb):
            wish, now = (verb, name, chosen), time.monotonic()
            last: _Saved | None = st.session_state.get(_LAST)
            if last is not None and last.wish == wish and now - last.at < _TWICE and folder_of(last.recipe).is_dir():
                return last.recipe
            try:
                made = act(chosen)
            except (SpaceError, FileExistsError) as error:
                st.error(escape(str(error)))
                return None
            except OSError as error:
                st.error(escape(f"It cannot be saved: {error.strerror}. Nothing was changed."))
                return None
            st.session_state[_LAST] = _Saved(wish, time.monotonic(), made)
            cache.entries.clear()
            return made
    return None
