"""The contents of the course: each lesson with its question, its minutes, and a mark where it is done."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

import streamlit as st

from pages._shared.app import states
from pages.learn.pattern import progress
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, go

IN_A_ROW = 3


def contents(lessons: Sequence[Lesson], done: Collection[str]) -> None:
    """Draw the first path and the other lessons, with one button that starts or continues."""
    first = [one for one in lessons if one.path == FIRST_PATH]
    benches = [one for one in lessons if one.path != FIRST_PATH]
    states.meaning("Each lesson has one figure to move, its formula with the numbers of the moment, and one question.")
    left = [one for one in (*first, *benches) if one.name not in done]
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
    _section("First path", f"{sum(one.minutes for one in first)} minutes", first, done)
    if benches:
        _section("More lessons", "One subject each, in any order", benches, done)
    states.note("Progress is kept in this browser only. No account is needed.")


def _section(title: str, about: str, lessons: Sequence[Lesson], done: Collection[str]) -> None:
    """Draw the lessons of a path as cards, three in a row."""
    states.panel(title, about)
    for start in range(0, len(lessons), IN_A_ROW):
        columns = st.columns(IN_A_ROW, gap="medium")
        for place, one in enumerate(lessons[start : start + IN_A_ROW], start):
            with columns[place - start], st.container(border=True, height="stretch", key=f"lesson-card-{one.name}"):
                mark = " · done ✓" if one.name in done else ""
                small = html.escape(f"{place + 1} · {one.minutes} minutes{mark}")
                st.html(
                    f'<div class="ev-card"><span class="ev-muted">{small}</span><h3>{html.escape(one.title)}</h3></div>'
                    f'<p class="ev-plain">{html.escape(one.question)}</p>'
                )
                st.button("Open", key=f"open-{one.name}", on_click=go, args=(one.name,), help=one.title)
