"""The cards of the Start page about words and spaces: small figures of the space in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import joined, number, share
from embedviz.core.recipe import Recipe
from embedviz.figures.analogy import analogy_figure
from embedviz.figures.neighbors import bars_figure
from embedviz.neighbors.analogy import examples
from embedviz.neighbors.formula import parse
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.output import figure
from pages._shared.results import cache, calls, work
from pages.start.home.card import card

if TYPE_CHECKING:
    from embedviz.evaluation.glance import Glance
    from embedviz.projection.quality import Checked
    from pages._shared.sources.current import View


def words(view: View, checked: Checked | None) -> None:
    """Draw the cards Map, Neighbors and Analogy, and the card of isotropy."""
    columns = st.columns(4, gap="small")
    with columns[0]:
        _map(checked)
    with columns[1]:
        _neighbors(view)
    with columns[2]:
        _analogy(view)
    with columns[3]:
        _isotropy(view)


def quality(view: View) -> None:
    """Draw the cards Evaluation, Compare, Timeline and Open."""
    seen = glance(view)
    columns = st.columns(4, gap="small")
    with columns[0]:
        _evaluation(seen)
    with columns[1]:
        _compare(seen)
    with columns[2]:
        _timeline()
    with columns[3]:
        _open()


def glance(view: View, *, draw: bool = False) -> Glance | None:
    """Return a few measures of the space; without a result, return None and, if `draw`, draw progress or the error."""
    question = call("embedviz.evaluation.glance:glance", view.recipe)
    task = calls.task("glance", question, title="A first look at a space")
    found: Glance | None = task.result
    if found is None and draw and task.running:
        work.watch(task, lambda _: states.note("Computing …"))
    elif found is None and draw:
        states.note(task.sentence)
    return found


def _map(checked: Checked | None) -> None:
    with card("Map", "How much does a flat map keep?", ("words/map/page.py", "Open the map", "scatter_plot")):
        if checked is None:
            states.note("Checking …")
            return
        near = checked.permissions.neighbors
        nearest = ("neighbors kept", share(near.value), share(near.copies))
        states.table(("", "here", "random data"), [nearest], strong=1)
        states.note(f"Share of a word’s {checked.quality.k} nearest words that are also its nearest on the map.")


def _neighbors(view: View) -> None:
    word = view.word if view.word in view.space.index else view.examples()[0]
    link = ("words/neighbors/page.py", "Choose any word", "near_me")
    with card("Neighbors", f"Which words are nearest to {plain(word, 30)}?", link):
        listed = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, (word,), 5))
        figure.plotly(bars_figure(listed, view.theme), "home-neighbors")


def _analogy(view: View) -> None:
    shelf = examples(view.space)
    question = f"What is {parse(shelf[0].formula).title}?" if shelf else "What is the sum of words?"
    with card("Analogy", question, ("words/analogy/page.py", "Write a formula", "change_history")):
        if shelf:
            found = calls.result(call("embedviz.neighbors.analogy:analogy", view.recipe, shelf[0].formula, 6))
            figure.plotly(analogy_figure(found, view.theme, small=True), "home-analogy")
        else:
            states.note("Add and subtract the words of this space, and see which word is nearest to the result.")


def _isotropy(view: View) -> None:
    link = ("quality/isotropy/page.py", "Measure and correct it", "explore")
    with card("Isotropy", "Do all words look alike?", link):
        seen = glance(view, draw=True)
        if seen is not None and seen.mean_cosine is not None:
            row = ("mean cosine of two random words", number(seen.mean_cosine), "0.00")
            states.table(("", "here", "random"), [row], strong=1)
            states.note("Near 0: no, words point in all directions. Near 1: all words seem alike.")


def _evaluation(seen: Glance | None) -> None:
    link = ("quality/evaluation/page.py", "Run test sets", "fact_check")
    with card("Evaluation", "Does it agree with people?", link):
        if seen is not None and seen.pairs is not None:
            order = ("ρ with people", number(seen.pairs.spearman or 0), f"up to {number(seen.pairs.chance)}")
            states.table(("WordSim-353", "here", "by chance"), [order], strong=1)
            states.note(f"{seen.pairs.count:,} word pairs; ρ = 1 means the same order as people’s.")
        elif seen is not None:
            states.note("This space has too few words of WordSim-353. You can use your own test set.")
        else:
            states.note("Tests on published word lists, compared with chance.")


def _compare(seen: Glance | None) -> None:
    link = ("quality/compare/page.py", "Compare two spaces", "compare_arrows")
    with card("Compare", "Do two spaces have the same neighbors?", link):
        if seen is not None and (near := seen.overlap) is not None:
            row = (
                f"shared of the {near.k} nearest",
                share(near.mean),
                "below 1\u00a0%" if near.chance < 0.0095 else share(near.chance),
            )
            states.table(("", "here", "unrelated"), [row], strong=1)
            states.note("Example: this space before and after a correction (whitening).")
        elif seen is not None:
            states.note("See which words have other neighbors in a second space, and which keep theirs.")
        else:
            states.note("Which words change their neighbors from one space to another.")


def _timeline() -> None:
    link = ("quality/timeline/page.py", "Follow a word", "timeline")
    with card("Timeline", "Which words changed their meaning?", link):
        spaces = {year: Recipe.parse(f"shelf:histwords-{year}") for year in ("1850", "1990")}
        questions = {year: call("embedviz.neighbors:neighborhood", one, ("film",), 3) for year, one in spaces.items()}
        rows = [(year, ", ".join(calls.result(each).display_names)) for year, each in questions.items()]
        states.table(("books of", "“film” is nearest to"), rows, texts=(1,))


def _open() -> None:
    with card("Open", "Which spaces are here?", ("make/open/page.py", "Open your own", "upload_file")):
        entries = cache.entries()
        named = joined([plain(entry.title, 40) for entry in entries[:4]])
        states.note(f"{len(entries)} spaces, such as {named}. A file of your own is checked when you open it.")
