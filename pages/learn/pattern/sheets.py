"""Sheets to print: one for each lesson, and one for the class with the address and its QR code."""

import html
from urllib.parse import urlencode

import streamlit as st

from pages._shared.app import states
from pages._shared.app.network import NetworkAddress
from pages.learn.pattern import printing
from pages.learn.pattern.lesson import Lesson
from pages.learn.pattern.plan import LessonPlan

_PRINTED = """<style>
@page {margin: 16mm}
@media print {
  [data-testid="stSidebar"], [data-testid="stHeader"], .st-key-head, .st-key-teach-hints, [data-testid="stButton"],
  .st-key-teach-controls {display: none !important}
  html, body, .stApp, .stApp * {background-color: #fff !important; color: #000 !important}
  .stMainBlockContainer {padding: 0 !important}
  [class*="st-key-teach-plan-"], .ev-sheet p, .ev-address {break-inside: avoid}
  :has(> [class*="st-key-teach-sheet-"]) ~ :has(> [class*="st-key-teach-sheet-"]) {break-before: page}
}
.ev-sheet {max-width: 44rem} .ev-sheet p, .ev-sheet li {margin: .5rem 0; overflow-wrap: anywhere}
.ev-group {font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere}
.ev-lines {border-bottom: 1px solid currentColor; height: 2.25rem}
.ev-address {display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; max-width: 44rem}
.ev-qr {background: #fff; display: inline-block; padding: 8px} .ev-qr svg {display: block}
.ev-url {font-size: 1.25rem; font-weight: 600; margin: 0; overflow-wrap: anywhere} .ev-class .ev-url {font-size: 2rem}
</style>"""


TASKS = {
    "what": (
        "Choose guitar, and move the slider. Each bar is one number of its row.",
        "Choose piano. Does any single bar say “music”?",
        "Read the formula, and answer the question under the figure.",
    ),
    "near": (
        "Choose piano and violin. Read the three formulas.",
        "Drag the tip of b outward in its own direction. Which of the three values stays?",
        "Choose hot and cold. How large is their cosine?",
    ),
    "arithmetic": (
        "Choose king − man + woman. Find the ring of the sum and the blue dot of the answer.",
        "Which word is nearest if the words of the formula may be answers too?",
        "Type a formula of your own. Open Details: by how many places does it raise its answer?",
    ),
    "learning": (
        "Move the slider to epoch 0. The places are random.",
        "Move it to the right in steps. Watch king, queen, bank and paris.",
        "Find the epoch at which, on average, half of the final neighbors are there.",
    ),
    "senses": (
        "Choose bank and layer 0. Are the two senses apart?",
        "Move the layer up. From which layer on are they apart?",
        "Open Details: what share do the words around bank give by themselves? How close do they come?",
    ),
    "trust": (
        "Compare the map with its copy. Which islands would you trust?",
        "Choose PCA. Compare the shares of neighbors that the map and its copies keep.",
        "Does the map pass the rule for neighbors in the question under the figure?",
    ),
}
"""Tasks on the student sheet of each lesson, one for each step of its plan."""


def begin() -> None:
    """Put the styles of a printed sheet on the page."""
    st.html(_PRINTED)


def hints(place: NetworkAddress | None) -> None:
    """Draw the print button. If students cannot open the address yet, explain what to do. None of this is printed."""
    with st.container(key="teach-hints"):
        if place is None:
            states.state(
                "This computer has no network.", "Connect it, then reload this page: the sheets get its address."
            )
        elif not place.open:
            states.note(
                "Only this computer can open the app now. For a class, type “make serve” in a terminal, in the folder "
                "of embedviz: then the address below works."
            )
        printing.button()


def url(place: NetworkAddress, lesson: str = "") -> str:
    """Return the address for other computers in the network. It opens the lesson or, without one, the contents."""
    return f"{place.url}/learn" + (f"?{urlencode({'lesson': lesson})}" if lesson else "")


def class_sheet(place: NetworkAddress | None, group: str) -> None:
    """Draw the address of the course and its QR code, both large."""
    head = html.escape(group) or "Our course on embeddings"
    st.html(f'<div class="ev-sheet"><h2>{head}</h2><p>Open this address, or scan the code.</p></div>')
    if place is not None:
        _address(url(place), large=True)


def lesson_sheet(place: NetworkAddress | None, lesson: Lesson, plan: LessonPlan, group: str) -> None:
    """Draw the sheet of a lesson: web address, question, steps, questions to answer in writing.

    Args:
        place: The address of the program in the network; None to leave the web address out.
        group: Name of the class or course; empty for none.
    """
    lines = '<div class="ev-lines"></div>' * 2
    steps = "".join(f"<li>{html.escape(task)}</li>" for task in TASKS[lesson.name])
    questions = "".join(f"<p>{html.escape(one)}</p>{lines}" for one, _ in plan.ask)
    course = f'<p class="ev-group">{html.escape(group)}</p>' if group else ""
    with st.container(key=f"teach-sheet-{lesson.name}"):
        st.html(
            f'<div class="ev-sheet">{course}<h2>{html.escape(lesson.title)}</h2>'
            f"<p><b>{html.escape(lesson.question)}</b></p></div>"
        )
        if place is not None:
            _address(url(place, lesson.name))
        st.html(
            f'<div class="ev-sheet"><ol>{steps}</ol>{questions}'
            f"<p>My answer to “{html.escape(lesson.question)}”, and why:</p>{lines}{lines}</div>"
        )


def _address(text: str, *, large: bool = False) -> None:
    """Draw an address and its QR code."""
    import segno

    code = segno.make(text, error="m", micro=False).svg_inline(scale=10 if large else 3)
    inside = f'<div class="ev-qr" role="img" aria-label="QR code of {html.escape(text)}">{code}</div>'
    label = f'<p class="ev-url">{html.escape(text)}</p>'
    kind = "ev-class" if large else "ev-one"
    st.markdown(f'<div class="ev-address {kind}">{label}{inside}</div>', unsafe_allow_html=True)
