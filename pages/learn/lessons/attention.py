"""Attention: what one token takes from the others through one head, with its true numbers."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from embedviz.contextual.heads import Heads, token_text
from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.figures.lessons import bars_chart
from pages._shared.output import figure
from pages._shared.sources import models
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, sentence_box
from pages.learn.pattern.latex import power, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.current import View

SENTENCE = "I sat on the bank of the river."
LONGEST, MOST_KEYS = 200, 14


def draw(view: View) -> LessonText | None:
    """Draw the weights of one token in one head, and ask how two of them compare."""
    sentence, model = sentence_box(SENTENCE, LONGEST), models.argument(models.current())
    question = call("embedviz.contextual.heads:heads", sentence, model=model)
    found: Heads | None = computed(
        "learn-attention", question, "Attention", "Reading the sentence.", "the sentence before", private=True
    )
    if found is None:
        return None
    layer, head, token = _chosen(found)
    rows = [row for row in found.rows(layer, head, token) if row.score is not None]
    listed = rows if len(rows) <= MOST_KEYS else sorted(sorted(rows, key=lambda row: -row.weight)[:MOST_KEYS])
    chart = bars_chart(
        [token_text(found.tokens[row.token]) for row in listed],
        [row.weight for row in listed],
        [f"{number(row.weight, 3)}   score {number(row.score or 0.0)}" for row in listed],
        view.theme,
        title="weight",
        usual=(1 / len(rows), "uniform attention"),
        phone=view.phone,
    )
    figure.plotly(chart, "attention-weights")
    if len(rows) < 2:
        return None
    first, second = sorted(rows, key=lambda row: -row.weight)[:2]
    one, other = float(first.score or 0.0), float(second.score or 0.0)
    names = [found.name(row.token) for row in (first, second)]
    total = float(np.exp([row.score or 0.0 for row in rows]).sum())
    dimensions, product = found.queries.shape[-1], one / found.scales[layer - 1]
    return LessonText(
        limit="A weight is no explanation of the output. A token receives the weight times W_O times the value of the "
        "other token, not its input vector; then come the residual, the layer norm and the feed-forward network.",
        exercise=Exercise(
            f"How many times as large as the weight of {names[1]} is that of {names[0]}?",
            first.weight / second.weight,
            f"The sum of the softmax cancels: exp({number(one)} − {number(other)}) = {number(exp(one - other))}.",
            "Divide one softmax by the other: the sum below the line is the same.",
            tolerance=0.02 + 0.012 * first.weight / second.weight,
        ),
        formula=(
            rf"s = \frac{{q \cdot k}}{{\sqrt{{d_h}}}} = \frac{{{tex(product)}}}{{\sqrt{{{dimensions}}}}} = "
            rf"{tex(one)}",
            rf"\frac{{e^{{s}}}}{{\sum_j e^{{s_j}}}} = \frac{{e^{{{tex(one)}}}}}{{{power(total)}}} = "
            rf"{tex(first.weight, 3)}",
        ),
        meaning=f"Layer {layer}, head {head}: {found.name(token)} gives {names[0]} {number(first.weight)} of its "
        f"attention, {names[1]} {number(second.weight)}. Its part from {names[0]} has length {number(first.given)}.",
        note=f"{found.model}. Dotted line: {number(1 / len(rows), 3)}, the same weight for all {len(rows)} tokens.",
    )


def _chosen(found: Heads) -> tuple[int, int, int]:
    """Draw the controls of token, layer and head; return them."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        places, texts = [str(place) for place in range(len(found))], [token_text(each) for each in found.tokens]
        token = slider.slider("Token", "token", places, str(found.first), texts=texts, width=240)
        layer, head = _usual(found, token)
        layer = slider.whole("Layer", "layer", 1, found.layers, layer, width=200)
        head = slider.whole("Head", "head", 1, found.heads, head, width=200)
    return layer, head, token


def _usual(found: Heads, token: int) -> tuple[int, int]:
    """Return the layer and the head to begin with: the highest weight on another word that is no more than a half."""
    others = ~found.special & (np.arange(len(found)) != token)
    weights = found.weights[:, :, token] * others
    layer, head, _ = np.unravel_index(int(np.argmax(np.where(weights <= 0.5, weights, 0))), weights.shape)
    return int(layer) + 1, int(head) + 1


LESSON = Lesson("attention", "Attention", "What does a token take from the others?", 5, WORKBENCH, draw, choice="model")
