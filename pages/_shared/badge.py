"""The trust badge: what may be read from a map, and the numbers that say so."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import streamlit as st

from embedviz import jobs
from embedviz.projection import Projection
from embedviz.quality import Quality
from embedviz.space import VectorSpace
from pages._shared import states, work

if TYPE_CHECKING:
    from pages._shared.frame import View

_MADE = "badge:made"
_K = 15


def measured(space: VectorSpace, shown: Projection, view: View, what: str) -> jobs.Job:
    """The job that measures a map; `what` names all that the map depends on."""
    private = view.recipe.private
    return work.run("embedviz.quality:measure", space, shown.rows, shown.points, k=_K, key=what, private=private)


def quality_of(job: jobs.Job) -> Quality | None:
    """What the job measured, or None while it checks or when it failed."""
    return job.result() if job.state == "done" else None


def badge(job: jobs.Job, title: str, sample: str, *, short: bool = False) -> None:
    """The pill above the map: the permission when it is known, "checking" until then; opens to the numbers."""
    quality = quality_of(job)
    if quality is None:
        if job.finished:
            work.pill(f"Not checked: {job.error or 'stopped'}")
        else:
            work.watch(job.id, lambda _: work.pill("○○○ Checking what this map keeps …"))
        return
    with st.container(key="badge", width="content"), st.popover(_pill(quality, short=short), width="content"):
        _numbers(quality, _compared(quality, title, sample))
        _worst(quality)


def line(quality: Quality | None) -> str:
    """The badge in words, as it stands on an exported picture."""
    return "not checked yet" if quality is None else _pill(quality).replace("**", "")


def _pill(quality: Quality, *, short: bool = False) -> str:
    level = quality.permission.level
    dots = "●" * level + "○" * (3 - level)
    kept, chance = share(quality.neighbor_preservation), share(quality.chance)
    return f"{dots} **{quality.permission.title}** · {kept} {'' if short else 'of neighbors '}kept, chance {chance}"


def share(value: float) -> str:
    """A share as percent: whole above 1 %, else with the digits that matter."""
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 1 else f"{percent:.1f} %" if percent >= 0.1 else f"{percent:.2g} %"


def _compared(quality: Quality, title: str, sample: str) -> dict[str, Quality]:
    """The maps of this very sample that this visitor has made, by title, this one first."""
    made: dict[str, dict[str, Quality]] = st.session_state.setdefault(_MADE, {})
    if sample not in made and len(made) >= 8:
        del made[next(iter(made))]
    made.setdefault(sample, {})[title] = quality
    return {title: quality, **{name: other for name, other in made[sample].items() if name != title}}


def _numbers(quality: Quality, maps: dict[str, Quality]) -> None:
    allowed = quality.permission
    st.html(
        f'<p class="ev-small"><b>You may read:</b> {html.escape(allowed.allowed)}<br>'
        f"<b>You may not read:</b> {html.escape(allowed.forbidden)}</p>"
    )
    header = ("", f"{quality.k} nearest kept", "far order right", "trustworthiness", "continuity")
    chance = ("Chance", share(quality.chance), "50 %", "0.50", "0.50")
    states.table(header, [*(_row(name, one) for name, one in maps.items()), chance])
    margin = f", ±{100 * quality.margin:.1f} points" if quality.margin else ""
    states.note(
        f"Nearest by {quality.metric} among the {quality.shown:,} words shown.",
        f"{quality.sample:,} of them looked at{margin}.",
        f"Far order: {quality.triplets:,} random triplets.",
        "Trustworthiness falls with false neighbors, continuity with torn ones.",
        "The dots count the share kept beyond chance: three from 50 %, two from 20 %.",
    )


def _row(title: str, one: Quality) -> tuple[str, str, str, str, str]:
    kept, order = share(one.neighbor_preservation), share(one.triplet_accuracy)
    return title, kept, order, f"{one.trustworthiness:.2f}", f"{one.continuity:.2f}"


def _worst(quality: Quality) -> None:
    st.toggle("Mark the twenty worst-placed words", key="badge-worst")


def worst_marked() -> bool:
    """Whether the visitor asked for the worst-placed words."""
    return bool(st.session_state.get("badge-worst"))
