"""Log counts: what a trained GloVe model gives for each pair of words, against the logarithm of the pair's count X."""

from math import log

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number, share, signed
from embedviz.figures.lessons import agreement_chart, bars_chart
from embedviz.training.glove.log_counts import LogCountPair, LogCounts
from pages._shared.app import address
from pages._shared.output import figure
from pages._shared.sources import tokenized
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, figure_choice, number_choice
from pages.learn.pattern.latex import factor, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

PAIRS = 10
_TITLES = {"fit": "All pairs", "worst": "Worst pairs"}


def draw(view: View) -> LessonText | None:
    """Draw a trained model's values against ln X, or its worst pairs.

    The exercise asks for the error or the cost of a pair.
    """
    kind = figure_choice(_TITLES)
    controls = st.container(horizontal=True, vertical_alignment="bottom", key="controls")
    with controls:
        tokenized.control()
    if (chosen := tokenized.chosen()) is None:
        return None
    with controls:
        size = int(number_choice("size", "Dimensions", (2, 5, 10, 20, 50), 10, live=False))
    question = call("embedviz.training.glove.log_counts:log_counts", chosen.given, vector_size=size)
    what = "GloVe learns the log counts of this text."
    found: LogCounts | None = computed("learn-glove", question, "GloVe on this text", what, f"{size} dimensions")
    if found is None:
        return None
    return _worst(view, found) if kind == "worst" else _agreement(view, found)


def _agreement(view: View, found: LogCounts) -> LessonText:
    """Draw the model's values against ln X, and name the pairs that cost most. The exercise asks for a pair's error."""
    named = [(log(pair.met), pair.written, f"{pair.word}, {pair.context}") for pair in found.by_cost[:4]]
    chart = agreement_chart(
        found.drawn.tolist(), view.theme, across="ln X", up="w · w̃ + b + b̃", named=() if view.phone else named
    )
    figure.plotly(chart, "glove-fit")
    pair = found.by_cost[:2][-1]  # the sentence already gives the error of the first
    parts = f"{number(pair.dot)} + {number(pair.bias)} + {number(pair.context_bias)}"
    return LessonText(
        limit="The dot product alone is no log count: the biases carry how frequent each word is.",
        exercise=Exercise(
            f"The formulas are those of “{pair.word}” near “{pair.context}”. What is the error of this pair?",
            pair.error,
            f"{parts} = {number(pair.written)}, and ln {number(pair.met)} = {number(log(pair.met))}: the error is "
            f"{signed(pair.error)}.",
            "Subtract ln X from what the model writes.",
            tolerance=0.03,
        ),
        formula=_equation(pair),
        meaning=found.meaning,
        note=_note(found),
    )


def _worst(view: View, found: LogCounts) -> LessonText:
    """Draw the pairs with the largest errors or costs, as the visitor chooses; return the texts of the lesson.

    The exercise asks for the cost of the first pair.
    """
    order = "cost" if address.get("order") == "cost" else "error"
    titles = {"error": "By error", "cost": "By cost"}
    st.segmented_control(
        "Order", list(titles), format_func=titles.__getitem__, required=True, **address.bind("order", order)
    )
    pairs = (found.by_cost if order == "cost" else found.by_error)[:PAIRS]
    chart = bars_chart(
        [f"{pair.word}, {pair.context}" for pair in pairs],
        [pair.cost if order == "cost" else abs(pair.error) for pair in pairs],
        [_about(pair, short=view.phone) for pair in pairs],
        view.theme,
        title="cost f(X) · error²" if order == "cost" else "size of the error",
        phone=view.phone,
    )
    figure.plotly(chart, "glove-worst")
    pair = pairs[0]
    return LessonText(
        limit="A large error is no fault of the model alone: pairs with small counts weigh little, so their errors "
        "stay.",
        exercise=Exercise(
            f"The first pair has the weight {number(pair.weight, 3)} and the error {signed(pair.error)}. What does "
            "it add to J?",
            pair.cost,
            f"{number(pair.weight, 3)} × {number(abs(pair.error))}² = {number(pair.cost, 3)}.",
            "Square the error, then multiply by the weight.",
            tolerance=0.01 + 0.02 * pair.cost,
        ),
        formula=_equation(pair),
        meaning=found.meaning,
        note=_note(found),
    )


def _about(pair: LogCountPair, *, short: bool) -> str:
    """Return the text next to the bar of a pair: count, error and, unless `short`, weight."""
    parts = [f"X {number(pair.met)}", f"error {signed(pair.error)}", f"f {number(pair.weight)}"]
    return "   ".join(parts[:2] if short else parts)


def _equation(pair: LogCountPair) -> tuple[str, str]:
    """Return two lines of LaTeX with the numbers of a pair: the value that the model gives, and ln X."""
    return (
        r"w_i^\top \tilde w_j + b_i + \tilde b_j = "
        rf"{tex(pair.dot)} + {factor(pair.bias)} + {factor(pair.context_bias)} = {tex(pair.written)}",
        rf"\ln X_{{ij}} = \ln {tex(pair.met)} = {tex(log(pair.met))}",
    )


def _note(found: LogCounts) -> str:
    return (
        f"{found.pairs:,} pairs within 10 words; each meeting counts 1 / distance. {share(found.light)} of them have a "
        f"weight below 1. {found.dimensions} dimensions, {found.epochs} epochs, x_max {found.x_max:g}, α "
        f"{found.alpha:g}."
    )


LESSON = Lesson(
    "log_counts", "The log counts of GloVe", "How well do vectors give the log counts?", 5, WORKBENCH, draw, choice=""
)
