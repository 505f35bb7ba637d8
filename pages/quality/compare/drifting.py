"""Drift on the page Compare: whether a classifier tells the rows of two spaces apart."""

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.geometry.comparison import Overlap
from embedviz.geometry.comparison.drift import Drift
from embedviz.shelf import shelf
from pages._shared.app import address, states
from pages._shared.results import calls, latest
from pages._shared.sources import spaces
from pages._shared.sources.current import View

DRIFT = "drift"
"""Name in the address: whether the visitor asked for the test for drift."""
EXAMPLE = ("histwords-1950", "histwords-1990")
"""Published spaces that show the test if the two spaces in use cannot be tested."""


def _example() -> dict[str, str]:
    """Return the query of an address that opens the two spaces of `EXAMPLE` and tests them for drift."""
    one, other = (f"shelf:{name}" for name in EXAMPLE)
    return {"space": one, spaces.ALSO: other, DRIFT: "yes"}


def section(view: View, other: spaces.Other, overlap: Overlap) -> None:
    """Offer the test for drift; draw its result with baselines, and how many words lost all neighbors."""
    states.panel("Did the vectors drift?", "One model, saved at two times: has it changed?")
    if view.space.dimensions != other.space.dimensions:
        states.note(
            "The test is for two versions of one model, with equally many dimensions. Here they have "
            f"{view.space.dimensions} and {other.space.dimensions}, so these are different models."
        )
        one, two = (shelf()[name].title for name in EXAMPLE)
        label = f"See an example: {one} and {two}"
        st.button(label, key="drift-example", on_click=lambda: address.put(**_example(), word=None))
        return
    if address.get(DRIFT) != "yes":
        st.button("Test for drift", key="test-drift", on_click=lambda: address.put(**{DRIFT: "yes"}))
        return
    question = call("embedviz.geometry.comparison.drift:drift", view.recipe, other.recipe)
    task = calls.task("drift", question)
    drawn = latest.finished(task, question, f"Testing {view.name} and {other.name} for drift.", "drift")
    if drawn is None:
        return
    found: Drift = drawn.value
    lost = f"{overlap.by_word} Click the bar at 0 above to see them." if overlap.histogram[0] else overlap.by_word
    states.meaning(f"{found.whole} {lost}")
    auc = number(float(found.permuted.mean()))
    looked = f"{len(overlap.looked):,} {overlap.shared.noun}s"
    rows = [
        (f"How well {found.rows:,} rows of each are told apart (AUC)", number(found.auc), auc),
        (f"Neighbors kept, of {overlap.k} ({looked})", overlap.within, share(overlap.chance)),
    ]
    states.table(("", "here", "chance"), rows)
    states.details(found.note)
