"""What is an embedding: a row of a table, chosen by a one-hot vector."""

import math
from collections.abc import Sequence
from functools import partial

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import counted, number
from embedviz.figures.learning import row_figure
from embedviz.neighbors.row import EmbeddingRow
from pages._shared.app import address
from pages._shared.app.escape import plain
from pages._shared.controls import wordbox
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped

_WHOLE = 10
"""If the ratio that the exercise asks for is this or more, the answer is a whole number; else it has one decimal."""


def draw(view: View) -> LessonText | None:
    """Draw the numbers of a word's row; a slider chooses one of them."""
    last = view.space.dimensions - 1
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        typed = wordbox.word_search(view, "what-word", value=view.word or view.examples()[0], width=220)
        place = slider.whole("Place in the row", "number", 0, last, 0, width=360) if last else 0
    if typed is not None:
        address.put(word=typed or None)
        st.rerun()
    found = view.find()
    word = found.word if found.typed and found.word else view.examples()[0]
    row: EmbeddingRow = calls.result(call("embedviz.neighbors.row:word_row", view.recipe, word))
    values = row.values.astype(float).round(5).tolist()
    d, step = len(values), partial(_step, view, row, values)
    moved = stepped(view, "what-row", (view.address, word), {"number": range(d)}, {"number": place}, step)
    return LessonText(
        limit="One number alone seldom has a meaning that people can name. Compare whole rows.",
        exercise=_exercise(row),
        steps=moved,
        note=f"{_missing(view, word)}V is the table: one row for each word. x is one-hot: 1 for this word, 0 for all "
        "others. v is the row of this word: its embedding. Rows and places are counted from 0.",
    )


def _exercise(row: EmbeddingRow) -> Exercise:
    """Return an exercise that asks how many times as long as a row of the table a one-hot vector is.

    If the row is longer, the exercise asks how many times as long as the one-hot vector the row is.
    """
    n, d = row.words, len(row.values)
    longer = n >= d
    ratio = row.shorter if longer else d / n
    one, other = (f"{n:,}", f"{d:,}") if longer else (f"{d:,}", f"{n:,}")
    asks = f"How many times as many numbers does {'x' if longer else 'v'} have?"
    whole = ratio >= _WHOLE
    digits = "Round to a whole number." if whole else "Give one decimal."
    first = "The row is shorter and says more" if n > d else "The row says more than the one-hot vector"
    written = f"{ratio:,.0f}" if ratio.is_integer() else number(ratio)
    if whole and not ratio.is_integer():
        written += f", about {math.floor(ratio + 0.5):,}"
    return Exercise(
        f"x has {counted(n, 'number')}, v has {counted(d, 'number')}. {asks} {digits}",
        float(math.floor(ratio + 0.5)) if whole else ratio,
        f"{one} / {other} = {written}. {first}: in a trained table "
        "similar words have similar rows, but any two one-hot vectors are equally far apart.",
        f"Divide {one} by {other}.",
        tolerance=0.5 if whole else max(0.05, 0.01 * ratio),
    )


def _missing(view: View, word: str) -> str:
    """Return a sentence: the space lacks the typed word, so `word` is drawn. It is empty if the space has the word."""
    typed = view.find().typed
    if not typed or view.find().word:
        return ""
    return f"“{plain(typed, 40)}” is not among the words of this space; the figure has “{word}”. "


def _step(view: View, row: EmbeddingRow, values: Sequence[float], number: float) -> SliderStep:
    """Return a figure of the numbers in a row, one of them marked, and formulas: a one-hot vector chooses the row."""
    place = int(number)
    numbers = rf"v = x^\top V,\quad x[{row.row}] = 1,\ \text{{all other }} {tex(row.words - 1, 0)}\ \text{{are }} 0"
    chosen = rf"v[{place}] = V[{row.row},\ {place}] = {tex(float(row.values[place]))}"
    return SliderStep(row_figure(values, place, view.theme), (numbers, chosen), row.meaning)


LESSON = Lesson("what", "What is an embedding?", "How does a computer hold a word?", 5, FIRST_PATH, draw)
