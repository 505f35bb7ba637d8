"""Look up the words of a test set in a space."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from embedviz.core.space import Ints, VectorSpace


class Covered(NamedTuple):
    """The words of a list that a space has, and the words of the list that it lacks.

    Attributes:
        words: The words found, each once, in the spelling of the space.
        rows: The rows of `words`, shape (m,).
        missing: The words not found, in the spelling of the list.
    """

    words: tuple[str, ...]
    rows: Ints
    missing: tuple[str, ...]

    @property
    def share(self) -> str:
        """Return as text how many words of the list the space has, such as “7 of 8”."""
        return f"{len(self.words):,} of {len(self.words) + len(self.missing):,}"


def row_of(space: VectorSpace, word: str) -> int | None:
    """Return the row of the first spelling that the space has: as given, with _ for spaces, or in lower case.

    Rows of zeros do not count. Return None if no spelling has a row.
    """
    joined = word.replace(" ", "_")
    for form in dict.fromkeys((word, joined, word.lower(), joined.lower())):
        row = space.index.get(form)
        if row is not None and space.norms[row] > 0:
            return row
    return None


def as_spelled(space: VectorSpace, word: str) -> str:
    """Return a word in the spelling of the space; a word without a row is returned unchanged."""
    row = row_of(space, word)
    return space.words[row] if row is not None else word


def covered(space: VectorSpace, words: Iterable[str]) -> Covered:
    """Look up the words of a list in a space. A word with a row of zeros counts as missing."""
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
    """Return the row of each word, shape (m,); None if a word is missing, or if two words have the same row."""
    rows = [row_of(space, word) for word in words]
    if None in rows or len(set(rows)) < len(rows):
        return None
    return np.array(rows, np.int64)
