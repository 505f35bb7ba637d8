"""The map that was asked for: made at once where that takes no time, else by a job, with a map to look at meanwhile."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from embedviz import jobs, projection
from embedviz.projection import quality
from pages._shared.app import address, frames, states
from pages._shared.results import cache, work

if TYPE_CHECKING:
    from pages._shared.sources.current import View

AT_ONCE = 1.0
"""Seconds that a map may take in the server itself."""
UNASKED = 15.0
"""Seconds that a job may take which nobody has asked for but by choosing it."""
SLOT = "map"
_FUNCTION = "embedviz.projection:lay_out"
_SEEN = "maps:seen"
_ON_THE_WAY = "The words are finding their places. Read nothing from this map until it rests."


@dataclass(frozen=True)
class Making:
    """A map that was asked for.

    Attributes:
        what: Which.
        estimate: What it costs.
        seen: The map to draw: the one asked for, or another of the same space until it is there, or None.
        drawn: What `seen` is a map of.
        task: The job that makes it; None where it is there, or not begun.
        stream: Where the words shown are those of the job, and follow it: what `scatter.mount` takes.
    """

    what: cache.Drawn
    estimate: projection.Estimate
    seen: projection.Projection | None
    drawn: cache.Drawn
    task: work.Task | None = None
    stream: str | None = None

    @property
    def ready(self) -> bool:
        """Whether the map to draw is the one that was asked for."""
        return self.seen is not None and self.drawn == self.what and self.stream is None


def make(view: View, what: cache.Drawn) -> Making:
    """The map asked for; begins the job that makes it, where it takes one and is short, or was asked for by a click."""
    estimate = _estimate(view, what)
    ready = _ready(what, estimate)
    task = None
    if ready is None and (estimate.seconds <= UNASKED or _begun(what)):
        task = begin(view, what)
        if (layout := task.result) is not None:
            rows, options = cache.sample(what.shown).rows, json.loads(what.options)
            ready = cache.mapped.put((what,), projection.placed(view.space, rows, what.method, options, layout))
    if task is None or ready is not None:
        work.release(SLOT)
        task = None
    if ready is not None:
        st.session_state[_SEEN] = what
        return Making(what, estimate, ready, what)
    job = task.job if task is not None and task.running else None
    seen, drawn = _meanwhile(view, what, moving=job is not None)
    if job is None or seen is None or not _moves(drawn, what):
        return Making(what, estimate, seen, drawn, task)
    parameters = json.loads(what.options)
    start = replace(seen, method=what.method, parameters=parameters, axes=(), meaning=_ON_THE_WAY)
    return Making(what, estimate, start, what, task, frames.token(job))


def begin(view: View, what: cache.Drawn) -> work.Task:
    """The job that makes a map, begun or found."""
    rows = cache.sample(what.shown).rows
    return work.run(
        SLOT,
        _FUNCTION,
        view.space,
        rows,
        what.method,
        key=str(what),
        private=view.recipe.private,
        long=_estimate(view, what).seconds > UNASKED,
        **json.loads(what.options),
    )


def show(view: View, making: Making) -> None:
    """How far the map is, with a way to stop; or what it will take, with a way to begin."""
    if making.ready:
        return
    title = projection.PROJECTIONS[making.what.method].title
    words = f"{len(cache.sample(making.what.shown).rows):,} {view.space.noun}s by {title}"
    if making.task is not None and making.task.running:
        work.row(making.task, f"Placing {words}.")
        return
    why = making.task.sentence if making.task is not None else ""
    with st.container(horizontal=True, vertical_alignment="center", key="map-cost"):
        with st.container():
            states.step(f"{words}: {_cost(view, making)} {why}", None)
        st.button("Draw it", type="primary", key="draw", on_click=_ask, args=(view, making.what))


def _cost(view: View, making: Making) -> str:
    """What the map takes on this machine, and then its check."""
    what = making.what
    n = len(cache.sample(what.shown).rows)
    check = quality.estimate(n, view.space.dimensions, what.method, json.loads(what.options))
    return f"{making.estimate.sentence.rstrip('.').lower()}, then {check.sentence}."


def _ask(view: View, what: cache.Drawn) -> None:
    """Begins a job by a click; its id goes into the address, so that a reload finds it."""
    work.again(SLOT)
    task = begin(view, what)
    address.put(job=task.job.id if task.job else None)


def _begun(what: cache.Drawn) -> bool:
    """Whether the address names a job that makes this map, or this visitor has asked for it."""
    job = jobs.find(address.get("job")) if address.get("job") else None
    known = job is not None and job.key == str(what) and job.state != "cancelled"
    return known or work.holds(SLOT, (_FUNCTION, str(what)))


def _estimate(view: View, what: cache.Drawn) -> projection.Estimate:
    rows = cache.sample(what.shown).rows
    return projection.estimate(len(rows), view.space.dimensions, what.method, json.loads(what.options))


def _ready(what: cache.Drawn, estimate: projection.Estimate) -> projection.Projection | None:
    """A map that can be had at once, or None."""
    at_once = estimate.seconds <= AT_ONCE and not projection.PROJECTIONS[what.method].long
    return cache.mapped(what) if at_once else cache.mapped.get(what)


def _meanwhile(view: View, what: cache.Drawn, *, moving: bool) -> tuple[projection.Projection | None, cache.Drawn]:
    """The last map of this visitor, where it shows this space; else PCA of the same words, if that is quick.

    One that moves into the map asked for must show its words: there PCA comes first where the last map does not.
    """
    other = cache.drawn(what.shown, "pca", {"components": json.loads(what.options)["components"]})
    seen: cache.Drawn | None = st.session_state.get(_SEEN)
    candidates = [other]
    if seen is not None and seen.shown.key == what.shown.key:
        candidates.insert(1 if moving and not _alike(seen, what) else 0, seen)
    for candidate in candidates:
        shown = _ready(candidate, _estimate(view, candidate))
        if shown is not None:
            return shown, candidate
    return None, other


def _alike(one: cache.Drawn, other: cache.Drawn) -> bool:
    """Whether two maps show the same words in as many dimensions."""
    components = [json.loads(each.options)["components"] for each in (one, other)]
    return one.shown == other.shown and components[0] == components[1]


def _moves(drawn: cache.Drawn, what: cache.Drawn) -> bool:
    """Whether one map can move into another that its job tells of."""
    return projection.PROJECTIONS[what.method].free and _alike(drawn, what)
