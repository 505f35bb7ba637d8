"""Vectors in the hand: two arrows to drag, two words in their plane, and scores that become probabilities."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import TYPE_CHECKING

from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.figures.lessons import bars_chart
from embedviz.geometry.plane import VectorPair, WordPlane, vector_pair
from embedviz.neighbors.probabilities import WordProbabilities
from pages._shared.app import states
from pages._shared.results import calls
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, number_choice, space_words
from pages.learn.pattern.hand import Arrow, Reading, hand
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped

if TYPE_CHECKING:
    from pages._shared.sources.current import View

OTHERS = ("man", "woman")
"""Words that the plane of two others hardly holds."""
TEMPERATURES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


def draw(view: View) -> LessonText | None:
    """Draw one of the three figures."""
    return _FIGURES[figure_choice(_TITLES)](view)


def _arrows(view: View) -> LessonText | None:
    """Draw two arrows with all that textbooks compute of them, and ask for the length of their sum."""
    arrows = [Arrow("a", (4.0, 0.0)), Arrow("b", (1.0, 3.0))]
    readings: tuple[Reading, ...] = ("lengths", "dot", "cosine", "distance", "unit", "sum", "difference")
    hand(arrows, view, key="vectors-hand", readings=readings, marks=("sum", "difference", "angle"))
    pair = vector_pair(arrows[0].place, arrows[1].place)
    double = vector_pair([2 * value for value in arrows[0].place], arrows[1].place)
    squares = " + ".join(f"{number(length)}²" for length in pair.norms)
    return LessonText(
        limit=f"A large dot product does not mean “alike”: it grows with the lengths. With a twice as long it is "
        f"{number(double.dot)} in place of {number(pair.dot)}"
        + (f", and the cosine is still {number(pair.cosine)}." if double.cosine == double.cosine else "."),
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


def _words(view: View) -> LessonText | None:
    """Draw two words in the plane that they span, and ask for the angle."""
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
            tolerance=1.5,
        ),
        meaning="You moved an arrow: it is no word now." if moved else _usual(plane),
        note=plane.note,
    )


def _usual(plane: WordPlane) -> str:
    """Say the cosines of random pairs; the angle is the question."""
    if plane.chance is None:
        return ""
    low, high = plane.usual
    return f"Nine in ten random pairs of words have a cosine from {number(low)} to {number(high)}."


def _scores(view: View) -> LessonText | None:
    """Draw the probabilities of the nearest words by the softmax, and ask how the first two compare."""
    words = space_words(view, ("word",), (("guitar",), ("king",)))
    usual = number_choice("temperature", "Temperature T", TEMPERATURES, 0.1)
    if words is None:
        return None
    found = _probabilities(view, words[0], usual)
    if len(found.likely) < 2:
        return None
    moved = stepped(
        view,
        "vectors-scores",
        (view.address, words[0]),
        {"temperature": TEMPERATURES},
        {"temperature": usual},
        lambda temperature: _scores_step(view, words[0], temperature),
    )
    first, second = found.likely[:2]
    times, gap = first.probability / second.probability, f"{number(first.score, 3)} − {number(second.score, 3)}"
    return LessonText(
        limit="These are not probabilities of a next word: cosines of rows were not trained to predict one. Another "
        "temperature gives other numbers in the same order.",
        exercise=Exercise(
            f"How many times as likely as {second.word} is {first.word}?",
            times,
            f"The sum cancels: P₁ / P₂ = exp(({gap}) / {usual:g}) = {number(times)}.",
            "Divide one probability by the other: the sum below the line is the same for both.",
            tolerance=times * max(0.05, exp(0.0011 / usual) - 1),
        ),
        steps=moved,
        note=f"The scores are cosines with “{words[0]}”. The baseline gives each of {found.choices:,} words the same.",
    )


def _probabilities(view: View, word: str, temperature: float) -> WordProbabilities:
    """Return the probabilities of the nearest words at a temperature."""
    found: WordProbabilities = calls.result(
        call("embedviz.neighbors.probabilities:word_probabilities", view.recipe, word, temperature=temperature, k=8)
    )
    return found


def _scores_step(view: View, word: str, temperature: float) -> SliderStep:
    """Return the probabilities of the nearest words at a temperature, that of the first as a formula."""
    found = _probabilities(view, word, temperature)
    chart = bars_chart(
        [each.word for each in found.likely],
        [each.probability for each in found.likely],
        [f"{share(each.probability, fine=True)}   cos {number(each.score, 3)}" for each in found.likely],
        view.theme,
        title="probability",
        usual=(found.uniform, "all words equal"),
        phone=view.phone,
    )
    first, digits = found.likely[0], 0 if found.effective >= 10 else 1
    lines = (
        rf"P(w) = \frac{{e^{{s(w)/T}}}}{{\sum_{{w'}} e^{{s(w')/T}}}},\quad"
        rf" P_1 = \frac{{e^{{{tex(first.score, 3)}/{temperature:g}}}}}{{\sum}} = {tex(first.probability, 4)}",
    )
    return SliderStep(
        chart, lines, f"The choice is as open as among {found.effective:,.{digits}f} equally likely words."
    )


_TITLES = {"arrows": "Arrows", "words": "Words", "scores": "Probabilities"}
_FIGURES: dict[str, Callable[[View], LessonText | None]] = {"arrows": _arrows, "words": _words, "scores": _scores}

LESSON = Lesson("vectors", "Vectors in the hand", "What can one compute of two vectors?", 5, WORKBENCH, draw)
