"""The map of a run: its words at random, as they move, and at rest in the trained space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from embedviz import training
from embedviz.core.call import call
from embedviz.core.phrases import share
from embedviz.core.space import VectorSpace
from embedviz.corpus.tokenized import Corpus
from embedviz.figures.scatter import scatter
from embedviz.geometry.alignment import aligned
from embedviz.projection import Projection, coloring
from pages._shared.app import frame, frames, states
from pages._shared.map import badge, maps, questions
from pages._shared.map import scatter as mounted
from pages._shared.results import cache, calls, work
from pages.make.train import runs
from pages.make.train.learning import K, marked_word, view_of

if TYPE_CHECKING:
    from embedviz.projection.quality import Checked
    from pages._shared.sources.current import View

MAP = "train-map"
SHOWN = 1_000
_HEIGHT = 440  # pixels of the map
_ON_THEIR_WAY = (
    "All begin near one point, at random, and are seen along the two directions in which they differ most. Where they "
    "lie means something when they have come to rest."
)


def ahead(corpus: Corpus, plan: training.Plan, word: str) -> None:
    """Draw the map before a training: its words at random places near one point, as every training begins.

    The browser keeps it when the training starts, so that the words move from here.
    """
    with st.container():
        with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
            states.pill("○○○ Before training")
            with st.container(width="content"):
                states.note(f"The {min(SHOWN, plan.rows):,} most frequent of {plan.rows:,} words, at random")
        _draw_map(runs.RunSettings.of(corpus, plan), "Before training", word, (), None, frame.choose_word)


def picture(view: View, run: runs.Run, watched: str, choose: Callable[[str], None]) -> None:
    """Draw the map of a run's words: as they move, or in the trained space.

    Args:
        watched: The word that is marked, with its nearest.
        choose: Called with a word that was clicked.
    """
    if run.running:
        st.fragment(_moving, run_every=work.POLL)(run, watched, choose)
    else:
        with st.container():  # as a fragment has one, so that the browser keeps the map
            _at_rest(view, run, watched, choose)


def _moving(run: runs.Run, watched: str, choose: Callable[[str], None]) -> None:
    """Draw the words as they move; the stream of their points goes past Python."""
    course, watched = run.course, marked_word(run, watched)
    settings, job = run.settings, run.task.job if run.task is not None else None
    if settings is None or job is None:
        return
    held = next((one.share for one in reversed(course.moments) if one.share is not None), None)
    part = f"; the picture holds {share(held)} of their variance" if held else ""
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        states.pill("○○○ On their way: read nothing yet")
        with st.container(width="content"):
            states.note(f"The {min(SHOWN, settings.rows):,} most frequent of {settings.rows:,} words{part}")
    near = course.nearest.get(watched, []) if course.fresh else []
    _draw_map(settings, "Words on their way", watched, near, frames.token(job), choose)


def _draw_map(
    settings: runs.RunSettings,
    title: str,
    word: str,
    near: Sequence[str],
    stream: str | None,
    choose: Callable[[str], None],
) -> None:
    corpus = cache.corpus(settings.corpus)
    start = _start(corpus.checksum, corpus, settings.rows, settings.dimensions)
    row = {each: place for place, each in enumerate(start.words)}
    mounted.mount(
        scatter(start, _colors(tuple(start.words))),
        key=MAP,
        height=_HEIGHT,
        chosen=row.get(word),
        neighbors=[row[each] for each in near if each in row],
        note={"title": title, "space": corpus.name},
        summary=f"{title}: {len(start.words):,} words. {start.meaning}",
        on_click=lambda click: choose(click.word),
        stream=stream,
    )
    states.note(start.meaning)


def _turned(run: runs.Run, shown: Projection) -> Projection:
    """Turn the map within its plane to lie as the words lay when they were last seen moving, so that nothing flips.

    Distances stay, but its axes are then no principal directions any more.
    """
    job = run.task.job if run.task is not None else None
    latest = job.arrays.get("points") if job is not None else None
    alike = latest is not None and latest.shape == shown.points.shape
    if latest is None or not alike or not np.array_equal(shown.rows, np.arange(len(latest))):
        return shown
    return replace(shown, points=aligned(shown.points, latest), axes=())


def _at_rest(view: View, run: runs.Run, watched: str, choose: Callable[[str], None]) -> None:
    """Draw the same words in the trained space, with what the map keeps."""
    sub = view_of(view, run)
    words = questions.sample(sub.recipe, "frequent", {"n": min(SHOWN, len(sub.space))})
    making = maps.make(sub, questions.drawn(words, "pca"))
    maps.show(sub, making)
    if making.seen is None:
        return
    what, shown = making.drawn, _turned(run, making.seen)
    kept = badge.measured(sub, badge.check(what), shown)
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        badge.badge(kept, what, view.theme, short=view.phone)
        with st.container(width="content"):
            rule = questions.sampled(questions.words_of(what)).rule
            states.note(f"{len(shown.rows):,} of {len(sub.space):,} words, {rule}")
    found = sub.space.index.get(watched)
    listed = call("embedviz.neighbors:neighborhood", sub.recipe, (watched,), K)
    near = calls.result(listed) if found is not None else None
    mounted.mount(
        scatter(shown, _colors(tuple(shown.words))),
        key=MAP,
        height=_HEIGHT,
        chosen=shown.position.get(found) if found is not None else None,
        neighbors=[shown.position[row] for row in near.rows.tolist() if row in shown.position] if near else [],
        hits=kept.result.worst().tolist() if kept.result is not None and badge.worst_marked() else (),
        note=picture_note(run, kept.result, what.value("method")),
        summary=f"PCA map of {len(shown.rows):,} words. {shown.meaning}",
        on_click=lambda click: choose(click.word),
    )
    badge.noise(kept.result, shown.points, view.theme, phone=view.phone)
    states.note(badge.meaning(shown.meaning, kept.result, what.value("method")))


def picture_note(run: runs.Run, checked: Checked | None = None, method: str = "pca") -> dict[str, str]:
    """Return the lines beside an exported picture."""
    return {"title": _name(run), **badge.lines(checked, method)}


def _name(run: runs.Run) -> str:
    record = run.record
    return f"{record.title} of {record.corpus.name}" if record is not None else ""


def _colors(words: tuple[str, ...]) -> coloring.Coloring | None:
    """Return the everyday groups that these words belong to; None where hardly any does."""
    found = _grouped(words)
    return found if np.count_nonzero(found.codes != coloring.REST) >= 5 else None


@st.cache_resource(max_entries=16, show_spinner=False)
def _grouped(words: tuple[str, ...]) -> coloring.Coloring:
    bare = VectorSpace(list(words), np.ones((len(words), 1), np.float32))
    return coloring.coloring(bare, np.arange(len(words)), "groups")


@st.cache_resource(max_entries=16, show_spinner=False)
def _start(checksum: str, _corpus: Corpus, rows: int, dimensions: int) -> Projection:
    """Return the first words of a corpus about one point, as far apart as numbers from −1/2d to 1/2d are."""
    words, count = _corpus.words, min(SHOWN, rows)
    points = np.random.default_rng(0).normal(0, 1 / (12**0.5 * max(1, dimensions)), (count, 2)).astype(np.float32)
    return Projection(
        [words[place] for place in range(count)], np.arange(count), points, "training", {}, (), _ON_THEIR_WAY
    )
