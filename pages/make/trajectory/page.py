"""Trajectory: the words of a space while they learned, as a movie, alone or beside another run."""

from __future__ import annotations

import streamlit as st

from embedviz import training
from embedviz.core.call import Call, Part, call
from embedviz.projection import coloring
from embedviz.projection.layout import COMPONENTS
from embedviz.training import curves, replay
from embedviz.training.replay import Film
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets, wordbox
from pages._shared.map import badge, questions
from pages._shared.results import calls, work
from pages._shared.sources import current, spaces
from pages.make.trajectory import reel, sections, written


def movie(run: spaces.Other) -> Call:
    """Return the call of a run's movie; that of another run is turned onto the first one's."""
    onto = Part(view.recipe, ("folder",)) if run is not runs[0] else ""
    return call("embedviz.training.replay:film", Part(run.recipe, ("folder",)), dimensions, onto=onto)


def run_names() -> list[str]:
    """Return the runs by what they were set to differ in, else by what differs in their names."""
    if len(runs) == 1:
        return [runs[0].name]
    named = training.run_names(records)
    given = curves.apart([run.name for run in runs])
    return given if named == training.UNTOLD and given[0] != given[1] else list(named)


view = current.view()
runs = [spaces.Other(view.recipe, view.key, view.space, view.name)]
head = st.container()
if not sections.recorded(view.address):
    with head:
        frame.header("Replay", view.shape)
    sections.without(view)
    frame.stop()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    dimensions = widgets.segments(COMPONENTS, view.space, {2: "2-D", 3: "3-D"})
    with st.container(width=230):
        others = spaces.others(view, "Beside another run …", most=1)
    typed = wordbox.word_search(view, "trajectory-search", placeholder="Whose neighbors?", width=200)
    with st.container(width=420):
        choosing = st.empty()
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        rows = {name: row for name, row in coloring.available(view.space).items() if not row.long and name != "plain"}
        by = widgets.method("Color", "color", {"trails": sections.TRAILED, **rows}, "trails")
        st.caption(by.summary)
        painted = widgets.options(by, view.space, f"{by.name}_", word=view.word)
if typed is not None:
    address.put(word=typed or None)
    st.rerun()
unrecorded = [one.name for one in others if not sections.recorded(str(one.recipe))]
others = [one for one in others if sections.recorded(str(one.recipe))]
runs += others
records = [calls.result(written.record_of(run.recipe)) for run in runs]
names = run_names()
with head:
    both = [f"{name} ({run.name})" if name not in run.name else run.name for name, run in zip(names, runs, strict=True)]
    frame.header("Replay", " beside ".join(both) if others else view.shape)
if unrecorded:
    states.note(f"{unrecorded[0]} was not trained here, so there is no recording of it.")

films: list[Film] = []
for place, run in enumerate(runs):
    task = calls.task(f"film-{place}", movie(run))
    if task.result is not None:
        films.append(task.result)
    elif place and task.lasting:
        states.note(task.sentence)
    else:
        work.show(task, f"Developing the movie of {plain(run.name, 60)}.")
        frame.stop()
runs = runs[: len(films)]
names, records = names[: len(runs)], records[: len(runs)]
charts = curves.charts(films, names, records)
with choosing.container():
    followed = sections.trails(films[0], records[0].asked.watched if records[0] is not None else ())
word = view.word.strip() or (followed[0] if followed else films[0].words[0])
clock = reel.reel(f"reel:{view.key}", replay.stops(films))
reel.player(clock)
stage = sections.Stage(view, clock, runs, films, names, charts, followed, word, by, painted)

words, last = questions.sample(view.recipe, "frequent"), movie(runs[0])
what = call(questions.PROJECT, view.recipe, words.part("rows"), "pca", components=dimensions, moment="last")
task = badge.measured(view, badge.check(what, last.part("rows"), last.part("points")), films[0])
with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
    badge.badge(task, what, view.theme, short=view.phone)
    with st.container(width="content"):
        states.note(f"At the last moment. {films[0].sample}" if len(runs) == 1 else f"{names[0]} at its last moment.")
badge.noise(task.result, films[0].points, view.theme, phone=view.phone)
pill = f"{badge.line(task.result)} (last moment)"

if len(runs) == 1:
    left, right = st.columns([2.1, 1], gap="medium")
    with left:
        stage.map(0, "trajectory", pill)
    with right:
        reel.curves(clock, charts)
    left, right = st.columns(2, gap="large")
    with left:
        stage.near(0, "nearest")
    if records[0] is not None:
        with right:
            states.panel("How it was trained", level=3)
            states.table(("", "this run"), records[0].facts, texts=(1,))
            states.note(records[0].setting)
else:
    for place, column in enumerate(st.columns(2, gap="medium")):
        with column:
            stage.map(place, f"trajectory-{place}", pill if place == 0 else "")
    if told := training.compare_analogies(records, names):
        states.meaning(told)
    states.meaning(replay.compare_films(films, names))
    states.note(*(f"{name}: {one.sample} {one.picture}" for name, one in zip(names, films, strict=True)))
    states.note("" if by.name == "trails" else f"Color: {by.title.lower()}. {by.summary}")
    reel.curves(clock, charts, columns=4 if len(charts) == 4 else 3)
    states.note(
        "Each run has a chart of its own where the two were not asked the same: losses of other guesses do not compare."
        if curves.alone(charts, 2)
        else ""
    )
    columns = st.columns([1, 1, 1.3], gap="large")
    for place in (0, 1):
        with columns[place]:
            stage.near(place, f"nearest-{place}")
    with columns[2]:
        states.panel("What differs", level=3)
        one, other = records
        if one is None or other is None:
            states.note("Nothing was kept of how one of them was trained.")
        else:
            rows = training.differences(one, other)
            if rows:
                states.table(("", *names), rows, texts=(1, 2))
            states.note("" if rows else "Nothing that was set.", training.alike(one, other))
