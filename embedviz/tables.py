"""Tables of texts: rows of cells from CSV, TSV, JSON Lines, Parquet or Arrow, one at a time."""

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
LONGEST_ROW = 2**24
"""Characters of a cell."""
TEXT_NAMES = (
    *("text", "texts", "sentence", "document", "content", "passage", "chunk", "body", "message", "review", "comment"),
    *("post", "abstract", "article", "story", "tweet", "question", "input", "description", "headline", "title"),
)
"""Names of a column of texts, the likeliest first."""
SEPARATORS = ("\t", ",", ";", "|")
_LOOKED_AT = 200  # rows from which columns are recognised
_HALVES = re.compile("[\ud800-\udfff]")

Leave = Callable[[str, str], None]
"""Counts what is left out: why, and where."""
Row = tuple[tuple[str, ...], int]
"""The cells of a row, and the line that it ends on."""


def delimiter_of(text: str) -> str:
    """Return what separates the cells of a text that is a table; empty where it is none.

    A table has at least two cells in each of its first rows, and in nine of ten the same number.
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
    """Yield the rows of lines with their ends that are not empty; cells may be quoted as in CSV.

    Raises:
        CorpusError: A row cannot be read; the sentence names the line.
    """
    before = csv.field_size_limit(LONGEST_ROW)
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for row in reader:
            if row:
                yield tuple(row), reader.line_num
    except csv.Error as error:
        raise CorpusError(f"Line {reader.line_num:,} of the table cannot be read: {error}.") from None
    finally:
        csv.field_size_limit(before)


def bare_rows(text: str, separator: str) -> Iterator[Row]:
    """Yield the rows of a text that are not empty; in a table with tabs a quotation mark is only itself.

    Raises:
        CorpusError: A row cannot be read; the sentence names the line.
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
    """Yield the names of the columns, then the rows; those of another length are left out.

    Args:
        lines: Without their ends.
        is_header: Returns whether the first of some rows names the columns.

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
    """Yield the names of the fields of JSON objects, one a line, then what each object has in them.

    Raises:
        CorpusError: No line is an object.
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
    """Return *parquet* or *arrow* for a file of that format, recognised by its first bytes; else an empty text."""
    with opened(path) as file:
        start = file.read(6)
    return "parquet" if start.startswith(b"PAR1") else "arrow" if start == b"ARROW1" else ""


def arrow_rows(path: Path, most: int) -> Iterator[Row]:
    """Yield the names of the columns of a Parquet or Arrow file, then its rows; nested columns are left out.

    Args:
        most: Bytes that the cells may have together.

    Raises:
        CorpusError: pyarrow is not installed, the file is damaged, or it has no rows or too much text.
    """
    try:
        import pyarrow
    except ImportError:
        raise CorpusError("Parquet and Arrow files need pyarrow: pip install pyarrow.") from None
    place = size = 0
    try:
        for batch in _batches(path, most):
            columns = [name for name, field in zip(batch.schema.names, batch.schema, strict=True) if _is_flat(field)]
            if place == 0:
                if not columns or len(columns) > MOST_COLUMNS:
                    raise CorpusError(f"The table has {len(columns):,} plain columns; 1 to {MOST_COLUMNS} are read.")
                yield distinct(columns), 0
            cells = [batch.column(batch.schema.get_field_index(name)).to_pylist() for name in columns]
            for row in zip(*cells, strict=True):
                place += 1
                texts = tuple("" if cell is None else str(cell) for cell in row)
                size += sum(map(len, texts))
                if size > most:
                    raise CorpusError(too_much(most))
                yield texts, place
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        raise CorpusError(f"{path.name} is damaged ({str(error)[:200]}). Copy or download it again.") from None
    if place == 0:
        raise CorpusError("The table has no rows. Choose another file.")


def _batches(path: Path, most: int) -> Iterator[Any]:
    """Yield the record batches of a Parquet or Arrow file, at most `_LOOKED_AT` rows at a time from Parquet."""
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
                yield reader.get_batch(number)


def _is_flat(field: Any) -> bool:
    from pyarrow import types

    return not types.is_nested(field.type) and not types.is_binary(field.type)


def is_json_lines(text: str) -> bool:
    """Return whether the first non-empty line of a text is a JSON object."""
    first = next((line for line in io.StringIO(text[: 2**20]) if line.strip()), "")
    return first.lstrip().startswith("{") and json_object(first) is not None


def cell_number(text: str) -> float | None:
    """Return the number in a cell, with a decimal point or comma; None where there is none."""
    for written in (text, *([text.replace(",", ".")] if text.count(",") == 1 else [])):
        with suppress(ValueError):
            return float(written)
    return None


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without blanks around them, cut to 80 signs, each once."""
    tidy = (" ".join(name.split())[:80] or f"column {number}" for number, name in enumerate(names, 1))
    return tuple(unique_names(tidy))


def json_object(line: str) -> dict[str, object] | None:
    """Return the object of a line of JSON Lines, or None; a half of a surrogate pair in its texts becomes U+FFFD."""
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
    """Return a field's value as a cell; empty where it is no text, number or truth value."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, bool | int | float) else ""
