"""One word, many meanings: the occurrences of “bank”, layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from embedviz.contextual.senses import Chart
from embedviz.core.call import Call, call
from embedviz.core.phrases import share
from embedviz.figures.learning import plane_figure
from embedviz.testsets.datasets import sense_sentences
from pages._shared.app import address, states
from pages._shared.results import calls
from pages._shared.sources import models
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import finished
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped

if TYPE_CHECKING:
    from embedviz.geometry.separation import Separation
    from pages._shared.sources.current import View

_SLOT, _TITLE = "learn-senses", "The senses of a word"
_OFFERED = 3  # number of words offered


def draw(view: View) -> LessonText | None:
    """Draw a word's occurrences at one layer. The exercise asks at which layer most are nearest to their own sense."""
    words = list(sense_sentences())
    word = address.get("sense", words[0])
    word = word if word in words else words[0]
    controls = st.container(horizontal=True, vertical_alignment="bottom", key="controls")
    with controls:
        offered = list(dict.fromkeys([*words[:_OFFERED], word]))
        st.segmented_control("Word", offered, required=True, **address.bind("sense", word))
    found = finished(_SLOT, _call(word), _TITLE, f"“{word}” in its sentences.", f"“{word}”")
    if found is None:
        return None
    chart: Chart = found.value
    last = chart.layers[-1]
    with controls:
        layer = slider.whole("Layer", "layer", 0, last, last if chart.best == 1 else 1)  # do not open on the answer
    scores = {one: found for one, found in chart.found.scored if found.nearest_centroid}
    if not scores:
        states.note(chart.meaning)
        return None
    along, here = {"layer": range(last + 1)}, {"layer": layer}
    moved = stepped(view, "senses-plane", found.call, along, here, lambda layer: _step(view, chart, layer))
    best = max(scores, key=lambda one: sum(scores[one].right))
    return LessonText(
        limit="The model has no list of senses. From layer 1 on, the vector of an occurrence depends on its "
        "sentence; the labels come with the sentences.",
        exercise=Exercise(
            f"Move the layer. At which layer is the share for “{chart.found.word}” highest? If several are equal, give "
            "the first.",
            float(best),
            f"Layer {best}: {_count(scores[best])}. {_input(scores.get(0))} {chart.found.lead}".strip(),
            "Read the formula under the figure at each layer.",
        ),
        steps=moved,
        note="In at least 95\u00a0% of trials with shuffled labels, no layer exceeds its limit. With few "
        "sentences, limits are high.",
        details=f"{_alone(chart)}{chart.found.source} A sense is the mean of its unit vectors, without "
        f"those of the sentences that are tested. The labels are shuffled {scores[best].permutations:,} times. "
        "The limits hold for five scores of all layers together, as on the page Senses. Each layer is drawn to its own "
        "scale; one with almost no spread is drawn small.",
    )


def _step(view: View, chart: Chart, layer: int) -> SliderStep:
    """Return the figure of the occurrences at a layer; the formula gives the share nearest to their sense's center."""
    groups = chart.groups(layer) or [""] * len(chart.found)
    points = chart.points[chart.layers.index(layer)]
    reach = 1.1 * float(max(np.abs(points).max(), 0.05 * np.abs(chart.points).max()))
    sentences = [one.snippet for one in chart.found.occurrences]
    drawn = plane_figure(points, groups, view.theme, reach, texts=sentences)
    score = next((found for one, found in chart.found.scored if one == layer), None)
    lines = _formula(score) if score is not None else ()
    meaning = (
        f"Each point is “{chart.found.word}” in one sentence, at layer {layer} of {chart.layers[-1]}. Touch it to read "
        "the sentence. From layer 1 on, each layer mixes its vector with those of other words of the sentence. "
        + _verdict(score)
    ).strip()
    return SliderStep(drawn, lines, meaning)


def _verdict(found: Separation | None) -> str:
    """Say whether more occurrences are nearest to their own sense than by chance; empty if not measured."""
    if found is None or found.nearest_centroid is None:
        return ""
    computed = "The share is computed in all dimensions; the picture shows two. Here the share is"
    if found.nearest_centroid.value > found.nearest_centroid.high:
        return f"{computed} above its limit: chance alone seldom gives so much."
    return f"{computed} not above its limit: it may be chance."


def _input(found: Separation | None) -> str:
    """Explain layer 0: how many occurrences are nearest to their sense; without a score, that all vectors are equal."""
    if found is None:
        return "At layer 0 nothing can be nearer: the input vector of the word is the same in every sentence."
    return f"At layer 0 it is {_count(found)}: there the vector depends only on the word and its position."


def _alone(chart: Chart) -> str:
    """Say which share of occurrences is nearest to its own sense by surrounding words alone; empty if not measured."""
    control = chart.found.control.nearest_centroid if chart.found.control is not None else None
    if control is None:
        return ""
    return f"The same test with only the words around “{chart.found.word}”: {share(control.value)}. "


def _count(found: Separation) -> str:
    """Return how many of all occurrences are nearest to their own sense, as a text; a tie counts in part."""
    return f"{sum(found.right):g} of {found.n}"


def _formula(found: Separation) -> tuple[str, ...]:
    """Return two formulas: the share of occurrences nearest to their own sense, and this share with shuffled labels."""
    score = found.nearest_centroid
    if score is None:
        return ()
    digits = int(tex(100 * score.value, 0) == tex(100 * score.high, 0) and score.value != score.high)
    value, chance, high = (rf"{tex(100 * each, digits)}\,\%" for each in (score.value, score.chance, score.high))
    return (
        rf"\frac{{\text{{nearest to their own sense}}}}{{\text{{all occurrences}}}} = "
        rf"\frac{{{sum(found.right):g}}}{{{found.n}}} = {value}",
        rf"\text{{shuffled labels: mean }} {chance},\quad \text{{limit }} {high}",
    )


def _call(word: str) -> Call:
    return call("embedviz.contextual.senses:chart", word, model=models.argument(models.current()))


def begin() -> None:
    """Start the computation for the lesson's first word, from its example sentences, in the background."""
    calls.task(_SLOT, _call(next(iter(sense_sentences()))), title=_TITLE, wait=0)


LESSON = Lesson(
    "senses", "One word, many meanings", "Does one word have one vector?", 5, FIRST_PATH, draw, "model", begin
)
