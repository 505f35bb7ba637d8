"""Pooling: how alike sentences are by each way of making one vector of many, beside random sentences."""

import streamlit as st

from embedviz.contextual.pooling import SPECIAL
from embedviz.options import Method, table
from embedviz.studies import pairs, pooled
from pages._shared import controls, frame, models, pooling, states

VIEWS = table(
    Method("two", "Two sentences", pooled.compared),
    Method("list", "A list", pooled.matrix),
    Method("scored", "Scored pairs", pairs.pairs),
)
SETTINGS = Method("settings", "Settings", pooled.compared, (SPECIAL,))

view = frame.view()
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    shape = controls.method("View", "view", VIEWS, "two", segmented=True).name
    card = models.choose()
    own = st.container(horizontal=True, vertical_alignment="center", width="content")
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        special = controls.options(SETTINGS, ())["special"]
with head:
    frame.header("Pooling", card.size)

asked = pooling.Asked(view, card, special)
if shape == "two":
    with own:
        pooling.examples()
    pooling.two(asked)
elif shape == "list":
    with own:
        sentences = pooling.pasted()
        way = pooling.way(asked)
    pooling.several(asked, sentences, way)
else:
    with own:
        held_out = pooling.fit()
        token = pooling.upload()
    pooling.scored(asked, token, held_out=held_out)
states.note(asked.note)
