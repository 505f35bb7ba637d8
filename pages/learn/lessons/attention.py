"""Attention: what one token takes from the others in one head, with the numbers of the model."""

from collections.abc import Sequence
from functools import partial
from math import exp

import numpy as np
import streamlit as st

from embedviz.contextual.heads import AttentionRow, Heads, token_text
from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.figures.lessons import bars_chart
from pages._shared.sources import models
from pages._shared.sources.current import View
from pages.learn.pattern import slider
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, sentence_box
from pages.learn.pattern.latex import power, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped

SENTENCE = "I sat on the bank of the river."
LONGEST, MOST_KEYS = 200, 14


def draw(view: View) -> LessonText | None:
    """Draw the weights of one token in one head; the exercise asks for the ratio of two weights.

    Return the texts of the lesson, or None until there is a result.
    """
    sentence, model = sentence_box(SENTENCE, LONGEST), models.argument(models.current())
    question = call("embedviz.contextual.heads:heads", sentence, model=model)
    found: Heads | None = computed(
        "learn-attention", question, "Attention", "Reading the sentence.", "the sentence before", private=True
    )
    if found is None:
        return None
    here = _chosen(found)
    along = {"token": range(len(found)), "layer": range(1, found.layers + 1), "head": range(1, found.heads + 1)}
    of, step = (found.model, found.tokens), partial(_step, view, found)
    moved = stepped(view, "attention-weights", of, along, here, step)
    rows = _seen(found, **here)
    return LessonText(
        limit="A weight is no explanation of the output. A token receives the weight times W_O times the value of the "
        "other token, not its input vector; then come the residual, the layer norm and the feed-forward network.",
        exercise=_exercise(found, rows),
        steps=moved,
        note=f"{found.model}. Dotted line: {number(1 / len(rows), 3)}, the same weight for each token that it sees, "
        f"{len(rows)} here.",
    )


def _seen(found: Heads, token: int, layer: int, head: int) -> list[AttentionRow]:
    """Return the rows of a token's attention in a head, one for each token that it sees."""
    return [row for row in found.rows(layer, head, token) if row.score is not None]


def _step(view: View, found: Heads, token: int, layer: int, head: int) -> SliderStep:
    """Return the figure of the weights that a token gives to others in a head; the formula computes the highest."""
    rows = _seen(found, token, layer, head)
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
    first, *others = sorted(rows, key=lambda row: -row.weight)
    one, total = float(first.score or 0.0), float(np.exp([row.score or 0.0 for row in rows]).sum())
    dimensions, product = found.queries.shape[-1], one / found.scales[layer - 1]
    lines = (
        rf"s = \frac{{q \cdot k}}{{\sqrt{{d_h}}}} = \frac{{{tex(product)}}}{{\sqrt{{{dimensions}}}}} = {tex(one)}",
        rf"\frac{{e^{{s}}}}{{\sum_j e^{{s_j}}}} = \frac{{e^{{{tex(one)}}}}}{{{power(total)}}} = "
        rf"{tex(first.weight, 3)}",
    )
    second = f", {found.name(others[0].token)} {number(others[0].weight)}" if others else ""
    meaning = (
        f"Layer {layer}, head {head}: {found.name(token)} gives {found.name(first.token)} {number(first.weight)} of "
        f"its attention{second}. Its part from {found.name(first.token)} has length {number(first.given)}."
    )
    return SliderStep(chart, lines, meaning)


def _exercise(found: Heads, rows: Sequence[AttentionRow]) -> Exercise:
    """Return an exercise on the ratio of the two highest weights. If a token sees only itself, ask for its weight."""
    first, *others = sorted(rows, key=lambda row: -row.weight)
    if not others:
        return Exercise(
            f"{found.name(first.token)} sees no other token. What would its weight be if its score were twice as high?",
            1.0,
            "exp(s) / exp(s) = 1 for every score s: the weights of the softmax sum to 1.",
            "Put one score alone into the softmax.",
        )
    one, other = float(first.score or 0.0), float(others[0].score or 0.0)
    return Exercise(
        f"How many times as large as the weight of {found.name(others[0].token)} is that of {found.name(first.token)}?",
        first.weight / others[0].weight,
        f"The sum of the softmax cancels: exp({number(one)} − {number(other)}) = {number(exp(one - other))}.",
        "Divide one softmax by the other: the sum below the line is the same.",
        tolerance=0.02 + 0.012 * first.weight / others[0].weight,
    )


def _chosen(found: Heads) -> dict[str, int]:
    """Draw the controls of token, layer and head; return their values by name."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        places, texts = [str(place) for place in range(len(found))], [token_text(each) for each in found.tokens]
        token = slider.slider("Token", "token", places, str(found.first), texts=texts, width=240)
        layer, head = _usual(found, found.first)
        layer = slider.whole("Layer", "layer", 1, found.layers, layer, width=200)
        head = slider.whole("Head", "head", 1, found.heads, head, width=200)
    return {"token": token, "layer": layer, "head": head}


def _usual(found: Heads, token: int) -> tuple[int, int]:
    """Return the layer and head to open with: there the token gives its highest weight to another word.

    Weights above 0.5 and weights on special tokens do not count.
    """
    others = ~found.special & (np.arange(len(found)) != token)
    weights = found.weights[:, :, token] * others
    layer, head, _ = np.unravel_index(int(np.argmax(np.where(weights <= 0.5, weights, 0))), weights.shape)
    return int(layer) + 1, int(head) + 1


LESSON = Lesson("attention", "Attention", "What does a token take from the others?", 5, WORKBENCH, draw, choice="model")
