"""The map in a Streamlit page: mounts the drawing modules of the library and returns what was clicked or selected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from embedviz.figures.scatter import VERSION
from pages._shared.app import presenting
from pages._shared.app.routes import publish
from pages._shared.map.filters import Filtered
from pages._shared.map.listeners import listeners
from pages._shared.map.loading import COMPONENT, FAILED
from pages._shared.map.selections import Click, read_click
from pages._shared.map.selections import selection_wish as selection_wish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from embedviz.figures.scatter import Scatter

SPARE_LARGE, LEAST_LARGE, PLAYER_LARGE = 200, 320, 90
"""Pixels of the window beside a map in the lecture view, of its least height, and of what stands over or under it."""


def mount(
    figure: Scatter,
    *,
    key: str,
    height: int = 525,
    spare: int | None = None,
    chosen: int | None = None,
    neighbors: Sequence[int] = (),
    hits: Sequence[int] = (),
    strangers: Sequence[int] = (),
    note: Mapping[str, str] | None = None,
    summary: str = "",
    on_click: Callable[[Click], None] | None = None,
    selected: Sequence[int] | NDArray[np.int64] | None = None,
    on_select: Callable[[NDArray[np.int64]], None] | None = None,
    movie: Mapping[str, Any] | None = None,
    stream: str | None = None,
    lecture: bool = True,
    link: str = "",
    guests: Sequence[Mapping[str, Any]] = (),
    run: Mapping[str, Any] | None = None,
    on_step: Callable[[int], None] | None = None,
    filtered: Mapping[str, Any] | None = None,
    on_filter: Callable[[Filtered], None] | None = None,
) -> Click | None:
    """Return the word clicked in this run, or None; draws the map.

    A rerun with other highlights sends the highlights alone: the bytes stay in the browser under their token.

    Args:
        figure: what `figures.scatter.scatter` returned.
        key: names the map; its camera is kept over reruns and page changes.
        height: in CSS pixels; on a phone the height its points need, 336 at most.
        spare: pixels that the window keeps above and below the map; the map takes the others, and `height` at least.
        chosen: row of the chosen word.
        neighbors: rows of its neighbors, nearest first.
        hits: rows a search found.
        strangers: rows near the chosen word on the map, but not in the space.
        note: what stands beside the exported picture: `title` and `space` above it, every other line below.
        summary: what the map shows in words, for those who cannot see it.
        on_click: called with the click before the page runs again.
        selected: rows that keep their color; none of them clears the selection, None leaves what the reader has drawn.
        on_select: called with the selected rows, ascending, before the page runs again; shows lasso and box.
        movie: by which reel its points move, where they have moments; see `pages.make.trajectory.reel`.
        stream: what `frames.token` gave for a job that places these very words: the points follow it while it runs.
        lecture: whether the map has a lecture view, in which points and type are larger.
        guests: words that are no part of the map, each a `word` and a place `at`.
        run: the run that draws the map, as `stopping.run` gives it: its frames are shown by a slider.
        on_step: called with a step of the run that shall become a map, before the page runs again.
        link: the key of the first of maps that stand side by side, which has the lecture view of all: what is pointed
            at in one is shown in all; a picture has all.
        filtered: what is hidden and colored, as `Filtered.message` gives it; with it the map has a legend that filters.
        on_filter: called with what the reader hid and colored, before the page runs again.
    """
    large = lecture and any(presenting.on(each) for each in (key, link) if each)
    taken = SPARE_LARGE + (PLAYER_LARGE if movie is not None or link else 0)
    result = COMPONENT(
        key=key,
        data={
            "version": VERSION,
            "chart": key,
            "geometry": {"token": publish(figure.envelope(), figure.geometry_digest), "id": figure.geometry_digest},
            "paint": {"token": publish(figure.paint(), figure.paint_digest), "id": figure.paint_digest},
            "count": len(figure),
            "height": LEAST_LARGE if large else height,
            "spare": taken if large else spare,
            "large": large,
            "chosen": chosen,
            "neighbors": [int(row) for row in neighbors],
            "hits": [int(row) for row in hits],
            "strangers": [int(row) for row in strangers],
            "selecting": on_select is not None,
            "selected": selection_wish(key, figure, selected),
            "note": dict(note or {}),
            "summary": summary,
            "movie": None if movie is None else dict(movie),
            "failed": FAILED,
            "stream": stream,
            "link": link,
            "guests": list(guests),
            "run": None if run is None else {**run, "keeps": on_step is not None},
            "columns": _columns(figure),
            "filtered": None if filtered is None else dict(filtered),
        },
        **listeners(figure, key, run, on_click, on_select, on_step, on_filter),
    )
    return read_click(result.get("clicked"), figure)


def _columns(figure: Scatter) -> dict[str, str] | None:
    """Return where the browser gets the columns of a map; None where it has none."""
    content = figure.columns()
    return {"token": publish(content, figure.columns_digest), "id": figure.columns_digest} if content else None
