"""Kinds of vectors: word, subword, token, sentence, document, node and image, each with a computed example."""

import streamlit as st

from embedviz.contextual.models import clips
from embedviz.core.call import Call, call
from embedviz.core.phrases import number, written_factor
from embedviz.figures.lessons import bars_chart
from embedviz.training.kinds import KindExample, Kinds
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import models
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed
from pages.learn.pattern.latex import digits_that_give, factor, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText, go

_SLOT, _TITLE = "learn-kinds", "A vector of each kind"


def draw(view: View) -> LessonText | None:
    """Draw, for each kind, the cosine of an example with its nearest neighbor; describe the chosen kind.

    Return the texts of the lesson, or None until a job has computed the examples.
    """
    found: Kinds | None = computed(_SLOT, _call(), _TITLE, "Making a vector of each kind.")
    if found is None:
        return None
    listed = {one.name: one for one in found.examples}
    wanted = address.get("kind")
    one = listed[wanted if wanted in listed else "word"]
    bound = address.bind("kind", one.name)
    titles = {name: each.title for name, each in listed.items()}
    st.segmented_control("Kind", list(listed), format_func=titles.__getitem__, required=True, **bound)
    chart = bars_chart(
        [each.title for each in found.examples],
        [each.cosine for each in found.examples],
        [f"{number(each.cosine)}   random pairs {number(each.usual)}" for each in found.examples],
        view.theme,
        title="cosine of the example with its nearest one",
        phone=view.phone,
    )
    chart.update_layout(xaxis={"tickvals": [0, 0.5, 1]})  # the texts of the bars reach beyond 1
    figure.plotly(chart, "kinds-cosines")
    states.entry(one.title, one.made)
    states.entry("Example", one.example)
    states.entry("Nearest", one.nearest)
    st.button("Open its lesson", icon=":material/door_open:", on_click=go, args=(one.lesson,), key="kinds-go")
    if "image" not in listed:
        states.entry("Image", "No CLIP is on this computer, so there is no example. Its lesson offers a download.")
        st.button("Open the lesson on images", icon=":material/image:", on_click=go, args=("clip",), key="kinds-clip")
    return _text(one)


def _text(one: KindExample) -> LessonText:
    """Return the texts under the figure, with the numbers of one kind."""
    digits = digits_that_give((one.cosine, one.usual), lambda cosine, usual: cosine - usual)
    return LessonText(
        limit="Cosines of different kinds cannot be compared: each space has its own random pairs, and some have few "
        "rows.",
        exercise=Exercise(
            f"{one.title}: by how much is the cosine of the example with its nearest one above that of random pairs?",
            one.lead,
            f"{number(one.cosine, digits)} − {written_factor(one.usual, digits)} = {number(one.lead)}.",
            "Read both numbers at the bar of the kind.",
            tolerance=0.015,
        ),
        formula=(
            rf"\cos(x, x') - \overline{{\cos}} = {tex(one.cosine, digits)} - {factor(one.usual, digits)},\quad "
            rf"n \times d = {tex(one.rows, 0)} \times {tex(one.dimensions, 0)}",
        ),
        meaning="Each kind becomes a table of rows. The measures of this program work for the rows of any such table.",
        note=f"{one.sample} x: the vector of the example; x′: the nearest one. A line over cos: mean of random pairs. "
        "n: rows; d: numbers in a row.",
    )


def _call() -> Call:
    clip = next(iter(clips()), None)
    given = {} if clip is None else {"clip": models.argument(clip)}
    return call("embedviz.training.kinds:kinds", model=models.argument(models.current()), **given)


def begin() -> None:
    """Start to make the examples in the background."""
    calls.task(_SLOT, _call(), title=_TITLE, wait=0)


LESSON = Lesson("kinds", "Kinds of vectors", "What else has vectors?", 5, WORKBENCH, draw, "model", begin)
