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
"""In the lecture view, in pixels: window height outside a map, least height of a map, and height of a player."""


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
    """Draw the map, and return the word clicked in this run, or None.

    A rerun with other highlights sends only the highlights: the browser keeps the bytes under their token.

    Args:
        figure: The result of `figures.scatter.scatter`.
        key: Name of the map; its camera is kept over reruns and page changes.
        height: Height in CSS pixels; on a phone the height that its points need, at most 336.
        spare: Pixels of the window above and below the map; the map takes the rest, at least `height`.
        chosen: Row of the chosen word.
        neighbors: Rows of its neighbors, nearest first.
        hits: Rows that a search found.
        strangers: Rows near the chosen word on the map, but not in the space.
        note: Lines in the exported picture: `title` and `space` above the map, every other line below it.
        summary: What the map shows, as text for screen readers.
        on_click: Called with the click before the page runs again.
        selected: Rows that keep their color. Empty clears the selection; None keeps what the reader has selected.
        on_select: Called with the selected rows, ascending, before the page runs again; with it, lasso and box appear.
        movie: For the map of a training, the data with which its points follow a clock, from `Reel.movie`.
        stream: Token from `frames.token` for a job that places the same words; the points follow it while it runs.
        lecture: Whether the map has a lecture view, in which points and type are larger.
        guests: Words drawn on the map that are not part of it, each with a `word` and a position `at`.
        run: The run (step-by-step computation) that draws the map, from `stopping.run()`; a slider shows its frames.
        on_step: Called before the page runs again, with the step of the run that the visitor wants as a map.
        link: Key of the first of several maps side by side, which has their lecture view. A word that is pointed at in
            one map is shown in all, and a picture has all maps.
        filtered: What is hidden and colored, from `Filtered.message`; with it, the map has a legend that filters.
        on_filter: Called with what the reader hid and colored, before the page runs again.
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
    """Give the browser access to a map's columns; return their token and their hash (`id`); None without columns."""
    content = figure.columns()
    return {"token": publish(content, figure.columns_digest), "id": figure.columns_digest} if content else None
