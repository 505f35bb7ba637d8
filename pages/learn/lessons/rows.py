"""From one-hot to lookup: what a one-hot vector says, and which rows of the table a batch changes."""

import streamlit as st

from embedviz.core.phrases import counted
from embedviz.corpus.preparing import preview
from embedviz.figures.lessons import bars_chart
from embedviz.training.lookup import OneHotCode, gradient_rows
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

BATCH = "the king and the queen play the guitar by the river"
LONGEST = 400
MOST_ROWS = 12
"""Greatest number of rows drawn; the rows that the batch chooses most often are drawn first."""


def draw(view: View) -> LessonText | None:
    """Draw how often a batch of words chooses each row. The exercise asks how many rows get no gradient.

    Return the texts of the lesson, or None if no word of the batch is in the space.
    """
    batch = address.get("batch", BATCH)[:LONGEST]
    st.text_input("Batch: the words that are looked up", max_chars=LONGEST, **address.bind("batch", batch))
    index, size, d = view.space.index, len(view.space), view.space.dimensions
    typed = [piece.word for line in preview(batch) for piece in line if piece.word]
    tokens = [index[word] for word in typed if word in index]
    if not tokens:
        states.state("No word of this text is in the space.", "Type a few words, such as “the king and the queen”.")
        return None
    code, found = OneHotCode(size), gradient_rows(tokens, size)
    order = sorted(range(len(found.rows)), key=lambda place: (-found.times[place], found.rows[place]))[:MOST_ROWS]
    rows, times = [int(found.rows[place]) for place in order], [int(found.times[place]) for place in order]
    chart = bars_chart(
        view.space.words_at(rows),
        [float(found.gradient[place][0]) for place in order],
        [f"row {row:,}, {counted(count, 'time')}" for row, count in zip(rows, times, strict=True)],
        view.theme,
        title="gradient (1 for each choice)",
        phone=view.phone,
    )
    figure.plotly(chart, "rows-gradient")
    left, missing = size - len(found.rows), len(typed) - len(tokens)
    more = f"Drawn are {MOST_ROWS} of {len(found.rows):,} rows. " if len(found.rows) > MOST_ROWS else ""
    verb = "is" if missing == 1 else "are"
    unknown = f"{counted(missing, 'word')} of the text {verb} not in the space. " if missing else ""
    return LessonText(
        limit=f"Zero does not mean “not stored”. Without sparse=True, PyTorch stores the gradient of the whole table: "
        f"{size:,} × {d:,} = {size * d:,} numbers.",
        exercise=Exercise(
            f"For how many of the {size:,} rows is the gradient exactly zero?",
            float(left),
            f"{len(found.rows):,} different rows are chosen, so {size:,} − {len(found.rows):,} = {left:,} rows get 0.",
            "Count each word of the batch once, and subtract.",
        ),
        formula=(
            r"x^\top V = V_{i}" + (_two_words(code) if size > 1 else ""),
            rf"\log_2 |V| = \log_2 {tex(size, 0)} = {tex(code.bits, 1)}\ \text{{bits}}",
        ),
        meaning="Each word chooses one row. A row that is chosen twice gets the sum of both gradients.",
        note=f"{more}{unknown}A one-hot vector has a number for each row to say what these bits say.",
    )


def _two_words(code: OneHotCode) -> str:
    """Return a formula with the distance and the cosine of the one-hot vectors of any two words."""
    return rf",\quad |x - x'| = \sqrt{{2}} = {tex(code.distance)},\quad \cos(x, x') = {code.cosine:g}"


LESSON = Lesson("rows", "From one-hot to lookup", "Which rows of the table does a batch change?", 5, WORKBENCH, draw)
