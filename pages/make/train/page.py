"""Train: a text and a method, words that move while they learn, and the trained space."""

from functools import partial

import streamlit as st

from embedviz import jobs, training
from embedviz.core.options import OptionError, Words
from embedviz.training.trainers import TRAINERS
from pages._shared.app import address, frame, states
from pages._shared.controls import popovers, widgets
from pages._shared.output import export
from pages._shared.sources import current, tokenized
from pages.make.train import (
    actions,
    filters,
    learning,
    moving,
    nearest,
    resting,
    results,
    runs,
    standing,
    trainer,
    written,
)

FRONT = ("architecture", "window", "vector_size", "epochs")
"""Options in the row of controls, if the trainer has them; all others are in Settings."""
WATCH = Words("watch", "", "Their nearest words are listed, and their places recorded.", "Words to watch")
USUAL = ("king", "bank", "music", "paris", "government", "police")
MOST_WATCHED = 5

view = current.view()
head = st.container()
row = st.container(horizontal=True, vertical_alignment="center", key="controls")
with row:
    tokenized.control()
chosen = tokenized.chosen()
with head:
    frame.header("Train", "Learn word vectors from a text." if chosen is None else chosen.size)
if chosen is None:
    frame.stop()
corpus, run, private = chosen.corpus, runs.current(), chosen.private

# The settings: a few options in the row, the rest in a popover.
with row:
    with st.container(width=172):
        method = widgets.method("Trainer", "method", TRAINERS, next(iter(TRAINERS)))
    prefix, usual = f"{method.name}_", training.suggested(corpus, method.name)
    options = widgets.option_values(method, corpus.words, prefix, usual=usual)
    front = [option for option in method.options if option.name in FRONT and not view.phone]
    for option in front:
        trainer.front(option, corpus.words, prefix, options[option.name])
    with popovers.settings("train"):
        st.markdown(f"**{method.title}**")
        st.caption(f"{method.summary} {method.source}.")
        rest = [option.name for option in front]
        options |= widgets.options(method, corpus.words, prefix, without=rest, usual=usual)
        known = corpus.kept(int(options.get("min_count", 1)))
        watched = trainer.watched_words(corpus, known, WATCH, USUAL)[:MOST_WATCHED]
        trainer.resets(method, prefix, usual)
room = jobs.pool().memory.long
plan: training.Plan | None = None
refused = ""
try:
    plan = training.plan(corpus, method.name, options, room=room)
except OptionError as error:
    refused = str(error)
little = training.caution(corpus, plan) if plan is not None else ""


@frame.safely
def start(**changed: object) -> None:
    """Begin the training that the controls describe, with some of its options changed."""
    wanted = training.plan(corpus, method.name, {**options, **changed}, room=room)
    address.put(**{prefix + name: str(value) for name, value in changed.items()})
    also = [view.word] if view.word else []
    actions.begin(corpus, wanted, [*watched, *also], private=private)


with st.container():
    if run is not None and run.running:
        standing.progress(run)
    else:
        with st.container(horizontal=True, vertical_alignment="center", key="train-go"):
            st.button("Train", type="primary", icon=":material/play_arrow:", disabled=plan is None, on_click=start)
            if run is not None and run.has_space:
                results.replay_button(run)
            with st.container():
                after = "" if run is not None else "Checking the map takes some seconds more."
                states.note(f"{method.title}: {standing.cost(plan, corpus, run)} {after}" if plan is not None else "")
        if little and run is not None:
            states.note(little)
last, word = runs.before(run), next(iter(watched), "")
if run is not None:
    word = nearest.marked_word(run, word)
else:  # before a training the map marks only the word in use
    word = view.word if plan is not None and corpus.index.get(view.word, plan.rows) < plan.rows else ""
record = run.record if run is not None and not run.running else None
if run is not None and not run.running and record is None:
    standing.without_space(run, start, f"{method.title} on {corpus.name}: {widgets.spoken(method, options)}.")
    frame.stop()

figure, panel = st.columns([1.9, 1], gap="medium")
if run is None:
    with figure:
        if plan is not None:
            states.panel("Which words will this text place near each other?", "Press Train to see them move.", 3)
            if little:
                states.meaning(little)
            moving.ahead(corpus, plan, word)
        else:
            states.state("These settings cannot be trained.", refused)
    with panel:
        trainer.explained(method, options, plan)
    frame.stop()
with figure, st.container():  # one container in every run: the form below keeps its place
    if not run.reads(corpus):
        states.state(
            f"Below is the run {run.name}." if run.name else "Below is a run on another text.",
            f"It did not read {corpus.name}, the text chosen above. Press Train to learn from that.",
        )
    learning.picture(view, run, last, word, frame.choose_word)
with panel:
    learning.panel(view, run, last, word, frame.choose_word)
if record is None:
    frame.stop()

# The result, and what can be done with it.
course = run.course
with figure:
    states.meaning(" ".join(filter(None, [course.meaning, nearest.crowded(view, run, word)])))
    nearest.arithmetic(view, run)
    results.actions_row(view, run, last, word)
    results.one_change(method, options, corpus, start)
    states.note(record.corpus.note)
    states.details(*standing.provenance(record))
    export.export_row(
        key="train",
        picture=f"map:{moving.MAP}",
        table=partial(export.csv_text, course.rows, course.HEADER),
        filename=f"training-{record.method}-{record.corpus.name}",
        code=written.lines(record),
        note=resting.picture_note(run),
        also=partial(standing.card, run),
    )
    learning.test_curves(view, course, last)
filters.section(record, written.lines(record))
