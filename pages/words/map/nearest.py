"""The list of nearest words next to a map, with their places on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embedviz import projection
from embedviz.core.phrases import counted, cut, listing, number
from embedviz.projection.quality import neighbors_compared
from pages._shared.app import address, frame, states
from pages._shared.output.wordlist import MARKS, neighbor_list

if TYPE_CHECKING:
    from embedviz.neighbors import Neighborhood
    from embedviz.neighbors.lookup import Found
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap

NAMED = 6
"""Points near a word on the map only that are named."""


def show(
    view: View,
    found: Found,
    near: Neighborhood,
    drawn: DrawnMap,
    *,
    added: Sequence[str] = (),
    which: str = "the map",
    other: tuple[DrawnMap, str] | None = None,
) -> None:
    """Draw the nearest words of a word with their places on the map, and offer to add the missing ones.

    While the points still move, no places are given.

    Args:
        added: Words that were added to the map before.
        which: What the map is called; of two maps, which one it is.
        other: The second map of the same space, and what it is called.
    """
    space, word, projected, moving = view.space, near.words[0], drawn.projected, bool(drawn.making.stream)
    states.panel(word, "Nearest in the space, not on the map")
    states.note(found.substitution, view.label(space.row(word)))
    looked = neighbors_compared(len(projected.rows))
    places = () if moving else projection.whereabouts(projected, space.index[word], near.rows, looked)
    neighbor_list(near, frame.choose_word, key="map-neighbors", places=places)
    low, _, high = near.percentiles
    states.note(
        f"{MARKS['near']} also among the {looked} points nearest to it on {which}: {places.count('near')} of "
        f"{len(places)}. {MARKS['elsewhere']} farther away on it. {MARKS['absent']} not drawn."
        if places
        else "",
        "" if other is None else own_share(view, other[0], near, other[1]),
        near.tick,
    )
    both = [(drawn, which), *([other] if other else [])]
    if only := " ".join(filter(None, (_only_here(view, each, word, name) for each, name in both))):
        chance = looked * (1 - looked / (len(projected.rows) - 1))
        states.note(only, f"If the points were scattered at random, about {chance:.0f} of {looked} would not be.")
    states.details(
        f"A random {space.noun} has cosine {number(near.mean)} (90\u00a0%: {number(low)} to {number(high)}).",
        near.method,
    )
    listed = (word, *(one.word for one in near.neighbors))
    absent = [each for each in listed if space.index[each] not in projected.position]
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


def own_share(view: View, drawn: DrawnMap, near: Neighborhood | None, which: str = "this map") -> str:
    """Say how many of the nearest words of the word in use are near it on a map; empty where it is not drawn."""
    space, projected = view.space, drawn.projected
    if near is None or drawn.making.stream or space.index[near.words[0]] not in projected.position:
        return ""
    row, looked = space.index[near.words[0]], neighbors_compared(len(projected.rows))
    count = projection.whereabouts(projected, row, near.rows, looked).count("near")
    label = cut(view.label_or_word(near.words[0]), 40)
    listed = counted(len(near.rows), f"nearest {space.noun}")
    return f"{count} of the {listed} of “{label}” {_are(count)} near it on {which}."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _only_here(view: View, drawn: DrawnMap, word: str, which: str) -> str:
    """Name the points that are near a word on the map only."""
    projected, count = drawn.projected, len(drawn.strangers)
    if not count:
        return ""
    looked = neighbors_compared(len(projected.rows))
    names = [(projected.labels or projected.words)[place] for place in drawn.strangers.tolist()]
    label = cut(view.label_or_word(word), 40)
    return (
        f"On {which}, {count} of the {looked} points nearest to {label} {_are(count)} not among its {looked} nearest "
        f"{view.space.noun}s in the space (dashed rings): {listing(names, NAMED)}."
    )
