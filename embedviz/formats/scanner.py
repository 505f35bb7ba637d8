"""Scan text rows in compiled code: the same bits as `rows.scan_lines`, many times as fast.

A number is read as m × 10^e, where m has at most 19 digits. If m ≤ 2^53 and |e| ≤ 22, one division or product gives the
same double as Python's `float` (Clinger 1990). Otherwise the double may be wrong by a few units in its last place. This
matters only if the double lies close to the middle between two float32 numbers. A line with such a number goes to
`rows.odd_row`, as does every line with an unusual form.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.compiled import machine_code
from embedviz.core.space import Float, Ints
from embedviz.formats.reading import Bad, RowBlock, Tally, checked_block
from embedviz.formats.rows import Scan, Shape, odd_row

_POWERS = np.array([float(f"1e{power}") for power in range(81)])
_LOW_BITS = 2**29 - 1  # the bits of a double's fraction that float32 lacks
_MIDDLE = 2**28
_EXACT = np.uint64(2**53)
# All places and digits are unsigned: numba checks signed indices for negative values, and computes with floats where
# signed and unsigned numbers meet.
_NONE, _ONE, _NINE, _TEN, _ZERO = (np.uint64(number) for number in (0, 1, 9, 10, ord("0")))
_MOST_DIGITS, _LONGEST_POWER = np.uint64(19), np.uint64(5)
_TAB, _LINE, _RETURN, _SPACE, _PLUS, _MINUS, _POINT, _LARGE_E, _SMALL_E = b"\t\n\r +-.Ee"
_DOUBT = 32  # units in the last place of a double; the error is below 4, so 32 is safe


@machine_code()
def _long_mantissa(data: Any, at: Any) -> Any:
    """Read the decimal number without a sign at `at` as m · 10^e, and return m and e.

    m holds the first 19 significant digits.
    """
    mantissa, digits, exponent, point = np.uint64(0), 0, 0, 0
    while True:
        code = np.int64(data[at])
        if code == _POINT:
            point = 1
        elif not 48 <= code <= 57:
            return mantissa, exponent
        elif digits < 19:
            mantissa = mantissa * np.uint64(10) + np.uint64(code - 48)
            digits += mantissa != 0
            exponent -= point
        else:
            exponent += 1 - point
        at += _ONE


@machine_code()
def _digits(data: Any, at: Any, mantissa: Any) -> Any:
    """Append the digits from position `at` on to a mantissa; return the mantissa and the position after the digits."""
    while True:
        digit = np.uint64(data[at]) - _ZERO  # wraps around below the zero
        if digit > _NINE:
            return mantissa, at
        mantissa = mantissa * _TEN + digit
        at += _ONE


@machine_code()
def _power(data: Any, at: Any) -> Any:
    """Read an exponent whose letter `e` is at position `at`.

    Returns:
        The exponent, the position after the exponent, and whether it has one to four digits.
    """
    at += _ONE
    below = data[at] == _MINUS
    if below or data[at] == _PLUS:
        at += _ONE
    power, end = _digits(data, at, np.uint64(0))
    good = end > at and end - at < _LONGEST_POWER
    whole = np.int64(power)
    return (-whole if below else whole), end, good


@machine_code()
def _number(data: Any, at: Any) -> Any:
    """Return the number that begins at `at`, the position after the number, and whether the number is certain.

    A number is certain if it surely gives the same float32 as Python's `float`.
    """
    negative = data[at] == _MINUS
    if negative or data[at] == _PLUS:
        at += _ONE
    begin = at
    mantissa, at = _digits(data, at, np.uint64(0))
    exponent, count = np.int64(0), at - begin
    if data[at] == _POINT:
        point = at
        mantissa, at = _digits(data, at + _ONE, mantissa)
        exponent = -np.int64(at - point - _ONE)
        count = at - begin - _ONE
    good, whole = count > _NONE, count <= _MOST_DIGITS
    if not whole:
        mantissa, exponent = _long_mantissa(data, begin)
    if good and (data[at] == _SMALL_E or data[at] == _LARGE_E):
        power, at, good = _power(data, at)
        exponent += power
    if not good or exponent < -80 or exponent > 80:
        return 0.0, at, False
    value = float(mantissa)
    value = value * _POWERS[np.uint64(exponent)] if exponent >= 0 else value / _POWERS[np.uint64(-exponent)]
    exact = whole and mantissa <= _EXACT and -22 <= exponent <= 22
    if not exact and mantissa != _NONE:
        low = np.int64(np.float64(value).view(np.int64)) & _LOW_BITS
        good = 1.2e-38 < value < 3.4e38 and abs(low - _MIDDLE) > _DOUBT
    return (-value if negative else value), at, good


@machine_code()
def _row(data: Any, at: Any, values: Any) -> Any:
    """Fill `values`, shape (d,), with the numbers of the row whose word ends at `at`.

    Returns:
        The position after the numbers, and whether the row is plain: all numbers are certain and the line ends there.
    """
    for column in range(len(values)):
        while data[at] == _SPACE or data[at] == _TAB:
            at += _ONE
        value, at, plain = _number(data, at)
        if not plain or not (data[at] == _SPACE or data[at] == _TAB or data[at] == _LINE or data[at] == _RETURN):
            return at, False
        values[column] = value
    while data[at] == _SPACE or data[at] == _TAB or data[at] == _RETURN:
        at += _ONE
    return at, data[at] == _LINE


@machine_code()
def _scan(data: Any, values: Any, spans: Any, odd: Any) -> Any:
    """Find the plain rows and the odd lines in `data`, and return the number of plain rows and of odd lines.

    A plain row is a word followed by numbers that `_row` reads with certainty; all other lines that are not blank are
    odd. A plain row fills a row of `values` (its numbers) and of `spans` (begin and end of the word, line number). An
    odd line fills a row of `odd` (begin, end, line number). Lines count from 0; blank lines are skipped.
    """
    at, end = np.uint64(0), np.uint64(len(data))
    line, rows, odds = 0, 0, 0
    while at < end:
        begin = at
        while data[at] != _SPACE and data[at] != _TAB and data[at] != _LINE:
            at += _ONE
        word, plain = at, False
        if at > begin and data[at] != _LINE:
            at, plain = _row(data, at, values[rows])
        while data[at] != _LINE:
            at += _ONE
        if plain:
            spans[rows, 0], spans[rows, 1], spans[rows, 2] = begin, word, line
            rows += 1
        elif at > begin:
            odd[odds, 0], odd[odds, 1], odd[odds, 2] = begin, at, line
            odds += 1
        at += _ONE
        line += 1
    return rows, odds


def warm() -> None:
    """Compile the scanner, or load the compiled code from disk. Call this before several threads use the scanner."""
    scan(Scan(b"a 1\n", 1, Shape(1, 1)))


def scan(piece: Scan) -> RowBlock:
    """Return the rows in some lines of a file, with the same result as `rows.scan_lines()`."""
    data, first, shape = piece
    most = len(data) // (2 * shape.dimensions + 2) + 1  # most rows possible; unused pages take no memory
    values = np.empty((most + 1, shape.dimensions), np.float32)
    spans, odd = np.empty((most + 1, 3), np.int32), np.empty((len(data) // 2 + 1, 3), np.int32)
    rows, odds = _scan(np.frombuffer(data, np.uint8), values, spans, odd)
    words = [data[begin:end] for begin, end, _ in spans[:rows].tolist()]
    numbers = spans[:rows, 2].astype(np.int64) + first
    if not odds:
        return checked_block(words, values[:rows], numbers, Tally())
    return _joined(words, values[:rows], numbers, piece, odd[:odds])


def _joined(words: list[bytes], values: Float, lines: Ints, piece: Scan, odd: NDArray[np.int32]) -> RowBlock:
    """Return one block of the plain rows and the rows that Python reads from irregular lines, in file order."""
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
