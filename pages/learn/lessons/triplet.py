"""The triplet loss: an anchor, a positive and a negative to drag, and the step that the gradient takes."""

from embedviz.contextual.contrast import triplet_loss
from embedviz.core.phrases import number
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import number_choice
from pages.learn.pattern.hand import Arrow, hand
from pages.learn.pattern.latex import factor, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

HOMES = {"a": (1.0, 1.0), "p": (1.6, 0.4), "n": (0.3, 1.8)}
LABELS = {"a": "anchor", "p": "positive", "n": "negative"}
MARGIN = 1.0
RATES = (0.05, 0.1, 0.2, 0.25)


def draw(view: View) -> LessonText:
    """Draw the three vectors, and ask for the loss after one step of the positive."""
    arrows = [Arrow(name, home, LABELS[name]) for name, home in HOMES.items()]
    hand(arrows, view, key="triplet-hand", readings=("triplet",), marks=("triplet",))
    rate = number_choice("rate", "Learning rate η", RATES, 0.1)
    a, p, n = (one.place for one in arrows)
    loss = triplet_loss(a, p, n, MARGIN)
    far = number(loss.negative)
    slope = r",\ ".join(tex(each) for each in loss.toward.tolist())
    gradient = "2 (p - a) =" if loss.value > 0 else ""  # where the loss is 0 it does not change with p
    step = (
        rf"\frac{{\partial L}}{{\partial p}} = {gradient} ({slope}),"
        rf"\quad p \leftarrow p - {rate:g}\, \frac{{\partial L}}{{\partial p}}"
    )
    if loss.value > 0:
        moved = [at - rate * each for at, each in zip(p, loss.toward.tolist(), strict=True)]
        after = triplet_loss(a, moved, n, MARGIN)
        shrink = 1 - 2 * rate
        meaning = "The loss pulls the positive to the anchor and pushes the negative away."
        exercise = Exercise(
            f"Only p takes one step with η = {rate:g}. What is the loss then?",
            after.value,
            f"p − a becomes {number(shrink)} times as long, so |a − p|² = {number(shrink)}² × {number(loss.positive)} "
            f"= {number(after.positive)}; max(0, {number(after.positive)} − {far} + 1) = {number(after.value)}.",
            "p − η · 2 (p − a) lies on the line to a: p − a is multiplied by 1 − 2η. Square it.",
            tolerance=0.02,
        )
    else:
        meaning = "The loss is 0: the negative is farther than the positive by the margin or more. Nothing moves."
        needed = max(0.0, loss.positive + MARGIN) ** 0.5
        exercise = Exercise(
            "The loss is 0. At which distance of n from a does the loss begin to be above 0?",
            needed,
            f"L > 0 where |a − n|² < |a − p|² + 1 = {number(loss.positive + MARGIN)}, so below {number(needed)}.",
            "Set |a − p|² − |a − n|² + 1 to 0, and solve for |a − n|.",
            tolerance=0.02,
        )
    return LessonText(
        limit="The loss does not find out which texts belong together. The pairs are given to it.",
        exercise=exercise,
        formula=(
            rf"L = \max(0,\ |a - p|^2 - |a - n|^2 + 1) = \max(0,\ {tex(loss.positive)} - {factor(loss.negative)} + 1) "
            rf"= {tex(loss.value)}",
            step,
        ),
        meaning=meaning,
        note="An example: the anchor a is a question, the positive p is its answer, the negative n is another answer. "
        "The margin is 1. In training, a step moves the weights of the encoder, and these move all three vectors.",
    )


LESSON = Lesson(
    "triplet", "Anchor, positive, negative", "What does a contrastive loss move?", 5, WORKBENCH, draw, choice=""
)
