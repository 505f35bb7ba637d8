"""Senses: one word in many sentences, layer by layer: its picture, its scores, and two baselines."""

from functools import partial

import streamlit as st

from embedviz.contextual import senses as study
from embedviz.core.call import call
from embedviz.core.phrases import counted, listing, share
from pages._shared.app import address, frame, presenting, states
from pages._shared.app.escape import plain
from pages._shared.controls import popovers, wordbox
from pages._shared.output import export
from pages._shared.results import calls, latest
from pages._shared.sources import current, models
from pages.context.senses import panels, scrubber, sentences, sources

FIRST = "bank"
CHART = "embedviz.contextual.senses:chart"


def take(shared: str) -> None:
    """Go to another word, which occurs in several of the sentences."""
    address.put(word=shared, row=None)


view = current.view()
word = view.word.strip() or FIRST
model = models.current()
head = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(view, "senses-word", value=word, placeholder="A word", width=220)
    line = st.container()
    kind = sentences.control(word)
    with popovers.settings("senses"):
        turned = panels.settings(view)
if typed is not None and typed != word:
    address.put(word=typed or None, row=None)
    st.rerun()


def header(more: str = "") -> None:
    """Draw the header with the word, followed by the text `more`. Call this once in a run of the page."""
    with head:
        frame.header("Senses", f"{plain(word, 40)}{more}")


source = sources.source(kind)
if source is None or source.keywords is None:
    header()
    if source is None:
        frame.stop()
    states.state("No sentences yet.", f"Paste sentences with “{plain(word, 40)}” under Sentences, at the top right.")
    sentences.examples()
    frame.stop()

encoder = models.argument(model)
question = call(CHART, word, model=encoder, **source.given, **turned)
task = calls.task("senses", question, private=source.private)
finished = latest.finished(task, question, f"Sentences with “{plain(word, 40)}”.", f"“{plain(word, 40)}”")
if finished is None:
    header()
    if not task.running:
        shared = study.common_words(source.keywords.get("text", "")) if task.lasting else []
        if kind == "own":
            more = ". These words are in several lines:" if shared else "."
            states.note(f"Or change the word at the top left{more}")
        if shared:
            states.offers(shared, take, "shared")
        if kind == "texts":
            states.note("Choose other texts under Texts, or paste your own sentences under Sentences.")
        sentences.examples()
    frame.stop()

chart: study.Chart = finished.value
found = chart.found
word = found.word
known = listing([f"{size:,} {sense}" for sense, size in found.senses.items()], 4)
header(f" in {counted(found.sentences, 'sentence')}{known and f', {known}'}")
if len(found) < 2:
    sentences.too_few(found)
    frame.stop()

layer, row = scrubber.chosen(panels.movie(chart, chart.best), chart.best)
movie, place = panels.movie(chart, layer), chart.layers.index(layer)
lecture = presenting.on("senses")
scores = dict(found.scored)
names = {score.name: score.title for score in scores[layer].scores} if layer in scores else {}
score = address.get("score") if address.get("score") in names else study.usual_score(names)
own = source.texts is not None and finished.current
exported = call(CHART, word, source.found(word), model=encoder, **turned) if own else finished.call
held = share(float(chart.held[place]))
meaning = " ".join(filter(None, (chart.meaning, found.lead)))
flat = f" {chart.mark_note(layer)} The scores use all dimensions." if lecture else ""

title = f"At which layers do the senses of “{plain(word, 24)}” separate?"
states.panel(title, level=3)
if names or chart.clusters:
    states.meaning(meaning)
scrubber.scrubber(movie, layer, key="senses", line=None if view.phone else line, lecture=lecture)
drawn, panel = st.columns([1.6, 1], gap="medium")
with drawn:
    scrubber.picture(movie, row, key="senses", summary=f"{found.sample} Layer {layer}. {meaning}")
    states.note(*panels.picture_note(chart))
with panel:
    if names:
        states.panel(study.QUESTIONS[score], study.ABOUT[score], level=3)
        tied = address.bind("score", score)
        st.selectbox("Score", list(names), format_func=names.__getitem__, label_visibility="collapsed", **tied)
        panels.curve(found, score, layer, view, lecture=lecture)
    elif chart.clusters:
        states.panel(f"Clusters of layer {layer}", "with the sentences nearest to each center", level=3)
        sentences.clusters(found, chart.clusters[place], view.theme)
        if chart.clusters[place].silhouette is not None:
            states.note(chart.clusters[place].meaning)
    else:
        states.panel("No score", level=3)
        states.note(chart.meaning)
states.details(
    study.FEW if names else "",
    found.by_chance,
    found.comparison,
    panels.picture_explained(chart, layer),
    found.sample,
    found.note,
    "Layer 0 is the input: in BERT and similar models the word’s own vector plus its position, after a layer norm.",
)
export.export_row(
    key="senses",
    picture="drawing:senses",
    table=partial(export.csv_text, *chart.table(layer)[::-1]),
    filename=f"senses-{word}",
    calls=[exported],
    note={
        "title": title if lecture else f"“{word}”, layer {layer}",
        "space": model.size,
        "meaning": f"{meaning}{flat}",
        "sample": found.sample,
        "picture": f"Two main directions of the unit vectors: {held} of the variance.",
    },
)

left, right = st.columns([1.2, 1], gap="large")
with left:
    panels.differences(chart, layer, view)
with right:
    panels.static_neighbors(word, view)
panels.all_scores(found, layer)
