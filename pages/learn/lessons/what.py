"""What is an embedding: a row of a table, chosen by a one-hot vector."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.figures.learning import row_figure
from embedviz.neighbors.row import EmbeddingRow
from pages._shared.app import address
from pages._shared.controls import wordbox
from pages._shared.results import calls
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped

if TYPE_CHECKING:
    from pages._shared.sources.current import View


def draw(view: View) -> LessonText | None:
    """Draw the numbers of a word, one of them chosen by a slider."""
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
        limit="One number alone seldom has a meaning that people can name. A row gets its meaning beside other rows.",
        exercise=Exercise(
            f"x has {row.words:,} numbers, v has {d:,}. How many times longer is x than v?",
            row.shorter,
            f"{row.words:,} / {d:,} = {number(row.shorter)}. The row is shorter and says more: similar words have "
            "similar rows, but any two one-hot vectors have the distance √2.",
            f"Divide {row.words:,} by {d:,}.",
            tolerance=0.01 * row.shorter,
        ),
        steps=moved,
        note="V is the table, with a row for each word. x has a 1 at the place of the word and 0 elsewhere: it is "
        "one-hot. x times V chooses the row v of the word: its embedding.",
    )


def _step(view: View, row: EmbeddingRow, values: Sequence[float], number: float) -> SliderStep:
    """Return the numbers of a row with one of them chosen, and the formula that chooses it."""
    place = int(number)
    numbers = rf"v = x^\top V,\quad x_{{{row.row}}} = 1,\ \text{{all other }} {tex(row.words - 1, 0)}\ \text{{are }} 0"
    chosen = rf"v_{{{place}}} = V_{{{row.row},{place}}} = {tex(float(row.values[place]))}"
    return SliderStep(row_figure(values, place, view.theme), (numbers, chosen), row.meaning)


LESSON = Lesson("what", "What is an embedding?", "How does a computer hold a word?", 5, FIRST_PATH, draw)
