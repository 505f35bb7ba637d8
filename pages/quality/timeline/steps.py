"""One word on the page Timeline: its figures, and its nearest words in each space."""

from collections.abc import Sequence

import streamlit as st

from embedviz.core.call import Call
from embedviz.core.phrases import number, share
from embedviz.figures.comparison import path_figure, steps_figure
from embedviz.geometry.comparison import Timeline
from pages._shared.app import frame, states
from pages._shared.output import export, figure
from pages._shared.output.wordlist import WordRow, wordlist
from pages._shared.sources.current import View

ABREAST = 5


def columns(found: Timeline) -> None:
    """Draw the word's nearest words, with one column for each space."""
    for start in range(0, len(found.steps), ABREAST):
        row = found.steps[start : start + ABREAST]
        for place, (column, step) in enumerate(
            zip(st.columns(ABREAST if start else len(row)), row, strict=False), start
        ):
            with column:
                if step.missing:
                    states.panel(step.name, f"{found.word} is {step.missing}", level=3)
                    continue
                listed = [WordRow(one.word, max(0.0, one.similarity), number(one.similarity)) for one in step.neighbors]
                states.panel(step.name, step.searched, level=3)
                title = f"Nearest to {found.word} in {step.name}"
                wordlist(title, listed, ("word", "cosine"), frame.choose_word, key=f"step-{place}", quiet=True)


def path(view: View, found: Timeline) -> None:
    """Draw the path of the word among its neighbors."""
    if found.path is None:
        return
    last = found.present[-1].name
    about = f"Blue: “{found.word}” in each space. Grey: words near it in one of the spaces, placed by {last}"
    states.panel(f"Where did “{found.word}” go?", about, level=3)
    figure.plotly(path_figure(found.path, found.word, view.theme, phone=view.phone), "timeline-path")
    states.note(
        f"This flat map shows {share(sum(found.path.variance), fine=True)} of the variance of these points, so "
        "distances may mislead."
    )


def measures(view: View, found: Timeline, *, lasting: bool) -> None:
    """Draw how far the word in each space is from the first space: cosine and neighbors kept, next to all words.

    Args:
        lasting: Whether the list of words is sorted by lasting change, which is another measure.
    """
    about = "A second comparison. The list of words and the answer above do not use it" if lasting else ""
    states.panel(f"Step by step: each space compared with {found.first}", about)
    left, right = st.columns(2, gap="large")
    with left:
        states.panel(
            "How far did it move?",
            f"Cosine of its vectors in {found.first} and in each space, after a rotation that aligns the two spaces",
            level=3,
        )
        figure.plotly(steps_figure(found, "cosine", view.theme, phone=view.phone), "timeline-plot")
    with right:
        nearest = found.compared[-1].of
        states.panel("Does it keep its neighbors?", f"Share of its {nearest} nearest in {found.first}", level=3)
        figure.plotly(steps_figure(found, "overlap", view.theme, phone=view.phone), "timeline-kept")
    states.note("Blue: the word. Grey: the middle 90\u00a0% of all words, with their median.")


def export_row(found: Timeline, calls: Sequence[Call], space: str, answer: str) -> None:
    """Draw the row of export buttons. An exported picture includes the sentences of the page."""
    picture = "plot:timeline-path" if found.path is not None else "plot:timeline-plot" if found.compared else None
    export.export_row(
        key="timeline",
        picture=picture,
        table=found.table,
        filename=f"timeline-{found.word}",
        calls=calls,
        note={
            "title": f"“{found.word}” from {found.steps[0].name} to {found.steps[-1].name}",
            "space": space,
            "meaning": answer,
            "what": f"Grey: words near it in one of the spaces, placed by {found.present[-1].name}. "
            "Blue: the word, rotated onto that space.",
            "baseline": " ".join(part for part in (found.baseline, found.absent, found.frequency) if part),
        },
    )
