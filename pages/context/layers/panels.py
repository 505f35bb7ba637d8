"""The panels of the page Layers: the curves of a measure, words, dimensions, and the similarity of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.core.phrases import listing, number, share
from embedviz.figures.layers import alike_figure, curves_figure, on_scale
from embedviz.testsets.datasets import published_layers
from pages._shared.app import states
from pages._shared.output import export, figure

if TYPE_CHECKING:
    from embedviz.contextual.layers import LayerMeasure, Layers
    from embedviz.core.options import Method
    from pages._shared.sources.current import View

LISTED = 8


def curves(
    found: Layers, measure: LayerMeasure, correction: Method | None, question: Call, view: View, *, space: str
) -> None:
    """Draw the figure of a measure, its sample and its export row.

    Args:
        correction: The correction of the vectors, as a row of the table of corrections; None for no correction.
        space: The names of the model and the texts, as text for exports.
    """
    published = () if correction else published_layers()
    drawn, off = on_scale(found, measure.name, published)
    picture = curves_figure(
        found,
        measure.name,
        view.theme,
        published,
        say=measure.say,
        against=measure.against,
        axis=measure.axis,
        phone=view.phone,
    )
    result, certainty = found.meaning(measure.name), found.certainty(measure.name)
    figure.plotly(picture, "layers-curves")
    names = listing([model.title for model in drawn]) if drawn else ""
    sources = f"{names}: {drawn[0].source}. {drawn[0].note}" if drawn else ""
    ours = f"Measured here: {found.model}, with its 95\u00a0% interval."
    states.note(
        f"{ours} For comparison: published curves of {names}, on other sentences." if drawn else "",
        *[f"{model.title} is not drawn: it reaches {number(max(model.curves[measure.name]), 0)}." for model in off],
    )
    states.details(
        certainty,
        measure.advice,
        measure.summary,
        f"Source: {measure.source}." if measure.source else "",
        correction.summary if correction else "",
        found.sample,
        sources,
        found.about,
    )
    export.export_row(
        key="layers",
        picture="plot:layers-curves",
        table=lambda: export.csv_text(*found.table()[::-1]),
        filename=f"layers-{found.model}-{measure.name}",
        calls=[call("embedviz.contextual.layers:curve", question, measure.name), question],
        note={
            "title": f"{measure.title}, layer by layer" + (f", {correction.title.lower()}" if correction else ""),
            "space": space,
            "meaning": f"{result} {measure.means}" if certainty else result,
            "certainty": certainty,
            "baseline": f"Dotted: {measure.against}." if measure.against else "",
            "sample": found.note,
            "published": sources,
        },
    )


def verdict(found: Layers, measure: LayerMeasure) -> None:
    """Write the question that a measure answers, and the answer.

    For the measure *baseline*, the answer is advice on the use of cosines.
    """
    states.panel(measure.question, level=3)
    advice = found.verdict if measure.name == "baseline" else ""
    result = f"{found.meaning(measure.name)} {measure.means if found.certainty(measure.name) else ''}".strip()
    states.meaning(advice or result)
    states.note(*((result, found.why_limit) if advice else ()))


def words(found: Layers, layer: int) -> None:
    """Draw the words of lowest and highest self-similarity as two tables."""
    states.panel(
        "Which words keep their vector in every sentence?",
        f"Mean cosine of two occurrences at layer {layer}; two random words: "
        f"{number(found.layers[layer].values['baseline'].value or 0.0)}",
        3,
    )
    if len(found.lowest(layer, LISTED)) < 2:
        states.note("Too few words are frequent enough. Draw more sentences, or take other texts.")
        return
    halves = st.columns(2, gap="medium")
    for place, least in zip(halves, (False, True), strict=True):
        with place:
            states.table(*found.word_table(layer, LISTED, least=least))
    states.note("High: the word keeps its vector. Low: the sentence changes it. Rare words are less certain.")


def numbers(found: Layers, measure: LayerMeasure, layer: int, size: int) -> None:
    """Draw expanders with tables: values of the figure, dominant dimensions, and all measures at the layer."""
    with st.expander("Values in the figure", key="layers-values"):
        states.note(f"95\u00a0% interval: resampling {found.resampled(measure.name)}.")
        states.table(*found.measure_table(measure.name), strong=1)
    with st.expander("Does one dimension dominate the cosines?", key="layers-dimensions"):
        dimensions(found, size)
    with st.expander(f"All measures at layer {layer}", key="layers-measures"):
        states.explained(*found.layer_table(layer))


def dimensions(found: Layers, size: int) -> None:
    """Draw the dimension with the largest share of the mean cosine at each layer."""
    states.note(f"Share: its part of the mean cosine of two words. With equal shares: {share(1 / size)}.")
    states.table(*found.dimension_table(), strong=2)
    states.details(
        "r² compares the cosines of random pairs with their cosines without the top 1, 3 or 5 dimensions. Isotropic "
        f"vectors give 1 − k ÷ d, here at least {number(1 - 5 / size, 3)}. There is no share where the mean "
        "cosine is near 0."
    )


def similarity(found: Layers, view: View) -> None:
    """Draw CKA of all pairs of layers."""
    states.panel("Which layers are similar?", "CKA. 1: both find the same words similar; 0: nothing in common", 3)
    figure.plotly(alike_figure(found, view.theme, phone=view.phone), "layers-alike")
    states.note(found.kinship)
    states.details(
        f"Linear CKA of {found.compared:,} tokens, one from each sentence, debiased: unrelated layers "
        "give 0 on average. Each layer adds to the vectors of the layer before, so neighboring layers are similar by "
        "construction. There is no interval for these values."
    )
