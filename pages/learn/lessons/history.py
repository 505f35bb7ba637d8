"""How we came here: from counts to today's encoders, with what each step solved, its cost and the size of its table."""

import streamlit as st

from embedviz.core.phrases import number, share
from embedviz.figures.batches import years_chart
from embedviz.testsets.history import MILESTONES, Milestone
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText, go

_MILLION = 1e6


def draw(view: View) -> LessonText:
    """Draw the sizes of the tables over the years, and describe one step. The exercise is on the size of its table."""
    listed = {one.name: one for one in MILESTONES}
    wanted = address.get("step")
    one = listed[wanted if wanted in listed else "word2vec"]
    st.segmented_control(
        "Step",
        list(listed),
        format_func=lambda name: f"{listed[name].year} {listed[name].title}",
        required=True,
        label_visibility="collapsed",
        **address.bind("step", one.name),
    )
    sized = [each for each in MILESTONES if each.rows]
    points = [(each.year, each.parameters, each.title) for each in sized]
    place = sized.index(one) if one in sized else -1
    figure.plotly(
        years_chart(points, place, view.theme, up="parameters of the table", phone=view.phone), "history-years"
    )
    states.entry(f"{one.title}, {one.year}: solved", one.solved)
    states.entry("Its cost", one.cost)
    st.button("Open the lesson on its idea", icon=":material/door_open:", on_click=go, args=(one.lesson,))
    return LessonText(
        limit="A later step is not better for every purpose: a table answers in microseconds, and a count can be "
        "checked by hand.",
        exercise=_exercise(one),
        formula=_formula(one),
        meaning=_meaning(one),
        note="|V|: rows of the table; d: numbers in a row.",
        details=f"{one.source} Tables of output vectors are not counted. The axis is logarithmic.",
    )


def _formula(one: Milestone) -> tuple[str, ...]:
    if not one.rows:
        return (rf"|V| \cdot d = 0,\quad \text{{parameters}} = {tex(one.total / _MILLION, 1)} \text{{ million}}",)
    return (rf"|V| \cdot d = {tex(one.rows, 0)} \cdot {tex(one.dimensions, 0)}",)


def _meaning(one: Milestone) -> str:
    if not one.rows:
        return (
            f"{one.title} has no table of words: it makes a vector from the characters. So it has no point in "
            "the figure."
        )
    if not one.total:
        return "To look up a vector, no network has to run: the rows of a table are enough."
    return f"The table is {share(one.share)} of all {one.total / _MILLION:,.0f} million parameters."


def _exercise(one: Milestone) -> Exercise:
    """Return an exercise on the number of parameters, in millions, in a milestone's table of word vectors.

    For a milestone without such a table, it asks for the number of rows, which is 0.
    """
    millions = one.parameters / _MILLION
    if not one.rows:
        return Exercise(
            f"{one.title} reads characters. How many rows has its table of words?",
            0.0,
            f"None: all {number(one.total / _MILLION, 1)} million parameters compute vectors from characters.",
            "It has no vocabulary of words.",
        )
    return Exercise(
        f"{one.title}: the table has {one.rows:,} rows of {one.dimensions:,} numbers. How many parameters is that, in "
        "millions?",
        millions,
        f"{one.rows:,} × {one.dimensions:,} = {one.parameters:,}, so {number(millions)} million; with 4 bytes each, "
        f"{4 * millions:,.0f} MB.",
        "Multiply rows and dimensions, and divide by 1,000,000.",
        tolerance=max(0.01, 0.02 * millions),
    )


LESSON = Lesson("history", "How we came here", "What did each step solve?", 5, WORKBENCH, draw, choice="")
