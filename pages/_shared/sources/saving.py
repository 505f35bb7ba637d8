"""A form that names a space and saves it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from embedviz.catalog import Recipe, SpaceEntry, entry, folder_of
from embedviz.core.folders import READ_ONLY, is_read_only
from embedviz.core.space import SpaceError
from pages._shared.app import address, states
from pages._shared.app.escape import escape
from pages._shared.results import cache

_LAST = "saved last"
_TWICE = 3.0  # seconds within which Enter and a click on the button count once


@dataclass
class _Sent:
    """The last form that was sent: its content, the time, the saved recipe, and whether the page has used it."""

    wish: tuple[str, str, str] = ("", "", "")
    at: float = 0.0
    recipe: Recipe | None = None
    used: bool = True

    def exists(self) -> bool:
        """Return whether the saved space still exists."""
        return self.recipe is not None and folder_of(self.recipe).is_dir()


def named(label: str, name: str, verb: str, act: Callable[[str], Recipe]) -> None:
    """Draw a form for a name.

    Once it is sent, `act` saves a space under this name, and the saved space becomes the space in use.
    """

    def use(made: Recipe) -> None:
        address.put(space=str(made))
        done = "Renamed to" if verb == "Rename" else "Saved as"
        st.toast(f"{done} {escape(made.name)}. It is the space in use now.")

    if form(label, name, verb, act, use):
        st.rerun()


def note(saved: Recipe) -> None:
    """Write, under a form, the name under which a space was saved."""
    states.note(f"Saved as {saved.name}. Every page offers it as a space.")


def copy_of(source: SpaceEntry, recipe: Recipe) -> bool:
    """Return whether a recipe (the description of a space) names an uncorrected copy of `source`.

    A copy is a saved space with the same origin and the same size.
    """
    if recipe.kind != "saved" or recipe.corrections:
        return False
    copy = entry(recipe)
    size = (source.rows, source.dimensions)
    return copy.card["origin"] == source.card["origin"] and (copy.rows, copy.dimensions) == size


def form(label: str, name: str, verb: str, act: Callable[[str], Recipe], use: Callable[[Recipe], None]) -> bool:
    """Draw a form for the name of a space; when it is sent, save the space. Return whether a space was saved.

    A read-only server draws a sentence instead of the form. If a new run of the page interrupts the run that saves the
    space, the new run calls `use`.

    Args:
        act: Saves the space under a name, and returns its recipe (how to get the space).
        use: Gets the recipe of the saved space.
    """
    if is_read_only():
        states.note(READ_ONLY)
        return False
    sent: _Sent = st.session_state.setdefault(_LAST, _Sent())
    with st.form(f"{verb}-{name}", border=False):
        chosen = st.text_input(label, name)
        if st.form_submit_button(verb):
            error = _save(sent, (verb, name, chosen), act)
            if error:
                st.error(escape(error))
        if sent.used or sent.wish[:2] != (verb, name) or sent.recipe is None or not sent.exists():
            return False
        use(sent.recipe)
        sent.used = True
    return True


def _save(sent: _Sent, wish: tuple[str, str, str], act: Callable[[str], Recipe]) -> str:
    """Save a space with `act`; return the error message, or an empty text after success.

    The same wish is not saved again within `_TWICE` seconds. The new recipe is recorded in `sent` at once, before
    Streamlit can end this run of the page.
    """
    if sent.wish == wish and time.monotonic() - sent.at < _TWICE and sent.exists():
        sent.used = False
        return ""
    try:
        made = act(wish[2])
    except (SpaceError, FileExistsError) as error:
        return str(error)
    except OSError as error:
        return f"It cannot be saved: {error.strerror}. Nothing was changed."
    sent.wish, sent.at, sent.recipe, sent.used = wish, time.monotonic(), made, False
    cache.entries.clear()
    return ""
