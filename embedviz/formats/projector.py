r"""The Embedding Projector's files: a table of numbers without words (`vectors.tsv`), and `metadata.tsv` beside it.

    vectors.tsv             metadata.tsv, with a header line if it has several columns
    0.1\t0.2\t0.3           the
    0.4\t0.5\t0.6           of

`projector_config.json` names the metadata and either a table or a file of raw little-endian float32 numbers with its
shape. All these files must lie in the same folder. A table from `np.savetxt` can be read, too.
"""

import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from embedviz.core.phrases import listing, unique_names
from embedviz.core.space import Column, Ints, VectorSpace
from embedviz.files.errors import FormatError
from embedviz.files.source import CHUNK, Source
from embedviz.formats.companions import Companions
from embedviz.formats.labels import MOST_BYTES, Labels, labels_for, labels_of, numbered
from embedviz.formats.matrices import RawMatrix, check_shape, matrix_rows, unfit
from embedviz.formats.reading import Format, RowBlock, RowReport, Rows
from embedviz.formats.refusals import is_number
from embedviz.formats.rows import FIELD, LONGEST_LINE, Scan, Shape, scan_lines, too_long
from embedviz.formats.text import SCANNER_FROM
from embedviz.formats.writing import row_blocks

TABLES = (".tsv", ".txt")
MOST_CONFIG = 2**20
"""Maximum size of a configuration in bytes."""
MOST_EMBEDDINGS = 64
_OLD = (1980, 1, 1, 0, 0, 0)  # the date of every member, so that equal spaces make equal files
_LOOKED_AT = 100  # lines that are checked to detect a table of numbers
_ROW_START = re.compile(rb"(?m)^[ \t]*(?=[^ \t\r\n])")
_SPREAD = re.compile("[\t\n\r]")


def detect(head: bytes) -> bool:
    """Return whether the first lines are rows of numbers, or the file is a configuration of the projector."""
    return _is_config(head) or _is_numbers(head)


def read(source: Source, words: str | Path = "", text_column: str = "", vector_column: str = "") -> Rows:
    """Return the rows of a table of numbers, or of a tensor that a file like `projector_config.json` describes.

    The names of the rows come from the metadata. Without metadata, the rows are numbered.

    Args:
        vector_column: The name of the tensor; needed if the configuration file describes several.

    Raises:
        FormatError: A line or the metadata does not fit, or a table is read with a `vector_column`; or a file that the
            configuration names is not in its folder.
    """
    if _is_config(source.head):
        return _read_config(source, words, text_column, vector_column)
    if vector_column:
        raise unfit("A table of numbers without words has no columns to choose. Leave the vector column out.")
    return _read_table(source, words, text_column)


def write(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Write a zip archive of `vectors.tsv` and `metadata.tsv`. Tabs and line ends in texts of columns become spaces."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(_member("vectors.tsv"), "w", force_zip64=True) as member:
            for block in row_blocks(space, rows, report):
                numbers = space.matrix[block].astype("S").tolist()
                member.write(b"".join(b"\t".join(line) + b"\n" for line in numbers))
        with archive.open(_member("metadata.tsv"), "w", force_zip64=True) as member:
            counts = {} if space.counts is None else {"count": space.counts}
            columns = [*counts.values(), *space.metadata.values()]
            if columns:
                names = unique_names(["word", *counts, *(_SPREAD.sub(" ", name) for name in space.metadata)])
                member.write("\t".join(names).encode("utf-8", "replace") + b"\n")
            for start in range(0, len(rows), 10_000):
                lines = ("\t".join(_cells(space, columns, int(row))) for row in rows[start : start + 10_000])
                member.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))


FORMAT = Format(
    "projector",
    "Embedding Projector (.tsv pair or projector_config.json)",
    detect,
    read,
    "line",
    "A table of numbers, and metadata.tsv beside it with a word for each line; without it the rows are numbered.",
    write=write,
    endings=(".projector.zip", ".zip"),
    unwritable=re.compile("\\A\\Z|\\A\ufeff|[\\t\n\\r\ud800-\udfff]"),
    keeps=("counts", "columns"),
    packs=False,
    options=("words", "text_column", "vector_column"),
)


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _OLD)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _cells(space: VectorSpace, columns: Sequence[Column], row: int) -> list[str]:
    return [space.words[row], *(_SPREAD.sub(" ", str(column[row])) for column in columns)]


def _is_config(head: bytes) -> bool:
    return head[:64].lstrip().startswith(b"{") and b'"embeddings"' in head and b'"tensorPath"' in head


def _is_numbers(head: bytes) -> bool:
    """Return whether the first lines are rows of numbers.

    Every line must have two or more fields, of which the first is a number. In at least nine of ten lines this number
    must be a decimal number. At least half of the lines must hold only numbers.
    """
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_LOOKED_AT] if line.strip()]
    if len(head) >= 2**20 and len(lines) > 1:
        lines.pop()
    rows = [FIELD.findall(line.rstrip(b" \t\r")) for line in lines]
    if min(map(len, rows), default=0) < 2 or (len(rows) == 1 and b"\t" not in lines[0]):
        return False
    decimal = sum(any(sign in row[0] for sign in b".eE") for row in rows)
    if decimal * 10 < 9 * len(rows) or not all(is_number(row[0]) for row in rows):
        return False
    return sum(all(map(is_number, row)) for row in rows) * 2 >= len(rows)


def _read_table(source: Source, words: str | Path, column: str) -> Rows:
    stream = source.seekable()
    n = _count_lines(stream)
    labels = labels_for(source, n, words, column)
    return _table_rows(stream, n, labels)


def _table_rows(stream: IO[bytes], n: int, labels: Labels) -> Rows:
    """Return the rows of a table of numbers, named by `labels`: the first label belongs to line 1 of the file."""
    stream.seek(0)
    head = stream.read(LONGEST_LINE).removeprefix(b"\xef\xbb\xbf").split(b"\n")[0]
    dimensions = len(FIELD.findall(head.rstrip(b" \t\r")))
    check_shape("The table", (n, dimensions))
    return Rows(
        dimensions, _table_blocks(stream, labels, Shape(dimensions, 1)), note=labels.note, by_frequency=labels.named
    )


def _table_blocks(stream: IO[bytes], labels: Labels, shape: Shape) -> Generator[RowBlock]:
    """Yield the rows in blocks. Each line gets a dummy word in front, since the scanner expects a word in each row."""
    stream.seek(0, 2)
    scan = _scanner(stream.tell())
    for piece, first in _pieces(stream):
        block = scan(Scan(_ROW_START.sub(b"w ", piece), first, shape))
        lines = [line - 1 for line in block.lines.tolist()]
        columns = {name: _picked(column, lines) for name, column in labels.columns.items()}
        counts = None if labels.counts is None else labels.counts[lines]
        yield replace(block, words=[labels.words[line] for line in lines], counts=counts, columns=columns)


def _picked(column: Any, lines: list[int]) -> Any:
    return column[lines] if isinstance(column, np.ndarray) else [column[line] for line in lines]


def _scanner(size: int) -> Any:
    if size < SCANNER_FROM:
        return scan_lines
    try:
        from embedviz.formats import scanner
    except ImportError:
        return scan_lines
    scanner.warm()
    return scanner.scan


def _pieces(stream: IO[bytes]) -> Generator[tuple[bytes, int]]:
    """Yield pieces of complete lines, with the number (from 1) of the first line of each piece."""
    stream.seek(0)
    rest, line = b"", 1
    while data := stream.read(CHUNK):
        rest += data.removeprefix(b"\xef\xbb\xbf") if line == 1 and not rest else data
        end = rest.rfind(b"\n") + 1
        if not end and len(rest) > LONGEST_LINE:
            raise too_long(line)
        whole, rest = rest[:end], rest[end:]
        if whole:
            yield whole, line
            line += whole.count(b"\n")
    if rest.strip():
        yield rest + b"\n", line


def _count_lines(stream: IO[bytes]) -> int:
    """Return the number of the last line that is not blank."""
    stream.seek(0)
    lines = last = 0
    while data := stream.read(CHUNK):
        full = data.rstrip(b" \t\r\n")
        if full:
            last = lines + full.count(b"\n") + 1
        lines += data.count(b"\n")
    return last


def _read_config(source: Source, words: str | Path, column: str, chosen: str) -> Rows:
    """Return the rows of the tensor that a configuration names.

    Args:
        words: A file with a list of words to use instead of the metadata; may be empty.
        column: The column that names the rows; empty to detect it.
        chosen: The name of the tensor; empty if there is only one.
    """
    about = _embedding(source, chosen)
    companions = Companions(source)
    path, shape = about["tensorPath"], about.get("tensorShape")
    if not isinstance(path, str):
        raise unfit("The configuration has a tensorPath that is no text. Name a file that lies beside it.")
    labels_path = about.get("metadataPath")
    if labels_path is not None and not isinstance(labels_path, str):
        raise unfit("The configuration has a metadataPath that is no text. Name a file that lies beside it.")

    def labels_of_rows(n: int) -> Labels:
        if words:
            return labels_for(source, n, words, column)
        if not labels_path:
            return numbered(n, "The configuration names no metadata.")
        return labels_of(labels_path, companions.data(labels_path, MOST_BYTES), n, column)

    if path.lower().endswith(TABLES):
        return _config_table(companions, path, labels_of_rows)
    if not (isinstance(shape, list) and all(type(axis) is int and 0 <= axis < 2**40 for axis in shape)):
        raise unfit("The configuration has no tensorShape, such as [1000, 50]: rows and dimensions are needed.")
    n, d = check_shape("The tensor of the configuration", tuple(shape))
    size = companions.size(path)
    if size > 4 * n * d:
        raise unfit(
            f"{path[:80]} has {size:,} bytes; {n:,} × {d:,} numbers of 4 bytes are {4 * n * d:,}. Correct the shape."
        )
    stack = ExitStack()
    matrix = RawMatrix(lambda: stack.enter_context(companions.opened(path)), (n, d), np.dtype("<f4"), size)
    rows = matrix_rows(matrix, labels_of_rows(n))
    return replace(rows, blocks=_closing(rows.blocks, stack))


def _config_table(companions: Companions, path: str, labels_of_rows: Callable[[int], Labels]) -> Rows:
    """Return the rows of a table of vectors that the projector's configuration file names.

    Args:
        labels_of_rows: Function that takes the number of rows, and returns their labels.
    """
    stack = ExitStack()
    try:
        stream = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
        with companions.opened(path) as table:
            shutil.copyfileobj(table, stream, CHUNK)
        n = _count_lines(stream)
        rows = _table_rows(stream, n, labels_of_rows(n))
    except BaseException:
        stack.close()
        raise
    return replace(rows, blocks=_closing(rows.blocks, stack))


def _closing(blocks: Generator[RowBlock], stack: ExitStack) -> Generator[RowBlock]:
    with stack:
        yield from blocks


def _embedding(source: Source, chosen: str) -> dict[str, Any]:
    """Return the entry of the chosen tensor under `embeddings` in a configuration; the only entry if none is chosen.

    Raises:
        FormatError: The configuration is damaged, lacks the chosen tensor, or has several tensors and none is chosen.
    """
    try:
        found = json.loads(b"".join(source.chunks()) if source.size <= MOST_CONFIG else b"")["embeddings"]
        several = [each for each in found[:MOST_EMBEDDINGS] if isinstance(each, dict) and "tensorPath" in each]
    except (ValueError, RecursionError, KeyError, TypeError):
        several = []
    if not several:
        raise unfit("The configuration names no embedding. It needs embeddings with tensorPath and tensorShape.")
    names = [str(each.get("tensorName", place)) for place, each in enumerate(several, 1)]
    if chosen and chosen not in names:
        raise unfit(f"The configuration has no tensor “{chosen[:80]}”. It has: {listing(names, 8)}.")
    if not chosen and len(several) > 1:
        text = (
            f"The configuration names {len(several)} embeddings: {listing(names, 8)}. Choose one, as the vector column."
        )
        raise FormatError(text, {"reason": "several", "choices": names, "option": "vector_column", "usable": 0})
    return several[names.index(chosen) if chosen else 0]
