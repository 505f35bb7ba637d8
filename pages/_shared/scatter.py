"""The map in a Streamlit page: mounts the library's drawing modules and hands back what was clicked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.figures.scatter import VERSION
from pages._shared.routes import publish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from embedviz.figures.scatter import Scatter

# Streamlit sends this text with every rerun, so it is only a loader; the drawing comes from the route, once.
# The address is fixed by the first map of a visit: from another one the browser would load the modules again, and
# with them a second, empty store of cameras.
_LOADER = """
const base = (globalThis.embedvizBase ??= new URL(".", document.baseURI).href);
export default function (component) {
  const { data, parentElement } = component;
  let ended = false, end = null;
  if (!parentElement.querySelector(".map")) {
    const root = document.createElement("div");
    root.className = "map";
    root.style.height = `${data.height}px`;
    parentElement.append(root);
  }
  import(new URL(`scatter/main.mjs?v=${data.version}`, base).href).then(
    (main) => { if (!ended) end = main.default(component, base); },
    () => { parentElement.querySelector(".map").textContent = data.failed; },
  );
  return () => { ended = true; end?.(); };
}
"""
_FAILED = "The program that draws the map did not arrive. Reload the page to try again."

_map = st.components.v2.component("embedviz.map", js=_LOADER)


@dataclass(frozen=True)
class Click:
    """What was clicked on a map: the row of the projection and its word."""

    index: int
    word: str


def mount(
    figure: Scatter,
    *,
    key: str,
    height: int = 525,
    chosen: int | None = None,
    neighbors: Sequence[int] = (),
    hits: Sequence[int] = (),
    note: Mapping[str, str] | None = None,
    summary: str = "",
    on_click: Callable[[Click], None] | None = None,
) -> Click | None:
    """The word clicked in this run, or None; draws the map.

    A rerun with other highlights sends the highlights alone: the bytes stay in the browser under their token.

    Args:
        figure: what `embedviz.figures.scatter.scatter` returned.
        key: names the map; its camera is kept under this name over reruns and page changes.
        height: in CSS pixels; on a phone the map takes the height its points need, 336 at most.
        chosen: row of the chosen word.
        neighbors: rows of its neighbors, nearest first.
        hits: rows a search found.
        note: `title`, `space`, `count` and `badge` of the exported picture.
        summary: what the map shows in words, for those who cannot see it.
        on_click: called with the click before the page runs again.
    """
    count = len(figure)

    def read(value: object) -> Click | None:
        return read_click(value, figure)

    def clicked() -> None:
        click = read((st.session_state.get(key) or {}).get("clicked"))
        if click is not None and on_click is not None:
            on_click(click)

    result = _map(
        key=key,
        data={
            "version": VERSION,
            "chart": key,
            "geometry": {"token": publish(figure.envelope(), figure.geometry_digest), "id": figure.geometry_digest},
            "paint": {"token": publish(figure.paint(), figure.paint_digest), "id": figure.paint_digest},
            "count": count,
            "height": height,
            "chosen": chosen,
            "neighbors": [int(row) for row in neighbors],
            "hits": [int(row) for row in hits],
            "note": dict(note or {}),
            "summary": summary,
            "failed": _FAILED,
        },
        on_clicked_change=clicked,
        on_missing_change=_publish_again,
    )
    return read(result.get("clicked"))


def read_click(value: object, figure: Scatter) -> Click | None:
    """The click a browser sent, or None when it is no row of this map (it may still have shown the one before)."""
    if not isinstance(value, dict) or value.get("of") != figure.geometry_digest:
        return None
    index = value.get("index")
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(figure):
        return None
    return Click(index, figure.words[index])


def _publish_again() -> None:
    """Nothing by itself: the rerun that follows publishes what is no longer held, under a new token."""
