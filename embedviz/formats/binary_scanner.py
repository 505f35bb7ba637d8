"""Find the rows of word2vec binary in compiled code, with the same result as `word2vec_binary` in plain Python."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.compiled import machine_code
from embedviz.core.space import Float, Ints
from embedviz.formats.sinks import RowRoom

_SPACE, _LINE = b" \n"


class FoundRows(NamedTuple):
    """The complete rows in a piece of a file.

    Attributes:
        words: m words.
        values: The numbers of the words, shape (m, d).
        ends: The byte position after each row, shape (m,).
        largest: The largest absolute value of each row, as the bits of a float32, shape (m,).
        plain: Whether all words are printable ASCII.
        plausible: Whether each checked number is 0 or has an absolute value between the bounds of `find()`.
    """

    words: list[bytes]
    values: Float
    ends: Ints
    largest: NDArray[np.uint32]
    plain: bool
    plausible: bool


@machine_code()
def _scan(data: Any, at: int, longest: int, spans: Any, values: Any, largest: Any, step: int, bounds: Any) -> Any:
    """Find the complete rows of `data` from byte `at` on, and write them into `spans`, `values` and `largest`.

    For row i, `spans[i]` gets begin and end of the word, `values[i]` the numbers, and `largest[i]` the bits of the
    largest absolute value.

    Returns:
        The number of rows; whether all words are printable ASCII; and whether the rows are plausible. Rows are
        plausible if each number in every `step`-th column is 0 or has an absolute value between the two `bounds`.
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
        for place in range(width):  # compiles to one memory copy; assigning a slice takes ten times as long
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
    """Return the complete rows in `data`, a piece of a file.

    Args:
        at: The byte where the first row begins.
        room: Gives the array for the numbers.
        longest: Maximum number of bytes of a word, including line ends before the word.
        step: Every `step`-th column is checked for plausible numbers.
        bounds: A number is plausible if it is 0 or its absolute value lies between these two numbers.
    """
    most = (len(data) - at) // (4 * room.dimensions + 1) + 1
    spans, values, largest = np.empty((most, 2), np.int64), room(most), np.empty(most, np.uint32)
    raw, limits = np.frombuffer(data, np.uint8), np.array(bounds, np.float32)
    rows, plain, plausible = _scan(raw, at, longest, spans, values, largest, step, limits)
    begins, spaces = spans[:rows, 0], spans[:rows, 1]
    words = [data[begin:space] for begin, space in zip(begins.tolist(), spaces.tolist(), strict=True)]
    return FoundRows(words, values[:rows], spaces + 4 * room.dimensions + 1, largest[:rows], plain, bool(plausible))
