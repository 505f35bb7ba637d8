"""Path: one word of a sentence through the layers, its nearest input vectors, and the effect of its position."""

import streamlit as st

from embedviz.contextual.word_path import EXAMPLES, LONGEST, PATHS, TokenizedSentence, WordPath
from embedviz.core.call import call
from embedviz.figures.path import arranged_figure, curve_figure, plane_figure
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape, plain
from pages._shared.controls import popovers, widgets
from pages._shared.output import export, figure
from pages._shared.results import calls, latest, work
from pages._shared.sources import current, models
from pages.context.path.words import begin, chips, offer, sentence_box


def input_similarity(found: WordPath) -> None:
    """Draw the cosine of the word with its own input vector at each layer, and what it means."""
    word = found.word.text
    about = "Cosine of each layer with the input of the same word; 1: unchanged"
    states.panel(f"How much does “{plain(word, 24)}” change in this sentence?", about, 3)
    states.meaning(found.meaning)
    axis, height = "cosine with its own input", 280 if view.phone else 300
    picture = curve_figure(found.own, word, view.theme, axis=axis, height=height, phone=view.phone)
    figure.plotly(picture, "path-own")


def nearest(found: WordPath) -> None:
    """List the nearest rows of the input table at each layer."""
    states.panel("Which input vectors are the nearest?", found.nearest_about, 3)
    if found.nearest:
        states.table(*found.nearest_table(), texts=(1, 2))
    states.note(found.nearest_meaning)
    if found.nearest:
        states.details(found.nearest_note, found.shared, found.nearest_caption)


def arranged(found: WordPath) -> None:
    """Draw how the vector of the word changes if the word is moved, or the other words are shuffled or replaced."""
    states.panel("What if the sentence changes?", "Cosine of the word with its vector in the original sentence", 3)
    if any(map(len, found.arranged)):
        figure.plotly(arranged_figure(found, view.theme, phone=view.phone), "path-arranged")
        states.note(found.moved_note, found.bars_note)
    states.note(found.arranged_meaning, found.again_meaning)
    states.details(found.arranged_caption)


def steps(found: WordPath) -> None:
    """Draw the cosine of the word with its vector at the previous layer, and the length of its vector."""
    word = found.word.text
    states.panel(
        "Which layer changes it most?", "Cosine with the layer before; 1: unchanged. Grey: 95\u00a0% of other words", 3
    )
    figure.plotly(curve_figure(found.steps, word, view.theme, phone=view.phone), "path-steps")
    states.note(found.largest_step)
    with st.expander("How long is its vector?", key="path-length"):
        states.note("Cosines do not depend on the length.")
        figure.plotly(curve_figure(found.norms, word, view.theme, unit="length", phone=view.phone), "path-norms")


def plane(found: WordPath) -> None:
    """Draw the word's path on the plane in which its layers differ most, other words in grey, in an expander."""
    with st.expander("A flat picture of the path", key="path-flat"):
        states.note(found.plane_meaning)
        figure.plotly(plane_figure(found, view.theme, phone=view.phone), "path-plane")
        states.details(
            "The two directions in which its layers differ most.",
            found.plane_note,
            "Grey: the other words of the sentence, projected on this plane. Do not read distances between words.",
        )


def failed(task: work.Task, what: str) -> None:
    """Draw the job's progress with the sentence `what`, or write why there is no result."""
    if task.job is not None and task.job.error:
        states.state("No path can be drawn.", task.sentence)
        offer("instead")
    else:
        work.show(task, what)


view = current.view()
card = models.current()
head = st.container()
sentence = address.get("sentence", EXAMPLES[0].sentence)
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    with st.container(width=520):
        sentence_box(sentence)
    popovers.examples("path-examples", [(escape(one.sentence), (one,)) for one in EXAMPLES], begin)
    with popovers.settings("path"):
        options = widgets.options(PATHS["path"], view.space)
with head:
    frame.header("Path of a word", "")
if not sentence.strip() or len(sentence) > LONGEST:
    if sentence.strip():
        states.state("This sentence is too long.", f"Give at most {LONGEST} characters.")
    else:
        states.state("No sentence yet.", "Type a sentence, or take one of these.")
    offer("start")
    frame.stop()

model = models.argument(card)
split = calls.task("path-words", call("embedviz.contextual.word_path:reading", sentence, model=model), private=True)
read: TokenizedSentence | None = split.result
if read is None:
    failed(split, "Reading the sentence.")
    frame.stop()
usual = EXAMPLES[0].at if "sentence" not in address.names() else read.usual.at
chosen = address.get("at", str(usual))
many = len(read.choices)
at = address.whole("at", 1, many, None) if address.get("at") else address.whole("at", 1, many, usual)
chips(read, at, special=not view.phone)
if at is None:
    states.state(f"The sentence has no word {chosen[:20]}.", "Choose one of its words.")
    frame.stop()

question = call("embedviz.contextual.word_path:path", sentence, at, model=model, **options)
task = calls.task("path", question, private=True)
if not task.running and task.result is None:
    failed(task, "")
    frame.stop()
name = f"“{read.choices[at - 1].text}”"
finished = latest.finished(task, question, f"{name} through {card.depth} layers.", name)
if finished is None:
    frame.stop()
found: WordPath = finished.value

input_similarity(found)
states.details(found.baseline, found.note)
export.export_row(
    key="path",
    picture="plot:path-own",
    table=lambda: export.csv_text(*found.table()[::-1]),
    filename=f"path-{found.word.text}",
    calls=[finished.call],
    note={
        "title": f"“{plain(found.word.text, 40)}” through {card.depth} layers",
        "space": f"{card.size} · “{plain(found.reading.sentence, 120)}”",
        "meaning": found.meaning,
        "baseline": found.baseline,
        "note": found.note,
    },
)
left, right = st.columns(2, gap="large")
with left:
    steps(found)
    nearest(found)
with right:
    arranged(found)
    plane(found)
