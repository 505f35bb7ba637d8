"""Positions that are added to the input: sinusoidal and learned ones."""

from __future__ import annotations

from collections.abc import Callable
from math import cos
from typing import TYPE_CHECKING

import numpy as np

from embedviz.contextual.positions import learned, similarity_by_distance, sinusoidal
from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, curves_chart
from embedviz.geometry.plane import vector_pair
from pages._shared.output import figure
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, two_positions
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.current import View

SIZE, MOST = 384, 64
"""Dimensions, as those of the built-in model, and positions of a figure."""
_FAR = 30


def draw(view: View) -> LessonText:
    """Draw one of the two kinds of positions."""
    return _FIGURES[figure_choice(_TITLES)](view)


def _sinusoidal(view: View) -> LessonText:
    """Draw the cosine of one sinusoidal position with all others, and ask for the product of one pair of dimensions."""
    m, n = two_positions(MOST)
    table = sinusoidal(MOST, SIZE)
    cosines = table @ table[m] / (SIZE / 2)  # each position has the length √(d/2)
    curve = LessonCurve(list(range(MOST)), cosines.tolist(), f"cosine with position {m}")
    marked = (float(n), f"n = {n}")
    figure.plotly(curves_chart([curve], view.theme, across="position", up="cosine", marked=marked), "positions-sine")
    value = cos(m - n)
    return LessonText(
        limit="The curve is no rule for attention: positions are added to word vectors, and each layer learns what "
        "to do with them.",
        exercise=Exercise(
            "The first pair of dimensions of position p is (sin p, cos p), in radians. What is the dot product of "
            f"these pairs for m = {m} and n = {n}?",
            value,
            f"sin m sin n + cos m cos n = cos(m − n) = cos({m - n}) = {number(value)}. It depends on the distance "
            "alone.",
            "Use cos(m − n) = cos m cos n + sin m sin n.",
            tolerance=0.01,
        ),
        formula=(
            r"PE_{p,2i} = \sin(p\,\theta_i),\quad PE_{p,2i+1} = \cos(p\,\theta_i)",
            r"\theta_i = 10000^{-2i/d}",
            rf"\cos(PE_m, PE_n) = \frac{{2}}{{d}}\sum_i \cos\big((m - n)\,\theta_i\big) = {tex(float(cosines[n]), 3)}",
        ),
        meaning=f"Positions {m} and {n} have the cosine {number(float(cosines[n]), 3)}. It depends on their "
        f"distance, {abs(m - n)}, and on nothing else.",
        note="Without positions, the words of a sentence in another order get the same vectors, in that order. "
        f"{SIZE} dimensions. Two random vectors of this size have cosines of about ±{number(SIZE**-0.5)}.",
    )


def _learned(view: View) -> LessonText:
    """Draw the cosine of one learned position with all others, and ask for the cosine of two."""
    m, n = two_positions(MOST)
    table = np.asarray(learned(), np.float64)[:MOST]
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = units @ units[m]
    mean = similarity_by_distance(table)
    places = list(range(MOST))
    by_distance = [1.0 if place == m else float(mean[abs(place - m) - 1]) for place in places]
    curves = [
        LessonCurve(places, cosines.tolist(), f"cosine with position {m}"),
        LessonCurve(places, by_distance, "mean at this distance", None, "dot"),
    ]
    marked = (float(n), f"n = {n}")
    figure.plotly(curves_chart(curves, view.theme, across="position", up="cosine", marked=marked), "positions-learned")
    pair = vector_pair(table[m], table[n])
    return LessonText(
        limit="Learned positions end: this model has 512 of them, and no vector for position 513.",
        exercise=Exercise(
            f"What is the cosine of positions {m} and {n}?",
            pair.cosine,
            f"{number(pair.dot, 4)} / ({number(pair.norms[0], 3)} × {number(pair.norms[1], 3)}) = "
            f"{number(pair.cosine)}.",
            "Divide the dot product by both lengths.",
            tolerance=0.012,
        ),
        formula=(
            r"x_p = \text{LayerNorm}(\text{word} + \text{position}_p + \text{segment})",
            rf"\cos(p_{{{m}}}, p_{{{n}}}) = "
            rf"\frac{{{tex(pair.dot, 4)}}}{{{tex(pair.norms[0], 3)} \cdot {tex(pair.norms[1], 3)}}}",
        ),
        meaning=f"Nobody gave these vectors an order. Training made neighbors alike: their mean cosine is "
        f"{number(float(mean[0]))}, that of positions {_FAR} apart is {number(float(mean[_FAR - 1]))}.",
        note="The position table of all-MiniLM-L6-v2, its first 64 of 512 rows. Dotted: the mean of all pairs at "
        "that distance.",
    )


_TITLES = {"sinusoidal": "Sinusoidal", "learned": "Learned"}
_FIGURES: dict[str, Callable[[View], LessonText]] = {"sinusoidal": _sinusoidal, "learned": _learned}

LESSON = Lesson("positions", "Positions", "How does a model know the order of words?", 5, WORKBENCH, draw, choice="")
