"""Cells of a table of vectors: what number, list or text stands in one."""

import math
import re
from typing import Any

from embedviz import tables

WHOLE = re.compile(r"\s*-?\d+\s*\Z")
"""A whole number in a cell."""


def as_float(cell: Any) -> float:
    """Return the number of a cell or of a JSON value; NaN for an empty one.

    Raises:
        ValueError: The text is no number.
        TypeError: It is a truth value, or of another type that is no number.
    """
    if isinstance(cell, str):
        found = number_in(cell) if cell.strip() else math.nan
        if found is None:
            raise ValueError(cell)
        return found
    if isinstance(cell, bool):
        raise TypeError
    return math.nan if cell is None else float(cell)


def number_in(cell: str) -> float | None:
    """Return the number in a cell; None where there is none."""
    try:
        return float(cell)
    except ValueError:
        return tables.cell_number(cell)


def is_value(cell: str) -> bool:
    """Return whether a cell is a number or empty."""
    return not cell.strip() or number_in(cell) is not None


def list_in(cell: str) -> list[str] | None:
    """Return the numbers of a list in a cell, still as texts; None where it is none."""
    text = cell.strip()
    if len(text) < 5 or text[0] not in "[(" or text[-1] not in "])":
        return None
    fields = text[1:-1].replace(",", " ").split()
    return fields if len(fields) > 1 and number_in(fields[0]) is not None else None


def is_vector(value: Any) -> bool:
    """Return whether a value of JSON is a list of two or more numbers; the first three and the last are checked."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(type(each) in (int, float) for each in (*value[:3], value[-1]))
    )


def text_of(value: Any) -> str:
    """Return a text or a number as text; empty for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) else ""


def bytes_of(value: Any) -> bytes:
    """Return a text or a number as bytes; bytes that were no UTF-8 come back as they were."""
    text = text_of(value)
    return text.encode("utf-8", "surrogateescape" if _escaped(text) else "replace")


def _escaped(text: str) -> bool:
    """Return whether the halves of surrogate pairs in a text are bytes that are no UTF-8."""
    return all(not "\ud800" <= sign <= "\udfff" or "\udc80" <= sign <= "\udcff" for sign in text)


def count_in(value: Any) -> int:
    """Return the whole number in a cell; 0 where there is none."""
    text = text_of(value).strip()
    return int(text) if text.isdigit() and len(text) < 19 else 0
