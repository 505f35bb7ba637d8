"""Senses: one word in many sentences, layer by layer, drawn and scored, beside what the other words alone tell."""

from functools import partial

import streamlit as st

from embedviz.contextual import senses as study
from embedviz.core.call import call
from embedviz.core.phrases import listing, share
from embedviz.figures.senses import scores_figure
from embedviz.testsets.datasets import sense_sentences
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import wordbox
from pages._shared.output import export, figure
from pages._shared.results import calls, work
from pages._shared.sources import current, models
from pages.context.senses import panels, scrubber, sentences

FIRST = "bank"
NEAREST = 8
CHART = "embedviz.contextual.senses:chart"


def take(shared: str) -> None:
    """Go to a word of one's own sentences."""
    address.put(word=shared, row=None)


view = current.view()
word = view.word.strip() or FIRST
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(view, "senses-word", value=word, placeholder="A word", width=220)
    line = st.container()
    model = models.choose()
    kind = sentences.control(word)
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        turned = panels.settings(view)
if typed is not None and typed != word:
    address.put(word=typed or None, row=None)
    st.rerun()


def header(more: str = "") -> None:
    """Draw the header, once a run."""
    with head:
        frame.header("Senses", f"{model.size} · {plain(word, 40)}{more}")


source = sentences.source(kind)
if source is None:
    header()
    frame.stop()
if source.keywords is None:
    header()
    states.state("No sentences yet.", f"Paste some with “{plain(word, 40)}” under Sentences, or take a word of these.")
    states.offers(list(sense_sentences()), sentences.choose, "start")
    frame.stop()

encoder = models.asked(model)
question = call(CHART, word, model=encoder, **source.given, **turned)
task = calls.task("senses", question, private=source.private)
chart: study.Chart | None = task.result
if chart is None:
    header()
    work.show(task, f"“{plain(word, 40)}” in its sentences.")
    if not task.running:
        shared = study.common_words(source.keywords.get("text", "")) if task.lasting else []
        if kind == "own":
            states.note("Or change the word at the top left" + (", to one that some of them share:" if shared else "."))
        if shared:
            states.offers(shared, take, "shared")
        states.note("Sentences with two senses, written for this program:")
        states.offers(list(sense_sentences()), sentences.choose, "start")
    frame.stop()

found = chart.found
known = listing([f"{size:,} {sense}" for sense, size in found.senses.items()], 4)
header(f" in {found.sentences:,} sentences{known and f', {known}'}")

layer, row = scrubber.chosen(panels.movie(chart, chart.best), chart.best)
movie, place = panels.movie(chart, layer), chart.layers.index(layer)
scrubber.scrubber(movie, layer, key="senses", line=None if view.phone else line)
scores = dict(found.scored)
names = {score.name: score.title for score in scores[layer].scores} if layer in scores else {}
score = address.get("score") if address.get("score") in names else study.usual_score(names)

drawn, panel = st.columns([1.9, 1], gap="medium")
with drawn:
    scrubber.picture(movie, row, key="senses", summary=f"{found.sample} Layer {layer}. {chart.meaning}")
with panel:
    if names:
        states.panel("How far apart are the senses?", study.ABOUT[score], level=3)
        st.selectbox(
            "Score",
            list(names),
            format_func=names.__getitem__,
            label_visibility="collapsed",
            **address.bind("score", score),
        )
        figure.plotly(scores_figure(found, score, layer, view.theme, phone=view.phone), "senses-scores")
    elif chart.clusters:
        states.panel(f"Clusters of layer {layer}", "and the sentences nearest to each center", level=3)
        sentences.clusters(found, chart.clusters[place], view.theme)
        if chart.clusters[place].silhouette is not None:
            states.note(chart.clusters[place].meaning)
    else:
        states.panel("No score", level=3)
        states.note(chart.meaning)
if names or chart.clusters:
    states.meaning(chart.meaning)
states.note(
    f"Pictures: the two main directions of each layer's unit vectors, turned to match, one scale. At layer {layer} "
    f"they hold {share(float(chart.held[place]))} of the variance; scores use all of it.",
    found.sample,
    "Layer 0 is the input: in BERT and its kin the word's own vector and its place.",
    found.note,
)
export.export_row(
    key="senses",
    picture="drawing:senses",
    table=partial(export.csv_text, *chart.table(layer)[::-1]),
    filename=f"senses-{word}",
    calls=[question if source.texts is None else call(CHART, word, source.found(word), model=encoder, **turned)],
    note={
        "title": f"“{word}”, layer {layer}",
        "space": model.size,
        "meaning": chart.meaning,
        "sample": found.sample,
        "picture": f"Two main directions of the unit vectors: {share(float(chart.held[place]))} of the variance.",
    },
)

left, right = st.columns([1.2, 1], gap="large")
with left:
    panels.differences(chart, layer, view)
with right:
    if names:
        panels.control(found, layer)
    panels.without_sentence(chart, word, layer, view)

header, rows = found.table()
if rows:
    states.panel("Every layer", "* above its chance band; 95\u00a0% of shuffles have no star", level=3)
    with st.container(key="senses-table"):
        states.table(header, rows)
    states.note(found.meaning)
