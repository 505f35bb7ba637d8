"""Evaluate: whether a space knows what a test set asks, beside chance, and whether another knows it better."""

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.evaluation import EVALUATIONS, Difference, among_all
from embedviz.evaluation.compared import summary
from embedviz.evaluation.kind import joint_table
from embedviz.figures.evaluation import agreement_figure, evaluation_figure
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import calls, work
from pages._shared.sources import current, spaces
from pages.quality.evaluation import panels, testsets

MOST = 5
MOST_SETS = 4
SLOTS = "evaluation:slots"

view = current.view()
frame.header("Evaluation", view.shape)

with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    test = widgets.method("Test", "test", EVALUATIONS, "analogies", segmented=not view.phone)
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


def scored(kind: str, space: spaces.Other, one: testsets.Chosen) -> work.Task:
    return ask(f"evaluate:{space.recipe}:{one.address}", scores_of(kind, space, one))


def ahead(space: spaces.Other) -> Call:
    """Return what another space is ahead of the one in use."""
    both = [scores_of(test.name, each, chosen) for each in (space, looked[0])]
    return call("embedviz.evaluation.compared:paired", *([e.part(test.parts, place) for e in both] if parted else both))


tasks = [scored(test.name, space, chosen) for space in looked]
tested = [panels.Tested(space.name, task.result) for space, task in zip(looked, tasks, strict=True)]
parted, place = bool(test.parts), 0
several = parted and len(chosen.set) > 1
if parted:
    place = address.whole("association", 0, len(chosen.set) - 1, 0)
    tested = [panels.Tested(one.name, one.scores and test.results(one.scores)[place]) for one in tested]
if several:
    with st.container(key="association", width="stretch" if view.phone else 560):
        st.selectbox(
            "Association",
            range(len(chosen.set)),
            format_func=lambda row: plain(chosen.set.tests[row].name, 90),
            label_visibility="collapsed",
            **address.bind("association", place),
        )

for space, task in zip(looked, tasks, strict=True):
    if task.running:
        work.row(task, f"{chosen.set.title} in {plain(space.name, 40)}.")
    elif task.result is None:
        states.state(f"{plain(space.name, 40)} was not tested.", task.sentence)

base = tested[0]
differences: list[Difference | None] = []
for space, one in zip(looked[1:], tested[1:], strict=True):
    compared = ask(f"paired:{space.recipe}", ahead(space)) if None not in (base.scores, one.scores) else None
    differences.append(compared and compared.result)
    if compared is not None and compared.running:
        work.row(compared, f"{plain(space.name, 40)} beside {plain(base.name, 40)}.")
adjusted = iter(among_all([found for found in differences if found is not None], len(differences)))
differences = [found and next(adjusted) for found in differences]

if base.scores is not None:
    drawn = base.scores.value is not None
    column, panel = st.columns([2.2, 1], gap="medium")
    with column:
        if drawn:
            names = [one.name for one in tested]
            drawing = evaluation_figure(test, [one.scores for one in tested], names, view.theme, phone=view.phone)
            figure.plotly(drawing, "evaluation-plot")
        states.meaning(base.scores.meaning)
        known = zip(tested[1:], differences, strict=True)
        states.note(summary({plain(one.name, 60): found for one, found in known if found is not None}, base.name))
        source = chosen.set.source
        states.note(base.scores.note, source if not source or source.endswith(".") else f"Source: {source}.")
    with panel:
        if test.each_set:
            sets = testsets.offered(view, test.name)[:MOST_SETS]
            every = [[scored(test.name, space, one) for space in looked] for one in sets]
            states.panel("On each set", test.each_set, level=3)
            rows = [(one.set.title, [task.result for task in line]) for one, line in zip(sets, every, strict=True)]
            if any(task.running for line in every for task in line):
                work.watch(next(task for line in every for task in line if task.running), lambda job: None)
            figure.plotly(agreement_figure(rows, [space.name for space in looked], view.theme), "agreement-plot")
        panels.mistakes(view, chosen, base.scores, place)
    with column if view.phone or not others else st.container():
        lines = panels.lines_of(test, tested, differences)
        last = [f"less {plain(base.name, 30)} (95\u00a0%)"] if others else []
        panels.table(("space", *test.columns, *last), lines, phone=view.phone)
        export.export_row(
            key="evaluation",
            picture="plot:evaluation-plot" if drawn else None,
            table=lambda: joint_table([one for one in tested if one.scores is not None]),
            filename=f"evaluation-{chosen.set.name}",
            calls=[scores_of(test.name, looked[0], chosen), *map(ahead, others)],
            note={
                "title": base.scores.title if parted else f"{test.title}: {chosen.set.title}",
                "space": view.size,
                "meaning": base.scores.meaning,
                "figures": panels.in_words(test.columns, lines),
                "baseline": base.scores.note,
            },
        )
    if several:
        panels.every_test(tasks[0].result, phone=view.phone)

states.panel("All tests at once", f"{view.name}, on each set that comes with the program")
st.toggle("Compute them", **address.bind("all", address.get("all") == "yes", lambda on: "yes" if on else "no"))
if address.get("all") == "yes":
    rows = [name for name, row in EVALUATIONS.items() if not row.parts]
    bundled = [(name, one, scored(name, looked[0], one)) for name in rows for one in testsets.bundled(name)]
    panels.overview([(name, one.set.title, task.result) for name, one, task in bundled], phone=view.phone)
    if running := next((task for _, _, task in bundled if task.running), None):
        work.watch(running, lambda job: None)

for slot in st.session_state.get(SLOTS, set()) - slots:
    work.release(slot)
st.session_state[SLOTS] = slots
