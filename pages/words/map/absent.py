"""The note if the map does not draw the word in use, and the buttons that add the word and its neighbors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages._shared.app import address, states
from pages._shared.app.escape import escape
from pages.words.map import inviting

if TYPE_CHECKING:
    from embedviz.neighbors import Neighborhood
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap


def show(view: View, drawn: DrawnMap, word: str | None, near: Neighborhood | None) -> None:
    """Write that the map does not draw the word in use; offer to add the word and its neighbors `near`.

    It is written in the lecture view too. Nothing is written if the map draws the word, or while the map's points move.
    """
    if word is None or drawn.making.stream or view.space.index[word] in drawn.projected.position:
        return
    around = [one.word for one in near.neighbors] if near is not None else []
    absent = [each for each in (word, *around) if view.space.index[each] not in drawn.projected.position]
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="map-line"):
        with st.container(width="content"):
            states.note(f"“{view.label_or_word(word)}” is not among the {view.space.noun}s of this map.")
        added = {"add": [*address.get_list("add"), *absent]}
        label = f"Draw {escape(word, 30)} and its neighbors"
        st.button(label, icon=":material/add:", on_click=address.put, kwargs=added)
        inviting.offer(word)
