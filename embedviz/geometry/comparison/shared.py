"""The words that two spaces share: equal labels, and a direction in both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.formats.labels import ROWS_NUMBERED

MOST = 30_000
"""Shared words that a comparison looks among; the first, or where the order says nothing a random part."""
FEWEST = 4
CASES = ("exact", "folded")
"""Labels are the same letter for letter, or also when only upper and lower case differ."""


class Figure(NamedTuple):
    """One row of the table of a comparison, in words."""

    name: str
    here: str
    baseline: str
    of_what: str
    meaning: str


@dataclass(frozen=True, eq=False)
class Shared:
    """Rows of two spaces that stand for the same words, in the order of the first.

    Attributes:
        words: n keys.
        ours, theirs: Their rows in the one and the other space, (n,).
        total: Labels that both spaces have, by the rule in use.
        zero: Of those, words that are a row of zeros in either, which have no direction and are left out.
        folded: Labels that both have only when case is ignored.
        case: The rule in use, of `CASES`; with *folded*, `total` counts the `folded` labels too.
        noun: What a row stands for.
        numbered: Whether the rows of both have no words, so that their numbers are compared.
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
        """Return the position of each word among the shared ones."""
        return {word: place for place, word in enumerate(self.words)}

    def place(self, word: str) -> int | None:
        """Return the place of a word among them, or None; where case is ignored, in any case."""
        if word in self.places or self.case == CASES[0]:
            return self.places.get(word)
        return next((place for place, each in enumerate(self.words) if each.lower() == word.lower()), None)

    @property
    def labels(self) -> str:
        """Say how many labels are the same, exactly and when case is ignored; or that rows are matched by number."""
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
        """Say which shared words are not compared; empty where all are."""
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
    """Return the words of both spaces, as many as are compared.

    Args:
        most: The most words kept: the first of the one space, or drawn at random where its order says nothing.
        also: A word that is always kept.
        case: *exact*, or *folded*: labels that are left over match too when only their case differs, the first of each.

    Raises:
        OptionError: Fewer than four words are left, or there is no such case.
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
    """Return whether the rows of these spaces are named by their numbers, since their files have no words."""
    return all(space.origin.note.startswith(ROWS_NUMBERED) for space in spaces)


def _folded(one: VectorSpace, other: VectorSpace, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the rows of labels that differ in case alone, the first of each in both, without the exact pairs."""
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
    """Return the rows of the shared words at length one, (n, d) and (n, e)."""
    return np.asarray(one.unit_rows(words.ours)), np.asarray(other.unit_rows(words.theirs))
