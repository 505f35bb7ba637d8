"""The map of a space of texts, colored by cluster or by known group."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from embedviz.core.options import OptionError
from embedviz.figures.scatter import scatter
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.map import badge, maps, questions
from pages._shared.map import scatter as mounted
from pages._shared.results import calls

if TYPE_CHECKING:
    from embedviz.core.texts import Texts
    from embedviz.projection import Projection
    from embedviz.retrieval.themes import Themes
    from pages._shared.sources.current import View

MOST_SHOWN = 5_000


class Drawn(NamedTuple):
    """The map, the note of the exported image, and a sentence about the colors."""

    seen: Projection
    note: dict[str, str]
    colors: str


def choose_color(texts: Texts) -> str:
    """Draw the control that chooses the coloring of the map; return *cluster*, *group* or the name of a column."""
    group = {"group": plain(texts.group, 40) or "Group"} if texts.labels is not None else {}
    offered = {"cluster": "Cluster", **group, **{name: plain(name, 40) for name in texts.columns}}
    by = address.get("color") if address.get("color") in offered else "cluster"
    if len(offered) > 1:
        st.selectbox("Color", list(offered), format_func=offered.__getitem__, **address.bind("color", by))
    return by


def draw(
    sub: View,
    found: Themes | None,
    by: str,
    title: str,
    name: str,
    doc: str,
    choose: Callable[[str], None],
    view: View,
) -> Drawn | None:
    """Draw the map; return it with its lines for exports and a sentence about its colors.

    Return None while there is no map. If there are too few texts for PCA, write so and return None.

    Args:
        sub: The view of the space of texts.
        found: The clusters; None until they are computed.
        by: *cluster*, or the name of the column that gives the colors.
        title: Title of the method.
        name: Name of the texts.
        doc: Key of the open text, or empty.
        choose: Called with the key of a clicked text.
        view: The view of the page.
    """
    opened = sub.space
    try:
        sampled = questions.sample(sub.recipe, "random", {"n": min(len(opened), MOST_SHOWN)})
        making = maps.make(sub, questions.drawn(sampled, "pca", {"rows_as": "unit"}))
    except OptionError as error:
        states.state("There are too few texts for a map.", str(error))
        return None
    maps.show(sub, making)
    if making.seen is None:
        return None
    what, projected = making.drawn, making.seen
    task = badge.measured(sub, badge.check(what), projected)
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        badge.badge(task, what, view.theme, short=True)
        with st.container(width="content"):
            rule = questions.sampled(questions.words_of(what)).rule
            whole = len(projected.rows) == len(opened)
            states.note(f"{len(projected.rows):,} {'texts' if whole else f'of {len(opened):,} texts, {rule}'}")
    color = found.coloring(projected.rows) if found is not None else None
    if by != "cluster":
        color = calls.result(questions.colored(questions.words_of(what), "column", {"column": by}))
    note = {"title": f"{title} of {name}", "space": sub.size, **badge.lines(task.result, what.value("method"))}
    mounted.mount(
        scatter(projected, color),
        key="documents-map",
        height=460,
        chosen=projected.position.get(opened.index[doc]) if doc else None,
        hits=task.result.worst().tolist() if task.result is not None and badge.worst_marked() else (),
        note=note,
        summary=f"PCA map of {len(projected.rows):,} texts. {projected.meaning}",
        on_click=lambda click: choose(click.word),
    )
    badge.noise(task.result, projected.points, view.theme, phone=view.phone)
    return Drawn(projected, note, "" if color is None else color.note)
