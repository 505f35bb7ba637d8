"""Sums of rotated parts, compiled: the shuffled words of large spaces, each shuffle while it is in the cache."""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.core.parallel import in_parts
from embedviz.core.space import Float, Ints


def sums(parts: Float, shifts: Ints) -> Float:
    """Return the sum of the parts after each has been rotated by its shift, one row a shuffle, (s, m).

    Args:
        parts: Shape (g, m).
        shifts: Of each part in each shuffle, (s, g), 0 to m − 1.
    """
    total = np.zeros((len(shifts), parts.shape[1]), np.float32)
    in_parts(len(total), lambda some: _add(parts, shifts[some], total[some]))
    return total


@machine_code()
def _add(parts: Any, shifts: Any, total: Any) -> None:
    size = parts.shape[1]
    for shuffle in range(len(shifts)):
        for group in range(len(parts)):
            turn = shifts[shuffle, group]
            row, part = total[shuffle, turn:], parts[group, : size - turn]
            for place in range(len(row)):
                row[place] += part[place]
            row, part = total[shuffle, :turn], parts[group, size - turn :]
            for place in range(len(row)):
                row[place] += part[place]
