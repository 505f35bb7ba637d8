"""The control that chooses the second map of the Map page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages._shared.app import address, presenting, states
from pages._shared.controls import widgets
from pages._shared.sources import spaces
from pages._shared.sources.sharing import sharing
from pages.words.map import companion
from pages.words.map.companion import KIND, KINDS, METHOD, OPTION, SPACE, VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from embedviz.core.space import Ints
    from embedviz.projection import Projector
    from pages._shared.sources.current import View


def control(view: View, method: Projector, options: Mapping[str, Any], rows: Ints) -> None:
    """Draw the choice of the second map."""
    titles = {"": "Nothing", **KINDS}
    bound = address.bind(KIND, companion.kind())
    st.selectbox("Compare with", list(titles), format_func=titles.__getitem__, **bound)
    if companion.kind() == "method":
        listed = {name: row.title for name, row in companion.methods(method).items()}
        bound = address.bind(METHOD, companion.chosen_method(method).name)
        st.selectbox("Method of the second map", list(listed), format_func=listed.__getitem__, **bound)
    elif companion.kind() in ("option", "sweep"):
        _setting(method, options, rows)
    elif companion.kind() == "space":
        _space(view)


def close(*, paired: bool) -> None:
    """Draw the button that closes the second map, but not in a lecture view.

    If the visitor wants a map of another space but has chosen no space yet, write where to choose one.
    """
    if not paired and companion.kind() == "space":
        states.note("No second map yet: open Settings and choose a space under “Space of the second map”.")
    if paired and not presenting.on():
        tied: dict[str, Any] = {"on_click": address.put, "kwargs": {KIND: None}}
        st.button("Close the second map", key="close-second-map", type="tertiary", icon=":material/close:", **tied)


def _setting(method: Projector, options: Mapping[str, Any], rows: Ints) -> None:
    """Draw the choice of the setting that differs between the maps, and of its value in the second map."""
    sweeps = companion.kind() == "sweep"
    listed = companion.numbers(method, options) if sweeps else companion.settings(method, options)
    if not listed:
        st.caption(f"{method.title} has no settings to change.")
        return
    chosen = listed.get(address.get(OPTION)) or next(iter(listed.values()))
    names = {name: each.label or name for name, each in listed.items()}
    label = "Setting of the small maps" if sweeps else "Setting of the second map"
    st.selectbox(label, list(names), format_func=names.__getitem__, **address.bind(OPTION, chosen.name))
    if not sweeps:
        second = replace(chosen, label=f"{names[chosen.name]}, second map")
        widgets.control(second, rows, VALUE, companion.chosen_setting(method, options, rows)[1])


def _space(view: View) -> None:
    recipe = companion.other_space(view)
    titles = spaces.titles(view.address)
    listed = sharing(view.address, {one: title for one, title in titles.items() if one != view.address})
    wanted = str(recipe) if recipe is not None else None
    if wanted is not None:
        listed.setdefault(wanted, wanted)
    tied = {"format_func": listed.__getitem__, "placeholder": "Choose a space", **address.bind(SPACE, wanted)}
    st.selectbox("Space of the second map", list(listed), **tied)
