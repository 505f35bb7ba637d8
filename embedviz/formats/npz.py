"""NumPy's archive (`.npz`): the arrays `words` and `matrix`, and other arrays with one value per word.

    np.savez("vectors.npz", words=words, matrix=matrix, counts=counts, topic=topics)

`words` is an array of n texts or of n UTF-8 byte strings. Without it, the names lie in a list beside the file, or the
rows are numbered. `matrix` has shape (n, d) and numbers of 16, 32 or 64 bits; it may also be called `vectors` or
`embeddings`, or be the only matrix. `counts` holds n whole numbers. Every other array of n numbers or texts becomes a
column. Arrays of Python objects are pickles and are never opened. The sizes in the archive's directory and in the
headers of the arrays are compared before any number is read.
"""

import re
import tempfile
import zipfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import listing, printable
from embedviz.core.space import Ints, VectorSpace, WordBlob
from embedviz.files.errors import FormatError, damaged
from embedviz.files.source import CHUNK, SUSPECT_RATIO, Source
from embedviz.files.zips import BoundedZip
from embedviz.formats.archives import sentences
from embedviz.formats.labels import Labels, labels_for
from embedviz.formats.reading import MOST_DIMENSIONS, Format, RowBlock, RowReport, Rows, Tally, checked_block
from embedviz.formats.writing import row_blocks

MATRICES = ("matrix", "vectors", "embeddings")
RESERVED = ("words", "counts", *MATRICES)
MOST_COLUMNS = 64
LONGEST_NAME = 80
LONGEST_TEXT = 2**18  # bytes of one entry of an array of texts
_LAST_POINT = 0x10FFFF
_OLD = (1980, 1, 1, 0, 0, 0)  # the date of every member, so that equal spaces make equal files


def detect(head: bytes) -> bool:
    """Return whether a file is a zip archive whose first member is a NumPy array."""
    if not head.startswith(b"PK\x03\x04"):
        return False
    length = int.from_bytes(head[26:28], "little")
    return head[30 : 30 + length].endswith(b".npy")


def read(source: Source, words: str | Path = "", text_column: str = "") -> Rows:
    """Return the rows of the archive, with its counts and columns.

    Raises:
        FormatError: The matrix is missing, an array holds objects, the size of an array differs from its header, or the
            list of words does not fit.
    """
    stream = source.seekable()
    with sentences():
        archive = BoundedZip(stream, most=source.max_bytes, ratio=SUSPECT_RATIO)
        members = _members(archive)
        looked_at = list(members.items())[: MOST_COLUMNS + 2 * len(RESERVED)]
        arrays = {name: _array(archive, info) for name, info in looked_at}
    texts, matrix = _main(arrays)
    n = matrix.shape[0]
    counts = _counts(arrays.get("counts"), n)
    columns = {name: each for name, each in arrays.items() if _is_column(name, each, n)}
    columns = dict(list(columns.items())[:MOST_COLUMNS])
    chosen = [*([texts] if texts else []), matrix, *([counts] if counts else []), *columns.values()]
    unpacked = sum(each.info.file_size for each in chosen)
    source.check_unpacked(unpacked, source.size)
    taken = {each.name for each in chosen}
    left = [name for name in members if name not in taken]
    if texts is not None:
        return Rows(matrix.shape[1], _blocks(archive, texts, matrix, counts, columns), n, note=_left_out(left))
    labels = labels_for(source, n, words, text_column)
    blocks, note = (
        _blocks(archive, labels, matrix, counts, columns),
        " ".join(filter(None, [labels.note, _left_out(left)])),
    )
    return Rows(matrix.shape[1], blocks, n, note=note, by_frequency=labels.named)


def write(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Write the words, the matrix, the counts and the columns, but not the columns that `left_behind()` returns."""
    with zipfile.ZipFile(stream, "w") as archive:
        with _member(archive, "matrix", packed=False) as member:
            _begin(member, "<f4", (len(rows), space.dimensions))
            for block in row_blocks(space, rows, report):
                member.write(np.ascontiguousarray(space.matrix[block], "<f4").data)
        _write_texts(archive, "words", [space.words[int(row)] for row in rows])
        if space.counts is not None:
            _write_numbers(archive, "counts", space.counts[rows])
        for name, column in space.metadata.items():
            if name in left_behind(space):
                continue
            if isinstance(column, WordBlob):
                _write_texts(archive, name, [column[int(row)] for row in rows])
            else:
                _write_numbers(archive, name, column[rows])


def left_behind(space: VectorSpace) -> tuple[str, ...]:
    """Return the names of the columns of a space that an archive cannot hold.

    The name of such a column is reserved for another array or cannot name an array, or the column comes after the first
    `MOST_COLUMNS`.
    """
    names = list(space.metadata)
    return tuple(name for place, name in enumerate(names) if not _nameable(name) or place >= MOST_COLUMNS)


FORMAT = Format(
    "npz",
    "NumPy archive (.npz)",
    detect,
    read,
    "row",
    "np.savez with words and matrix, and counts or columns where there are any; NumPy opens it without more.",
    signed=True,
    write=write,
    endings=(".npz",),
    unwritable=re.compile("\\A\\Z|\0\\Z|[\ud800-\udfff]"),
    keeps=("counts", "columns"),
    packs=False,
    options=("words", "text_column"),
    left_behind=left_behind,
)


class _Array(NamedTuple):
    """An array in the archive, as its header describes it."""

    info: zipfile.ZipInfo
    kind: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool

    @property
    def name(self) -> str:
        return self.info.filename.removesuffix(".npy")

    @property
    def texts(self) -> bool:
        return self.kind.kind in "US"


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the arrays of an archive by name. Arrays with reserved names, such as `words`, come first."""
    found = {each.filename.removesuffix(".npy"): each for each in archive.infolist() if each.filename.endswith(".npy")}
    ordered = sorted(found, key=lambda name: name not in RESERVED)
    return {name: found[name] for name in ordered}


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Array:
    """Return the type and shape of an array, as its header describes them.

    Raises:
        FormatError: The header is damaged, or its size differs from the size in the archive's directory.
    """
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        if version != (1, 0):  # a longer header has fields in every entry: no column
            return _Array(info, np.dtype("V1"), (), False)
        try:
            shape, fortran, kind = np.lib.format.read_array_header_1_0(member)
        except (SyntaxError, TokenError, TypeError, MemoryError) as error:
            raise damaged("archive", error) from None
        header = member.tell()
    array = _Array(info, kind, shape, fortran)
    size = int(np.prod([1, *shape], dtype=object)) * kind.itemsize
    if kind.kind != "O" and (min(shape, default=0) < 0 or size != info.file_size - header):
        name = printable(array.name, LONGEST_NAME)
        says = f"The array {name} says it holds {size:,} bytes; the archive has {info.file_size - header:,}."
        raise FormatError(f"{says} It is damaged; save it again.", {"reason": "header", "usable": 0})
    return array


def _main(arrays: dict[str, _Array]) -> tuple[_Array | None, _Array]:
    """Return the array of words and the matrix. The first is None if the archive has no words.

    Raises:
        FormatError: The matrix is missing, or the matrix or the array of words has the wrong type or shape.
    """
    matrix = next((arrays[name] for name in MATRICES if name in arrays), None)
    others = [each for each in arrays.values() if each.kind.kind == "f" and len(each.shape) == 2]
    if matrix is None and len(others) == 1:
        matrix = others[0]
    if matrix is None:
        found = ", ".join(printable(name, LONGEST_NAME) for name in list(arrays)[:8]) or "none"
        raise _unfit(f"An .npz needs the array matrix, and words where the rows have names; this one has: {found}.")
    words = arrays.get("words")
    for each in filter(None, (words, matrix)):
        if each.kind.kind == "O":
            raise _objects(each.name)
    if words and (not words.texts or len(words.shape) != 1 or words.kind.itemsize > LONGEST_TEXT):
        raise _unfit(f"The array words is {_described(words)}; one axis of texts is needed, np.array(words).")
    n = (words or matrix).shape[0] if (words or matrix).shape else 0
    if matrix.kind.kind != "f" or len(matrix.shape) != 2 or matrix.shape[0] != n:
        raise _unfit(
            f"The array {matrix.name} is {_described(matrix)}; {n:,} rows of floating-point numbers are needed."
        )
    if not 0 < matrix.shape[1] <= MOST_DIMENSIONS:
        raise _unfit(
            f"The array {matrix.name} has {matrix.shape[1]:,} numbers a row; 1 to {MOST_DIMENSIONS:,} are read."
        )
    return words, matrix


def _counts(array: _Array | None, n: int) -> _Array | None:
    if array is None:
        return None
    if array.kind.kind == "O":
        raise _objects("counts")
    if array.kind.kind not in "iu" or array.shape != (n,):
        raise _unfit(f"The array counts is {_described(array)}; {n:,} whole numbers are needed.")
    return array


def _is_column(name: str, array: _Array, n: int) -> bool:
    fits = array.kind.kind in "biufUS" and 0 < array.kind.itemsize <= LONGEST_TEXT
    return fits and array.shape == (n,) and _nameable(name)


def _nameable(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and name.strip() == name and name not in RESERVED


def _blocks(
    archive: zipfile.ZipFile,
    words: _Array | Labels,
    matrix: _Array,
    counts: _Array | None,
    columns: dict[str, _Array],
) -> Generator[RowBlock]:
    arrays = [matrix, *([words] if isinstance(words, _Array) else []), *([counts] if counts else []), *columns.values()]
    width = sum(each.kind.itemsize * int(np.prod(each.shape[1:], dtype=np.int64)) for each in arrays)
    step, n = max(1, CHUNK // width), matrix.shape[0]
    with sentences(), ExitStack() as stack:
        parts = [_parts(stack, archive, each, step) for each in arrays]
        for start in range(0, n, step):
            values, *others = [next(part) for part in parts]
            end, seen, given = start + len(values), None, {}
            if isinstance(words, Labels):
                texts = list(words.words[start:end])
                seen = None if words.counts is None else words.counts[start:end]
                given = {name: column[start:end] for name, column in words.columns.items()}
            else:
                texts = _utf8(others.pop(0))
            seen = _whole(others.pop(0)) if counts else seen
            given |= {name: _column(each) for name, each in zip(columns, others, strict=True)}
            with np.errstate(over="ignore", invalid="ignore"):
                numbers = np.ascontiguousarray(values, np.float32)
            lines = np.arange(start + 1, start + 1 + len(numbers), dtype=np.int64)
            yield checked_block(texts, numbers, lines, Tally(), seen, given)
        for part in parts:
            next(part, None)  # reads to the end of the member, where zipfile checks the checksum


def _parts(stack: ExitStack, archive: zipfile.ZipFile, array: _Array, step: int) -> Iterator[NDArray[Any]]:
    """Yield an array in pieces of `step` numbers, texts or rows.

    Args:
        stack: Closes the file of the array at the end.

    Raises:
        EOFError: The member ends early.
    """
    member = stack.enter_context(archive.open(array.info))
    np.lib.format.read_magic(member)
    np.lib.format.read_array_header_1_0(member)
    n, row = array.shape[0], array.shape[1:]
    if array.fortran and row:
        yield from _by_rows(stack, member, array, step)
        return
    width = array.kind.itemsize * int(np.prod(row, dtype=np.int64))
    for start in range(0, n, step):
        count = min(step, n - start)
        data = member.read(count * width)
        if len(data) < count * width:
            raise EOFError(f"{array.name} ends early")
        yield np.frombuffer(data, array.kind).reshape(count, *row)
    member.read(1)


def _by_rows(stack: ExitStack, member: IO[bytes], array: _Array, step: int) -> Iterator[NDArray[Any]]:
    """Yield the rows of a matrix that is stored column by column, `step` at a time, from a temporary copy."""
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    while data := member.read(CHUNK):
        copy.write(data)
    copy.flush()
    whole = np.memmap(copy, array.kind, "r", 0, array.shape, order="F") if array.shape[0] else np.empty(array.shape)
    for start in range(0, array.shape[0], step):
        yield whole[start : start + step]


def _utf8(texts: NDArray[Any]) -> list[bytes]:
    """Return texts as UTF-8. An invalid character becomes invalid bytes, which `Gathering` repairs."""
    if texts.dtype.kind == "S":
        return [bytes(text) for text in texts.tolist()]
    native = np.array(texts, texts.dtype.newbyteorder("="))
    codes = native.view(np.uint32)
    codes[codes > _LAST_POINT] = 0xD800
    return [text.encode("utf-8", "surrogatepass") for text in native.tolist()]


def _whole(values: NDArray[Any]) -> Ints:
    counts = values.astype(np.int64)
    if (counts < 0).any():
        raise _unfit("The array counts holds numbers below zero, or beyond 64 bits.")
    return counts


def _column(values: NDArray[Any]) -> NDArray[Any] | list[bytes]:
    if values.dtype.kind in "US":
        return _utf8(values)
    if values.dtype.itemsize > 8:
        return values.astype(np.float64)
    return values.astype(values.dtype.newbyteorder("="))


def _objects(name: str) -> FormatError:
    return _unfit(
        f"The array {name} holds Python objects, a pickle. It is never opened, because opening a pickle can run code. "
        "Save it again as an array of texts or numbers, without dtype=object."
    )


def _unfit(text: str) -> FormatError:
    return FormatError(text, {"reason": "arrays", "looks_like": "a NumPy archive (.npz)", "usable": 0})


def _described(array: _Array) -> str:
    kinds = {"U": "text", "S": "bytes", "f": "float", "i": "integer", "u": "integer", "O": "object"}
    return f"{kinds.get(array.kind.kind, 'another kind')} of shape ({', '.join(f'{axis:,}' for axis in array.shape)})"


def _left_out(names: Sequence[str]) -> str:
    if not names:
        return ""
    named = listing([printable(name, LONGEST_NAME) for name in names], 5)
    return f"Not read: {named}. A column has a number or a text for each word; at most {MOST_COLUMNS} are read."


@contextmanager
def _member(archive: zipfile.ZipFile, name: str, *, packed: bool) -> Iterator[IO[bytes]]:
    info = zipfile.ZipInfo(f"{name}.npy", _OLD)
    info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with archive.open(info, "w", force_zip64=True) as member:
        yield member


def _begin(member: IO[bytes], kind: str, shape: tuple[int, ...]) -> None:
    np.lib.format.write_array_header_1_0(member, {"descr": kind, "fortran_order": False, "shape": shape})


def _write_numbers(archive: zipfile.ZipFile, name: str, values: NDArray[Any]) -> None:
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    with _member(archive, name, packed=False) as member:
        _begin(member, little.dtype.str, little.shape)
        member.write(little.data)


def _write_texts(archive: zipfile.ZipFile, name: str, texts: Sequence[str]) -> None:
    kind = f"<U{max(1, max(map(len, texts), default=1))}"
    step = max(1, CHUNK // np.dtype(kind).itemsize)
    with _member(archive, name, packed=True) as member:
        _begin(member, kind, (len(texts),))
        for start in range(0, len(texts), step):
            member.write(np.array(texts[start : start + step], kind).tobytes())
