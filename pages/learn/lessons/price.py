"""The price of softmax: it scores all words. Cheaper are a path of decisions, or a few noise words."""

import math

import numpy as np
import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.corpus import teaching
from embedviz.figures.lessons import bars_chart
from embedviz.figures.skipgram import tree_figure
from embedviz.training.huffman import huffman_tree
from embedviz.training.output_vectors import Prediction
from embedviz.training.stepwise import NOISE
from pages._shared.app import address
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, trained_space
from pages.learn.pattern.latex import digits_that_give, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

MOST_CHOICES = 2_000
_TITLES = {"softmax": "Softmax", "tree": "Tree"}


def draw(view: View) -> LessonText | None:
    """Draw the chosen figure: the softmax probabilities of context words, or the Huffman tree of the words.

    Return the texts under the figure; None if there is no trained space yet.
    """
    return _softmax(view) if figure_choice(_TITLES) == "softmax" else _tree(view)


def _softmax(view: View) -> LessonText | None:
    """Draw a word's likely context words by softmax, and return the texts of the lesson.

    The exercise asks for a ratio: the multiplications of softmax, divided by those of negative sampling. Return None
    while there is no trained space.
    """
    if (trained := trained_space(view, "learn-price")) is None:
        return None
    source, space = trained
    word = address.get("word", "queen")
    word = word if word in space.index else space.words[0]
    found: Prediction = calls.result(call("embedviz.training.output_vectors:prediction", source, word))
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        st.selectbox("Word", list(space.words[:MOST_CHOICES]), width=240, **address.bind("word", word))
    chart = bars_chart(
        [each.word for each in found.likely],
        [each.probability for each in found.likely],
        [f"{share(each.probability, fine=True)}   u · v {number(each.score)}" for each in found.likely],
        view.theme,
        title="P(o | c)",
        usual=(1 / found.words, "all words equal"),
        phone=view.phone,
    )
    figure.plotly(chart, "price-softmax")
    first = found.likely[0]
    sampled = (NOISE + 1) * found.dimensions
    parts = (first.score, found.total)
    digits = digits_that_give(parts, lambda score, total: math.exp(score) / total, 4, least=2)
    return LessonText(
        limit="This training never computed the sum: it used negative sampling. These probabilities give rare words "
        "more, and frequent words less, than the text does.",
        exercise=Exercise(
            "Divide the products of the softmax by those of negative sampling: what is the factor?",
            found.products / sampled,
            f"{found.products:,} / {sampled:,} = {number(found.products / sampled, 1)}. It is the number of words over "
            f"{NOISE + 1}: the length of the vectors cancels.",
            "Divide the first result of the last line by the second.",
            tolerance=0.01 * found.products / sampled,
        ),
        formula=(
            r"P(o \mid c) = \frac{e^{u_o \cdot v_c}}{\sum_{w} e^{u_w \cdot v_c}} = "
            rf"\frac{{e^{{{tex(first.score, digits)}}}}}{{{tex(found.total, digits)}}} = {tex(first.probability, 4)}",
            rf"\text{{softmax: }} |V|\,d = {tex(found.words, 0)} \cdot {found.dimensions} = {tex(found.products, 0)}"
            rf",\quad \text{{{NOISE} noise words: }} (1 + {NOISE}) \cdot {found.dimensions} = {sampled}",
        ),
        meaning=f"To learn from one pair of words, the softmax takes {found.products:,} products of numbers; negative "
        f"sampling with {NOISE} noise words takes {sampled:,}. {found.meaning}",
        note=f"{space.origin.name}: {found.words:,} words of {found.dimensions} numbers. c: the word; o: its most "
        "likely context word; v and u: the vectors of a word in the input and output tables. Negative sampling scores "
        f"the true word and {NOISE} noise words.",
    )


def _tree(view: View) -> LessonText:
    """Draw the Huffman tree of the teaching corpus with the path to one word.

    The exercise asks for the number of words divided by the mean number of decisions.
    """
    words, counts = zip(*teaching.word_counts(), strict=True)
    tree = huffman_tree(words, counts)
    word = address.get("word", "queen")
    word = word if word in words else words[0]
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        st.selectbox("Word", words, width=240, **address.bind("word", word))
    figure.plotly(tree_figure(tree, word, view.theme), "price-tree")
    path = tree.path(word)
    product = np.prod([step.share for step in path])
    cheaper = len(words) / tree.mean_length
    mean = digits_that_give([tree.mean_length], lambda length: len(words) / length, 1, least=2)
    return LessonText(
        limit="A short path is not a closer meaning: the tree is built from counts alone.",
        exercise=Exercise(
            "Divide the scores of the softmax by the mean number of decisions of the tree: what is the factor?",
            cheaper,
            f"{len(words):,} / {number(tree.mean_length, mean)} = {number(cheaper, 1)}. No binary tree has a mean "
            f"below the entropy of the words, {number(tree.entropy)} bits.",
            "Divide the number of words by the mean number of decisions.",
            tolerance=0.02 * cheaper,
        ),
        formula=(
            rf"\text{{{word}}}:\quad \texttt{{{tree.code(word)}}}\quad({len(path)}\text{{ decisions}})",
            rf"-\log_2 P(\text{{{word}}}) = {tex(float(-np.log2(product)))}\text{{ bits}}",
        ),
        meaning=f"{tree.meaning} Negative sampling scores the true word and {NOISE} noise words: {NOISE + 1} scores.",
        note="A path of decisions leads to each word: 0 is one branch, 1 the other; frequent words have short paths. "
        "Points: the words of the teaching corpus, which is made up. Dotted line: −log₂ of the share of a word.",
    )


LESSON = Lesson("price", "The price of softmax", "What does one prediction cost?", 5, WORKBENCH, draw, choice="")
