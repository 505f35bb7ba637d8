"""The compiled scanner of text rows: the same bits as `text.scan_lines`, many times as fast.

A number is read as m × 10^e, m of at most 19 digits. Where m ≤ 2^53 and |e| ≤ 22 one division or product gives the
double that Python's `float` gives (Clinger 1990). Otherwise that double is known to within a few units in its last
place, which is enough unless it lies that close to the middle between two float32 numbers: such a line, like every line
that is odd in another way, is handed to `text.odd_row`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from embedviz.formats.reading import Bad, Block, Tally, checked_block
from embedviz.formats.text import Scan, Shape, odd_row
from embedviz.space import Float, Ints

_POWERS = np.array([float(f"1e{power}") for power in range(81)])
_LOW_BITS = 2**29 - 1  # of a double's fraction: what float32 has no room for
_MIDDLE = 2**28
_DOUBT = 32  # units in the last place of a double; the error is below 4


def _jit(function: Callable[..., Any]) -> Any:
    """The function as machine code, kept on disk where a folder for it can be written."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba finds no such folder
        return numba.njit(nogil=True)(function)


@_jit
def _mantissa(data: Any, at: Any) -> Any:
    """The digits that begin there: m, e, where they end, whether there are any, and whether all had room in m."""
    mantissa, digits, exponent, seen, whole, point = np.uint64(0), 0, 0, False, True, 0
    while True:
        code = np.int64(data[at])
        if 48 <= code <= 57:
            seen = True
            if digits < 19:
                mantissa = mantissa * np.uint64(10) + np.uint64(code - 48)
                digits += mantissa != 0
                exponent -= point
            else:
                whole = False
                exponent += 1 - point
        elif code == 46 and point == 0:
            point = 1
        else:
            return mantissa, exponent, at, seen, whole
        at += 1


@_jit
def _power(data: Any, at: Any) -> Any:
    """The exponent whose `e` stands there, where it ends, and whether it has digits."""
    at += 1
    below = data[at] == 45
    if below or data[at] == 43:
        at += 1
    power: Any = 0
    begin = at
    while 48 <= data[at] <= 57:
        power = min(power * 10 + np.int64(data[at]) - 48, 9999)  # a bare uint8 would make it a float
        at += 1
    return (-power if below else power), at, at > begin


@_jit
def _number(data: Any, at: Any) -> Any:
    """The number that begins there, where it ends, and whether it was read without doubt."""
    negative = data[at] == 45
    if negative or data[at] == 43:
        at += 1
    mantissa, exponent, at, good, whole = _mantissa(data, at)
    if good and (data[at] == 101 or data[at] == 69):
        power, at, good = _power(data, at)
        exponent += power
    if not good or exponent < -80 or exponent > 80:
        return 0.0, at, good and mantissa == 0
    value = float(mantissa)
    value = value * _POWERS[exponent] if exponent >= 0 else value / _POWERS[-exponent]
    exact = whole and mantissa <= np.uint64(2**53) and -22 <= exponent <= 22
    if not exact and mantissa != 0:
        low = np.int64(np.float64(value).view(np.int64)) & _LOW_BITS
        good = 1.2e-38 < value < 3.4e38 and abs(low - _MIDDLE) > _DOUBT
    return (-value if negative else value), at, good


@_jit
def _scan(data: Any, dimensions: Any, values: Any, spans: Any, odd: Any) -> Any:
    """Fills values and spans (begin and end of the word, line) of plain rows; odd (begin, end, line) of the others."""
    at, line, rows, odds = 0, 0, 0, 0
    while at < len(data):
        begin = at
        while data[at] != 32 and data[at] != 9 and data[at] != 10:
            at += 1
        end = at
        plain = end > begin
        column = 0
        while plain and column < dimensions:
            while data[at] == 32 or data[at] == 9:
                at += 1
            value, at, plain = _number(data, at)
            plain = plain and (data[at] == 32 or data[at] == 9 or data[at] == 10 or data[at] == 13)
            if plain:
                values[rows, column] = value
            column += 1
        while data[at] == 32 or data[at] == 9 or data[at] == 13:
            at += 1
        if at == begin:
            pass  # a blank line
        elif plain and data[at] == 10:
            spans[rows, 0], spans[rows, 1], spans[rows, 2] = begin, end, line
            rows += 1
        else:
            while data[at] != 10:
                at += 1
            odd[odds, 0], odd[odds, 1], odd[odds, 2] = begin, at, line
            odds += 1
        at += 1
        line += 1
    return rows, odds


def warm() -> None:
    """Compiles the scanner, or loads it from disk, in the thread that asks."""
    scan(Scan(b"a 1\n", 1, Shape(1, 1)))


def scan(piece: Scan) -> Block:
    """The rows in some lines."""
    data, first, shape = piece
    lines = data.count(b"\n")
    most = min(lines, len(data) // (2 * shape.dimensions + 2))  # a row takes that many bytes at least
    values = np.empty((most + 1, shape.dimensions), np.float32)
    spans, odd = np.empty((most + 1, 3), np.int32), np.empty((lines, 3), np.int32)
    rows, odds = _scan(np.frombuffer(data, np.uint8), shape.dimensions, values, spans, odd)
    words = [data[begin:end] for begin, end, _ in spans[:rows].tolist()]
    numbers = spans[:rows, 2].astype(np.int64) + first
    if not odds:
        return checked_block(words, values[:rows], numbers, Tally())
    return _joined(words, values[:rows], numbers, piece, odd[:odds])


def _joined(words: list[bytes], values: Float, lines: Ints, piece: Scan, odd: NDArray[np.int32]) -> Block:
    """The plain rows and the odd ones, in the file's order."""
    tally, more, extra = Tally(), [], []
    words = list(words)
    for begin, end, line in (each.tolist() for each in odd):
        row = odd_row(piece.data[begin:end], piece.first + line, piece.shape)
        if isinstance(row, Bad):
            tally.refuse(row)
        elif row:
            words.append(row[0])
            more.append(row[1])
            extra.append(piece.first + line)
    if extra:
        with np.errstate(over="ignore"):
            values = np.concatenate([values, np.array(more, np.float64).astype(np.float32)])
        lines = np.concatenate([lines, np.array(extra, np.int64)])
        order = np.argsort(lines)
        words, values, lines = [words[row] for row in order.tolist()], values[order], lines[order]
    return checked_block(words, values, lines, tally)
