"""Words of a test set as rows of a space."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from embedviz.core.space import Ints, VectorSpace


class Covered(NamedTuple):
    """Which words of a list a space has.

    Attributes:
        words: Those that it has, as the space spells them, each once.
        rows: Their rows, (m,).
        missing: Those that it has not, as the list spells them.
    """

    words: tuple[str, ...]
    rows: Ints
    missing: tuple[str, ...]

    @property
    def share(self) -> str:
        """Return how many words of the list are covered, as “7 of 8”."""
        return f"{len(self.words):,} of {len(self.words) + len(self.missing):,}"


def row_of(space: VectorSpace, word: str) -> int | None:
    """Return the row of a word: as spelled, with _ for blanks, or in lower case; None where none has a direction."""
    joined = word.replace(" ", "_")
    for form in dict.fromkeys((word, joined, word.lower(), joined.lower())):
        row = space.index.get(form)
        if row is not None and space.norms[row] > 0:
            return row
    return None


def as_spelled(space: VectorSpace, word: str) -> str:
    """Return the word as the space spells it, or as it is given where it has no row."""
    row = row_of(space, word)
    return space.words[row] if row is not None else word


def covered(space: VectorSpace, words: Iterable[str]) -> Covered:
    """Return the rows of these words, rows of zeros left out."""
    found: dict[int, str] = {}
    missing = []
    for word in words:
        row = row_of(space, word)
        if row is None:
            missing.append(word)
        else:
            found.setdefault(row, space.words[row])
    return Covered(tuple(found.values()), np.array(list(found), np.int64), tuple(missing))


def every_row(space: VectorSpace, words: Sequence[str]) -> Ints | None:
    """Return the rows of all these words in their order; None where one is missing, or two are one row."""
    rows = [row_of(space, word) for word in words]
    if None in rows or len(set(rows)) < len(rows):
        return None
    return np.array(rows, np.int64)
