"""Watch words learn: a small training on the teaching corpus, moment by moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.figures.learning import plane_figure
from embedviz.training.example import WATCHED
from embedviz.training.records import spoken_epochs
from embedviz.training.replay import Film
from pages._shared.output import figure
from pages._shared.results import calls
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText
from pages.learn.pattern.slider import slider

if TYPE_CHECKING:
    from pages._shared.sources.current import View

FILM = "embedviz.training.example:example_film"
_SLOT, _TITLE = "learn-film", "Training the example"


def draw(view: View) -> LessonText | None:
    """Draw the words at a moment of the training, chosen by a slider."""
    question = call(FILM)
    film: Film | None = computed(_SLOT, question, _TITLE, "Training Word2Vec on the teaching texts.")
    if film is None:
        return None
    last = len(film.moments) - 1
    texts = [number(float(each)) for each in film.moments]
    moment = slider("Epoch", "moment", [str(each) for each in range(last + 1)], "0", texts=texts, width=480)
    places = {word: row for row, word in enumerate(film.words)}
    groups = [""] * len(film.words)
    for word in WATCHED:
        if word in places:
            groups[places[word]] = word
    reach = float(np.percentile(np.abs(film.frames[-1]), 99.8))
    drawn = plane_figure(film.frames[moment], groups, view.theme, reach, height=440)
    figure.plotly(drawn, "learning-map")
    there, half = float(film.settled[moment]), np.flatnonzero(film.settled >= 0.5)
    epoch = float(film.moments[moment])
    found = float(film.moments[half[0]]) if len(half) else film.epochs
    return LessonText(
        limit="Nobody tells the program what a word means. "
        "It only learns which words stand near each other in these made-up texts.",
        exercise=Exercise(
            "Move the slider. At which epoch has a word on average, for the first time, half of its final neighbors?",
            found,
            film.half or "It never reaches half before the end.",
            "Read the formula at each moment, and stop at the first one with 0.50 or more.",
            tolerance=0.02,
        ),
        formula=(
            rf"\text{{mean of}}\ \frac{{|\text{{near now}} \cap \text{{near at the end}}|}}{{{film.k}}} = {tex(there)}",
            rf"\text{{random words}}: {tex(film.chance)}",
        ),
        meaning=f"Each point is a word after {spoken_epochs(round(epoch, 2))} of {spoken_epochs(film.epochs)} epochs. "
        f"The formula compares its {film.k} nearest words now with those at the end.",
        note=f"{film.sample} {film.picture}",
    )


def begin() -> None:
    """Begin the training, without waiting for it."""
    calls.task(_SLOT, call(FILM), title=_TITLE, wait=0)


LESSON = Lesson(
    "learning", "Watch words learn", "How do words come to their places?", 5, FIRST_PATH, draw, choice="", begin=begin
)
