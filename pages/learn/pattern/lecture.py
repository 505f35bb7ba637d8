"""The lecture view of a lesson: figure and formula next to the text, as large as the window allows."""

import streamlit as st

from pages._shared.app import presenting
from pages._shared.app.component import component

_mount = component(__file__)
_STYLE = """<style>
.st-key-lesson.stVerticalBlock.stVerticalBlock.stVerticalBlock
  {height: auto !important; min-height: 0; zoom: var(--ev-lecture, 1.3); padding-top: .25rem}
.st-key-lesson [data-testid="stPlotlyChart"] {zoom: calc(1 / var(--ev-lecture, 1.3))}
.st-key-lesson.stVerticalBlock.stVerticalBlock, .st-key-lesson [data-testid="stVerticalBlock"] {gap: .5rem}
.st-key-lesson .katex-display.katex-display {margin: .5rem 0}
.st-key-lesson .ev-meaning.ev-meaning, .st-key-lesson .ev-plain {font-size: 1rem}
.st-key-lesson-fit {display: none}
</style>"""


def stage() -> None:
    """Hide all but the lesson, and fit it into the window."""
    presenting.stage("lesson")
    st.html(_STYLE)
    with st.container(key="lesson-fit"):
        _mount(key="lesson-fit-script", data={})
