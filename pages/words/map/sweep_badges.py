"""The badges of the six small maps: each map is checked like the map above, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.phrases import counted, lasting, share
from embedviz.projection import quality
from pages._shared.app import states
from pages._shared.map import badge, maps, questions, reading
from pages._shared.map.questions import options_of, words_of
from pages._shared.results import calls, work

if TYPE_CHECKING:
    from embedviz.core.call import Call
    from embedviz.core.options import Parameter
    from embedviz.projection.quality import Checked
    from embedviz.projection.quality.sweep import Sweep
    from pages._shared.sources.current import View

SLOT = "map-sweep-check"
_BEGUN = "sweep-check-begun"


def each_map(what: Call, option: Parameter, swept: Sweep) -> list[Call]:
    """Return the calls of the small maps, one for each value of the swept setting."""
    words, method, options = words_of(what), what.value("method"), options_of(what)
    return [questions.drawn(words, method, {**options, option.name: value}) for value in swept.values]


def badges(checked: list[Checked | None], *, phone: bool) -> list[tuple[str, str]]:
    """Return for each map two texts: what may be read from it, and the same for the map of a structureless copy.

    The list is empty until all maps are checked.
    """
    found = [each for each in checked if each is not None]
    if len(found) < len(checked):
        return []
    return [
        (
            reading.dots(each.permissions, short=phone) if each.judged else reading.FEW_POINTS.lower(),
            f"{'copy' if phone else 'structureless copy'}: {reading.dots(each.permissions_of_copy, short=True)} "
            f"{share(each.neighbors_in_copies)} kept",
        )
        for each in found
    ]


def key(*, phone: bool) -> str:
    """Return what the short badges on a phone mean; empty on larger screens, where badges have words."""
    if not phone:
        return ""
    return "Dots: neighbors, groups and long distances. Copy: the map of a structureless copy by the same method."


def known(each: list[Call]) -> list[Checked | None]:
    """Return the check of each map; None for a check that is not in memory."""
    return [calls.known(badge.check(one)) for one in each]


def control(view: View, each: list[Call], checked: list[Checked | None]) -> None:
    """Check the maps that are not checked yet, one in each run of the page.

    If this takes more than `maps.UNASKED` seconds in all, it waits for a click.

    Args:
        each: The calls that compute the maps.
        checked: The result of each map's check; None if there is none yet.
    """
    left = [one for one, found in zip(each, checked, strict=True) if found is None]
    if not left:
        work.release(SLOT)
        return
    n = len(questions.rows_of(words_of(left[0])))
    costs = [quality.estimate(n, view.space.dimensions, one.value("method"), options_of(one)) for one in left]
    seconds = sum(cost.seconds for cost in costs)
    begun = st.session_state.get(_BEGUN) == words_of(left[0]).key
    if seconds > maps.UNASKED and not begun:
        with st.container(horizontal=True, vertical_alignment="center", key="sweep-check"):
            with st.container(width="content"):
                states.note(f"How reliable is each map? Checking {counted(len(left), 'map')}: {lasting(seconds)}.")
            st.button("Check them", key="sweep-check-begin", on_click=_begin, args=(words_of(left[0]).key,))
        return
    title = f"Checking map {len(each) - len(left) + 1} of {len(each)}"
    task = calls.task(SLOT, badge.check(left[0]), long=costs[0].seconds > badge.QUICK, title=title)
    if task.running:
        work.row(task, f"{title}.")
    elif task.result is not None:
        st.rerun()
    else:
        states.note(f"Not checked: {task.sentence}")


def _begin(key: str) -> None:
    st.session_state[_BEGUN] = key
