"""Teach: lesson plans with a link for each step, student sheets, and the address for the class, as three tabs."""

import streamlit as st

from pages._shared.app import address, frame, network, states
from pages._shared.app.escape import plain
from pages.learn.lessons.table import LESSONS
from pages.learn.pattern import sheets
from pages.learn.pattern.plan import LessonPlan
from pages.learn.pattern.plans import PLANS

CLASS, ALL = "class", "all"
TABS = {"plans": "Lesson plans", "students": "Student sheets", CLASS: "Class sheet"}
LONGEST = 60
"""Greatest number of characters of a class name."""
lessons = {one.name: one for one in LESSONS}
plans = {one.lesson: one for one in PLANS}
SHEETS = {ALL: "All sheets: the first path"} | {name: f"{n} · {lessons[name].title}" for n, name in enumerate(plans, 1)}


def open_step(plan: LessonPlan, number: int, *, lecture: bool = False) -> None:
    """Store the step of a lesson plan that the visitor opened, as parameters of a page address.

    The next run of the page opens the lesson at this step.

    Args:
        lecture: Whether the lesson opens in the lecture view.
    """
    st.session_state["teach:open"] = plan.steps[number].query(plan.lesson, **({"present": "1"} if lecture else {}))


def steps(plan: LessonPlan) -> None:
    """Draw the steps of a plan, each with its links."""
    for number, step in enumerate(plan.steps):
        with st.container(horizontal=True, vertical_alignment="center", key=f"plan-{plan.lesson}-{number}"):
            st.button("Open", key=f"step-{plan.lesson}-{number}", on_click=open_step, args=(plan, number))
            st.button(
                "Lecture view",
                key=f"lecture-{plan.lesson}-{number}",
                type="tertiary",
                icon=":material/present_to_all:",
                on_click=open_step,
                args=(plan, number),
                kwargs={"lecture": True},
            )
            with st.container(width="content"):
                states.note(f"{step.minutes} min. {step.text}")


def all_plans() -> None:
    """Draw every plan: its steps, the questions to the class, and the mistakes to expect."""
    states.meaning("Six lessons of five minutes. Lecture view opens a step in large type, for the projector.")
    for number, plan in enumerate(PLANS, 1):
        chosen = lessons[plan.lesson]
        minutes = sum(step.minutes for step in plan.steps)
        with st.container(key=f"teach-plan-{plan.lesson}"):
            states.panel(f"{number} · {chosen.title}", f"{minutes} min · {chosen.question}")
            steps(plan)
            ask, wrong = st.columns(2, gap="large")
            with ask:
                states.panel("Ask", level=3)
                for one in plan.ask:
                    states.entry(one.question, one.answer)
            with wrong:
                states.panel("What students get wrong", level=3)
                for each in plan.wrong:
                    mistake, _, right = each.partition(". ")
                    states.entry(f"{mistake}.", f"Correct: {right}")


if (query := st.session_state.pop("teach:open", None)) is not None:
    address.go("learn/page.py", query)

frame.header("Teach", "Plans, sheets and the address for a class")
sheets.begin()
sheet, group = address.get("sheet"), plain(address.get("class"), LONGEST).strip()
tab = address.get("tab")
if tab not in TABS:
    tab = CLASS if sheet == CLASS else "students" if sheet in SHEETS else "plans"
sheet = sheet if sheet in SHEETS else ALL
with st.container(horizontal=True, vertical_alignment="bottom", key="teach-controls"):
    bound = address.bind("tab", tab)
    st.segmented_control("Show", list(TABS), format_func=TABS.__getitem__, required=True, **bound)
    if tab == "students":
        st.selectbox("Lesson", list(SHEETS), format_func=SHEETS.__getitem__, width=320, **address.bind("sheet", sheet))
    if tab != "plans":
        about = "Printed on every sheet"
        st.text_input(
            "Class or course", max_chars=LONGEST, placeholder=about, width=260, **address.bind("class", group)
        )
    st.page_link("learn/page.py", label="All lessons", icon=":material/school:")

if tab == "plans":
    all_plans()
else:
    place = network.network_address()
    sheets.hints(place)
    if tab == CLASS:
        sheets.class_sheet(place, group)
    for name in [] if tab == CLASS else list(plans) if sheet == ALL else [sheet]:
        sheets.lesson_sheet(place, lessons[name], plans[name], group)
