"""Sentences: cosines of sentences by each pooling, with random sentences as the baseline."""

import streamlit as st

from embedviz.contextual import pooled, sentence_pairs
from embedviz.contextual.pooling import SPECIAL
from embedviz.core.options import Method, table
from pages._shared.app import frame, states
from pages._shared.controls import popovers, widgets
from pages._shared.sources import current, models
from pages.context.pooling import examples, many, pair, scored
from pages.context.pooling.setup import PoolingSetup

VIEWS = table(
    Method("two", "Two sentences", pooled.compared),
    Method("list", "A list", pooled.matrix),
    Method("scored", "Scored pairs", sentence_pairs.pairs),
)
SETTINGS = Method("settings", "Settings", pooled.compared, (SPECIAL,))

view = current.view()
card = models.current()
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    shape = widgets.method("View", "view", VIEWS, "two", segmented=True).name
    own = st.container(horizontal=True, vertical_alignment="center", width="content")
    with popovers.settings("pooling"):
        special = widgets.options(SETTINGS, ())["special"]
with head:
    frame.header("Sentences", "")

setup = PoolingSetup(view, card, special)
if shape == "two":
    with own:
        examples.choose()
    pair.two(setup)
elif shape == "list":
    with own:
        sentences = many.pasted()
        pooling = setup.choose_pooling()
    many.matrix_of(setup, sentences, pooling)
else:
    with own:
        held_out = scored.fit()
        token = scored.upload()
    scored.scores(setup, token, held_out=held_out)
states.note("" if shape == "two" else setup.advice, setup.note)
