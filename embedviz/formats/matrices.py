"""Read a matrix of raw numbers from a file, in blocks of float32 rows."""

from collections.abc import Callable, Generator
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float
from embedviz.files.errors import FormatError
from embedviz.files.source import CHUNK
from embedviz.formats.labels import Labels
from embedviz.formats.reading import CUT_OFF, MOST_DIMENSIONS, Bad, RowBlock, Rows, Tally, checked_block, last_words

BFLOAT16 = "bfloat16"
"""A type that NumPy lacks: its two bytes are the upper half of a float32."""


class RawMatrix(NamedTuple):
    """The location and the layout of a matrix in a file.

    Attributes:
        opened: Function that returns a stream positioned at the first number.
        shape: The numbers of rows and dimensions that the file states.
        kind: The type of the numbers: a NumPy type, or `BFLOAT16`.
        size: The number of bytes of the matrix that the file really has.
    """

    opened: Callable[[], IO[bytes]]
    shape: tuple[int, int]
    kind: np.dtype[Any] | str
    size: int

    @property
    def width(self) -> int:
        """Return the size of a row in bytes."""
        return self.shape[1] * (2 if isinstance(self.kind, str) else self.kind.itemsize)


def check_shape(what: str, shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the numbers of rows and dimensions of a matrix, after a check that its shape is possible.

    Args:
        what: What the error message calls the matrix, such as “The array”.

    Raises:
        FormatError: The shape does not have two axes, has no rows, or has no or too many dimensions.
    """
    sizes = " × ".join(f"{axis:,}" for axis in shape[:8]) or "a single number"
    if len(shape) != 2:
        axes = "1 axis" if len(shape) == 1 else f"{len(shape)} axes"
        raise unfit(f"{what} has {axes} ({sizes}). Two are needed: rows and dimensions.")
    if shape[0] < 1:
        raise unfit(f"{what} has no rows. Choose another file.")
    if not 0 < shape[1] <= MOST_DIMENSIONS:
        raise unfit(f"{what} has {shape[1]:,} numbers in a row; 1 to {MOST_DIMENSIONS:,} are read.")
    return shape[0], shape[1]


def matrix_rows(matrix: RawMatrix, labels: Labels) -> Rows:
    """Yield the rows of a matrix with their names; if the file ends early, a last block counts the missing rows."""
    return Rows(matrix.shape[1], _blocks(matrix, labels), matrix.shape[0], note=labels.note, by_frequency=labels.named)


def named_blocks(pieces: Generator[NDArray[Any]], labels: Labels) -> Generator[RowBlock]:
    """Yield each piece of a matrix, shape (m, d), as a block of rows with their names."""
    start = 0
    for values in pieces:
        end = start + len(values)
        numbers = np.arange(start + 1, end + 1, dtype=np.int64)
        counts = None if labels.counts is None else labels.counts[start:end]
        columns = {name: column[start:end] for name, column in labels.columns.items()}
        yield checked_block(list(labels.words[start:end]), as_float32(values), numbers, Tally(), counts, columns)
        start = end


def as_float32(values: NDArray[Any]) -> Float:
    """Return numbers of any type as float32. A number beyond the range of float32 becomes infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(values, np.float32)


def _blocks(matrix: RawMatrix, labels: Labels) -> Generator[RowBlock]:
    n, whole = matrix.shape[0], matrix.size // matrix.width
    yield from named_blocks(_pieces(matrix, min(n, whole)), labels)
    if whole < n:
        tally = Tally()
        text = f"The file ends inside row {whole + 1:,} of {n:,}. It was cut off."
        tally.refuse(Bad(CUT_OFF, whole + 1, text, whole, n, count=n - whole))
        yield last_words(matrix.shape[1], tally)


def _pieces(matrix: RawMatrix, rows: int) -> Generator[NDArray[Any]]:
    step = max(1, CHUNK // matrix.width)
    with matrix.opened() as stream:
        for start in range(0, rows, step):
            count = min(step, rows - start)
            data = stream.read(count * matrix.width)
            if len(data) < count * matrix.width:
                raise unfit("The file became shorter while it was read. Try again.")
            yield _numbers(data, matrix.kind).reshape(count, matrix.shape[1])


def _numbers(data: bytes, kind: np.dtype[Any] | str) -> NDArray[Any]:
    if not isinstance(kind, str):
        return np.frombuffer(data, kind)
    upper = np.frombuffer(data, "<u2").astype(np.uint32) << np.uint32(16)
    return upper.view(np.float32)


def unfit(text: str) -> FormatError:
    """Return the error for a file whose arrays cannot be read as a matrix."""
    return FormatError(text, {"reason": "arrays", "usable": 0})
