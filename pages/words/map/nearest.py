"""The list of nearest words next to a map, with their places on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    view: View, found: Found, near: Neighborhood, maps: Mapping[str, DrawnMap], *, added: Sequence[str] = ()
) -> None:
    """Draw the nearest words of a word with their places on the map, and offer to add the missing ones.

    While the points of the map still move, no places are given.

    Args:
        maps: The maps of the space by what they are called; the first is the one in use.
        added: Words that were added to the map before.
    """
    space, word = view.space, near.words[0]
    (drawn, *_), row = maps.values(), space.index[word]
    projected = drawn.projected
    states.panel(word, f"Nearest in all {space.dimensions:,} dimensions")
    states.note(found.substitution, view.label(space.row(word)))
    looked = neighbors_compared(len(projected.rows))
    still = {} if drawn.making.stream else {name: each for name, each in maps.items() if not each.making.stream}
    places = {name: projection.whereabouts(each.projected, row, near.rows, looked) for name, each in still.items()}
    alone = next(iter(places.values())) if len(places) == 1 else None
    count = f": {alone.count('near')} of {len(alone)}" if alone else ""
    marks = f"{MARKS['near']} among the {looked} points nearest to {_label(view, near)}{count} · "
    states.note(f"{marks}{MARKS['elsewhere']} farther away · {MARKS['absent']} not drawn." if places else "", near.tick)
    states.note("" if alone else _counted(view, near, places))
    neighbor_list(near, frame.choose_word, key="map-neighbors", places=places)
    low, _, high = near.percentiles
    states.note(_false(maps, looked, len(projected.rows), _label(view, near), space.noun))
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


def own_share(view: View, drawn: DrawnMap, near: Neighborhood | None) -> str:
    """Say how many of the nearest words of the word in use are near it on a map; empty where it is not drawn."""
    space, projected = view.space, drawn.projected
    if near is None or drawn.making.stream or space.index[near.words[0]] not in projected.position:
        return ""
    row, looked = space.index[near.words[0]], neighbors_compared(len(projected.rows))
    return _counted(view, near, {"this map": projection.whereabouts(projected, row, near.rows, looked)})


def _counted(view: View, near: Neighborhood, places: Mapping[str, Sequence[str]]) -> str:
    """Say how many of the nearest words are near the word on each map."""
    if not places:
        return ""
    (first, near_first), *others = ((name, found.count("near")) for name, found in places.items())
    more = "".join(f", {count} on {name}" for name, count in others)
    listed = counted(len(near.rows), f"nearest {view.space.noun}")
    verb = "is" if near_first == 1 else "are"
    return f"{near_first} of the {listed} of {_label(view, near)} {verb} near it on {first}{more}."


def _label(view: View, near: Neighborhood) -> str:
    return f"“{cut(view.label_or_word(near.words[0]), 40)}”"


def _false(maps: Mapping[str, DrawnMap], looked: int, drawn: int, label: str, noun: str) -> str:
    """Name the points of each map that are near a word there only; empty where there are none."""
    if not any(len(each.strangers) for each in maps.values()):
        return ""
    found = "; ".join(_only_here(each, name) for name, each in maps.items())
    chance = looked * (1 - looked / (drawn - 1))
    return (
        f"False neighbors (dashed rings): among the {looked} points nearest to {label}, but not among its {looked} "
        f"nearest {noun}s. {found[0].upper()}{found[1:]}. At random places: about {chance:.0f}."
    )


def _only_here(drawn: DrawnMap, which: str) -> str:
    """Count and name the points that are near a word on a map only."""
    projected, places = drawn.projected, drawn.strangers.tolist()
    names = listing([(projected.labels or projected.words)[place] for place in places], NAMED)
    return f"on {which} {len(places)} ({names})" if places else f"on {which} none"
