"""Tables of vectors as text: CSV, TSV, JSON Lines and small JSON files.

    word,0,1,2                      {"text": "the river bank", "embedding": [0.1, 0.2, 0.3]}
    the,0.1,0.2,0.3                 {"text": "a bank account", "embedding": [0.4, 0.5, 0.6]}

The vectors are one column of lists, like OpenAI's `embedding`, or many columns of numbers. The column that names the
rows is found by its name and content. The other columns become columns of the space.
"""

import io
import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from embedviz import tables
from embedviz.core.phrases import counted, printable, unique_names
from embedviz.files.archives import CorpusError
from embedviz.files.errors import FormatError
from embedviz.files.source import CHUNK, Source
from embedviz.formats.cells import WHOLE, as_float, bytes_of, count_in, is_value, is_vector, list_in, text_of
from embedviz.formats.json_records import Record, json_records
from embedviz.formats.labels import MOST_COLUMNS, numbers_in
from embedviz.formats.matrices import as_float32, check_shape
from embedviz.formats.reading import RAGGED, UNREADABLE, Bad, Format, RowBlock, Rows, Tally, checked_block
from embedviz.formats.roles import Roles, reading_note, roles_of
from embedviz.formats.text_lines import text_lines
from embedviz.formats.vector_columns import MOST_CELLS, SAMPLE, list_column, no_vectors, number_columns
from embedviz.tables import cell_number

_LIST = re.compile(rb"\[\s*-?\d+(\.\d*)?([eE][-+]?\d+)?\s*,\s*-?\d")
_FIELDS = re.compile(rb'":\s*-?\d+\.\d+\s*[,}]')


class _Layout(NamedTuple):
    """The columns of a table and their roles.

    Attributes:
        names: The names of all columns.
        places: Indices in `names` of the columns that hold the vectors: one column of lists or many of numbers.
        dimensions: The number of dimensions.
        lists: Whether the vectors are one column of lists.
        roles: Which of the other columns hold the names of the rows, the texts and the counts.
    """

    names: Sequence[str]
    places: Sequence[int]
    dimensions: int
    lists: bool
    roles: Roles


def detect(head: bytes) -> bool:
    """Return whether the first bytes are those of JSON with vectors, or of a CSV or TSV table with vectors."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return _LIST.search(head) is not None or len(_FIELDS.findall(head[:4096])) > 1
    if b"\0" in head[:4096]:
        return False
    try:
        delimiter, sample = _sample(head)
        if not delimiter or _is_plain(delimiter, sample):
            return False
        return bool(_layout_of_cells(sample, "", "").places)
    except FormatError as error:
        return "option" in error.details
    except CorpusError:
        return False


def read(source: Source, text_column: str = "", vector_column: str = "") -> Rows:
    """Return the rows of a table of vectors, with names, counts and the other columns.

    Raises:
        FormatError: The file is no table, a column is missing, no column holds vectors, or several could.
    """
    begun = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    try:
        if begun[:1] in (b"{", b"["):
            names, records = json_records(source)
            first = list(islice(records, SAMPLE))
            layout = _layout_of_values(names, [record for record, _ in first], text_column, vector_column)
            every: Iterator[Record] = chain(first, records)
        else:
            layout, every = _cells(source, text_column, vector_column)
    except CorpusError as error:
        raise FormatError(str(error), {"reason": "table", "usable": 0}) from None
    if not layout.places:
        raise no_vectors(layout.names, vector_column)
    check_shape("The table", (1, layout.dimensions))
    vectors = [layout.names[place] for place in layout.places]
    note = reading_note(vectors, layout.lists, layout.roles)
    return Rows(layout.dimensions, _blocks(every, layout), note=note, by_frequency=False)


FORMAT = Format(
    "table",
    "table of vectors (CSV, TSV, JSON Lines)",
    detect,
    read,
    "row",
    "One column of lists, such as OpenAI’s embedding, or many columns of numbers; other columns come along.",
    options=("text_column", "vector_column"),
)


# cells: CSV and TSV


def _sample(head: bytes) -> tuple[str, list[tuple[str, ...]]]:
    """Return the delimiter and the first rows of a table; an empty delimiter if the text is not a table.

    Of the first rows, only those with the most common number of cells are returned.
    """
    text = head[: 2**18].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    delimiter = tables.delimiter_of(text)
    if not delimiter:
        return "", []
    found = [row for row, _ in islice(_split(io.StringIO(text, newline=""), delimiter), SAMPLE)]
    if len(head) > 2**18 and len(found) > 1:
        found.pop()
    if not found:  # only separators
        return "", []
    width = Counter(map(len, found)).most_common(1)[0][0]
    return delimiter, [row for row in found if len(row) == width]


def _split(lines: Iterable[str], delimiter: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the cells and the line number of each row.

    In a table with tabs, only quotation marks around a whole cell are removed; inside a cell they are text.
    """
    if delimiter != "\t":
        yield from tables.rows(lines, delimiter)
        return
    for line, text in enumerate(lines, 1):
        if text.strip():
            cells = text.rstrip("\r\n").split("\t")
            yield tuple(cells if '"' not in text else _unquoted(cells)), line


def _unquoted(cells: list[str]) -> Iterator[str]:
    """Yield cells without the quotation marks around them. A quoted text that was split at its tabs is joined again."""
    held = ""
    for place, cell in enumerate(cells):
        cell = f"{held}\t{cell}" if held else cell
        open_ = cell.startswith('"') and not (len(cell) > 1 and cell.endswith('"'))
        held = (
            cell if open_ and place + 1 < len(cells) and any(each.endswith('"') for each in cells[place + 1 :]) else ""
        )
        if not held:
            yield cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def _is_plain(delimiter: str, sample: list[tuple[str, ...]]) -> bool:
    """Return whether each row is a word and its numbers, separated by tabs. The module `text` reads such files."""
    return (
        delimiter == "\t"
        and not _header(sample)
        and all(
            len(row) > 2 and cell_number(row[0]) is None and None not in map(cell_number, row[1:])
            for row in sample[:50]
        )
    )


def _header(sample: list[tuple[str, ...]]) -> bool:
    """Return whether the first row names the columns.

    A column is numeric if all its cells below the first row are numbers or empty. With numeric columns, the first row
    must have texts above them; or it has 0, 1, 2 … or 1, 2, 3 … above decimals. Without numeric columns, each cell of
    the first row must be a text: not empty, no number and no list.
    """
    if len(sample) < 2:
        return False
    first, rest = sample[0], sample[1:]
    numeric = [place for place in range(len(first)) if all(is_value(row[place]) for row in rest)]
    cells = [first[place] for place in numeric]
    if not numeric:
        return all(cell and cell_number(cell) is None and not list_in(cell) for cell in first)
    if all(cell_number(cell) is None for cell in cells if cell) and any(cells):
        return True
    whole = [float(cell) for cell in cells if WHOLE.match(cell)]  # int() refuses over 4,300 digits
    below = all(WHOLE.match(row[place]) for row in rest[:20] for place in numeric)
    begins = len(whole) > 1 and whole[:2] in ([0, 1], [1, 2])
    series = begins and whole == list(range(int(whole[0]), int(whole[0]) + len(whole)))
    return series and not below


def _layout_of_cells(sample: list[tuple[str, ...]], text_column: str, vector_column: str) -> _Layout:
    """Return the layout of a CSV or TSV table, from its first rows. Without vectors, `places` of the layout is empty.

    Raises:
        FormatError: There are too many columns, no column `text_column`, or several columns of lists.
    """
    headed = _header(sample)
    width = len(sample[0])
    if width > MOST_CELLS:
        raise FormatError(f"The table has {width:,} columns; at most {MOST_CELLS:,} are read.", {"reason": "columns"})
    names = unique_names([cell.strip()[:80] or f"column {place}" for place, cell in enumerate(sample[0], 1)])
    if not headed:
        names = [f"column {place}" for place in range(1, width + 1)]
    body = sample[headed:] or sample
    columns = dict(zip(names, zip(*body, strict=True), strict=True))
    lists = [name for name, cells in columns.items() if all(list_in(cell) for cell in cells)]
    chosen = list_column(lists, vector_column)
    if chosen:
        sizes = Counter(len(list_in(cell) or ()) for cell in columns[chosen])
        return _with_roles(names, [names.index(chosen)], sizes.most_common(1)[0][0], True, columns, lists, text_column)
    numeric = [name for name, cells in columns.items() if all(map(is_value, cells)) and any(map(str.strip, cells))]
    whole = [name for name in numeric if all(WHOLE.match(cell) for cell in columns[name])]
    if not headed and numeric and not vector_column:
        numeric = _run(names, numeric, whole)
    found = number_columns(names, numeric, whole, vector_column)
    places = [names.index(name) for name in found] if len(found) > 1 else []
    return _with_roles(names, places, len(places), False, columns, found, text_column)


def _run(names: Sequence[str], numeric: Sequence[str], whole: Sequence[str]) -> list[str]:
    """Return the longest group of columns of numbers that stand side by side.

    If the first column of the group holds whole numbers and the others decimals, the first is left out: it is probably
    an id.
    """
    best: list[str] = []
    run: list[str] = []
    for name in (*names, ""):
        if name in numeric:
            run.append(name)
            continue
        best, run = max(best, run, key=len), []
    if len(best) > 2 and best[0] in whole and not any(name in whole for name in best[1:]):
        best = best[1:]
    return best


def _with_roles(
    names: Sequence[str],
    places: Sequence[int],
    dimensions: int,
    lists: bool,
    columns: Mapping[str, Sequence[str]],
    taken: Sequence[str],
    text_column: str,
) -> _Layout:
    others = {name: cells for name, cells in columns.items() if name not in taken and names.index(name) not in places}
    if len(others) > MOST_COLUMNS and text_column not in list(others)[:MOST_COLUMNS]:
        others = {name: others[name] for name in [*list(others)[:MOST_COLUMNS], *filter(others.get, [text_column])]}
    return _Layout(
        names, places, dimensions, lists, roles_of(dict(list(others.items())[: MOST_COLUMNS + 1]), text_column)
    )


def _cells(source: Source, text_column: str, vector_column: str) -> tuple[_Layout, Iterator[Record]]:
    delimiter, sample = _sample(source.head)
    if not delimiter:
        raise FormatError(
            "This is no table: its rows have different numbers of cells.", {"reason": "table", "usable": 0}
        )
    layout = _layout_of_cells(sample, text_column, vector_column)
    rows = _split((f"{line}\n" for line, _ in text_lines(source)), delimiter)
    return layout, islice(rows, int(_header(sample)), None)


def _layout_of_values(
    names: Sequence[str], sample: Sequence[Sequence[Any]], text_column: str, vector_column: str
) -> _Layout:
    """Return the layout of JSON objects, from the first objects. Without vectors, `places` of the layout is empty."""
    columns = dict(zip(names, zip(*sample, strict=True), strict=True))
    vectors = {name: [value for value in values if is_vector(value)] for name, values in columns.items()}
    lists = [name for name in names if len(vectors[name]) * 2 > len(sample)]
    plain = {
        name: [text_of(value) for value in values]
        for name, values in columns.items()
        if name not in lists and any(isinstance(value, str | int | float) for value in values)
    }
    chosen = list_column(lists, vector_column)
    if chosen:
        dimensions = Counter(map(len, vectors[chosen])).most_common(1)[0][0]
        return _with_roles(names, [names.index(chosen)], dimensions, True, plain, lists, text_column)
    numeric = [name for name, cells in plain.items() if all(map(is_value, cells)) and any(cells)]
    whole = [name for name in numeric if all(WHOLE.match(cell) for cell in plain[name])]
    found = number_columns(names, numeric, whole, vector_column)
    places = [names.index(name) for name in found] if len(found) > 1 else []
    return _with_roles(names, places, len(places), False, plain, found, text_column)


# rows


def _blocks(records: Iterator[Record], layout: _Layout) -> Generator[RowBlock]:
    """Yield the records as blocks of rows, each of about 4 MiB (`CHUNK`)."""
    step = max(1, CHUNK // (4 * layout.dimensions))
    roles, place_of = layout.roles, {name: place for place, name in enumerate(layout.names)}
    vector_names = {layout.names[place] for place in layout.places}
    carried = [name for name in roles.carried if name not in vector_names]
    row = 0
    while some := list(islice(_safely(records), step)):
        tally = Tally()
        numbers: list[list[float]] = []
        lines: list[int] = []
        taken: list[Sequence[Any]] = []
        words: list[bytes] = []
        for values, line in some:
            row += 1
            found = _vector(values, line, layout)
            if isinstance(found, Bad):
                tally.refuse(found)
                continue
            numbers.append(found)
            lines.append(line)
            taken.append(values)
            words.append(bytes_of(values[place_of[roles.words]]) if roles.words else b"%d" % row)
        columns: dict[str, Any] = {}
        for name in carried:
            cells = [text_of(values[place_of[name]]) for values in taken]
            title = "text" if name == roles.text else name
            columns[title] = (
                numbers_in(cells).astype(np.float64) if name in roles.numbers else [bytes_of(cell) for cell in cells]
            )
        counts = None
        if roles.counts:
            counts = np.array([count_in(values[place_of[roles.counts]]) for values in taken], np.int64)
        matrix = as_float32(np.array(numbers, np.float64).reshape(-1, layout.dimensions))
        yield checked_block(words, matrix, np.array(lines, np.int64), tally, counts, columns)


def _safely(records: Iterator[Record]) -> Iterator[Record]:
    try:
        yield from records
    except CorpusError as error:
        raise FormatError(str(error), {"reason": "table", "usable": 0}) from None


def _vector(values: Sequence[Any], line: int, layout: _Layout) -> list[float] | Bad:
    """Return the d numbers of a row, or a `Bad` that says why it cannot be read."""
    if len(values) != len(layout.names):
        text = f"Line {line:,} has {counted(len(values), 'cell')}; the others have {len(layout.names):,}."
        return Bad(RAGGED, line, text, len(values), len(layout.names))
    if layout.lists:
        value = values[layout.places[0]]
        cells = list_in(value) if isinstance(value, str) else value
        if isinstance(value, str) and "..." in value:
            text = f"Line {line:,} holds a shortened list (…): numbers are missing. Save it as Parquet or JSON Lines."
            return Bad(UNREADABLE, line, text)
        if not isinstance(cells, list) or len(cells) != layout.dimensions:
            found = len(cells) if isinstance(cells, list) else 0
            text = f"Line {line:,} has {counted(found, 'number')}; the others have {layout.dimensions:,}."
            return Bad(RAGGED, line, text, found, layout.dimensions)
    else:
        cells = [values[place] for place in layout.places]
    try:
        return list(map(as_float, cells))
    except (ValueError, TypeError, OverflowError):
        wrong = next((each for each in cells if cell_number(text_of(each)) is None), "")
        printed = printable(text_of(wrong), 40)
        return Bad(UNREADABLE, line, f"Line {line:,} has “{printed}” where a number should stand.", printed)
