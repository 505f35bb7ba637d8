"""Find the rows of a test set's words, in any spelling; the most frequent spelling stands for a word, as in gensim."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import Choice, OptionError, Parameter
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.projection.sampling import most_frequent

OTHER, ZEROS = -1, -2
"""Values in `Spelled.groups` for a row that spells no word of the test, and for a row of zeros."""
CASES: dict[str, Callable[[str], str]] = {"folded": str.upper, "exact": str}
"""Functions that give the same text for all spellings of the same word: in capitals, or unchanged."""
WORDS = Parameter("words", 0, 10_000_000, 0, "Use only so many of the most frequent words.", "Words", "all")
CASE = Choice(
    "case", tuple(CASES), "folded", "Folded: Paris, PARIS and paris are one word, its most frequent row.", "Case"
)


@dataclass(frozen=True, eq=False)
class Spelled:
    """The words of a test, and the rows that spell them.

    Attributes:
        numbers: Word of the test → its word number, the same for all its spellings; −1 if it has no row, or only rows
            of zeros.
        firsts: The most frequent row of each word number, as an index of `rows`, shape (m,).
        groups: For each of `rows`, the number of the word that it spells, or `OTHER` or `ZEROS`, shape (n,).
        rows: The rows of the space that are searched, most frequent first, shape (n,).
        whole: Whether `rows` are the first n rows of the space in order. Slices of the space then give the same rows.
    """

    numbers: Mapping[str, int]
    firsts: Ints
    groups: Ints
    rows: Ints
    whole: bool

    def number(self, word: str) -> int:
        """Return the word number of a word of the test; −1 if it has no row."""
        return self.numbers.get(word, OTHER)

    def vectors(self, space: VectorSpace, numbers: Ints | slice = slice(None)) -> Float:
        """Return the unit vectors of the words with these word numbers, shape (m, d); by default of all words."""
        return space.unit_rows(self.rows[self.firsts[numbers]])

    def unit_rows(self, space: VectorSpace, block: slice) -> Float:
        """Return the unit vectors of a block of `rows`, shape (b, d)."""
        return space.unit_rows(block if self.whole else self.rows[block])

    def renumbered(self, used: Ints) -> Ints:
        """Return `groups`, the word number of each row, with each number replaced by its index in `used`.

        `OTHER` replaces a number that is not in `used`. Negative values (`OTHER`, `ZEROS`) stay unchanged.
        """
        places = np.full(int(max(self.groups.max(initial=0), used.max())) + 1, OTHER)
        places[used] = np.arange(len(used))
        return np.where(self.groups >= 0, places[np.maximum(self.groups, 0)], self.groups)


def spelled(space: VectorSpace, wanted: Iterable[str], *, words: int = 0, case: str = "folded") -> Spelled:
    """Return the rows of a space that spell the words of a test; each word that has such a row gets a number.

    Args:
        wanted: The words of the test.
        words: The number of most frequent rows to search; 0 for all.
        case: A name of `CASES`.

    Raises:
        OptionError: There is no such case, or `words` is negative.
    """
    if case not in CASES:
        raise OptionError(f"case is {case!r}; it may be {' or '.join(CASES)}.")
    if words < 0:
        raise OptionError(f"words is {words}; 0 stands for all of them.")
    form = CASES[case]
    rows = most_frequent(space, n=words or len(space)).rows
    whole = bool((np.diff(rows) == 1).all() and not rows[:1].any())
    forms = {word: form(word) for word in dict.fromkeys(wanted)}
    found: dict[str, list[int]] = {key: [] for key in forms.values()}
    groups = np.where((space.norms[rows] > 0) & np.isfinite(space.norms[rows]), OTHER, ZEROS)
    for place, word in enumerate(itertools.islice(space.words, len(rows)) if whole else space.words_at(rows)):
        key = form(word)
        if key in found and groups[place] != ZEROS:
            found[key].append(place)
    numbers = {key: number for number, key in enumerate(key for key, places in found.items() if places)}
    for key, number in numbers.items():
        groups[found[key]] = number
    firsts = np.array([found[key][0] for key in numbers], np.int64)
    return Spelled({word: numbers.get(key, OTHER) for word, key in forms.items()}, firsts, groups, rows, whole)


def share(right: NDArray[np.bool_]) -> Share:
    """Return the share of True values in an array."""
    return Share(int(np.count_nonzero(right)), len(right))
