"""The map of a run that has ended: its words in the trained space, and how well the map keeps the space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from embedviz.core.call import call
from embedviz.figures.scatter import scatter
from embedviz.geometry.alignment import aligned
from embedviz.projection import Projection
from pages._shared.app import frames, states
from pages._shared.map import badge, maps, questions
from pages._shared.map import scatter as mounted
from pages._shared.results import calls
from pages.make.train import moving
from pages.make.train.nearest import K, view_of
from pages.make.train.run import Run

if TYPE_CHECKING:
    from embedviz.projection.quality import Checked
    from pages._shared.sources.current import View

import streamlit as st


def _turned(run: Run, projected: Projection) -> Projection:
    """Return the final map, rotated in its plane to fit the last points of the moving map, so that no map flips.

    Distances stay the same, but the axes are no longer principal directions.
    """
    job = run.task.job if run.task is not None else None
    latest = job.arrays.get("points") if job is not None else None
    alike = latest is not None and latest.shape == projected.points.shape
    if latest is None or not alike or not np.array_equal(projected.rows, np.arange(len(latest))):
        return projected
    return replace(projected, points=aligned(projected.points, latest), axes=())


def draw(view: View, run: Run, watched: str, choose: Callable[[str], None]) -> None:
    """Draw the most frequent words in the trained space, and how well the map keeps the space.

    Args:
        watched: The word to mark, with its nearest words.
        choose: Called with a word that was clicked.
    """
    sub = view_of(view, run)
    words = questions.sample(sub.recipe, "frequent", {"n": min(moving.MOST_WORDS, len(sub.space))})
    making = maps.make(sub, questions.drawn(words, "pca"))
    maps.show(sub, making)
    if making.seen is None:
        job = run.task.job if run.task is not None else None
        if job is not None and run.settings is not None:  # the moving words stay until the map is there
            moving.draw(run.settings, "End of the training", watched, (), frames.token(job), choose)
        return
    what, projected = making.drawn, _turned(run, making.seen)
    task = badge.measured(sub, badge.check(what), projected)
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        badge.badge(task, what, view.theme, short=True)
        with st.container(width="content"):
            states.note(questions.sampled(questions.words_of(what)).size(len(projected.rows), sub.space))
    found = sub.space.index.get(watched)
    listed = call("embedviz.neighbors:neighborhood", sub.recipe, (watched,), K)
    near = calls.result(listed) if found is not None else None
    mounted.mount(
        scatter(projected, moving.colors(tuple(projected.words))),
        key=moving.MAP,
        height=moving.HEIGHT,
        chosen=projected.position.get(found) if found is not None else None,
        neighbors=[projected.position[row] for row in near.rows.tolist() if row in projected.position] if near else [],
        hits=task.result.worst().tolist() if task.result is not None and badge.worst_marked() else (),
        note=picture_note(run, task.result, what.value("method")),
        summary=f"PCA map of {len(projected.rows):,} words. {projected.meaning}",
        on_click=lambda click: choose(click.word),
    )
    badge.noise(task.result, projected.points, view.theme, phone=view.phone)
    states.note(f"{run.name}." if run.name else "", badge.meaning(projected.meaning, task.result, what.value("method")))


def picture_note(run: Run, checked: Checked | None = None, method: str = "pca") -> dict[str, str]:
    """Return the texts that are written on an exported picture, such as the title, by name."""
    return {"title": run.name, **badge.lines(checked, method)}
