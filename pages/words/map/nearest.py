"""The list of nearest words next to a map, with their places on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embedviz import projection
from embedviz.core.phrases import number
from embedviz.projection.quality import neighbors_compared
from pages._shared.app import address, frame, states
from pages._shared.output.wordlist import MARKS, neighbor_list

if TYPE_CHECKING:
    from embedviz.neighbors import Neighborhood
    from embedviz.neighbors.lookup import Found
    from embedviz.projection import Projection
    from pages._shared.sources.current import View


def show(
    view: View, found: Found, near: Neighborhood, shown: Projection, *, moving: bool, added: Sequence[str] = ()
) -> None:
    """Draw the nearest words of a word with their places on the map, and offer to add the missing ones.

    Args:
        moving: Whether the points still move; then no places are given.
        added: Words that were added to the map before.
    """
    space, word = view.space, near.words[0]
    states.panel(word, "Nearest in the space, not on the map")
    states.note(found.substitution, view.label(space.row(word)))
    looked = neighbors_compared(len(shown.rows))
    places = () if moving else projection.whereabouts(shown, space.index[word], near.rows, looked)
    neighbor_list(near, frame.choose_word, key="map-neighbors", places=places)
    low, _, high = near.percentiles
    states.note(
        f"{MARKS['near']} also near on the map: {places.count('near')} of {len(places)}. "
        f"{MARKS['elsewhere']} elsewhere on it. {MARKS['absent']} not drawn."
        if places
        else "",
        f"Tick: best match by chance, {number(near.shuffled_best)}." if near.shuffled_best is not None else "",
    )
    states.details(
        f"Near on the map: among the {looked} nearest points." if places else "",
        f"A random {space.noun} has cosine {number(near.mean)} (90\u00a0%: {number(low)} to {number(high)}).",
    )
    listed = (word, *(one.word for one in near.neighbors))
    absent = [each for each in listed if space.index[each] not in shown.position]
    with st.container(horizontal=True):
        if absent and absent != [word]:
            more = {"add": [*added, *absent]}
            st.button(
                f"Add all absent words to the map ({len(absent)})",
                icon=":material/add:",
                on_click=address.put,
                kwargs=more,
            )
        st.page_link("words/neighbors/page.py", label="Open in Neighbors", icon=":material/near_me:")
