"""Two sentences by each pooling, with random pairs as the baseline."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.contextual import pooled
from embedviz.contextual.layer_pooling import missing_note
from embedviz.contextual.pooling import POOLINGS
from embedviz.core.call import call
from embedviz.core.phrases import listing
from embedviz.figures.pooling import poolings_figure
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.output import export, figure
from pages._shared.results import calls, work
from pages.context.pooling import boxes, mix
from pages.context.pooling.examples import EXAMPLES
from pages.context.pooling.setup import RANDOM, PoolingSetup

if TYPE_CHECKING:
    from embedviz.contextual.pooled import ComparedSentences, PoolingCosine


def two(setup: PoolingSetup) -> None:
    """Draw the cosine of two sentences by each pooling, with random pairs as the baseline, and the scalar mix.

    Raises:
        OptionError: The address has a sentence that is too long, or a layer or weights that the model does not have.
    """
    one, other = boxes.typed()
    layer = setup.layer
    if not one or not other:
        states.state("A sentence is missing.", "Type two sentences, or take an example.")
        return
    if one == other:
        states.state("The two sentences are equal.", "All cosines are 1. Change one sentence.")
        return
    task = calls.task("pooling-pair", setup.call("pooled:compared", [one, other]), private=True)
    drawn = calls.task(RANDOM, setup.random)
    explanation = st.container()
    column, panel = st.columns([2, 1], gap="large")
    if task.result is None or drawn.result is None:
        with column:
            waiting = (
                (task, "Reading the two sentences.") if task.result is None else (drawn, "Reading random sentences.")
            )
            work.show(*waiting)
        return
    pair, random = task.result, drawn.result
    with panel:
        states.panel("Layer", "of the methods mean, CLS and max", level=3)
        setup.choose_layer()
        weights, gamma = mix.weights_of(pair)
    found = pooled.compare_poolings(pair, random, layer, weights, gamma)
    with explanation:
        states.panel("Are the two more alike than random sentences?", setup.advice, level=3)
        states.meaning(pooled.meaning(found))
    with column:
        _result(setup, pair, random, found, weights, gamma)
    with panel:
        mix.result(pair.mix(weights, gamma), found[-1])


def _result(
    setup: PoolingSetup,
    pair: ComparedSentences,
    random: ComparedSentences,
    found: tuple[PoolingCosine, ...],
    weights: list[float],
    gamma: float,
) -> None:
    """Draw the figure, its meaning and its export row."""
    one, other = pair.sentences
    ranked = pooled.ranked(found)
    figure.plotly(poolings_figure(ranked, setup.view.theme, phone=setup.view.phone), "pooling-plot")
    meaning = pooled.meaning(found)
    common, every = pooled.words_in_common(one, other)
    sample = pooled.sample(random)
    flat = [each.title for each in found if each.constant]
    example = next((each for each in EXAMPLES if (each.one, each.other) == (one, other)), None)
    states.touched("Methods", [(row.title, row.summary) for row in POOLINGS.values()])
    states.note(example.note if example else "", f"The sentences share {common} of {every} words.")
    states.note(
        pooled.baseline_note(found),
        missing_note(pair.missing, pair.model),
    )
    states.details(
        "Methods are in the order of cosine minus mean of random pairs.",
        sample,
        "The random sentences have 6 to 40 words. By max pooling the cosine depends on sentence length.",
        f"{listing(flat)} of layer {setup.layer} is equal for all sentences, since attention has not reached it."
        if flat
        else "",
    )
    export.export_row(
        key="pooling",
        picture="plot:pooling-plot",
        table=partial(export.csv_text, *pooled.table(found)[::-1]),
        filename=f"pooling-{one}",
        calls=[
            call(
                "embedviz.contextual.pooled:beside",
                setup.call("pooled:compared", pair.sentences),
                setup.random,
                setup.layer,
                weights,
                gamma,
            ),
            setup.random,
        ],
        note={
            "title": f"“{plain(one, 80)}” and “{plain(other, 80)}”",
            "space": setup.card.size,
            "meaning": meaning,
            "sample": sample,
        },
    )
