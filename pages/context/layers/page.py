"""Layers: measures of every layer of a model, with baselines and published models."""

from dataclasses import replace

import streamlit as st

from embedviz.contextual.layers import MEASURES, SENTENCES, Layers, by_layer, curve
from embedviz.core.call import call
from embedviz.core.options import Method, table
from embedviz.corpus import LEE
from embedviz.geometry.corrections import MAPS
from pages._shared.app import address, frame, states
from pages._shared.controls import popovers, widgets
from pages._shared.results import calls, latest
from pages._shared.sources import corpora, current, models
from pages.context.layers import panels

PLAIN = "none"
CHOICES = {**table(Method(PLAIN, "None", by_layer)), **MAPS}
MEASURE_METHODS = table(*(Method(row.name, row.title, curve) for row in MEASURES.values()))
DRAWN = replace(SENTENCES, default=200)  # an example that is ready in seconds; the library's default is more exact

view = current.view()
card = models.current()
head = st.container()
row = st.container(horizontal=True, vertical_alignment="center", key="controls")
with row:
    corpora.control()
texts = corpora.chosen()
with head:
    frame.header("Layers", "" if texts is None else texts.size)
if texts is None:
    frame.stop()
with row:
    measure = MEASURES[widgets.method("Measure", "measure", MEASURE_METHODS, "baseline").name]
    chosen = widgets.method("Correction", "correction", CHOICES, PLAIN)
    correction = "" if chosen.name == PLAIN else chosen.name
    with popovers.settings("layers"):
        st.html(f'<span class="ev-muted">{DRAWN.label}</span>')
        count = int(widgets.number(DRAWN, range(3_000)))
        options = widgets.options(chosen, range(card.dimensions), f"{chosen.name}_") if correction else {}
if texts.source == LEE and not address.get("model"):
    states.note(
        f"This is a worked example: {card.title} reads {count:,} sentences, drawn from 300 news texts. To measure "
        "your own texts, choose them under Texts."
    )

question = call(
    "embedviz.contextual.layers:by_layer",
    texts.given,
    models.argument(card),
    sentences=count,
    correction=correction,
    **options,
)
task = calls.task("layers", question)
named = f"{card.title}, {texts.size}, {count:,} sentences" + (f", {chosen.title.lower()}" if correction else "")
finished = latest.finished(task, question, f"Layers of {card.title}, over {count:,} sentences.", named)
if finished is None:
    frame.stop()
found: Layers = finished.value

panels.verdict(found, measure)
if measure.name == "baseline" and not correction and found.sides()[1]:
    title = f"Apply the correction “{MAPS['center'].title}”"
    st.button(title, key="layers-center", on_click=address.put, kwargs={"correction": "center"})
correcting = chosen if correction else None
panels.curves(found, measure, correcting, finished.call, view, space=f"{card.size} · {texts.size}")

with st.container(horizontal=True, vertical_alignment="center", key="layers-chosen"):
    st.html('<span class="ev-muted">At layer</span>', width="content")
    at = address.whole("layer", 0, found.depth, found.depth)
    st.selectbox("Layer", range(found.depth + 1), label_visibility="collapsed", width=110, **address.bind("layer", at))
left, right = st.columns([1.4, 1], gap="large")
with left:
    panels.words(found, at)
with right:
    panels.similarity(found, view)
panels.numbers(found, measure, at, card.dimensions)
st.page_link(
    "quality/isotropy/page.py", label="The same question for word vectors without a sentence", icon=":material/explore:"
)
