"""A map of points: the bytes that the browser gets, and the JavaScript modules that draw them.

Plain ES modules beside this file draw the map (WebGL2, no build, no third-party code). They read three envelopes:
- geometry: points, words and axis titles; for a map that moves, also the positions at all moments
- paint: the coloring, one byte per point, so that a new coloring does not send the geometry again
- columns: values of the words, by which the browser colors, sizes and filters without another request

An envelope is: 4 bytes `EVZ1`; the header's length as little-endian uint32; the header, JSON in UTF-8, padded with
spaces to a multiple of 4; then the arrays, each aligned to 4 bytes. The header's `arrays` gives each array's type
(`f4`, `u4`, `u1`, little-endian), its offset from the end of the header, and its length in elements.
"""

from __future__ import annotations

import hashlib
import json
import struct
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from embedviz.core.space import WordBlob
from embedviz.figures.scatter import standalone
from embedviz.figures.theme import THEMES
from embedviz.figures.web import SHARED, modules_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from embedviz.figures.theme import Theme
    from embedviz.projection.facets import Facets
    from embedviz.retrieval.regions import Regions

MAGIC = b"EVZ1"
REST = 255
"""The code of a point without a category or a value; it is drawn small and grey."""
KINDS = ("plain", "category", "ordered", "value")
MOST_LABELS = len(THEMES["light"].categorical)
MOST_IN_NOTEBOOK = 200_000
NOTEBOOK_HEIGHT = 520

_TYPES = {"float32": "f4", "uint32": "u4", "uint8": "u1"}


class Projected(Protocol):
    """What the map needs from a projection."""

    @property
    def words(self) -> Sequence[str]:
        """Return the words, one for each point; they may be decoded on demand."""
        ...

    @property
    def points(self) -> NDArray[np.float32]:
        """Return the positions, shape (n, 2) or (n, 3)."""
        ...

    @property
    def method(self) -> str:
        """Return the name of the projection method."""
        ...

    @property
    def axes(self) -> Sequence[str]:
        """Return the titles of the axes; empty if the axes have no meaning."""
        ...

    @property
    def rows(self) -> NDArray[np.int64] | None:
        """Return the row of each point in the space, shape (n,); None if points are not rows of a space."""
        ...


class Colored(Protocol):
    """What the map needs from a coloring: a title, one code per point, and what the codes mean."""

    @property
    def title(self) -> str:
        """Return the title of the colored column."""
        ...

    @property
    def kind(self) -> str:
        """Return the kind of the coloring, one of `KINDS`."""
        ...

    @property
    def codes(self) -> NDArray[np.uint8]:
        """Return a code for each point, shape (n,): a label's index, or 0 to 254 from low to high; 255 is grey."""
        ...

    @property
    def labels(self) -> Sequence[str]:
        """Return the names of the categories, at most eight."""
        ...

    @property
    def low(self) -> float:
        """Return the value of code 0."""
        ...

    @property
    def high(self) -> float:
        """Return the value of code 254, the high end of the scale."""
        ...

    @property
    def diverging(self) -> bool:
        """Return whether the color scale is diverging."""
        ...


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return an envelope: magic, header length, JSON header, aligned arrays (float32, uint32 or uint8)."""
    places, parts, offset = {}, [], 0
    for name, array in arrays.items():
        places[name] = {"type": _TYPES[array.dtype.name], "offset": offset, "length": array.size}
        raw = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
        raw += b"\0" * (-len(raw) % 4)
        parts.append(raw)
        offset += len(raw)
    text = json.dumps({**header, "arrays": places}, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    text += b" " * (-len(text) % 4)
    return b"".join((MAGIC, struct.pack("<I", len(text)), text, *parts))


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays, by name, of bytes that `pack()` made, as the browser reads them.

    Raises:
        ValueError: The content does not start with `MAGIC`.
    """
    if content[:4] != MAGIC:
        raise ValueError(f"These {len(content)} bytes are no envelope: they do not start with {MAGIC.decode()}.")
    (length,) = struct.unpack_from("<I", content, 4)
    header = json.loads(content[8 : 8 + length])
    start = 8 + length
    arrays = {
        name: np.frombuffer(content, "<" + place["type"], place["length"], start + place["offset"])
        for name, place in header.pop("arrays").items()
    }
    return header, arrays


@dataclass(frozen=True, eq=False)
class Scatter:
    """A map: its positions come from the projection, its colors from the coloring.

    The browser asks for the bytes of `envelope()`, `paint()` and `columns()`; each is made once and cached.
    """

    projection: Projected
    color: Colored | None = None
    facets: Facets | None = None
    regions: Regions | None = None

    @property
    def words(self) -> Sequence[str]:
        """Return the words, in the order of the points."""
        return self.projection.words

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.projection.points)

    def envelope(self) -> bytes:
        """Return the geometry of the map as bytes for the browser, in one binary message.

        It has points, frames, row numbers, words or labels as UTF-8, the method, and the titles of the axes.
        """
        return self._geometry[0]

    def paint(self) -> bytes:
        """Return the colors as bytes for the browser: one byte per point, with the names that the bytes stand for."""
        return self._paint[0]

    def columns(self) -> bytes:
        """Return the columns and regions of the map as bytes for the browser; no bytes if there are neither.

        By the columns, a reader colors, sizes and filters the points. `unpack()` reads the bytes.
        """
        return self._columns[0]

    def html(
        self,
        *,
        title: str = "",
        note: Mapping[str, str] | str = "",
        theme: str = "system",
        trails: Sequence[int] = (),
        near: Sequence[int] = (),
        second_map: tuple[Scatter, Mapping[str, str]] | None = None,
        guests: Sequence[Mapping[str, Any]] = (),
        filtered: Mapping[str, Any] | None = None,
    ) -> str:
        """Return the map as one HTML page that needs no server and no network.

        Args:
            title: Text above the map.
            note: Lines of text by name: `space`, `count` and `badge` stand above the map, and so does `title` if the
                argument `title` is empty; all others stand below the map. A plain string stands below the map.
            theme: `light`, `dark`, or `system` for the setting of the reader's computer.
            trails: Indices of the words that leave trails, on a map that moves.
            near: On a map with trails, indices of the words that leave no trail but may have a label. If empty, all
                words may have labels.
            second_map: A second map of the same words in the same order, and its note: `title`, `badge` and `space`.
            guests: Words drawn on the map that are not part of it, each with a `word` and a position `at`.
            filtered: The filter when the page opens: `hidden` has the classes that are hidden, `range` the first and
                the last date that are shown, `classes` the classes in color, and `names` new names of regions, as pairs
                of id and name. A legend on the page changes the filter. With None, the page has no such legend.

        Raises:
            ValueError: There is no such theme, or the second map has other words.
        """
        if second_map is not None and list(second_map[0].words) != list(self.words):
            raise ValueError("Two maps stand side by side where they show the same words in the same order.")
        envelope, paint = self.envelope(), self.paint()
        second = None if second_map is None else (second_map[0].envelope(), second_map[0].paint(), second_map[1])
        how: dict[str, Any] = {"trails": trails, "near": near, "second_map": second, "guests": guests}
        how |= {"filtered": filtered, "columns": self.columns()}
        return standalone.page(MODULES, envelope, paint, title=title, note=note, theme=theme, **how)

    def _repr_html_(self) -> str:
        """Return the map for a notebook, in a frame of its own so that several maps do not interfere.

        For a map of more than `MOST_IN_NOTEBOOK` words, return a sentence that it is too large.
        """
        n = len(self)
        if n > MOST_IN_NOTEBOOK:
            return (
                f"<p>A map of {n:,} words is too large for a notebook, which keeps at most {MOST_IN_NOTEBOOK:,}. "
                "Write <code>figure.html()</code> to a file.</p>"
            )
        note = {"space": self.projection.method, "count": f"{n:,} words"}
        return standalone.frame(self.html(title="Map", note=note), f"A map of {n:,} words", NOTEBOOK_HEIGHT)

    @property
    def geometry_digest(self) -> str:
        """Return a short hash of `envelope()`: equal for equal content."""
        return self._geometry[1]

    @property
    def paint_digest(self) -> str:
        """Return a short hash of `paint()`: equal for equal content."""
        return self._paint[1]

    @cached_property
    def _geometry(self) -> tuple[bytes, str]:
        with suppress(KeyError, TypeError):  # TypeError: no weak reference or no hash, so no cache
            return _GEOMETRIES[self.projection]
        content = _geometry_envelope(self.projection)
        made = content, digest(content)
        with suppress(TypeError):
            _GEOMETRIES[self.projection] = made
        return made

    @property
    def columns_digest(self) -> str:
        """Return a short hash of `columns()`: equal for equal content."""
        return self._columns[1]

    @cached_property
    def _paint(self) -> tuple[bytes, str]:
        content = _paint_envelope(self.color, len(self))
        return content, digest(content)

    @cached_property
    def _columns(self) -> tuple[bytes, str]:
        content = _columns_envelope(self.facets, self.regions) if self.facets or self.regions is not None else b""
        return content, digest(content)


_GEOMETRIES: WeakKeyDictionary[Any, tuple[bytes, str]] = WeakKeyDictionary()


def scatter(
    projection: Projected, color: Colored | None = None, facets: Facets | None = None, regions: Regions | None = None
) -> Scatter:
    """Return a map of the projection's words, plain or in the given coloring.

    Args:
        facets: Columns by which a reader colors, sizes and filters.
        regions: Names of regions, written where they fit the zoom.

    Raises:
        ValueError: The points are not of shape (n, 2) or (n, 3), or not finite. Words, rows, codes, columns and points
            differ in number. The coloring is of an unknown kind, names more than eight categories, or has a code
            without a name. A map that moves has frames whose shape is not that of the points, or moments that do not
            rise.
    """
    points = projection.points
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(f"The map draws points of shape (n, 2) or (n, 3); these have shape {points.shape}.")
    if len(projection.words) != len(points):
        raise ValueError(f"The map needs one word a point: {len(projection.words)} words, {len(points)} points.")
    _check_frames(projection, points)
    rows = _rows(projection)
    if rows is not None and len(rows) != len(points):
        raise ValueError(f"The map needs one row a point: {len(rows)} rows, {len(points)} points.")
    if not np.isfinite(points).all():
        bad = int(np.count_nonzero(~np.isfinite(points).all(axis=1)))
        raise ValueError(f"{bad} of {len(points)} points are not finite numbers; leave these rows out of the map.")
    if color is not None:
        _check_coloring(color, len(points))
    for name, column in _arrays_of(facets).items() if facets else ():
        if len(column) != len(points):
            raise ValueError(f"The column of {name} has {len(column)} values, and the map {len(points)} points.")
    return Scatter(projection, color, facets, regions)


def point_colors(color: Colored | None, n: int, theme: Theme) -> list[str]:
    """Return the color of each of n points as on the map, for a small figure beside it.

    A value gets the nearest of the scale's colors, without mixing.
    """
    if color is None or color.kind == "plain":
        return [theme.sequential[5]] * n
    codes = np.asarray(color.codes, np.int64)
    if color.kind == "category":
        named = np.asarray(theme.categorical)[codes % len(theme.categorical)]
    else:
        steps = np.asarray(theme.diverging if color.kind == "value" and color.diverging else theme.sequential[2:])
        last = REST - 1 if color.kind == "value" else len(color.labels) - 1
        shares = np.minimum(codes, last) / last if last > 0 else np.ones(n)  # a single label has the last color
        named = steps[np.rint(shares * (len(steps) - 1)).astype(np.int64)]
    return [str(one) for one in np.where(codes == REST, theme.rest, named)]


def digest(content: bytes) -> str:
    """Return a short hash of some bytes, the same in every run."""
    return hashlib.blake2b(content, digest_size=12).hexdigest()


def _check_coloring(color: Colored, n: int) -> None:
    if color.kind not in KINDS:
        raise ValueError(f"A coloring is one of {', '.join(KINDS)}; this one is {color.kind!r}.")
    if color.kind == "plain":
        return
    if len(color.codes) != n:
        raise ValueError(f"A coloring needs one code a point: {len(color.codes)} codes, {n} points.")
    if color.kind in ("category", "ordered"):
        if len(color.labels) > MOST_LABELS:
            raise ValueError(
                f"A map tells at most {MOST_LABELS} categories apart; this coloring names {len(color.labels)}. "
                "Keep the largest and leave the others grey."
            )
        used = color.codes[color.codes != REST]
        if used.size and int(used.max()) >= len(color.labels):
            raise ValueError(f"Code {int(used.max())} has no label: the coloring names {len(color.labels)}.")


def _check_frames(projection: Projected, points: NDArray[np.float32]) -> None:
    frames = getattr(projection, "frames", None)
    if frames is None:
        return
    moments = np.asarray(projection.moments, np.float64)  # type: ignore[attr-defined]
    if frames.shape != (len(moments), *points.shape):
        raise ValueError(f"{len(moments)} moments of points of shape {points.shape} have no frames of {frames.shape}.")
    if not len(moments) or (np.diff(moments) <= 0).any() or not np.isfinite(moments).all():
        raise ValueError("The moments of a map that moves are numbers that rise.")
    if not np.isfinite(frames).all():
        raise ValueError("A map that moves has places that are not finite numbers.")


def _rows(projection: Projected) -> NDArray[np.int64] | None:
    return getattr(projection, "rows", None)


def _labels(projection: Projected) -> Sequence[str]:
    """Return the text of each point: its label if the projection has labels, else its word."""
    labels: Sequence[str] | None = getattr(projection, "labels", None)
    return projection.words if labels is None else labels


def _geometry_envelope(projection: Projected) -> bytes:
    words = WordBlob.of(_labels(projection))
    frames = getattr(projection, "frames", None)
    header: dict[str, Any] = {
        "kind": "geometry",
        "count": len(words),
        "dimensions": projection.points.shape[1],
        "method": projection.method,
        "axes": list(projection.axes or ()),
    }
    arrays: dict[str, NDArray[Any]] = {
        "points": np.asarray(projection.points, dtype=np.float32),
        "offsets": words.offsets.astype(np.uint32),
        "text": words.blob,
    }
    rows = _rows(projection)
    if rows is not None:
        arrays["rows"] = np.asarray(rows).astype(np.uint32)
    if frames is not None:
        header["moments"] = [float(moment) for moment in projection.moments]  # type: ignore[attr-defined]
        arrays["frames"] = np.asarray(frames, np.float32).ravel()
    return pack(header, arrays)


def _paint_envelope(color: Colored | None, n: int) -> bytes:
    if color is None or color.kind == "plain":
        title = "" if color is None else color.title
        return pack({"kind": "paint", "coloring": "plain", "title": title, "labels": [], "count": n}, {})
    header: dict[str, Any] = {
        "kind": "paint",
        "coloring": color.kind,
        "title": color.title,
        "labels": list(color.labels),
        "count": n,
    }
    if color.kind == "value":
        header |= {"low": float(color.low), "high": float(color.high), "diverging": bool(color.diverging)}
    return pack(header, {"codes": np.asarray(color.codes, dtype=np.uint8)})


def _arrays_of(facets: Facets) -> dict[str, NDArray[Any]]:
    """Return the columns as arrays by their role: "classes", "size", "time"."""
    arrays: dict[str, NDArray[Any]] = {}
    if facets.classes is not None:
        arrays["classes"] = facets.classes.codes
    if facets.size is not None:
        arrays["size"] = facets.size.values
    if facets.time is not None:
        arrays["time"] = facets.time.values
    return arrays


def _columns_envelope(facets: Facets | None, regions: Regions | None) -> bytes:
    header: dict[str, Any] = {"kind": "columns"}
    if regions is not None:
        header["regions"] = {"by": regions.by, "found": [vars(each) for each in regions.found]}
    if facets is None:
        return pack(header, {})
    if facets.classes is not None:
        header["classes"] = {"title": facets.classes.title, "names": list(facets.classes.names)}
    if facets.size is not None:
        header["size"] = {"title": facets.size.title}
    if facets.time is not None:
        header["time"] = {"title": facets.time.title, "unit": facets.time.unit}
    return pack(header, _arrays_of(facets))


MODULES: Mapping[str, str] = MappingProxyType({**SHARED, **modules_in(Path(__file__).parent)})
"""The text of every ES module by file name; `main.mjs` is the one to import."""

VERSION: str = digest("\0".join(f"{name}\0{text}" for name, text in sorted(MODULES.items())).encode())
"""A hash of the text of all modules; a part of the address from which a browser loads them."""
