"""The words that two spaces share: words with equal labels and nonzero vectors in both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.formats.labels import ROWS_NUMBERED

MOST = 30_000
"""Maximum number of shared words in a comparison: the first, or a random sample if their order has no meaning."""
FEWEST = 4
CASES = ("exact", "folded")
"""How labels match: only if exactly equal, or also if they differ in upper and lower case only."""


class Figure(NamedTuple):
    """One row of the results table, as text.

    Attributes:
        name: What is measured.
        here: The measured value, for the two spaces.
        baseline: The value that chance alone would give.
        of_what: What the baseline was computed for, such as “two unrelated spaces”.
        meaning: An explanation in a sentence or two.
    """

    name: str
    here: str
    baseline: str
    of_what: str
    meaning: str


@dataclass(frozen=True, eq=False)
class Shared:
    """The rows of two spaces that stand for the same words, in the order of the first space.

    Attributes:
        words: The words as the first space writes them, (n,).
        ours, theirs: Row numbers of the words in the first and in the other space, (n,).
        total: Number of labels that match by the rule `case`, before any are left out.
        zero: Number of matching labels that are left out, because their row is zeros in one of the spaces.
        folded: Number of labels that match only if case is ignored.
        case: The rule for matching, one of `CASES`. With *folded*, `total` includes the `folded` labels.
        noun: What a row stands for, such as “word”.
        numbered: Whether neither space has words, so that rows are matched by their number.
    """

    words: tuple[str, ...]
    ours: Ints
    theirs: Ints
    total: int
    zero: int
    folded: int = 0
    case: str = CASES[0]
    noun: str = "word"
    numbered: bool = False

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Return a mapping from each shared word to its index in `words`."""
        return {word: place for place, word in enumerate(self.words)}

    def place(self, word: str) -> int | None:
        """Return the index of a word in `words`; None if it is not shared. With the rule *folded*, case is ignored."""
        if word in self.places or self.case == CASES[0]:
            return self.places.get(word)
        return next((place for place, each in enumerate(self.words) if each.lower() == word.lower()), None)

    @property
    def labels(self) -> str:
        """Say how many labels match, exactly and with case ignored; or that rows are matched by number."""
        if self.numbered:
            return (
                "Neither space has words, so rows are matched by their number: row 1 with row 1, and so on. This is "
                "right only if both files list the same items in the same order."
            )
        same = self.total - (self.folded if self.case == "folded" else 0)
        exact = f"{same:,} {self.noun}s are written exactly the same in both spaces"
        if not self.folded:
            return f"{exact}."
        if self.case == "folded":
            return f"{exact}. Without regard to case, {self.folded:,} more match; these are compared too."
        return f"{exact}. Without regard to case, {self.folded:,} more would match; these are left out."

    @property
    def left_out(self) -> str:
        """Say how many shared words are not compared, and why; empty if all are compared."""
        cut = self.total - self.zero - len(self)
        more = "1 more word is a row" if self.zero == 1 else f"{self.zero:,} more words are rows"
        return " ".join(
            [
                *([f"{more} of zeros in one of the spaces and left out."] if self.zero else []),
                *([f"{cut:,} more shared words are not compared: the limit is {len(self):,}."] if cut else []),
            ]
        )


def shared(
    one: VectorSpace,
    other: VectorSpace,
    *,
    most: int = MOST,
    also: str = "",
    seed: int = 0,
    case: str = CASES[0],
) -> Shared:
    """Return the words that two spaces share and that a comparison uses.

    Args:
        most: Maximum number of words: the first of space `one`, or a random sample if the order has no meaning.
        also: A word that is always used if both spaces have it.
        seed: Seed of the random sample.
        case: One of `CASES`. With *folded*, labels without an exact match are matched with case ignored; if several
            labels differ only in case, the first is used.

    Raises:
        OptionError: Fewer than four words are left, or the case is unknown.
    """
    if case not in CASES:
        raise OptionError(f"case is {case!r}; it may be {' or '.join(CASES)}.")
    places = other.index
    pairs = [(row, places[word]) for row, word in enumerate(one.words) if word in places]
    folded = _folded(one, other, pairs)
    rows = np.asarray(sorted([*pairs, *folded]) if case == "folded" else pairs, np.int64).reshape(-1, 2)
    whole = (one.norms[rows[:, 0]] > 0) & (other.norms[rows[:, 1]] > 0)
    total, zero = len(rows), int(np.count_nonzero(~whole))
    rows = rows[whole]
    if len(rows) < FEWEST:
        raise OptionError(_too_few(one, other, total, zero, 0 if case == "folded" else len(folded)))
    if len(rows) > most:
        chosen = np.arange(most)
        if one.origin.order == "none":
            chosen = np.sort(np.random.default_rng(seed).choice(len(rows), most, replace=False))
        always = np.flatnonzero(rows[:, 0] == one.index.get(also, -1))
        rows = rows[np.union1d(chosen, always)]
    ours, theirs = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
    return Shared(
        tuple(one.words_at(ours)), ours, theirs, total, zero, len(folded), case, one.noun, _are_numbered(one, other)
    )


def _are_numbered(*spaces: VectorSpace) -> bool:
    """Return whether the files of all these spaces had no words, so that row numbers serve as labels."""
    return all(space.origin.note.startswith(ROWS_NUMBERED) for space in spaces)


def _folded(one: VectorSpace, other: VectorSpace, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return pairs of rows, beyond the exact `pairs`, whose labels match if case is ignored.

    Each label is used once, with its first row in each space.
    """
    done = {one.words[row].lower() for row, _ in pairs}
    there: dict[str, int] = {}
    for row, word in enumerate(other.words):
        there.setdefault(word.lower(), row)
    found = []
    for row, word in enumerate(one.words):
        key = word.lower()
        if key in there and key not in done:
            done.add(key)
            found.append((row, there[key]))
    return found


def _too_few(one: VectorSpace, other: VectorSpace, total: int, zero: int, folded: int) -> str:
    count = "no word" if not total else "one word" if total == 1 else f"{total:,} words"
    left = f", {zero:,} of them rows of zeros," if zero else ""
    more = f" {folded:,} more are the same if case is ignored." if folded else ""
    return (
        f"{one.origin.name} and {other.origin.name} share {count}{left} letter for letter; "
        f"{FEWEST} with a direction are needed to compare them.{more}"
    )


def unit_pair(one: VectorSpace, other: VectorSpace, words: Shared) -> tuple[Float, Float]:
    """Return the rows of the shared words in both spaces, scaled to length one, (n, d) and (n, e)."""
    return np.asarray(one.unit_rows(words.ours)), np.asarray(other.unit_rows(words.theirs))
