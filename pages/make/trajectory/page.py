"""Replay: the words of a space while they learn, as a movie, alone or next to another run."""

from dataclasses import replace
from hashlib import sha256

import streamlit as st

from embedviz import training
from embedviz.core.call import Call, ResultPart, call
from embedviz.projection import coloring
from embedviz.projection.layout import COMPONENTS
from embedviz.training import curves, replay
from embedviz.training.replay import Film
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import popovers, widgets, wordbox
from pages._shared.map import badge, questions
from pages._shared.results import calls, latest
from pages._shared.sources import current, spaces, steps
from pages.make.trajectory import choices, example, layouts, reel, stage, written


def movie(run: spaces.Other) -> Call:
    """Return the call that computes a run's movie. A second run's movie is rotated and scaled to fit the first."""
    onto = ResultPart(view.recipe, ("folder",)) if run is not runs[0] else ""
    return call("embedviz.training.replay:film", ResultPart(run.recipe, ("folder",)), dimensions, onto=onto)


def run_names() -> list[str]:
    """Return short names of the runs: the settings in which they differ.

    If their settings do not tell them apart, the names are what differs in the runs' own names, else *first run* and
    *second run*. A single run keeps its name.
    """
    if len(runs) == 1:
        return [runs[0].name]
    named = training.run_names(records)
    given = curves.apart([run.name for run in runs])
    return given if named == training.UNTOLD and given[0] != given[1] else list(named)


def films_of_runs() -> list[Film]:
    """Return the film (the recording as a movie) of each run; while a film is computed, return the earlier one.

    If there is no earlier film, end the page. If the film of the second run cannot be computed, draw the reason and
    leave this film out.
    """
    found: list[Film] = []
    for place, run in enumerate(runs):
        task = calls.task(f"film-{place}", movie(run))
        if place and task.lasting:
            states.note(task.sentence)
            continue
        film = latest.finished(task, movie(run), f"Computing the movie of {plain(run.name, 60)}.", run.name)
        if film is None:
            frame.stop()
        found.append(film.value)
    return found


chosen_view = current.view()
head, has_recording = st.container(), steps.recorded(chosen_view.address)
if not has_recording:
    choices.without(chosen_view)
made = chosen_view if has_recording else example.example_view(chosen_view)
if made is None:
    with head:
        frame.header("Train", "")
    frame.stop()
view = made
runs = [spaces.Other(view.recipe, view.key, view.space, view.name)]
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width=410):
        st.html('<span class="ev-muted">Trails</span>', width="content")
        choosing = st.empty()
    typed = wordbox.word_search(view, "trajectory-search", placeholder="Neighbors of …", width=180)
    with st.container(width=216):
        others = spaces.others(view, "Compare with another run …", most=1) if has_recording else []
    with popovers.settings("trajectory"):
        dimensions = widgets.segments(COMPONENTS, view.space, {2: "2-D", 3: "3-D"})
        rows = {name: row for name, row in coloring.available(view.space).items() if not row.long and name != "plain"}
        by = widgets.method("Color", "color", {"trails": choices.TRAILED, **rows}, "trails")
        st.caption(by.summary)
        painted = widgets.options(by, view.space, f"{by.name}_", word=view.word)
if typed is not None:
    address.put(word=typed or None)
    st.rerun()
unrecorded = [one.name for one in others if not steps.recorded(str(one.recipe))]
others = [one for one in others if steps.recorded(str(one.recipe))]
runs += others
records = [calls.result(written.record_of(run.recipe)) for run in runs]
names = run_names()
with head:
    both = [f"{name} ({run.name})" if name not in run.name else run.name for name, run in zip(names, runs, strict=True)]
    frame.header("Train", "")
if unrecorded:
    states.note(f"{unrecorded[0]} has no recording.")
films = films_of_runs()
runs = runs[: len(films)]
names, records = names[: len(runs)], records[: len(runs)]
with choosing.container():
    followed = choices.trails(films[0], records[0].coverage.watched if records[0] is not None else ())
word = view.word.strip()
if not word or (not has_recording and word not in set(films[0].words)):
    word = followed[0] if followed else films[0].words[0]
    view = view if has_recording else replace(view, word="")
clock = reel.reel(f"reel-{sha256(view.key.encode()).hexdigest()[:16]}", replay.stops(films))
moment = "Press Play to see it from epoch 0." if clock.step == clock.last else ""
runs_shown = " and ".join(both) if len(runs) > 1 else f"{view.shape} dimensions"
states.panel(
    "When do words find their neighbors?",
    f"{runs_shown}. {clock.scale} {moment}".strip(),
    level=3,
)
if len(films) == 1:
    states.meaning(films[0].meaning)
reel.player(clock)

words, last = questions.sample(view.recipe, "frequent"), movie(runs[0])
drawn = films[0].frames.shape[2] == dimensions
what = call(questions.PROJECT, view.recipe, words.part("rows"), "pca", components=dimensions, moment="last")
task = (
    calls.task("badge", badge.check(what, last.part("rows"), last.part("points")), title="Checking what a map keeps")
    if drawn
    else None
)


def trust() -> None:
    """Draw the badge: how well the first run's map keeps the space at the end of the training."""
    of = "" if len(runs) == 1 else f" of {names[0]}"
    if task is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
            with st.container(width="content"):
                states.note(f"The whole map{of} at the end of the training:")
            badge.badge(task, what, view.theme, short=True)
        badge.noise(task.result, films[0].points, view.theme, phone=view.phone)


states.note(
    "Follow each trail from ring (start) to dot (end)." if followed else "",
    choices.named_neighbors(runs[0].space.folder, followed, grey=by.name == choices.TRAILED.name)
    or f"Final neighbors: the {films[0].k} nearest at the end in all dimensions, not on this map.",
)
about = f"{badge.line(task.result)} (last moment)" if task is not None else ""
charts = curves.charts(films, names, records)
whole = stage.Stage(view, clock, runs, films, names, records, charts, followed, word, by, painted, has_recording)
(layouts.one_run if len(runs) == 1 else layouts.two_runs)(whole, about, trust)
