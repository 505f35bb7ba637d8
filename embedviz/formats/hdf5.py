"""HDF5: one matrix of numbers, with words and columns as arrays of the same length. Needs the package h5py.

    with h5py.File("vectors.h5", "w") as file:
        file["vectors"], file["words"] = matrix, words

Tables that pandas wrote (ConceptNet Numberbatch) are read too. Arrays that lie in other files (external, virtual,
linked) are left out, and no Python objects are loaded.
"""

import mmap
import struct
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import listing, printable
from embedviz.files.errors import FormatError, damaged
from embedviz.files.source import CHUNK, SUSPECT_BYTES, Source
from embedviz.formats.extras import package
from embedviz.formats.labels import MOST_COLUMNS, Labels, apply_roles, labels_for
from embedviz.formats.matrices import check_shape, named_blocks, unfit
from embedviz.formats.reading import Format, Rows
from embedviz.formats.roles import roles_of
from embedviz.formats.safetensors import MATRICES

SIGNATURE = b"\x89HDF\r\n\x1a\n"
MOST_ARRAYS = 2_000
_HEAP = b"GCOL\x01\0\0\0"  # a global heap collection; its length follows
_OBJECT = struct.Struct("<HxxxxxxQ")  # number (0 for free space) and length of an object in a collection
_HEADER = 16  # bytes of a collection's header, and of an object's header
_PANDAS = "block0_values"


def detect(head: bytes) -> bool:
    """Return whether a file begins with the signature of HDF5."""
    return head.startswith(SIGNATURE)


def read(source: Source, words: str | Path = "", text_column: str = "", vector_column: str = "") -> Rows:
    """Return the rows of the matrix in the file, with words, counts and columns.

    Args:
        vector_column: The path of the array with the vectors; empty to find it.

    Raises:
        FormatError: The package h5py is missing, the file is damaged, there is no matrix, or it is not clear which of
            several matrices holds the vectors.
    """
    h5py = package("h5py", "h5py", "an HDF5 file")
    stream = source.seekable()
    with _sentences():
        arrays = _arrays(h5py, h5py.File(stream, "r"))
        if any(each.dtype.kind == "O" for each in arrays.values()):
            _check_heaps(stream)
        chosen = _matrix_of(arrays, vector_column)
        n, d = check_shape(f"The array {printable(_text(chosen.name))}", chosen.shape)
        source.check_unpacked(n * d * chosen.dtype.itemsize, source.size)
        labels = _labels(h5py, source, arrays, n, words, text_column)
    return Rows(d, named_blocks(_pieces(chosen, n, d), labels), n, note=labels.note, by_frequency=labels.named)


FORMAT = Format(
    "hdf5",
    "HDF5 (with the package h5py)",
    detect,
    read,
    "row",
    "One table of numbers; arrays of the same length are its words and columns.",
    signed=True,
    options=("words", "text_column", "vector_column"),
)


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn errors of h5py in a `with` block into a `FormatError` that says the file is damaged."""
    try:
        yield
    except FormatError:
        raise
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise damaged("HDF5 file", error) from None


def _check_heaps(stream: BinaryIO) -> None:
    """Raise an error if a heap of texts has a damaged length, because the HDF5 library would then loop forever.

    Raises:
        FormatError: An object in a heap is shorter than its header, or the heaps overlap.
    """
    with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        begin, left = data.find(_HEAP), len(data)
        while begin >= 0:
            end = min(begin + int.from_bytes(data[begin + 8 : begin + 16], "little"), len(data))
            at = begin + _HEADER
            while at + _HEADER <= end:
                number, length = _OBJECT.unpack_from(data, at)
                step = length if number == 0 else (_HEADER + -(-length // 8) * 8) % 2**64
                left -= _HEADER
                if step < _HEADER or left < 0:
                    raise damaged("HDF5 file", ValueError("the lengths of its texts are wrong"))
                at += step
            begin = data.find(_HEAP, begin + 8)


def _arrays(h5py: Any, file: Any) -> dict[str, Any]:
    """Return the arrays of at most two axes by their paths, without arrays that lie in other files."""
    found: dict[str, Any] = {}

    def look(path: str | bytes, item: Any) -> bool | None:
        if isinstance(item, h5py.Dataset) and not item.is_virtual and not item.external and len(item.shape or ()) < 3:
            found[_text(path)] = item
        return True if len(found) >= MOST_ARRAYS else None

    file.visititems(look)
    return found


def _text(name: str | bytes) -> str:
    """Return a path inside an HDF5 file as text. h5py gives bytes for a path that is not valid UTF-8."""
    return name if isinstance(name, str) else name.decode("utf-8", "replace")


def _matrix_of(arrays: dict[str, Any], chosen: str) -> Any:
    """Return the array that holds the vectors: the chosen one, else the only matrix or the one with a usual name.

    Raises:
        FormatError: No matrix has the chosen name, there is no matrix, or several matrices could hold the vectors.
    """
    matrices = {name: each for name, each in arrays.items() if len(each.shape or ()) == 2 and each.dtype.kind in "fiu"}
    described = [f"{printable(name)} ({each.shape[0]:,} × {each.shape[1]:,})" for name, each in matrices.items()]
    names = listing(described, 6) or "none"
    if chosen:
        if chosen not in matrices:
            raise unfit(f"There is no table of numbers “{printable(chosen)}”. The tables are: {names}.")
        return matrices[chosen]
    known = [name for name in matrices if name.rpartition("/")[2] in (*MATRICES, _PANDAS)]
    likely = list(matrices) if len(matrices) == 1 else known
    if len(likely) == 1:
        return matrices[likely[0]]
    if not matrices:
        raise unfit("The file has no table of numbers. Write the vectors as an array with rows and columns.")
    raise FormatError(
        f"The file has {len(matrices):,} tables of numbers: {names}. Choose one by its name, as the vector column.",
        {"reason": "several", "choices": [*matrices][:200], "option": "vector_column", "usable": 0},
    )


def _labels(h5py: Any, source: Source, arrays: dict[str, Any], n: int, words: str | Path, text_column: str) -> Labels:
    """Return the names of the n rows, with the counts and the columns that the file holds."""
    texts: dict[str, list[bytes]] = {}
    counts, numbers = None, dict[str, NDArray[Any]]()
    for path, array in arrays.items():
        name = path.rpartition("/")[2][:80]
        if array.shape != (n,) or len(texts) + len(numbers) >= MOST_COLUMNS:
            continue
        if h5py.check_string_dtype(array.dtype) is not None:
            texts[name] = _texts(array, source)
        elif array.dtype.kind in "fiu":
            values = array[()]
            if name == "counts" and values.dtype.kind in "iu" and not (values < 0).any():
                counts = values.astype(np.int64)
            else:
                numbers[name] = values
    if not words and not texts and (lists := _lists_of_words(h5py, arrays)):
        path, length = lists[0]
        raise FormatError(
            f"“{printable(path, 80)}” has {length:,} words for {n:,} rows. A list of words has one for each row.",
            {"reason": "words", "usable": 0},
        )
    if words or not texts:
        labels = labels_for(source, n, words, text_column)
    elif len(texts) == 1 and not text_column and len(set(*texts.values())) * 2 > n:
        labels = Labels(next(iter(texts.values())))
    else:
        cells = {name: [each.decode("utf-8", "replace") for each in column] for name, column in texts.items()}
        labels = apply_roles(roles_of(cells, text_column), texts, cells, n)
    found = labels.counts if labels.counts is not None else counts
    return labels._replace(counts=found, columns={**numbers, **labels.columns})


def _lists_of_words(h5py: Any, arrays: dict[str, Any]) -> list[tuple[str, int]]:
    """Return path and length of each list of texts whose name says that it holds words."""
    named = [path for path in arrays if path.rpartition("/")[2].lower() in ("words", "vocab", "vocabulary", "terms")]
    lists = [path for path in named if h5py.check_string_dtype(arrays[path].dtype) is not None]
    return [(path, arrays[path].shape[0]) for path in lists if len(arrays[path].shape) == 1]


def _texts(array: Any, source: Source) -> list[bytes]:
    """Return the texts of an array as UTF-8.

    Many rows may refer to the same text of the file, so a small file could fill the memory. Therefore the total size of
    the texts is checked.
    """
    step = max(16, min(4096, SUSPECT_BYTES // max(1, source.size)))
    found, total = list[bytes](), 0
    for start in range(0, array.shape[0], step):
        block = [bytes(each) if isinstance(each, bytes) else str(each).encode() for each in array[start : start + step]]
        total += sum(map(len, block))
        source.check_unpacked(total, source.size)
        found += block
    return found


def _pieces(array: Any, n: int, d: int) -> Generator[NDArray[Any]]:
    """Yield the n rows of an array in pieces of about 4 MiB (`CHUNK`)."""
    step = max(1, CHUNK // (d * array.dtype.itemsize))
    for start in range(0, n, step):
        with _sentences():
            values = array[start : start + step]
        yield values
