"""word2vec binary, as Google's word2vec program and gensim write it.

The first line says how many words follow and how many numbers each has, as text. Then, for each word: its bytes, a
space, and d little-endian float32 numbers. The word2vec program writes a line end after the numbers, gensim does not; a
line end before a word is therefore no part of it.

A word may hold spaces, although the format has no room for them: the space that ends a word is the first one after
which the row leads to another readable word. That is looked into only where the plain reading leads to an unreadable
one, or to numbers beyond belief.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from embedviz.formats.reading import (
    CUT_OFF,
    EXTRA,
    HEADER,
    MISSING,
    UNREADABLE,
    Bad,
    Block,
    Format,
    FormatError,
    Rows,
    Tally,
    checked_block,
    counted,
)
from embedviz.formats.source import Source
from embedviz.formats.text import header_of, looks_binary
from embedviz.space import Float

MOST_DIMENSIONS = 10_000
LONGEST_WORD = 2**16
_SPACED_WORD = 256  # bytes: a longer word is not looked at for spaces
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_LARGE, _SMALL = 1e6, 1e-12  # numbers outside are a sign that a row was begun at the wrong byte


def detect(head: bytes) -> bool:
    """Whether the first line holds two whole numbers, and bytes follow that are no text."""
    return header_of(head) is not None and looks_binary(head)


def read(source: Source) -> Rows:
    """The rows of a word2vec binary file.

    Raises:
        FormatError: The header or the first rows cannot be right.
    """
    promised = header_of(source.head)
    if promised is None or not 0 < promised[1] <= MOST_DIMENSIONS:
        raise _bad_header(promised)
    return Rows(promised[1], _blocks(source, *promised))


FORMAT = Format(
    "word2vec-binary",
    "word2vec binary",
    (".bin", ".bin.gz"),
    detect,
    read,
    "row",
    "A first line with the counts, then every word and its numbers as bytes: Google's word2vec, gensim's binary=True.",
)


def _bad_header(promised: tuple[int, int] | None) -> FormatError:
    says = f"The header says {counted(promised[1], 'number')} a row" if promised else "The first line holds no counts"
    text = f"{says}; from 1 to {MOST_DIMENSIONS:,} are read. The header is wrong, or this is no word2vec binary file."
    details = {"reason": HEADER, "line": 1, "found": promised[1] if promised else None, "expected": MOST_DIMENSIONS}
    return FormatError(text, {**details, "usable": 0})


def _blocks(source: Source, promised: int, dimensions: int) -> Generator[Block]:
    """The rows of each chunk; its last row waits for the next, since what follows a row tells where it ends."""
    rest, row, stuck = b"", 0, False
    for position, data in enumerate(source.chunks()):
        if stuck:
            continue
        rest = rest + data if position else data.partition(b"\n")[2]
        spans = _spans(rest, dimensions)
        if len(spans) > 1:
            yield _block(rest, spans[:-1], dimensions, row)
            row, rest = row + len(spans) - 1, rest[spans[-1].begin :]
        stuck = not spans and len(rest) > LONGEST_WORD + 4 * dimensions
    spans = [] if stuck else _spans(rest, dimensions)
    if spans:
        yield _block(rest, spans, dimensions, row)
        row, rest = row + len(spans), rest[spans[-1].end :]
    yield _end(rest.lstrip(b"\n"), row, (promised, dimensions), stuck=stuck, cut=source.cut)


class _Span(NamedTuple):
    """Where a row begins, where the space after its word is, and where the row ends."""

    begin: int
    space: int
    end: int


def _spans(data: bytes, dimensions: int) -> list[_Span]:
    """The whole rows in some bytes that begin with a row."""
    spans = _plain_spans(data, 4 * dimensions)
    if spans and _suspicious(data, spans):
        return _careful_spans(data, 4 * dimensions)
    return spans


def _plain_spans(data: bytes, width: int) -> list[_Span]:
    spans: list[_Span] = []
    at, size = 0, len(data)
    while True:
        while data.startswith(b"\n", at):
            at += 1
        space = data.find(b" ", at, at + LONGEST_WORD)
        end = space + 1 + width
        if space < 0 or end > size:
            return spans
        spans.append(_Span(at, space, end))
        at = end


def _careful_spans(data: bytes, width: int) -> list[_Span]:
    """The same where words hold spaces."""
    spans: list[_Span] = []
    at = 0
    while True:
        while data.startswith(b"\n", at):
            at += 1
        choices = _choices(data, at, width)
        if not choices:
            return spans
        led = [span for span in choices if _readable(data, span.end)] or choices[:1]
        spans.append(next((span for span in led if _plausible(_values(data, [span]))), led[0]))
        at = spans[-1].end


def _choices(data: bytes, at: int, width: int) -> list[_Span]:
    """Each way to read the row that begins there: by the first space, and so on."""
    choices: list[_Span] = []
    space = data.find(b" ", at, at + LONGEST_WORD)
    while space >= 0 and space + 1 + width <= len(data) and (not choices or _is_text(data[at:space])):
        choices.append(_Span(at, space, space + 1 + width))
        space = data.find(b" ", space + 1, at + _SPACED_WORD)
    return choices


def _readable(data: bytes, at: int) -> bool:
    """Whether a word begins there, or nothing does."""
    begun = data[at : at + _SPACED_WORD].lstrip(b"\n")
    word, space, _ = begun.partition(b" ")
    return not begun or (bool(word and space) and _is_text(word))


def _is_text(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return not _CONTROL.search(word)


def _suspicious(data: bytes, spans: list[_Span]) -> bool:
    """Whether a word is no text, or a number is beyond belief: then a row may have been begun at the wrong byte."""
    words = b"".join(data[span.begin : span.space] for span in spans)
    return not (_is_text(words) and _plausible(_values(data, spans)))


def _plausible(values: Float) -> bool:
    sizes = np.abs(values)
    return bool(np.all((sizes < _LARGE) & ((sizes > _SMALL) | (sizes == 0))))


def _values(data: bytes, spans: list[_Span]) -> Float:
    """The numbers of some rows, shape (m, d)."""
    joined = b"".join([data[space + 1 : end] for _, space, end in spans])
    return np.frombuffer(joined, "<f4").astype(np.float32, copy=False).reshape(len(spans), -1)


def _block(data: bytes, spans: list[_Span], dimensions: int, row: int) -> Block:
    words = [data[begin:space] for begin, space, _ in spans]
    if row == 0 and _misread(words):
        raise _wrong_dimensions(dimensions)
    lines = np.arange(row + 1, row + 1 + len(words), dtype=np.int64)
    return checked_block(words, _values(data, spans), lines, Tally())


def _misread(words: list[bytes]) -> bool:
    """Whether the words are no words: many hold control bytes, or most are not UTF-8."""
    control = sum(_CONTROL.search(word) is not None for word in words)
    return control * 5 > len(words) or sum(not _is_text(word) for word in words) * 2 > len(words)


def _wrong_dimensions(dimensions: int) -> FormatError:
    text = f"Read with the header's {dimensions:,} numbers a row, the words are no text: header or file is damaged."
    details = {"reason": HEADER, "line": 1, "found": dimensions, "usable": 0}
    return FormatError(f"{text} Copy or download it again.", details)


def _end(rest: bytes, rows: int, promised: tuple[int, int], *, stuck: bool, cut: bool) -> Block:
    """A block without rows that says what the end of the file and its header say against the others."""
    tally, (said, dimensions) = Tally(), promised
    if stuck:
        text = f"Row {rows + 1:,} does not begin with a word; the header's {dimensions:,} numbers a row may be wrong."
        tally.refuse(Bad(UNREADABLE, rows + 1, text))
    elif rest and not cut and rows >= said:
        text = f"The header says {counted(said, 'row')}; {len(rest):,} bytes that make no row follow the {rows:,} of the file."
        tally.refuse(Bad(EXTRA, rows + 1, text, rows, said))
    elif rest or cut:
        text = f"The {'gzip data end' if cut else 'file ends'} inside row {rows + 1:,} of {said:,}. It was cut off."
        tally.refuse(Bad(CUT_OFF, rows + 1, text, rows, said, count=bool(rest)))
    lost = sum(tally.counts.values())
    if rows + lost < said:
        text = f"The header says {counted(said, 'row')}; the file ends after {rows:,}. It was cut off, or the header is wrong."
        tally.refuse(Bad(MISSING, rows + lost + 1, text, rows, said, count=said - rows - lost))
    elif rows > said:
        text = f"The header says {counted(said, 'row')}; the file has {rows:,}."
        tally.refuse(Bad(EXTRA, said + 1, text, rows, said, count=0))
    return Block([], np.empty((0, dimensions), np.float32), np.empty(0, np.int64), tally)
