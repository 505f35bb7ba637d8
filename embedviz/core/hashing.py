"""Hashes of many words by compiled code: FNV-1a in 64 bits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.compiled import machine_code
from embedviz.core.parallel import in_parts


def hashes_of(blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the hash of each word, (n,).

    Args:
        blob: The bytes of all words, (b,).
        offsets: The start of each word in `blob`, and b as the last number, (n + 1,).
    """
    found = np.empty(len(offsets) - 1, np.uint64)
    in_parts(len(found), lambda part: _fill(blob, offsets[part.start : part.stop + 1], found[part]))
    return found


@machine_code()
def _fill(blob: Any, offsets: Any, found: Any) -> None:
    for row in range(len(found)):
        value = np.uint64(0xCBF29CE484222325)
        for place in range(offsets[row], offsets[row + 1]):
            value = (value ^ np.uint64(blob[place])) * np.uint64(0x100000001B3)
        found[row] = value
