"""The trust badge: what may be read from a map, and the numbers that say so."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.call import Call, Part, call
from embedviz.core.phrases import number, share
from embedviz.figures.quality import curve_figure, noise_figure
from embedviz.projection import PROJECTIONS, quality
from embedviz.projection.quality import Checked, Permission
from pages._shared.app import states
from pages._shared.map.questions import options_of, words_of
from pages._shared.output import figure
from pages._shared.results import calls, work

if TYPE_CHECKING:
    from embedviz.core.space import Float
    from embedviz.figures.theme import Theme
    from embedviz.projection import Projection
    from pages._shared.sources.current import View

NOTHING, LITTLE = "Nothing beyond a Gaussian cloud", "Little beyond a Gaussian cloud"
QUICK = 5.0
"""Seconds from which a check takes a place of long work, and can be cancelled beside its badge."""
_MADE = "badge:made"
_MOST_MADE = 8
_WORST, _NOISE = "badge-worst", "badge-noise"
_SPEAKS_OF = {
    "neighbors": "which points lie next to each other",
    "groups": "which points form a group",
    "outline": "which regions lie far apart",
}


def check(what: Call, rows: Part | None = None, points: Part | None = None) -> Call:
    """Return the call that checks a map.

    Args:
        rows, points: Where they are parts of another result than the map's own.
    """
    method, options = what.value("method"), options_of(what)
    return call(
        "embedviz.projection.quality:check",
        what.value("space"),
        rows or what.value("rows"),
        method,
        {option.name: options[option.name] for option in PROJECTIONS[method].options if option.name in options},
        points=points or what.part("points"),
    )


def measured(view: View, asked: Call, shown: Projection) -> work.Task:
    """Return the task of a check."""
    options = dict(asked.value("options").items)
    cost = quality.estimate(len(shown.rows), view.space.dimensions, asked.value("method"), options)
    return calls.task("badge", asked, long=cost.seconds > QUICK, title="Checking what a map keeps")


def badge(task: work.Task | None, what: Call, theme: Theme, *, short: bool = False) -> None:
    """Draw the pill above the map: the permissions when they are known, "checking" until then; opens to the numbers.

    Args:
        task: That checks the map; None while the map is being made.
    """
    if task is None:
        with st.container(width="content"):
            states.pill("○ ○ ○ Moving: checked when it rests")
        return
    checked: Checked | None = task.result
    if checked is not None:
        with st.container(key="badge", width="content"), st.popover(_pill(checked, short=short), width="content"):
            title = PROJECTIONS[what.value("method")].title
            _numbers(checked, _compared(checked, title, words_of(what)), theme, short=short)
            st.toggle("Mark the worst-placed points with squares", key=_WORST)
    elif task.running:
        work.watch(task, lambda job: _checking(task, work.step(job)))
    else:
        states.pill(f"Not checked: {task.sentence}")
        if not task.lasting:
            st.button("Check it", key="badge-again", type="tertiary", on_click=work.again, args=(task.slot,))


def _checking(task: work.Task, message: str) -> None:
    """Draw how far the check is, with a way to end it where it takes long."""
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="badge-checking"):
        copies = f" {message.removesuffix('.')}" if message.startswith("Struct") else ""
        states.pill(f"○ ○ ○ Checking what this map keeps …{copies}")
        if task.job is not None and task.job.long and st.button("Cancel", key="badge-stop", type="tertiary"):
            work.stop(task)
            st.rerun()


def noise(checked: Checked | None, points: Float, theme: Theme, *, phone: bool = False) -> None:
    """Draw the map of a structureless copy beside this one, where the visitor asked for it."""
    if checked is None or not st.session_state.get(_NOISE):
        return
    figure.plotly(noise_figure(points, checked.copies.points, theme, phone=phone), "badge-noise-maps")
    states.note(
        "The copy is a Gaussian cloud with the mean and covariance of these rows, and no other structure.",
        f"It keeps {share(checked.neighbors_in_copies)} of the {checked.quality.k} nearest.",
        "Patches that you see in it are made by the method.",
    )


def allowed(checked: Checked, method: str) -> str:
    """Return what may be read from a map by this method: where axes mean something, the place along them always may."""
    along = [] if PROJECTIONS[method].free else ["how far a point lies along each axis, which is exact"]
    return ", ".join([*along, *_spoken(checked, given=True)]) or "nothing but single labels"


def forbidden(checked: Checked, method: str) -> str:
    """Return what may not be read from it."""
    return ", ".join([*_spoken(checked, given=False), "the size of patches and gaps"])


def _spoken(checked: Checked, *, given: bool) -> list[str]:
    return [_SPEAKS_OF[name] for name, each in checked.permissions._asdict().items() if each.given == given]


def lines(checked: Checked | None, method: str) -> dict[str, str]:
    """Return the badge, and what may and may not be read, as they stand on an exported picture."""
    if checked is None:
        return {"badge": line(None)}
    reading = f"Read: {allowed(checked, method)}. Do not read: {forbidden(checked, method)}."
    return {"badge": line(checked), "reading": reading}


def meaning(text: str, checked: Checked | None, method: str) -> str:
    """Return what a map means; of a map whose axes mean nothing also what it keeps, once that is known."""
    if checked is None or not PROJECTIONS[method].free:
        return text
    kept, copied = share(checked.quality.neighbor_preservation), share(checked.neighbors_in_copies)
    k = checked.quality.k
    said = f"Of the {k} nearest in the space, {kept} are among the {k} nearest here; in structureless copies {copied}."
    return f"{said} {text}"


def line(checked: Checked | None) -> str:
    """Return the badge in words, as it stands on an exported picture."""
    return "not checked yet" if checked is None else _pill(checked).replace("**", "")


def _pill(checked: Checked, *, short: bool = False) -> str:
    """Return three labelled dots and the share kept beside that of the copies."""
    named = checked.permissions._asdict().items()
    dots = "\u2002".join(f"● **{name.title()}**" if each.given else f"○ {name.title()}" for name, each in named)
    kept, copied = share(checked.quality.neighbor_preservation), share(checked.neighbors_in_copies)
    if not checked.permissions.any:
        dots = f"○ ○ ○ **{LITTLE if checked.permissions.beyond else NOTHING}**"
    if short:
        return dots
    return f"{dots} · {kept} of {checked.quality.k} nearest kept, copies {copied}"


def _compared(checked: Checked, title: str, words: Call) -> dict[str, Checked]:
    """Return the maps of these very words that this visitor has made, by title, this one first."""
    made: dict[Call, dict[str, Checked]] = st.session_state.setdefault(_MADE, {})
    if words not in made and len(made) >= _MOST_MADE:
        del made[next(iter(made))]
    made.setdefault(words, {})[title] = checked
    return {title: checked, **made[words]}


def _numbers(checked: Checked, maps: dict[str, Checked], theme: Theme, *, short: bool) -> None:
    told = "<br>".join(_judged(name, each) for name, each in checked.permissions._asdict().items())
    st.html(f'<p class="ev-small">{told}</p>')
    figure.plotly(curve_figure(checked, theme, phone=short), "badge-curve")
    states.note("Above the grey band the map keeps more than a cloud without structure gives by the same method.")
    st.toggle("What noise looks like here: two pictures below the map", key=_NOISE)
    found = checked.quality
    rows = [
        (
            title,
            *("● yes" if each.given else "○ no" for each in one.permissions),
            f"{share(one.quality.neighbor_preservation)} ({share(one.neighbors_in_copies)})",
        )
        for title, one in maps.items()
    ]
    states.table(("map", "neighbors", "groups", "outline", f"{found.k} kept (copies)"), rows, texts=(1, 2, 3))
    chance = number(found.rank_chance)
    ranks = [
        ("trustworthiness", number(found.trustworthiness), chance),
        ("continuity", number(found.continuity), chance),
    ]
    states.table(("", "here", "random layout"), ranks, strong=1)
    margin = f", ±{100 * found.margin:.2g} points" if found.margin else ""
    states.note(
        f"Nearest by {'cosine' if found.metric == 'cosine' else 'Euclidean distance'}, as this map sees the rows,",
        f"among the {found.shown:,} points shown; {found.sample:,} of them looked at{margin}.",
        f"{checked.copies.count} structureless copies: Gaussian clouds with the same mean and covariance,",
        f"seed {checked.looked.seed}. The band holds a copy, at all scales together, in 95\u00a0% of cases.",
        f"Far order: {found.triplets:,} random triplets.",
        "A dot is filled where the map lies above the band and leads the mean of the copies by a tenth of the way from",
        "a random layout to a perfect map; groups need a larger lead where copies keep much. Neighbors and outline are",
        "also filled from 90\u00a0% on.",
    )


def _judged(name: str, permission: Permission) -> str:
    dot = "●" if permission.given else "○"
    verdict = f"You may read {_SPEAKS_OF[name]}." if permission.given else f"Do not read {_SPEAKS_OF[name]}."
    return f"{dot} <b>{name.title()}.</b> {html.escape(verdict)} {html.escape(permission.reason)}"


def worst_marked() -> bool:
    """Return whether the visitor asked for the worst-placed words."""
    return bool(st.session_state.get(_WORST))
