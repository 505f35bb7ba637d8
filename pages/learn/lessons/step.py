"""One step of learning: twenty words, the errors of one prediction, and the vectors that it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.figures.skipgram import step_figure
from embedviz.training.stepwise import LINES, MOST_STEPS, WORDS, StepwiseTraining
from pages._shared.app import address
from pages._shared.output import figure
from pages._shared.results import calls
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.current import View

RATES = {"slow": 0.1, "medium": 0.5, "fast": 2.0}
LOSSES = {"softmax": "Softmax", "negative": "Negative sampling"}
GROUPS = [place for place, line in enumerate(LINES) for _ in line]


def draw(view: View) -> LessonText:
    """Draw the next step, and the buttons that take it."""
    rate = RATES.get(address.get("rate"), RATES["medium"])
    loss = "negative" if address.get("loss") == "negative" else "softmax"
    steps = int(address.whole("step", 0, MOST_STEPS, 0))
    _controls(steps, loss, rate)
    question = call("embedviz.training.stepwise:stepwise", steps, rate, negative=loss == "negative")
    training: StepwiseTraining = calls.result(question)
    step = training.next
    figure.plotly(step_figure(step, rate, GROUPS, view.theme, phone=view.phone), "step-figure")
    center, context = training.pairs[-1]
    target = float(step.predicted[list(step.rows).index(step.target)])
    gradient = r",\ ".join(tex(float(value)) for value in step.input_gradient)
    terms = -np.log(np.where(step.truth == 1, step.predicted, 1 - step.predicted))
    loss_formula = (
        rf"L = -\ln \hat y_{{\text{{{context}}}}} = -\ln {tex(target, 3)} = {tex(step.loss)}"
        if not step.sampled
        else rf"L = -\ln\sigma(u_o^\top v_c) - \sum_n \ln\sigma(-u_n^\top v_c) = "
        rf"{' + '.join(tex(float(term)) for term in terms)} = {tex(step.loss)}"
    )
    return LessonText(
        limit="A step does not store a fact about two words: it moves all scored vectors a little, and the next pair "
        "may move them back.",
        exercise=_exercise(training, target),
        formula=(
            loss_formula,
            rf"v_c \leftarrow v_c - {rate:g} \sum_{{\text{{all }} j}} (\hat y_j - y_j)\, u_j",
            rf"\sum_{{\text{{all }} j}} (\hat y_j - y_j)\, u_j = ({gradient})",
        ),
        meaning=training.meaning,
        note=f"Bars: ŷ − y of each scored word. Points: output vectors u; diamond: the input vector v of {center}; "
        f"short arrows: where the step moves them. {training.note}",
    )


def _controls(steps: int, loss: str, rate: float) -> None:
    """Draw the buttons of the steps, the loss and the learning rate."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        for label, by in (("Step", 1), ("20 steps", 20), ("Undo", -1)):
            st.button(
                label,
                key=f"step-by-{by}",
                type="primary" if by == 1 else "secondary",
                disabled=not 0 <= steps + by <= MOST_STEPS,
                on_click=_go,
                args=(steps + by,),
            )
        st.button("Begin again", key="step-zero", type="tertiary", disabled=not steps, on_click=_go, args=(0,))
        bound = address.bind("loss", loss)
        st.segmented_control("Loss", list(LOSSES), format_func=LOSSES.__getitem__, required=True, **bound)
        speed = next(name for name, value in RATES.items() if value == rate)
        titles = {name: f"{name} ({value:g})" for name, value in RATES.items()}
        bound = address.bind("rate", speed)
        st.segmented_control("Learning rate", list(RATES), format_func=titles.__getitem__, required=True, **bound)


def _go(steps: int) -> None:
    address.put(step=str(steps) if steps else None)


def _exercise(training: StepwiseTraining, target: float) -> Exercise:
    """Ask for the errors of all other words together, or for the error of the context word."""
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
