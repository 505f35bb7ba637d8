"""The loss of a tuning, step by step."""

import math
from collections.abc import Sequence

from embedviz.contextual.tuning import TunedEncoder
from embedviz.core.phrases import number
from embedviz.figures.lessons import LessonCurve, curves_chart
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import LessonText

_LEAST = 0.0005
"""Least loss that is written as a number; a smaller loss is written as “below 0.001”."""


def loss_text(view: View, tuned: TunedEncoder) -> LessonText:
    """Draw the loss of each step; the exercise asks for the loss of a batch if all vectors are equal."""
    steps = list(range(1, len(tuned.losses) + 1))
    batch = tuned.batches[0]
    most = math.log(batch)
    tau, rest = tuned.settings.temperature, tuned.last_batch
    last = {step for step in steps if rest and step % len(tuned.batches) == 0}
    full = [step for step in steps if step not in last]
    curves = [LessonCurve(*_points(tuned.losses, full), f"batch of {batch}")]
    if last:
        named = f"last batch of an epoch: {rest}"
        curves.append(LessonCurve(*_points(tuned.losses, sorted(last)), named, color=None, dash=""))
    log = "y" if min(tuned.losses) > 0 else ""
    up = f"InfoNCE in nats{', logarithmic' if log else ''}"
    figure.plotly(curves_chart(curves, view.theme, across="step", up=up, log=log), "tuning-loss")
    small = (
        f" The last batch of an epoch has only {rest} sentences, so its sum ends at {rest}: fewer negatives, and "
        "usually a lower loss."
        if rest
        else ""
    )
    first = tuned.losses[0]
    written = rf"= {tex(first, 3)}" if first >= _LEAST else r"< 0.001"
    return LessonText(
        limit="The loss asks which second reading in the batch is of the same sentence. That it falls does not say "
        "that the encoder orders pairs of sentences better.",
        exercise=Exercise(
            f"A full batch has {batch} sentences. What is its loss in nats if all vectors are equal?",
            most,
            f"All {batch} probabilities are 1/{batch}, so L = ln {batch} = {number(most)}. The first step has "
            f"{_spoken(first)}.",
            "With equal cosines, each of the sentences has the same probability.",
            tolerance=0.02,
        ),
        formula=(
            rf"L = -\ln \frac{{e^{{\cos(h, h^+)/{tau:g}}}}}{{\sum_{{j=1}}^{{{batch}}} e^{{\cos(h, h_j^+)/{tau:g}}}}},"
            rf"\quad \overline{{L}}_{{\text{{step 1}}}} {written}",
        ),
        meaning=f"The loss of a batch of {batch} sentences is {_spoken(first)} at the first step "
        f"and {_spoken(tuned.losses[full[-1] - 1])} at step {full[-1]}.",
        note="h and h⁺ are the vectors of a sentence, read twice with different values dropped (dropout). The other "
        f"h⁺ of the batch are the negatives. L is the loss of a sentence; that of a step is the mean over its batch."
        f"{small}",
        details=f"{tuned.note} It took {tuned.seconds:.0f} s with all that is measured.",
    )


def _spoken(loss: float) -> str:
    """Return a loss as a text; a loss that would be written as 0 is “below 0.001”."""
    return number(loss, 3) if loss >= _LEAST else "below 0.001"


def _points(losses: Sequence[float], steps: Sequence[int]) -> tuple[list[int], list[float]]:
    """Return the points of a curve: the given steps, counted from 1, and the loss of each of these steps."""
    return [*steps], [losses[step - 1] for step in steps]
