"""The parts that all readers share: `Format`, `RowBlock`, `Gathering` and `ImportReport`.

A reader yields blocks of words and rows, so that memory is bounded by the size of a block. A `Gathering` takes the
blocks: it drops and counts rows that cannot be in a space, passes the rest to a sink, and decodes the words at the end.
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
MOST_DIMENSIONS = 10_000
"""Maximum number of dimensions."""
REPEATS_FROM = 1_000_000
"""Number of rows after which a file is refused if over 99 % of them were dropped, some for a repeated word."""
_NO_SIGN, _INFINITE = np.uint32(0x7FFFFFFF), np.uint32(0x7F800000)  # without sign, float32 bits sort like the numbers


@dataclass(frozen=True)
class Dropped:
    """The rows that were left out for one reason.

    Attributes:
        first_lines: The line numbers (in a binary file, the row numbers) of the first five of these rows, from 1.
    """

    reason: str
    count: int
    first_lines: tuple[int, ...] = ()

    def card(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        return {"reason": self.reason, "count": self.count, "first_lines": list(self.first_lines)}


@dataclass(frozen=True)
class ImportReport:
    r"""The result of reading a file of vectors.

    Attributes:
        format: A name of `FORMATS`.
        bytes: The size of the file on disk, compressed or not.
        encoding: The encoding of the words.
        guessed: Whether the encoding was guessed.
        undecodable: The number of words that are not valid in the encoding; their invalid bytes are written as `\xNN`.
        undecodable_lines: Where the first five of these words are: lines of a text file, rows of a binary file, from 1.
        zero_rows: The number of rows of zeros; they are read like other rows.
        checksum: SHA-256 of the file on disk.
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
        """Return the report as plain JSON values, without the checksum."""
        names = ("rows", "dimensions", "format", "bytes", "encoding", "seconds", "zero_rows")
        return {
            **{name: getattr(self, name) for name in names},
            "encoding_guessed": self.guessed,
            "undecodable": {"count": self.undecodable, "first_lines": list(self.undecodable_lines)},
            "dropped": [each.card() for each in self.dropped],
        }


def lost_rows(dropped: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of rows that were left out, and of rows that the file lacks although its header counts them.

    Args:
        dropped: The entry *dropped* of an `ImportReport.card()`.

    Returns:
        A dictionary with the two numbers, *dropped* and *missing*.
    """
    missing = sum(each["count"] for each in dropped if each["reason"] == MISSING)
    return {"dropped": sum(each["count"] for each in dropped) - missing, "missing": missing}


@dataclass(frozen=True)
class Bad:
    """A fault of a file: a row that cannot be read, or a header that is wrong.

    By default the whole file is refused for it; with `skip_bad` only the row is dropped.

    Attributes:
        line: The line of a text file or the row of a binary file, from 1; 0 if the fault is not in a certain row.
        sentence: The fault, as a sentence for the user.
        found, expected: The value or count in the file, and the count that would be right; None if not known.
        count: The number of rows lost; 0 if no row is lost.
    """

    reason: str
    line: int
    sentence: str
    found: int | str | None = None
    expected: int | None = None
    count: int = 1


class Tally:
    """Counts of the rows that were left out, by reason.

    Attributes:
        counts: Reason → number of rows.
        lines: Reason → the positions of the first five of these rows.
        first: The first fault for which the file is refused (unless `skip_bad` is set); None if there is no fault.
    """

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.lines: dict[str, list[int]] = {}
        self.first: Bad | None = None

    def add(self, reason: str, line: int, count: int = 1) -> None:
        """Count left-out rows for which the file is never refused, such as rows with a repeated word."""
        if count:
            self.counts[reason] = self.counts.get(reason, 0) + count
            first = self.lines.setdefault(reason, [])
            if line and len(first) < FIRST_LINES:
                first.append(line)

    def refuse(self, bad: Bad) -> None:
        """Count the rows lost by a fault of the file. The file is refused for this fault unless `skip_bad` is set."""
        self.first = self.first or bad
        self.add(bad.reason, bad.line, bad.count)

    def join(self, later: Tally) -> None:
        """Add the tally of a later part of the file to this tally."""
        self.first = self.first or later.first
        for reason, count in later.counts.items():
            self.counts[reason] = self.counts.get(reason, 0) + count
            first = self.lines.setdefault(reason, [])
            first += later.lines[reason][: FIRST_LINES - len(first)]

    def dropped(self) -> tuple[Dropped, ...]:
        """Return the counts as one `Dropped` per reason."""
        return tuple(Dropped(reason, count, tuple(self.lines[reason])) for reason, count in self.counts.items())


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Consecutive rows of a file.

    Attributes:
        words: m words, as the bytes in the file.
        values: The numbers of the words, shape (m, d).
        lines: The line of each row in a text file, or its number in a binary file, from 1, shape (m,).
        tally: The counts of those rows in this part of the file that could not be read.
        finite: Mask of the rows that hold only finite numbers, shape (m,); None if all rows do.
        zero: Mask of the rows of zeros, shape (m,); None if there are no such rows.
        counts: How often each word was seen, shape (m,); None if not known.
        columns: Column name → m numbers, or m texts as bytes.
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
    """Return a block whose masks `finite` and `zero` are filled in.

    Args:
        largest: The largest absolute value of each row as the bits of a float32, shape (m,); None to compute it.
    """
    if largest is None:
        largest = np.max(values.view(np.uint32) & _NO_SIGN, axis=1, initial=0)
    finite, zero = largest < _INFINITE, largest == 0
    odd = None if finite.all() else finite, zero if zero.any() else None
    return RowBlock(words, values, lines, tally, *odd, counts, columns or {})


def last_words(dimensions: int, tally: Tally) -> RowBlock:
    """Return a block without rows, whose tally holds the faults found at the end of a file or in its header."""
    return RowBlock([], np.empty((0, dimensions), np.float32), np.empty(0, np.int64), tally)


@dataclass(frozen=True)
class Rows:
    """The rows of a file while it is read.

    Attributes:
        dimensions: The number of dimensions.
        blocks: The rows, block by block.
        total: The number of rows; None if it is not known for sure.
        subwords: The n-gram vectors of a fastText model, perhaps memory-mapped from the file; None for other files.
        note: Sentences for the user, such as where the names come from and what was not read; may be empty.
        by_frequency: Whether rows without counts are assumed to be sorted by frequency.
        utf8: Whether the words are UTF-8 already, whatever encoding the caller chose.
        room: Gives the reader arrays into which it writes the numbers, so that they need not be copied into the space
            later; None if the reader makes its own arrays.
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
"""A function that receives the number of rows written so far."""
Write = Callable[[BinaryIO, VectorSpace, Ints, RowReport], None]
"""A function that writes the given rows of a space to a stream."""


def not_written(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Raise an error. This is `Format.write` of all formats that can only be read.

    Raises:
        FormatError: Always.
    """
    raise FormatError("This format is read, but not written here.", {"reason": "not written"})


@dataclass(frozen=True)
class Format:
    """One row of `FORMATS`.

    Attributes:
        name: The key in `FORMATS`, which commands take.
        title: The name on the screen.
        detect: Function that returns whether the (uncompressed) first bytes of a file belong to this format.
        read: Function that returns the rows of a source.
        unit: What the format calls a row: *line* or *row*.
        summary: One or two sentences for the user.
        signed: Whether files of the format begin with a signature. These formats are tried first. Then known kinds of
            file without vectors are refused, and the other formats are tried last.
        write: Function that writes the given rows of a space to a stream and reports how many are written.
        endings: File endings that select this format for writing; empty if the format can only be read.
        unwritable: Pattern of the words that the format cannot hold; None if it can hold all words.
        keeps: What a file holds besides words and vectors: *counts*, *columns*, both or nothing.
        packs: Whether the file may be compressed with gzip.
        options: The options of `ReadOptions` that `read` takes as keywords.
        folder: Whether the format is a folder; a folder cannot be uploaded.
        left_behind: Function that returns the names of the columns of a space that a file cannot hold, although the
            format keeps *columns*; None if it can hold all columns.
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
    left_behind: Callable[[VectorSpace], tuple[str, ...]] | None = None


class _RawTexts:
    """A compact list of texts: for each block, the joined bytes and the lengths."""

    def __init__(self) -> None:
        self._blobs: list[bytes] = []
        self._lengths: list[Ints] = [np.zeros(1, np.int64)]

    def add(self, texts: Sequence[bytes]) -> None:
        """Append texts."""
        self._blobs.append(b"".join(texts))
        self._lengths.append(np.fromiter(map(len, texts), np.int64, len(texts)))

    def __iter__(self) -> Iterator[bytes]:
        for blob, lengths in zip(self._blobs, self._lengths[1:], strict=True):
            ends = np.cumsum(lengths).tolist()
            yield from (blob[start:end] for start, end in zip([0, *ends], ends, strict=False))

    def blob(self) -> WordBlob:
        """Return all texts as one `WordBlob`."""
        offsets = np.cumsum(np.concatenate(self._lengths), dtype=np.int64)
        return WordBlob(np.frombuffer(b"".join(self._blobs), np.uint8), offsets)


class Gathering:
    """The collector of blocks: it keeps the rows that a space can hold, and counts the others.

    A row is dropped if its word is empty or repeated, or if it has a number that is not finite.

    Args:
        sink: Receives the vectors of the kept rows.
        skip_bad: Whether to drop rows that cannot be read. If False, the rows after the first such row are only
            counted, for the error message.
        encoding: The encoding of the words. Empty: UTF-8, or a guess if the words are not valid UTF-8.

    Attributes:
        rows: The number of usable rows so far.
        offered: The number of readable rows so far, including dropped ones.
        before: The number of usable rows before the first unreadable row.
        whole: Whether all readable rows before the first unreadable row are usable.
        guessed: Whether `encoding` was guessed; set by `settle()`.
        undecodable: The number of words that are not valid in the encoding; set by `settle()`.
        undecodable_lines: The lines or rows of the first five of these words; set by `settle()`.
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
        """Return whether the file is refused: it has a fault, and `skip_bad` is not set."""
        return self.tally.first is not None and not self._skip_bad

    def add(self, block: RowBlock) -> None:
        """Check the next block, and keep its usable rows.

        Raises:
            FormatError: There were more than `REPEATS_FROM` rows, over 99 % of them were dropped, and some repeat a
                word.
        """
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
        """Decode the words. Call this once, after the last block."""
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
        """Return the words of the kept rows. Call `settle()` before."""
        return self._words.blob()

    def counts(self) -> Ints | None:
        """Return the counts of the kept rows, shape (n,); None if the file has no counts."""
        return np.concatenate(self._counts) if self._counts else None

    def columns(self) -> dict[str, Column]:
        """Return the columns of the kept rows: column name → n values."""
        numbers: dict[str, Column] = {name: np.concatenate(parts) for name, parts in self._numbers.items()}
        return {**numbers, **{name: self._decoded(texts) for name, texts in self._texts.items()}}

    def _decoded(self, texts: _RawTexts) -> WordBlob:
        """Return the texts of a column, decoded from the encoding of the words unless all are valid UTF-8."""
        if _is_utf8(texts):
            return texts.blob()
        return WordBlob.of([text.decode(self.encoding or encodings.UTF_8, "backslashreplace") for text in texts])

    def _rows_to_keep(self, words: list[bytes], block: RowBlock) -> list[int] | None:
        """Return the indices of the rows of a block to keep; None to keep all. Count the other rows in `tally`."""
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
    """Return the error for a fault. The message says what is wrong, how many rows are usable, and what to do.

    Args:
        before: The number of usable rows before the fault.
        whole: Whether all rows before the fault are usable.
        usable: The number of usable rows in the whole file.
        unit: What the format calls a row: *line* or *row*.
    """
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
