"""The list of nearest words next to a map, with their places on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embedviz import projection
from embedviz.core.phrases import counted, cut, joined, listing, number
from embedviz.projection.quality import neighbors_compared
from pages._shared.app import address, frame, states
from pages._shared.output.wordlist import MARKS, neighbor_list

if TYPE_CHECKING:
    from embedviz.core.space import Ints
    from embedviz.neighbors import Neighborhood
    from embedviz.neighbors.lookup import Found
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap

NAMED = 6
"""Maximum number of points that a sentence names, of the points near a word on the map but not in the space."""


def show(
    view: View, found: Found, near: Neighborhood, maps: Mapping[str, DrawnMap], *, added: Sequence[str] = ()
) -> None:
    """Draw the nearest words of a word with their places on the map, and offer to add words that are not on the map.

    While the points of the map still move, no places are given.

    Args:
        maps: The maps of the space by their titles; the first is the map in use.
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
    here = {name: (each, each.strangers) for name, each in still.items() if each.strangers is not None}
    label = f"“{cut(view.label_or_word(word), 40)}”"
    states.note(_true_neighbors(here, looked, label, space.noun))
    neighbor_list(near, frame.choose_word, key="map-neighbors", places=places)
    low, _, high = near.percentiles
    marks = f"{MARKS['near']} among the {looked} points nearest to {label} · {MARKS['elsewhere']} farther away · "
    states.note(f"{marks}{MARKS['absent']} not drawn." if places else "", near.tick)
    states.note(_false_neighbors(here))
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
    """Return a sentence: how many of a word's nearest words are near the word on the map.

    Empty if the map does not draw the word, or while its points move.
    """
    space, projected = view.space, drawn.projected
    if near is None or drawn.making.stream or space.index[near.words[0]] not in projected.position:
        return ""
    row, looked = space.index[near.words[0]], neighbors_compared(len(projected.rows))
    count = projection.whereabouts(projected, row, near.rows, looked).count("near")
    label = cut(view.label_or_word(near.words[0]), 40)
    listed = counted(len(near.rows), f"nearest {space.noun}")
    return f"{count} of the {listed} of “{label}” {'is' if count == 1 else 'are'} near it on this map."


def _true_neighbors(maps: Mapping[str, tuple[DrawnMap, Ints]], looked: int, label: str, noun: str) -> str:
    """Return a sentence: how many of the points nearest to a word on each map are also near the word in the space.

    Empty if `maps` is empty.

    Args:
        maps: By title, each map and its false neighbors of the word.
    """
    if not maps:
        return ""
    counts = joined([f"{looked - len(strangers)} on {name}" for name, (_, strangers) in maps.items()])
    drawn = len(next(iter(maps.values()))[0].projected.rows)
    return (
        f"Among the {looked} points nearest to {label}, true neighbors (its {looked} nearest of the {noun}s drawn) are "
        f"{counts}; at random places, about {looked**2 / (drawn - 1):.0f}."
    )


def _false_neighbors(maps: Mapping[str, tuple[DrawnMap, Ints]]) -> str:
    """Return a sentence with the names of the points that are near a word on a map, but not in the space.

    Empty without such points.
    """
    named = [f"on {name} {_names(each, strangers)}" for name, (each, strangers) in maps.items() if len(strangers)]
    return f"Dashed rings mark the other points: {'; '.join(named)}." if named else ""


def _names(drawn: DrawnMap, places: Ints) -> str:
    projected = drawn.projected
    return listing([(projected.labels or projected.words)[place] for place in places.tolist()], NAMED)
