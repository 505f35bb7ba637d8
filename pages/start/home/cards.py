"""The cards of the Start page: for each page its question, a small figure of the space in use, and a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz import corpus
from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.figures.analogy import analogy_figure
from embedviz.figures.neighbors import bars_figure
from embedviz.neighbors.analogy import examples
from embedviz.neighbors.formula import parse
from embedviz.testsets import datasets
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.output import figure
from pages._shared.results import cache, calls, work

if TYPE_CHECKING:
    from embedviz.evaluation.glance import Glance
    from embedviz.projection.quality import Checked
    from pages._shared.sources.current import View


def words(view: View, checked: Checked | None) -> None:
    """Draw the cards Map, Neighbors and Analogy, and the card of isotropy."""
    columns = st.columns(4, gap="large")
    with columns[0]:
        _map(checked)
    with columns[1]:
        _neighbors(view)
    with columns[2]:
        _analogy(view)
    with columns[3]:
        _isotropy(view)


def quality_and_texts(view: View) -> None:
    """Draw the cards Evaluation, Compare, Search and Open."""
    seen = glance(view)
    columns = st.columns(4, gap="large")
    with columns[0]:
        states.card("Evaluation", "Does it agree with people?")
        if seen is not None and seen.pairs is not None:
            order = ("ρ with people", number(seen.pairs.spearman or 0), f"up to {number(seen.pairs.chance)}")
            states.table(("WordSim-353", "here", "by chance"), [order], strong=1)
            states.note(f"{seen.pairs.count:,} word pairs; ρ = 1 means the same order as people’s.")
        elif seen is not None:
            states.note("This space has too few words of WordSim-353. You can use your own test set.")
        st.page_link("quality/evaluation/page.py", label="Run test sets", icon=":material/fact_check:")
    with columns[1]:
        states.card("Compare", "Do two spaces have the same neighbors?")
        if seen is not None and (near := seen.overlap) is not None:
            row = (f"same of the {near.k} nearest", share(near.mean), share(near.chance))
            states.table(("", "here", "unrelated"), [row], strong=1)
            states.note("Example: this space before and after a correction (whitening).")
        st.page_link("quality/compare/page.py", label="Compare two spaces", icon=":material/compare_arrows:")
        st.page_link("quality/timeline/page.py", label="Timeline of a word", icon=":material/timeline:")
    with columns[2]:
        states.card("Search", "Which texts answer a question?")
        texts = corpus.lee()
        states.note(f"Ask {len(texts):,} news texts or your own, and compare search by words with search by meaning.")
        st.page_link("texts/search/page.py", label="Search texts", icon=":material/search:")
        st.page_link("texts/documents/page.py", label="See the topics of texts", icon=":material/description:")
    with columns[3]:
        states.card("Open", "Which spaces are here?")
        spaces = [(entry.title, f"{entry.rows:,} × {entry.dimensions}") for entry in cache.entries()[:4]]
        states.table(("space", "words × dimensions"), spaces)
        st.page_link("make/open/page.py", label="Open your own", icon=":material/upload_file:")
        st.page_link("make/train/page.py", label="Train on a text and watch", icon=":material/model_training:")


def context() -> None:
    """Draw the cards of the pages about contextual models."""
    columns = st.columns(4, gap="large")
    with columns[0]:
        states.card("Senses", "When do the senses of a word separate?")
        named = ", ".join(datasets.sense_sentences())
        states.note(f"Follow a word through the layers of a model, sentence by sentence. Examples: {named}.")
        st.page_link("context/senses/page.py", label="Watch the senses of bank", icon=":material/layers:")
    with columns[1]:
        states.card("Layers", "Do all words of a layer point the same way?")
        published = datasets.published_layers()[:2]
        ends = [(one.title, number(one.curves["baseline"][0]), number(one.curves["baseline"][-1])) for one in published]
        states.table(("cosine of random words", "input", "last layer"), [*ends, ("random directions", "0.00", "0.00")])
        states.note("Near 1 they point the same way, and no cosine says much.")
        st.page_link("context/layers/page.py", label="Measure each layer", icon=":material/stacked_line_chart:")
    with columns[2]:
        states.card("Attention", "What does a head look at?")
        states.note("All heads of all layers for one sentence, with the arithmetic of each.")
        st.page_link("context/attention/page.py", label="Open a head", icon=":material/grid_view:")
        st.page_link("context/path/page.py", label="Path of one word", icon=":material/route:")
    with columns[3]:
        states.card("Sentences", "How do words become a sentence?")
        states.note("Mean, CLS, maximum and others, compared with random sentences.")
        st.page_link("context/pooling/page.py", label="Compare two sentences", icon=":material/filter_alt:")


def glance(view: View, *, draw: bool = False) -> Glance | None:
    """Return the first look at the space; while there is none, draw its progress, or why there is none."""
    question = call("embedviz.evaluation.glance:glance", view.recipe)
    task = calls.task("glance", question, title="A first look at a space")
    found: Glance | None = task.result
    if found is None and draw and task.running:
        work.watch(task, lambda _: states.note("Computing …"))
    elif found is None and draw:
        states.note(task.sentence)
    return found


def _map(checked: Checked | None) -> None:
    states.card("Map", "How much does a flat map keep?")
    if checked is None:
        states.note("Checking …")
    else:
        near = checked.permissions.neighbors
        nearest = ("neighbors kept", share(near.value), share(near.copies))
        states.table(("", "here", "random data"), [nearest], strong=1)
        states.note(f"Of the {checked.quality.k} nearest. Random data: same mean and covariance, but no structure.")
    st.page_link("words/map/page.py", label="Open the map", icon=":material/scatter_plot:")


def _neighbors(view: View) -> None:
    word = view.word if view.word in view.space.index else view.examples()[0]
    states.card("Neighbors", f"Which words are nearest to {plain(word, 30)}?")
    listed = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, (word,), 5))
    figure.plotly(bars_figure(listed, view.theme), "home-neighbors")
    st.page_link("words/neighbors/page.py", label="Choose any word", icon=":material/near_me:")


def _analogy(view: View) -> None:
    shelf = examples(view.space)
    states.card("Analogy", f"What is {parse(shelf[0].formula).title}?" if shelf else "What is the sum of words?")
    if shelf:
        found = calls.result(call("embedviz.neighbors.analogy:analogy", view.recipe, shelf[0].formula, 6))
        figure.plotly(analogy_figure(found, view.theme, small=True), "home-analogy")
    st.page_link("words/analogy/page.py", label="Write a formula", icon=":material/change_history:")


def _isotropy(view: View) -> None:
    states.card("Isotropy", "Do all words look alike?")
    seen = glance(view, draw=True)
    if seen is not None and seen.mean_cosine is not None:
        row = ("mean cosine of two random words", number(seen.mean_cosine), "0.00")
        states.table(("", "here", "random"), [row], strong=1)
        states.note("Near 0: no, words point in all directions. Near 1: all words seem alike.")
    st.page_link("quality/isotropy/page.py", label="Measure and correct it", icon=":material/explore:")
