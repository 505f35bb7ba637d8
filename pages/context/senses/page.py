"""Senses: one word in many sentences, layer by layer, drawn and scored, beside what the other words alone tell."""

from functools import partial

import streamlit as st

from embedviz.contextual import senses as study
from embedviz.contextual.occurrences import PIECES_OPTION
from embedviz.contextual.senses.chart import COMPARED, DRAWN
from embedviz.core.call import call
from embedviz.core.options import Choice, Method, Parameter
from embedviz.core.phrases import listing, number, share
from embedviz.figures.occurrences import differences_figure
from embedviz.figures.senses import scores_figure
from embedviz.geometry.separation import MOST
from embedviz.testsets.datasets import sense_sentences
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets, wordbox
from pages._shared.output import export, figure
from pages._shared.output.wordlist import neighbor_list
from pages._shared.results import calls, work
from pages._shared.sources import current, models
from pages.context.senses import scrubber, sentences

FIRST = "bank"
NEAREST = 8
CHART = "embedviz.contextual.senses:chart"
OPTIONS = Method(
    "occurrences",
    "Occurrences",
    study.chart,
    (
        PIECES_OPTION,
        Choice("case", ("ignored", "matched"), "ignored", "Whether Bank is bank.", "Capitals"),
        Parameter(
            "most",
            20,
            MOST,
            DRAWN,
            "Occurrences that are read; where there are more, some are drawn.",
            "Most occurrences",
        ),
        Parameter("clusters", 2, 8, 2, "Clusters, where no senses are known.", "Clusters"),
    ),
)


def take(shared: str) -> None:
    """Goes to a word of one's own sentences."""
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
        options = widgets.options(OPTIONS, view.space)
if typed is not None and typed != word:
    address.put(word=typed or None, row=None)
    st.rerun()
with head:
    title = st.empty()
    with title.container():
        frame.header("Senses", f"{model.size} · {plain(word, 40)}")

source = sentences.source(kind)
if source is None:
    frame.stop()
if source.keywords is None:
    states.state("No sentences yet.", f"Paste some with “{plain(word, 40)}” under Sentences, or take a word of these.")
    states.offers(list(sense_sentences()), sentences.choose, "start")
    frame.stop()

turned = {
    **({"pieces": options["pieces"]} if options["pieces"] != PIECES_OPTION.default else {}),
    **({"ignore_case": False} if options["case"] == "matched" else {}),
    **({"most": int(options["most"])} if options["most"] != DRAWN else {}),
    **({"k": int(options["clusters"])} if options["clusters"] != 2 else {}),
}
encoder = models.asked(model)
question = call(CHART, word, model=encoder, **source.given, **turned)
task = calls.task("senses", question, private=source.private)
chart: study.Chart | None = task.result
if chart is None:
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
with title.container():
    frame.header("Senses", f"{model.size} · {plain(word, 40)} in {found.sentences:,} sentences{known and f', {known}'}")


def drawn_movie(layer: int) -> scrubber.Movie:
    """The same occurrences at every layer, in the colors of their senses or of that layer's clusters."""
    return scrubber.Movie(
        chart.points,
        [one.text for one in found.occurrences],
        [(one.start, one.end) for one in found.occurrences],
        chart.groups(layer),
        () if found.senses else study.CLUSTER_NAMES,
        chart.layers,
        {"the word alone": chart.alone.points} if chart.alone is not None else {},
    )


layer, row = scrubber.chosen(drawn_movie(chart.best), chart.best)
movie, place = drawn_movie(layer), chart.layers.index(layer)
scrubber.scrubber(movie, layer, key="senses", line=None if view.phone else line)
scores = dict(found.scored)
names = {score.name: score.title for score in scores[layer].scores} if layer in scores else {}
score = address.get("score") if address.get("score") in names else study.usual(names)

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
    table=partial(export.csv_text, chart.table(layer)[1], chart.table(layer)[0]),
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
    states.panel(f"Who is like whom at layer {layer}?", "Cosine of each two occurrences minus the mean of all pairs", 3)
    figure.plotly(differences_figure(chart, layer, view.theme, phone=view.phone), "senses-matrix")
    some = f"{len(chart.order)} of {len(found):,} occurrences, drawn group by group. " if len(found) > COMPARED else ""
    states.note(f"{some}Raw cosines at this layer: {number(float(chart.means[place]))} on average; pale is that mean.")
with right:
    if names:
        control = found.control.scores if found.control is not None else ()
        beside = {one.name: one for one in control}
        states.panel(f"Is it the word, or its sentence? Layer {layer}", "beside shuffled senses and the other words", 3)
        states.explained(
            ("here", "shuffled", "other words"),
            [
                (
                    one.title,
                    study.ABOUT[one.name],
                    study.said(one.name, one.value),
                    f"{study.said(one.name, one.low)} to {study.said(one.name, one.high)}",
                    study.said(one.name, beside[one.name].value) if one.name in beside else "–",
                )
                for one in scores[layer].scores
            ],
        )
        states.note(
            "Shuffled: the chance band of this layer. Other words: the mean input vector of the rest of the sentence, "
            "without the word."
        )
    static = view.find().word if view.find().asked else (word if word in view.space.index else None)
    states.panel("Without a sentence", f"One vector for all: {view.name}", level=3)
    if static is None:
        states.note(f"“{plain(word, 40)}” is not among the {len(view.space):,} words of {view.name}.")
    else:
        near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, (static,), NEAREST))
        neighbor_list(near, frame.choose_word, key="senses-static")
        states.note(near.baseline)
    if chart.alone is not None:
        states.note(
            f"The mark “the word alone” is the same model reading one word; its mean cosine with the occurrences at "
            f"layer {layer} is {number(float(chart.alone.cosines[place]))} (two occurrences: "
            f"{number(float(chart.means[place]))}).",
            chart.alone.meaning,
        )

header, rows = study.table(found)
if rows:
    states.panel("Every layer", "* above its chance band; 95\u00a0% of shuffles have no star", level=3)
    with st.container(key="senses-table"):
        states.table(header, rows)
    states.note(found.meaning)
