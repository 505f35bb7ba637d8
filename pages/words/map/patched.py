"""The list of patches on the Map page: whether each exists in the space, and how much of it stays over several runs."""

from typing import Any

import numpy as np
import streamlit as st

from embedviz.core.options import Parameter
from embedviz.projection.coloring import COLORINGS, MapColoring
from embedviz.projection.quality.patches import EXISTS, UNCERTAIN
from pages._shared.app import address
from pages._shared.map import questions
from pages._shared.results import calls
from pages.words.map.drawn import DrawnMap

EXIST, STAY = "patches", "stays"
"""Names of the colorings by patches: whether a patch exists in the space; whether it stays over several runs."""
_OVER = {"seed": "overlap over 5 seeds", "sample": "overlap over 5 samples"}
EXPLAINED = {
    "separation": "Mean silhouette of its vectors in the space, against the nearest other patch.",
    "copies: at most": "The separation that patches of structureless copies stay below in 95\u00a0% of maps.",
}
"""Explanations of the columns of the list."""
_OFFERED = {"seed": "Do they stay over 5 seeds?", "sample": "Do they stay over samples of the rows?"}


def columns(drawn: DrawnMap) -> dict[str, list[Any]]:
    """Return columns to add to the list of patches: title → values. Empty if patches do not color the map.

    Each column is a measure of the patches. Measures that are not in memory, and the measure that colors the map, are
    left out.
    """
    name, labels = drawn.by.name, getattr(drawn.colors.measured, "labels", None)
    if name not in (EXIST, STAY) or labels is None:
        return {}
    found: dict[str, list[Any]] = {}
    exist = _known(drawn, EXIST, {}) if name == STAY else None
    if exist is not None and np.array_equal(exist.labels, labels):
        found["in the space"] = [EXISTS if each else UNCERTAIN for each in exist.exist]
    here = address.get(f"{STAY}_over") or "seed" if name == STAY else ""
    for over, title in _OVER.items():
        runs = _known(drawn, STAY, {"over": over}) if over != here else None
        if runs is not None and np.array_equal(runs.labels, labels):
            found[title] = runs.means.tolist()
    return found


def offers(drawn: DrawnMap) -> None:
    """Draw buttons that color the map by another measure of its patches.

    Draw none if the map is not colored by such a measure.
    """
    if drawn.by.name not in (EXIST, STAY):
        return
    seeded = any(isinstance(option, Parameter) and option.name == "seed" for option in drawn.method.options)
    here = (address.get(f"{STAY}_over") or "seed") if drawn.by.name == STAY else ""
    with st.container(horizontal=True, key="patches-offers"):
        if here:
            wanted: dict[str, Any] = {"color": EXIST}
            label = "Which patches exist in the space?"
            st.button(label, key="patches-exist", type="tertiary", on_click=address.put, kwargs=wanted)
        for over, label in _OFFERED.items():
            if over != here and (seeded or over != "seed"):
                wanted = {"color": STAY, f"{STAY}_over": over}
                st.button(label, key=f"patches-{over}", type="tertiary", on_click=address.put, kwargs=wanted)


def _known(drawn: DrawnMap, name: str, options: dict[str, Any]) -> Any:
    """Return the result from which the coloring `name` of the map is made; None if it is not in memory."""
    row = COLORINGS[name]
    assert isinstance(row, MapColoring)  # noqa: S101 - both are
    return calls.known(questions.measured(drawn.making.drawn, row, options))
