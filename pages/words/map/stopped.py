"""A map whose run was stopped before its end: the note about it, and how the run goes on."""

import streamlit as st

from embedviz.core.phrases import lasting
from embedviz.projection.layout import UNTIL
from pages._shared.app import address, states
from pages._shared.map import maps, ready, requested, stopping
from pages._shared.results import work
from pages._shared.sources.current import View
from pages.words.map.drawn import DrawnMap

_HELP = "The run starts again at the first step and goes on to the last."


def go_to(view: View, drawn: DrawnMap, step: int = 0) -> None:
    """Choose the step of the optimization at which a map is drawn; 0 or the last step: the finished map.

    The step is written into the page's address. If the map at this step is not in memory, a job computes it.
    """
    question = drawn.making.what
    step = 0 if step >= stopping.step_of(question)[1] else step
    address.put(**{f"{question.value('method')}_{UNTIL.name}": str(step) if step else None})
    what = stopping.at_step(question, step)
    if ready.at_hand(what) is None:
        work.release(requested.SLOT)
        maps.ask(view, what, requested.SLOT)


def show(view: View, drawn: DrawnMap) -> None:
    """Write that the run of the map was stopped, and offer to go on."""
    run = drawn.projected.stopped
    if run is None or not drawn.making.ready:
        return
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="map-stopped"):
        with st.container(width="content"):
            states.note(f"Step {run.step:,} of {run.of:,}. {_cost(view, drawn)}")
        icon = ":material/play_arrow:"
        st.button("Run to the end", icon=icon, help=_HELP, key="map-continue", on_click=go_to, args=(view, drawn))


def unfinished(drawn: DrawnMap) -> str:
    """Return the note above a map whose run was stopped; empty for other maps."""
    run = drawn.projected.stopped
    return f"Unfinished map: step {run.step:,} of {run.of:,}." if run is not None else ""


def _cost(view: View, drawn: DrawnMap) -> str:
    """Return a sentence: how long the whole run takes; empty if the map at the end of the run is in memory."""
    whole = stopping.at_step(drawn.making.what, 0)
    if ready.at_hand(whole) is not None:
        return ""
    return f"The whole run takes {lasting(ready.estimated(view, whole).seconds)}, or longer beside other work."
