"""Manifolds: shapes of known dimension, and the intrinsic dimension of a space against structureless copies."""

import numpy as np

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.core.recipe import Recipe
from embedviz.figures.lessons import bars_chart
from embedviz.geometry.intrinsic import IntrinsicDimension
from pages._shared.output import figure
from pages._shared.results import calls, work
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, number_choice
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

KINDS = {"ring": "Circle", "torus": "Torus", "roll": "Roll", "noise": "Noise", "space": "This space"}
SURFACE = {"ring": 1, "torus": 2, "roll": 2}
"""Dimension of each shape without noise: 1 for a curve, 2 for a surface."""
COLUMNS = 10
SAMPLE = 500
STRENGTHS = (1000.0, 100.0, 10.0)


def draw(view: View) -> LessonText | None:
    """Draw the estimated dimension of a shape or a space, next to that of structureless copies.

    Return the texts of the lesson, or None while the dimension is computed.
    """
    kind = figure_choice(KINDS)
    recipe, strength = view.recipe, 0.0
    if kind in SURFACE:
        strength = number_choice("strength", "Size of the shape, where the noise is 1", STRENGTHS, 1000, live=False)
        recipe = Recipe.synthetic(kind, {"n": 1000, "d": COLUMNS, "strength": strength})
    elif kind == "noise":
        recipe = Recipe.synthetic(kind, {"n": 1000, "d": COLUMNS})
    question = call(
        "embedviz.geometry.intrinsic:intrinsic_dimension", recipe, unit=kind == "space", sample=SAMPLE, k=10
    )
    task = calls.task("manifolds", question)
    found: IntrinsicDimension | None = task.result
    if found is None:
        work.show(task, "Comparing distances to the nearest rows, here and in copies.")
        return None
    copies = float(np.mean(found.copies_levina_bickel["gaussian"]))
    bars = [
        ("columns", float(found.dimensions)),
        ("by variance", found.linear),
        ("copies", copies),
        ("TwoNN", found.two_nn),
        ("Levina-Bickel", found.levina_bickel),
    ]
    values = [value for _, value in bars]
    chart = bars_chart(
        [name for name, _ in bars],
        values,
        [number(value, 1) for value in values],
        view.theme,
        title="dimension",
        phone=view.phone,
    )
    figure.plotly(chart, "manifolds-bars")
    return LessonText(
        limit="A small dimension does not name the directions, and an estimate is no proof of a surface. "
        "It depends on the noise and on how many rows there are.",
        exercise=_exercise(kind, found, copies),
        formula=(
            r"\hat d = \left(\frac{1}{n(k-1)} \sum_{i} \sum_{j<k} \ln\frac{T_k(i)}{T_j(i)}\right)^{-1} = "
            rf"{tex(found.levina_bickel)},\quad k = {found.k},\ \text{{copies}}: {tex(copies)}",
        ),
        meaning=found.meaning
        if kind in SURFACE
        else f"Rows vary in about {number(found.levina_bickel, 1)} directions.",
        note=f"T_j(i) is the distance of row i to its neighbor j. {found.sample:,} of {found.rows:,} rows; the copies "
        "are Gaussian clouds. With more rows neighbors are nearer, and the estimate can change.",
    )


def _exercise(kind: str, found: IntrinsicDimension, copies: float) -> Exercise:
    """Return an exercise: the dimension of a shape; for a space, whether its dimension is below that of copies."""
    if kind in SURFACE:
        return Exercise(
            f"How many numbers say where a point of the {KINDS[kind].lower()} itself lies?",
            float(SURFACE[kind]),
            f"{_WHY[kind]} The estimate here is {number(found.levina_bickel)}: noise fills all {found.dimensions} "
            "columns, and counts where it is as large as the distance to the neighbors.",
            "Think of walking on the shape: in how many independent directions can you go?",
        )
    return Exercise(
        "Do these rows lie on fewer dimensions than structureless copies of every kind?",
        "yes" if found.fewer else "no",
        f"The estimate is {number(found.levina_bickel)}, the mean of the Gaussian copies {number(copies)}. "
        f"Below {number(found.chance)}, it would be rare for a copy.",
        "Compare the last bar with the bar of the copies: is it clearly shorter?",
        options=("yes", "no"),
    )


_WHY = {
    "ring": "One: the angle.",
    "torus": "Two: the angle around the hole, and the angle around the tube.",
    "roll": "Two: the place along the sheet, and the height.",
}

LESSON = Lesson("manifolds", "Manifolds", "In how many directions do rows vary?", 5, WORKBENCH, draw)
