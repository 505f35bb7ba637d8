"""Clicks and selections of a map, as they pass between the browser and Python.

The rows are sent once; later Python repeats only the selection's `id`. A message also has `of` (the geometry's digest),
`count`, and `indices` or one bit per point, lowest bit of a byte first: in base64, or from Python by a route's `token`.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from embedviz.figures.scatter import digest
from pages._shared.app.routes import publish

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from embedviz.figures.scatter import Scatter

MOST_INDICES = 5_000
"""A browser sends a selection of more points than this as a bitset."""
_MOST_INLINE = 200
_MOST_ID = 40


@dataclass(frozen=True)
class Click:
    """A point clicked on a map: its row of the projection and its word."""

    index: int
    word: str


@dataclass(frozen=True, eq=False)
class MapSelection:
    """A selection on a map, with its name `id` and the selected `rows`, ascending.

    Attributes:
        of: Digest of the map's geometry.
        there: Whether the browser has the rows.
    """

    of: str
    id: str
    rows: NDArray[np.int64]
    there: bool = True


def read_click(value: object, figure: Scatter) -> Click | None:
    """Return the click that a browser sent; None if it is not of this map (the browser may show the previous map)."""
    if not isinstance(value, dict) or value.get("of") != figure.geometry_digest:
        return None
    index = value.get("index")
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(figure):
        return None
    return Click(index, figure.words[index])


def read_step(value: object, run: Mapping[str, Any] | None) -> int:
    """Return the step of a run that the browser requests as a map; 0 if the message is invalid or of another run."""
    if run is None or not isinstance(value, dict) or value.get("of") != run["name"]:
        return 0
    step = value.get("step")
    return step if isinstance(step, int) and not isinstance(step, bool) and 0 < step <= run["of"] else 0


def read_selection(value: object, figure: Scatter) -> NDArray[np.int64] | None:
    """Return the rows selected in a browser's message (see module), ascending and read-only; None if it is invalid."""
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


def selection_key(key: str) -> str:
    return f"scatter:{key}:selection"


def selection_wish(
    key: str, figure: Scatter, selected: Sequence[int] | NDArray[np.int64] | None
) -> dict[str, Any] | None:
    """Return a message to the browser: the selection's id, and its rows if only Python has them; None for no selection.

    Raises:
        ValueError: A selected row is not on the map.
    """
    selection: MapSelection | None = st.session_state.get(selection_key(key))
    if selection is not None and selection.of != figure.geometry_digest:
        selection = None
    if selected is not None:
        rows = np.unique(np.asarray(selected, dtype=np.int64))
        if rows.size and not 0 <= rows[0] <= rows[-1] < len(figure):
            raise ValueError(f"Selected rows run from 0 to {len(figure) - 1}; these run from {rows[0]} to {rows[-1]}.")
        if selection is None or not np.array_equal(rows, selection.rows):
            of = figure.geometry_digest
            selection = MapSelection(of, _id_of(rows, of), rows, there=False)
            st.session_state[selection_key(key)] = selection
    if selection is None:
        return None
    wish: dict[str, Any] = {"id": selection.id, "of": selection.of, "count": len(selection.rows)}
    if selection.there or not len(selection.rows):
        return wish
    if len(selection.rows) <= _MOST_INLINE:
        return wish | {"indices": selection.rows.tolist()}
    mask = np.zeros(len(figure), dtype=np.uint8)
    mask[selection.rows] = 1
    return wish | {"token": publish(np.packbits(mask, bitorder="little").tobytes())}


def _id_of(rows: NDArray[np.int64], of: str) -> str:
    return f"p{digest(of.encode() + rows.tobytes())}"
