"""The mix of the layers of one word, in the lesson about ELMo: γ Σ s_j h_j with weights that the visitor sets."""

from collections.abc import Sequence

import streamlit as st

from embedviz.contextual.elmo.reading import NAMES
from embedviz.contextual.elmo.training import TrainedElmo
from embedviz.core.phrases import number
from pages._shared.sources.current import View
from pages.learn.lessons.elmo_word import dotted, drawn, unknown
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import number_choice
from pages.learn.pattern.latex import digits_that_give, factor, tex
from pages.learn.pattern.lesson import LessonText

_WEIGHTS = [f"{each / 2:g}" for each in range(-8, 9)]
_GAMMAS = (0.25, 0.5, 1.0, 2.0, 4.0)


def mix_text(view: View, trained: TrainedElmo) -> LessonText | None:
    """Draw the cosines by layer, and sliders that mix the layers; return the texts of the lesson.

    The exercise asks for one number of the mix. If the word cannot be compared, write why and return None.
    """
    if (pairs := drawn(view, trained)) is None:
        return None
    other, same = pairs
    with st.container(horizontal=True, key="elmo-mix"):
        weights = tuple(_weight(layer) for layer in range(len(NAMES)))
        gamma = number_choice("gamma", "γ", _GAMMAS, 1.0)
    mixed, again = other.mix(weights, gamma), same.mix(weights, gamma)
    first, second = (other.states[:, 0, at].tolist() for at in range(2))
    digits = _digits(mixed.shares, first, gamma, 2)
    terms = " + ".join(rf"{tex(s, digits)} \cdot {factor(h, digits)}" for s, h in zip(mixed.shares, first, strict=True))
    return LessonText(
        limit="No mix is best for all tasks: each task learns its own weights w and factor γ. Here you set them.",
        exercise=Exercise(
            f"In the three layers, the second number of “{other.word}” in sentence 1 is {_listed(second)}. What is it "
            "in the mix?",
            float(mixed.vectors[0, 1]),
            f"{number(gamma)} × ({_sum(mixed.shares, second, gamma)}) = {number(float(mixed.vectors[0, 1]), 3)}.",
            "Put the three numbers in the place of those of the formula.",
            tolerance=0.02 * max(1.0, gamma),
        ),
        formula=(
            rf"w = ({', '.join(tex(w, 1) for w in weights)}),\quad s = \text{{softmax}}(w) = "
            rf"({', '.join(tex(each, digits) for each in mixed.shares)}),\quad \gamma = {tex(gamma)}",
            r"\text{ELMo}_1 = \gamma \sum_j s_j h_{j,1},\quad "
            rf"\text{{ELMo}}_1 = {tex(gamma)} \cdot ({terms}) = {tex(float(mixed.vectors[0, 0]))}",
        ),
        meaning=f"The mix is the weighted sum of the three layers. Its cosines: {number(mixed.cosine)} "
        f"(sentences 1 and 2), {number(again.cosine)} (1 and 3), {number(mixed.usual)} (random pairs).",
        note=f"{unknown(other, same)}hⱼ,₁ is the first number of “{other.word}” in sentence 1 at layer j, and sⱼ the "
        "weight of this layer. γ scales the sum.",
        details=f"{dotted(other)} {trained.note} {trained.method}",
    )


def _weight(layer: int) -> float:
    """Draw the slider of a layer's weight w; return w."""
    return float(_WEIGHTS[slider.slider(f"w of {NAMES[layer]}", f"w{layer}", _WEIGHTS, "0", width=200)])


def _listed(values: list[float]) -> str:
    return ", ".join(number(value, 3) for value in values)


def _sum(shares: Sequence[float], values: Sequence[float], gamma: float) -> str:
    digits = _digits(shares, values, gamma, 3)
    return " + ".join(f"{number(s, digits)} × {number(h, digits)}" for s, h in zip(shares, values, strict=True))


def _digits(shares: Sequence[float], values: Sequence[float], gamma: float, digits: int) -> int:
    """Return the number of decimals for weights and values, so that the mix computed from them by hand is right."""
    n = len(shares)
    return digits_that_give(
        [*shares, *values], lambda *each: gamma * sum(s * h for s, h in zip(each[:n], each[n:], strict=True)), digits
    )
