"""The one pattern of every lesson: question, figure, formula, what it does not mean, an exercise, Back and Next."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages._shared.app import address, presenting, states
from pages._shared.output.link import link
from pages._shared.sources.current import View
from pages.learn.pattern import answering, lecture, more, progress, steps
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import stacked
from pages.learn.pattern.moving import moving
from pages.learn.pattern.steps import SteppedFigure

NAME = "lesson"  # name of the lesson in the address
FIRST_PATH, WORKBENCH = "First path", "Workbench"
CARRIED = ("space", "model", presenting.NAME)  # names in the address that stay from lesson to lesson
_STYLE = """<style>.st-key-lesson .katex-display {overflow-x: auto; overflow-y: hidden; padding: .25rem 0}
@media (max-width: 639px) {.st-key-lesson .katex {font-size: 1rem}}</style>"""


@dataclass(frozen=True)
class LessonText:
    """The texts under the figure of a lesson, computed from its current state.

    Attributes:
        limit: What the figure does not mean.
        exercise: The question with an answer that can be checked.
        formula: Lines of LaTeX with the current numbers; empty if the figure itself writes them, as `hand()` does.
        meaning: What the figure shows.
        note: Sample and baseline of the figure, in muted type.
        details: How the figure was computed; shown behind *Details*.
        steps: The figure, if formula and meaning follow its sliders in the browser; else None.
    """

    limit: str
    exercise: Exercise
    formula: tuple[str, ...] = ()
    meaning: str = ""
    note: str = ""
    details: str = ""
    steps: SteppedFigure | None = None


@dataclass(frozen=True)
class Lesson:
    """One lesson: a row of `LESSONS`.

    Attributes:
        name: Name of its file, and its name in the address.
        question: The question that the lesson answers; it is the heading.
        path: The series that the lesson belongs to: `FIRST_PATH` or `WORKBENCH`.
        draw: Draws the figure with its controls and returns the texts; None while there is no result.
        choice: What the header offers to choose: the space, the model, or nothing.
        begin: Starts the slow computation of the lesson; called in advance, while the previous lesson is read.
        figures: Titles of the figures, by name in the address. The first opens the lesson; buttons open the rest.
    """

    name: str
    title: str
    question: str
    minutes: int
    path: str
    draw: Callable[[View], LessonText | None]
    choice: Literal["space", "model", ""] = "space"
    begin: Callable[[], object] | None = None
    figures: Mapping[str, str] | None = None


def go(name: str) -> None:
    """Open a lesson in the state in which this session left it, else in its first state; "" opens the contents."""
    left: dict[str, dict[str, list[str]]] = st.session_state.setdefault("learn:left", {})
    own = [each for each in address.names() if each not in CARRIED and each != NAME]
    left[address.get(NAME)] = here = {each: address.get_list(each) for each in own}
    address.put(**{**dict.fromkeys(here), **left.get(name, {}), NAME: name or None})
    progress.note_opened()


def lesson(view: View, chosen: Lesson, lessons: Sequence[Lesson]) -> None:
    """Draw the figure and the texts of a lesson, and start the slow computation of the next lesson in advance."""
    if shows := presenting.on("lesson"):
        lecture.stage()
    st.html(_STYLE)
    with st.container(key="lesson"):
        moving(lambda: _figure_and_texts(view, chosen, lessons, lecture=shows))
    begin_next(chosen, lessons)


def begin_next(chosen: Lesson, lessons: Sequence[Lesson]) -> None:
    """Start in advance the slow computation that the next lesson will show."""
    for one in lessons[lessons.index(chosen) + 1 :][:1]:
        if one.begin is not None:
            one.begin()


def _figure_and_texts(view: View, chosen: Lesson, lessons: Sequence[Lesson], *, lecture: bool) -> None:
    """Draw the figure with controls and formula. Draw the texts below the figure, in the lecture view next to it."""
    if address.get(NAME) != chosen.name:
        st.rerun()  # another lesson was chosen in this fragment, which ran alone
    figure, text = st.columns([1.5, 1], gap="medium") if lecture and not view.phone else (nullcontext(), nullcontext())
    with figure:
        content = chosen.draw(view)
        if content is not None and content.steps is not None:
            steps.formula(view, content.steps)
        for line in content.formula if content is not None else ():
            st.latex(stacked(line) if view.phone else line)
    with text:
        if content is not None:
            _under(chosen, content, lecture=lecture)
        more.figures(chosen.figures or {})
        _steps(chosen, lessons)


def _under(chosen: Lesson, content: LessonText, *, lecture: bool) -> None:
    """Draw the texts under the figure of a lesson, with the exercise and, outside the lecture view, links."""
    if content.steps is not None:
        steps.meaning(content.steps)
    elif content.meaning:
        states.meaning(content.meaning)
    states.note(content.note)
    states.details(content.details)
    states.panel("What it does not mean", level=3)
    answering.prose(content.limit)
    answering.draw_exercise(chosen.name, content.exercise, lecture=lecture)
    if not lecture:
        with st.container(horizontal=True, vertical_alignment="center", key="lesson-link"):
            link(f"lesson-{chosen.name}")
            st.page_link("learn/teach.py", label="For the teacher", icon=":material/co_present:")


def _steps(chosen: Lesson, lessons: Sequence[Lesson]) -> None:
    """Draw buttons to the previous and the next lesson. Where there is none, draw a button to all lessons."""
    place = lessons.index(chosen)
    before, after = lessons[max(0, place - 1) : place], lessons[place + 1 : place + 2]
    if chosen.path == FIRST_PATH and not any(one.path == FIRST_PATH for one in after):
        states.note("This was the last lesson of the first path. The other lessons can be taken in any order.")
    with st.container(horizontal=True, horizontal_alignment="distribute", key="lesson-steps"):
        for one in before:
            st.button(f"Back: {one.title}", icon=":material/arrow_back:", on_click=go, args=(one.name,))
        if not before:
            st.button("All lessons", icon=":material/arrow_back:", on_click=go, args=("",))
        for one in after:
            title, icon = f"Next: {one.title}", ":material/arrow_forward:"
            st.button(title, type="primary", icon=icon, on_click=go, args=(one.name,))
        if not after:
            st.button("All lessons", type="primary", on_click=go, args=("",), key="lesson-end")
