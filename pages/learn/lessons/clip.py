"""CLIP: the cosines of pictures with sentences, and their probabilities at a temperature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.contextual.clip import DRAWN, ClipScores
from embedviz.core.call import Call, call
from embedviz.core.phrases import number
from embedviz.figures.batches import heat_chart
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.output import figure
from pages._shared.sources import models
from pages.learn.lessons import clip_sources as sources
from pages.learn.lessons.clip_question import LIMIT, exercise, without_model
from pages.learn.pattern.choices import computed, figure_choice
from pages.learn.pattern.latex import digits_that_give, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.slider import slider

if TYPE_CHECKING:
    from embedviz.contextual.models import ModelCard
    from pages._shared.sources.current import View

TEMPERATURES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
LEARNED = "learned"
_TITLES = {"probability": "Probabilities", "cosine": "Cosines"}
_SLOT, _TITLE = "learn-clip", "Pictures and sentences"


def draw(view: View) -> LessonText | None:
    """Draw the matrix of pictures and sentences; without a CLIP model, offer its download.

    Return the texts of the lesson, or None if there are no results to explain yet.
    """
    model = sources.installed()
    if model is None:
        sources.offer()
        return without_model()
    kind = figure_choice(_TITLES)
    left, right = st.columns(2)
    with left:
        pictures = sources.pictures()
    with right:
        sentences = sources.sentences()
    if not sentences:
        states.state("Type a sentence.", "One in each line, such as: a red circle")
        return None
    if len(sentences) > sources.MOST:
        states.state(f"There are {len(sentences)} sentences; at most {sources.MOST} are compared.", "Delete some.")
        return None
    private = pictures.private or sentences != DRAWN
    found: ClipScores | None = computed(
        _SLOT,
        _call(model, pictures, sentences),
        _TITLE,
        "Reading pictures and sentences.",
        "those before",
        private=private,
    )
    if found is None:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        picture = _picture(found)
        temperature = _temperature(found.temperature) if kind == "probability" else found.temperature
    with left:
        sources.small(found.pictures, found.thumbnails)
    values = found.probabilities(temperature) if kind == "probability" else found.cosines
    rows, columns = ([plain(each, 60) for each in given] for given in (found.pictures, found.sentences))
    chart = heat_chart(values.tolist(), rows, columns, view.theme, key=kind, phone=view.phone)
    figure.plotly(chart, "clip-matrix")
    return _text(found, picture, temperature)


def _call(model: ModelCard, pictures: sources.Pictures, sentences: tuple[str, ...]) -> Call:
    return call(
        "embedviz.contextual.clip.scores:clip_scores",
        models.argument(model),
        pictures.sources,
        sentences,
        names=pictures.names,
    )


def _picture(found: ClipScores) -> int:
    """Draw the choice of the picture that the formula is about; return the picture's number, from 0."""
    names = [plain(name, 60) for name in found.pictures]
    places = [str(place + 1) for place in range(len(names))]
    wanted = address.get("picture")
    place = places.index(wanted) if wanted in places else 0
    titles = dict(zip(places, names, strict=True))
    bound = address.bind("picture", places[place])
    st.selectbox("Picture", places, format_func=titles.__getitem__, width=240, **bound)
    return place


def _temperature(learned: float) -> float:
    """Draw the slider of the temperature, which also offers the learned value; return the temperature."""
    places = sorted([*((value, f"{value:g}") for value in TEMPERATURES), (learned, LEARNED)])
    texts = [f"{value:.2g} ({LEARNED})" if name == LEARNED else name for value, name in places]
    at = slider("Temperature τ", "temperature", [name for _, name in places], LEARNED, texts=texts, width=360)
    return places[at][0]


def _text(found: ClipScores, picture: int, temperature: float) -> LessonText:
    """Return the texts under the figure, with the cosines and probabilities of one picture."""
    exact = found.cosines[picture].tolist()
    probabilities = found.probabilities(temperature)[picture]
    order = sorted(range(len(exact)), key=lambda place: -exact[place])
    cosine, learned = exact[best := order[0]], found.temperature
    digits = digits_that_give((cosine, learned), lambda one, other: one / other, least=3)
    return LessonText(
        limit=LIMIT,
        exercise=exercise(found, picture, order, [round(each, 3) for each in exact], temperature),
        formula=(
            rf"p(t \mid x) = \frac{{e^{{\cos(x, t)/\tau}}}}{{\sum_{{t'}} e^{{\cos(x, t')/\tau}}}} "
            rf"= {tex(float(probabilities[best]), 3)},\quad \cos = {tex(cosine, digits)},\quad "
            rf"\tau = {tex(temperature, 3 if temperature != learned else digits)}",
            rf"\text{{score}} = \cos / \tau_{{\text{{learned}}}} = {tex(cosine, digits)} / {tex(learned, digits)} = "
            rf"{tex(cosine / learned)}",
        ),
        meaning=found.chances(picture, temperature),
        note="x: the picture; t: its most probable sentence; t′: each sentence in turn; τ: the temperature. Each row "
        f"of probabilities adds up to 1. Mean cosine: {number(float(found.cosines.mean()))}.",
        details=f"{found.model}; {len(found.pictures)} pictures, {len(found.sentences)} sentences. The circle, the "
        "square and the triangle are drawn by this program.",
    )


LESSON = Lesson("clip", "Pictures and sentences", "Can a picture be near a sentence?", 6, WORKBENCH, draw, "")
