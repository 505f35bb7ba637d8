"""The panel next to the map of a run: the loss and the tests of its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.figures.training import HEIGHT, LOW, curve_figure
from pages._shared.app import states
from pages._shared.output.figure import plotly
from pages._shared.results import work
from pages.make.train import moving, nearest, resting
from pages.make.train.run import Run
from pages.make.train.settings import same_task

if TYPE_CHECKING:
    from embedviz.training import Course
    from pages._shared.sources.current import View

PAGES = (
    ("Open the map", "words/map/page.py", "scatter_plot"),
    ("Neighbors", "words/neighbors/page.py", "near_me"),
    ("Analogy", "words/analogy/page.py", "change_history"),
)
"""The pages that open the space of a run."""
_AGAIN = 1.0  # seconds between two updates of the panel


def picture(view: View, run: Run, last: Run | None, watched: str, choose: Callable[[str], None]) -> None:
    """Draw the map of a run's words: moving points during the run, and afterwards the map of the trained space.

    Args:
        last: The previous run; its map stays until the words of `run` begin to move.
        watched: The word to mark, with its nearest words.
        choose: Called with a word that was clicked.
    """
    if run.running:
        st.fragment(_moving, run_every=work.POLL)(view, run, last, watched, choose)
    else:
        with st.container():  # a container, as a fragment has one, so that the browser keeps the map
            resting.draw(view, run, watched, choose)


def _moving(view: View, run: Run, last: Run | None, watched: str, choose: Callable[[str], None]) -> None:
    if last is not None and not run.course.moments:
        resting.draw(view, last, watched, choose)
    else:
        moving.moved(run, watched, choose)


def panel(view: View, run: Run, last: Run | None, watched: str, choose: Callable[[str], None]) -> None:
    """Draw the loss, the tests and the nearest words; update them during the run.

    Args:
        last: The previous run, whose loss is drawn too if it can be compared.
    """
    if run.running:
        st.fragment(_panel, run_every=_AGAIN)(view, run, last, watched, choose)
    else:
        with st.container():
            _panel(view, run, last, watched, choose)


def _panel(view: View, run: Run, last: Run | None, watched: str, choose: Callable[[str], None]) -> None:
    course, watched = run.course, nearest.marked_word(run, watched)
    _measures(view, run, course, last)
    nearest.section(view, run, course, watched, choose)


def _measures(view: View, run: Run, course: Course, last: Run | None) -> None:
    """Draw the loss by epoch, and a table with the latest result of each test of the word vectors."""
    states.panel("Loss" if "loss" in course.curves else "Tests of the words")
    loss, other = course.curves.get("loss"), last.course.curves.get("loss") if last is not None else None
    same = other is not None and last is not None and same_task(run.settings, last.settings)
    if loss is not None:
        figure = curve_figure(
            loss,
            view.theme,
            epochs=course.epochs,
            other=other if same else None,
            other_name="previous run" if same else "",
            height=HEIGHT,
        )
        plotly(figure, "train-loss")
    elif run.running and not course.moments:
        states.note("No measurement yet.")
    if table := course.table(at=run.running):
        states.table(("", "last" if run.running else "here", "baseline", ""), table, strong=1, texts=(3,))
    if loss is not None and other is not None and not same:
        states.note("The previous run learned another task, so its loss cannot be compared.")
    states.details(course.coverage)


def test_curves(view: View, course: Course, last: Run | None) -> None:
    """Draw the results of the word tests by epoch; add those of the previous run if its tests were the same."""
    drawn = [name for name in ("analogies", "similarity") if name in course.curves]
    drawn = [name for name in drawn if len(course.curves[name].values) > 1]
    if not drawn:
        return
    before = last.course if last is not None else None
    same = before is not None and before.tested._replace(watched=()) == course.tested._replace(watched=())
    for place, name in zip(st.columns(len(drawn), gap="medium"), drawn, strict=True):
        other = before.curves.get(name) if before is not None and same else None
        with place:
            unit = "share correct" if name == "analogies" else "Spearman’s ρ with human scores"
            states.panel(course.titles[name], unit, 3)
            figure = curve_figure(
                course.curves[name],
                view.theme,
                epochs=course.epochs,
                other=other,
                other_name="previous run",
                height=LOW,
            )
            plotly(figure, f"train-{name}")
