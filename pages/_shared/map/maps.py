"""The map of a page: computed in the server if that is quick, else by a job, while another map is shown."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from embedviz import jobs, projection
from embedviz.core.call import Call
from embedviz.projection import quality
from embedviz.projection.sampling import FEWEST
from pages._shared.app import address, frames, states
from pages._shared.map import meanwhile, stopping
from pages._shared.map.questions import options_of, sampled, words_of
from pages._shared.map.ready import estimated, quick_map, row_of
from pages._shared.map.requested import SECOND, SLOT, RequestedMap
from pages._shared.results import calls, work
from pages._shared.sources.current import View

UNASKED = 15.0
"""A job that takes at most this many seconds starts without a click on a button."""
_JOB = {SLOT: "job", SECOND: "beside_job"}
_LAYOUT = "embedviz.projection:lay_out"
_ON_THE_WAY = "The points still move. Read the map when they have stopped."


def make(view: View, what: Call, slot: str = SLOT) -> RequestedMap:
    """Return the map; until it is ready, return the job that computes it and another map to draw meanwhile.

    A job of at most `UNASKED` seconds is started at once, a longer one only after a click. `slot` is the place of the
    map on the page.
    """
    estimate = estimated(view, what)
    ready = quick_map(what, estimate)
    task = None
    if ready is None and (estimate.seconds <= UNASKED or _begun(what, slot)):
        task = begin(view, what, slot)
        if (layout := task.result) is not None:
            rows, options = sampled(words_of(what)).rows, options_of(what)
            ready = calls.keep(what, projection.placed(view.space, rows, what.value("method"), options, layout))
    if task is None or ready is not None:
        work.release(slot)
        task = None
    if ready is not None:
        meanwhile.remember(what, slot)
        return RequestedMap(what, estimate, ready, what, slot=slot)
    job = task.job if task is not None and task.running else None
    seen, drawn = meanwhile.another(view, what, slot, moving=job is not None)
    if job is None or seen is None or not meanwhile.moves(drawn, what):
        return RequestedMap(what, estimate, seen, drawn, task, slot=slot)
    start = replace(seen, method=what.value("method"), parameters=options_of(what), axes=(), meaning=_ON_THE_WAY)
    return RequestedMap(what, estimate, start, what, task, frames.token(job), slot, stopping.after(drawn, what))


def begin(view: View, what: Call, slot: str = SLOT) -> work.Task:
    """Return the task that makes a map. Its job is started unless the slot already has a job for this map."""
    return calls.task(slot, what.asking(_LAYOUT), long=estimated(view, what).seconds > UNASKED)


def show(view: View, making: RequestedMap, keep: Callable[[int], None] | None = None) -> None:
    """Draw the progress of the map and a button to cancel it; before the job starts, its cost and a button to start it.

    Args:
        keep: Called with the step at which the visitor stops the job to keep its points. If None, the visitor can
            only cancel the job.
    """
    if making.ready:
        return
    title, count = row_of(making.what).title, len(sampled(words_of(making.what)).rows)
    if count < FEWEST:
        states.step(f"A map needs three {view.space.noun}s or more, not {count}.", None)
        return
    words = f"{count:,} {view.space.noun}s by {title}"
    if making.task is not None and making.task.running:
        also = None if keep is None else partial(stopping.button, view, making, chosen=keep)
        work.row(making.task, f"Placing {words}.", also)
        return
    why = making.task.sentence if making.task is not None else ""
    with st.container(horizontal=True, vertical_alignment="center", key=f"{making.slot}-cost"):
        with st.container():
            states.step(f"{words}: {_cost(view, making)} {why}", None)
        key = "draw" if making.slot == SLOT else f"draw-{making.slot}"
        st.button("Draw it", type="primary", key=key, on_click=ask, args=(view, making.what, making.slot))


def _cost(view: View, making: RequestedMap) -> str:
    """Return a sentence on the time that the map, and then the check of its quality, take on this computer."""
    what = making.what
    n = len(sampled(words_of(what)).rows)
    check = quality.estimate(n, view.space.dimensions, what.value("method"), options_of(what))
    return f"{making.estimate.sentence.rstrip('.').lower()}, then {check.sentence}."


def ask(view: View, what: Call, slot: str) -> None:
    """Start the job that computes a map, and put the job's id into the address of the page.

    After a reload, the page finds the job by this id.

    Args:
        slot: Key of the map among the session's jobs; a page may draw two maps, each with a job of its own.
    """
    work.again(slot)
    task = begin(view, what, slot)
    address.put(**{_JOB[slot]: task.job.id if task.job else None})


def _begun(what: Call, slot: str) -> bool:
    """Return whether a job for this map was started.

    This is so if the page's address names such a job that was not cancelled, or if the slot already has the map's job.
    """
    job = jobs.find(address.get(_JOB[slot])) if address.get(_JOB[slot]) else None
    layout = what.asking(_LAYOUT)
    known = job is not None and job.key == calls.key_of(layout) and job.state != "cancelled"
    return known or calls.holds(slot, layout)
