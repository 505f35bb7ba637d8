"""Read the number, list or text in a cell of a table of vectors."""

import math
import re
from typing import Any

from embedviz import tables

WHOLE = re.compile(r"\s*-?\d+\s*\Z")
"""Pattern of a cell that holds a whole number."""


def as_float(cell: Any) -> float:
    """Return the number in a cell or JSON value; NaN for an empty cell and for null.

    Raises:
        ValueError: The text is not a number.
        TypeError: The value is a boolean, a list or an object.
        OverflowError: The value is a whole number beyond the range of float.
    """
    if isinstance(cell, str):
        found = tables.cell_number(cell) if cell.strip() else math.nan
        if found is None:
            raise ValueError(cell)
        return found
    if isinstance(cell, bool):
        raise TypeError
    return math.nan if cell is None else float(cell)


def is_value(cell: str) -> bool:
    """Return whether a cell is a number or empty."""
    return not cell.strip() or tables.cell_number(cell) is not None


def list_in(cell: str) -> list[str] | None:
    """Return the entries of a list of numbers in a cell, as texts; None if the cell is not such a list.

    A list of numbers has at least two entries in brackets. Only the first entry is checked to be a number.
    """
    text = cell.strip()
    if len(text) < 5 or text[0] not in "[(" or text[-1] not in "])":
        return None
    fields = text[1:-1].replace(",", " ").split()
    return fields if len(fields) > 1 and tables.cell_number(fields[0]) is not None else None


def is_vector(value: Any) -> bool:
    """Return whether a JSON value is a list of two or more numbers. Only the first three and the last are checked."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(type(each) in (int, float) for each in (*value[:3], value[-1]))
    )


def text_of(value: Any) -> str:
    """Return a cell or JSON value as text if it is a text, a number or a boolean; otherwise an empty text."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) else ""


def bytes_of(value: Any) -> bytes:
    """Return a text, a number or a boolean as UTF-8 bytes; empty bytes for other values.

    Surrogates that stand for invalid bytes (*surrogateescape*) become these bytes again. If a text has any other
    surrogate, each of its surrogates becomes “?”.
    """
    text = text_of(value)
    return text.encode("utf-8", "surrogateescape" if _escaped(text) else "replace")


def _escaped(text: str) -> bool:
    """Return whether each surrogate in a text stands for a byte that was not valid UTF-8 (*surrogateescape*)."""
    return all(not "\ud800" <= sign <= "\udfff" or "\udc80" <= sign <= "\udcff" for sign in text)


def count_in(value: Any) -> int:
    """Return the count in a cell, a whole number of at most 18 digits without a sign; 0 if it holds none."""
    text = text_of(value).strip()
    return int(text) if text.isdecimal() and len(text) < 19 else 0
