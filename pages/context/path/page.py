"""Path: one word of a sentence through the layers, what it is near to there, and what its position does."""

import streamlit as st

from embedviz.contextual.word_path import EXAMPLES, LONGEST, PATHS, TokenizedSentence, WordPath
from embedviz.core.call import call
from embedviz.figures.path import arranged_figure, curve_figure, plane_figure
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import calls, work
from pages._shared.sources import current, models
from pages.context.path.words import chips, offer, sentence_box


def nearest(found: WordPath) -> None:
    """Draw the rows of the input table that are nearest at each layer, as a table."""
    states.panel("Which word's input vector is it nearest to now?", f"Among {found.input_rows:,} input vectors", 3)
    header, rows = found.nearest_table(brief=view.phone)
    if rows:
        states.table(header, rows, texts=(1, 4))
    states.meaning(found.nearest_meaning)
    states.note(found.nearest_caption if rows else "", f"## begins a piece of a word. {found.shared}" if rows else "")


def arranged(found: WordPath) -> None:
    """Draw what moving, shuffling and replacing do."""
    states.panel("What does its position do?", "Cosine with itself as it was, by layer", 3)
    if any(map(len, found.arranged)):
        figure.plotly(arranged_figure(found, view.theme, phone=view.phone), "path-arranged")
    states.meaning(found.arranged_meaning)
    states.note(found.arranged_caption, found.again_meaning)


def drawn(found: WordPath) -> None:
    """Draw the path on its plane, and its curves."""
    word = found.word.text
    left, right = st.columns([1.3, 1], gap="large")
    with left:
        states.panel("Its path", "Layers on the two directions in which they differ most; grey: the other words", 3)
        figure.plotly(plane_figure(found, view.theme, phone=view.phone), "path-plane")
        states.note(found.plane_meaning)
    with right:
        states.panel("Is it still its input?", "Cosine with its own input vector (layer 0)", 3)
        figure.plotly(curve_figure(found.own, word, view.theme, phone=view.phone), "path-own")
        states.panel("How far does each layer turn it?", "Cosine with the layer before", 3)
        figure.plotly(curve_figure(found.steps, word, view.theme, phone=view.phone), "path-steps")


def lengths(found: WordPath) -> None:
    """Draw how long the vector is, beside other words."""
    states.panel("How long is it?", "Length of the vector; no cosine depends on it", 3)
    figure.plotly(curve_figure(found.norms, found.word.text, view.theme, unit="length", phone=view.phone), "path-norms")


def failed(task: work.Task, what: str) -> None:
    """Draw the job's progress, or why there is no result."""
    if task.job is not None and task.job.error:
        states.state("No path can be drawn.", task.sentence)
        offer("instead")
    else:
        work.show(task, what)


view = current.view()
head = st.container()
sentence = address.get("sentence", EXAMPLES[0].sentence)
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    with st.container(width=520):
        sentence_box(sentence)
    with st.container(width="content"):
        card = models.choose()
    with st.popover("Examples", icon=":material/menu_book:", type="tertiary", width="content"):
        offer("example")
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        options = widgets.options(PATHS["path"], view.space)
with head:
    frame.header("Path", card.size)
if not sentence.strip() or len(sentence) > LONGEST:
    if sentence.strip():
        states.state("This sentence is too long.", f"At most {LONGEST} characters are read. Take a part of it.")
    else:
        states.state("No sentence yet.", "Type one, or start with one of these.")
    offer("start")
    frame.stop()

model = models.asked(card)
asked = calls.task("path-words", call("embedviz.contextual.word_path:reading", sentence, model=model), private=True)
read: TokenizedSentence | None = asked.result
if read is None:
    failed(asked, "Reading the sentence.")
    frame.stop()
usual = EXAMPLES[0].at if "sentence" not in address.names() else read.usual.at
chosen = address.get("at", str(usual))
at = address.whole("at", 1, len(read.choices), None if address.get("at") else usual)
chips(read, at)
if at is None:
    states.state(f"There is no word {chosen[:20]} in the sentence.", "Choose one of its words.")
    frame.stop()

question = call("embedviz.contextual.word_path:path", sentence, at, model=model, **options)
task = calls.task("path", question, private=True)
found: WordPath | None = task.result
if found is None:
    failed(task, f"Following “{read.choices[at - 1].text}” through {card.depth} layers.")
    frame.stop()

drawn(found)
states.meaning(found.meaning)
states.note(found.baseline, found.note)
export.export_row(
    key="path",
    picture="plot:path-plane",
    table=lambda: export.csv_text(*found.table()[::-1]),
    filename=f"path-{found.word.text}",
    calls=[question],
    note={
        "title": f"“{plain(found.word.text, 40)}” through {card.depth} layers",
        "space": f"{card.size} · “{plain(sentence, 120)}”",
        "meaning": found.plane_meaning,
        "note": found.note,
    },
)
left, right = st.columns([1.2, 1], gap="large")
with left:
    nearest(found)
with right:
    arranged(found)
    lengths(found)
