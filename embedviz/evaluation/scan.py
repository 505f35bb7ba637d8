"""The best rows of many questions at once, compiled: one pass over the cosines of the words asked about with all rows.

The cosines come in blocks of rows. A piece of a block stays in the processor's cache while every question adds up its
own three lines of it; questions with equal a and b stand together and share b − a.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from embedviz.analogy import EPSILON

KEPT = 5
"""How many rows are kept for a question and a rule."""
RULES = ("3cosadd", "3cosmul", "third")
"""What is scored: b − a + c, the quotient of Levy and Goldberg 2014, and c alone."""
LOWEST = np.float32(-3e38)
_PIECE = 128  # rows at a time: their cosines with a thousand words fill half a megabyte
_ONE, _HALF, _EPSILON = np.float32(1), np.float32(0.5), np.float32(EPSILON)


def _jit(function: Callable[..., Any]) -> Any:
    """The function as machine code, kept on disk where a folder for it can be written."""
    how: dict[str, Any] = {"nogil": True, "fastmath": {"nnan", "nsz"}, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **how)(function)
    except RuntimeError:  # numba finds no such folder
        return numba.njit(**how)(function)


@_jit
def _keep(
    values: Any, groups: Any, first: Any, question: Any, scores: Any, rows: Any, own_scores: Any, own_rows: Any
) -> None:
    """Puts the rows that belong there among the kept ones; of equal scores the earlier row stays ahead."""
    last = len(scores) - 1
    for j in range(len(values)):
        value = values[j]
        if value <= scores[last]:
            continue
        group = groups[first + j]
        if group == -2:  # a row of zeros
            continue
        if group >= 0 and (group == question[0] or group == question[1] or group == question[2]):
            if value > own_scores[0]:
                own_scores[0], own_rows[0] = value, first + j
            continue
        place = last
        while place > 0 and scores[place - 1] < value:
            scores[place], rows[place] = scores[place - 1], rows[place - 1]
            place -= 1
        scores[place], rows[place] = value, first + j


@_jit
def scan(
    cosines: Any,
    first: Any,
    groups: Any,
    questions: Any,
    begin: Any,
    stop: Any,
    scores: Any,
    rows: Any,
    own_scores: Any,
    own_rows: Any,
) -> None:
    """Looks through one block of rows for the questions from `begin` to `stop`.

    Args:
        cosines: Of the words asked about with the rows of the block, (m, w).
        first: The block's first row.
        groups: Which of those words each row spells, (n,): −1 for none, −2 for a row of zeros.
        questions: a, b and c as lines of `cosines`, (q, 3), sorted.
        scores, rows: The best so far by each rule, (q, 3, KEPT), the spellings of a, b and c left out; changed.
        own_scores, own_rows: The best of those spellings that came before the last of the kept, (q, 3, 1); changed.
    """
    offset = np.empty(_PIECE, np.float32)
    ratio = np.empty(_PIECE, np.float32)
    values = np.empty((3, _PIECE), np.float32)
    for left in range(0, cosines.shape[1], _PIECE):
        width = min(_PIECE, cosines.shape[1] - left)
        a = b = -1
        for place in range(begin, stop):
            if questions[place, 0] != a or questions[place, 1] != b:
                a, b = questions[place, 0], questions[place, 1]
                to_a, to_b = cosines[a, left : left + width], cosines[b, left : left + width]
                for j in range(width):
                    offset[j] = to_b[j] - to_a[j]
                    ratio[j] = (_ONE + to_b[j]) * _HALF * _HALF / ((_ONE + to_a[j]) * _HALF + _EPSILON)
            to_c = cosines[questions[place, 2], left : left + width]
            add = mul = third = LOWEST
            for j in range(width):
                value = to_c[j]
                summed, multiplied = offset[j] + value, ratio[j] * (_ONE + value)
                values[0, j], values[1, j], values[2, j] = summed, multiplied, value
                add, mul, third = max(add, summed), max(mul, multiplied), max(third, value)
            for rule, best in enumerate((add, mul, third)):
                if best > scores[place, rule, KEPT - 1]:
                    _keep(
                        values[rule, :width],
                        groups,
                        first + left,
                        questions[place],
                        scores[place, rule],
                        rows[place, rule],
                        own_scores[place, rule],
                        own_rows[place, rule],
                    )
