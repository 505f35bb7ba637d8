"""The effect of a correction on tests and on neighbors."""

import streamlit as st

from embedviz.core.phrases import share
from embedviz.evaluation.outcome import CorrectionOutcome
from pages._shared.app import states
from pages._shared.sources.current import View

_AMONG = 5_000  # number of first words among which the most changed ones are listed


def effect(view: View, done: CorrectionOutcome) -> None:
    """Draw the effect of the correction on tests and on neighbors."""
    among = min(len(view.space), _AMONG)
    left, right = st.columns(2, gap="large")
    with left:
        states.panel(
            "Are test results better?",
            "Difference: corrected minus uncorrected, with its 95\u00a0% interval",
            3,
        )
        rows = [one.line for one in done.tests]
        if rows:
            states.explained(("uncorrected", "corrected", "difference"), rows, strong=2)
        states.note("Only tests with enough words of this space." if rows else done.meaning)
    with right:
        states.panel(
            "Do words keep their neighbors?", f"Share kept of the {done.overlap.k} nearest, 95\u00a0% interval", 3
        )
        most = 1 if view.phone else 3
        overlap = done.overlap
        states.table(("", "here", "two unrelated spaces"), [("mean", overlap.within, share(overlap.chance))], 1)
        moved = [
            (one.word, share(one.overlap), ", ".join(one.lost[:most]), ", ".join(one.new[:most]))
            for one in overlap.changed(5, among=among)
            if one.lost
        ]
        if moved:
            states.table(("changed most", "kept", "lost", "new"), moved, texts=(2, 3))
        states.note(
            f"Changed most: of the first {among:,} {view.space.noun}s." if moved else "",
            overlap.baseline,
        )
