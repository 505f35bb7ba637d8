"""Scan lines of a text file for rows, in plain Python; the compiled `scanner` must give the same result."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from embedviz.core.phrases import counted
from embedviz.core.space import Float
from embedviz.files.errors import FormatError
from embedviz.formats.reading import RAGGED, UNREADABLE, Bad, RowBlock, Tally, checked_block
from embedviz.formats.refusals import is_number

LONGEST_LINE = 2**20
FIELD = re.compile(rb"[^ \t]+")


class Scan(NamedTuple):
    """Consecutive complete lines of a file, to be scanned.

    Attributes:
        data: The bytes of the lines; the last byte is 0x0A.
        first: The number of the first line, from 1.
        shape: The number of dimensions that each row must have, with the line that set it.
    """

    data: bytes
    first: int
    shape: Shape


class Shape(NamedTuple):
    """The number of dimensions that each row must have, and the first line with this number, for error messages."""

    dimensions: int
    line: int


def numbers_in(line: bytes) -> int:
    """Return how many fields at the end of a line are numbers.

    The first field belongs to the word and is never counted, unless the line begins with a separator.
    """
    fields = FIELD.findall(line)
    count = 0
    for field in reversed(fields[line[:1] not in (b" ", b"\t") :]):
        if not is_number(field):
            break
        count += 1
    return count


def scan_lines(scan: Scan) -> RowBlock:
    """Return the rows in some lines of a file, and count the lines that are not valid rows.

    Blank lines are skipped. The block's `tally` has the counts by reason.

    Raises:
        FormatError: A line is longer than a row can be.
    """
    dimensions = scan.shape.dimensions
    words: list[bytes] = []
    numbers: list[float] = []
    lines: list[int] = []
    tally = Tally()
    for line, text in enumerate(scan.data[:-1].split(b"\n"), scan.first):
        row = _plain_row(text, dimensions) or odd_row(text, line, scan.shape)
        if isinstance(row, Bad):
            tally.refuse(row)
        elif row:
            words.append(row[0])
            numbers += row[1]
            lines.append(line)
    return checked_block(words, _float32(numbers, dimensions), np.array(lines, np.int64), tally)


def odd_row(text: bytes, line: int, shape: Shape) -> tuple[bytes, list[float]] | Bad | None:
    """Return the word and the numbers of a line of any form.

    Return a `Bad` for a line that is not a row, and None for a blank line.

    Raises:
        FormatError: The line is longer than a row can be.
    """
    if len(text) > LONGEST_LINE:
        raise too_long(line)
    text = text.rstrip(b" \t\r")
    if not text:
        return None
    spans = [match.span() for match in FIELD.finditer(text)]
    begin = len(spans) - shape.dimensions
    wordless_row = begin == 0 and text[:1] in (b" ", b"\t")
    if begin < 1 and not wordless_row:
        return _ragged(text, line, shape)
    fields = [text[start:end] for start, end in spans[begin:]]
    try:
        numbers = list(map(float, fields))
    except ValueError:
        return _unreadable(text, fields, line, shape)
    if begin > 1 and is_number(text[slice(*spans[begin - 1])]):
        return _ragged(text, line, shape)
    return text[: spans[begin][0]].strip(b" \t"), numbers


def _plain_row(text: bytes, dimensions: int) -> tuple[bytes, list[float]] | None:
    fields = text.rstrip(b" \t\r").split(b" ")
    if len(fields) != dimensions + 1 or not fields[0] or b"\t" in fields[0] or len(text) > LONGEST_LINE:
        return None
    try:
        return fields[0], list(map(float, fields[1:]))
    except ValueError:
        return None


def _float32(numbers: list[float], dimensions: int) -> Float:
    with np.errstate(over="ignore"):
        return np.array(numbers, np.float64).astype(np.float32).reshape(-1, dimensions)


def _ragged(text: bytes, line: int, shape: Shape) -> Bad:
    found = numbers_in(text)
    has = f"Line {line:,} has {counted(found, 'number')}"
    return Bad(RAGGED, line, f"{has}; line {shape.line:,} has {shape.dimensions:,}.", found, shape.dimensions)


def _unreadable(text: bytes, fields: list[bytes], line: int, shape: Shape) -> Bad:
    place, field = next((i, field) for i, field in enumerate(fields, 1) if not is_number(field))
    if numbers_in(text) == 0:
        return _ragged(text, line, shape)
    printed = field[:40].decode("utf-8", "replace")
    return Bad(UNREADABLE, line, f"Line {line:,} has “{printed}” where its number {place:,} should stand.", printed)


def too_long(line: int, most: int = LONGEST_LINE) -> FormatError:
    """Return the error for a line longer than `most` bytes."""
    text = f"Line {line:,} is longer than {most:,} bytes; a row of a vector file is not. Choose another file."
    return FormatError(text, {"reason": "line too long", "line": line, "expected": most, "usable": 0})
