"""Watch words learn: a small training on the teaching corpus, moment by moment."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.figures.learning import plane_figure
from embedviz.training.example import WATCHED
from embedviz.training.records import spoken_epochs
from embedviz.training.replay import Film
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText
from pages.learn.pattern.slider import slider
from pages.learn.pattern.steps import SliderStep, stepped

FILM = "embedviz.training.example:example_film"
_SLOT, _TITLE = "learn-film", "Training the example"


def draw(view: View) -> LessonText | None:
    """Draw the map of the words at one moment of the training, which a slider chooses."""
    question = call(FILM)
    film: Film | None = computed(_SLOT, question, _TITLE, "Training Word2Vec on the teaching texts.")
    if film is None:
        return None
    last = len(film.moments) - 1
    texts = [number(float(each)) for each in film.moments]
    half = _first_half(film.settled.tolist())
    opening = str(_opening(half))
    moment = slider("Epoch", "moment", [str(each) for each in range(last + 1)], opening, texts=texts, width=480)
    of, along = tuple(film.moments.tolist()), {"moment": range(last + 1)}
    moved = stepped(view, "learning-map", of, along, {"moment": moment}, partial(_step, view, film))
    found, there = float(film.moments[half]), number(float(film.settled[half]))
    return LessonText(
        limit="It does not learn what a word means, only which words stand near each other in these texts.",
        exercise=Exercise(
            "Move the slider to the right. At which epoch does the formula first show 0.50 or more? Give two decimals.",
            found,
            f"At epoch {number(found)} the formula gives {there}, for the first time 0.50 or more. After "
            f"{share(found / film.epochs)} of the training, a word has {share(float(film.settled[half]))} of its final "
            "neighbors, on average.",
            "Read the formula at each place of the slider, and stop at the first one with 0.50 or more.",
            tolerance=0.02,
        ),
        steps=moved,
        details=f"{film.sample} {film.picture}",
    )


def _first_half(settled: Sequence[float]) -> int:
    """Return the first moment at which the share of final neighbors, rounded, is 0.50 or more; else the last one."""
    return next((place for place, each in enumerate(settled) if round(each, 2) >= 0.5), len(settled) - 1)


def _opening(half: int) -> int:
    """Return the moment at which the slider starts. It lies before `half`, the answer, so as not to give it away."""
    return half * 2 // 3


def _step(view: View, film: Film, moment: int) -> SliderStep:
    """Return the figure of the words at a moment, with a formula and a sentence.

    The formula gives the share of a word's nearest words that are the same at this moment and at the end.
    """
    places = {word: row for row, word in enumerate(film.words)}
    groups = [""] * len(film.words)
    for word in WATCHED:
        if word in places:
            groups[places[word]] = word
    reach = float(np.percentile(np.abs(film.frames[-1]), 99.8))
    drawn = plane_figure(film.frames[moment], groups, view.theme, reach)
    lines = (
        rf"\text{{mean of}}\ \frac{{|\text{{near now}} \cap \text{{near at the end}}|}}{{{film.k}}} = "
        rf"{tex(float(film.settled[moment]))}",
        rf"\text{{words at random places: }} {tex(film.chance)}",
    )
    epoch = spoken_epochs(round(float(film.moments[moment]), 2))
    meaning = (
        "Word2Vec guesses which words stand near each other in short, made-up sentences, and moves their vectors. "
        f"Each point is one word, after {epoch} of {spoken_epochs(film.epochs)} epochs. The formula takes a "
        f"word’s {film.k} nearest words now, in all dimensions, and its {film.k} nearest at the end. It gives the "
        "share that is in both, on average over all words."
    )
    return SliderStep(drawn, lines, meaning)


def begin() -> None:
    """Start the training in the background."""
    calls.task(_SLOT, call(FILM), title=_TITLE, wait=0)


LESSON = Lesson(
    "learning", "Watch words learn", "How do words come to their places?", 5, FIRST_PATH, draw, choice="", begin=begin
)
