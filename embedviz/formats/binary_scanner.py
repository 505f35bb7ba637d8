"""The compiled finder of word2vec binary rows: the same as in plain Python (`word2vec_binary`), many times as fast."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.compiled import machine_code
from embedviz.core.space import Float, Ints

_SPACE, _LINE = b" \n"


@machine_code()
def _find(data: Any, width: int, longest: int, spans: Any) -> Any:
    """Fill begin and end of the word of each whole row; their count, and whether all words are printable ASCII."""
    at, rows, plain, size = 0, 0, True, len(data)
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
def _copy(data: Any, spans: Any, numbers: Any, largest: Any) -> None:
    """Fill the bytes of the numbers of each row, and the bits of its largest number without its sign."""
    rows, size = numbers.shape
    bits = numbers.view(np.uint32)
    for row in range(rows):
        begin = spans[row, 1] + 1
        numbers[row] = data[begin : begin + size]
        most = np.uint32(0)
        for column in range(size // 4):
            most = max(most, bits[row, column] & np.uint32(0x7FFFFFFF))
        largest[row] = most


def find(data: bytes, dimensions: int, longest: int) -> tuple[list[bytes], Float, Ints, NDArray[np.uint32], bool]:
    """Return the whole rows in some bytes that begin with a row.

    Args:
        longest: Bytes of a word, line ends before it included.

    Returns:
        The words, the numbers (m, d), where each row ends, the bits of its largest number without its sign, and
        whether all words are printable ASCII.
    """
    width = 4 * dimensions + 1
    spans = np.empty((len(data) // width + 1, 2), np.int64)
    raw = np.frombuffer(data, np.uint8)
    rows, plain = _find(raw, width, longest, spans)
    spans = spans[:rows]
    values, largest = np.empty((rows, dimensions), "<f4"), np.empty(rows, np.uint32)
    _copy(raw, spans, values.view(np.uint8), largest)
    words = [data[begin:space] for begin, space in zip(spans[:, 0].tolist(), spans[:, 1].tolist(), strict=True)]
    return words, values, spans[:, 1] + width, largest, plain
