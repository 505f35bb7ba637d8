"""The contents of the course: each lesson with its question, its minutes, and a mark if it is done."""

import html
from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from pages._shared.app import states
from pages.learn.pattern import progress
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, go

IN_A_ROW = 3


def contents(groups: Mapping[str, Sequence[Lesson]], done: Collection[str]) -> None:
    """Draw the lessons of the group “First path” as cards, and all other lessons as lists.

    One button starts or continues the course.
    """
    states.meaning("Each lesson has one figure to move, its formula with the current numbers, and one question.")
    left = [one for group in groups.values() for one in group if one.name not in done]
    with st.container(horizontal=True, vertical_alignment="center"):
        if left:
            verb = "Continue" if done else "Start"
            st.button(
                f"{verb}: {left[0].title}",
                type="primary",
                icon=":material/play_arrow:",
                on_click=go,
                args=(left[0].name,),
            )
        st.page_link("learn/teach.py", label="For the teacher: plans and sheets", icon=":material/co_present:")
        if done:
            st.button("Clear progress", type="tertiary", icon=":material/restart_alt:", on_click=progress.clear)
    number = 1
    for title, lessons in groups.items():
        minutes = f"{sum(one.minutes for one in lessons)} minutes"
        first = title == FIRST_PATH
        states.panel(title, f"{minutes}, begin here" if first else f"{len(lessons)} lessons, {minutes}, in any order")
        for start in range(0, len(lessons), IN_A_ROW):
            columns = st.columns(IN_A_ROW, gap="medium")
            for column, one in zip(columns, lessons[start : start + IN_A_ROW], strict=False):
                with column:
                    (_card if first else _row)(one, number, done)
                number += 1
    states.note("Progress is kept in this browser only. No account is needed.")


def _card(one: Lesson, number: int, done: Collection[str]) -> None:
    """Draw a card for a lesson of `FIRST_PATH`, the group of lessons to begin with."""
    with st.container(border=True, height="stretch", key=f"lesson-card-{one.name}"):
        st.html(
            f'<div class="ev-card"><span class="ev-muted">{number} · {_small(one, done)}</span>'
            f'<h3>{html.escape(one.title)}</h3></div><p class="ev-plain">{html.escape(one.question)}</p>'
        )
        st.button("Open", key=f"open-{one.name}", on_click=go, args=(one.name,), help=one.title)


def _row(one: Lesson, number: int, done: Collection[str]) -> None:
    """Draw a lesson that is not in the group “First path”: a button with the title, and below it the question."""
    with st.container(gap=None, key=f"lesson-row-{one.name}"):
        st.button(
            f"**{number} · {one.title}**",
            type="tertiary",
            icon=":material/chevron_right:",
            icon_position="right",
            key=f"open-{one.name}",
            on_click=go,
            args=(one.name,),
        )
        st.html(f'<p class="ev-plain ev-muted">{_small(one, done)} · {html.escape(one.question)}</p>')


def _small(one: Lesson, done: Collection[str]) -> str:
    """Return a text: how many minutes a lesson takes, and a mark if the visitor has done the lesson."""
    return f"{one.minutes} minutes{' · done ✓' if one.name in done else ''}"
