"""The colors of a map: quick ones are computed in the run of the page; others by a job, with one color until then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.core.options import Method, OptionError
from embedviz.neighbors.lookup import PatternError
from embedviz.projection.coloring import Coloring
from pages._shared.app import states
from pages._shared.results import calls, work

if TYPE_CHECKING:
    from embedviz.projection import Projection
    from pages._shared.sources.current import View

_SLOT = "color"


@dataclass(frozen=True)
class Paint:
    """The coloring of a map or, if there is none, the reason as a sentence, or the task that computes the coloring.

    Attributes:
        measured: The measure of the map that the colors show; None if they show no such measure.
        unnamed: The coloring before the visitor named its classes.
    """

    color: Coloring | None = None
    problem: str = ""
    task: work.Task | None = None
    measured: Any = None
    unnamed: Coloring | None = None

    @property
    def meaning(self) -> str:
        """Return what the colors mean if they show a measure of the map; otherwise empty."""
        return "" if self.measured is None or self.color is None else str(self.measured.meaning_of(self.color.name))


def paint(question: Call, by: Method) -> Paint:
    """Return the colors of a map: the result of the call `question`, for the coloring `by`, a row of `COLORINGS`."""
    if not by.long:
        work.release(_SLOT)
        try:
            return Paint(calls.result(question))
        except (OptionError, LookupError) as error:
            return Paint(problem=str(error))
    task = calls.task(_SLOT, question, title="Coloring a map")
    if task.running:
        return Paint(task=task)
    return Paint(task.result) if task.result is not None else Paint(problem=task.sentence)


def paint_by_map(measuring: Call, question: Call, slot: str = _SLOT) -> Paint:
    """Return the colors of a map by a measure of this map, or the job that first computes the measure.

    The job is started here and runs the call `measuring`. Then the call `question` gives the colors. If the job fails,
    the result holds the reason. `slot` names the place of the job in the session.
    """
    task = calls.task(slot, measuring, title="Measuring a map")
    if task.running:
        return Paint(task=task)
    return Paint(problem=task.sentence) if task.result is None else Paint(calls.result(question), measured=task.result)


def same(first: Paint, drawn: Projection, projected: Projection) -> Paint:
    """Return the colors of the first map for a second map of the same words; no colors if the words differ."""
    return Paint(first.color, unnamed=first.unnamed) if list(drawn.words) == list(projected.words) else Paint()


class PatternHits(NamedTuple):
    """Positions on a map at which a pattern is found, and a sentence.

    The sentence says how many positions were found, or why the pattern cannot be read.
    """

    places: list[int]
    sentence: str


def matching(view: View, words: Call, pattern: str | None, count: int) -> PatternHits:
    """Return where a pattern is found among the `count` words of a map; empty without a pattern."""
    if not pattern:
        return PatternHits([], "")
    question = call("embedviz.neighbors.lookup:matching_rows", words.value("space"), words.part("rows"), pattern)
    try:
        places = [*map(int, calls.result(question))]
    except PatternError as error:
        return PatternHits([], str(error))
    where = "Searched: the words." if view.space.texts is None else "Searched: each text in full, and its key."
    found_in = f"{len(places):,} of the {count:,} {view.space.noun}s shown"
    return PatternHits(places, f"/{pattern}/ is found in {found_in}{', marked by squares' if places else ''}. {where}")


def waiting(pending: Paint, by: Method) -> None:
    """Show that the colors are being computed, and rerun the page when they are ready."""
    if pending.task is not None:
        with st.container(width="content", key="coloring"):
            work.watch(pending.task, lambda job: states.pill(f"Computing the colors: {by.title}. {work.step(job)}"))
