"""Train: a text and a method, words that move while they learn, and the trained space."""

from functools import partial

import streamlit as st

from embedviz import catalog, jobs, training
from embedviz.core.options import OptionError, Words
from embedviz.training.trainers import TRAINERS
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape
from pages._shared.controls import widgets
from pages._shared.output import export
from pages._shared.sources import current, saving, spaces, tokenized
from pages.make.train import filters, learning, moving, runs, standing, trainer, written

FRONT = ("architecture", "window", "vector_size", "epochs")
"""Options that stand in the row, where the trainer has them; all others are in Settings."""
WATCH = Words("watch", "", "Their nearest words are told while they move, and their ways are kept.", "Words to watch")
USUAL = ("king", "bank", "music", "paris", "government", "police")
MOST_WATCHED = 5
SAVED = "train:saved"
"""Address of the run that was saved last in this session, and its name."""

view = current.view()
head = st.container()
row = st.container(horizontal=True, vertical_alignment="center", key="controls")
with row:
    tokenized.control()
chosen = tokenized.chosen()
with head:
    frame.header("Train", "A text, a method, and words that find their places." if chosen is None else chosen.size)
if chosen is None:
    frame.stop()
corpus, run = chosen.corpus, runs.current()
running = run is not None and run.running

# What to train: a few options in the row, the rest in Settings.
with row:
    with st.container(width=190):
        method = widgets.method("Trainer", "method", TRAINERS, next(iter(TRAINERS)))
    prefix, usual = f"{method.name}_", training.suggested(corpus, method.name)
    options = widgets.asked(method, corpus.words, prefix, usual=usual)
    front = [option for option in method.options if option.name in FRONT and not view.phone]
    for option in front:
        trainer.front(option, corpus.words, prefix, options[option.name])
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        st.markdown(f"**{method.title}**")
        st.caption(f"{method.summary} {method.source}.")
        rest = [option.name for option in front]
        options |= widgets.options(method, corpus.words, prefix, without=rest, usual=usual)
        watched = trainer.watched_words(corpus, corpus.kept(int(options.get("min_count", 1))), WATCH, USUAL)[
            :MOST_WATCHED
        ]
        trainer.resets(method, prefix, usual)
room = jobs.pool().memory.long
try:
    plan, refused = training.plan(corpus, method.name, options, room=room), ""
except OptionError as error:
    plan, refused = None, str(error)
little = training.caution(corpus, plan) if plan is not None else ""


@frame.safely
def start(**changed: object) -> None:
    """Begin the training that the controls describe, with some of its options changed."""
    wanted = training.plan(corpus, method.name, {**options, **changed}, room=room)
    address.put(**{prefix + name: str(value) for name, value in changed.items()})
    runs.begin(corpus, wanted, [*watched, *([view.word] if view.word else [])])


with st.container():
    if running:
        standing.progress(run)
    else:
        with st.container(horizontal=True, vertical_alignment="center", key="train-go"):
            st.button("Train", type="primary", icon=":material/play_arrow:", disabled=plan is None, on_click=start)
            with st.container():
                states.note(f"{method.title}: {plan.sentence}" if plan is not None else "")
        if little and run is not None:
            states.note(little)
last, word = runs.before(run), next(iter(watched), "")
if run is not None:
    word = learning.marked_word(run, word)
elif plan is not None and corpus.index.get(view.word, plan.rows) < plan.rows:
    word = view.word
record = run.record if run is not None and not running else None
if run is not None and not running and record is None:
    standing.without_space(run, start)
    frame.stop()

figure, panel = st.columns([1.9, 1], gap="medium")
if run is None:
    with figure:
        if plan is not None:
            if little:
                states.meaning(little)
            moving.ahead(corpus, plan, word)
        else:
            states.state("This cannot be trained.", refused)
    with panel:
        trainer.explained(method, options, plan)
    frame.stop()
with figure:
    moving.picture(view, run, word, frame.choose_word)
with panel:
    learning.panel(view, run, last, word, frame.choose_word)
if record is None:
    frame.stop()

# What came of it, and what to do with it.
course = run.course
with figure:
    states.meaning(" ".join(filter(None, [course.meaning, learning.huddled(view, run, word)])))
    learning.arithmetic(view, run)
    with st.container(horizontal=True, vertical_alignment="center", key="train-next"):
        for title, page, icon in learning.PAGES:
            if st.button(title, icon=f":material/{icon}:", key=f"train-{page}"):
                address.go(page, learning.query(view, run, page, word))
        if last is not None and st.button("Compare with the previous run", icon=":material/compare_arrows:"):
            spaces.go("make/trajectory/page.py", [run.address, last.address])
        with st.popover("Save it"):
            opened = learning.view_of(view, run).space
            name = catalog.clean_name(opened.origin.name)
            wanted = saving.form("Name", name, "Save", lambda asked: catalog.save(opened, asked))
            if wanted is not None:
                st.session_state[SAVED] = run.address, wanted.name
            saved_from, saved_as = st.session_state.get(SAVED, ("", ""))
            if saved_from == run.address:
                states.note(f"Saved as {saved_as}: every page can open it, with its recording.")
            states.note(
                "An unsaved run is deleted one minute after you close the page. A saved one is visible to everyone who "
                "uses this program, until it is deleted on the page Open."
            )
        with st.popover("Train again, changing one setting"), st.container(gap=None):
            for change in runs.changes(method, options, len(corpus.words)):
                st.button(escape(change.said), type="tertiary", on_click=start, kwargs={change.name: change.value})
        standing.discarding(run)
    states.note(*standing.provenance(record))
    export.export_row(
        key="train",
        picture=f"map:{moving.MAP}",
        table=partial(export.csv_text, course.rows, course.HEADER),
        filename=f"training-{record.method}-{record.corpus.name}",
        code=written.lines(record),
        note=moving.picture_note(run),
        also=partial(standing.card, run),
    )
    learning.test_curves(view, course, last)
filters.section(record, written.lines(record))
