"""Rotary positions: queries and keys are turned, so that their product depends on the distance alone."""

from __future__ import annotations

from math import cos, degrees, pi, sin
from typing import TYPE_CHECKING

import numpy as np

from embedviz.contextual.positions import frequencies, rotated
from embedviz.core.phrases import number
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import two_positions
from pages.learn.pattern.hand import Arrow, hand
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.current import View

MOST = 64


def draw(view: View) -> LessonText:
    """Draw a query and a key turned by their positions, and ask for the positions of a full turn."""
    m, n = two_positions(MOST, 3, 5)
    pair_of = slider.whole("Pair of dimensions", "pair", 1, 8, 2, width=300)
    theta = float(frequencies(16)[pair_of - 1])
    query, key = ((cos(place * theta), sin(place * theta)) for place in (m, n))
    arrows = [
        Arrow("q", query, f"m = {m}", fixed=True),
        Arrow("k", key, f"n = {n}", fixed=True),
    ]
    hand(arrows, view, key="positions-rotary", readings=("dot",), marks=("angle",), height=320)
    value = cos((m - n) * theta)
    moved = rotated(np.ones(16) / 4, [m + 10, n + 10])
    whole = rotated(np.ones(16) / 4, [m, n])
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
        formula=(
            r"(R_m q) \cdot (R_n k) = q^\top R_{n-m}\, k",
            rf"\theta_{{{pair_of}}} = 10000^{{-2 \cdot {pair_of - 1}/16}} = {tex(theta, 4)}",
            rf"\cos\big(({m} - {n}) \cdot {tex(theta, 4)}\big) = {tex(value)}",
        ),
        meaning=f"Over all 8 pairs the product is {number(float(whole[0] @ whole[1]), 3)}. Ten positions further it is "
        f"{number(float(moved[0] @ moved[1]), 3)}: the product depends on the distance alone.",
        note="16 dimensions, so 8 pairs, each with its own angle per position. The first pair turns fastest. q and k "
        "are (1, 0) before they are turned.",
    )


LESSON = Lesson("rotary", "Rotary positions", "Can a position be an angle?", 5, WORKBENCH, draw, choice="")
