"""Words as arithmetic, and when it fails: a formula of words with its answer, with and without its own words."""

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.core.space import UnknownWordError
from embedviz.figures.analogy import analogy_figure
from embedviz.neighbors.analogy import Analogy, examples
from embedviz.neighbors.formula import FormulaError
from pages._shared.app import address, states
from pages._shared.controls import wordbox
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import letters, tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText

OPENING = "paris - france + italy"
"""Shown first where the space has its words; it fails in the built-in space."""
MOST_PAIRS = 3
"""Pairs of words of the formula whose cosines are written."""


def draw(view: View) -> LessonText | None:
    """Draw a formula with its parallelogram, and ask for the answer with its own words allowed."""
    known = {one.formula: one.expected for one in examples(view.space)}
    shelf = sorted(known, key=lambda one: one != OPENING)
    text = address.get("formula", shelf[0] if shelf else "")
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        typed = wordbox.word_search(view, "arithmetic-formula", value=text, formula=True, label="Formula", width=360)
    states.offers(shelf[:4], lambda one: address.put(formula=one), "formulas")
    if typed is not None and typed != text:
        address.put(formula=typed or None)
        st.rerun()
    try:
        question = call("embedviz.neighbors.analogy:analogy", view.recipe, text, 6, expected=known.get(text))
        found: Analogy = calls.result(question)
    except (FormulaError, UnknownWordError) as error:
        states.state("This formula has no answer.", str(error))
        return None
    figure.plotly(analogy_figure(found, view.theme, phone=view.phone), "arithmetic-plot")
    allowed = found.rules["3cosadd"].unrestricted
    if not found.answers or not allowed:
        states.note(found.found)
        return None
    best, first = found.answers[0], allowed[0]
    own = first.word in found.formula.words
    where = "one of the formula's own words" if own else "another word"
    options = tuple(dict.fromkeys([*found.formula.words, *(one.word for one in found.answers[:2])]))
    return LessonText(
        limit="It does not mean that the space can calculate: some word is always the nearest to the sum, whatever the "
        "formula says.",
        exercise=Exercise(
            f"Without the formula's own words the answer is {best.word}. With them, which word is nearest to the sum?",
            first.word,
            f"The nearest of all words is {first.word}, with the cosine {number(first.score)}: {where}. "
            f"{best.word} has {number(best.score)}. The usual rule forbids the formula's own words.",
            _hint(found),
            options=tuple(sorted({*options, first.word})),
        ),
        formula=(
            rf"\cos(\text{{answer}},\ \text{{sum}}) = {tex(best.score)},\quad "
            rf"\cos(\text{{random word}},\ \text{{sum}}) = {tex(found.mean)},"
            rf"\quad |\text{{sum}}| = {tex(found.length)}",
            *([_cosines(found)] if found.among else []),
        ),
        meaning=found.meaning,
        note=_colors(found),
        details=f"The rule first scales each vector to length 1. {found.reading}",
    )


def _colors(found: Analogy) -> str:
    """Say what the marks of the figure are."""
    expected = f" Green: the expected word, {found.expected}." if found.fails else ""
    return f"Ring: the sum. Blue: the answer, {found.answer}, the nearest word in direction.{expected}"


def _cosines(found: Analogy) -> str:
    """Return the cosines of the formula's own words."""
    return r",\quad ".join(
        rf"\cos(\text{{{letters(one[:24])}}},\ \text{{{letters(other[:24])}}}) = {tex(cosine)}"
        for (one, other), cosine in list(found.among.items())[:MOST_PAIRS]
    )


def _hint(found: Analogy) -> str:
    """Say how the nearest word follows from the cosines, where the formula is an analogy."""
    question = found.question
    if question is None or set(map(abs, found.formula.weights.values())) != {1.0}:
        return "The sum is made of these words. Which of them does it still resemble most?"
    return (
        f"The rule scales all vectors to length 1, so {question.c} · sum = 1 − cos({question.c}, {question.a}) + "
        f"cos({question.c}, {question.b}). Divide this by |sum| to compare it with the cosine of the answer. Calculate "
        f"the same for {question.b} and {question.a}."
    )


LESSON = Lesson(
    "arithmetic", "Words as arithmetic, and when it fails", "Can one calculate with words?", 5, FIRST_PATH, draw
)
