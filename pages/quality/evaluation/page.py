"""Evaluation: results of a space on a test set, with baselines, and compared with other spaces."""

import streamlit as st

from embedviz.evaluation import EVALUATIONS
from embedviz.evaluation.compared import summary
from embedviz.evaluation.kind import Scores, joint_table
from embedviz.figures.evaluation import agreement_figure, evaluation_figure
from embedviz.testsets import FILE_FORMS, Associations
from pages._shared.app import address, frame, presenting, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import work
from pages._shared.sources import current, spaces
from pages.quality.evaluation import associations, mistakes, panels, testsets, uploading
from pages.quality.evaluation.asking import Asker, questions

MOST = 5
MOST_SETS = 4

view = current.view()
frame.header("Evaluation", view.shape)

if address.get("tests") and not address.get("test"):
    address.put(test=address.get("tests"), tests=None)
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    test = widgets.method("Test", "test", EVALUATIONS, "analogies", segmented=not view.phone)
    with st.container(width=150):
        picked = testsets.choose(view, test.name)
    with st.container(width=170):
        others = spaces.others(view, "Compare with …", most=MOST)
    uploading.upload(test.name)
if picked is None:
    states.state("There is no test set of this kind yet.", testsets.MISSING[test.name])
    states.note(f"Upload one under “Your own set”: {FILE_FORMS[test.name]}.")
    frame.stop()
chosen: testsets.ChosenSet = picked

place, given = 0, chosen.set
several = isinstance(given, Associations) and len(given) > 1
box = st.container(key="association", width="stretch" if view.phone else 560) if several else st.empty()
if isinstance(given, Associations) and several:
    place = address.whole("association", 0, len(given) - 1, 0)

looked = [spaces.Other(view.recipe, view.key, view.space, view.name), *others]
asker = Asker(test, chosen, place)
tasks = [asker.scored(space) for space in looked]
if several and "association" not in address.names() and tasks[0].result is not None:
    place = asker.place = panels.first_covered(test.results(tasks[0].result))
if isinstance(given, Associations) and several:
    names = [plain(one.name, 90) for one in given.tests]
    box.selectbox(
        "Association",
        range(len(names)),
        format_func=lambda row: names[row],
        label_visibility="collapsed",
        **address.bind("association", place),
    )
scores: list[Scores | None] = [task.result and test.results(task.result)[place] for task in tasks]
for space, task in zip(looked, tasks, strict=True):
    if task.running:
        work.row(task, f"Testing {plain(space.name, 40)} on {chosen.set.title}.")
    elif task.result is None:
        states.state(f"{plain(space.name, 40)} could not be tested.", task.sentence)
differences = asker.differences(looked, scores) if not any(task.running for task in tasks) else [None] * len(others)

base = scores[0]
if base is not None and base.value is None and not others:
    panels.untested(chosen, base)
elif base is not None:
    joint = panels.shared_scores(looked, chosen, place, scores)
    first = joint[0] or base
    drawn = first.value is not None
    column, panel = st.columns([2.2, 1], gap="medium")
    with column:
        what = f"{chosen.set.title}, such as: {test.example}" if test.example else associations.subject(base)
        if others and drawn:
            what = f"On the {first.count:,} {first.quantity.counted} that all these spaces cover"
            what = "Each space on its own words; the difference is on those that both cover" if test.parts else what
        states.panel(test.question, what, level=3)
        known = zip(looked[1:], differences, strict=True)
        compared = summary({plain(one.name, 60): found for one, found in known if found is not None}, view.name)
        states.meaning(compared or base.meaning)
        large = presenting.on("evaluation-plot")  # the lecture view has no room for the line under the figure
        if drawn:
            plot = evaluation_figure(test, joint, [space.name for space in looked], view.theme, phone=view.phone)
            figure.plotly(plot, "evaluation-plot")
        states.note(test.marks if drawn else "")
        sample = panels.coverage(looked, scores, first) if compared and not test.parts else base.sample
        alone = compared and (test.parts or not drawn)
        states.note(f"{plain(view.name, 60)} on all that it covers: {base.meaning}" if alone else "", sample)
        source = chosen.set.source
        states.details(test.summary, first.note, source if not source or source.endswith(".") else f"Source: {source}.")
    with panel:
        if test.each_set:
            sets = testsets.offered(view, test.name)[:MOST_SETS]
            every = [[asker.scored(space, one) for space in looked] for one in sets]
            states.panel("On each set", test.each_set, level=3)
            rows = [
                (one.set.title, panels.shared_scores(looked, one, 0, [task.result for task in line]))
                for one, line in zip(sets, every, strict=True)
            ]
            if running := next((task for line in every for task in line if task.running), None):
                work.watch(running, lambda job: None)
            figure.plotly(agreement_figure(rows, [space.name for space in looked], view.theme), "agreement-plot")
        shared = [space.key for space, one in zip(others, scores[1:], strict=True) if one is not None]
        mistakes.section(view, chosen, first, place, shared)
        panels.yardstick(base)
    with column if view.phone else st.container():
        lines = panels.lines_of(test, [space.name for space in looked], joint, differences)
        last = ["difference from the first row (95\u00a0%)"] if others else []
        panels.table(("space", *test.columns, *last), lines, phone=view.phone)
        export.export_row(
            key="evaluation",
            picture="plot:evaluation-plot" if drawn else None,
            table=lambda: joint_table(
                [(space.name, one) for space, one in zip(looked, joint, strict=True) if one is not None]
            ),
            filename=f"evaluation-{chosen.set.name}",
            calls=questions(test, looked, chosen, place),
            note={
                "title": base.title if test.parts else f"{test.title}: {chosen.set.title}",
                "space": view.size,
                "meaning": " ".join([compared or base.meaning, *([sample] if large else [])]),
                "figures": panels.in_words(test.columns, lines),
                "baseline": f"{sample} {first.note}",
            },
        )
if several and tasks[0].result is not None:
    associations.every_test(tasks[0].result, phone=view.phone)

states.panel("All test sets", f"Every kind of test on {view.name}")
st.toggle("Compute them", **address.bind("all", address.get("all") == "yes", lambda on: "yes" if on else "no"))
if address.get("all") == "yes":
    kinds = [name for name, row in EVALUATIONS.items() if not row.parts]
    bundled = [(name, one, asker.scored(looked[0], one, name)) for name in kinds for one in testsets.bundled(name)]
    panels.overview([(name, one.set.title, task) for name, one, task in bundled], phone=view.phone)
    if running := next((task for _, _, task in bundled if task.running), None):
        work.watch(running, lambda job: None)
asker.release()
