"""A batch of sentence pairs: InfoNCE with its temperature and its bound, alignment and uniformity by layer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.contextual.contrast import SentenceBatch
from embedviz.core.call import Call, Elsewhere, call
from embedviz.core.phrases import cut, number
from embedviz.corpus import LEE
from embedviz.figures.batches import heat_chart, path_chart
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import corpora, models
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, figure_choice, number_choice
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.current import View

SIZES, TEMPERATURES = (2, 4, 8, 16, 32), (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_TITLES = {"batch": "InfoNCE", "layers": "Alignment and uniformity"}
_SLOT, _TITLE = "learn-contrast", "A batch of sentence pairs"


def draw(view: View) -> LessonText | None:
    """Draw the probabilities of a batch, or its layers by alignment and uniformity."""
    kind = figure_choice(_TITLES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        corpora.control()
        n = int(number_choice("n", "Pairs in the batch N", SIZES, 8, live=False))
        temperature = number_choice("temperature", "Temperature τ", TEMPERATURES, 0.1) if kind == "batch" else 0.1
    if (texts := corpora.chosen()) is None:
        return None
    question = _call(texts.given, n)
    batch: SentenceBatch | None = computed(
        _SLOT, question, _TITLE, "Reading the sentences.", "the batch before", private=texts.private
    )
    if batch is None:
        return None
    return _batch(view, batch, temperature) if kind == "batch" else _layers(view, batch)


def _call(given: str | Elsewhere, n: int) -> Call:
    model = models.argument(models.current())
    return call("embedviz.contextual.contrast:sentence_batch", given, n, model=model)


def _batch(view: View, batch: SentenceBatch, temperature: float) -> LessonText:
    """Draw the softmax of each row."""
    loss = batch.loss(temperature)
    n = len(loss)
    anchors = [cut(one, 40) for one in batch.anchors]
    columns = [str(place + 1) for place in range(n)]
    rows = [f"{place + 1}. {text}" for place, text in enumerate(anchors)]
    chart = heat_chart(loss.probabilities.tolist(), rows, columns, view.theme, key="probability", phone=view.phone)
    figure.plotly(chart, "contrast-batch")
    return _batch_text(batch, temperature)


def _batch_text(batch: SentenceBatch, temperature: float) -> LessonText:
    """Return what stands under the softmax of the rows, and ask for the bound."""
    loss = batch.loss(temperature)
    n = len(loss)
    value, most = number(loss.value, 3), number(loss.most, 3)
    p, s = float(loss.probabilities[0, 0]), float(batch.similarities[0, 0])
    return LessonText(
        limit="A small loss does not say that the vectors hold much: with N pairs the bound never says more than ln N "
        "nats, however good the encoder is.",
        exercise=Exercise(
            f"The loss of this batch is {value} nats. What is its ln N − L, the bound, in nats?",
            loss.bound,
            f"ln N − L = ln {n} − {value} = {most} − {value} = {number(loss.bound, 3)}. "
            + ("Equal probabilities give 0." if loss.bound >= 0 else "A bound below 0 says nothing."),
            "Take the natural logarithm of the number of pairs, and subtract the loss.",
            tolerance=0.01,
        ),
        formula=(
            rf"L = -\frac{{1}}{{N}} \sum_{{i=1}}^{{N}} \ln \frac{{e^{{s_{{ii}}/\tau}}}}{{\sum_j e^{{s_{{ij}}/\tau}}}} "
            rf"= {tex(loss.value, 3)},\quad -\ln p_{{11}} = -\ln {tex(p, 3)} = {tex(-math.log(p), 3)}",
            rf"I \ge \ln N - L = \ln {n} - L,\quad s_{{11}} = {tex(s, 3)},\quad \tau = {temperature:g}",
        ),
        meaning="The loss pushes the cosines on the diagonal up and all others down: each sentence learns to find its "
        f"partner. Sentences that have their own partner nearest: {loss.right} of {n}. By chance it would be 1.",
        note="A row is a sentence, a column the sentence after one of them: the pairs stand on the diagonal. A cell is "
        "the probability that the softmax of cosine / τ over the row gives to the column. "
        f"{batch.note} I is the mutual information of a sentence and the next one. The bound I ≥ ln N − L holds for "
        "the mean of many batches, not for each one.",
    )


def _layers(view: View, batch: SentenceBatch) -> LessonText:
    """Draw each layer by uniformity and alignment, and ask for the alignment from the mean cosine."""
    layers = batch.layers
    points = [(one.uniformity, one.alignment) for one in layers]
    chart = path_chart(
        points,
        [f"layer {one.layer}" if one in (layers[0], layers[-1]) else str(one.layer) for one in layers],
        view.theme,
        across="uniformity (left: spread evenly)",
        up="alignment (down: pairs are near)",
    )
    figure.plotly(chart, "contrast-layers")
    last = layers[-1]
    return LessonText(
        limit="Low alignment alone is no success: where all sentences are one point, it is 0. The two have to be read "
        "together.",
        exercise=Exercise(
            f"At layer {last.layer} the mean cosine of the pairs is {number(last.cosine, 3)}. What is the alignment?",
            last.alignment,
            f"|x − y|² = 2 − 2 cos for unit vectors: 2 − 2 × {number(last.cosine, 3)} = {number(last.alignment, 3)}.",
            "Vectors have length 1, so |x − y|² = 2 − 2 cos.",
            tolerance=0.01,
        ),
        formula=(
            r"\ell_{\text{align}} = \overline{|x - y|^2},\quad "
            r"\ell_{\text{uniform}} = \ln \overline{e^{-2 |x - x'|^2}}",
            rf"\text{{layer }} {last.layer}:\quad \ell_{{\text{{align}}}} = {tex(last.alignment)},\quad "
            rf"\ell_{{\text{{uniform}}}} = {tex(last.uniformity)}",
        ),
        meaning=batch.meaning,
        note=f"{batch.note} Uniformity: all {2 * len(batch.anchors)} sentences. One point has 0; evenly spread points "
        "of many dimensions have about −4.",
    )


def begin() -> None:
    """Begin to read the first batch, without waiting for it."""
    calls.task(_SLOT, _call(LEE, 8), title=_TITLE, wait=0)


LESSON = Lesson(
    "contrast", "Learning from a batch", "How does a batch teach an encoder?", 6, WORKBENCH, draw, "model", begin
)
