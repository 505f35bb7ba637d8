"""The triplet loss: an anchor, a positive and a negative to drag, and the step that the gradient takes."""

import streamlit as st

from embedviz.contextual.contrast import TripletLoss, triplet_loss
from embedviz.core.phrases import number
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import number_choice
from pages.learn.pattern.hand import Arrow, hand
from pages.learn.pattern.latex import digits_that_give, factor, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

HOMES = {"a": (1.0, 1.0), "p": (1.6, 0.4), "n": (0.3, 1.8)}
LABELS = {"a": "anchor", "p": "positive", "n": "negative"}
MARGIN = 1.0
RATES = (0.05, 0.1, 0.2, 0.25)


def draw(view: View) -> LessonText:
    """Draw anchor, positive and negative. The exercise asks for the loss after one step of the gradient.

    If the loss is 0, the exercise asks how near the negative must be to the anchor before the loss rises above 0.
    """
    arrows = [Arrow(name, home, LABELS[name]) for name, home in HOMES.items()]
    drawn = st.container()
    rate = number_choice("rate", "Learning rate η", RATES, 0.1)
    with drawn:
        hand(arrows, view, key="triplet-hand", readings=("triplet",), marks=("triplet",), rate=rate)
    a, p, n = (one.place for one in arrows)
    loss = triplet_loss(a, p, n, MARGIN)
    slope = r",\ ".join(tex(each) for each in loss.toward.tolist())
    gradient = "2 (p - a) =" if loss.value > 0 else ""  # a loss of 0 does not change with p
    step = (
        rf"\frac{{\partial L}}{{\partial p}} = {gradient} ({slope}),"
        rf"\quad p \leftarrow p - {rate:g}\, \frac{{\partial L}}{{\partial p}}"
    )
    if loss.value > 0:
        meaning = "The loss pulls the positive to the anchor and pushes the negative away."
        moved = [at - rate * each for at, each in zip(p, loss.toward.tolist(), strict=True)]
        exercise = _after_a_step(loss, triplet_loss(a, moved, n, MARGIN), rate)
    else:
        meaning = "The loss is 0: |a − n|² is larger than |a − p|² by the margin or more. Nothing moves."
        exercise = _where_a_loss_begins(loss)
    digits = digits_that_give((loss.positive, loss.negative), _hinge)
    near, far = tex(loss.positive, digits), factor(loss.negative, digits)
    return LessonText(
        limit="The loss does not find out which texts belong together. They are given to it as triplets.",
        exercise=exercise,
        formula=(
            rf"L = \max(0,\ |a - p|^2 - |a - n|^2 + 1) = \max(0,\ {near} - {far} + 1) = {tex(loss.value)}",
            step,
        ),
        meaning=meaning,
        note="An example: the anchor a is a question, the positive p is its answer, the negative n is another answer. "
        "The 1 is the margin. ∂L/∂p is the gradient: the direction of p in which L grows fastest. ← means “becomes”; "
        "the small circle is p after the step. In training, a step moves the weights of the encoder, and these move "
        "all three vectors.",
    )


def _hinge(near: float, far: float) -> float:
    return max(0.0, near - far + MARGIN)


def _after_a_step(loss: TripletLoss, after: TripletLoss, rate: float) -> Exercise:
    """Return an exercise on the loss after the positive takes one gradient step, while anchor and negative stay."""
    shrink = 1 - 2 * rate
    digits = digits_that_give((after.positive, after.negative), _hinge)
    near, far = number(after.positive, digits), number(after.negative, digits)
    before = number(loss.positive, digits_that_give([loss.positive], lambda square: shrink**2 * square, digits))
    return Exercise(
        f"Only p takes one step with η = {rate:g}. What is the loss then?",
        after.value,
        f"p − a becomes {number(shrink)} times as long, so |a − p|² = {number(shrink)}² × {before} = {near}; "
        f"max(0, {near} − {far} + 1) = {number(after.value)}.",
        "p − η · 2 (p − a) lies on the line to a: p − a is multiplied by 1 − 2η. Square it.",
        tolerance=0.02,
    )


def _where_a_loss_begins(loss: TripletLoss) -> Exercise:
    """Return an exercise on the distance from negative to anchor below which the loss is above 0."""
    square = loss.positive + MARGIN
    return Exercise(
        "The loss is 0. Below which distance of n from a is it above 0?",
        square**0.5,
        f"L > 0 where |a − n|² < |a − p|² + 1 = {number(square)}, so below {number(square**0.5)}.",
        "Set |a − p|² − |a − n|² + 1 to 0, and solve for |a − n|.",
        tolerance=0.02,
    )


LESSON = Lesson(
    "triplet", "Anchor, positive, negative", "What does a contrastive loss move?", 5, WORKBENCH, draw, choice=""
)
