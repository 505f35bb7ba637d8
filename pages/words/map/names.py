"""The names of the classes on the Map page, as the visitor changes them; the address holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.projection.naming import named
from pages._shared.app import address, states, widget_keys
from pages._shared.app.escape import plain

if TYPE_CHECKING:
    from embedviz.projection.coloring import Coloring
    from pages.words.map.paint import Paint

NAME = "names"
"""Name in the address: a JSON object of labels and the names given to them."""
_LONGEST = 60
_MOST = 4_000
"""Maximum number of characters of the names in the address; longer texts are ignored."""


def given() -> dict[str, str]:
    """Return the names that the address gives to classes, by the label of the class; empty without such names."""
    text = address.get(NAME)
    try:
        found = json.loads(text) if text and len(text) <= _MOST else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {label: name[:_LONGEST] for label, name in found.items() if isinstance(name, str)}


def applied(paint: Paint) -> Paint:
    """Return the colors of a map, with its classes renamed as the address says."""
    if paint.color is None:
        return paint
    return replace(paint, color=named(paint.color, given()), unnamed=paint.color)


def lines(color: Coloring | None) -> dict[str, str]:
    """Return a mapping with the line under a figure about classes that were named by hand.

    Its key is "names". The mapping is empty if no class was named by hand.
    """
    _, found, changes = (color.note if color is not None else "").partition("Named by hand: ")
    return {"names": found + changes} if found else {}


def control(unnamed: Coloring | None) -> None:
    """Draw the button that opens a box for the name of each class."""
    if unnamed is None or unnamed.kind not in ("category", "ordered"):
        return
    names = given()
    drawn_as: dict[str, Any] = {"icon": ":material/label:", "type": "tertiary", "width": "content"}
    with st.popover("Names", key="map-names", on_change="rerun", **drawn_as) as box:
        if not box.open:
            return  # a click on the map does not draw a field for each class
        states.note("Rename a class, or clear its name to hide it. Classes of an equal name become one.")
        for place, label in enumerate(unnamed.labels):
            tied = widget_keys.tie(f"class-name-{place}", names.get(label, label), partial(_write, label))
            st.text_input(plain(label, 40), max_chars=_LONGEST, placeholder="hidden", **tied)
        if any(label in names for label in unnamed.labels):
            st.button("Original names", key="class-names-gone", type="tertiary", on_click=_put, args=({},))


def _write(label: str, typed: str) -> None:
    """Write the name that was typed for a class into the page's address."""
    names = {**given(), label: " ".join(typed.split())}
    _put({one: each for one, each in names.items() if one != each})


def _put(names: Mapping[str, str]) -> None:
    address.put(**{NAME: json.dumps(dict(names), ensure_ascii=False) if names else None})
