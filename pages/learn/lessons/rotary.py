"""Rotary positions: queries and keys are turned, so that their product depends on the distance alone."""

from math import cos, degrees, pi, sin, sqrt

import numpy as np

from embedviz.contextual.positions import frequencies, rotated
from embedviz.core.phrases import number
from pages._shared.sources.current import View
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import two_positions
from pages.learn.pattern.hand import Arrow, ArrowPlane
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped

MOST, SIZE = 64, 16
"""Number of positions on a slider, and number of dimensions of query and key."""
PAIRS = SIZE // 2


def draw(view: View) -> LessonText:
    """Draw a query and a key turned by their positions; the exercise asks how many positions a full turn takes."""
    m, n = two_positions(MOST, 3, 5)
    pair_of = slider.whole("Pair of dimensions", "pair", 1, PAIRS, 2, width=300)
    along = {"m": range(MOST), "n": range(MOST), "pair": range(1, PAIRS + 1)}
    moved = stepped(view, "positions-rotary", "", along, {"m": m, "n": n, "pair": pair_of}, _step)
    theta = _angle(pair_of)
    return LessonText(
        limit="Rotary positions are not added to the input: they turn queries and keys in every layer, and leave "
        "values alone.",
        exercise=Exercise(
            "After how many positions has this pair made one full turn?",
            2 * pi / theta,
            f"2π / {number(theta, 4)} = {number(2 * pi / theta, 1)}: each position turns the pair by "
            f"{number(degrees(theta), 2)}°. At that distance q · k is 1 again.",
            "A full turn is 2π = 6.283 radians. θ is the angle of one position.",
            tolerance=0.01 * 2 * pi / theta,
        ),
        steps=moved,
        note="16 dimensions, so 8 pairs, each with its own angle per position. The first pair turns fastest. q and k "
        "are (1, 0) before they are turned.",
    )


def _angle(pair: int) -> float:
    """Return the angle, in radians, by which each further position turns a pair of dimensions."""
    return float(frequencies(SIZE)[pair - 1])


def _step(m: int, n: int, pair: int) -> SliderStep:
    """Return the figure of a query and a key turned by their positions; the formula computes their dot product."""
    theta = _angle(pair)
    query, key = ((cos(place * theta), sin(place * theta)) for place in (m, n))
    arrows = Arrow("q", query, f"m = {m}", fixed=True), Arrow("k", key, f"n = {n}", fixed=True)
    lines = (
        r"(R_m q) \cdot (R_n k) = q^\top R_{n-m}\, k",
        rf"\theta_{{{pair}}} = 10000^{{-2 \cdot {pair - 1}/{SIZE}}} = {tex(theta, 4)}",
        rf"\cos\big(({m} - {n}) \cdot {tex(theta, 4)}\big) = {tex(cos((m - n) * theta))}",
    )
    ones = np.ones(SIZE) / sqrt(SIZE)
    here, further = (rotated(ones, [m + more, n + more]) for more in (0, 10))
    meaning = (
        f"Over all {PAIRS} pairs the product is {number(float(here[0] @ here[1]), 3)}. Ten positions further it is "
        f"{number(float(further[0] @ further[1]), 3)}: the product depends on the distance alone."
    )
    return SliderStep(ArrowPlane(arrows, ("dot",), ("angle",), 320), lines, meaning)


LESSON = Lesson("rotary", "Rotary positions", "Can a position be an angle?", 5, WORKBENCH, draw, choice="")
