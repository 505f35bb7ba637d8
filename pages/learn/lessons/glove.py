"""GloVe's idea: ratios of probabilities, their logarithms with biases, and the weight of a count."""

from collections.abc import Callable
from math import log

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number, signed
from embedviz.corpus import published_ratios as paper
from embedviz.corpus.ratios import Ratios, suggested
from embedviz.figures.ratios import published_ratios_figure, ratios_figure
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import tokenized
from pages._shared.sources.current import View
from pages.learn.lessons.glove_weight import weight_text
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

_RATIO = r"\frac{P(k\mid i)}{P(k\mid j)}"


def draw(view: View) -> LessonText | None:
    """Draw the chosen figure of the lesson, and return the texts of the lesson; None if there is no figure yet."""
    return _FIGURES[figure_choice(_TITLES)](view)


def _paper(view: View) -> LessonText:
    """Draw the ratios of the paper's table; the exercise asks which word is frequent both near ice and near steam."""
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
    """Draw the ratios of co-occurrence probabilities for two words of a text, and return the texts of the lesson.

    The exercise asks for the logarithm of one ratio. None if no text is ready, or if no word occurs near both words.
    """
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


_TITLES = {"paper": "The paper", "text": "A text", "weight": "Weight"}
_FIGURES: dict[str, Callable[[View], LessonText | None]] = {"paper": _paper, "text": _text, "weight": weight_text}

LESSON = Lesson("glove", "The idea of GloVe", "Why the logarithm of a count?", 5, WORKBENCH, draw, choice="")
