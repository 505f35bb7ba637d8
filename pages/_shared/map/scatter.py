"""The map in a Streamlit page: mounts the library's drawing modules and hands back what was clicked or drawn around.

A selection crosses the wire once. The browser sends it with an id of its own making; from then on Python repeats that
id alone, and the browser keeps the rows. A selection that Python makes goes as rows where they are few, else as one bit
a row by the route of the figure's bytes.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from embedviz.figures.scatter import VERSION, digest
from pages._shared.app.routes import publish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

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

MOST_INDICES = 5_000
"""A browser sends more selected points than this as a bitset."""
_MOST_INLINE = 200
_MOST_ID = 40

_map = st.components.v2.component("embedviz.map", js=_LOADER)


@dataclass(frozen=True)
class Click:
    """What was clicked on a map: the row of the projection and its word."""

    index: int
    word: str


@dataclass(frozen=True, eq=False)
class _Kept:
    """The selection of a map in this session: of which geometry, under which id, and whether the browser has it."""

    of: str
    id: str
    rows: NDArray[np.int64]
    there: bool = True


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
    selected: Sequence[int] | NDArray[np.int64] | None = None,
    on_select: Callable[[NDArray[np.int64]], None] | None = None,
    movie: Mapping[str, Any] | None = None,
    stream: str | None = None,
) -> Click | None:
    """Return the word clicked in this run, or None; draws the map.

    A rerun with other highlights sends the highlights alone: the bytes stay in the browser under their token.

    Args:
        figure: what `embedviz.figures.scatter.scatter` returned.
        key: names the map; its camera is kept under this name over reruns and page changes.
        height: in CSS pixels; on a phone the map takes the height its points need, 336 at most.
        chosen: row of the chosen word.
        neighbors: rows of its neighbors, nearest first.
        hits: rows a search found.
        note: what stands beside the exported picture: `title` and `space` above it, every other line below.
        summary: what the map shows in words, for those who cannot see it.
        on_click: called with the click before the page runs again.
        selected: rows that keep their color while the others are greyed; none of them clears the selection, and None
            leaves what the reader has drawn.
        on_select: called with the rows drawn around, ascending, before the page runs again; empty when the selection
            was cleared. With it the map offers its tools: lasso and box.
        movie: by which reel its points move, where they have moments; see `pages.make.trajectory.reel`.
        stream: what `frames.token` gave for a job that places these very words: the points follow it while it runs.
    """

    def clicked() -> None:
        click = read_click((st.session_state.get(key) or {}).get("clicked"), figure)
        if click is not None and on_click is not None:
            on_click(click)

    def drawn() -> None:
        value = (st.session_state.get(key) or {}).get("selected")
        rows = read_selection(value, figure)
        if rows is None:
            return
        st.session_state[_name(key)] = _Kept(figure.geometry_digest, value["id"], rows)
        if on_select is not None:
            on_select(rows)

    def missing() -> None:
        """Note that the browser forgot a selection; the rerun that follows publishes it again."""
        value = (st.session_state.get(key) or {}).get("missing")
        kept: _Kept | None = st.session_state.get(_name(key))
        if kept is not None and isinstance(value, dict) and value.get("selection") == kept.id:
            st.session_state[_name(key)] = replace(kept, there=False)

    result = _map(
        key=key,
        data={
            "version": VERSION,
            "chart": key,
            "geometry": {"token": publish(figure.envelope(), figure.geometry_digest), "id": figure.geometry_digest},
            "paint": {"token": publish(figure.paint(), figure.paint_digest), "id": figure.paint_digest},
            "count": len(figure),
            "height": height,
            "chosen": chosen,
            "neighbors": [int(row) for row in neighbors],
            "hits": [int(row) for row in hits],
            "selecting": on_select is not None,
            "selected": _wish(key, figure, selected),
            "note": dict(note or {}),
            "summary": summary,
            "movie": None if movie is None else dict(movie),
            "failed": _FAILED,
            "stream": stream,
        },
        on_clicked_change=clicked,
        on_selected_change=drawn,
        on_missing_change=missing,
    )
    return read_click(result.get("clicked"), figure)


def read_click(value: object, figure: Scatter) -> Click | None:
    """Return the click a browser sent, or None where it is no row of this map (it may have shown the one before)."""
    if not isinstance(value, dict) or value.get("of") != figure.geometry_digest:
        return None
    index = value.get("index")
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(figure):
        return None
    return Click(index, figure.words[index])


def read_selection(value: object, figure: Scatter) -> NDArray[np.int64] | None:
    """Return the rows a browser sent as selected, ascending and read-only, or None where the message is wrong.

    A message has the `id` of the selection, `of` the geometry's digest, the `count`, and either `indices` (at most
    5,000, each once) or `bits`: one bit a point in base64, the lowest bit of a byte first.
    """
    if not isinstance(value, dict) or value.get("of") != figure.geometry_digest:
        return None
    name, count, n = value.get("id"), value.get("count"), len(figure)
    if not isinstance(name, str) or not 0 < len(name) <= _MOST_ID or not _is_whole(count, n + 1):
        return None
    if ("indices" in value) == ("bits" in value):
        return None
    rows = _rows_of_indices(value["indices"], n) if "indices" in value else _rows_of_bits(value["bits"], n)
    if rows is None or len(rows) != count:
        return None
    rows.setflags(write=False)
    return rows


def _is_whole(value: object, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


def _rows_of_indices(value: object, n: int) -> NDArray[np.int64] | None:
    if not isinstance(value, list) or len(value) > MOST_INDICES or not all(_is_whole(row, n) for row in value):
        return None
    rows = np.unique(np.array(value, dtype=np.int64))
    return rows if len(rows) == len(value) else None


def _rows_of_bits(value: object, n: int) -> NDArray[np.int64] | None:
    if not isinstance(value, str) or len(value) > 4 * ((n + 7) // 8 // 3 + 1):
        return None
    try:
        packed = np.frombuffer(base64.b64decode(value, validate=True), dtype=np.uint8)
    except (binascii.Error, ValueError):
        return None
    if len(packed) != (n + 7) // 8:
        return None
    bits = np.unpackbits(packed, bitorder="little")
    return None if bits[n:].any() else np.flatnonzero(bits[:n])


def _name(key: str) -> str:
    return f"scatter:{key}:selection"


def _wish(key: str, figure: Scatter, selected: Sequence[int] | NDArray[np.int64] | None) -> dict[str, Any] | None:
    """Return what the browser is told of the selection: as a rule an id that it knows."""
    kept: _Kept | None = st.session_state.get(_name(key))
    if kept is not None and kept.of != figure.geometry_digest:
        kept = None
    if selected is not None:
        rows = np.unique(np.asarray(selected, dtype=np.int64))
        if rows.size and not 0 <= rows[0] <= rows[-1] < len(figure):
            raise ValueError(f"Selected rows run from 0 to {len(figure) - 1}; these run from {rows[0]} to {rows[-1]}.")
        if kept is None or not np.array_equal(rows, kept.rows):
            of = figure.geometry_digest
            kept = _Kept(of, _id_of(rows, of), rows, there=False)
            st.session_state[_name(key)] = kept
    if kept is None:
        return None
    wish: dict[str, Any] = {"id": kept.id, "of": kept.of, "count": len(kept.rows)}
    if kept.there or not len(kept.rows):
        return wish
    if len(kept.rows) <= _MOST_INLINE:
        return wish | {"indices": kept.rows.tolist()}
    mask = np.zeros(len(figure), dtype=np.uint8)
    mask[kept.rows] = 1
    return wish | {"token": publish(np.packbits(mask, bitorder="little").tobytes())}


def _id_of(rows: NDArray[np.int64], of: str) -> str:
    return f"p{digest(of.encode() + rows.tobytes())}"
