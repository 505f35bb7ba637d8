"""Texts in a table: which column holds them and which their groups, for CSV, TSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from embedviz.core.phrases import listing
from embedviz.files.archives import CorpusError

TEXT_NAMES = (
    *("text", "texts", "sentence", "document", "content", "body", "message", "review", "comment", "post"),
    *("abstract", "article", "story", "tweet", "question", "description", "headline", "title"),
)
GROUP_NAMES = (
    *("group", "label", "class", "category", "topic", "target", "newsgroup", "section", "genre", "subject"),
    *("sentiment", "language", "author", "source"),
)
NO_GROUP = "none"
"""What stands for no column where a group column may be named."""
MOST_COLUMNS = 100
MOST_GROUPS = 1_000
_DELIMITERS = ("\t", ",", ";", "|")
_LOOKED_AT = 200  # rows that columns are told by
_LONGEST_FIELD = 16 * 2**20
_HALVES = re.compile("[\ud800-\udfff]")
_LONGEST_GROUP = 40  # characters that the name of a group has on average at most


class Table(NamedTuple):
    """Rows of cells under named columns; `places` are their lines, `faulty` those of rows that were left out."""

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    places: list[int]
    faulty: list[int]


def delimiter_of(text: str) -> str:
    """What separates the cells of a text that is a table; empty where it is none.

    A table has at least two cells in each of its first rows, and in nine of ten the same number.
    """
    sample = text[: 2**18]
    best, most = "", 0.0
    for delimiter in _DELIMITERS:
        sizes = [len(row) for row, _ in _rows(sample, delimiter, _LOOKED_AT)]
        sizes = sizes[:-1] if len(sample) < len(text) and len(sizes) > 1 else sizes
        if len(sizes) < 2:
            continue
        usual, often = Counter(sizes).most_common(1)[0]
        if usual >= 2 and often >= 0.9 * len(sizes) and often * usual > most:
            best, most = delimiter, often * usual
    return best


def only_header(text: str) -> tuple[str, ...]:
    """The columns of a text that is a table's header and nothing below it; empty where it is something else."""
    lines = [line.strip() for line in text[: 2**12].split("\n") if line.strip()]
    if len(lines) != 1 or len(text) > 2**12:
        return ()
    for delimiter in _DELIMITERS:
        cells = [cell.strip().strip('"') for cell in lines[0].split(delimiter)]
        told = {cell.lower() for cell in cells} & {*TEXT_NAMES, *GROUP_NAMES}
        if told and all(cells) and len({*cells}) == len(cells):
            return tuple(cells)
    return ()


def read_csv(text: str, delimiter: str) -> Table:
    """The table of a text with delimiters; the first row names the columns where it looks like names.

    Raises:
        CorpusError: It has no rows.
    """
    read = _rows(text, delimiter)
    if not read:
        raise CorpusError("The table has no rows.")
    width = Counter(len(row) for row, _ in read[:_LOOKED_AT]).most_common(1)[0][0]
    if not 1 <= width <= MOST_COLUMNS:
        raise CorpusError(f"The table has {width:,} columns; at most {MOST_COLUMNS} are read.")
    faulty = [place for row, place in read if len(row) != width]
    whole = [(tuple(row), place) for row, place in read if len(row) == width]
    named = is_header([row for row, _ in whole[:_LOOKED_AT]])
    columns = distinct(whole[0][0]) if named else tuple(f"column {number + 1}" for number in range(width))
    body = whole[1:] if named else whole
    return Table(columns, [row for row, _ in body], [place for _, place in body], faulty)


def is_json_lines(text: str) -> bool:
    """Whether the first line of a text that is not empty is a JSON object."""
    first = next((line for line in io.StringIO(text[: 2**20]) if line.strip()), "")
    return first.lstrip().startswith("{") and json_object(first) is not None


def read_json_lines(text: str) -> Table:
    """The table of a text with one JSON object a line; what is no text, number or truth value is left empty.

    Raises:
        CorpusError: No line is an object.
    """
    objects, places, faulty = [], [], []
    for place, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        found = json_object(line)
        if found is None:
            faulty.append(place)
        else:
            objects.append(found)
            places.append(place)
    columns = tuple(dict.fromkeys(name for one in objects[:1000] for name in one))[:MOST_COLUMNS]
    if not columns:
        raise CorpusError("No line is a JSON object with a text in it.")
    rows = [tuple(json_cell(one.get(name)) for name in columns) for one in objects]
    return Table(columns, rows, places, faulty)


def text_column(table: Table, asked: str = "") -> int:
    """Which column holds the texts: the one that is named, else one with a telling name, else the longest.

    Raises:
        CorpusError: There is no column of that name.
    """
    if asked:
        return _named(table, asked)
    for name in TEXT_NAMES:
        for number, column in enumerate(table.columns):
            if column.strip().lower() == name:
                return number
    sample = table.rows[:_LOOKED_AT]
    return max(range(len(table.columns)), key=lambda number: fmean([len(row[number]) for row in sample] or [0]))


def group_column(table: Table, text: int, asked: str = "") -> int | None:
    """Which column holds the groups: the one that is named, else one with a telling name, else one of few short values.

    Raises:
        CorpusError: There is no column of that name, or it has more values than groups may be.
    """
    if asked == NO_GROUP:
        return None
    if asked:
        number = _named(table, asked)
        values = len({row[number] for row in table.rows})
        if values > MOST_GROUPS:
            raise CorpusError(f"The column {asked} has {values:,} values; at most {MOST_GROUPS:,} can be groups.")
        return number
    others = [number for number in range(len(table.columns)) if number != text]
    few = [number for number in others if _is_grouping(table, number)]
    for name in GROUP_NAMES:
        for number in few:
            if table.columns[number].strip().lower() == name:
                return number
    return min(few, key=lambda number: len({row[number] for row in table.rows}), default=None)


def _is_grouping(table: Table, number: int) -> bool:
    values = [row[number].strip() for row in table.rows]
    kinds = len(set(values))
    short = fmean([len(value) for value in values[:_LOOKED_AT]] or [0]) <= _LONGEST_GROUP
    return 2 <= kinds <= min(MOST_GROUPS, max(2, len(values) // 3)) and short


def _named(table: Table, asked: str) -> int:
    if asked not in table.columns:
        raise CorpusError(f"There is no column “{asked[:80]}”. There is: {listing(table.columns)}.")
    return table.columns.index(asked)


def _rows(text: str, delimiter: str, most: int | None = None) -> list[tuple[list[str], int]]:
    """Rows that are not empty, each with the line that it ends on."""
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        found: list[tuple[list[str], int]] = []
        for row in reader:
            if row:
                found.append((row, reader.line_num))
            if most is not None and len(found) >= most:
                break
        return found
    except csv.Error as error:
        raise CorpusError(f"Line {reader.line_num:,} of the table cannot be read: {error}.") from None
    finally:
        csv.field_size_limit(before)


def is_header(rows: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first of a table's rows looks like the names of its columns."""
    first, rest = rows[0], rows[1:]
    cells = [cell.strip().lower() for cell in first]
    if len(set(cells)) < len(cells) or not all(cells) or not rest:
        return False
    if set(cells) & {*TEXT_NAMES, *GROUP_NAMES, "id"}:
        return True
    lengths = [fmean(len(row[number]) for row in rest) for number in range(len(first))]
    longest = max(range(len(first)), key=lengths.__getitem__)
    return len(first[longest]) <= min(30, lengths[longest] / 3) and not any(map(_is_number, cells))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names without blanks around them, cut to 80 signs, each once."""
    seen: Counter[str] = Counter()
    found = []
    for number, name in enumerate(names):
        tidy = " ".join(name.split())[:80] or f"column {number + 1}"
        seen[tidy] += 1
        found.append(tidy if seen[tidy] == 1 else f"{tidy} ({seen[tidy]})")
    return tuple(found)


def json_object(line: str) -> dict[str, object] | None:
    """The object of a line of JSON Lines, or None; a half of a surrogate pair in its texts becomes U+FFFD."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    if "\\u" not in line:
        return found
    return {_whole(name): _whole(value) if isinstance(value, str) else value for name, value in found.items()}


def _whole(text: str) -> str:
    return _HALVES.sub("\ufffd", text)


def json_cell(value: object) -> str:
    """A field's value as a cell; empty where it is no text, number or truth value."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, bool | int | float) else ""
