"""One step of learning: twenty words, the errors of one prediction, and the vectors that it moves."""

from functools import partial

import numpy as np
import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.figures.skipgram import step_figure
from embedviz.training.stepwise import LINES, MOST_STEPS, WORDS, StepwiseTraining
from pages._shared.app import address
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.slider import slider
from pages.learn.pattern.steps import SliderStep, stepped

RATES = {"slow": 0.1, "medium": 0.5, "fast": 2.0}
LOSSES = {"softmax": "Softmax", "negative": "Negative sampling"}
BUTTONS = (("Step", 1), ("20 steps", 20), ("Undo", -1), ("Begin again", -MOST_STEPS))
GROUPS = [place for place, line in enumerate(LINES) for _ in line]


def draw(view: View) -> LessonText:
    """Draw the next training step, and the buttons that take steps. The exercise is on errors of the prediction."""
    rate = RATES.get(address.get("rate"), RATES["medium"])
    loss = "negative" if address.get("loss") == "negative" else "softmax"
    steps = _controls(loss, rate)
    question = call("embedviz.training.stepwise:stepwise", MOST_STEPS, rate, negative=loss == "negative")
    whole: StepwiseTraining = calls.result(question)
    along, near = {"step": range(MOST_STEPS + 1)}, {"step": _near(steps)}
    moved = stepped(view, "step-figure", (loss, rate), along, {"step": steps}, partial(_step, view, whole), near=near)
    training = whole.until(steps)
    return LessonText(
        limit="A step does not store a fact about two words: it moves all scored vectors a little, and the next pair "
        "may move them back.",
        exercise=_exercise(training, _target(training)),
        steps=moved,
        note="Bars: ŷ − y of each scored word. Points: output vectors u; diamond: the input vector v of the center "
        f"word; short arrows: where the step moves them. {training.note}",
    )


def _near(steps: int) -> list[int]:
    """Return the step counts to prepare: those that a visitor can reach with a few clicks from `steps`, ascending.

    They are 0, `steps` − 4 to `steps` + 24, `steps` + 40 and `steps` + 60, between 0 and `MOST_STEPS`.
    """
    found = {0, *range(steps - 4, steps + 25), steps + 40, steps + 60}
    return sorted(each for each in found if 0 <= each <= MOST_STEPS)


def _target(training: StepwiseTraining) -> float:
    """Return ŷ, the predicted probability, of the context word in the next step."""
    step = training.next
    return float(step.predicted[list(step.rows).index(step.target)])


def _step(view: View, whole: StepwiseTraining, step: int) -> SliderStep:
    """Return the figure of errors and vectors after `step` steps; the formula computes the loss of the next step."""
    training = whole.until(step)
    found, rate, (_, context) = training.next, training.rate, training.pairs[-1]
    gradient = r",\ ".join(tex(float(value)) for value in found.input_gradient)
    terms = -np.log(np.where(found.truth == 1, found.predicted, 1 - found.predicted))
    loss_formula = (
        rf"L = -\ln \hat y_{{\text{{{context}}}}} = -\ln {tex(_target(training), 3)} = {tex(found.loss)}"
        if not found.sampled
        else rf"L = -\ln\sigma(u_o^\top v_c) - \sum_n \ln\sigma(-u_n^\top v_c) = "
        rf"{' + '.join(tex(float(term)) for term in terms)} = {tex(found.loss)}"
    )
    lines = (
        loss_formula,
        rf"v_c \leftarrow v_c - {rate:g} \sum_{{\text{{all }} j}} (\hat y_j - y_j)\, u_j",
        rf"\sum_{{\text{{all }} j}} (\hat y_j - y_j)\, u_j = ({gradient})",
    )
    return SliderStep(step_figure(found, rate, GROUPS, view.theme, phone=view.phone), lines, training.meaning)


def _controls(loss: str, rate: float) -> int:
    """Draw the buttons for steps, loss and learning rate; return the number of steps taken so far."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        numbers = [str(each) for each in range(MOST_STEPS + 1)]
        steps = slider("Steps", "step", numbers, "0", buttons=BUTTONS)
        bound = address.bind("loss", loss)
        st.segmented_control("Loss", list(LOSSES), format_func=LOSSES.__getitem__, required=True, **bound)
        speed = next(name for name, value in RATES.items() if value == rate)
        titles = {name: f"{name} ({value:g})" for name, value in RATES.items()}
        bound = address.bind("rate", speed)
        st.segmented_control("Learning rate", list(RATES), format_func=titles.__getitem__, required=True, **bound)
    return steps


def _exercise(training: StepwiseTraining, target: float) -> Exercise:
    """Return an exercise on the context word's error; with the softmax loss, on the sum of all other words' errors."""
    center, context = training.pairs[-1]
    if training.next.sampled:
        return Exercise(
            f"The model says σ(u · v) = {number(target, 3)} for {context} after {center}. What is its error σ − y?",
            target - 1,
            f"y is 1 for the context word, so σ − y = {number(target, 3)} − 1 = {number(target - 1, 3)}. A negative "
            "error pulls the two vectors together.",
            "y is 1 for the word that stands there.",
            tolerance=0.01,
        )
    return Exercise(
        f"ŷ of {context} after {center} is {number(target, 3)}. "
        f"What is the sum of ŷ − y over the other {len(WORDS) - 1} words?",
        1 - target,
        f"All ŷ add to 1, and y is 0 for the others: 1 − {number(target, 3)} = {number(1 - target, 3)}. The pull "
        f"towards {context} is as strong as all pushes away from the others together.",
        "All ŷ add to 1. How much is left for the other words?",
        tolerance=0.01,
    )


LESSON = Lesson("step", "One step of learning", "What moves when a model learns?", 5, WORKBENCH, draw, choice="")
