"""One word in three sentences, in the lesson about ELMo: its cosines by layer, and a mix of its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.contextual.elmo.reading import LONGEST, NAMES, WordTwice, word_twice
from embedviz.contextual.elmo.training import TrainedElmo
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, curves_chart
from pages._shared.app import address, states
from pages._shared.output import figure
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import number_choice
from pages.learn.pattern.latex import factor, tex
from pages.learn.pattern.lesson import LessonText

if TYPE_CHECKING:
    from pages._shared.sources.current import View

WORD = "bank"
SENTENCES = (
    "The bank gave them a loan with low interest.",
    "The willows on the bank hang over the river.",
    "The bank raised the interest on the mortgage.",
)
"""Two senses, and the first one again."""
_WEIGHTS = [f"{each / 2:g}" for each in range(-8, 9)]
_GAMMAS = (0.25, 0.5, 1.0, 2.0, 4.0)


def word_text(view: View, trained: TrainedElmo) -> LessonText | None:
    """Draw the cosines of a word in three sentences by layer, with a mix of the layers, and ask for a number of it."""
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
    with st.container(horizontal=True, key="elmo-mix"):
        weights = tuple(_weight(layer) for layer in places)
        gamma = number_choice("gamma", "γ", _GAMMAS, 1.0)
    mixed, again = other.mix(weights, gamma), same.mix(weights, gamma)
    first, second = (other.states[:, 0, at].tolist() for at in range(2))
    terms = " + ".join(rf"{tex(s)} \cdot {factor(h)}" for s, h in zip(mixed.shares, first, strict=True))
    return LessonText(
        limit="Three sentences do not show that the model knows senses: sentences with one sense differ as well. "
        "Senses compares many occurrences with shuffled labels.",
        exercise=Exercise(
            f"The second number of “{other.word}” in sentence 1 is {_listed(second)} in the three layers. What is it "
            "in the mix?",
            float(mixed.vectors[0, 1]),
            f"{number(gamma)} × ({_sum(mixed.shares, second)}) = {number(float(mixed.vectors[0, 1]), 3)}.",
            "Put the three numbers in the place of those of the formula.",
            tolerance=0.02 * max(1.0, gamma),
        ),
        formula=(
            rf"w = ({', '.join(tex(w, 1) for w in weights)}),\quad s = \text{{softmax}}(w) = "
            rf"({', '.join(tex(each) for each in mixed.shares)}),\quad \gamma = {tex(gamma)}",
            r"\text{ELMo}_1 = \gamma \sum_j s_j h_{j,1},\quad "
            rf"\text{{ELMo}}_1 = {tex(gamma)} \cdot ({terms}) = {tex(float(mixed.vectors[0, 0]))}",
        ),
        meaning=f"{other.meaning} In the mix: {number(mixed.cosine)} (sentences 1 and 2), {number(again.cosine)} "
        f"(1 and 3), {number(mixed.usual)} (random pairs).",
        note=f"{_unknown(other, same)}An LSTM reads token after token and carries along what it has read: "
        "one from the left, one from the right. So the vector of a word depends on its sentence. A task learns the "
        "weights w and the factor γ of the mix; here you set them. Dotted: the mean of "
        f"{other.pairs} random pairs of different words in held-out sentences.",
        details=f"{trained.note} {trained.method}",
    )


def _pairs(trained: TrainedElmo) -> tuple[WordTwice, WordTwice]:
    """Return the word of the address in sentences 1 and 2, and in 1 and 3, with their boxes.

    Raises:
        OptionError: A sentence lacks the word.
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


def _weight(layer: int) -> float:
    """Return the weight w of a layer, with its slider."""
    return float(_WEIGHTS[slider.slider(f"w of {NAMES[layer]}", f"w{layer}", _WEIGHTS, "0", width=200)])


def _listed(values: list[float]) -> str:
    return ", ".join(number(value, 3) for value in values)


def _sum(shares: tuple[float, ...], values: list[float]) -> str:
    return " + ".join(f"{number(s)} × {number(h, 3)}" for s, h in zip(shares, values, strict=True))


def _unknown(*pairs: WordTwice) -> str:
    """Say that the word has the vector of rare words, where it is not in the vocabulary."""
    if all(pair.known for pair in pairs):
        return ""
    return f"“{pairs[0].word}” is not in the vocabulary: it has the row of <unk>, which all rare words share. "
