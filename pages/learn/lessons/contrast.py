"""A batch of sentence pairs: the loss InfoNCE, the bound that it gives, and alignment and uniformity by layer."""

import math

import streamlit as st

from embedviz.contextual.contrast import SentenceBatch
from embedviz.core.call import Call, Elsewhere, call
from embedviz.core.phrases import cut, number
from embedviz.corpus import LEE
from embedviz.figures.batches import heat_chart
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import corpora, models
from pages._shared.sources.current import View
from pages.learn.lessons.contrast_figures import bound_text, layers_text
from pages.learn.pattern import more
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, number_choice
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

SIZES, TEMPERATURES = (2, 4, 8, 16, 32), (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_TITLES = {"batch": "A batch", "bound": "What the loss bounds", "layers": "Alignment and uniformity"}
_SLOT, _TITLE = "learn-contrast", "A batch of sentence pairs"


def draw(view: View) -> LessonText | None:
    """Draw the chosen figure and return its texts: probabilities of a batch, or alignment and uniformity by layer.

    The result is None until sentences are chosen and measured.
    """
    kind, temperature = more.current(_TITLES), 0.1
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        if kind != "layers":
            temperature = number_choice("temperature", "Temperature τ", TEMPERATURES, temperature)
        n = int(number_choice("n", "Pairs in the batch N", SIZES, 8, live=False))
        corpora.control()
    if (texts := corpora.chosen()) is None:
        return None
    question = _call(texts.given, n)
    batch: SentenceBatch | None = computed(
        _SLOT, question, _TITLE, "Reading the sentences.", "the batch before", private=texts.private
    )
    if batch is None:
        return None
    if kind == "layers":
        return layers_text(view, batch)
    _probabilities(view, batch, temperature)
    return (_batch_text if kind == "batch" else bound_text)(batch, temperature)


def _call(given: str | Elsewhere, n: int) -> Call:
    model = models.argument(models.current())
    return call("embedviz.contextual.contrast:sentence_batch", given, n, model=model)


def _probabilities(view: View, batch: SentenceBatch, temperature: float) -> None:
    """Draw the probabilities of a batch: the softmax of each sentence's cosines with all second sentences."""
    found = batch.loss(temperature).probabilities
    columns = [str(place + 1) for place in range(len(found))]
    rows = [f"{place}. {cut(text, 40)}" for place, text in enumerate(batch.anchors, 1)]
    chart = heat_chart(found.tolist(), rows, columns, view.theme, key="probability", phone=view.phone)
    figure.plotly(chart, "contrast-batch")


def _batch_text(batch: SentenceBatch, temperature: float) -> LessonText:
    """Return the texts on the loss of a batch; the exercise asks for one of N equal probabilities of a row."""
    loss = batch.loss(temperature)
    n = len(loss.probabilities)
    p = float(loss.probabilities[0, 0])
    return LessonText(
        limit="A small loss does not make a good encoder: among few or very different sentences it is easy to find "
        "the partner.",
        exercise=Exercise(
            f"An encoder that knows nothing gives equal probabilities. What is each of them in a batch of {n} pairs?",
            1 / n,
            f"1 / {n} = {number(1 / n, 3)}, so the loss would be −ln (1 / {n}) = ln {n} = "
            f"{number(loss.most, 3)}. Here it is {number(loss.value, 3)}.",
            f"The {n} probabilities of a row add up to 1.",
            tolerance=0.004,
        ),
        formula=(
            rf"p_{{11}} = \frac{{e^{{s_{{11}}/\tau}}}}{{\sum_j e^{{s_{{1j}}/\tau}}}} = {tex(p, 3)},\quad "
            rf"s_{{11}} = {tex(float(batch.similarities[0, 0]), 3)},\quad \tau = {temperature:g}",
            rf"\text{{loss}} = \text{{mean of }} {{-\ln p_{{ii}}}} = {tex(loss.value, 3)},\quad "
            rf"-\ln p_{{11}} = {tex(-math.log(p), 3)}",
        ),
        meaning="Each row is a sentence, each column a sentence that may follow it; the one that does is on the "
        f"diagonal. Training makes the diagonal large. Here it is the largest cell in {loss.right} of {n} rows; by "
        f"chance that is so in 1 of {n}.",
        note="A cell is the probability of the column, given the row; s is their cosine.",
        details=f"{batch.note} Each row is the softmax of its cosines divided by τ. The loss is InfoNCE, in nats.",
    )


def begin() -> None:
    """Start to read the first batch in the background."""
    calls.task(_SLOT, _call(LEE, 8), title=_TITLE, wait=0)


LESSON = Lesson(
    "contrast",
    "Learning from a batch",
    "How does a batch teach an encoder?",
    5,
    WORKBENCH,
    draw,
    "model",
    begin,
    _TITLES,
)
