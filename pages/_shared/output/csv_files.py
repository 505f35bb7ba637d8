"""Tables as CSV files in which a spreadsheet runs no formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from embedviz.core.pasted import inert

if TYPE_CHECKING:
    from embedviz.core.space import Ints, VectorSpace
    from embedviz.projection import Projection
    from embedviz.projection.coloring import Coloring
    from embedviz.projection.guests import Guests

LONGEST_CELL = 32_000
"""Most characters of a cell; Excel cuts a cell after 32,767."""
_MOST_SINGLE = 3e38
"""Slightly below the largest 32-bit float."""
Rows = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Header and rows, as the `table()` of a result gives them."""
Table = Callable[[], str | Rows] | str


def map_table(
    space: VectorSpace,
    projected: Projection,
    color: Coloring | None,
    places: Ints | None = None,
    also: Mapping[str, Sequence[str | float]] | None = None,
    guests: Guests | None = None,
) -> str:
    """Return the points of a map as CSV: word, coordinates, class or value, and text of each point.

    A text longer than `LONGEST_CELL` characters is cut, and ends with an ellipsis.

    Args:
        places: Indices of the points to write; None writes all points.
        also: Titles of additional columns, each with the column's entries, one for each point.
        guests: Added words, in rows below the points; an extra column has each added word's share of neighbors kept.
    """
    more: dict[str, Sequence[str | float]] = (
        {color.title: color.described()} if color is not None and color.kind != "plain" else {}
    )
    if space.texts is not None:
        more["text"] = [
            text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…" for text in space.texts.at(projected.rows)
        ]
    more |= also or {}
    header, drawn = (*projected.columns, *more), projected.table(*more.values(), places=places)
    if guests is None:
        return csv_text(drawn, header)
    empty = [""] * len(more)
    placed = zip(guests.words, guests.points.tolist(), guests.kept.tolist(), strict=True)
    below = ((word, *point, *empty, preserved) for word, point, preserved in placed)
    return csv_text(chain(((*row, "") for row in drawn), below), (*header, "added word: neighbors kept"))


def csv_text(rows: Iterable[Sequence[object]], header: Sequence[str]) -> str:
    """Return the rows as CSV in which a spreadsheet runs no formula.

    Text that a spreadsheet would take for a formula (it begins with = + - @) gets an apostrophe before it. Invisible
    characters are escaped. `embedviz.core.pasted` undoes both. A 32-bit float is written with the fewest digits that
    identify it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([_inert(cell) for cell in header])
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue()


def file_name(text: str) -> str:
    """Return the text as the stem of a file name: at most 80 letters, digits, hyphens and underscores, never empty."""
    return re.sub(r"[^\w-]+", "-", text).strip("-_")[:80] or "embedviz"


def _inert(cell: object) -> object:
    """Return the cell so that no spreadsheet takes it for a formula; a 32-bit float becomes a text with few digits."""
    if isinstance(cell, float) and abs(cell) < _MOST_SINGLE and float(single := np.float32(cell)) == cell:
        return str(single)
    return inert(cell) if isinstance(cell, str) else cell


def bytes_of(table: Table) -> bytes | Callable[[], bytes]:
    """Return a table as UTF-8 bytes; if `table` is a function, return a function that returns the bytes.

    The bytes begin with a byte order mark; without this mark Excel reads Latin-1.
    """
    if isinstance(table, str):
        return table.encode("utf-8-sig", "replace")

    def made() -> bytes:
        found = table()
        text = found if isinstance(found, str) else csv_text(found[1], found[0])
        return text.encode("utf-8-sig", "replace")

    return made
