"""Odd one out: of some words, the one with the least mean cosine to the others.

With u the unit vectors, u·mean(u) = (1 + (m − 1) · mean cosine to the others) / m: the choice is that of gensim's
`doesnt_match`, which takes the word farthest from the mean of the unit vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.evaluation.words import covered, every_row
from embedviz.options import OptionError
from embedviz.saying import share
from embedviz.space import Float, VectorSpace
from embedviz.testsets import OddOne, OddOnes

Report = Callable[..., None]


class Standing(NamedTuple):
    """A word of a list and its mean cosine to the others."""

    word: str
    cosine: float


class Choice(NamedTuple):
    """What was chosen of one list.

    Attributes:
        place: The list's place in its set.
        list: The list.
        words: Its words with their mean cosine to the others, the odd one first.
        right: Whether the odd word is the chosen one.
    """

    place: int
    list: OddOne
    words: tuple[Standing, ...]
    right: bool

    @property
    def chosen(self) -> str:
        """The word that was chosen."""
        return self.words[0].word


@dataclass(frozen=True, eq=False)
class OddScores:
    """A set of lists in one space.

    Attributes:
        lists: Lists of the set.
        choices: Those all of whose words have a vector, with what was chosen.
        low, high: The 95 % interval of the accuracy (Wilson 1927).
    """

    lists: int
    choices: tuple[Choice, ...]
    low: float
    high: float

    @property
    def covered(self) -> int:
        """Lists that were asked."""
        return len(self.choices)

    @property
    def accuracy(self) -> float | None:
        """Share of the lists whose odd word was found; None where none is covered."""
        return sum(choice.right for choice in self.choices) / self.covered if self.choices else None

    @property
    def chance(self) -> float | None:
        """What drawing a word at random gets: the mean of 1 / m over the lists of m words."""
        return float(np.mean([1 / len(choice.words) for choice in self.choices])) if self.choices else None

    @property
    def wrong(self) -> tuple[Choice, ...]:
        """The lists in which another word was chosen."""
        return tuple(choice for choice in self.choices if not choice.right)

    @property
    def meaning(self) -> str:
        """What was found, in sentences."""
        if self.accuracy is None or self.chance is None:
            return "No list has all its words in this space, so none was asked."
        beyond = "" if self.low > self.chance else " That is no more than chance may give."
        return f"{share(self.accuracy)} right; a word drawn at random: {share(self.chance)}.{beyond}"


def wilson(right: int, asked: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); 0 to 1 where nothing was asked."""
    if not asked:
        return 0.0, 1.0
    z = 1.959964
    rate, over = right / asked, z * z / asked
    middle = (rate + over / 2) / (1 + over)
    half = z * float(np.sqrt(rate * (1 - rate) / asked + over / (4 * asked))) / (1 + over)
    return (middle - half if right else 0.0), (middle + half if right < asked else 1.0)


def standings(unit: Float, words: Sequence[str]) -> tuple[Standing, ...]:
    """The words with their mean cosine to the others, the odd one first; `unit` holds their unit vectors, (m, d)."""
    rows = np.asarray(unit, np.float64)
    means = (rows @ rows.sum(axis=0) - 1) / (len(rows) - 1)
    return tuple(Standing(words[place], float(means[place])) for place in np.argsort(means, kind="stable"))


def odd_one(space: VectorSpace, words: Sequence[str]) -> tuple[Standing, ...]:
    """The words of a list that have a vector, with their mean cosine to the others, the odd one first.

    Raises:
        OptionError: Fewer than three have one.
    """
    found = covered(space, words)
    if len(found.words) < 3:
        raise OptionError(f"{len(found.words)} of the {len(words)} words have a vector here; three are needed.")
    return standings(space.unit_rows(found.rows), found.words)


def odd_ones(space: VectorSpace, lists: OddOnes, *, report: Report | None = None) -> OddScores:
    """What is chosen of each list all of whose words have a vector."""
    choices = []
    for place, each in enumerate(lists.lists):
        rows = every_row(space, each.words)
        if rows is not None:
            ranked = standings(space.unit_rows(rows), each.words)
            choices.append(Choice(place, each, ranked, ranked[0].word == each.odd))
        if report is not None and place % 500 == 499:
            report((place + 1) / len(lists.lists), f"{place + 1:,} of {len(lists.lists):,} lists asked")
    return OddScores(len(lists.lists), tuple(choices), *wilson(sum(one.right for one in choices), len(choices)))
