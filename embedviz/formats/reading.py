"""What every reader shares: `Format`, the `RowBlock` it yields, the `ImportReport` that reports, and what is dropped.

A reader yields blocks of words and rows, so that memory stays bounded by the block. A `Gathering` takes them: it drops
what cannot stand in a space (and counts it), hands the rest to a sink, and decodes the words at the end.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import counted
from embedviz.core.space import Column, Float, Ints, VectorSpace, WordBlob
from embedviz.core.subwords import Subwords
from embedviz.files import encodings
from embedviz.files.errors import FormatError
from embedviz.formats.sinks import RowRoom, Sink

DUPLICATE = "repeated word"
EMPTY_WORD = "empty word"
NOT_FINITE = "a number is not finite"
HEADER = "the header says other numbers"
RAGGED = "wrong count of numbers"
UNREADABLE = "not a number"
CUT_OFF = "cut off"
MISSING = "missing at the end of the file"
EXTRA = "more than the header says"
FIRST_LINES = 5
REPEATS_FROM = 1_000_000
"""Rows from which on a file is refused where 99 of 100 repeat a word."""
_NO_SIGN, _INFINITE = np.uint32(0x7FFFFFFF), np.uint32(0x7F800000)  # bits of float32: they are ordered as the numbers


@dataclass(frozen=True)
class Dropped:
    """Rows that were left out for one reason.

    Attributes:
        first_lines: Where the first five stood: lines of a text file, rows of a binary one, from 1.
    """

    reason: str
    count: int
    first_lines: tuple[int, ...] = ()

    def card(self) -> dict[str, Any]:
        """Return all fields as plain JSON values."""
        return {"reason": self.reason, "count": self.count, "first_lines": list(self.first_lines)}


@dataclass(frozen=True)
class ImportReport:
    r"""What came of reading a file.

    Attributes:
        format: A name of `FORMATS`.
        bytes: The size of the file as given, compressed or not.
        encoding: In which the words stand.
        guessed: Whether the encoding was guessed.
        undecodable: Words that are not valid in it; their odd bytes are written as `\xNN`. `undecodable_lines` are
            those of the first five.
        zero_rows: Rows that were kept although all their numbers are zero.
        checksum: SHA-256 of the file as given.
    """

    format: str
    rows: int
    dimensions: int
    bytes: int
    encoding: str
    seconds: float
    zero_rows: int
    dropped: tuple[Dropped, ...]
    checksum: str
    guessed: bool = False
    undecodable: int = 0
    undecodable_lines: tuple[int, ...] = ()

    def card(self) -> dict[str, Any]:
        """Return what `embedviz info` prints, as plain JSON values."""
        names = ("rows", "dimensions", "format", "bytes", "encoding", "seconds", "zero_rows")
        return {
            **{name: getattr(self, name) for name in names},
            "encoding_guessed": self.guessed,
            "undecodable": {"count": self.undecodable, "first_lines": list(self.undecodable_lines)},
            "dropped": [each.card() for each in self.dropped],
        }


def lost_rows(dropped: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many rows of a file were left out, *dropped*, and how many it promises and lacks, *missing*.

    Args:
        dropped: As on the card of a report.
    """
    missing = sum(each["count"] for each in dropped if each["reason"] == MISSING)
    return {"dropped": sum(each["count"] for each in dropped) - missing, "missing": missing}


@dataclass(frozen=True)
class Bad:
    """A row that cannot be read: refused, or dropped where the caller allows it.

    Attributes:
        line: Line of a text file, row of a binary one, from 1.
        count: How many rows it stands for; 0 where nothing is lost.
    """

    reason: str
    line: int
    sentence: str
    found: int | str | None = None
    expected: int | None = None
    count: int = 1


class Tally:
    """How many rows were left out for which reason, where the first stood, and what a strict reader refuses first."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.lines: dict[str, list[int]] = {}
        self.first: Bad | None = None

    def add(self, reason: str, line: int, count: int = 1) -> None:
        """Count a row that is left out in any case."""
        if count:
            self.counts[reason] = self.counts.get(reason, 0) + count
            first = self.lines.setdefault(reason, [])
            if line and len(first) < FIRST_LINES:
                first.append(line)

    def refuse(self, bad: Bad) -> None:
        """Count a row that a strict reader refuses."""
        self.first = self.first or bad
        self.add(bad.reason, bad.line, bad.count)

    def join(self, later: Tally) -> None:
        """Add the tally of a later part of the file."""
        self.first = self.first or later.first
        for reason, count in later.counts.items():
            self.counts[reason] = self.counts.get(reason, 0) + count
            first = self.lines.setdefault(reason, [])
            first += later.lines[reason][: FIRST_LINES - len(first)]

    def dropped(self) -> tuple[Dropped, ...]:
        """Return the tally as a report."""
        return tuple(Dropped(reason, count, tuple(self.lines[reason])) for reason, count in self.counts.items())


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Some rows of a file, in its order.

    Attributes:
        words: m words, as their bytes stand in the file.
        values: Their numbers, shape (m, d).
        lines: Where each stands, shape (m,).
        tally: What could not be read between them.
        finite: Which rows hold finite numbers only, or None for all.
        zero: Which rows are all zero, or None for none.
        counts: How often each word was seen, shape (m,), or None.
        columns: Column name to m numbers, or m texts as bytes.
    """

    words: list[bytes]
    values: Float
    lines: Ints
    tally: Tally = field(default_factory=Tally)
    finite: NDArray[np.bool_] | None = None
    zero: NDArray[np.bool_] | None = None
    counts: Ints | None = None
    columns: Mapping[str, NDArray[Any] | list[bytes]] = field(default_factory=dict)


def checked_block(
    words: list[bytes],
    values: Float,
    lines: Ints,
    tally: Tally,
    counts: Ints | None = None,
    columns: Mapping[str, NDArray[Any] | list[bytes]] | None = None,
    largest: NDArray[np.uint32] | None = None,
) -> RowBlock:
    """Return a block whose rows were looked at for numbers that are not finite, and for zeros.

    Args:
        largest: The bits of the largest number of each row without its sign, where a reader has found them already.
    """
    if largest is None:
        largest = np.max(values.view(np.uint32) & _NO_SIGN, axis=1, initial=0)
    finite, zero = largest < _INFINITE, largest == 0
    odd = None if finite.all() else finite, zero if zero.any() else None
    return RowBlock(words, values, lines, tally, *odd, counts, columns or {})


def last_words(dimensions: int, tally: Tally) -> RowBlock:
    """Return a block without rows, for what the end of a file and its header say against the others."""
    return RowBlock([], np.empty((0, dimensions), np.float32), np.empty(0, np.int64), tally)


@dataclass(frozen=True)
class Rows:
    """A file on its way in: the length of a row, and the rows block by block.

    Attributes:
        total: How many rows there are, where that is known for sure.
        subwords: The n-gram vectors of a fastText model, or None; they may lie in the file.
        note: Content that was not read, in a sentence; empty where all was read.
        by_frequency: Whether rows without counts are taken to stand in the order of frequency.
        utf8: Whether the words are UTF-8 already, whatever encoding the file has.
        room: Where the reader puts the numbers, where it can put them into the array of the space.
    """

    dimensions: int
    blocks: Generator[RowBlock]
    total: int | None = None
    subwords: Subwords | None = None
    note: str = ""
    by_frequency: bool = True
    utf8: bool = False
    room: RowRoom | None = None


RowReport = Callable[[int], None]
"""Receives how many rows are written."""
Write = Callable[[BinaryIO, VectorSpace, Ints, RowReport], None]


def not_written(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Refuse to write a format that is only read.

    Raises:
        FormatError: Always.
    """
    raise FormatError("This format is read, but not written here.", {"reason": "not written"})


@dataclass(frozen=True)
class Format:
    """One row of `FORMATS`.

    Attributes:
        detect: Whether the first bytes of a file (unpacked) are this format's.
        read: The rows of a source.
        unit: What its rows are counted in: line or row.
        summary: One or two sentences for the reader.
        signed: Whether its first bytes are a signature, so that it is asked before other known kinds are refused.
        write: Writes those rows of a space to a stream, telling how many are done.
        endings: Of file names that mean this format when one is written; empty where it is only read.
        unwritable: What no word may hold that is written.
        keeps: What it holds beside words and vectors: *counts*, *columns*.
        packs: Whether what is written may be packed with gzip.
        options: The choices of `ReadOptions` that `read` takes as keywords.
        folder: Whether it is a folder; a folder cannot be uploaded.
    """

    name: str
    title: str
    detect: Callable[[bytes], bool]
    read: Callable[..., Rows]
    unit: str
    summary: str
    signed: bool = False
    write: Write = not_written
    endings: tuple[str, ...] = ()
    unwritable: re.Pattern[str] | None = None
    keeps: tuple[str, ...] = ()
    packs: bool = True
    options: tuple[str, ...] = ()
    folder: bool = False


class _RawTexts:
    """Texts kept as joined bytes and lengths, block by block."""

    def __init__(self) -> None:
        self._blobs: list[bytes] = []
        self._lengths: list[Ints] = [np.zeros(1, np.int64)]

    def add(self, texts: Sequence[bytes]) -> None:
        """Take more."""
        self._blobs.append(b"".join(texts))
        self._lengths.append(np.fromiter(map(len, texts), np.int64, len(texts)))

    def __iter__(self) -> Iterator[bytes]:
        for blob, lengths in zip(self._blobs, self._lengths[1:], strict=True):
            ends = np.cumsum(lengths).tolist()
            yield from (blob[start:end] for start, end in zip([0, *ends], ends, strict=False))

    def blob(self) -> WordBlob:
        """Return all of them."""
        offsets = np.cumsum(np.concatenate(self._lengths), dtype=np.int64)
        return WordBlob(np.frombuffer(b"".join(self._blobs), np.uint8), offsets)


class Gathering:
    """Takes blocks, keeps what can stand in a space and counts the rest.

    Args:
        sink: Where the kept rows go.
        skip_bad: Whether rows that cannot be read are dropped; otherwise nothing is kept after the first of them, and
            the rest of the file is only counted.
        encoding: In which the words stand; guessed where it is empty and they are no UTF-8.

    Attributes:
        guessed: Whether `encoding` was guessed; known after `settle`.
        undecodable: How many words are not valid in it, and `undecodable_lines` where the first stood; known then too.
    """

    def __init__(self, sink: Sink, skip_bad: bool, encoding: str = "") -> None:
        self.rows = self.zero_rows = self.before = self.offered = 0
        self.whole = True
        self.tally = Tally()
        self.encoding, self.guessed = encoding, False
        self.undecodable, self.undecodable_lines = 0, tuple[int, ...]()
        self._sink, self._skip_bad = sink, skip_bad
        self._utf8 = encoding in ("", encodings.UTF_8)
        self._seen: set[bytes] = set()
        self._words = _RawTexts()
        self._lines: list[Ints] = []
        self._counts: list[Ints] = []
        self._numbers: dict[str, list[NDArray[Any]]] = {}
        self._texts: dict[str, _RawTexts] = {}

    @property
    def refused(self) -> bool:
        """Return whether a row was found that a strict reader refuses."""
        return self.tally.first is not None and not self._skip_bad

    def add(self, block: RowBlock) -> None:
        """Take the next block."""
        first = block.tally.first if self.tally.first is None else None
        self.tally.join(block.tally)
        words = block.words
        self._utf8 = self._utf8 and _is_utf8(words)
        rows = self._rows_to_keep(words, block)
        if first is not None:
            at = int(np.searchsorted(block.lines, first.line)) if first.line else len(words)
            fine = at if rows is None else bisect_left(rows, at)
            self.before, self.whole = self.rows + fine, self.rows + fine == self.offered + at
        self.offered += len(words)
        if self.offered > REPEATS_FROM and 100 * self.rows < self.offered and DUPLICATE in self.tally.counts:
            raise _repeats(self.tally.counts[DUPLICATE], self.offered)
        if rows is None:
            self.zero_rows += 0 if block.zero is None else int(block.zero.sum())
            self._keep(words, block, slice(None))
        elif rows:
            self.zero_rows += 0 if block.zero is None else int(block.zero[rows].sum())
            self._keep([words[row] for row in rows], block, rows)

    def settle(self) -> None:
        """Decode the words, when all blocks were taken."""
        if self._utf8:
            self.encoding = encodings.UTF_8
            return
        found = encodings.decoded([*self._words], self.encoding)
        lines = np.concatenate(self._lines)[found.undecodable[:FIRST_LINES]]
        self.encoding, self.guessed = found.encoding, found.guessed
        self.undecodable, self.undecodable_lines = len(found.undecodable), tuple(lines.tolist())
        self._words = _RawTexts()
        self._words.add(found.words)

    def words(self) -> WordBlob:
        """Return the words of the kept rows, settled."""
        return self._words.blob()

    def counts(self) -> Ints | None:
        """Return the counts of the kept rows, shape (n,), or None."""
        return np.concatenate(self._counts) if self._counts else None

    def columns(self) -> dict[str, Column]:
        """Return the columns of the kept rows."""
        numbers: dict[str, Column] = {name: np.concatenate(parts) for name, parts in self._numbers.items()}
        return {**numbers, **{name: self._decoded(texts) for name, texts in self._texts.items()}}

    def _decoded(self, texts: _RawTexts) -> WordBlob:
        """Return the texts of a column, from the encoding of the words."""
        if _is_utf8(texts):
            return texts.blob()
        return WordBlob.of([text.decode(self.encoding or encodings.UTF_8, "backslashreplace") for text in texts])

    def _rows_to_keep(self, words: list[bytes], block: RowBlock) -> list[int] | None:
        """Return the rows of a block to keep, or None for all."""
        fresh = set(words)
        if block.finite is None and len(fresh) == len(words) and b"" not in fresh and self._seen.isdisjoint(fresh):
            self._seen |= fresh
            return None
        rows = []
        for row, word in enumerate(words):
            reason = self._reason(word, block.finite is None or bool(block.finite[row]))
            if reason:
                self.tally.add(reason, int(block.lines[row]))
            else:
                self._seen.add(word)
                rows.append(row)
        return rows

    def _reason(self, word: bytes, finite: bool) -> str:
        if not word:
            return EMPTY_WORD
        if not finite:
            return NOT_FINITE
        return DUPLICATE if word in self._seen else ""

    def _keep(self, words: list[bytes], block: RowBlock, rows: slice | list[int]) -> None:
        self.rows += len(words)
        if self.refused:
            return
        self._sink.append(block.values[rows])
        self._words.add(words)
        self._lines.append(block.lines[rows])
        if block.counts is not None:
            self._counts.append(block.counts[rows])
        for name, values in block.columns.items():
            if isinstance(values, np.ndarray):
                self._numbers.setdefault(name, []).append(values[rows])
            else:
                some = values[rows] if isinstance(rows, slice) else [values[row] for row in rows]
                self._texts.setdefault(name, _RawTexts()).add(some)


def _repeats(count: int, rows: int) -> FormatError:
    text = f"Of the first {rows:,} rows {count:,} repeat a word, so this is no list of vectors. Choose another file."
    return FormatError(text, {"reason": DUPLICATE, "usable": 0})


def _is_utf8(words: Iterable[bytes]) -> bool:
    """Return whether all words are valid in UTF-8."""
    try:
        b"\n".join(words).decode()
    except UnicodeDecodeError:
        return False
    return True


def refusal(bad: Bad, before: int, whole: bool, usable: int, unit: str) -> FormatError:
    """Return the error that says what is wrong, what is fine and what to do."""
    details = {"reason": bad.reason, "line": bad.line, "found": bad.found, "expected": bad.expected, "usable": usable}
    if not usable:
        return FormatError(f"{bad.sentence} No {unit} can be used; choose another file.", details)
    parts = [bad.sentence]
    placed = bad.reason in (RAGGED, UNREADABLE, CUT_OFF)
    if placed and before:
        some = f"{before:,} of the {unit}s before it are fine."
        all_of_them = f"The {before:,} {unit}s before it are fine." if before > 1 else f"The {unit} before it is fine."
        parts.append(all_of_them if whole else some)
    if not placed or usable != before:
        parts.append(f"{'In the whole file ' if placed else ''}{counted(usable, unit)} can be used.")
    return FormatError(" ".join([*parts, "Use those alone, repair the file, or choose another."]), details)
