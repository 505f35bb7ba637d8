"""The questions of the lesson on CLIP: how do the probabilities of two sentences compare?

The cosines in the question are measured, or supposed if no CLIP model is here.
"""

import math
from collections.abc import Sequence

from embedviz.contextual.clip import ClipScores
from embedviz.core.phrases import cut, number, written_factor
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import digits_that_give, tex
from pages.learn.pattern.lesson import LessonText

SUPPOSED, LEARNED = (0.30, 0.25), 0.01
"""Supposed cosines of two sentences with a picture, and a temperature, for a computer without a CLIP model."""
LIMIT = "The probabilities compare only these sentences. Where none fits the picture, they still add up to 1."


def without_model() -> LessonText:
    """Return the formula and a question with supposed cosines, for a computer without a CLIP model."""
    first, second = SUPPOSED
    ratio = math.exp((first - second) / LEARNED)
    return LessonText(
        limit=LIMIT,
        exercise=Exercise(
            f"Suppose that the cosines are {number(first)} and {number(second)}, and τ = {LEARNED:g}. How many times "
            "as large is p₁ as p₂?",
            ratio,
            f"e^(({number(first)} − {number(second)}) / {LEARNED:g}) = e^{(first - second) / LEARNED:g} = "
            f"{number(ratio, 0)}. A small τ makes a small difference of cosines decisive.",
            "Write both probabilities as fractions: they have the same denominator. What is left is e to a difference.",
            tolerance=0.02 * ratio,
        ),
        formula=(
            r"p(t \mid x) = \frac{e^{\cos(x, t)/\tau}}{\sum_{t'} e^{\cos(x, t')/\tau}},\quad "
            rf"\cos_1 = {tex(first)},\ \cos_2 = {tex(second)},\ \tau = {LEARNED:g}",
        ),
        meaning="x is a picture, t a sentence. The numbers of the formula are supposed: no CLIP has measured them.",
    )


def exercise(
    found: ClipScores, picture: int, order: Sequence[int], cosines: Sequence[float], temperature: float
) -> Exercise:
    """Return an exercise on ln of the ratio of the two highest probabilities; with one sentence, on its probability.

    Args:
        order: Numbers of the sentences, nearest to the picture first.
        cosines: Cosine of the picture with each sentence, rounded as the question writes it.
    """
    name = found.pictures[picture]
    if len(order) < 2:
        return Exercise(
            f"There is one sentence. What is its probability for the picture “{name}”?",
            1.0,
            "It is 1: the sum of the softmax has one term, whatever the cosine is.",
            "Divide the term of the sentence by the sum of the terms of all sentences.",
        )
    best, other = order[:2]
    lead = cosines[best] - cosines[other]
    ratio = lead / temperature
    tau = number(temperature, digits_that_give([temperature], lambda each: lead / each, least=3))
    first, second = (number(cosines[place], 3) for place in (best, other))
    return Exercise(
        f"Picture “{name}”, τ = {tau}: the cosines with “{cut(found.sentences[best], 40)}” and "
        f"“{cut(found.sentences[other], 40)}” are {first} and {second}. What is ln(p₁ / p₂)?",
        ratio,
        f"The sum of the softmax cancels: ({first} − {written_factor(cosines[other], 3)}) / {tau} = {number(ratio)}.",
        "Write both probabilities as fractions: they have the same denominator.",
        tolerance=max(0.02, 0.03 * abs(ratio)),
    )
