r"""NumPy's array (`.npy`): a matrix without words. The words lie in a list beside the file, or the rows are numbered.

    np.save("vectors.npy", matrix)              # (n, d), of 16, 32 or 64 bits
    Path("vectors.txt").write_text("\n".join(words))

The header is compared with the size of the file before any number is read. An array of Python objects is a pickle and
is never opened.
"""

from collections.abc import Generator
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from embedviz.files.errors import FormatError
from embedviz.files.source import CHUNK, Source
from embedviz.formats.labels import labels_for
from embedviz.formats.matrices import RawMatrix, check_shape, matrix_rows, named_blocks, unfit
from embedviz.formats.reading import CUT_OFF, Format, Rows

MAGIC = b"\x93NUMPY"
MOST_HEADER = 10_000
"""Maximum size of a header in bytes; the header of a matrix usually has 118 bytes."""


def detect(head: bytes) -> bool:
    """Return whether a file begins with NumPy's magic bytes."""
    return head.startswith(MAGIC)


def read(source: Source, words: str | Path = "", text_column: str = "") -> Rows:
    """Return the rows of the array, named by a list of words or numbered.

    Raises:
        FormatError: The header is damaged, the array holds objects or is no matrix, or the list of words does not fit.
    """
    stream = source.seekable()
    size = stream.seek(0, 2)
    stream.seek(0)
    shape, fortran, kind = _header(stream)
    n, d = check_shape("The array", shape)
    at = stream.tell()
    if size - at > n * d * kind.itemsize:
        more = size - at - n * d * kind.itemsize
        raise unfit(f"The array says it has {n:,} × {d:,} numbers, and {more:,} bytes follow them. Save it again.")
    labels = labels_for(source, n, words, text_column)
    if fortran:
        if size - at < n * d * kind.itemsize:
            text = "The file ends inside the array, which lies column by column, so no row is whole. Copy it again."
            raise FormatError(text, {"reason": CUT_OFF, "usable": 0})
        blocks = named_blocks(_by_rows(stream, at, (n, d), kind), labels)
        return Rows(d, blocks, n, note=labels.note, by_frequency=labels.named)

    def opened() -> IO[bytes]:
        stream.seek(at)
        return stream

    while n > 1 and not labels.words[n - 1]:  # spaCy reserves empty rows at the end
        n -= 1
    return matrix_rows(RawMatrix(opened, (n, d), kind, size - at), labels)


FORMAT = Format(
    "npy",
    "NumPy array (.npy)",
    detect,
    read,
    "row",
    "np.save with a matrix. The words are a list beside it, such as vectors.txt; without one the rows are numbered.",
    signed=True,
    options=("words", "text_column"),
)


def _header(stream: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the header; return the shape, whether the array is stored column by column, and the type of the numbers.

    Raises:
        FormatError: The header is damaged, or the type is not a number.
    """
    try:
        version = np.lib.format.read_magic(stream)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in readers:
            raise unfit(
                "The array has named fields or an unknown version of the header. Save a plain matrix of numbers."
            )
        begin = stream.tell()
        if int.from_bytes(stream.read(2 * version[0]), "little") > MOST_HEADER:
            raise ValueError("a header that long has fields")
        stream.seek(begin)
        shape, fortran, kind = readers[version](stream)
    except FormatError:
        raise
    except (ValueError, EOFError, TypeError, SyntaxError, RecursionError, MemoryError, OverflowError, TokenError):
        text = "The header of the array is damaged. Copy or download the file again."
        raise FormatError(text, {"reason": "header", "usable": 0}) from None
    if kind.kind == "O":
        raise unfit(
            "The array holds Python objects, a pickle. It is never opened, because opening a pickle can run code. "
            "Save it again as a matrix of numbers: np.save(path, np.array(rows, dtype=np.float32))."
        )
    if kind.kind not in "fiu" or min(shape, default=0) < 0:
        kinds = {"c": "complex numbers", "U": "texts", "S": "bytes", "b": "truth values", "V": "records"}
        found = kinds.get(kind.kind, "another kind of values")
        raise unfit(f"The array holds {found}. A matrix of floating-point numbers is needed.")
    return shape, fortran, kind


def _by_rows(stream: BinaryIO, at: int, shape: tuple[int, int], kind: np.dtype[Any]) -> Generator[NDArray[Any]]:
    """Yield the rows of a matrix that is stored column by column, in pieces of about 4 MiB (`CHUNK`).

    Args:
        at: The byte where the numbers begin.
    """
    whole = np.memmap(stream, kind, "r", at, shape, order="F")
    step = max(1, CHUNK // (shape[1] * kind.itemsize))
    for start in range(0, shape[0], step):
        yield whole[start : start + step]
