"""Two matrices: the neighbors of a word by input vectors, by output vectors, and by the scores of both."""

from math import exp

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number, shortened
from embedviz.figures.lessons import bars_chart
from embedviz.training.output_vectors import TwoMatrices
from pages._shared.app import address
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, trained_space
from pages.learn.pattern.latex import factor, letters, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

MOST_CHOICES = 2_000
_TITLES = {"in": "Input vectors", "out": "Output vectors", "across": "Scores of both"}


def draw(view: View) -> LessonText | None:
    """Draw a word's nearest words in one matrix or across both. Exercise: what is the word's σ(u · v) with itself?"""
    if (trained := trained_space(view, "learn-matrices")) is None:
        return None
    source, space = trained
    word = address.get("word", "king")
    word = word if word in space.index else space.words[0]
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        st.selectbox("Word", list(space.words[:MOST_CHOICES]), width=240, **address.bind("word", word))
    kind = figure_choice(_TITLES)
    found: TwoMatrices = calls.result(call("embedviz.training.output_vectors:two_matrices", source, word))
    lists = {each.name: each for each in found.lists}
    listed = lists[kind]
    values = [value for _, value in listed.words]
    chart = bars_chart(
        [each for each, _ in listed.words],
        [max(0.0, value) for value in values],
        [number(value) for value in values],
        view.theme,
        title="score u · v" if kind == "across" else "cosine",
        usual=(listed.typical, "median of all words") if listed.typical > 0 else None,
        phone=view.phone,
    )
    figure.plotly(chart, "matrices-neighbors")
    first, score = lists["across"].words[0]
    instead = "" if space is view.space else "The chosen space has no output vectors, so this is a small training. "
    own = found.itself
    itself = 1 / (1 + exp(-own))
    return LessonText(
        limit="A high score u · v does not mean that two words are alike: it means that one is expected near the "
        "other. Words are alike when their input vectors are near, that is, when the same contexts are expected.",
        exercise=Exercise(
            f"What is σ(u · v) of “{shortened(word)}” with itself?",
            itself,
            f"1 / (1 + exp({number(-own)})) = {number(itself, 3)}. Few pairs of a text have one word twice, so the "
            "training says little about this score.",
            "Put the score of the word with itself into the second formula.",
            tolerance=0.006,
        ),
        formula=(
            rf"u_o \cdot v_c = {tex(score)}\ (\text{{{letters(first[:24])}}}),\quad "
            rf"u_c \cdot v_c = {tex(own)}\ (\text{{{letters(word[:24])}}})",
            rf"\sigma(u_o \cdot v_c) = \frac{{1}}{{1 + e^{{-{factor(score)}}}}} = {tex(1 / (1 + exp(-score)), 3)}",
        ),
        meaning=found.meaning,
        note=f"{instead}{space.origin.name}, {found.rows:,} words of {found.dimensions} numbers in each matrix. "
        "Word2Vec exports the input vectors alone; a space that you train here keeps both matrices.",
    )


LESSON = Lesson("matrices", "Two matrices", "What is the second matrix for?", 5, WORKBENCH, draw)
