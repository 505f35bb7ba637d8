"""Sums of cyclically shifted parts in compiled code, for the shuffled words of large spaces."""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code
from embedviz.core.parallel import in_parts
from embedviz.core.space import Float, Ints


def sums(parts: Float, shifts: Ints) -> Float:
    """Return for each shuffled space the sum of the g parts, after a cyclic shift of each part, (s, m).

    Args:
        parts: The g parts, (g, m).
        shifts: Shift of each part in each shuffled space, (s, g), 0 to m − 1.
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
