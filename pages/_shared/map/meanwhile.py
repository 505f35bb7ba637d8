"""The map that is drawn until the requested map is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import Call
from pages._shared.map import questions
from pages._shared.map.questions import options_of, words_of
from pages._shared.map.ready import estimated, quick_map, row_of

if TYPE_CHECKING:
    from embedviz.projection import Projection
    from pages._shared.sources.current import View

_SEEN = "maps:seen"


def remember(what: Call, slot: str) -> None:
    """Record the last map that this visitor saw, for a slot (a place on a page for one map)."""
    st.session_state[f"{_SEEN}:{slot}"] = what


def another(view: View, what: Call, slot: str, *, moving: bool) -> tuple[Projection | None, Call]:
    """Return a map to draw until the requested map is ready, and the call of this map.

    Two maps are tried in this order: the visitor's last map of this space, then PCA of the requested words. A map is
    used if it is ready or quick to compute. If neither can be used, return None and the call of PCA.

    Args:
        what: The call of the requested map.
        slot: The place on the page.
        moving: Whether the points will move to the requested map. If they will, and the last map has other words or
            another number of dimensions, PCA is tried first.
    """
    other = questions.drawn(words_of(what), "pca", {"components": options_of(what)["components"]})
    seen: Call | None = st.session_state.get(f"{_SEEN}:{slot}")
    candidates = [other]
    if seen is not None and seen.value("space") == what.value("space"):
        candidates.insert(1 if moving and not _alike(seen, what) else 0, seen)
    for candidate in candidates:
        quick = quick_map(candidate, estimated(view, candidate))
        if quick is not None:
            return quick, candidate
    return None, other


def _alike(one: Call, other: Call) -> bool:
    """Return whether two maps show the same words in the same number of dimensions."""
    components = [options_of(each)["components"] for each in (one, other)]
    return words_of(one) == words_of(other) and components[0] == components[1]


def moves(drawn: Call, what: Call) -> bool:
    """Return whether the points of the map `drawn` can move to the requested map `what` while a job computes it."""
    return row_of(what).free and _alike(drawn, what)
