"""What the page Timeline shows of a word: its figures, and its nearest words step by step."""

from __future__ import annotations

import streamlit as st

from embedviz.core.phrases import number, share
from embedviz.figures.comparison import path_figure, steps_figure
from embedviz.geometry.comparison import Timeline
from pages._shared.app import frame, states
from pages._shared.output import figure
from pages._shared.output.wordlist import Row, wordlist
from pages._shared.sources.current import View

ABREAST = 5


def columns(found: Timeline) -> None:
    """Draw the nearest words at each step, side by side."""
    for start in range(0, len(found.steps), ABREAST):
        row = found.steps[start : start + ABREAST]
        for place, (column, step) in enumerate(
            zip(st.columns(ABREAST if start else len(row)), row, strict=False), start
        ):
            with column:
                if step.missing:
                    states.panel(step.name, f"{found.word} is {step.missing}", level=3)
                    continue
                listed = [Row(one.word, max(0.0, one.similarity), number(one.similarity)) for one in step.neighbors]
                states.panel(step.name, f"Of {step.among:,} words", level=3)
                title = f"Nearest to {found.word} in {step.name}"
                wordlist(title, listed, ("word", "cosine", ""), frame.choose_word, key=f"step-{place}", quiet=True)


def figures(view: View, found: Timeline) -> None:
    """Draw the word's cosine with itself and the neighbors it keeps, step by step; its path beside them."""
    measures, path_column = st.columns([1, 1.15], gap="medium")
    with measures:
        states.panel(
            f"Is “{found.word}” still itself?", f"Cosine with itself in {found.first}, after a rotation", level=3
        )
        figure.plotly(steps_figure(found, "cosine", view.theme, phone=view.phone), "timeline-plot")
        nearest = found.compared[-1].of
        under = f"Of its {nearest} nearest in {found.first}, the share it keeps"
        states.panel("Does it keep its neighbors?", under, level=3)
        figure.plotly(steps_figure(found, "overlap", view.theme, phone=view.phone), "timeline-kept")
    with path_column:
        if found.path is None:
            return
        last = found.present[-1].name
        states.panel("Its path", f"Grey words stand where {last} has them", level=3)
        figure.plotly(path_figure(found.path, found.word, view.theme, phone=view.phone), "timeline-path")
        states.note(
            f"Grey: its nearest words at every step. {found.word} is carried to {last} by a rotation fitted on "
            f"{found.path.shared:,} shared words{' or more' if len(found.present) > 2 else ''}.",
            f"The plane holds {share(sum(found.path.variance))} of their variance: gaps may mislead.",
        )
