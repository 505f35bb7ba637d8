"""Reading tables row by row: CSV, TSV, JSON Lines, Parquet and Arrow."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from embedviz.core.phrases import unique_names
from embedviz.files.archives import CorpusError, opened, too_much

MOST_COLUMNS = 100
LONGEST_CELL = 2**24
"""Maximum number of characters in one cell. In a file that is read line by line: of bytes in one line."""
TEXT_NAMES = (
    *("text", "texts", "sentence", "document", "content", "passage", "chunk", "body", "message", "review", "comment"),
    *("post", "abstract", "article", "story", "tweet", "question", "input", "description", "headline", "title"),
)
"""Likely names of the column that holds the texts, most likely first."""
SEPARATORS = ("\t", ",", ";", "|")
_LOOKED_AT = 200  # rows read to recognise the columns
_HALVES = re.compile("[\ud800-\udfff]")

Leave = Callable[[str, str], None]
"""A function that is called for each row that is left out, with the reason and the place, such as “line 7”."""
Row = tuple[tuple[str, ...], int]
"""The cells of a row, and the number of its last line (in Parquet and Arrow: of the row); 0 for the column names."""


def delimiter_of(text: str) -> str:
    """Return the delimiter of a table (tab, comma, semicolon or `|`); empty if the text is not a table.

    In a table, at least 90 % of the first 200 rows have the same number of cells, and this number is at least two.
    """
    sample = text[: 2**18]
    best, most = "", 0.0
    for delimiter in SEPARATORS:
        sizes = [len(row) for row, _ in islice(rows(io.StringIO(sample, newline=""), delimiter), _LOOKED_AT)]
        sizes = sizes[:-1] if len(sample) < len(text) and len(sizes) > 1 else sizes
        if len(sizes) < 2:
            continue
        usual, often = Counter(sizes).most_common(1)[0]
        if usual >= 2 and often >= 0.9 * len(sizes) and often * usual > most:
            best, most = delimiter, often * usual
    return best


def rows(lines: Iterable[str], delimiter: str) -> Iterator[Row]:
    """Yield the rows of CSV lines, where cells may be quoted; skip empty rows. The lines include their line ends.

    Raises:
        CorpusError: A row cannot be read; the message names the line.
    """
    csv.field_size_limit(LONGEST_CELL)  # of the whole process; it stays, for readers in other threads
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for row in reader:
            if row:
                yield tuple(row), reader.line_num
    except csv.Error as error:
        raise CorpusError(f"Line {reader.line_num:,} of the table cannot be read: {error}.") from None


def bare_rows(text: str, separator: str) -> Iterator[Row]:
    """Yield the rows of a table given as text; skip blank rows. Cells may be quoted, unless tabs separate them.

    Raises:
        CorpusError: A row cannot be read; the message names the line.
    """
    if separator != "\t":
        yield from (row for row in rows(io.StringIO(text, newline=""), separator) if any(map(str.strip, row[0])))
        return
    for place, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if line.strip():
            yield tuple(line.split("\t")), place


def named_rows(
    lines: Iterable[str], delimiter: str, is_header: Callable[[Sequence[tuple[str, ...]]], bool], leave: Leave
) -> Iterator[Row]:
    """Yield the column names of a CSV table, then the rows with the usual number of cells.

    The usual number is the most common one among the first rows. Rows with another number of cells are left out, and
    `leave` is called for each of them.

    Args:
        lines: Lines without their line ends.
        is_header: Function that takes the first rows, and returns whether the first row holds the column names. If not,
            the names are “column 1”, “column 2” and so on.
        leave: Function that is called with the reason and the place of each row that is left out.

    Raises:
        CorpusError: There are no rows or too many columns, or a row cannot be read.
    """
    every = rows((f"{line}\n" for line in lines), delimiter)
    first = list(islice(every, _LOOKED_AT))
    if not first:
        raise CorpusError("The table has no rows.")
    width = Counter(len(row) for row, _ in first).most_common(1)[0][0]
    if width > MOST_COLUMNS:
        raise CorpusError(f"The table has {width:,} columns; at most {MOST_COLUMNS} are read.")
    whole = [row for row, _ in first if len(row) == width]
    header = whole[0] if is_header(whole) else None
    yield distinct(header or [""] * width), 0
    for row, place in chain(first, every):
        if len(row) != width:
            leave("Rows without as many cells as the others, left out", f"line {place:,}")
        elif row is not header:
            yield row, place


def object_rows(lines: Iterable[str], leave: Leave) -> Iterator[Row]:
    """Yield the field names of JSON objects (one per line), then one row of cells for each object.

    Lines that are no JSON object are left out, and `leave` is called for each unless it is blank.

    Raises:
        CorpusError: No line is a JSON object with a field.
    """

    def objects() -> Iterator[tuple[dict[str, object], int]]:
        for place, line in enumerate(lines, 1):
            found = json_object(line) if line.strip() else None
            if found is not None:
                yield found, place
            elif line.strip():
                leave("Lines that are no JSON object, left out", f"line {place:,}")

    every = objects()
    first = list(islice(every, 5 * _LOOKED_AT))
    columns = tuple(dict.fromkeys(name for one, _ in first for name in one))[:MOST_COLUMNS]
    if not columns:
        raise CorpusError("No line is a JSON object with a text in it.")
    yield columns, 0
    for one, place in chain(first, every):
        yield tuple(_json_cell(one.get(name)) for name in columns), place


def arrow_format(path: Path) -> str:
    """Return *parquet* or *arrow* if the first bytes of the file are of this format, otherwise an empty string.

    Raises:
        CorpusError: The file cannot be opened.
    """
    with opened(path) as file:
        start = file.read(6)
    return "parquet" if start.startswith(b"PAR1") else "arrow" if start == b"ARROW1" else ""


def arrow_rows(path: Path, most: int) -> Iterator[Row]:
    """Yield the column names of a Parquet or Arrow file, then its rows, without nested and binary columns.

    Args:
        most: Maximum number of characters in all cells. For Parquet, it is also the maximum of uncompressed bytes.

    Raises:
        CorpusError: pyarrow is not installed; the file is damaged or has no rows; or it has no columns, too many
            columns or too much text.
    """
    try:
        import pyarrow
    except ImportError:
        raise CorpusError("Parquet and Arrow files need pyarrow: pip install pyarrow.") from None
    place, size, first = 0, 0, True
    try:
        for batch in _batches(path, most):
            columns = [number for number, field in enumerate(batch.schema) if _is_flat(field)]
            if first:
                if not columns or len(columns) > MOST_COLUMNS:
                    raise CorpusError(f"The table has {len(columns):,} plain columns; 1 to {MOST_COLUMNS} are read.")
                yield distinct([batch.schema.names[number] for number in columns]), 0
                first = False
            cells = [batch.column(number).to_pylist() for number in columns]
            for row in zip(*cells, strict=True):
                place += 1
                texts = tuple("" if cell is None else str(cell) for cell in row)
                size += sum(map(len, texts))
                if size > most:
                    raise CorpusError(too_much(most))
                yield texts, place
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, OverflowError, MemoryError) as error:
        raise CorpusError(f"{path.name} is damaged ({str(error)[:200]}). Copy or download it again.") from None
    if place == 0:
        raise CorpusError("The table has no rows. Choose another file.")


def _batches(path: Path, most: int) -> Iterator[Any]:
    """Yield the record batches of a Parquet or Arrow file. Batches from Parquet have at most `_LOOKED_AT` rows.

    Raises:
        CorpusError: A Parquet file has more than `most` uncompressed bytes.
    """
    if arrow_format(path) == "parquet":
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            groups = file.metadata.num_row_groups
            if sum(file.metadata.row_group(number).total_byte_size for number in range(groups)) > most:
                raise CorpusError(too_much(most))
            yield from file.iter_batches(batch_size=_LOOKED_AT)
    else:
        from pyarrow import ipc

        with ipc.open_file(str(path)) as reader:
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                batch.validate(full=True)  # offsets of a damaged file could point outside its memory
                yield batch


def _is_flat(field: Any) -> bool:
    from pyarrow import types

    return not types.is_nested(field.type) and not types.is_binary(field.type)


def is_json_lines(text: str) -> bool:
    """Return whether the first non-empty line of a text is a JSON object."""
    first = next((line for line in io.StringIO(text[: 2**20]) if line.strip()), "")
    return first.lstrip().startswith("{") and json_object(first) is not None


def cell_number(text: str) -> float | None:
    """Return the number in a cell, with a decimal point or a decimal comma; None if the cell holds no number."""
    try:
        return float(text)
    except ValueError:
        with suppress(ValueError):
            return float(text.replace(",", ".", 1)) if "," in text else None
    return None


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return the column names without extra blanks, cut to 80 characters and made unique.

    An empty name becomes “column” with its number, such as “column 3”.
    """
    tidy = (" ".join(name.split())[:80] or f"column {number}" for number, name in enumerate(names, 1))
    return tuple(unique_names(tidy))


def json_object(line: str) -> dict[str, object] | None:
    """Return the object in a line of JSON Lines; None if the line holds no object.

    Unpaired surrogates in names and texts become U+FFFD.
    """
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


def _json_cell(value: object) -> str:
    """Return the value of a field as the text of a cell; empty unless it is a string, number or boolean."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, bool | int | float) else ""
