"""Sheets to print: one for each lesson, and one for the class with the address and its QR code."""

from __future__ import annotations

import html
from urllib.parse import urlencode

import streamlit as st

from pages._shared.app import states
from pages._shared.app.network import NetworkAddress
from pages.learn.pattern.lesson import Lesson
from pages.learn.pattern.plans import LessonPlan

_PRINTED = """<style>
@media print {
  [data-testid="stSidebar"], [data-testid="stHeader"], .st-key-head, .ev-note,
  .st-key-teach-controls {display: none !important}
  .stMainBlockContainer {padding: 0 !important}
}
.ev-sheet {max-width: 44rem} .ev-sheet p, .ev-sheet li {margin: .5rem 0; overflow-wrap: anywhere}
.ev-lines {border-bottom: 1px solid var(--ev-muted); height: 2.25rem}
.ev-qr {background: #fff; display: inline-block; padding: 8px} .ev-qr svg {display: block}
</style>"""


def begin() -> None:
    """Put the styles of a printed sheet on the page."""
    st.html(_PRINTED)


def url(place: NetworkAddress, lesson: str = "") -> str:
    """Return the address of a lesson, or of the contents, for others."""
    return f"{place.url}/learn" + (f"?{urlencode({'lesson': lesson})}" if lesson else "")


def class_sheet(place: NetworkAddress | None) -> None:
    """Draw the address of the course with its QR code, or say what is missing."""
    if place is None:
        states.state("This computer has no network.", "Connect it, then reload this page.")
        return
    if not place.open:
        states.state(
            "Only this computer can open the app.",
            "Start it with: .venv/bin/streamlit run app.py --server.address 0.0.0.0. Its address is then:",
        )
    _qr(url(place))


def lesson_sheet(place: NetworkAddress | None, lesson: Lesson, plan: LessonPlan) -> None:
    """Draw the sheet of a lesson: question, steps, questions to answer in writing."""
    steps = "".join(f"<li>{html.escape(step.text)}</li>" for step in plan.steps)
    asked = "".join(f'<p>{html.escape(one)}</p><div class="ev-lines"></div>' for one in plan.ask)
    st.html(
        f'<div class="ev-sheet"><h2>{html.escape(lesson.title)}</h2><p><b>{html.escape(lesson.question)}</b></p>'
        f"<ol>{steps}</ol>{asked}<p>My answer to the question of the lesson, and why:</p>"
        '<div class="ev-lines"></div><div class="ev-lines"></div></div>'
    )
    if place is not None and place.open:
        _qr(url(place, lesson.name))


def _qr(text: str) -> None:
    """Draw an address and its QR code."""
    import segno

    code = segno.make(text, error="m", micro=False).svg_inline(scale=5)
    inside = f'<div class="ev-qr" role="img" aria-label="QR code of {html.escape(text)}">{code}</div>'
    st.markdown(f"<p><b>{html.escape(text)}</b></p>{inside}", unsafe_allow_html=True)
