"""word2vec binary, as Google's word2vec program and gensim write it.

The first line is text: the number of words, and how many numbers each word has. Then each word follows: its bytes, a
space, and d little-endian float32 numbers. The word2vec program writes a line end after the numbers, and gensim does
not, so a line end before a word is skipped.

The format cannot mark spaces inside a word, but some files have words with spaces. Such a word is taken to end at the
first space for which a readable word follows after the row. This is tried only if the simple reading, up to the first
space, gives unreadable words or implausible numbers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import counted
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.files.encodings import are_words
from embedviz.files.errors import FormatError
from embedviz.files.source import Source
from embedviz.formats.reading import (
    CUT_OFF,
    EXTRA,
    HEADER,
    MISSING,
    MOST_DIMENSIONS,
    UNREADABLE,
    Bad,
    Format,
    RowBlock,
    RowReport,
    Rows,
    Tally,
    checked_block,
    last_words,
)
from embedviz.formats.sinks import RowRoom
from embedviz.formats.text import header_of, is_large, looks_binary
from embedviz.formats.writing import row_blocks

LONGEST_WORD = 2**16
_SPACED_WORD = 256  # bytes of the longest word with spaces
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_LARGE, _SMALL = 1e6, 1e-12  # a size outside these bounds suggests that the row began at the wrong byte


def detect(head: bytes) -> bool:
    """Return whether the first line holds two whole numbers, and binary data follow after it."""
    return header_of(head) is not None and looks_binary(head)


def read(source: Source) -> Rows:
    """Return the rows of a word2vec binary file.

    Raises:
        FormatError: The header is missing, or its number of dimensions is not possible.
    """
    promised = header_of(source.head)
    if promised is None or not 0 < promised[1] <= MOST_DIMENSIONS:
        raise _bad_header(promised)
    most = 0 if source.packed else min(promised[0], source.size // (4 * promised[1] + 1))
    room = RowRoom(promised[1], most)
    return Rows(promised[1], _blocks(source, promised[0], room), room=room)


def write(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Write a header line, then each word and its numbers without line ends, as gensim does."""
    stream.write(b"%d %d\n" % (len(rows), space.dimensions))
    for block in row_blocks(space, rows, report):
        values = space.matrix[block].astype("<f4")
        pairs = zip(block.tolist(), values, strict=True)
        stream.write(b"".join(b"%b %b" % (space.words[row].encode(), line.tobytes()) for row, line in pairs))


FORMAT = Format(
    "word2vec-binary",
    "word2vec binary",
    detect,
    read,
    "row",
    "A first line with the counts, then every word and its numbers as bytes: Google’s word2vec, gensim’s binary=True.",
    write=write,
    endings=(".bin",),
    unwritable=re.compile("\\A\\Z|[ \\n\ud800-\udfff]"),
)


def _bad_header(promised: tuple[int, int] | None) -> FormatError:
    says = f"The header says {counted(promised[1], 'number')} a row" if promised else "The first line holds no counts"
    text = f"{says}; from 1 to {MOST_DIMENSIONS:,} are read. The header is wrong, or this is no word2vec binary file."
    details = {"reason": HEADER, "line": 1, "found": promised[1] if promised else None, "expected": MOST_DIMENSIONS}
    return FormatError(text, {**details, "usable": 0})


def _blocks(source: Source, promised: int, room: RowRoom) -> Generator[RowBlock]:
    """Yield a block of rows for each chunk of the file.

    The last row of a chunk comes with the next block, because only the data after a row show that the row has ended.

    Raises:
        FormatError: The words of the first block are not text, so the header or the file is damaged.
    """
    rest, row, stuck, dimensions = b"", 0, False, room.dimensions
    find, seam = _finder(source), 2 * (4 * dimensions + _SPACED_WORD)
    for position, data in enumerate(source.chunks()):
        if stuck:
            continue
        data, at = data if position else data.partition(b"\n")[2], 0
        if rest:  # only the rows across the two chunks are copied
            rows = _rows(rest + data[:seam], 0, room, find)
            if len(rows.words) > 1 and rows.ends[-2] >= len(rest):
                yield _block(rows.without_last(), row)
                row, at = row + len(rows.words) - 1, int(rows.ends[-2]) - len(rest)
            else:
                data = rest + data
        rows = _rows(data, at, room, find)
        if len(rows.words) > 1:
            yield _block(rows.without_last(), row)
            row, at = row + len(rows.words) - 1, int(rows.ends[-2])
        rest = data[at:]
        stuck = not rows.words and len(rest) > LONGEST_WORD + 4 * dimensions
    rows = _rows(b"" if stuck else rest, 0, room, find)
    if rows.words:
        yield _block(rows, row)
    rest = rest[rows.ends[-1] :] if rows.words else rest
    yield _end(rest.lstrip(b"\n"), row + len(rows.words), (promised, dimensions), stuck=stuck, cut=source.cut)


class _Rows(NamedTuple):
    """The complete rows in a piece of a file.

    Attributes:
        words: m words.
        values: The numbers of the words, shape (m, d).
        ends: The byte position after each row, m numbers.
        largest: The largest absolute value of each row as the bits of a float32, shape (m,); None if not computed.
        plain: Whether all words are known to be printable ASCII; False if this was not checked.
        plausible: Whether the sizes of all numbers are known to be usual for vectors, 0 or from 1e-12 to 1e6; False if
            this was not checked.
    """

    words: list[bytes]
    values: Float
    ends: Sequence[int] | Ints
    largest: NDArray[np.uint32] | None = None
    plain: bool = False
    plausible: bool = False

    def without_last(self) -> _Rows:
        """Return all of these rows but the last."""
        largest = None if self.largest is None else self.largest[:-1]
        return _Rows(self.words[:-1], self.values[:-1], self.ends[:-1], largest)


_Finder = Callable[[bytes, int, RowRoom, int, int, tuple[float, float]], tuple[Any, ...]]


def _finder(source: Source) -> _Finder | None:
    """Return the compiled function that finds rows; None for a small file, or if compiled code cannot be loaded."""
    if not is_large(source) or sys.byteorder == "big":
        return None
    try:
        from embedviz.formats import binary_scanner
    except ImportError:
        return None
    return binary_scanner.find


def _rows(data: bytes, at: int, room: RowRoom, find: _Finder | None) -> _Rows:
    """Return the complete rows in `data`, a piece of a file; `at` is the byte where the first row begins."""
    step = max(1, room.dimensions // 16)
    if find:
        rows = _Rows(*find(data, at, room, LONGEST_WORD, step, (_SMALL, _LARGE)))
    else:
        rows = _plain_rows(data, at, room.dimensions)
    sound = (rows.plain or _is_text(b"".join(rows.words))) and (rows.plausible or _plausible(rows.values[:, ::step]))
    return rows if sound or not rows.words else _careful_rows(data, at, room.dimensions)


def _plain_rows(data: bytes, at: int, dimensions: int) -> _Rows:
    """Return the complete rows in `data`, taking each word to end at the first space, as the compiled `find()` does."""
    width, size = 4 * dimensions + 1, len(data)
    ends, words, numbers = [], [], []
    while True:
        space = data.find(b" ", at, at + LONGEST_WORD)
        end = space + width
        if space < 0 or end > size:
            break
        words.append(data[at:space].lstrip(b"\n"))
        numbers.append(data[space + 1 : end])
        ends.append(at := end)
    return _Rows(words, _values(numbers, dimensions), ends)


def _careful_rows(data: bytes, at: int, dimensions: int) -> _Rows:
    """Return the complete rows in `data`, a piece of a file whose words may hold spaces."""
    spans = _careful_spans(data, at, 4 * dimensions)
    numbers = [data[span.space + 1 : span.end] for span in spans]
    words = [data[span.begin : span.space] for span in spans]
    return _Rows(words, _values(numbers, dimensions), [span.end for span in spans])


class _Span(NamedTuple):
    """The byte positions of a row: where it begins, the space after its word, and where it ends."""

    begin: int
    space: int
    end: int


def _careful_spans(data: bytes, at: int, width: int) -> list[_Span]:
    """Return the byte positions of the complete rows in a piece of a file whose words may hold spaces.

    Args:
        width: The number of bytes that the numbers of a row take.
    """
    spans: list[_Span] = []
    while True:
        while data.startswith(b"\n", at):
            at += 1
        choices = _choices(data, at, width)
        if not choices:
            return spans
        led = [span for span in choices if _readable(data, span.end)] or choices[:1]
        spans.append(next((span for span in led if _plausible(_numbers(data, span))), led[0]))
        at = spans[-1].end


def _numbers(data: bytes, span: _Span) -> Float:
    return np.frombuffer(data, "<f4", (span.end - span.space - 1) // 4, span.space + 1).astype(np.float32)


def _choices(data: bytes, at: int, width: int) -> list[_Span]:
    """Return the possible readings of the row that begins at `at`: the word may end at any of the spaces in it."""
    choices: list[_Span] = []
    space = data.find(b" ", at, at + LONGEST_WORD)
    while space >= 0 and space + 1 + width <= len(data) and (not choices or _is_text(data[at:space])):
        choices.append(_Span(at, space, space + 1 + width))
        space = data.find(b" ", space + 1, at + _SPACED_WORD)
    return choices


def _readable(data: bytes, at: int) -> bool:
    """Return whether a readable word begins at position `at`, or the data end there."""
    begun = data[at : at + _SPACED_WORD].lstrip(b"\n")
    word, space, _ = begun.partition(b" ")
    return not begun or (bool(word and space) and _is_text(word))


def _is_text(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return not _CONTROL.search(word)


def _plausible(values: Float) -> bool:
    with np.errstate(invalid="ignore"):
        sizes = np.abs(values)
        return bool(np.all((sizes < _LARGE) & ((sizes > _SMALL) | (sizes == 0))))


def _values(numbers: list[bytes], dimensions: int) -> Float:
    """Return the numbers of m rows, given as bytes, in an array, shape (m, d)."""
    return np.frombuffer(b"".join(numbers), "<f4").astype(np.float32, copy=False).reshape(-1, dimensions)


def _block(rows: _Rows, row: int) -> RowBlock:
    if row == 0 and _misread(rows.words):
        raise _wrong_dimensions(rows.values.shape[1])
    places = np.arange(row + 1, row + 1 + len(rows.words), dtype=np.int64)
    return checked_block(rows.words, rows.values, places, Tally(), largest=rows.largest)


def _misread(words: list[bytes]) -> bool:
    """Return whether the words are no real words: over a fifth have control bytes, or most are no text at all."""
    control = sum(_CONTROL.search(word) is not None for word in words)
    odd = sum(not _is_text(word) for word in words)
    return control * 5 > len(words) or (odd * 2 > len(words) and not are_words(words))


def _wrong_dimensions(dimensions: int) -> FormatError:
    text = f"Read with the header’s {dimensions:,} numbers a row, the words are no text: header or file is damaged."
    details = {"reason": HEADER, "line": 1, "found": dimensions, "usable": 0}
    return FormatError(f"{text} Copy or download it again.", details)


def _end(rest: bytes, rows: int, promised: tuple[int, int], *, stuck: bool, cut: bool) -> RowBlock:
    """Return a block without rows, whose tally holds the faults at the end of the file and in the header.

    Args:
        rest: The bytes after the last row.
        rows: The number of rows found.
        promised: The number of rows and of dimensions in the header.
        stuck: Whether reading stopped before the end of the file, because no row was found at a position.
        cut: Whether the compressed data end early.
    """
    tally, (stated, dimensions) = Tally(), promised
    if stuck:
        text = f"Row {rows + 1:,} does not begin with a word; the header’s {dimensions:,} numbers a row may be wrong."
        tally.refuse(Bad(UNREADABLE, rows + 1, text))
    elif rest and not cut and rows >= stated:
        text = f"The header says {counted(stated, 'row')}; after {rows:,} of them {len(rest):,} bytes make no row."
        tally.refuse(Bad(EXTRA, rows + 1, text, rows, stated))
    elif rest or cut:
        text = f"The {'gzip data end' if cut else 'file ends'} inside row {rows + 1:,} of {stated:,}. It was cut off."
        tally.refuse(Bad(CUT_OFF, rows + 1, text, rows, stated, count=bool(rest)))
    lost = sum(tally.counts.values())
    if rows + lost < stated:
        text = (
            f"The header says {counted(stated, 'row')}; the file ends after {rows:,}: cut off, or the header is wrong."
        )
        tally.refuse(Bad(MISSING, rows + lost + 1, text, rows, stated, count=stated - rows - lost))
    elif rows > stated:
        text = f"The header says {counted(stated, 'row')}; the file has {rows:,}."
        tally.refuse(Bad(EXTRA, stated + 1, text, rows, stated, count=0))
    return last_words(dimensions, tally)
