"""The panel beside the map of a run: the loss, the tests of its words, and the nearest words of one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.catalog import Recipe
from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.corpus.preparing import TEACHING
from embedviz.figures.training import HEIGHT, LOW, curve_figure
from pages._shared.app import address, states
from pages._shared.output.figure import plotly
from pages._shared.output.wordlist import Row, neighbor_list, wordlist
from pages._shared.results import cache, calls
from pages.make.train import runs
from pages.make.train.trainer import OFTEN

if TYPE_CHECKING:
    from embedviz.training import Course
    from pages._shared.sources.current import View

FORMULA, EXPECTED = "king - man + woman", "queen"
_SUMMED = ("king", "man", "woman")
PAGES = (
    ("Open the map", "words/map/page.py", "scatter_plot"),
    ("Neighbors", "words/neighbors.py", "near_me"),
    ("Analogy", "words/analogy/page.py", "change_history"),
    ("Trajectory", "make/trajectory/page.py", "animation"),
)
"""Where the space that came of a run can be looked at."""
K = 8
HUDDLED = 0.5
"""Mean cosine of a word with all others, from which on a near word says little."""
_AGAIN = 1.0  # seconds between two looks at what is measured


def panel(view: View, run: runs.Run, last: runs.Run | None, watched: str, choose: Callable[[str], None]) -> None:
    """Draw the loss, the tests of the words, and the nearest of the word watched; again and again while a run goes on.

    Args:
        last: The run before, whose loss is drawn beside this one's.
    """
    if run.running:
        st.fragment(_panel, run_every=_AGAIN)(view, run, last, watched, choose)
    else:
        with st.container():
            _panel(view, run, last, watched, choose)


def _panel(view: View, run: runs.Run, last: runs.Run | None, watched: str, choose: Callable[[str], None]) -> None:
    course, watched = run.course, marked_word(run, watched)
    _measures(view, run, course, last)
    _nearest(view, run, course, watched, choose)


def marked_word(run: runs.Run, watched: str) -> str:
    """Return the word in use, where a run has a row for it; else the one that is watched."""
    word, settings = address.get("word"), run.settings
    if settings is None or not word:
        return word or watched
    return word if cache.corpus(settings.corpus).index.get(word, settings.rows) < settings.rows else watched


def _measures(view: View, run: runs.Run, course: Course, last: runs.Run | None) -> None:
    """Draw the loss from pass to pass, and the table of what was measured last."""
    states.panel("Loss" if "loss" in course.curves else "What they know")
    loss, other = course.curves.get("loss"), last.course.curves.get("loss") if last is not None else None
    same = other is not None and last is not None and runs.same_task(run, last)
    if loss is not None:
        plotly(
            curve_figure(
                loss,
                view.theme,
                epochs=course.epochs,
                other=other if same else None,
                other_name="last run" if same else "",
                height=HEIGHT,
            ),
            "train-loss",
        )
    elif run.running and not course.moments:
        states.note("Nothing is measured yet.")
    if table := course.table(at=run.running):
        states.table(("", "last" if run.running else "here", "beside", ""), table, strong=1, texts=(3,))
    if loss is not None and other is not None and not same:
        states.note("The loss of the run before is of another task, such as other guesses; the two do not compare.")
    if course.coverage:
        states.note(course.coverage)


def _nearest(view: View, run: runs.Run, course: Course, watched: str, choose: Callable[[str], None]) -> None:
    """List what is nearest to the word watched: words alone while they move, with cosines and a baseline at rest."""
    if not watched:
        return
    if run.running:
        near = course.nearest.get(watched)
        if near and course.looked is not None and not course.looked.epoch:
            states.panel(watched, "Nothing is learned yet, so nothing is near")
        elif near and course.looked is not None:
            states.panel(watched, f"Nearest in the space at pass {course.looked.epoch:.3g}")
            listed = [Row(word) for word in near[:K]]
            wordlist(f"Nearest to {watched}", listed, ("word", "", ""), choose, key="train-near")
        elif course.moments:
            states.panel(watched, "Not among the words that are watched: its nearest are told at the end")
        return
    sub = view_of(view, run)
    if watched in sub.space.index:
        states.panel(watched, "Nearest in the space, not on the map")
        near_now = calls.result(call("embedviz.neighbors:neighborhood", sub.recipe, (watched,), K))
        neighbor_list(near_now, choose, key="train-near")
        states.note(near_now.meaning, near_now.baseline)


def huddled(view: View, run: runs.Run, watched: str) -> str:
    """Return a warning where the vectors lie so close together that nearness tells little; else nothing."""
    sub = view_of(view, run)
    if watched not in sub.space.index:
        return ""
    near = calls.result(call("embedviz.neighbors:neighborhood", sub.recipe, (watched,), K))
    if not near.neighbors or near.mean < HUDDLED:
        return ""
    first, any_word = number(near.neighbors[0].similarity), number(near.mean)
    return f"Nearness tells little here: the nearest to {watched} is at {first}, a random word at {any_word}."


def test_curves(view: View, course: Course, last: runs.Run | None) -> None:
    """Draw the tests of the words from pass to pass, with the run before where that was asked the same."""
    curves = course.curves
    drawn = [name for name in ("analogies", "similarity") if name in curves and len(curves[name].values) > 1]
    if not drawn:
        return
    before = last.course if last is not None else None
    same = before is not None and before.asked._replace(watched=()) == course.asked._replace(watched=())
    for place, name in zip(st.columns(len(drawn), gap="medium"), drawn, strict=True):
        other = before.curves.get(name) if before is not None and same else None
        with place:
            states.panel(course.titles[name], "share right" if name == "analogies" else "Spearman's ρ with people", 3)
            figure = curve_figure(
                curves[name], view.theme, epochs=course.epochs, other=other, other_name="last run", height=LOW
            )
            plotly(figure, f"train-{name}")


def arithmetic(view: View, run: runs.Run) -> None:
    """Write what the best known sum finds, where its words are in the space, and what it finds without arithmetic."""
    sub = view_of(view, run)
    if _sums(sub):
        found = calls.result(call("embedviz.neighbors.analogy:analogy", sub.recipe, FORMULA, 5, expected=EXPECTED))
        made_up = run.record is not None and run.record.corpus.made.get("source") == TEACHING
        design = ". In this text, which is made up, analogies hold by design." if made_up else ""
        states.meaning(f"{FORMULA.replace('-', '−')} = {found.answer}{design}")
        states.note(found.helped, found.left_in)


def query(view: View, run: runs.Run, page: str, word: str) -> dict[str, str]:
    """Return the address that another page is opened with to show the space of a run."""
    sum_of_words = {"formula": FORMULA, "expect": EXPECTED} if page == "words/analogy/page.py" else {}
    return {"space": run.address, "word": word, **(sum_of_words if _sums(view_of(view, run)) else {})}


def _sums(sub: View) -> bool:
    """Return whether the best known sum can be asked: all its words stand in the text often."""
    rows = [sub.space.index.get(word) for word in (*_SUMMED, EXPECTED)]
    counts = sub.space.counts
    return counts is not None and all(row is not None and counts[row] >= OFTEN for row in rows)


def view_of(view: View, run: runs.Run) -> View:
    """Return a view of the space of a run, for what draws maps."""
    recipe = Recipe.parse(run.address)
    key = cache.key_of(run.address)
    return replace(view, recipe=recipe, key=key, space=cache.space(key), word="")
