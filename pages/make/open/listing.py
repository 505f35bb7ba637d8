"""The list of spaces: each with its size, its source, and what can be done with it."""

import contextlib
from collections.abc import Collection
from functools import partial

import streamlit as st

from embedviz import catalog
from embedviz.core.folders import READ_ONLY, is_read_only
from embedviz.core.phrases import byte_size
from embedviz.core.space import SpaceError
from pages._shared.app import frame, states
from pages._shared.app.escape import escape
from pages._shared.results import cache
from pages._shared.sources import current, saving, uploads
from pages.make.open import exporting

KINDS = {"builtin": "built in", "shelf": "published", "saved": "saved", "synthetic": "made up"}


def section(view: current.View) -> None:
    """List the spaces that anybody may open, the space in use, and the visitor's own uploads."""
    st.html('<h2 class="ev-section">Spaces you can use</h2>')
    states.note(
        "A space is a table: a row of numbers for each word or text.",
        READ_ONLY if is_read_only() else "All users of this installation can use, rename and delete saved spaces.",
    )
    entries = cache.entries()
    entries = [entries[0], *_own(view, {str(entry.recipe) for entry in entries}), *entries[1:]]
    for number, entry in enumerate(entries):
        with st.container(horizontal=True, vertical_alignment="center", key=f"space-{number}"):
            _entry(number, entry, view)
        if st.session_state.get(exporting.CHOSEN) == str(entry.recipe):
            exporting.download(entry.recipe, entry.title)


def _own(view: current.View, public: Collection[str]) -> list[catalog.SpaceEntry]:
    """Return entries of the space in use and of the visitor’s uploads, without public spaces and deleted uploads."""
    found = []
    for recipe in dict.fromkeys([view.recipe, *(catalog.Recipe("upload", token) for token in uploads.visited())]):
        if str(recipe) not in public:
            with contextlib.suppress(SpaceError, ValueError):
                found.append(catalog.entry(recipe))
    return found


def _entry(number: int, entry: catalog.SpaceEntry, view: current.View) -> None:
    """Draw one space and its buttons."""
    recipe, in_use = entry.recipe, str(entry.recipe) == view.address
    parts = [
        KINDS.get(recipe.kind, "upload"),
        f"{entry.rows:,} × {entry.dimensions}",
        f"{byte_size(entry.bytes)} on disk" if entry.bytes else "",
        "with an index" if entry.card.get("table", {}).get("index") else "",
        "in use" if in_use else "",
    ]
    with st.container(width=420):
        states.entry(entry.title, " · ".join(part for part in parts if part))
    if not in_use:
        st.button("Use", key=f"use-{number}", on_click=frame.choose_space, args=(str(recipe),))
    st.button("Export file", key=f"download-{number}", type="tertiary", on_click=exporting.choose, args=(str(recipe),))
    if recipe.kind == "shelf" and not recipe.corrections:
        with st.popover("Source", key=f"source-{recipe}", type="tertiary"):
            _source(entry)
    if recipe.kind == "saved" and not is_read_only():
        with st.popover("Rename", key=f"rename-{recipe}", type="tertiary"):
            saving.named("New name", recipe.name, "Rename", partial(catalog.rename, recipe))
        with st.popover("Delete", key=f"ask-delete-{recipe}", type="tertiary"):
            st.write(f"Delete **{escape(entry.title)}** from disk? This cannot be undone.")
            st.button("Delete it", key=f"delete-{number}", on_click=delete, args=(recipe, view.address))


def _source(entry: catalog.SpaceEntry) -> None:
    """Write what a published space is, with its license and a link to its page on the web."""
    st.write(escape(entry.card["about"]))
    st.link_button("Open its page", entry.card["url"], icon=":material/open_in_new:", type="tertiary")
    states.note(f"{entry.card['source']}. License: {entry.card['license']}.", f"Try: {entry.card['good_for']}")


@frame.safely
def delete(recipe: catalog.Recipe, in_use: str) -> None:
    """Delete a saved space; if it is the space in use here, switch to the built-in space."""
    catalog.delete(recipe)
    cache.entries.clear()
    if in_use == str(recipe):
        frame.choose_space("builtin")
    st.toast(f"{escape(recipe.name)} is deleted.")
