"""One word in three sentences, in the lesson about ELMo: its cosines by layer."""

import numpy as np
import streamlit as st

from embedviz.contextual.elmo.reading import LONGEST, NAMES, WordTwice, word_twice
from embedviz.contextual.elmo.training import TrainedElmo
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, curves_chart
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import digits_that_give, tex
from pages.learn.pattern.lesson import LessonText

WORD = "bank"
SENTENCES = (
    "The bank gave them a loan with low interest.",
    "The willows on the bank hang over the river.",
    "The bank raised the interest on the mortgage.",
)
"""Sentences with “bank”: 1 and 3 with the same sense, 2 with another sense."""
CONTROL = "The bank of the river was muddy."
"""A sentence in which “bank” has the sense of sentence 2, but which begins like sentences 1 and 3."""


def word_text(view: View, trained: TrainedElmo) -> LessonText | None:
    """Draw the cosines of a word in three sentences by layer; the exercise asks for the change of one cosine."""
    if (pairs := drawn(view, trained)) is None:
        return None
    other, same = pairs
    first, last = (round(other.cosines[at], 2) for at in (0, -1))
    one, two = (np.asarray(vector, float) for vector in other.states[-1])
    parts = [float(each) for each in (one @ two, np.linalg.norm(one), np.linalg.norm(two))]
    digits = digits_that_give(parts, lambda dot, a, b: dot / (a * b))
    dot, *lengths = (tex(each, digits) for each in parts)
    return LessonText(
        limit=f"Three sentences do not show that the model knows senses. {_control(trained, other.word)}",
        exercise=Exercise(
            f"What is the cosine of “{other.word}” in sentences 1 and 2 at the {NAMES[0]} minus that at {NAMES[-1]}?",
            first - last,
            f"{number(first)} − {number(last)} = {number(first - last)}. Of these two layers, only {NAMES[-1]} "
            "depends on the other words.",
            "Both cosines stand in the sentence under the figure.",
            tolerance=0.006,
        ),
        formula=(
            rf"\cos(h_1, h_2) = \frac{{h_1 \cdot h_2}}{{|h_1|\,|h_2|}} = "
            rf"\frac{{{dot}}}{{{lengths[0]} \cdot {lengths[1]}}} = {tex(last)},\quad \text{{at {NAMES[-1]}}}",
        ),
        meaning=f"The {NAMES[0]} sees no other word: cosine {number(first)}. {NAMES[-1]} has read the sentences: "
        f"{number(last)} for 1 and 2, {number(same.cosines[-1])} for 1 and 3, {number(other.usual[-1])} for random "
        "pairs of words.",
        note=f"{unknown(other, same)}{NAMES[1]} and {NAMES[2]} read token after token, each from the left and from "
        "the right. So the vector of a word depends on its sentence.",
        details=f"h₁ and h₂ are the vectors of “{other.word}” in sentences 1 and 2. {dotted(other)} {trained.note} "
        f"{trained.method} The page Senses compares many occurrences with shuffled labels.",
    )


def _control(trained: TrainedElmo, word: str) -> str:
    """Return a sentence that gives the cosine between the word's vectors in sentence 1 and in `CONTROL`.

    If the visitor changed the word or sentence 1, return a general remark instead.
    """
    if word != WORD or address.get("s1", SENTENCES[0]) != SENTENCES[0]:
        return "Sentences with one sense differ as well."
    found = word_twice(trained, word, SENTENCES[0], CONTROL)
    return f"Sentence 1 and “{CONTROL}”, which has the other sense, have the cosine {number(found.cosines[-1])}."


def drawn(view: View, trained: TrainedElmo) -> tuple[WordTwice, WordTwice] | None:
    """Draw the cosines of a word by layer; return two comparisons: of sentences 1 and 2, and of 1 and 3.

    If the word cannot be compared, for example if a sentence lacks it, write why and return None.
    """
    try:
        other, same = _pairs(trained)
    except OptionError as error:
        states.state(str(error), "Then the three layers of the word can be compared.")
        return None
    places = list(range(len(NAMES)))
    curves = [
        LessonCurve(places, other.cosines, "1 and 2"),
        LessonCurve(places, same.cosines, "1 and 3", 1),
        LessonCurve(places, other.usual, "random pairs", None, "dot"),
    ]
    chart = curves_chart(
        curves, view.theme, across="layer", up=f"cosine of “{other.word}” in two sentences", ticks=NAMES
    )
    figure.plotly(chart, "elmo-word")
    return other, same


def dotted(other: WordTwice) -> str:
    """Explain the dotted line: the mean cosine of random pairs of words."""
    return f"Dotted: the mean of {other.pairs} random pairs of different words in held-out sentences."


def _pairs(trained: TrainedElmo) -> tuple[WordTwice, WordTwice]:
    """Draw the boxes of word and sentences; return the comparisons of the word in sentences 1 and 2, and in 1 and 3.

    Raises:
        OptionError: A sentence lacks the word, or the held-out sentences have too few words.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="elmo-sentences"):
        word = _box("word", "Word", WORD, 120)
        one, two, three = (
            _box(f"s{place}", f"Sentence {place}", usual, 320) for place, usual in enumerate(SENTENCES, 1)
        )
    return word_twice(trained, word, one, two), word_twice(trained, word, one, three)


def _box(name: str, title: str, usual: str, width: int) -> str:
    text = address.get(name, usual)[:LONGEST]
    st.text_input(title, max_chars=LONGEST, width=width, **address.bind(name, text))
    return text


def unknown(*pairs: WordTwice) -> str:
    """Return a sentence: a word outside the vocabulary has the row of <unk>. For a known word return an empty text."""
    if all(pair.known for pair in pairs):
        return ""
    return f"“{pairs[0].word}” is not in the vocabulary: it has the row of <unk>, which all such words share. "
