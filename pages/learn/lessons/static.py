"""Static and contextual vectors on one map: both are described by their cosines with the same anchor words."""

import numpy as np

from embedviz.contextual.anchors import OTHERS, AnchoredMap, StaticProfile
from embedviz.contextual.encoder import BUILTIN
from embedviz.core.call import call
from embedviz.core.phrases import joined, number
from embedviz.core.recipe import Recipe
from embedviz.figures.lessons import cloud_chart
from pages._shared.output import figure
from pages._shared.sources import models
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, sense_and_layer
from pages.learn.pattern.latex import letters, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

WORD2VEC, SUBWORDS = Recipe.parse("shelf:google-news"), Recipe.parse("shelf:fasttext")
STATIC = (Recipe(), WORD2VEC, SUBWORDS)
"""Static spaces to draw. If the space in use is another one, only it and the first of these are drawn."""
WORDS = ("bank", "plant", "spring", "bat", "mouse")
"""Ambiguous words that have built-in sentences, and vectors in Google News."""


def draw(view: View) -> LessonText | None:
    """Draw the occurrences of a word with its static vectors.

    The exercise asks which static vector correlates most with the occurrences.
    """
    word, layer = sense_and_layer(WORDS)
    own = view.recipe if word in view.space.index or view.recipe == SUBWORDS else Recipe()
    other, *more = (each for each in STATIC if each != own)
    third, model = more[0] if own in STATIC else None, models.argument(models.current())
    question = call("embedviz.contextual.anchors:anchored", own, other, word, layer, third=third, model=model)
    named = f"“{word}” at layer {layer}"
    found: AnchoredMap | None = computed("learn-static", question, "Static and contextual vectors", f"{named}.", named)
    if found is None:
        return None
    titles = [one.title for one in found.profiles]
    names = [title.partition(",")[0] for title in titles]
    height = 336 if view.phone else 420
    groups = [f"“{found.word}” as {each}" for each in found.labels]
    chart = cloud_chart(found.points, groups, names, view.theme, phone=view.phone, height=height)
    figure.plotly(chart, "static-plane")
    best = max(found.profiles, key=lambda one: max(one.by_sense))
    first = found.profiles[0]
    lists = " ".join(f"{one.title}: {' '.join(one.near[:3])}." for one in found.profiles)
    sense, name = found.senses[int(np.argmax(first.by_sense))], names[0]
    return LessonText(
        limit="Do not measure distances in the figure: a point stands for a list of cosines with the same "
        f"{len(found.anchors)} words. The plane is fitted to the occurrences ({number(100 * found.held, 0)}\u00a0% of "
        "their variance) and says little about the rings: read their correlations.",
        exercise=Exercise(
            "Which static vector do you expect to correlate most with the occurrences?",
            best.title,
            f"{best.title}: up to {number(max(best.by_sense))}. {found.correlations}",
            _hint(),
            options=tuple(titles),
        ),
        formula=(
            r"r(v)_k = \cos(v - \bar a,\; a_k - \bar a),\quad k = 1 \dots "
            rf"{len(found.anchors)}",
            rf"\overline{{\text{{corr}}}}\big(r(v_{{\text{{static}}}}), r(v_{{\text{{{letters(sense)}}}}})\big) = "
            rf"{tex(max(first.by_sense), 3)}",
        ),
        meaning=f"“{found.word}” has one vector in {name} (ring 1). Its list correlates {_with_senses(found, first)} "
        f"on average. Of {OTHERS} other words of these spaces, 95\u00a0% stay below {number(first.usual)}.",
        note=f"Each point is “{found.word}” in one sentence, each ring its static vector in one space. A vector is "
        f"described by its cosines r with {len(found.anchors)} anchor words a, whose mean is ā: such lists can be "
        f"compared between spaces. {found.unseen}".strip(),
        details="v: a vector; aₖ: that of anchor k; ā: the mean of the anchors; r: the cosines that describe v, "
        f"standardized. The second formula is the mean over the occurrences of “{sense}”. The anchors are words that "
        "all static spaces have, without function words, drawn at random; the encoder "
        f"({found.model}) reads each alone. Nearest in each static space: {lists}",
    )


def _with_senses(found: AnchoredMap, one: StaticProfile) -> str:
    """Return the mean correlation of a static vector with the occurrences of each sense, as text.

    Two lists are correlated: the cosines of the static vector with the anchor words, and those of an occurrence.
    """
    pairs = zip(found.senses, one.by_sense, strict=True)
    return joined([f"{number(value)} with the occurrences as {sense}" for sense, value in pairs])


def _hint() -> str:
    """Return the hint to the exercise, as a question about the static spaces.

    For the built-in encoder: which space is its input table? For others: which space was made most like the encoder?
    """
    if models.current().name == BUILTIN:
        return "Which of them does this encoder read as its input?"
    return "Which of them was made most like this encoder: from the same table, or from the same kind of text?"


LESSON = Lesson(
    "static",
    "Static and contextual",
    "Where does a word’s static vector lie among its contextual vectors?",
    5,
    WORKBENCH,
    draw,
)
