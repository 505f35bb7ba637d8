"""The compiled finder of word2vec binary rows: the same as in plain Python (`word2vec_binary`), many times as fast."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.compiled import machine_code
from embedviz.core.space import Float, Ints
from embedviz.formats.sinks import RowRoom

_SPACE, _LINE = b" \n"


class FoundRows(NamedTuple):
    """Whole rows: their words and numbers (m, d), and where each ends.

    Attributes:
        largest: The bits of the largest number of each row without its sign.
        plain: Whether all words are printable ASCII.
        plausible: Whether the numbers that were looked at are 0 or between the bounds.
    """

    words: list[bytes]
    values: Float
    ends: Ints
    largest: NDArray[np.uint32]
    plain: bool
    plausible: bool


@machine_code()
def _find(data: Any, at: int, width: int, longest: int, spans: Any) -> Any:
    """Fill begin and end of the word of each whole row; their count, and whether all words are printable ASCII."""
    rows, plain, size = 0, True, len(data)
    while True:
        begin, last = at, min(at + longest, size)
        while begin < last and data[begin] == _LINE:
            begin += 1
        space = begin
        while space < last and data[space] != _SPACE:
            plain &= 32 < data[space] < 127
            space += 1
        if space >= last or space + width > size:
            return rows, plain
        spans[rows, 0], spans[rows, 1] = begin, space
        rows += 1
        at = space + width


@machine_code()
def _copy(data: Any, spans: Any, values: Any, largest: Any, plausible: Any, step: int, bounds: Any) -> None:
    """Fill the numbers of each row, the bits of its largest number without its sign, and whether it is plausible.

    It is where its numbers in every so many columns are 0 or between these bounds.
    """
    rows, dimensions = values.shape
    width = 4 * dimensions
    numbers, bits = values.view(np.uint8), values.view(np.uint32)
    for row in range(rows):
        given, line = data[spans[row, 1] + 1 : spans[row, 1] + 1 + width], numbers[row]
        for place in range(width):  # becomes one move of memory; the assignment of a slice takes ten times as long
            line[place] = given[place]
        most = np.uint32(0)
        for column in range(dimensions):
            most = max(most, bits[row, column] & np.uint32(0x7FFFFFFF))
        largest[row] = most
        within = True
        for column in range(0, dimensions, step):
            size = abs(values[row, column])
            within &= size < bounds[1] and (size > bounds[0] or size == 0)
        plausible[row] = within


def find(data: bytes, at: int, room: RowRoom, longest: int, step: int, bounds: tuple[float, float]) -> FoundRows:
    """Return the whole rows in some bytes.

    Args:
        at: Where the first row begins.
        room: Where their numbers are put.
        longest: Bytes of a word, line ends before it included.
        step, bounds: Of every so many columns it is said whether the numbers are 0 or between these bounds.
    """
    width = 4 * room.dimensions + 1
    spans = np.empty(((len(data) - at) // width + 1, 2), np.int64)
    raw = np.frombuffer(data, np.uint8)
    rows, plain = _find(raw, at, width, longest, spans)
    spans = spans[:rows]
    values, largest, plausible = room(rows), np.empty(rows, np.uint32), np.empty(rows, np.bool_)
    limits = np.array(bounds, np.float32)
    _copy(raw, spans, values, largest, plausible, step, limits)
    words = [data[begin:space] for begin, space in zip(spans[:, 0].tolist(), spans[:, 1].tolist(), strict=True)]
    return FoundRows(words, values, spans[:, 1] + width, largest, plain, bool(plausible.all()))
