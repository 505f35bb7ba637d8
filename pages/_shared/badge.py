"""The trust badge: what may be read from a map, and the numbers that say so."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.projection import PROJECTIONS
from embedviz.quality import Quality
from embedviz.saying import number, share
from pages._shared import cache, states, work

if TYPE_CHECKING:
    from embedviz.projection import Projection
    from pages._shared.frame import View

_MADE = "badge:made"
_MOST_MADE = 8
_WORST = "badge-worst"


def measured(view: View, what: cache.Drawn, shown: Projection) -> work.Task:
    """The task that measures a map."""
    private = view.recipe.private
    return work.run(
        "badge",
        "embedviz.quality:measure",
        view.space,
        shown.rows,
        shown.points,
        key=str(what),
        private=private,
        title="Checking what a map keeps",
    )


def badge(task: work.Task, what: cache.Drawn, *, short: bool = False) -> None:
    """The pill above the map: the permission when it is known, "checking" until then; opens to the numbers."""
    quality: Quality | None = task.result
    if quality is not None:
        with st.container(key="badge", width="content"), st.popover(_pill(quality, short=short), width="content"):
            _numbers(quality, _compared(quality, PROJECTIONS[what.method].title, what.shown), what.method)
            st.toggle("Mark the worst-placed points with squares", key=_WORST)
    elif task.running:
        work.watch(task, lambda _: states.pill("○○○ Checking what this map keeps …"))
    else:
        states.pill(f"Not checked: {task.sentence}")


def moving() -> None:
    """The pill above a map that is being made."""
    with st.container(width="content"):
        states.pill("○○○ Moving: checked when it rests")


def allowed(quality: Quality, method: str) -> str:
    """What may be read from a map by this method: where axes mean something, the place along them always may."""
    along = "" if PROJECTIONS[method].free else "how far a point lies along each axis, which is exact; beyond that, "
    return f"{along}{quality.permission.allowed}"


def lines(quality: Quality | None, method: str) -> dict[str, str]:
    """The badge, and what may and may not be read, as they stand on an exported picture."""
    if quality is None:
        return {"badge": line(None)}
    reading = f"Read: {allowed(quality, method)} Do not read: {quality.permission.forbidden}"
    return {"badge": line(quality), "reading": reading}


def meaning(text: str, quality: Quality | None, method: str) -> str:
    """What a map means, in a sentence; a method that tries to keep neighbors and fails here gets another one."""
    row = PROJECTIONS[method]
    if quality is None or not row.free or quality.permission.level >= 2:
        return text
    kept, chance = share(quality.neighbor_preservation), share(quality.chance)
    return f"This map keeps {kept} of neighbors (chance: {chance}): that points lie together here is no evidence."


def line(quality: Quality | None) -> str:
    """The badge in words, as it stands on an exported picture."""
    return "not checked yet" if quality is None else _pill(quality).replace("**", "")


def _pill(quality: Quality, *, short: bool = False) -> str:
    level = quality.permission.level
    dots = "●" * level + "○" * (3 - level)
    kept, chance = share(quality.neighbor_preservation), share(quality.chance)
    return f"{dots} **{quality.permission.title}** · {kept} {'' if short else 'of neighbors '}kept, chance {chance}"


def _compared(quality: Quality, title: str, words: cache.Shown) -> dict[str, Quality]:
    """The maps of these very words that this visitor has made, by title, this one first."""
    made: dict[cache.Shown, dict[str, Quality]] = st.session_state.setdefault(_MADE, {})
    if words not in made and len(made) >= _MOST_MADE:
        del made[next(iter(made))]
    made.setdefault(words, {})[title] = quality
    return {title: quality, **made[words]}


def _numbers(quality: Quality, maps: dict[str, Quality], method: str) -> None:
    st.html(
        f'<p class="ev-small"><b>You may read:</b> {html.escape(allowed(quality, method))}<br>'
        f"<b>You may not read:</b> {html.escape(quality.permission.forbidden)}</p>"
    )
    columns = [*maps.items()]
    rows = [
        (f"{quality.k} nearest kept", *(share(one.neighbor_preservation) for _, one in columns), share(quality.chance)),
        ("far order right", *(share(one.triplet_accuracy) for _, one in columns), share(quality.triplet_chance)),
        ("trustworthiness", *(number(one.trustworthiness) for _, one in columns), "0.50"),
        ("continuity", *(number(one.continuity) for _, one in columns), "0.50"),
    ]
    states.table(("", *(name for name, _ in columns), "chance"), rows, strong=1)
    chance = quality.chance
    beyond = max(0.0, (quality.neighbor_preservation - chance) / (1 - chance)) if chance < 1 else 0.0
    margin = f", ±{100 * quality.margin:.2g} points" if quality.margin else ""
    states.note(
        f"Nearest by {quality.metric} among the {quality.shown:,} points shown.",
        f"{quality.sample:,} of them looked at{margin}.",
        f"Far order: {quality.triplets:,} random triplets.",
        "Trustworthiness falls with false neighbors, continuity with torn ones.",
        f"The dots count the share kept beyond chance, here {share(beyond)}: three from 50\u00a0%, two from 20\u00a0%, "
        "one below that where the far order is right in 60\u00a0%.",
    )


def worst_marked() -> bool:
    """Whether the visitor asked for the worst-placed words."""
    return bool(st.session_state.get(_WORST))
