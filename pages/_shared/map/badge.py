"""The trust badge: what a map shows reliably, with the numbers behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import Call, ResultPart, call
from embedviz.core.phrases import number, share
from embedviz.figures.quality import noise_figure
from embedviz.projection import PROJECTIONS, quality
from embedviz.projection.quality import Checked
from embedviz.projection.quality.copied import COMPARING
from pages._shared.app import states
from pages._shared.map import behind
from pages._shared.map.questions import map_arguments, words_of
from pages._shared.map.reading import line as line
from pages._shared.map.reading import lines as lines
from pages._shared.map.reading import meaning as meaning
from pages._shared.map.reading import pill, unbroken
from pages._shared.map.reasons import reasons
from pages._shared.output import figure
from pages._shared.results import calls, work

if TYPE_CHECKING:
    from embedviz.core.space import Float
    from embedviz.figures.theme import Theme
    from embedviz.projection import Projection
    from pages._shared.sources.current import View

QUICK = 5.0
"""A check that takes more than these seconds counts as long work, and can be cancelled beside the badge."""
_MADE, _MOST_MADE = "badge:made", 8
_WORST, _NOISE = "badge-worst", "badge-noise"


def check(what: Call, rows: ResultPart | None = None, points: ResultPart | None = None) -> Call:
    """Return the call that checks a map.

    Args:
        rows, points: The rows and the points of the map, as parts of another result; if None, those of the map `what`.
    """
    space, own, method, options = map_arguments(what)
    points = points or what.part("points")
    return call("embedviz.projection.quality:check", space, rows or own, method, options, points=points)


def measured(view: View, question: Call, projected: Projection, slot: str = "badge") -> work.Task:
    """Start the job that checks a map, unless its slot has this job already, and return the task."""
    options = dict(question.value("options").items)
    cost = quality.estimate(len(projected.rows), view.space.dimensions, question.value("method"), options)
    return calls.task(slot, question, long=cost.seconds > QUICK, title="Checking what a map keeps")


def badge(
    task: work.Task | None, what: Call, theme: Theme, *, short: bool = False, checking: Call | None = None
) -> None:
    """Draw the badge of the map `what`, with less text if `short`; a click opens the numbers behind the badge.

    Args:
        task: The task of the check; None while the map is computed.
        checking: The call of the check, for the Shepard diagram; if None, the diagram is not offered.
    """
    if task is None:
        with st.container(width="content"):
            states.pill("○ ○ ○ Not checked while it moves")
        return
    checked: Checked | None = task.result
    if checked is not None:
        words = pill(checked, short=short)
        with st.container(key="badge", width="content"), st.popover(words, key="badge-more", width="content"):
            title = PROJECTIONS[what.value("method")].title
            explained = dict(st.session_state.get(states.TERMS, {}))
            _numbers(checked, _compared(checked, title, words_of(what)), theme, short=short)
            behind.diagram(checking, theme)
            st.session_state[states.TERMS] = explained  # so that the page explains a term even if the popover did
            st.toggle("Mark the points that lost most neighbors", key=_WORST)
    elif task.running:
        work.watch(task, lambda job: _checking(task, work.step(job)))
    else:
        states.pill(f"Not checked: {task.sentence}")
        if not task.lasting:
            st.button("Check it", key="badge-again", type="tertiary", on_click=work.again, args=(task.slot,))


def _checking(task: work.Task, message: str) -> None:
    """Draw the progress of the check (`message` if it compares copies), and a button to cancel it if it is long."""
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="badge-checking"):
        states.pill(f"○ ○ ○ {unbroken(message) if message.startswith(COMPARING) else 'Checking this map …'}")
        if task.job is not None and task.job.long and st.button("Cancel", key="badge-stop", type="tertiary"):
            work.stop(task)
            st.rerun()


def noise(checked: Checked | None, points: Float, theme: Theme, *, phone: bool = False) -> None:
    """Draw the map of a structureless copy (random data) next to this map, if the visitor chose to see it."""
    if checked is None or not st.session_state.get(_NOISE):
        return
    figure.plotly(noise_figure(points, checked.copies.points, theme, phone=phone), "badge-noise-maps", lecture=False)
    states.note(
        "The structureless copy is a Gaussian cloud with the mean and covariance of these rows.",
        f"Its map keeps {share(checked.neighbors_in_copies)} of the {checked.quality.k} nearest.",
        "The method alone makes the patches in it.",
    )


def _compared(checked: Checked, title: str, words: Call) -> dict[str, Checked]:
    """Return, by title, this map's check and the checks of all maps that this visitor has made of the same words."""
    made: dict[Call, dict[str, Checked]] = st.session_state.setdefault(_MADE, {})
    if words not in made and len(made) >= _MOST_MADE:
        del made[next(iter(made))]
    made.setdefault(words, {})[title] = checked
    return {title: checked, **made[words]}


def _numbers(checked: Checked, maps: dict[str, Checked], theme: Theme, *, short: bool) -> None:
    st.html(reasons(checked))
    found = checked.quality
    rows = [
        (
            title,
            *("● yes" if each.given else "○ no" if one.judged else "not judged" for each in one.permissions),
            f"{share(one.quality.neighbor_preservation)} ({share(one.neighbors_in_copies)})",
        )
        for title, one in maps.items()
    ]
    kept_column = f"{found.k} kept (copies)"
    states.table(("map", "neighbors", "groups", "long distances", kept_column), rows, texts=(1, 2, 3))
    behind.curve(checked, theme, phone=short)
    st.toggle("Show the map of a structureless copy", key=_NOISE)
    ranks = {"trustworthiness": found.trustworthiness, "continuity": found.continuity}
    chance = number(found.rank_chance)
    states.table(("", "here", "random layout"), [(name, number(one), chance) for name, one in ranks.items()], strong=1)
    margin = f" (±{100 * found.margin:.2g} points)" if found.margin else ""
    states.details(
        f"Neighbors by {'cosine' if found.metric == 'cosine' else 'Euclidean distance'} among the {found.shown:,}",
        f"points shown, measured from {found.sample:,} of them{margin}.",
        f"{checked.copies.count} structureless copies, Gaussian clouds with the same mean and covariance; seed",
        f"{checked.looked.seed}. In 95\u00a0% of cases, no tested value of one more copy is above the band.",
        f"Long distances: {found.triplets:,} random triplets.",
        "A dot is filled if two conditions hold: the map is above the band, and it exceeds the mean of the copies by",
        "0.1 on a scale from 0 (random layout) to 1 (perfect map). If copies keep much, groups must exceed it by more.",
        "Neighbors and long distances also get a filled dot from 90\u00a0% on.",
    )


def worst_marked() -> bool:
    """Return whether the switch that marks the points with the most lost neighbors is on."""
    return bool(st.session_state.get(_WORST))
