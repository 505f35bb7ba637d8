"""The parts that all writers share: the rows that can be written, the blocks to write, and the result."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from embedviz.core.phrases import counted
from embedviz.core.plain_files import whole_file
from embedviz.core.space import Ints, VectorSpace
from embedviz.files.errors import FormatError
from embedviz.formats.reading import Dropped, Format, RowReport, Tally

UNWRITABLE = "the word cannot be written in this format"
_BLOCK = 2**19  # bytes of the matrix written at a time; as text they take many times as much
_PACKED = 5  # gzip's level: level 9 takes four times as long and saves 1 %


@dataclass(frozen=True)
class Written:
    """The result of writing a space to a file.

    Attributes:
        format: A name of `FORMATS`.
        bytes: The size of the file.
        dropped: The counts of rows that were left out because the format cannot hold their words.
        lost: The parts of the space that the format cannot hold: *counts*, names of columns, *n-gram vectors*.
        replaced: Whether the file replaced an older one.
    """

    rows: int
    dimensions: int
    format: str
    bytes: int
    dropped: tuple[Dropped, ...] = ()
    lost: tuple[str, ...] = ()
    replaced: bool = False

    def card(self) -> dict[str, Any]:
        """Return the result as plain JSON values, as `embedviz convert` prints it."""
        names = ("rows", "dimensions", "format", "bytes", "replaced")
        dropped = [each.card() for each in self.dropped]
        return {**{name: getattr(self, name) for name in names}, "dropped": dropped, "lost": list(self.lost)}


def row_blocks(space: VectorSpace, rows: Ints, report: RowReport) -> Iterator[Ints]:
    """Yield the row numbers in blocks. After each block, `report` receives the number of rows done so far."""
    step = max(1, _BLOCK // (4 * space.dimensions))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
        report(min(start + step, len(rows)))


def write_lines(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Write each row as a line: the word and its numbers, with just enough digits for the same float32."""
    for block in row_blocks(space, rows, report):
        numbers = space.matrix[block].astype("S").tolist()
        lines = [
            b" ".join([space.words[row].encode(), *line]) for row, line in zip(block.tolist(), numbers, strict=True)
        ]
        stream.write(b"\n".join([*lines, b""]))


def writable_rows(kind: Format, space: VectorSpace, skip_bad: bool) -> tuple[Ints, tuple[Dropped, ...]]:
    """Return the row numbers of the words that the format can hold, and the counts of rows left out, by reason.

    Raises:
        FormatError: A word cannot be written and `skip_bad` is not set, or no row is left.
    """
    bad = kind.unwritable
    unfit = [row for row, word in enumerate(space.words) if bad is not None and bad.search(word)]
    if unfit and not skip_bad:
        raise _unwritable(kind, space, unfit)
    if len(unfit) == len(space):
        raise FormatError("No row is left to be written.", {"reason": "no rows", "usable": 0})
    tally = Tally()
    for row in unfit:
        tally.add(UNWRITABLE, row + 1)
    return np.delete(np.arange(len(space)), unfit), tally.dropped()


def lost(kind: Format, space: VectorSpace) -> tuple[str, ...]:
    """Return names of the parts of a space that a file of this format cannot hold.

    These are *counts*, the names of columns, and *n-gram vectors*; empty if the file can hold all parts.
    """
    counts = ["counts"] if space.counts is not None and "counts" not in kind.keeps else []
    left = tuple(space.metadata)
    if "columns" in kind.keeps:
        left = kind.left_behind(space) if kind.left_behind is not None else ()
    return (*counts, *left, *(["n-gram vectors"] if space.subwords is not None else []))


@contextmanager
def draft_of(path: Path, packed: bool) -> Iterator[BinaryIO]:
    """Open a temporary file for a `with` block. At the end it becomes `path`; after an error it is deleted.

    Args:
        packed: Whether to compress the file with gzip.
    """
    with whole_file(path) as file:
        if packed:
            with gzip.GzipFile("", "wb", _PACKED, file, mtime=0) as stream:
                yield stream  # type: ignore[misc]
        else:
            yield file


def _unwritable(kind: Format, space: VectorSpace, unfit: list[int]) -> FormatError:
    first = space.words[unfit[0]]
    printed = f"“{first[:60]}”" if first.isprintable() and first else repr(first[:60])
    says = f"The word {printed} (row {unfit[0] + 1:,}) cannot be written as {kind.title}"
    what = f"{says}, nor can {counted(len(unfit) - 1, 'other')}" if len(unfit) > 1 else says
    advice = "Write an .npz, which takes any word, or" if kind.name != "npz" else "Rename it, or"
    usable = len(space) - len(unfit)
    details = {"reason": UNWRITABLE, "line": unfit[0] + 1, "found": first[:60], "usable": usable}
    return FormatError(f"{what}. {advice} leave such rows out (--skip-bad).", details)
