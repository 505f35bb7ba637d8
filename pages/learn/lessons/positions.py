"""Positions that are added to the input: sinusoidal and learned ones."""

from collections.abc import Callable
from functools import cache
from math import cos
from typing import Any

import numpy as np

from embedviz.contextual.positions import learned, similarity_by_distance, sinusoidal
from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, curves_chart
from embedviz.geometry.plane import vector_pair
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, two_positions
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, SteppedFigure, stepped

SIZE, MOST = 384, 64
"""Number of dimensions (as in the built-in model), and number of positions in a figure."""
_FAR = 30


def draw(view: View) -> LessonText:
    """Draw the chosen kind of positions, sinusoidal or learned, and return the texts."""
    return _FIGURES[figure_choice(_TITLES)](view)


def _sinusoidal(view: View) -> LessonText:
    """Draw the cosines of one sinusoidal position with all others.

    The exercise asks for a dot product over the first two dimensions.
    """
    m, n = two_positions(MOST)
    moved = _follow(view, "positions-sine", m, n, _sinusoidal_step)
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
        steps=moved,
        note="Without positions, the words of a sentence in another order get the same vectors, in that order. "
        f"{SIZE} dimensions. Two random vectors of this size have cosines of about ±{number(SIZE**-0.5)}.",
    )


def _follow(view: View, key: str, m: int, n: int, step: Callable[[View, int, int], SliderStep]) -> SteppedFigure:
    """Draw a figure that follows the sliders of both positions; `step` returns the figure for two positions."""
    along = {"m": range(MOST), "n": range(MOST)}
    return stepped(view, key, "", along, {"m": m, "n": n}, lambda m, n: step(view, m, n))


def _sinusoidal_step(view: View, m: int, n: int) -> SliderStep:
    """Return a figure of the cosines of sinusoidal position m with all others; a formula gives the cosine with n."""
    table = sinusoidal(MOST, SIZE)
    cosines = (table @ table[m] / (SIZE / 2)).round(5).tolist()  # each position has the length √(d/2)
    curve = LessonCurve(list(range(MOST)), cosines, f"cosine with position {m}")
    chart = curves_chart([curve], view.theme, across="position", up="cosine", marked=(float(n), f"n = {n}"))
    lines = (
        r"PE_{p,2i} = \sin(p\,\theta_i),\quad PE_{p,2i+1} = \cos(p\,\theta_i)",
        r"\theta_i = 10000^{-2i/d}",
        rf"\cos(PE_m, PE_n) = \frac{{2}}{{d}}\sum_i \cos\big((m - n)\,\theta_i\big) = {tex(cosines[n], 3)}",
    )
    meaning = f"Positions {m} and {n} have the cosine {number(cosines[n], 3)}. It depends on their distance, "
    return SliderStep(chart, lines, f"{meaning}{abs(m - n)}, and on nothing else.")


def _learned(view: View) -> LessonText:
    """Draw the cosine of one learned position with all others; the exercise asks for the cosine of two positions."""
    m, n = two_positions(MOST)
    table = _learned_rows()
    moved = _follow(view, "positions-learned", m, n, _learned_step)
    pair = vector_pair(table[m], table[n])
    return LessonText(
        limit="Learned positions end: this model has 512 of them, from 0 to 511, and no vector for a later one.",
        exercise=Exercise(
            f"What is the cosine of positions {m} and {n}?",
            pair.cosine,
            f"{number(pair.dot, 4)} / ({number(pair.norms[0], 3)} × {number(pair.norms[1], 3)}) = "
            f"{number(pair.cosine)}.",
            "Divide the dot product by both lengths.",
            tolerance=0.012,
        ),
        steps=moved,
        note="The position table of all-MiniLM-L6-v2, its first 64 of 512 rows. Dotted: the mean of all pairs at "
        "that distance.",
    )


@cache
def _learned_rows() -> Any:
    """Return the first learned positions, (`MOST`, d)."""
    return np.asarray(learned(), np.float64)[:MOST]


def _learned_step(view: View, m: int, n: int) -> SliderStep:
    """Return the figure: cosines of learned position m with all others, and the mean cosine at each distance."""
    table = _learned_rows()
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    mean, places = similarity_by_distance(table), list(range(MOST))
    by_distance = [1.0 if place == m else round(float(mean[abs(place - m) - 1]), 5) for place in places]
    curves = [
        LessonCurve(places, (units @ units[m]).round(5).tolist(), f"cosine with position {m}"),
        LessonCurve(places, by_distance, "mean at this distance", None, "dot"),
    ]
    chart = curves_chart(curves, view.theme, across="position", up="cosine", marked=(float(n), f"n = {n}"))
    pair = vector_pair(table[m], table[n])
    lines = (
        r"x_p = \text{LayerNorm}(\text{word} + \text{position}_p + \text{segment})",
        rf"\cos(p_{{{m}}}, p_{{{n}}}) = "
        rf"\frac{{{tex(pair.dot, 4)}}}{{{tex(pair.norms[0], 3)} \cdot {tex(pair.norms[1], 3)}}}",
    )
    meaning = (
        f"Nobody gave these vectors an order. Training made neighbors alike: their mean cosine is "
        f"{number(float(mean[0]))}, that of positions {_FAR} apart is {number(float(mean[_FAR - 1]))}."
    )
    return SliderStep(chart, lines, meaning)


_TITLES = {"sinusoidal": "Sinusoidal", "learned": "Learned"}
_FIGURES: dict[str, Callable[[View], LessonText]] = {"sinusoidal": _sinusoidal, "learned": _learned}

LESSON = Lesson("positions", "Positions", "How does a model know the order of words?", 5, WORKBENCH, draw, choice="")
