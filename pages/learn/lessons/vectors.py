"""Computing with two vectors: arrows to drag, words in their plane, and scores that become probabilities."""

from collections.abc import Callable
from math import acos, degrees

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.geometry.plane import VectorPair, WordPlane, vector_pair
from pages._shared.app import states
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.lessons.vectors_scores import scores_text
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, space_words
from pages.learn.pattern.hand import Arrow, Reading, hand
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

OTHERS = ("man", "woman")
"""Other words: the note says which share of their squared length lies in the plane of the visitor's two words."""


def draw(view: View) -> LessonText | None:
    """Draw the figure that the visitor chose, and return the texts of this figure; None if it has no texts."""
    return _FIGURES[figure_choice(_TITLES)](view)


def _arrows(view: View) -> LessonText | None:
    """Draw two arrows with the formulas of textbooks; the exercise asks for the length of their sum."""
    arrows = [Arrow("a", (4.0, 0.0)), Arrow("b", (1.0, 3.0))]
    readings: tuple[Reading, ...] = ("lengths", "dot", "cosine", "distance", "unit", "sum", "difference")
    hand(arrows, view, key="vectors-hand", readings=readings, marks=("sum", "difference", "angle"))
    pair = vector_pair(arrows[0].place, arrows[1].place)
    double = vector_pair([2 * value for value in arrows[0].place], arrows[1].place)
    squares = " + ".join(f"{number(length)}²" for length in pair.norms)
    return LessonText(
        limit=f"A large dot product does not mean “alike”: the lengths count as well. {_doubled(pair, double)}",
        exercise=Exercise(
            "How long is a + b?",
            pair.sum_norm,
            f"|a + b|² = |a|² + |b|² + 2 a · b = {squares} + 2 × {number(pair.dot)} = {number(pair.sum_norm**2)}, "
            f"so |a + b| = {number(pair.sum_norm)}.",
            "Use |a + b|² = |a|² + |b|² + 2 a · b, then take the square root.",
            tolerance=0.03,
        ),
        meaning="Dotted lines: b is added at the tip of a, or a at the tip of b. Both ways end at the same place.",
        note="The formulas follow your hand. A vector with hundreds of numbers obeys the same formulas.",
    )


def _doubled(pair: VectorPair, double: VectorPair) -> str:
    """Explain what happens to the dot product and the cosine if the first vector is twice as long."""
    if pair.cosine != pair.cosine:
        return "A vector of length 0 has the product 0 with each other one."
    if not round(pair.dot, 2):
        return "Only at a right angle is it 0 at every length."
    return (
        f"With a twice as long it is {number(double.dot)} in place of {number(pair.dot)}, and the cosine is still "
        f"{number(pair.cosine)}."
    )


def _words(view: View) -> LessonText | None:
    """Draw two words in the plane that they span; the exercise asks for the angle."""
    words = space_words(view, ("word", "second"), (("king", "queen"), ("piano", "violin")))
    if words is None:
        return None
    others = [word for word in OTHERS if word in view.space.index and word not in words]
    plane: WordPlane = calls.result(call("embedviz.geometry.plane:word_plane", view.recipe, *words, others))
    arrows = [Arrow(name, (shadow.x, shadow.y), shadow.word) for name, shadow in zip("uv", plane.shadows, strict=False)]
    hand(arrows, view, key="vectors-words", readings=("dot", "cosine", "distance", "unit"), marks=("angle",), fit=True)
    moved = any(arrow.moved for arrow in arrows)
    pair: VectorPair = vector_pair(arrows[0].place, arrows[1].place) if moved else plane.pair
    if pair.cosine != pair.cosine:
        states.note("An arrow of length 0 has no direction. Move it away from the middle.")
        return None
    return LessonText(
        limit="The plane belongs to these two words. Another word may seem near in it and be far in the space.",
        exercise=Exercise(
            "What is the angle between u and v, in degrees?",
            pair.angle,
            f"arccos {number(pair.cosine)} = {number(pair.angle, 1)}°. A right angle has the cosine 0.",
            "The angle is the arccosine of the cosine: 0.5 is 60°.",
            tolerance=_degrees_off(pair.cosine),
        ),
        meaning="You moved an arrow: it is no word now." if moved else _usual(plane),
        note=plane.note,
    )


def _degrees_off(cosine: float) -> float:
    """Return the accepted error of an angle: by how many degrees rounding the cosine can change it, at least 1.5."""
    ends = (degrees(acos(max(-1.0, min(1.0, cosine + step)))) for step in (-0.006, 0.006))
    return max(1.5, *(abs(degrees(acos(cosine)) - end) for end in ends))


def _usual(plane: WordPlane) -> str:
    """Return a sentence: between which cosines nine in ten random pairs of words lie; empty if that is not known."""
    if plane.chance is None:
        return ""
    low, high = plane.usual
    return f"Nine in ten random pairs of words have a cosine from {number(low)} to {number(high)}."


_TITLES = {"arrows": "Arrows", "words": "Words", "scores": "Probabilities"}
_FIGURES: dict[str, Callable[[View], LessonText | None]] = {"arrows": _arrows, "words": _words, "scores": scores_text}

LESSON = Lesson("vectors", "Computing with two vectors", "What can we compute from two vectors?", 5, WORKBENCH, draw)
