"""The words that two spaces share: the same key, letter for letter, and a direction in both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.space import Float, Ints, VectorSpace

MOST = 30_000
"""Shared words that a comparison looks among; the first, or where the order says nothing a random part."""
FEWEST = 4


class Figure(NamedTuple):
    """One row of the table of a comparison, in words."""

    name: str
    here: str
    baseline: str
    of_what: str
    meaning: str


def number_or_dash(value: float | None) -> str:
    """Return a number in words; a dash for none."""
    return "–" if value is None else number(value)


@dataclass(frozen=True, eq=False)
class Shared:
    """Rows of two spaces that stand for the same words, in the order of the first.

    Attributes:
        words: n keys.
        ours, theirs: Their rows in the one and the other space, (n,).
        total: Keys that both spaces have.
        zero: Of those, words that are a row of zeros in either, which have no direction and are left out.
    """

    words: tuple[str, ...]
    ours: Ints
    theirs: Ints
    total: int
    zero: int

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Word to its place among them."""
        return {word: place for place, word in enumerate(self.words)}

    @property
    def left_out(self) -> str:
        """Which words of both are not compared, in sentences; empty where all are."""
        cut = self.total - self.zero - len(self)
        more = "1 more word is a row" if self.zero == 1 else f"{self.zero:,} more words are rows"
        return " ".join(
            [
                *([f"{more} of zeros in one of the two and left out."] if self.zero else []),
                *([f"{cut:,} more shared words are not looked at: {len(self):,} are the most."] if cut else []),
            ]
        )


def shared(one: VectorSpace, other: VectorSpace, *, most: int = MOST, also: str = "", seed: int = 0) -> Shared:
    """Return the words of both spaces, as many as are looked at.

    Args:
        most: The most words kept: the first of the one space, or drawn at random where its order says nothing.
        also: A word that is kept in any case.

    Raises:
        OptionError: Fewer than four words are left.
    """
    places = other.index
    pairs = [(row, places[word]) for row, word in enumerate(one.words) if word in places]
    rows = np.asarray(pairs, np.int64).reshape(-1, 2)
    whole = (one.norms[rows[:, 0]] > 0) & (other.norms[rows[:, 1]] > 0)
    total, zero = len(rows), int(np.count_nonzero(~whole))
    rows = rows[whole]
    if len(rows) < FEWEST:
        raise OptionError(_too_few(one, other, total, zero))
    if len(rows) > most:
        kept = np.arange(most)
        if one.origin.order == "none":
            kept = np.sort(np.random.default_rng(seed).choice(len(rows), most, replace=False))
        asked = np.flatnonzero(rows[:, 0] == one.index.get(also, -1))
        rows = rows[np.union1d(kept, asked)]
    ours, theirs = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
    return Shared(tuple(one.words_at(ours)), ours, theirs, total, zero)


def _too_few(one: VectorSpace, other: VectorSpace, total: int, zero: int) -> str:
    count = "no word" if not total else "one word" if total == 1 else f"{total:,} words"
    left = f", {zero:,} of them rows of zeros," if zero else ""
    return (
        f"{one.origin.name} and {other.origin.name} share {count}{left} letter for letter; "
        f"{FEWEST} with a direction are needed to compare them."
    )


def unit_pair(one: VectorSpace, other: VectorSpace, words: Shared) -> tuple[Float, Float]:
    """Return the rows of the shared words at length one, (n, d) and (n, e)."""
    return np.asarray(one.unit_rows(words.ours)), np.asarray(other.unit_rows(words.theirs))
