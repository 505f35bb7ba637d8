"""GloVe's idea: ratios of probabilities, their logarithms with biases, and the weight of a count."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number, signed
from embedviz.corpus import published_ratios as paper
from embedviz.corpus.ratios import Ratios, suggested
from embedviz.figures.lessons import LessonCurve, curves_chart
from embedviz.figures.ratios import published_ratios_figure, ratios_figure
from embedviz.training.glove.log_counts import pair_weight
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import tokenized
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, number_choice
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped

if TYPE_CHECKING:
    from pages._shared.sources.current import View

X_MAX, ALPHAS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0), (0.0, 0.25, 0.5, 0.75, 1.0)
_RATIO = r"\frac{P(k\mid i)}{P(k\mid j)}"


def draw(view: View) -> LessonText | None:
    """Draw one of the three figures."""
    return _FIGURES[figure_choice(_TITLES)](view)


def _paper(view: View) -> LessonText:
    """Draw the ratios of the paper's table, and ask which word is frequent near both."""
    figure.plotly(
        published_ratios_figure(paper.PUBLISHED, paper.ONE, paper.OTHER, view.theme, phone=view.phone), "glove-paper"
    )
    both = max(paper.PUBLISHED, key=lambda row: min(row.shares))
    solid = paper.PUBLISHED[0]
    one, other = (number(1000 * value, 1) for value in both.shares)
    return LessonText(
        limit="The table motivates GloVe; it proves nothing about meaning. Four words were chosen to show the idea.",
        exercise=Exercise(
            "Which of these words is frequent both near ice and near steam?",
            both.word,
            f"{both.word}: of 1,000 words near ice it is {one}, of 1,000 near steam {other}. The ratio is "
            f"{both.ratio:g}.",
            "The ratio is near 1 for two of the words. One of them is frequent near neither.",
            options=tuple(row.word for row in paper.PUBLISHED),
        ),
        formula=(
            rf"{_RATIO} = \frac{{X_{{ik}}/X_i}}{{X_{{jk}}/X_j}},\quad "
            rf"\frac{{P(\text{{{solid.word}}}\mid\text{{ice}})}}{{P(\text{{{solid.word}}}\mid\text{{steam}})}} = "
            rf"{solid.ratio:g}",
        ),
        meaning="A word with a ratio far above 1 belongs to ice, far below 1 to steam. With a ratio near 1 it "
        "belongs to both or to neither.",
        note=f"{paper.SOURCE}. The ratios come from probabilities before rounding.",
    )


def _text(view: View) -> LessonText | None:
    """Draw the ratios of two words of a text, and ask for the difference of two logarithms."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        tokenized.control()
    if (chosen := tokenized.chosen()) is None:
        return None
    usual = suggested(chosen.corpus)
    with st.container(horizontal=True, vertical_alignment="bottom", key="pair"):
        pair = [
            st.text_input(title, max_chars=60, width=200, **address.bind(name, address.get(name, word)[:60]))
            for name, title, word in zip(("one", "other"), ("Word i", "Word j"), usual, strict=True)
        ]
    found: Ratios = calls.result(
        call("embedviz.corpus.ratios:ratios", chosen.given, *(word.strip().lower() for word in pair))
    )
    figure.plotly(ratios_figure(found, view.theme, phone=view.phone), "glove-ratios")
    near_both = [each for each in found.rows if min(each.shares)]
    if not near_both:
        states.state("No word stands near both.", "Choose two words that are more alike.")
        return None
    row = max(near_both, key=lambda each: abs(log(each.ratio or 1.0)))
    parts = [f"ln {each.pairs[place]:,} − ln {found.totals[place]:,.0f}" for place, each in enumerate((row, row))]
    value = log(row.shares[0] / row.shares[1])
    above, below = (f"{tex(row.pairs[at], 0)}/{tex(found.totals[at], 0)}" for at in (0, 1))
    logs = rf"\ln\frac{{{above}}}{{{below}}}"
    return LessonText(
        limit="A ratio of a small text is uncertain: look at the intervals. Only words whose interval leaves out 1 "
        "are colored.",
        exercise=Exercise(
            f"Take “{row.word}” as k, “{found.one}” as i and “{found.other}” as j. What is ln of the ratio?",
            value,
            f"({parts[0]}) − ({parts[1]}) = {signed(value)}. In GloVe the bias of i can hold ln X_i, and that of j "
            "ln X_j.",
            "The logarithm of a ratio is a difference: ln P(k|i) − ln P(k|j).",
            tolerance=0.006,
        ),
        formula=(
            rf"(w_i - w_j)^\top \tilde w_k = \ln {_RATIO} = {logs}",
            r"\Rightarrow\quad w_i^\top \tilde w_k = \ln X_{ik} - \ln X_i",
            r"\Rightarrow\quad w_i^\top \tilde w_k + b_i + \tilde b_k = \ln X_{ik}",
        ),
        meaning=found.meaning,
        note=found.note,
    )


def _weight(view: View) -> LessonText:
    """Draw the weight of a count with a cutoff and an exponent to move, and ask for one value."""
    with st.container(horizontal=True, key="controls"):
        x_max, alpha = number_choice("xmax", "x_max", X_MAX, 10), number_choice("alpha", "Exponent α", ALPHAS, 0.75)
    along, here = {"xmax": X_MAX, "alpha": ALPHAS}, {"xmax": x_max, "alpha": alpha}
    moved = stepped(view, "glove-weight", "", along, here, partial(_weight_step, view))
    count = _asked_count(x_max)
    value = float(pair_weight(count, x_max, alpha))
    return LessonText(
        limit="A low weight does not mean “wrong”: rare counts are noisy, and there are many of them. The authors' "
        "code says that the result is not very sensitive to x_max and α.",
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
    """Return the count whose weight is asked for."""
    return max(1.0, round(0.3 * x_max))


def _weight_step(view: View, xmax: float, alpha: float) -> SliderStep:
    """Return the curve of the weight, and the weight of twice the count that is asked for as a formula."""
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


_TITLES = {"paper": "The paper", "text": "A text", "weight": "Weight"}
_FIGURES: dict[str, Callable[[View], LessonText | None]] = {"paper": _paper, "text": _text, "weight": _weight}

LESSON = Lesson("glove", "The idea of GloVe", "Why the logarithm of a count?", 5, WORKBENCH, draw, choice="")
