"""Reading and writing files of vectors. `FORMATS` is the table of all formats.

A file becomes a `VectorSpace` in memory or a saved space (a folder); a `VectorSpace` becomes a file. A file is
recognised by its content, plain or compressed; only LanceDB's tables and raw matrices are recognised by name. No code
from a file is run: a pickle is refused without being opened. Memory is limited by what the file really holds, not by
what its header says.
"""

import shutil
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from embedviz import __version__
from embedviz.core.options import choose
from embedviz.core.progress import Report, step
from embedviz.core.space import Order, Origin, VectorSpace, folder_writer, refuse_existing, write_rest
from embedviz.core.subwords import Subwords
from embedviz.core.time_limit import within_time
from embedviz.files import encodings
from embedviz.files.errors import FormatError
from embedviz.files.source import MAX_BYTES, Arriving, Source
from embedviz.formats import (
    arrow,
    faiss,
    fasttext,
    folders,
    glove,
    hdf5,
    histwords,
    lance,
    npy,
    npz,
    projector,
    records,
    safetensors,
    word2vec_binary,
    word2vec_text,
    zipped,
)
from embedviz.formats.options import ReadOptions
from embedviz.formats.reading import Dropped, Format, Gathering, ImportReport, Rows, refusal
from embedviz.formats.refusals import is_container, known_other, unknown
from embedviz.formats.sinks import FileSink, MemorySink, Sink
from embedviz.formats.writing import Written, draft_of, lost, writable_rows

__all__ = [
    "FORMATS",
    "WRITABLE",
    "Dropped",
    "Format",
    "FormatError",
    "ImportReport",
    "ReadOptions",
    "Written",
    "detect",
    "estimate",
    "format_to_write",
    "import_arriving",
    "import_file",
    "import_spaces",
    "read",
    "write",
]

FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        word2vec_text.FORMAT,
        word2vec_binary.FORMAT,
        projector.FORMAT,
        records.FORMAT,
        glove.FORMAT,
        fasttext.FORMAT,
        npz.FORMAT,
        npy.FORMAT,
        safetensors.FORMAT,
        arrow.FORMAT,
        hdf5.FORMAT,
        faiss.FORMAT,
        lance.FORMAT,
        histwords.FORMAT,
    )
}
WRITABLE: dict[str, Format] = {name: each for name, each in FORMATS.items() if each.endings}
_REPORT_EVERY = 0.1  # seconds
_SAMPLE = 300  # rows from which a size is estimated


@within_time(FormatError)
def detect(path: str | Path) -> Format:
    """Return the format of a file, or of the file with the vectors in a folder or a zip archive.

    Raises:
        FormatError: No format matches, or several files could hold vectors; the message says what was found.
    """
    with _opened(path, MAX_BYTES, None, "", ReadOptions())[0] as source:
        try:
            return lance.FORMAT if lance.is_version(source.path) else _format_of(source.head)
        except FormatError:
            if histwords.rows_with_list(source) is None:
                raise
            return histwords.FORMAT


@within_time(FormatError)
def read(
    path: str | Path,
    *,
    name: str | None = None,
    skip_bad: bool = False,
    encoding: str = "",
    report: Report | None = None,
    max_bytes: int = MAX_BYTES,
    words: str | Path = "",
    text_column: str = "",
    vector_column: str = "",
    member: str = "",
) -> tuple[VectorSpace, ImportReport]:
    """Return the vectors of a file as a space in memory, and the report of the import.

    Args:
        name: The name of the space; None for the file's name without its suffix.
        skip_bad: Whether to drop and count rows that cannot be read, instead of refusing the file.
        encoding: The encoding of the words. Empty: UTF-8, or a guess if the words are not valid UTF-8.
        report: Called with the share of the file read and a message, at most ten times a second; may raise to cancel.
        max_bytes: Maximum number of bytes to which a compressed file may unpack.
        words: A file with one word per row, for a matrix without words; empty to look for one beside the file.
        text_column: The column of a table that names the rows or holds their texts; empty to detect it.
        vector_column: The name of what holds the vectors: a column of lists or a tensor; or the common beginning of the
            names of several numeric columns, such as “dim_”. Empty to detect it.
        member: The file to read from a folder or a zip archive; empty to detect it.

    Raises:
        FormatError: The file is refused; `details` say where and why.
    """
    codec = encodings.checked(encoding)
    options = ReadOptions(words, text_column, vector_column, member)
    source, options, title = _opened(path, max_bytes, report, codec, options)
    with source:
        kind, rows = _begun(source, options)
        sink = rows.room.in_memory() if rows.room else MemorySink(rows.dimensions)
        gathering, reading = _gathered(source, kind, rows, sink, skip_bad, codec, report)
        origin = _origin(source, gathering, rows, reading, name or title)
        subwords = _in_memory(rows.subwords)
    counts, columns = gathering.counts(), gathering.columns()
    return VectorSpace(gathering.words(), sink.matrix(), counts, columns, origin, subwords, checked=True), reading


@within_time(FormatError)
def import_file(
    path: str | Path,
    folder: str | Path,
    name: str | None = None,
    *,
    skip_bad: bool = False,
    encoding: str = "",
    report: Report | None = None,
    max_bytes: int = MAX_BYTES,
    words: str | Path = "",
    text_column: str = "",
    vector_column: str = "",
    member: str = "",
) -> ImportReport:
    """Write the vectors of a file as a saved space, and return the report of the import.

    The report is also stored in the card of the space, under *reading*. The folder appears complete or not at all. The
    matrix may be larger than memory. Other arguments as for `read()`.

    Raises:
        FileExistsError: The folder already exists.
        FormatError: The file is refused; `details` say where and why.
    """
    folder = Path(folder)
    refuse_existing(folder)
    codec = encodings.checked(encoding)
    options = ReadOptions(words, text_column, vector_column, member)
    source, options, title = _opened(path, max_bytes, report, codec, options)
    with source:
        kind, rows = _begun(source, options)
        return _imported(source, kind, rows, folder, name or title, skip_bad, codec, report)


@within_time(FormatError)
def import_spaces(
    path: str | Path,
    folder: str | Path,
    name: str | None = None,
    *,
    skip_bad: bool = False,
    encoding: str = "",
    report: Report | None = None,
    max_bytes: int = MAX_BYTES,
    words: str | Path = "",
    text_column: str = "",
    vector_column: str = "",
    member: str = "",
) -> tuple[ImportReport, ...]:
    """Write every space of a file as a saved space; return one report per space.

    The first space goes into `folder`, the next into `folder-1`, and so on. After an error none of the folders remain.
    Other arguments as for `read()`.

    Args:
        name: The name of the space. Each of several spaces gets this name and an addition: *decades* → *decades 1850*.

    Raises:
        FileExistsError: A folder already exists.
        FormatError: The file is refused; `details` say where and why.
    """
    folder = Path(folder)
    codec = encodings.checked(encoding)
    options = ReadOptions(words, text_column, vector_column, member)
    source = _opened(path, max_bytes, report, codec, options)[0]
    with source:
        several = histwords.parts(source) if histwords.detect(source.head) else []
        if len(several) < 2:
            how: dict[str, Any] = {"skip_bad": skip_bad, "encoding": encoding, "max_bytes": max_bytes, **vars(options)}
            return (import_file(path, folder, name, report=report, **how),)
        folders = [folder, *(folder.with_name(f"{folder.name}-{number}") for number in range(1, len(several)))]
        for there in folders:
            refuse_existing(there)
        readings: list[ImportReport] = []
        try:
            for place, (part, there) in enumerate(zip(several, folders, strict=True)):
                part_report = step(report, place, len(several), part.name)
                full = f"{name} {part.name}" if name else part.name
                kind = histwords.FORMAT
                readings.append(_imported(source, kind, part.rows, there, full, skip_bad, codec, part_report))
        except BaseException:
            for there in folders[: len(readings)]:
                shutil.rmtree(there, ignore_errors=True)
            raise
    return tuple(readings)


def import_arriving(
    path: Path, arriving: Arriving, folder: Path, name: str, *, max_bytes: int, report: Report | None = None
) -> ImportReport:
    """Write the vectors of a file as a saved space while the file is still arriving; drop rows that cannot be read.

    The folder appears once the whole file has arrived. Other arguments as for `import_file()`.

    Raises:
        FileExistsError: The folder already exists.
        FormatError: The file is refused, does not arrive whole, or has a format that can only be read whole.
    """
    arriving.wait(1)  # before the first byte there may be no file
    with Source(path, max_bytes, arriving=arriving) as source:
        kind = _format_of(source.head)
        if kind.name not in ("word2vec-text", "word2vec-binary", "glove"):
            raise FormatError(f"A {kind.title} file is read when it is whole.", {"reason": "not whole"})
        return _imported(source, kind, kind.read(source), folder, name, True, "", report)


def _imported(
    source: Source,
    kind: Format,
    rows: Rows,
    folder: Path,
    name: str | None,
    skip_bad: bool,
    encoding: str,
    report: Report | None,
) -> ImportReport:
    """Write all rows of a source into a saved space, and return the report."""
    with folder_writer(folder) as draft:
        with FileSink(draft / "matrix.npy", rows.dimensions) as sink:
            gathering, reading = _gathered(source, kind, rows, sink, skip_bad, encoding, report)
        origin, extra = _origin(source, gathering, rows, reading, name), {"reading": reading.card()}
        columns = gathering.columns()
        write_rest(draft, gathering.words(), gathering.counts(), columns, origin, extra, rows.subwords)
    return reading


def write(
    space: VectorSpace,
    path: str | Path,
    format: str = "",
    *,
    skip_bad: bool = False,
    report: Report | None = None,
) -> Written:
    """Write a space to a file, block by block, and return a report of what was written and what was left out.

    The file appears complete or not at all, and replaces an existing file. Numbers are exact in every format.

    Args:
        format: A name of `WRITABLE`; empty to choose by the file's ending. The ending `.gz` compresses the file.
        skip_bad: Whether to leave out and count rows whose words the format cannot hold.
        report: Called with the share written and a message, at most ten times a second; may raise to cancel.

    Raises:
        OptionError: There is no such format.
        FormatError: The ending does not fit, a word cannot be written, `path` is a folder, or its folder is missing.
    """
    path = Path(path)
    kind, packed = format_to_write(path, format)
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "not a plain file"
        raise FormatError(f"{path.name} is {what}; name a file.", {"reason": "not a file"})
    if not path.parent.is_dir():
        raise FormatError(f"There is no folder {path.parent}; make it first.", {"reason": "missing"})
    rows, dropped = writable_rows(kind, space, skip_bad)
    there, report_now = path.exists(), _throttled(report)
    with draft_of(path, packed) as stream:
        kind.write(stream, space, rows, lambda done: report_now(done / len(rows), f"{done:,} words written"))
    if report:
        report(1.0, f"{len(rows):,} words written")
    left = lost(kind, space)
    return Written(len(rows), space.dimensions, kind.name, path.stat().st_size, dropped, left, there)


def estimate(space: VectorSpace, format: str) -> int:
    """Estimate the size in bytes of a file of this format with the space, from a sample of the rows.

    The size is 0 if the format can hold no word of the sample.

    Raises:
        OptionError: There is no such format.
    """
    kind = choose(WRITABLE, format, "format to write")
    rows = np.unique(np.linspace(0, len(space) - 1, _SAMPLE).astype(np.int64)) if len(space) else np.zeros(0, np.int64)
    stream = BytesIO()
    sample = space.take(rows)
    with suppress(FormatError):
        kind.write(stream, sample, writable_rows(kind, sample, skip_bad=True)[0], lambda _: None)
    return round(stream.tell() * len(space) / max(1, len(rows)))


def format_to_write(path: Path, format: str = "") -> tuple[Format, bool]:
    """Return the format to write, by its name or by the file's ending, and whether to compress the file with gzip.

    Raises:
        OptionError: There is no such format.
        FormatError: The ending names no format, or is `.gz` for a format that is compressed already.
    """
    packed = path.name.endswith(".gz")
    name = path.name.removesuffix(".gz").lower()
    if format:
        kind = choose(WRITABLE, format, "format to write")
    else:
        endings = {ending: each for each in WRITABLE.values() for ending in each.endings if name.endswith(ending)}
        if not endings:
            known = ", ".join(ending for each in WRITABLE.values() for ending in each.endings)
            text = (
                f"The ending of {path.name} names no format that is written. Known endings: {known}; or name a format."
            )
            raise FormatError(text, {"reason": "ending"})
        kind = endings[max(endings, key=len)]
    if packed and not kind.packs:
        raise FormatError(f"A {kind.title} is packed already; leave .gz away.", {"reason": "ending"})
    return kind, packed


def _in_memory(subwords: Subwords | None) -> Subwords | None:
    """Return the n-gram vectors, copied into memory so that the file can be closed; None if there are none."""
    return subwords and Subwords(subwords.min_n, subwords.max_n, np.array(subwords.buckets, np.float32))


def _format_of(head: bytes) -> Format:
    """Return the format that matches a file's first bytes.

    Formats with a signature are tried first. Then known kinds of file without vectors are refused. Formats without a
    signature are tried last.
    """
    signed = next((each for each in FORMATS.values() if each.signed and each.detect(head)), None)
    if signed is not None:
        return signed
    if is_container(head):
        raise known_other(head) or unknown(head)
    for each in FORMATS.values():
        if not each.signed and each.detect(head):
            return each
    raise known_other(head) or unknown(head)


def _opened(
    path: str | Path, max_bytes: int, report: Report | None, encoding: str, options: ReadOptions
) -> tuple[Source, ReadOptions, str]:
    """Open a file; of a folder or a zip archive, open the file that holds the vectors.

    Returns:
        The source, the options with which to read the source, and the title of the space; an empty title stands for the
        file's name.
    """
    title, path = "", Path(path)
    if path.is_dir():
        title = path.resolve().name
        path, options = folders.file_in(path, options)
    source = Source(path, max_bytes, _throttled(report), encoding)
    try:
        wanted = options.member, options.vector_column
        member = None if source.packed else zipped.member_of(str(path), source.head, *wanted)
    except BaseException:
        source.__exit__()
        raise
    if member is None:
        return source, options, title
    source.__exit__()
    title = title or (source.stem if member.whole else "")
    options = replace(options, vector_column=member.tensor or options.vector_column)
    return Source(path, max_bytes, _throttled(report), encoding, member.name), options, title


def _begun(source: Source, options: ReadOptions) -> tuple[Format, Rows]:
    try:
        kind = lance.FORMAT if lance.is_version(source.path) else _format_of(source.head)
    except FormatError:
        raw = histwords.rows_with_list(source)  # numbers alone cannot be recognised by their first bytes
        if raw is None:
            raise
        return histwords.FORMAT, raw
    return kind, kind.read(source, **options.for_format(kind.title, kind.options))


def _gathered(
    source: Source,
    kind: Format,
    rows: Rows,
    sink: Sink,
    skip_bad: bool,
    encoding: str,
    report: Report | None,
) -> tuple[Gathering, ImportReport]:
    """Append all rows of a source to a sink; return the `Gathering` (with words and counts), and the report."""
    begun, report_now = time.perf_counter(), _throttled(report)
    gathering = Gathering(sink, skip_bad, "" if source.wide or rows.utf8 else encoding)
    with closing(rows.blocks) as blocks:
        for block in blocks:
            gathering.add(block)
            share = gathering.offered / rows.total if rows.total else source.fraction
            report_now(share, f"{gathering.rows:,} words read")
    bad = gathering.tally.first
    if bad and (gathering.refused or not gathering.rows):
        raise refusal(bad, gathering.before, gathering.whole, gathering.rows, kind.unit)
    if not gathering.rows:
        raise _nothing_left(gathering, kind)
    gathering.settle()
    if report:
        report(1.0, f"{gathering.rows:,} words read")
    return gathering, ImportReport(
        format=kind.name,
        rows=gathering.rows,
        dimensions=rows.dimensions,
        bytes=source.size,
        encoding=source.wide or gathering.encoding,
        guessed=gathering.guessed or source.wide_guessed,
        undecodable=gathering.undecodable,
        undecodable_lines=gathering.undecodable_lines,
        seconds=time.perf_counter() - begun,
        zero_rows=gathering.zero_rows,
        dropped=gathering.tally.dropped(),
        checksum=source.checksum(),
    )


def _throttled(report: Report | None) -> Callable[[float, str], None]:
    """Return a function that passes at most ten of its calls a second on to `report`, and ignores all other calls."""
    last = float("-inf")

    def limited(fraction: float, message: str) -> None:
        nonlocal last
        now = time.perf_counter()
        if report and now - last >= _REPORT_EVERY:
            last = now
            report(fraction, message)

    return limited


def _nothing_left(gathering: Gathering, kind: Format) -> FormatError:
    dropped = "; ".join(f"{each.reason} ({each.count:,})" for each in gathering.tally.dropped()) or "it holds none"
    text = f"No {kind.unit} of the file can stand in a space: {dropped}. Choose another file."
    return FormatError(text, {"reason": "no rows", "found": 0, "usable": 0})


def _origin(source: Source, gathering: Gathering, rows: Rows, reading: ImportReport, name: str | None) -> Origin:
    parameters = {"format": reading.format, "bytes": reading.bytes, "encoding": reading.encoding}
    versions = {"embedviz": __version__}
    order, note = _order(gathering, rows), rows.note
    return Origin("file", name or source.stem.removesuffix(".f32"), order, parameters, reading.checksum, versions, note)


def _order(gathering: Gathering, rows: Rows) -> Order:
    """Return how the rows of a file are sorted: *frequency*, *assumed* or *none*.

    It is *frequency* if the file has counts that never rise. If the file has no counts, it is *assumed* for formats
    that usually sort by frequency, unless rows are texts. Otherwise it is *none*.
    """
    counts = gathering.counts()
    if counts is None:
        return "assumed" if rows.by_frequency and "text" not in gathering.columns() else "none"
    return "frequency" if bool(np.all(np.diff(counts) <= 0)) else "none"
