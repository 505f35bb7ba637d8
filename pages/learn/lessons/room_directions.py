"""Room for many directions, first figure: the cosine of two random directions."""

from functools import partial

import numpy as np

from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, curves_chart
from embedviz.geometry.concentration import Room, random_cosine, room
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import number_choice
from pages.learn.pattern.latex import power
from pages.learn.pattern.lesson import LessonText
from pages.learn.pattern.steps import SliderStep, stepped

DIMENSIONS, EPSILONS = (2, 5, 10, 30, 100, 300, 1000), (0.1, 0.2, 0.3)


def directions_text(view: View) -> LessonText | None:
    """Draw the density of the cosine of two random directions. The exercise asks for its standard deviation."""
    d = int(number_choice("d", "Dimensions d", DIMENSIONS, 300))
    epsilon = number_choice("epsilon", "Largest cosine ε", EPSILONS, 0.3)
    spread, along = random_cosine(d), {"d": DIMENSIONS, "epsilon": EPSILONS}
    moved = stepped(view, "room-directions", "", along, {"d": d, "epsilon": epsilon}, partial(_directions_step, view))
    return LessonText(
        limit="Room is not meaning: random directions are nearly at right angles, and no word has a place yet.",
        exercise=Exercise(
            f"What is the standard deviation of the cosine of two random directions in {d:,} dimensions?",
            spread.spread,
            f"1 / √d = 1 / √{d:,} = {number(spread.spread, 3)}. The mean is 0.",
            "Put d into the first formula: with four times the dimensions, the deviation is half.",
            tolerance=0.03 * spread.spread,
        ),
        steps=moved,
        note=f"95\u00a0% of random pairs have a cosine within ±{number(spread.within(), 3)}. The sentence takes "
        f"{_which(room(d, epsilon))} The third line is a simpler, lower bound.",
    )


def _which(found: Room) -> str:
    """Say which number of directions the sentence of the figure uses.

    It is N, the size of the largest random set without a pair beyond ε, or the number of axes if that is greater.
    """
    largest = "the largest N of the second line, where some draw has no pair beyond ε"
    if found.drawn >= found.dimensions:
        return f"{largest}."
    return f"the {found.dimensions:,} axes: they are more than {largest}, {found.drawn:,}."


def _directions_step(view: View, d: float, epsilon: float) -> SliderStep:
    """Return the figure of the cosine's density.

    The formulas compute how many directions fit with all their cosines within ±ε.
    """
    found, cosines = room(int(d), epsilon), np.linspace(-0.99, 0.99, 397)
    densities = (random_cosine(each).density(cosines).round(5).tolist() for each in (3, int(d)))
    curves = [
        LessonCurve(cosines.tolist(), next(densities), "3 dimensions", None),
        LessonCurve(cosines.tolist(), next(densities), f"{d:,.0f} dimensions"),
    ]
    chart = curves_chart(curves, view.theme, across="cosine", up="density", marked=(epsilon, f"ε = {epsilon:g}"))
    lines = (
        r"\cos:\ \text{mean } 0,\quad \text{standard deviation } 1/\sqrt d",
        rf"p = P(|\cos| > {epsilon:g}) = {power(found.pair)},\quad \tfrac{{N(N-1)}}{{2}}\,p < 1",
        rf"p \le 2 e^{{-d \varepsilon^2/2}},\quad \text{{so }} N \ge e^{{d \varepsilon^2/4}} = {power(found.rule)}",
    )
    return SliderStep(chart, lines, found.meaning)
