"""Guests on the Map page: words that are not drawn, placed on the finished map by their neighbors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz import projection
from embedviz.core.call import Call, call
from embedviz.core.phrases import counted
from embedviz.projection.guests import Guests
from pages._shared.app import address
from pages._shared.app.escape import escape
from pages._shared.map.questions import map_arguments
from pages._shared.results import calls

if TYPE_CHECKING:
    from pages._shared.sources.current import View
    from pages.words.map.drawn import DrawnMap

NAME = "guest"
"""Name in the address: the words, one by one."""
MOST = 50_000
"""Points of a map up to which guests are placed at once."""


def guest_question(view: View, drawn: DrawnMap) -> Call | None:
    """Return the call that places the guests of the address; None without any, and while the points move."""
    index, position = view.space.index, drawn.projected.position
    rows = [index[word] for word in address.get_list(NAME) if word in index and index[word] not in position]
    if not rows or drawn.making.stream or len(drawn.projected.rows) > MOST:
        return None
    what = drawn.making.drawn
    space, projected, method, options = map_arguments(what)
    metric = projection.metric_of(method, options)
    return call("embedviz.projection.guests:guests", space, projected, what.part("points"), tuple(rows), metric=metric)


def placed(view: View, drawn: DrawnMap) -> Guests | None:
    """Return the guests of a map, or None."""
    question = guest_question(view, drawn)
    found: Guests | None = calls.result(question) if question is not None else None
    return found


def marks(view: View, drawn: DrawnMap) -> list[dict[str, Any]]:
    """Return the guests as a map takes them."""
    found = placed(view, drawn)
    if found is None:
        return []
    return [
        {"word": view.label_or_word(word), "at": at}
        for word, at in zip(found.words, found.points.tolist(), strict=True)
    ]


def offer(word: str) -> None:
    """Offer to place a word that is not drawn, and to take all guests away."""
    guests = address.get_list(NAME)
    if word not in guests:
        label = f"Place {escape(word, 30)} as a guest"
        st.button(label, icon=":material/person_pin_circle:", on_click=address.put, kwargs={NAME: [*guests, word]})
    else:
        label = f"Remove {counted(len(guests), 'guest')}"
        st.button(label, type="tertiary", key="guests-gone", on_click=address.put, kwargs={NAME: None})
