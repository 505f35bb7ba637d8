"""Trajectory: the words of a space while they learned, as a movie, alone or beside another run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from embedviz import training
from embedviz.core.call import Call, Part, call
from embedviz.core.options import Method, OptionError
from embedviz.core.phrases import listing
from embedviz.core.space import SpaceError
from embedviz.figures.scatter import scatter
from embedviz.projection import coloring as columns
from embedviz.projection.layout import COMPONENTS
from embedviz.training import curves
from embedviz.training import replay as study
from embedviz.training.replay import Film
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets, wordbox
from pages._shared.map import badge, questions
from pages._shared.map import scatter as mounted
from pages._shared.output import export
from pages._shared.results import cache, calls, work
from pages._shared.sources import current, spaces
from pages.make.trajectory import reel, written

TRAIL = "trail"
"""What the address calls the words that leave trails; empty for none."""
TRAILED = Method("trails", "Trails alone", columns.plain, summary="All other words are grey.")
MOVE = "Drag to move, scroll to zoom, click a word; , and . step through the moments."
ORBIT = "Drag to turn, scroll to zoom, click a word; , and . step through the moments."
PHONE = "Two fingers zoom, a tap chooses a word."


def watched(one: str) -> bool:
    """Whether the words of a space were kept on their way."""
    try:
        return study.keeps_way(cache.space(cache.key_of(one)).folder)
    except (SpaceError, ValueError):
        return False


def without() -> None:
    """What stands where there is no movie, and where one is to be had."""
    states.state(
        "Nobody watched these words learn.",
        "A space that is trained here keeps the way of its words, also when it is saved.",
    )
    listed = spaces.titles(view.address)
    with st.container(horizontal=True, vertical_alignment="center", key="trained"):
        for place, one in enumerate([one for one in listed if watched(one)][-6:]):
            st.button(plain(listed[one], 60), key=f"trained-{place}", on_click=frame.choose_space, args=(one,))
        st.page_link("make/train/page.py", label="Train one", icon=":material/model_training:")


def movie(run: spaces.Other) -> Call:
    """The call of a run's movie; that of another run is turned onto the first one's."""
    onto = Part(view.recipe, ("folder",)) if run is not runs[0] else ""
    return call("embedviz.training.replay:film", Part(run.recipe, ("folder",)), dimensions, onto=onto)


def trails(found: Film, watched_words: Sequence[str]) -> list[str]:
    """The words that leave trails, with a control to choose them."""
    asked = address.get_list(TRAIL)
    known = set(found.words)
    there = [word for word in asked if word in known]
    chosen = there[: study.MOST_TRAILS] if asked else study.usual_trails(found, watched_words)
    key = f"trajectory:{TRAIL}"
    st.session_state[key] = chosen

    def write() -> None:
        address.put(**{TRAIL: list(st.session_state[key]) or [""]})

    st.multiselect(
        "Trails",
        sorted(found.words, key=_alphabetically),
        format_func=plain,
        filter_mode="prefix",
        select_all=False,
        key=key,
        on_change=write,
        placeholder="Words that leave trails",
        label_visibility="collapsed",
    )
    if left := there[study.MOST_TRAILS :]:
        states.note(
            f"At most {study.MOST_TRAILS} words leave trails, so {listing(left)} does not. Take one away first."
        )
    absent = [word for word in asked if word and word not in known]
    if absent:
        states.note(f"Not among the {len(known):,} words whose way was kept: {listing(absent)}.")
    return chosen


def _alphabetically(word: str) -> tuple[str, str]:
    """A word before all that go on from it: what was typed whole stands first in the list, and Enter takes it."""
    return word.casefold(), word.swapcase()


def colors(found: Film, run: spaces.Other) -> columns.Coloring:
    """The words as they are colored at the end; grey where trails alone have colors."""
    if by.name == "trails":
        return columns.Coloring("trails", "", "category", np.full(len(found.words), columns.REST, np.uint8))
    try:
        return columns.coloring(run.space, found.rows, by.name, **painted)
    except (OptionError, LookupError) as error:
        states.note(str(error))
        return columns.plain(run.space, found.rows)


def show(found: Film, run: spaces.Other, key: str, about: str) -> None:
    """One run's moving map, and its export row."""
    place = {word: row for row, word in enumerate(found.words)}
    color = colors(found, run)
    picture = scatter(found, color)
    word = view.word if view.word in place else None
    rows = [place.get(one, -1) for one in [*followed, *([word] if word and word not in followed else [])]]
    name = names[runs.index(run)]
    title = "On their way" if len(runs) == 1 else name
    size = f"{run.name} · {len(run.space):,} × {run.space.dimensions}"
    note = {"title": title, "space": size, "about": f"{found.sample} {found.picture}", "badge": about}
    mounted.mount(
        picture,
        key=key,
        height=470,
        chosen=place.get(word) if word else None,
        note=note,
        summary=f"{found.sample} {found.meaning}",
        on_click=lambda click: frame.choose_word(click.word),
        movie=clock.movie(rows, name if len(runs) > 1 else ""),
    )
    if len(runs) == 1:
        states.meaning(found.meaning)
        hand = PHONE if view.phone else MOVE if dimensions == 2 else ORBIT
        states.note(found.sample, found.picture, color.note, hand)
    export.export_row(
        key=key,
        picture=f"map:{key}",
        table=lambda: export.csv_text(curves.table(charts), curves.HEADER),
        filename=f"trajectory-{run.name}" if len(runs) == 1 else f"trajectory-{run.name}-{name}",
        code=written.lines(view.recipe, [one.recipe for one in others], dimensions, told_of),
        note=note,
        page=lambda: picture.html(note=note, trails=[row for row in rows if row >= 0]),
    )


def near(found: Film, run: spaces.Other, key: str) -> None:
    """The words near the word in use at the moment that is shown."""
    if told_of not in set(found.words):
        states.panel(f"Nearest to {told_of}", names[runs.index(run)], level=3)
        states.note(f"“{plain(told_of, 40)}” is not among the {len(found.words):,} words whose way was kept.")
        return
    title = f"Nearest to {told_of}" + (f" · {names[runs.index(run)]}" if len(runs) > 1 else "")
    listed = calls.result(call("embedviz.training.replay:on_the_way", run.recipe, told_of, study.LISTED))
    reel.nearest(clock, listed, found, frame.choose_word, title=title, key=key)


def told_apart() -> list[str]:
    """The runs by what they differ in as they were set, else in their names."""
    if len(runs) == 1:
        return [runs[0].name]
    called = training.called(records)
    given = curves.apart([run.name for run in runs])
    return given if called == training.UNTOLD and given[0] != given[1] else list(called)


view = current.view()
runs = [spaces.Other(view.recipe, view.key, view.space, view.name)]
head = st.container()
if not watched(view.address):
    with head:
        frame.header("Replay", view.shape)
    without()
    frame.stop()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    dimensions = widgets.segments(COMPONENTS, view.space, {2: "2-D", 3: "3-D"})
    with st.container(width=230):
        others = spaces.others(view, "Beside another run …", most=1)
    typed = wordbox.word_search(view, "trajectory-search", placeholder="Whose neighbors?", width=200)
    with st.container(width=420):
        choosing = st.empty()
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        rows = {name: row for name, row in columns.available(view.space).items() if not row.long and name != "plain"}
        by = widgets.method("Color", "color", {"trails": TRAILED, **rows}, "trails")
        st.caption(by.summary)
        painted = widgets.options(by, view.space, f"{by.name}_", word=view.word)
if typed is not None:
    address.put(word=typed or None)
    st.rerun()
unwatched = [one.name for one in others if not watched(str(one.recipe))]
others = [one for one in others if watched(str(one.recipe))]
runs += others
records = [training.record(run.space.folder) if run.space.folder else None for run in runs]
names = told_apart()
with head:
    both = [f"{name} ({run.name})" if name not in run.name else run.name for name, run in zip(names, runs, strict=True)]
    frame.header("Replay", " beside ".join(both) if others else view.size)
if unwatched:
    states.note(f"Nobody watched the words of {unwatched[0]} learn, so it has no movie.")

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
    followed = trails(films[0], records[0].asked.watched if records[0] is not None else ())
told_of = view.word.strip() or (followed[0] if followed else films[0].words[0])
clock = reel.reel(f"reel:{view.key}", study.stops(films))
reel.player(clock)

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
        show(films[0], runs[0], "trajectory", pill)
    with right:
        reel.curves(clock, charts)
    left, right = st.columns(2, gap="large")
    with left:
        near(films[0], runs[0], "nearest")
    if records[0] is not None:
        with right:
            states.panel("How it was trained", level=3)
            states.table(("", "this run"), curves.card(records[0]), texts=(1,))
            states.note(curves.told(records[0]))
else:
    for place, column in enumerate(st.columns(2, gap="medium")):
        with column:
            show(films[place], runs[place], f"trajectory-{place}", pill if place == 0 else "")
    if told := training.answered(records, names):
        states.meaning(told)
    states.meaning(study.beside(films, names))
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
            near(films[place], runs[place], f"nearest-{place}")
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
