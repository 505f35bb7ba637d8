"""The control that chooses the second map of the Map page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages._shared.app import address
from pages._shared.controls import widgets
from pages._shared.map.questions import options_of, sampled, words_of
from pages._shared.map.ready import row_of
from pages._shared.sources import spaces
from pages._shared.sources.sharing import sharing
from pages.words.map import beside, sweeping
from pages.words.map.beside import KIND, KINDS, METHOD, OPTION, SPACE, VALUE

if TYPE_CHECKING:
    from embedviz.core.call import Call
    from pages._shared.sources.current import View


def control(view: View, what: Call) -> None:
    """Draw the choice of the map that stands beside this one."""
    with st.popover("Compare with", icon=":material/splitscreen_right:", type="tertiary", key="beside"):
        st.markdown("**A second map of these words**")
        titles = {"": "None", **KINDS}
        bound = address.bind(KIND, beside.kind())
        st.radio("Second map", list(titles), format_func=titles.__getitem__, label_visibility="collapsed", **bound)
        if beside.kind() == "method":
            _method(what)
        elif beside.kind() == "option":
            _setting(what)
        elif beside.kind() == "sweep":
            sweeping.control(what)
        elif beside.kind() == "space":
            _space(view)


def _method(what: Call) -> None:
    listed, chosen = beside.methods(row_of(what)), beside.chosen_method(row_of(what))
    titles = {name: row.title for name, row in listed.items()}
    st.selectbox("Method", list(listed), format_func=titles.__getitem__, **address.bind(METHOD, chosen.name))


def _setting(what: Call) -> None:
    method, options, rows = row_of(what), options_of(what), sampled(words_of(what)).rows
    listed = beside.settings(method, options)
    if not listed:
        st.caption(f"{method.title} has no settings.")
        return
    option, value = beside.chosen_setting(method, options, rows)
    names = {name: each.label or name for name, each in listed.items()}
    st.selectbox("Setting", list(names), format_func=names.__getitem__, **address.bind(OPTION, option.name))
    widgets.control(option, rows, VALUE, value)


def _space(view: View) -> None:
    recipe = beside.other_space(view)
    titles = spaces.titles(view.address)
    listed = sharing(view.address, {one: title for one, title in titles.items() if one != view.address})
    asked = str(recipe) if recipe is not None else None
    if asked is not None:
        listed.setdefault(asked, asked)
    tied = {"format_func": listed.__getitem__, "placeholder": "Choose a space", **address.bind(SPACE, asked)}
    st.selectbox("Space", list(listed), **tied)
