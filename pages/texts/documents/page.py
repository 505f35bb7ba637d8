"""Documents: a map of texts, with clusters named by their words."""

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.contextual.models import ModelCard
from embedviz.core.call import Call, call
from embedviz.core.options import Method, Parameter
from embedviz.core.space import SpaceError
from embedviz.core.texts import Texts
from embedviz.retrieval.spaces import ENCODER, METHODS, NEEDS_WORDS, usual
from embedviz.retrieval.themes import CLUSTERS, Themes
from pages._shared.app import address, frame, states
from pages._shared.controls import popovers, widgets
from pages._shared.output import export
from pages._shared.results import calls, latest
from pages._shared.sources import corpora, current, encoding, models, saving, spaces, text_spaces
from pages._shared.sources.corpora import ChosenTexts
from pages.texts.documents import drawing, groups, making, methods, panel, proposing, repeats, values


def choose(key: str) -> None:
    """Open the text with this key; "" closes the open text."""
    address.put(doc=key or None)


def choose_size(way: Method, texts: Texts) -> tuple[Parameter, int]:
    """Draw the option for the number or the size of the clusters; return the option and its value."""
    first = proposing.usual(way, next(option for option in way.options if isinstance(option, Parameter)), texts)
    few = first.upper(len(texts)) <= first.low
    widgets.named(replace(first, label=f"{first.label}: {first.low:g}") if few else first)
    with st.container(width=110):
        return first, int(widgets.number(first, texts))


def choose_settings(
    method: Method, way: Method, texts: Texts, size: dict[str, Any]
) -> tuple[ModelCard | None, Any, Any]:
    """Draw the settings; return the encoder (if needed), and options of the method and the clusters (with `size`)."""
    st.markdown(f"**{method.title}**")
    st.caption(method.summary)
    if method.name in NEEDS_WORDS:
        spaces.choose("Word vectors", spaces.titles(view.address))
    card = models.choose() if method is ENCODER else None
    turned = encoding.options(card, texts) if card else widgets.options(method, texts, f"{method.name}_")
    st.markdown(f"**{way.title}**")
    st.caption(way.summary)
    return card, turned, size | widgets.options(way, texts, "clusters_", without=tuple(size))


def exported(texts: ChosenTexts) -> Call:
    """Return the call with which an exported notebook computes the text space of this page."""
    words = view.recipe if method.name in NEEDS_WORDS else None
    by = {} if card is None else {"model": models.argument(card)}
    return call("embedviz.retrieval.spaces:text_space", texts.read(), method.name, words, **by, **turned)


def save_or_open(pending: text_spaces.PendingSpace) -> None:
    """Draw the buttons that open the space on the page Map, save the space, and search for repeated texts."""
    with st.container(horizontal=True, key="documents-actions"):
        if st.button("Open on the page Map", icon=":material/scatter_plot:"):
            text_spaces.offer(pending)
            colors = {} if "group" in opened.metadata else {"color": "clusters"}
            address.go("words/map/page.py", {"space": pending.address, "pca_rows_as": "unit", **colors})
        with st.popover("Save", key="documents-save"):
            name = catalog.clean_name(opened.origin.name)
            saving.form("Name", name, "Save", lambda given: catalog.save(opened, given), saving.note)
        repeats.offer()


view = current.view()
head = st.container()
row = st.container(horizontal=True, vertical_alignment="center", key="controls")
texts = corpora.chosen()
with head:
    frame.header("Documents", "What are these texts about?" if texts is None else texts.about)
if texts is None:
    frame.stop()
with row:
    default = usual(texts.texts, view.space)
    method = widgets.method("Method", "method", METHODS, default, segmented=not view.phone)
    way = widgets.method("Clusters", "clusters", CLUSTERS, "kmeans", segmented=True)
    first, size = choose_size(way, texts.texts)
    with popovers.settings("documents"):
        card, turned, clustering = choose_settings(method, way, texts.texts, {first.name: size})
        by = drawing.choose_color(texts.texts)
methods.explain(method, default, view.name)

try:
    ready = making.space(view, texts, method, turned, card)
except SpaceError as error:
    states.state("This space cannot be made.", str(error))
    frame.stop()
if ready is None:
    frame.stop()
made, method, turned, card = ready.pending, ready.method, ready.options, ready.card

opened = made.space.space
sub = made.view(view)
question = call("embedviz.retrieval.themes:themes", sub.recipe, way.name, **clustering)
task = calls.task("themes", question, title="Finding clusters")
with st.container():  # one container in every run: the form that saves keeps what is typed in it
    finished = latest.finished(task, question, "Finding clusters.", f"{way.title}, {first.label.lower()} {size}")
found: Themes | None = finished.value if finished is not None else None
known = groups.scores(texts, sub, method.title, by)
doc = address.get("doc") if address.get("doc") in opened.index else ""

states.panel(
    f"What are these {len(texts.texts):,} texts about?", "Words typical of each cluster; a single text may differ", 3
)
with st.container():
    if found is not None:
        states.meaning(found.subjects or found.meaning)
        states.note(found.meaning if found.subjects else "")
figure_column, side = st.columns([2.2, 1], gap="medium")
with figure_column:
    drawn = drawing.draw(sub, found, by, method.title, texts.texts.name, doc, choose, view)
    about = "Clusters are found in the full vectors. The badge judges groups that are drawn, not these clusters."
    states.note(about if found is not None else "", texts.texts.note, drawn.colors if drawn is not None else "")
    states.details(
        f"{method.title}: {encoding.spoken(card, turned) if card else widgets.spoken(method, turned)}.",
        made.summary.meaning,
        found.note if found is not None else "",
    )
    export.export_row(
        key="documents",
        picture="map:documents-map" if drawn is not None else None,
        table=partial(export.csv_text, *found.table(opened, drawn and drawn.seen)[::-1]) if found else None,
        filename=f"documents-{texts.texts.name}-{method.name}",
        calls=groups.exported(exported(texts), way.name, clustering, known),
        note=drawn.note if drawn is not None else {},
    )
    save_or_open(made)

with side:
    if doc:
        unread = "word that the model reads" if method is ENCODER else "known word"
        panel.text(opened, doc, choose, partial(choose, ""), unread=unread)
    if found is not None:
        panel.clusters(found, opened, view.theme if by == "cluster" else None)
        proposing.offer(sub, way, first, size)
    groups.section(known, found, texts, view, method.title)
    values.section(opened, by, choose)

repeats.section(sub, exported(texts))
