"""One word, many meanings: the occurrences of “bank”, layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from embedviz.contextual.senses import Chart
from embedviz.core.call import Call, call
from embedviz.core.phrases import number, signed
from embedviz.figures.learning import plane_figure
from embedviz.testsets.datasets import sense_sentences
from pages._shared.app import address
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources import models
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed
from pages.learn.pattern.latex import factor, tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.current import View

_SLOT, _TITLE = "learn-senses", "The senses of a word"


def draw(view: View) -> LessonText | None:
    """Draw the occurrences of a word at a layer, chosen by a slider."""
    words = list(sense_sentences())
    word = address.get("sense", words[0])
    word = word if word in words else words[0]
    controls = st.container(horizontal=True, vertical_alignment="bottom", key="controls")
    with controls:
        st.segmented_control("Word", words[:5], required=True, **address.bind("sense", word))
    chart: Chart | None = computed(_SLOT, _call(word), _TITLE, f"“{word}” in its sentences.", f"“{word}”")
    if chart is None:
        return None
    scored = dict(chart.found.scored)
    last = chart.layers[-1]
    with controls:
        layer = slider.whole("Layer", "layer", 0, last, chart.best)
    at = chart.layers.index(layer)
    groups = chart.groups(layer) or [""] * len(chart.found)
    reach = 1.1 * float(np.abs(chart.points).max())
    figure.plotly(plane_figure(chart.points[at], groups, view.theme, reach), "senses-plane")
    if layer not in scored:
        return None
    apart = {one: (found.within or 0.0) - (found.between or 0.0) for one, found in scored.items()}
    best = max(apart, key=apart.__getitem__)
    within, between = scored[layer].within or 0.0, scored[layer].between or 0.0
    return LessonText(
        limit="It does not mean that the model has a list of senses: each occurrence has its own vector, and a "
        "sense is a label that people gave.",
        exercise=Exercise(
            "Move the layer. At which layer is the difference of the two mean cosines largest?",
            float(best),
            f"Layer {best}: {signed(apart[best], 3)}. At layer 0 it is {signed(apart.get(0, 0.0), 3)}: the input "
            "vector of the word is the same in every sentence but for its position.",
            "Read the formula under the figure at each layer, and keep the largest result.",
        ),
        formula=(
            rf"\overline{{\cos}}_{{\text{{same sense}}}} - \overline{{\cos}}_{{\text{{two senses}}}}"
            rf" = {tex(within, 3)} - {factor(between, 3)} = {tex(apart[layer], 3)}",
        ),
        meaning=chart.meaning,
        note=f"{chart.found.lead} Mean cosine of all pairs at layer {layer}: {number(float(chart.means[at]))}. "
        f"{chart.found.sample}",
    )


def _call(word: str) -> Call:
    return call("embedviz.contextual.senses:chart", word, model=models.argument(models.current()))


def begin() -> None:
    """Begin to read the sentences of the first word, without waiting for it."""
    calls.task(_SLOT, _call(next(iter(sense_sentences()))), title=_TITLE, wait=0)


LESSON = Lesson(
    "senses", "One word, many meanings", "Does one word have one vector?", 5, FIRST_PATH, draw, "model", begin
)
