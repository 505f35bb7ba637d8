"""The nearest words beside a map, and which of them lie near on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embedviz import projection
from embedviz.core.phrases import number
from embedviz.projection.quality import neighbors_looked_at
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
    """Draw the list of a word's nearest with their places on the map, and offer to add those that are missing there.

    Args:
        moving: Whether the points still move, so that nothing is near on the map.
        added: Words that were added to the map before.
    """
    space, word = view.space, near.words[0]
    states.panel(word, "Nearest in the space, not as drawn")
    states.note(view.label(space.row(word)))
    looked = neighbors_looked_at(len(shown.rows))
    places = () if moving else projection.whereabouts(shown, space.index[word], near.rows, looked)
    neighbor_list(near, frame.choose_word, key="map-neighbors", places=places)
    low, _, high = near.percentiles
    states.note(
        f"{word} itself is not on this map." if space.row(word) not in shown.position else "",
        f"{MARKS['near']} among the {looked} nearest on the map: {places.count('near')} of {len(places)}. "
        f"{MARKS['elsewhere']} elsewhere on it. {MARKS['absent']} not on it."
        if places
        else "",
        f"A random {space.noun}: {number(near.mean)} (90\u00a0%: {number(low)} to {number(high)}).",
        f"Tick: best match by chance, {number(near.shuffled_best)}." if near.shuffled_best is not None else "",
        "The word was found in its composed form (Unicode NFC)." if found.normalised else "",
    )
    listed = (word, *(one.word for one in near.neighbors))
    absent = [each for each in listed if space.index[each] not in shown.position]
    with st.container(horizontal=True):
        if absent:
            more = {"add": [*added, *absent]}
            st.button(f"Add these to the map ({len(absent)})", icon=":material/add:", on_click=address.put, kwargs=more)
        st.page_link("words/neighbors.py", label="How near is near?", icon=":material/near_me:")
