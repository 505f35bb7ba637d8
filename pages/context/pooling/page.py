"""Pooling: how alike sentences are by each way of making one vector of many, beside random sentences."""

import streamlit as st

from embedviz.contextual import pooled, sentence_pairs
from embedviz.contextual.pooling import SPECIAL
from embedviz.core.options import Method, table
from pages._shared.app import frame, states
from pages._shared.controls import widgets
from pages._shared.sources import current, models
from pages.context.pooling import sections

VIEWS = table(
    Method("two", "Two sentences", pooled.compared),
    Method("list", "A list", pooled.matrix),
    Method("scored", "Scored pairs", sentence_pairs.pairs),
)
SETTINGS = Method("settings", "Settings", pooled.compared, (SPECIAL,))

view = current.view()
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    shape = widgets.method("View", "view", VIEWS, "two", segmented=True).name
    card = models.choose()
    own = st.container(horizontal=True, vertical_alignment="center", width="content")
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        special = widgets.options(SETTINGS, ())["special"]
with head:
    frame.header("Sentences", card.size)

asked = sections.Asked(view, card, special)
if shape == "two":
    with own:
        sections.examples()
    sections.two(asked)
elif shape == "list":
    with own:
        sentences = sections.pasted()
        way = sections.way(asked)
    sections.several(asked, sentences, way)
else:
    with own:
        held_out = sections.fit()
        token = sections.upload()
    sections.scored(asked, token, held_out=held_out)
states.note(asked.note)
