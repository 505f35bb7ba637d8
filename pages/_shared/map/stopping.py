"""The run that draws a map step by step: its frames for a slider, and the map of a run that was stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz import projection
from embedviz.projection.layout import UNTIL
from pages._shared.map import questions
from pages._shared.map.questions import options_of, sampled, words_of
from pages._shared.map.ready import row_of
from pages._shared.results import calls

if TYPE_CHECKING:
    from embedviz import jobs
    from embedviz.core.call import Call
    from pages._shared.map.requested import RequestedMap
    from pages._shared.sources.current import View

_HELP = "Cancel the run and keep the points as they are now. The map says at which step it was stopped."


def run_of(what: Call) -> str:
    """Return the name of the run that draws a map, the same at each of its steps; empty if the method has no steps."""
    if row_of(what).steps is None:
        return ""
    return calls.key_of(at_step(what, 0))


def at_step(what: Call, step: int) -> Call:
    """Return the call of the map `what` whose iterations stop at this step; 0 means that all steps are done."""
    return questions.drawn(words_of(what), what.value("method"), {**options_of(what), UNTIL.name: step})


def step_of(what: Call) -> tuple[int, int]:
    """Return the step at which a map's run ends, and the number of steps of the whole run; (0, 0) without steps."""
    row, n, options = row_of(what), len(sampled(words_of(what)).rows), options_of(what)
    whole = row.steps(n, options) if row.steps is not None else 0
    stopped = row.stopped(n, options)
    return (whole if stopped is None else stopped.step), whole


def after(drawn: Call, what: Call) -> int:
    """Return the step from which the run of `what` continues: that of `drawn`, if both maps are of one run, else 0."""
    return step_of(drawn)[0] if run_of(what) and run_of(drawn) == run_of(what) else 0


def run(making: RequestedMap) -> dict[str, Any] | None:
    """Return the optimization run that draws the map, as a message to the browser's slider.

    The message has the name of the run, the drawn step, and the number of steps. The drawn step is 0 while points
    stream in. The message also has the step from which the job continues. The result is None if the method has no
    steps.
    """
    name = run_of(making.drawn)
    if not name:
        return None
    step, whole = step_of(making.drawn)
    return {"name": name, "at": 0 if making.stream else step, "of": whole, "after": making.after}


def keep(view: View, making: RequestedMap, job: jobs.Job) -> int:
    """Store the last points of a job as a map, and return the step of these points; 0 if the job has sent no points."""
    arrays = job.arrays
    if "points" not in arrays or not int(arrays["step"][0]):
        return 0
    step = int(arrays["step"][0])
    stopped = at_step(making.what, step)
    rows, options = sampled(words_of(stopped)).rows, options_of(stopped)
    method = stopped.value("method")
    calls.keep(stopped, projection.on_the_way(view.space, rows, method, options, arrays["points"]))
    return step


def button(view: View, making: RequestedMap, job: jobs.Job, chosen: Callable[[int], None]) -> None:
    """Draw a button that stops a run and keeps its points; nothing if the job reports no steps.

    Args:
        chosen: Called with the step at which the run was stopped, before the page runs again.
    """
    if "step" not in job.arrays:
        return
    if st.button("Stop and keep", key=f"keep-{making.slot}", help=_HELP) and (step := keep(view, making, job)):
        chosen(step)
        st.rerun()
