"""FAISS indexes that hold whole vectors: `IndexFlat` of any metric, alone or inside an `IndexIDMap`.

    faiss.write_index(index, "vectors.faiss")

A header holds four letters for the kind, the number of dimensions, the number of rows and the metric. The vectors
follow as 32-bit numbers, then the ids of an `IndexIDMap`. FAISS stores no words: they lie in a list beside the file,
or the ids name the rows. The file is read without the package faiss.
"""

import struct
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np

from embedviz.core.phrases import printable
from embedviz.files.errors import FormatError
from embedviz.files.source import Source
from embedviz.formats.labels import Labels, labels_for
from embedviz.formats.matrices import RawMatrix, check_shape, matrix_rows, unfit
from embedviz.formats.reading import Format, Rows

FLAT, MAPS = (b"IxFI", b"IxF2", b"IxFl"), (b"IxMp", b"IxM2")
_HEADER = struct.Struct("<4siqqqBi")
_SIGN = struct.pack("<qq", 1 << 20, 1 << 20)
"""Two constant numbers in the header of every index. FAISS itself does not use these numbers."""
_PLAIN_METRICS = (0, 1)  # inner product and L2; the others have a parameter of four bytes


def detect(head: bytes) -> bool:
    """Return whether the first bytes are the header of a FAISS index."""
    return head[:1] == b"I" and head[16:32] == _SIGN


def read(source: Source, words: str | Path = "", text_column: str = "") -> Rows:
    """Return the rows of a flat index, named by a list of words, by their ids or by row numbers.

    Raises:
        FormatError: The index is of another kind or damaged, or the list of words does not fit.
    """
    stream = source.seekable()
    size = stream.seek(0, 2)
    stream.seek(0)
    kind, n, d = _header(stream)
    mapped = kind in MAPS
    if mapped:
        kind, n, d = _header(stream)
    if kind not in FLAT:
        raise _other(kind)
    shape = check_shape("The index", (n, d))
    numbers = int.from_bytes(stream.read(8), "little")
    at, there = stream.tell(), 4 * n * d
    if numbers != n * d:
        raise _damaged(f"its header says {n:,} × {d:,} numbers, and {numbers:,} follow")
    labels = labels_for(source, n, words, text_column)
    if mapped:
        labels = _with_ids(labels, stream, at + there, n)

    def opened() -> IO[bytes]:
        stream.seek(at)
        return stream

    return matrix_rows(RawMatrix(opened, shape, np.dtype("<f4"), max(0, min(there, size - at))), labels)


FORMAT = Format(
    "faiss",
    "FAISS flat index",
    detect,
    read,
    "row",
    "IndexFlat, alone or in an IndexIDMap. The words are a list beside it; without one the ids name the rows.",
    signed=True,
    options=("words", "text_column"),
)


def _header(stream: BinaryIO) -> tuple[bytes, int, int]:
    """Read the header of an index; return the kind of index, the number of rows and of dimensions.

    Raises:
        FormatError: The header is cut off.
    """
    data = stream.read(_HEADER.size)
    if len(data) < _HEADER.size:
        raise _damaged("its header is cut off")
    kind, d, n, _, _, _, metric = _HEADER.unpack(data)
    if metric not in _PLAIN_METRICS:
        stream.read(4)
    return kind, n, d


def _with_ids(labels: Labels, stream: BinaryIO, at: int, n: int) -> Labels:
    """Return the labels with the ids of an `IndexIDMap` added: as a column *id*, or as the names if rows have no words.

    Args:
        at: The byte where the ids begin.
    """
    stream.seek(at)
    count = int.from_bytes(stream.read(8), "little")
    data = stream.read(8 * n) if count == n else b""
    if len(data) < 8 * n:
        raise _damaged("the ids of its map are cut off")
    ids = np.frombuffer(data, "<i8").astype(np.int64)
    if labels.named:
        return labels._replace(columns={**labels.columns, "id": ids})
    return Labels([b"%d" % each for each in ids.tolist()], note="The ids of the index name the rows.")


def _other(kind: bytes) -> FormatError:
    printed = printable(kind.decode("latin-1"))
    lines = [
        'import faiss, numpy; index = faiss.read_index("FILE")',
        'numpy.save("vectors.npy", index.reconstruct_n(0, index.ntotal))',
    ]
    text = f"This FAISS index ({printed}) is not flat; only flat indexes are read. "
    text += "Convert it in Python and open the result."
    return FormatError("\n    ".join([text, *lines]), {"reason": "not a vector file", "python": lines, "usable": 0})


def _damaged(what: str) -> FormatError:
    return unfit(f"This FAISS index is damaged: {what}. Copy or write it again.")
