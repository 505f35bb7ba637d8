"""Learn: a course of short lessons, each with one interactive figure, its formula and one question."""

import streamlit as st

from embedviz.core.options import choose
from pages._shared.app import address, frame
from pages._shared.sources import current, models, spaces
from pages.learn.lessons.table import GROUPS, LESSONS
from pages.learn.pattern import progress
from pages.learn.pattern.contents import contents
from pages.learn.pattern.lesson import NAME, Lesson, go, lesson


def after_title(chosen: Lesson) -> None:
    """Draw the choice of the space or model that the lesson uses, and the button to all lessons."""
    if chosen.choice == "space":
        spaces.control(spaces.titles(address.get("space", "builtin")))
    elif chosen.choice == "model":
        models.control()
    st.button("All lessons", type="tertiary", icon=":material/list:", on_click=go, args=("",), key="lesson-all")


view = current.view()
done = progress.begin({one.name for one in LESSONS})
if not (name := address.get(NAME)):
    frame.header("Learn", "Embeddings, from the first vector to contextual models")
    contents(GROUPS, done)
    frame.stop()

chosen = choose({one.name: one for one in LESSONS}, name, "lesson")
place = f"Lesson {LESSONS.index(chosen) + 1} of {len(LESSONS)}"
frame.header(chosen.question, f"{place} · {chosen.title} · {chosen.minutes} min", lambda: after_title(chosen))
lesson(view, chosen, LESSONS)
