"""Teach: lesson plans with a link for each step, sheets to print, and the address for the class."""

import streamlit as st

from pages._shared.app import address, frame, network, states
from pages.learn.lessons.table import LESSONS
from pages.learn.pattern import sheets
from pages.learn.pattern.plans import PLANS, LessonPlan

CLASS = "class"
lessons = {one.name: one for one in LESSONS}
plans = {one.lesson: one for one in PLANS}


def open_step(plan: LessonPlan, number: int, *, lecture: bool = False) -> None:
    """Note which step is opened; the page goes there after its controls."""
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


if (query := st.session_state.pop("teach:open", None)) is not None:
    address.go("learn/page.py", query)

frame.header("Teach", "Plans, sheets and the address for a class")
sheets.begin()
sheet = address.get("sheet")
titles = {"": "Lesson plans", CLASS: "Class sheet", **{name: f"Sheet: {lessons[name].title}" for name in plans}}
sheet = sheet if sheet in titles else ""
with st.container(horizontal=True, vertical_alignment="center", key="teach-controls"):
    tied = address.bind("sheet", sheet, lambda name: name or "")
    st.selectbox("Show", list(titles), format_func=titles.__getitem__, label_visibility="collapsed", width=360, **tied)
    st.page_link("learn/page.py", label="All lessons", icon=":material/school:")

place = network.network_address()
if sheet == CLASS:
    states.panel("Our course", "Open this address, or scan the code. Then choose lesson 1.")
    sheets.class_sheet(place)
    sheets.hint()
elif sheet:
    sheets.lesson_sheet(place, lessons[sheet], plans[sheet])
    sheets.hint()
else:
    states.meaning("Six lessons of five minutes. Each step opens the lesson in the state that it needs.")
    for number, plan in enumerate(PLANS, 1):
        chosen = lessons[plan.lesson]
        minutes = sum(step.minutes for step in plan.steps)
        with st.container(key=f"teach-plan-{plan.lesson}"):
            states.panel(f"{number} · {chosen.title}", f"{minutes} min · {chosen.question}")
            steps(plan)
            ask, wrong = st.columns(2, gap="large")
            with ask:
                states.entry("Ask", " ".join(plan.ask))
            with wrong:
                states.entry("What students get wrong", " ".join(plan.wrong))
