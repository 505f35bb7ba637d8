"""Evaluate: whether a space knows what a test set asks, beside chance, and whether another knows it better."""

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.evaluation import EVALUATIONS, Difference, among_all
from embedviz.figures.evaluation import agreement_figure
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.output.evaluations import (
    KINDS,
    OVERVIEW,
    Told,
    associations_table,
    difference,
    figures_of,
    overview,
    table,
    verdict,
)
from pages._shared.results import calls, work
from pages._shared.sources import current, spaces, testsets

MOST = 5
MOST_SETS = 4
ASKED = "evaluation:slots"

view = current.view()
frame.header("Evaluation", view.shape)

with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    test = widgets.method("Test", "test", EVALUATIONS, "analogies", segmented=not view.phone)
    kind = KINDS[test.name]
    with st.container(width=190):
        chosen = testsets.choose(view, test.name)
    with st.container(width=270):
        others = spaces.others(view, "Compare with …", most=MOST)
    testsets.upload(test.name)
if chosen is None:
    states.state("No test set of this kind is here yet.", testsets.MISSING[test.name])
    states.note(f"Upload it under “Your own set”: {testsets.FILE_FORMS[test.name]}.")
    frame.stop()

looked = [spaces.Other(view.recipe, view.key, view.space, view.name), *others]
slots: set[str] = set()


def ask(slot: str, question: Call) -> work.Task:
    slots.add(slot)
    wait = 0.25 if len(slots) < 4 else 0.02
    return calls.task(slot, question, wait=wait, title=f"The test set {test.title}")


def scores_of(kind: str, space: spaces.Other, one: testsets.Chosen) -> Call:
    function = EVALUATIONS[kind].function
    return call(f"{function.__module__}:{function.__name__}", space.recipe, one.given)


def ask_of(kind: str, space: spaces.Other, one: testsets.Chosen) -> work.Task:
    return ask(f"evaluate:{space.recipe}:{one.address}", scores_of(kind, space, one))


def scored(space: spaces.Other, one: testsets.Chosen) -> work.Task:
    return ask_of(test.name, space, one)


def ahead(space: spaces.Other) -> Call:
    """What another space is ahead of the one in use."""
    both = [scores_of(test.name, each, chosen) for each in (space, looked[0])]
    shown = [each.part("effects", place) for each in both] if test.name == "weat" else both
    return call("embedviz.evaluation.compared:paired", *shown)


tasks = [scored(space, chosen) for space in looked]
told = [Told(space.name, task.result) for space, task in zip(looked, tasks, strict=True)]
place = 0
if test.name == "weat":
    tests = chosen.set.tests
    place = address.whole("association", 0, len(tests) - 1, 0)
    if len(tests) > 1:
        with st.container(key="association", width="stretch" if view.phone else 560):
            st.selectbox(
                "Association",
                range(len(tests)),
                format_func=lambda row: plain(tests[row].name, 90),
                label_visibility="collapsed",
                **address.bind("association", place),
            )
    told = [Told(one.name, one.scores.effects[place] if one.scores else None) for one in told]

for space, task in zip(looked, tasks, strict=True):
    if task.running:
        work.row(task, f"{chosen.set.title} in {plain(space.name, 40)}.")
    elif task.result is None:
        states.state(f"{plain(space.name, 40)} was not tested.", task.sentence)

base = told[0]
differences: list[Difference | None] = []
for space, one in zip(looked[1:], told[1:], strict=True):
    if base.scores is not None and one.scores is not None:
        compared = ask(f"paired:{space.recipe}", ahead(space))
        differences.append(compared.result)
        if compared.running:
            work.row(compared, f"{plain(space.name, 40)} beside {plain(base.name, 40)}.")
    else:
        differences.append(None)

adjusted = iter(among_all([found for found in differences if found is not None], len(differences)))
differences = [None if found is None else next(adjusted) for found in differences]

if base.scores is not None:
    drawn = kind.drawn(base.scores)
    column, panel = st.columns([2.2, 1], gap="medium")
    with column:
        if drawn:
            figure.plotly(kind.figure(view, told), "evaluation-plot")
        states.meaning(kind.sentence(base.scores))
        states.note(
            verdict([(one.name, found) for one, found in zip(told[1:], differences, strict=True)], base.name, kind)
        )
        source = chosen.set.source
        states.note(kind.note(base.scores), source if not source or source.endswith(".") else f"Source: {source}.")
    with panel:
        if test.name == "similarity":
            sets = testsets.offered(view, test.name)[:MOST_SETS]
            every = [[scored(space, one) for space in looked] for one in sets]
            states.panel("On each set", "Spearman's ρ with its 95\u00a0% interval", level=3)
            rows = [(one.set.title, [task.result for task in line]) for one, line in zip(sets, every, strict=True)]
            if any(task.running for line in every for task in line):
                work.watch(next(task for line in every for task in line if task.running), lambda job: None)
            figure.plotly(agreement_figure(rows, [space.name for space in looked], view.theme), "agreement-plot")
        kind.wrong(view, chosen, base.scores)
    with column if view.phone or not others else st.container():
        lines = []
        for one, found in zip(told, [None, *differences], strict=True):
            cells = kind.cells(one.scores) if one.scores is not None else ["…"] * len(kind.columns)
            beside = [] if not others else ["–"] if one is base else [difference(found, kind)]
            lines.append((one.name, *cells, *beside))
        header = ("space", *kind.columns, *([f"less {plain(base.name, 30)} (95\u00a0%)"] if others else []))
        table(header, lines, phone=view.phone)
        export.export_row(
            key="evaluation",
            picture="plot:evaluation-plot" if drawn else None,
            table=lambda: export.csv_text(
                ((one.name, *row) for one in told if one.scores is not None for row in kind.rows(one.scores)),
                ("space", *kind.header),
            ),
            filename=f"evaluation-{chosen.set.name}",
            calls=[scores_of(test.name, looked[0], chosen), *map(ahead, others)],
            note={
                "title": base.scores.test.name if test.name == "weat" else f"{test.title}: {chosen.set.title}",
                "space": view.size,
                "meaning": kind.sentence(base.scores),
                "figures": figures_of(lines, kind),
                "baseline": kind.note(base.scores),
            },
        )
    if test.name == "weat" and len(chosen.set.tests) > 1:
        associations_table(tasks[0].result, phone=view.phone)

states.panel("All tests at once", f"{view.name}, on each set that comes with the program")
st.toggle("Compute them", **address.bind("all", address.get("all") == "yes", lambda on: "yes" if on else "no"))
if address.get("all") == "yes":
    here = looked[0]
    bundled = [(name, one) for name in OVERVIEW for one in testsets.offered(view, name) if not one.private]
    asked_all = [(name, one, ask_of(name, here, one)) for name, one in bundled if one.address in testsets.BUNDLED[name]]
    overview([(name, one.set.title, task.result) for name, one, task in asked_all], phone=view.phone)
    if running := next((task for _, _, task in asked_all if task.running), None):
        work.watch(running, lambda job: None)

for slot in st.session_state.get(ASKED, set()) - slots:
    work.release(slot)
st.session_state[ASKED] = slots
