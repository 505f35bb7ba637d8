"""The price of softmax: all words scored, or a path of decisions, or a few noise words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from embedviz.core.phrases import number
from embedviz.corpus import teaching
from embedviz.figures.skipgram import tree_figure
from embedviz.training.huffman import huffman_tree
from embedviz.training.stepwise import NOISE, stepwise
from pages._shared.app import address
from pages._shared.output import figure
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.current import View


def draw(view: View) -> LessonText:
    """Draw the decisions to each word of the teaching corpus, one word chosen."""
    words, counts = zip(*teaching.word_counts(), strict=True)
    tree = huffman_tree(words, counts)
    word = address.get("word", "queen")
    word = word if word in words else words[0]
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        st.selectbox("Word", words, width=240, **address.bind("word", word))
    figure.plotly(tree_figure(tree, word, view.theme), "price-tree")
    path = tree.path(word)
    product = np.prod([step.share for step in path])
    sampled = stepwise(400, negative=True).next
    terms = -np.log(np.where(sampled.truth == 1, sampled.predicted, 1 - sampled.predicted))
    cheaper = len(words) / tree.mean_length
    return LessonText(
        limit="A short path is not a closer meaning: the tree is built from counts alone.",
        exercise=Exercise(
            f"The softmax scores {len(words):,} words. The tree takes {number(tree.mean_length)} decisions on average. "
            "How many times fewer is that?",
            cheaper,
            f"{len(words):,} / {number(tree.mean_length)} = {number(cheaper, 1)}. No tree of two branches is below the "
            f"entropy of the words, {number(tree.entropy)} bits.",
            "Divide the number of words by the mean number of decisions.",
            tolerance=0.02 * cheaper,
        ),
        formula=(
            rf"\text{{{word}}}:\quad \texttt{{{tree.code(word)}}}\quad({len(path)}\text{{ decisions}})",
            rf"-\log_2 P(\text{{{word}}}) = {tex(float(-np.log2(product)))}\text{{ bits}}",
            rf"L_{{\text{{NEG}}}} = {' + '.join(tex(float(term)) for term in terms)} = {tex(sampled.loss)}",
        ),
        meaning=f"{tree.meaning} Negative sampling scores the true word and {NOISE} noise words: {NOISE + 1} scores.",
        note="Points: the words of the teaching corpus, which is made up. Dotted line: −log₂ of the share of a word. "
        "L of negative sampling: the term of the true word first, then one of each noise word, from the twenty words "
        "of the lesson One step of learning after 400 steps.",
    )


LESSON = Lesson("price", "The price of softmax", "What does one prediction cost?", 5, WORKBENCH, draw, choice="")
