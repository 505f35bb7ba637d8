"""Find the best rows for many analogy questions in compiled code, in one pass over a table of cosines.

The table holds the cosines of all words in the questions with all rows, and comes in blocks of rows. A piece of a
block stays in the processor's cache while every question combines three rows of the table: the cosines of a, b and c.
The questions are sorted, so that b − a is computed once for questions with the same a and b.
"""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.neighbors.analogy_rules import EPSILON

BEST = 5
"""Number of best rows for each question and rule."""
RULES = ("3cosadd", "3cosmul", "third")
"""The rules: cosine with b − a + c, the quotient of Levy and Goldberg 2014, and cosine with c alone."""
LOWEST = np.float32(-3e38)
_PIECE = 256  # rows of a piece: their cosines with a thousand words take a megabyte
_GLANCE = 64  # scores of a group, which is skipped if no score in it is above the limit
_NONE, _HALF, _ONE, _EPSILON = np.float32(0), np.float32(0.5), np.float32(1), np.float32(EPSILON)


@machine_code(fast=True)
def _offsets(to_a: Any, to_b: Any, offset: Any, ratio: Any) -> None:
    """Fill `offset` and `ratio`: for each row, the parts of the scores of 3CosAdd and 3CosMul that depend on a and b.

    The score of 3CosAdd is offset + cos c; that of 3CosMul is ratio · (1 + cos c).
    """
    for j in range(len(to_a)):
        offset[j] = to_b[j] - to_a[j]
        ratio[j] = (_ONE + to_b[j]) * _HALF * _HALF / ((_ONE + to_a[j]) * _HALF + _EPSILON)


@machine_code(fast=True)
def _above(to_c: Any, offset: Any, ratio: Any, add: Any, mul: Any, third: Any) -> Any:
    """Return for each rule of `RULES` how many rows score above the limit of the rule, as floats.

    The limits are `add` for 3CosAdd, `mul` for 3CosMul, and `third` for the cosine with c (`to_c`). The counts are
    floats, so that the compiler can use vector instructions.
    """
    adds = muls = thirds = _NONE
    for j in range(len(to_c)):
        adds += _ONE if offset[j] + to_c[j] > add else _NONE
        muls += _ONE if ratio[j] * (_ONE + to_c[j]) > mul else _NONE
        thirds += _ONE if to_c[j] > third else _NONE
    return adds, muls, thirds


@machine_code(fast=True)
def _greater(values: Any, limit: Any) -> Any:
    """Return how many values are above the limit, as a float."""
    count = _NONE
    for j in range(len(values)):
        count += _ONE if values[j] > limit else _NONE
    return count


@machine_code(fast=True)
def _scores(to_c: Any, offset: Any, ratio: Any, rule: Any, values: Any) -> None:
    if rule == 0:
        for j in range(len(to_c)):
            values[j] = offset[j] + to_c[j]
    elif rule == 1:
        for j in range(len(to_c)):
            values[j] = ratio[j] * (_ONE + to_c[j])
    else:
        values[: len(to_c)] = to_c


@machine_code(fast=True)
def _keep(
    values: Any,
    width: Any,
    groups: Any,
    first: Any,
    questions: Any,
    place: Any,
    rule: Any,
    scores: Any,
    rows: Any,
    own_scores: Any,
    own_rows: Any,
) -> None:
    """Insert rows of a piece into the best rows of one question by one rule; of equal scores, the earlier row is first.

    A row that spells a, b or c is not inserted there; the best one of these rows goes into `own_rows`.

    Args:
        values: The scores of the rows in the piece; only the first `width` are in use.
        first: The number of the piece's first row.
        place, rule: The indices of the question and of the rule.
        groups, questions, scores, rows, own_scores, own_rows: As for `scan`.
    """
    for left in range(0, width, _GLANCE):
        right = min(left + _GLANCE, width)
        if not _greater(values[left:right], scores[place, rule, BEST - 1]):
            continue
        for j in range(left, right):
            value = values[j]
            if value <= scores[place, rule, BEST - 1]:
                continue
            group = groups[first + j]
            if group == -2:  # a row of zeros
                continue
            if group >= 0 and (
                group == questions[place, 0] or group == questions[place, 1] or group == questions[place, 2]
            ):
                if value > own_scores[place, rule]:
                    own_scores[place, rule], own_rows[place, rule] = value, first + j
                continue
            at = BEST - 1
            while at > 0 and scores[place, rule, at - 1] < value:
                scores[place, rule, at], rows[place, rule, at] = scores[place, rule, at - 1], rows[place, rule, at - 1]
                at -= 1
            scores[place, rule, at], rows[place, rule, at] = value, first + j


@machine_code(fast=True)
def scan(
    cosines: Any,
    count: Any,
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
    """Search one block of rows for better answers to the questions from `begin` to `stop`.

    Args:
        cosines: The cosines of the m words in the questions with the rows of the block, shape (m, w), C order.
        count: The number of columns of `cosines` that are in use.
        first: The number of the block's first row.
        groups: For each row, the index in `cosines` of the word that the row spells, shape (n,); −1 for a word of no
            question, −2 for a row of zeros.
        questions: The indices in `cosines` of a, b and c, shape (q, 3), sorted.
        scores, rows: The scores of the best rows so far by each rule, and these rows, shape (q, 3, BEST). Rows that
            spell a, b or c are left out. Both arrays are changed in place.
        own_scores, own_rows: The score of the best row that spells a, b or c, and this row, by each rule, shape (q, 3).
            A row counts only if its score is above the last of `scores`. Both arrays are changed in place.
    """
    offset, ratio = np.empty(_PIECE, np.float32), np.empty(_PIECE, np.float32)
    values = np.empty(_PIECE, np.float32)
    for left in range(0, count, _PIECE):
        width = min(_PIECE, count - left)
        a = b = -1
        for place in range(begin, stop):
            if questions[place, 0] != a or questions[place, 1] != b:
                a, b = questions[place, 0], questions[place, 1]
                _offsets(cosines[a, left : left + width], cosines[b, left : left + width], offset, ratio)
            to_c = cosines[questions[place, 2], left : left + width]
            above = _above(
                to_c,
                offset,
                ratio,
                scores[place, 0, BEST - 1],
                scores[place, 1, BEST - 1],
                scores[place, 2, BEST - 1],
            )
            for rule in range(3):
                if above[rule]:
                    _scores(to_c, offset, ratio, rule, values)
                    _keep(
                        values,
                        width,
                        groups,
                        first + left,
                        questions,
                        place,
                        rule,
                        scores,
                        rows,
                        own_scores,
                        own_rows,
                    )
