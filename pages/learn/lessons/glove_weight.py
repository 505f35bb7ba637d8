"""The idea of GloVe, third figure: the weight of a count, with sliders for the cutoff and the exponent."""

from functools import partial

import numpy as np
import streamlit as st

from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, curves_chart
from embedviz.training.glove.log_counts import pair_weight
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import number_choice
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import LessonText
from pages.learn.pattern.steps import SliderStep, stepped

X_MAX, ALPHAS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0), (0.0, 0.25, 0.5, 0.75, 1.0)


def weight_text(view: View) -> LessonText:
    """Draw the weight of a count, with sliders for cutoff and exponent. The exercise asks for the weight of a count."""
    with st.container(horizontal=True, key="controls"):
        x_max, alpha = number_choice("xmax", "x_max", X_MAX, 10), number_choice("alpha", "Exponent α", ALPHAS, 0.75)
    along, here = {"xmax": X_MAX, "alpha": ALPHAS}, {"xmax": x_max, "alpha": alpha}
    moved = stepped(view, "glove-weight", "", along, here, partial(_weight_step, view))
    count = _asked_count(x_max)
    value = float(pair_weight(count, x_max, alpha))
    return LessonText(
        limit="A low weight does not mean “wrong”: rare counts are noisy, and there are many of them. The authors’ "
        "code says that good values of x_max and α depend little on the corpus, unless it is very small or very large.",
        exercise=Exercise(
            f"A pair has the count {count:g}. What is its weight?",
            value,
            f"min(1, ({count:g} / {x_max:g})^{alpha:g}) = {number(value)}. A pair with the count 0 has no term in "
            "the loss.",
            "Divide the count by x_max, then take the power α. No weight is above 1.",
            tolerance=0.015,
        ),
        steps=moved,
    )


def _asked_count(x_max: float) -> float:
    """Return the count whose weight the question asks for."""
    return max(1.0, round(0.3 * x_max))


def _weight_step(view: View, xmax: float, alpha: float) -> SliderStep:
    """Return the curve of the weight and a formula with numbers: the weight of an example count.

    The example is twice the count whose weight the exercise asks for.
    """
    counts, double = np.linspace(0, 120, 481), 2 * _asked_count(xmax)
    bent = pair_weight(counts, xmax, alpha).round(5).tolist()
    curves = [
        LessonCurve(counts.tolist(), bent, f"x_max {xmax:g}, α {alpha:g}"),
        LessonCurve(counts.tolist(), pair_weight(counts).tolist(), "the paper: 100, 0.75", None, "dot"),
    ]
    weight = float(pair_weight(double, xmax, alpha))
    lines = (
        r"f(x) = \min\left(1, (x/x_{\max})^{\alpha}\right)",
        rf"f({double:g}) = \min\left(1, ({double:g}/{xmax:g})^{{{alpha:g}}}\right) = {tex(weight)}",
        r"J = \sum_{ij} f(X_{ij})\,(w_i^\top \tilde w_j + b_i + \tilde b_j - \ln X_{ij})^2",
    )
    chart = curves_chart(curves, view.theme, across="count x", up="weight f(x)")
    return SliderStep(
        chart, lines, f"From the count {xmax:g} on, all pairs weigh the same. With α = 0 all counts would."
    )
