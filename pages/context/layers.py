"""Layers: how tokens lie in each layer of a model, beside chance and beside published models."""

import streamlit as st

from embedviz.contextual.layers import MEASURES, SENTENCES, LayerMeasure, Layers
from embedviz.core.call import call
from embedviz.core.options import Method, table
from embedviz.core.phrases import listing, number, share
from embedviz.figures.layers import alike_figure, curves_figure, on_scale
from embedviz.geometry.corrections import MAPS
from embedviz.testsets.datasets import published_layers
from pages._shared.app import address, frame, states
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import calls, work
from pages._shared.sources import corpora, current, models

LISTED = 8
PLAIN = "none"
CHOICES = {**table(Method(PLAIN, "None", lambda: None)), **MAPS}

view = current.view()
head = st.container()
row = st.container(horizontal=True, vertical_alignment="center", key="controls")
with row:
    corpora.control()
    card = models.choose()
texts = corpora.chosen()
with head:
    frame.header("Layers", card.size if texts is None else f"{card.size} · {texts.size}")
if texts is None:
    frame.stop()
with row:
    measure: LayerMeasure = widgets.method("Measure", "measure", MEASURES, "baseline")
    chosen = widgets.method("Correction", "correction", CHOICES, PLAIN)
    correction = "" if chosen.name == PLAIN else chosen.name
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        st.html(f'<span class="ev-muted">{SENTENCES.label}</span>')
        count = int(widgets.number(SENTENCES, range(int(SENTENCES.high))))
        options = widgets.options(chosen, range(card.dimensions), f"{chosen.name}_") if correction else {}


def curves(found: Layers) -> None:
    """Draw the figure, what it means, and what was measured."""
    shown = () if correction else published_layers()
    drawn, off = on_scale(found, measure.name, shown)
    picture = curves_figure(
        found, measure.name, view.theme, shown, say=measure.say, against=measure.against, phone=view.phone
    )
    figure.plotly(picture, "layers-curves")
    meaning = found.meaning(measure.name)
    states.meaning(meaning)
    sources = f"{listing([model.title for model in drawn])}: {drawn[0].source}. {drawn[0].note}" if drawn else ""
    far = [
        f"{model.title} goes to {number(max(model.curves[measure.name]), 0)}, which is off this scale." for model in off
    ]
    states.note(
        measure.summary,
        f"Source: {measure.source}." if measure.source else "",
        chosen.summary if correction else "",
        found.note,
    )
    states.note(sources, *far)
    export.export_row(
        key="layers",
        picture="plot:layers-curves",
        table=lambda: export.csv_text(*found.table()[::-1]),
        filename=f"layers-{card.name}-{measure.name}",
        calls=[call("embedviz.contextual.layers:curve", question, measure.name), question],
        note={
            "title": f"{measure.title}, layer by layer" + (f", {chosen.title.lower()}" if correction else ""),
            "space": f"{card.size} · {texts.size}",
            "meaning": meaning,
            "baseline": f"Dotted: {measure.against}." if measure.against else "",
            "sample": found.note,
            "published": sources,
        },
    )


def words(found: Layers, layer: int) -> None:
    """Draw the words whose occurrences are least and most alike."""
    states.panel(
        "Which words keep their vector?",
        f"Mean cosine of a word's occurrences at layer {layer}; two random words: "
        f"{number(found.layers[layer].values['baseline'].value or 0.0)}",
        3,
    )
    if len(found.lowest(layer, LISTED)) < 2:
        states.note("Too few words occur often enough. Draw more sentences, or take other texts.")
        return
    for least in (True, False):
        states.table(*found.word_table(layer, LISTED, least=least))
    states.note("The extremes of many words: those with few occurrences are the least sure.")


def dimensions(found: Layers) -> None:
    """Draw the dimension that adds most to the mean cosine, layer by layer."""
    states.panel(
        "Does one dimension rule the cosines?",
        f"Its share of the mean cosine; if all added alike: {share(1 / card.dimensions)}",
        3,
    )
    states.table(*found.dimension_table(), strong=2)
    states.note(
        "r²: of random pairs' cosines with those without the top 1, 3 or 5 dimensions; of isotropic vectors 1 − k ÷ d, "
        f"here {number(1 - 5 / card.dimensions, 3)} or more. No share where the mean cosine is next to nothing."
    )


question = call(
    "embedviz.contextual.layers:by_layer",
    texts.given,
    models.asked(card),
    sentences=count,
    correction=correction,
    **options,
)
task = calls.task("layers", question)
found: Layers | None = task.result
if found is None:
    work.show(task, f"Layers of {card.title}, over {count:,} sentences.")
    frame.stop()

left, right = st.columns([2.2, 1], gap="large")
with left:
    curves(found)
with right:
    states.panel("The numbers", f"95\u00a0%: if other {found.resampled(measure.name)} were drawn", level=3)
    states.table(*found.measure_table(measure.name), strong=1)

with st.container(horizontal=True, vertical_alignment="center", key="layers-chosen"):
    st.html('<span class="ev-muted">At layer</span>', width="content")
    at = address.whole("layer", 0, found.depth, found.depth)
    st.selectbox("Layer", range(found.depth + 1), label_visibility="collapsed", width=110, **address.bind("layer", at))
left, right = st.columns(2, gap="large")
with left:
    words(found, at)
    dimensions(found)
with right:
    states.panel("Which layers are alike?", f"Linear CKA of {found.compared:,} tokens, one a sentence", 3)
    figure.plotly(alike_figure(found, view.theme, phone=view.phone), "layers-alike")
    states.note(
        found.kinship,
        "Without the bias that few rows bring: unrelated layers give 0 on average.",
        "A layer adds to the vectors of the one before it, so that neighbors are alike by construction.",
    )
    states.panel(f"All measures at layer {at}", level=3)
    states.explained(*found.layer_table(at))
