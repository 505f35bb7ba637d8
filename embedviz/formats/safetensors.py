"""safetensors: one matrix of floating-point numbers, with its words in the metadata or in a list beside it.

    save_file({"vectors": matrix}, "vectors.safetensors", metadata={"words": json.dumps(words)})

The first eight bytes give the length of the header, a JSON object; the numbers follow it without gaps. The vectors are
the tensor that the caller chose, the only matrix, or the matrix whose name says that it holds embeddings. Numbers of
16 (also bfloat16), 32 or 64 bits are converted to float32. The tensor `counts` holds the counts of the words. Other
tensors with one number per row become columns, and so do lists of texts in the metadata.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import listing, printable
from embedviz.core.space import Ints, VectorSpace, WordBlob
from embedviz.files.errors import FormatError
from embedviz.files.source import Source
from embedviz.formats.labels import MOST_COLUMNS, Labels, labels_for, words_in_json
from embedviz.formats.matrices import BFLOAT16, RawMatrix, check_shape, matrix_rows, unfit
from embedviz.formats.reading import Format, RowReport, Rows
from embedviz.formats.writing import row_blocks

MOST_HEADER = 100_000_000
"""Maximum size of a header in bytes, as the format itself sets it."""
MOST_TENSORS = 20_000
KINDS: dict[str, np.dtype[Any] | str] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": BFLOAT16,
}
COLUMNS: dict[str, np.dtype[Any]] = {
    **{"I64": np.dtype("<i8"), "I32": np.dtype("<i4"), "I16": np.dtype("<i2"), "U8": np.dtype("u1")},
    **{"F64": np.dtype("<f8"), "F32": np.dtype("<f4")},
}
"""Types of tensors that can become a column with one number per row → NumPy types."""
SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "U8": 1}
WORDS = ("words", "vocab", "vocabulary", "tokens", "labels", "index_to_key", "itos")
"""Fields of the metadata that hold the words: a JSON list, a JSON object from word to row, or lines."""
RESERVED = ("counts", "vectors", "__metadata__")
"""Names of other entries of the header, which no tensor of a column can have."""
MATRICES = ("vectors", "matrix", "embeddings", "embedding", "weight", "embedding.weight")
_INPUTS = tuple(
    re.compile(rf"(\A|\.)({names})(\.weight)?\Z")
    for names in (
        "shared",
        "word_embeddings?",
        "embed_tokens|token_embeddings?|tok_embeddings|embed_in|wte",
        "embeddings?",
    )
)
"""Patterns for the name of a model's input embeddings. Earlier patterns are preferred."""
_COLUMN = "column:"
"""The prefix of a field of the metadata that holds a column of texts."""


class _Tensor(NamedTuple):
    """A tensor as the header describes it. `start` and `end` are byte positions, counted from the end of the header."""

    name: str
    kind: str
    shape: tuple[int, ...]
    start: int
    end: int


def detect(head: bytes) -> bool:
    """Return whether the first bytes are a possible length of a header and the beginning of a JSON object."""
    length = int.from_bytes(head[:8], "little")
    return 2 <= length <= MOST_HEADER and re.match(rb"\{\s*[\"}]", head[8:64]) is not None


def read(source: Source, words: str | Path = "", text_column: str = "", vector_column: str = "") -> Rows:
    """Return the rows of the matrix, with its words, counts and columns.

    Args:
        vector_column: The name of the tensor with the vectors; empty to find it.

    Raises:
        FormatError: The header is damaged, there is no matrix or no clear choice among several, or the number of words
            is not the number of rows.
    """
    stream = source.seekable()
    size = stream.seek(0, 2)
    tensors, metadata, at = _header(stream, size)
    chosen = _matrix_of(tensors, vector_column)
    n, d = check_shape(f"The tensor {printable(chosen.name)}", chosen.shape)
    labels = _labels(source, stream, at, size, n, tensors, metadata, words, text_column)
    if len([each for each in tensors if len(each.shape) == 2]) > 1:
        labels = labels._replace(note=f"{labels.note} The tensor {printable(chosen.name)} was read.".strip())

    def opened() -> IO[bytes]:
        stream.seek(at + chosen.start)
        return stream

    there = min(chosen.end, size - at) - chosen.start
    return matrix_rows(RawMatrix(opened, (n, d), KINDS[chosen.kind], max(0, there)), labels)


def input_table(names: Sequence[str]) -> str:
    """Return the name of the tensor with a model's input embeddings; empty if no name fits."""
    for pattern in _INPUTS:
        if found := [name for name in names if pattern.search(name)]:
            return min(found, key=lambda name: ("decoder" in name, len(name), name))
    return ""


def shapes_of(file: str | Path) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the tensors of a safetensors file, by name. No numbers are read.

    Raises:
        FormatError: The file is not safetensors, its header is damaged, or it is cut off.
    """
    with Source(file) as source:
        if not detect(source.head):
            raise _damaged("it does not begin with a header")
        stream = source.seekable()
        size = stream.seek(0, 2)
        tensors, _, at = _header(stream, size)
    if any(each.end > size - at for each in tensors):
        raise _damaged("it is cut off")
    return {each.name: each.shape for each in tensors}


def write(stream: BinaryIO, space: VectorSpace, rows: Ints, report: RowReport) -> None:
    """Write the rows as a safetensors file.

    The tensors are the matrix (float32), the counts, and the columns of numbers. The words and the columns of texts are
    metadata.

    Raises:
        FormatError: The metadata are larger than a header may be.
    """
    arrays: dict[str, NDArray[Any]] = {}
    metadata = {"words": json.dumps([space.words[int(row)] for row in rows], ensure_ascii=False)}
    if space.counts is not None:
        arrays["counts"] = np.ascontiguousarray(space.counts[rows], "<i8")
    for name, column in space.metadata.items():
        if isinstance(column, WordBlob):
            metadata[f"{_COLUMN}{name}"] = json.dumps([column[int(row)] for row in rows], ensure_ascii=False)
        elif name not in RESERVED:
            arrays[name] = _storable(column[rows])
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 4 * len(rows) * space.dimensions
    header["vectors"] = {"dtype": "F32", "shape": [len(rows), space.dimensions], "data_offsets": [0, end]}
    for name, array in sorted(arrays.items(), key=lambda each: -each[1].itemsize):
        kind = "I64" if array.dtype.kind == "i" else "F64"
        header[name] = {"dtype": kind, "shape": [len(rows)], "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    text += b" " * (-len(text) % 8)
    if len(text) > MOST_HEADER:
        sentence = f"The words and texts take {len(text):,} bytes; safetensors holds {MOST_HEADER:,}. Write an .npz."
        raise FormatError(sentence, {"reason": "too large"})
    stream.write(len(text).to_bytes(8, "little") + text)
    for block in row_blocks(space, rows, report):
        stream.write(np.ascontiguousarray(space.matrix[block], "<f4").data)
    for array in sorted(arrays.values(), key=lambda each: -each.itemsize):
        stream.write(array.data)


def left_behind(space: VectorSpace) -> tuple[str, ...]:
    """Return the names of the columns of a space that a file cannot hold: columns of numbers with a reserved name."""
    return tuple(name for name in space.metadata if name in RESERVED and not isinstance(space.metadata[name], WordBlob))


FORMAT = Format(
    "safetensors",
    "safetensors",
    detect,
    read,
    "row",
    "One matrix, with the words as a JSON list in the metadata, or in a list beside the file.",
    signed=True,
    write=write,
    endings=(".safetensors",),
    unwritable=re.compile("\\A\\Z|[\ud800-\udfff]"),
    keeps=("counts", "columns"),
    options=("words", "text_column", "vector_column"),
    left_behind=left_behind,
)


def _storable(column: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(column, "<i8" if column.dtype.kind in "biu" else "<f8")


def _header(stream: BinaryIO, size: int) -> tuple[list[_Tensor], dict[str, str], int]:
    """Read the header; return the tensors, the metadata, and the byte where the numbers begin.

    Raises:
        FormatError: The header is damaged or cut off.
    """
    stream.seek(0)
    length = int.from_bytes(stream.read(8), "little")
    if length > min(MOST_HEADER, size - 8):
        raise _damaged("its header is cut off" if length <= MOST_HEADER else "its header is too long")
    try:
        found = json.loads(stream.read(length))
    except (ValueError, RecursionError):
        raise _damaged("its header is no JSON") from None
    metadata = found.pop("__metadata__", {}) if isinstance(found, dict) else {}
    if not isinstance(found, dict) or not isinstance(metadata, dict) or len(found) > MOST_TENSORS:
        raise _damaged("its header describes no tensors")
    tensors = [_tensor(name, about) for name, about in found.items()]
    return tensors, {name: text for name, text in metadata.items() if isinstance(text, str)}, 8 + length


def _tensor(name: str, about: Any) -> _Tensor:
    """Return a tensor as the header describes it, after a check of the description.

    Args:
        about: The description: a JSON object with type, shape and byte positions.

    Raises:
        FormatError: The description is damaged, or the number of bytes does not fit the shape.
    """
    try:
        kind, shape, (start, end) = about["dtype"], tuple(about["shape"]), about["data_offsets"]
        whole = all(type(each) is int and 0 <= each < 2**48 for each in (*shape, start, end))
        known = isinstance(kind, str) and whole and len(shape) <= 8 and start <= end
        expected = int(np.prod([1, *shape], dtype=object)) * SIZES.get(kind, 0) if known else -1
    except (TypeError, KeyError, ValueError):
        raise _damaged(f"the tensor {printable(name)} is not described") from None
    if not known or (kind in SIZES and expected != end - start):
        raise _damaged(f"the tensor {printable(name)} has another size than its shape says")
    return _Tensor(name, kind, shape, start, end)


def _matrix_of(tensors: list[_Tensor], chosen: str) -> _Tensor:
    """Return the tensor that holds the vectors: the chosen one, else the only matrix or the one with a usual name.

    Raises:
        FormatError: No tensor has the chosen name, there is no matrix, or several matrices could hold the vectors.
    """
    matrices = [each for each in tensors if each.kind in KINDS and len(each.shape) == 2]
    names = (
        listing([f"{printable(each.name)} ({each.shape[0]:,} × {each.shape[1]:,})" for each in matrices], 6) or "none"
    )
    if chosen:
        named = [each for each in tensors if each.name == chosen]
        if not named:
            raise unfit(f"There is no tensor “{printable(chosen)}”. The matrices are: {names}.")
        if named[0].kind not in KINDS:
            raise unfit(f"The tensor {printable(chosen)} holds no floating-point numbers. The matrices are: {names}.")
        return named[0]
    if len(matrices) == 1:
        return matrices[0]
    if not matrices:
        found = listing([f"{printable(each.name)} ({each.kind})" for each in tensors], 6) or "none"
        raise unfit(f"The file has no matrix of floating-point numbers. Its tensors are: {found}.")
    likely = [each for each in matrices if each.name in MATRICES]
    if not likely and (name := input_table([each.name for each in matrices])):
        likely = [each for each in matrices if each.name == name]
    if len(likely) == 1:
        return likely[0]
    raise FormatError(
        f"The file has {len(matrices):,} matrices: {names}. Choose one by its name, as the vector column.",
        {
            "reason": "several",
            "choices": [each.name for each in matrices][:200],
            "option": "vector_column",
            "usable": 0,
        },
    )


def _labels(
    source: Source,
    stream: BinaryIO,
    at: int,
    size: int,
    n: int,
    tensors: list[_Tensor],
    metadata: Mapping[str, str],
    words: str | Path,
    column: str,
) -> Labels:
    """Return the names of the n rows, with the counts and the columns that the file holds.

    Args:
        at: The byte where the numbers begin.
        size: The size of the file in bytes.
    """
    counts, columns = None, dict[str, Any]()
    for each in tensors:
        if each.shape == (n,) and each.end <= size - at and each.kind in COLUMNS:
            stream.seek(at + each.start)
            values = np.frombuffer(stream.read(each.end - each.start), COLUMNS[each.kind])
            if each.name == "counts" and values.dtype.kind in "iu" and not (values < 0).any():
                counts = values.astype(np.int64)
            elif len(columns) < MOST_COLUMNS:
                columns[each.name[:80]] = values
    for name, text in metadata.items():
        found = words_in_json(text) if name.startswith(_COLUMN) and len(columns) < MOST_COLUMNS else None
        if found is not None and len(found) == n:
            columns[name.removeprefix(_COLUMN)[:80]] = found
    named = None if words else next((found for each in WORDS if (found := words_in_json(metadata.get(each, "")))), None)
    if named is not None and len(named) != n:
        raise unfit(f"The metadata has {len(named):,} words, and the matrix has {n:,} rows. Save the file again.")
    labels = Labels(named) if named is not None else labels_for(source, n, words, column)
    found_counts = labels.counts if labels.counts is not None else counts
    return labels._replace(counts=found_counts, columns={**columns, **labels.columns})


def _damaged(what: str) -> FormatError:
    text = f"This safetensors file is damaged: {what}. Copy or download it again."
    return FormatError(text, {"reason": "header", "usable": 0})
