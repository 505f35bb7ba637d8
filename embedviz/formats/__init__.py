"""Makers: a file of vectors in, a `VectorSpace` or a saved space's folder out. `FORMATS` is the table.

Every file is told by its content, plain or gzip, never by its name. Nothing from a file is run: a pickle is refused
unopened. Memory is bounded by what the file holds, not by what its header says.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from embedviz import __version__
from embedviz.formats import glove, word2vec_binary, word2vec_text
from embedviz.formats.reading import (
    Dropped,
    FileSink,
    Format,
    FormatError,
    Gathering,
    MemorySink,
    Reading,
    Rows,
    Sink,
    counted,
    refusal,
)
from embedviz.formats.refusals import is_container, known_other, unknown
from embedviz.formats.source import MAX_BYTES, Report, Source
from embedviz.space import Origin, VectorSpace, WordBlob, folder_writer, write_rest

__all__ = ["FORMATS", "Dropped", "Format", "FormatError", "Reading", "detect", "import_file", "read"]

FORMATS: dict[str, Format] = {each.name: each for each in (word2vec_text.FORMAT, word2vec_binary.FORMAT, glove.FORMAT)}
_REPORT_EVERY = 0.1  # seconds


def detect(path: str | Path) -> Format:
    """The format of a file, told by its first bytes.

    Raises:
        FormatError: It is none that is read here; the message says what it looks like.
    """
    with Source(path) as source:
        return _format_of(source.head)


def read(
    path: str | Path,
    *,
    name: str | None = None,
    skip_bad: bool = False,
    report: Report | None = None,
    max_bytes: int = MAX_BYTES,
) -> tuple[VectorSpace, Reading]:
    """The vectors of a file as a space in memory, and what came of reading it.

    Args:
        name: What the space is called; the file's name without its suffix where it is None.
        skip_bad: Whether rows that cannot be read are dropped and counted, instead of refusing the file.
        report: Called with the share read and a message, at most ten times a second; may raise to cancel.
        max_bytes: How much a packed file may grow to.

    Raises:
        FormatError: The file is refused; `details` say where and why.
    """
    with Source(path, max_bytes) as source:
        kind, rows = _begun(source)
        sink = MemorySink(rows.dimensions)
        words, reading = _gathered(source, kind, rows, sink, skip_bad, report)
        origin = _origin(source, reading, name)
    return VectorSpace(words, sink.matrix(), origin=origin), reading


def import_file(
    path: str | Path,
    folder: str | Path,
    name: str | None = None,
    *,
    skip_bad: bool = False,
    report: Report | None = None,
    max_bytes: int = MAX_BYTES,
) -> Reading:
    """Writes the vectors of a file as a saved space, whose card keeps what came of reading it under *reading*.

    The folder appears whole or not at all; a matrix larger than memory goes through. Arguments as for `read`.

    Raises:
        FileExistsError: The folder is there already.
        FormatError: The file is refused; `details` say where and why.
    """
    folder = Path(folder)
    if folder.exists():
        raise FileExistsError(f"{folder.name} is there already; choose another name or delete it first.")
    with Source(path, max_bytes) as source:
        kind, rows = _begun(source)
        with folder_writer(folder) as draft:
            with FileSink(draft / "matrix.npy", rows.dimensions) as sink:
                words, reading = _gathered(source, kind, rows, sink, skip_bad, report)
            write_rest(draft, words, None, {}, _origin(source, reading, name), {"reading": reading.card()})
    return reading


def _format_of(head: bytes) -> Format:
    """The format of some first bytes. A container is known by its own first, since it may hold the rows of another."""
    if is_container(head):
        raise known_other(head) or unknown(head)
    for each in FORMATS.values():
        if each.detect(head):
            return each
    raise known_other(head) or unknown(head)


def _begun(source: Source) -> tuple[Format, Rows]:
    kind = _format_of(source.head)
    return kind, kind.read(source)


def _gathered(
    source: Source, kind: Format, rows: Rows, sink: Sink, skip_bad: bool, report: Report | None
) -> tuple[WordBlob, Reading]:
    """Takes all rows of a source into a sink."""
    begun, told = time.perf_counter(), _throttled(report)
    gathering = Gathering(sink, skip_bad)
    with closing(rows.blocks) as blocks:
        for block in blocks:
            gathering.add(block)
            told(source.fraction, f"{gathering.rows:,} words read")
    bad = gathering.tally.first
    if bad and (gathering.refused or not gathering.rows):
        raise refusal(bad, gathering.before, gathering.whole, gathering.rows, kind.unit)
    if not gathering.rows:
        raise _nothing_left(gathering, kind)
    if report:
        report(1.0, f"{gathering.rows:,} words read")
    return gathering.words(), Reading(
        format=kind.name,
        rows=gathering.rows,
        dimensions=rows.dimensions,
        bytes=source.size,
        encoding=_encoding(gathering.repaired),
        seconds=time.perf_counter() - begun,
        zero_rows=gathering.zero_rows,
        dropped=gathering.tally.dropped(),
        checksum=source.checksum(),
    )


def _throttled(report: Report | None) -> Callable[[float, str], None]:
    """The same report, called at most ten times a second."""
    last = float("-inf")

    def told(fraction: float, message: str) -> None:
        nonlocal last
        now = time.perf_counter()
        if report and now - last >= _REPORT_EVERY:
            last = now
            report(fraction, message)

    return told


def _nothing_left(gathering: Gathering, kind: Format) -> FormatError:
    dropped = "; ".join(f"{each.reason} ({each.count:,})" for each in gathering.tally.dropped()) or "it holds none"
    text = f"No {kind.unit} of the file can stand in a space: {dropped}. Choose another file."
    return FormatError(text, {"reason": "no rows", "found": 0, "usable": 0})


def _encoding(repaired: int) -> str:
    return f"utf-8 with {counted(repaired, 'word')} repaired" if repaired else "utf-8"


def _origin(source: Source, reading: Reading, name: str | None) -> Origin:
    parameters = {"format": reading.format, "bytes": reading.bytes, "encoding": reading.encoding}
    return Origin("file", name or source.stem, "assumed", parameters, reading.checksum, {"embedviz": __version__})
