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
def _scan(data: Any, at: int, longest: int, spans: Any, values: Any, largest: Any, step: int, bounds: Any) -> Any:
    """Fill begin and end of the word of each whole row, its numbers, and the bits of its largest one without its sign.

    Returns:
        How many rows there are, whether all words are printable ASCII, and whether the rows are plausible: their
        numbers in every so many columns are 0 or between these bounds.
    """
    rows, plain, plausible, size, dimensions = 0, True, True, len(data), values.shape[1]
    width, numbers, bits = 4 * dimensions, values.view(np.uint8), values.view(np.uint32)
    while True:
        begin, last = at, min(at + longest, size)
        while begin < last and data[begin] == _LINE:
            begin += 1
        space = begin
        while space < last and data[space] != _SPACE:
            plain &= 32 < data[space] < 127
            space += 1
        at = space + 1 + width
        if space >= last or at > size:
            return rows, plain, plausible
        spans[rows, 0], spans[rows, 1] = begin, space
        given, line = data[space + 1 : at], numbers[rows]
        for place in range(width):  # becomes one move of memory; the assignment of a slice takes ten times as long
            line[place] = given[place]
        most = np.uint32(0)
        for column in range(dimensions):
            most = max(most, bits[rows, column] & np.uint32(0x7FFFFFFF))
        largest[rows] = most
        for column in range(0, dimensions, step):
            amount = abs(values[rows, column])
            plausible &= amount < bounds[1] and (amount > bounds[0] or amount == 0)
        rows += 1


def find(data: bytes, at: int, room: RowRoom, longest: int, step: int, bounds: tuple[float, float]) -> FoundRows:
    """Return the whole rows in some bytes.

    Args:
        at: Where the first row begins.
        room: Where their numbers are put.
        longest: Bytes of a word, line ends before it included.
        step, bounds: Of every so many columns it is said whether the numbers are 0 or between these bounds.
    """
    most = (len(data) - at) // (4 * room.dimensions + 1) + 1
    spans, values, largest = np.empty((most, 2), np.int64), room(most), np.empty(most, np.uint32)
    raw, limits = np.frombuffer(data, np.uint8), np.array(bounds, np.float32)
    rows, plain, plausible = _scan(raw, at, longest, spans, values, largest, step, limits)
    begins, spaces = spans[:rows, 0], spans[:rows, 1]
    words = [data[begin:space] for begin, space in zip(begins.tolist(), spaces.tolist(), strict=True)]
    return FoundRows(words, values[:rows], spaces + 4 * room.dimensions + 1, largest[:rows], plain, bool(plausible))
