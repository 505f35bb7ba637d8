"""Splits of words into two lists of given sizes: all splits, or random ones if there are too many."""

import math
from itertools import chain, combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.progress import Report, tell

_CHUNK = 10_000

Values = NDArray[np.float64]


def splits(s: Values, size: int, most: int, random: Any, report: Report | None) -> tuple[Values, bool]:
    """Return the sum of s over the first list of each split, shape (k,), and whether all splits were used.

    Args:
        s: The associations of all words, shape (n,).
        size: The number of words in the first list.
        most: Maximum number of splits. If more are possible, this many are sampled at random.
        random: A NumPy generator.
    """
    count = math.comb(len(s), size)
    if count <= most:
        places = combinations(range(len(s)), size)
        sums = []
        while chunk := list(islice(places, _CHUNK)):
            flat = np.fromiter(chain.from_iterable(chunk), np.int64, len(chunk) * size)
            sums.append(s[flat.reshape(-1, size)].sum(axis=1))
        return np.concatenate(sums), True
    sums = []
    for start in range(0, most, _CHUNK):
        many = min(_CHUNK, most - start)
        sums.append(random.permuted(np.broadcast_to(s, (many, len(s))), axis=1)[:, :size].sum(axis=1))
        tell(report, (start + many) / most, f"{start + many:,} of {most:,} splits looked at")
    return np.concatenate(sums), False


def share_of(reached: NDArray[np.bool_], exact: bool) -> float:
    """Return the share of True values: the p-value of a permutation test.

    Args:
        reached: Whether each split is at least as extreme as the real lists, shape (k,).
        exact: Whether `reached` has all possible splits. If not, the real lists count as one more, so p is never 0.
    """
    return float((reached.sum() + (not exact)) / (len(reached) + (not exact)))
