"""The exercise of a lesson on the page: the box or the options, the check, and the answer."""

import hashlib

import streamlit as st

from pages._shared.app import states
from pages._shared.app.escape import escape, plain
from pages.learn.pattern import progress
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.progress import LONGEST

_REVEALED, _CHECKED = "learn:shown:", "learn:checked:"


def prose(text: str) -> None:
    """Write a sentence or two; terms of the glossary are explained at their first use."""
    st.html(f'<p class="ev-plain">{states.with_terms(plain(text, 800))}</p>')


def draw_exercise(lesson: str, exercise: Exercise, *, lecture: bool = False) -> None:
    """Draw the question with its check. A right answer is stored, and filled in when the question is shown again.

    Args:
        lecture: Whether to write the options as text, without a box for an answer.
    """
    states.panel("Your turn", level=3)
    key = f"{lesson}-{hashlib.sha256(f'{exercise.text} {exercise.answer}'.encode()).hexdigest()[:12]}"
    prose(exercise.text)
    given = _options(exercise) if lecture else _box(key, exercise)
    right = exercise.right(given)
    revealed = bool(st.session_state.get(_REVEALED + key))
    if right:
        states.state("Right.", exercise.reason)
        progress.note_right(lesson, key, given)
    elif given.strip():
        readable = "Not yet." if right is not None else "Please give a number, such as 0.25."
        states.state(readable, exercise.hint if right is not None else "")
    elif st.session_state.get(_CHECKED + key):
        states.state("Nothing is typed.", f"Type {_kind(exercise)}, then press Check.")
    if not right:
        if revealed:
            states.state(f"The answer is {exercise.answer_text}.", exercise.reason)
        else:
            st.button(
                "Show the answer",
                key=f"show-{key}",
                type="tertiary",
                on_click=_reveal,
                args=(key,),
                icon=":material/key:",
            )


def _options(exercise: Exercise) -> str:
    """Write the options as text; return an empty answer, since nobody answers in the lecture view."""
    if exercise.options:
        states.meaning(" · ".join(plain(option, 120) for option in exercise.options))
    return ""


def _box(key: str, exercise: Exercise) -> str:
    """Draw the input box or the options of an exercise; return the visitor's answer, empty if there is none.

    A right answer that the visitor gave earlier is filled in.
    """
    widget = f"answer-{key}"
    before = progress.answers().get(key, "")
    fresh = widget not in st.session_state or not (st.session_state[widget] or st.session_state.get(_CHECKED + key))
    if fresh and before and before in (exercise.options or (before,)):
        st.session_state[widget] = before
    if exercise.options:
        chosen = st.radio(
            "Your answer",
            exercise.options,
            index=None,
            format_func=lambda option: escape(option, 120),
            horizontal=True,
            label_visibility="collapsed",
            key=widget,
        )
        return chosen or ""
    with st.form(f"form-{key}", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        given = st.text_input("Your answer", key=widget, width=220, max_chars=LONGEST, placeholder=_kind(exercise))
        if st.form_submit_button("Check"):
            st.session_state[_CHECKED + key] = True
    return given


def _kind(exercise: Exercise) -> str:
    """Return what the visitor has to type: “a word” or “a number”."""
    return "a word" if isinstance(exercise.answer, str) else "a number"


def _reveal(key: str) -> None:
    st.session_state[_REVEALED + key] = True
