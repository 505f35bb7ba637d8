"""Simpler rules that a space must beat, such as spelling alone or frequency alone."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from embedviz.core.phrases import joined
from embedviz.core.space import Float, Origin, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.resampling import Gap, holm
from embedviz.core.subwords import Subwords

SHORTEST, LONGEST = 1, 3
"""Lengths of the letter n-grams, in letters. Of all ranges up to 6, this range answers the most analogies right."""
_DIMENSIONS = 512
_MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads the hash of an n-gram over its high bits


class SimplerRule(NamedTuple):
    """The result of a simpler rule on a test set, compared with that of the space.

    Attributes:
        name: *third* (the row nearest to the third word of an analogy question), *spelling* or *frequency*.
        title: The title on the screen.
        value: The value that the rule reaches on the covered items.
        gap: The value of the space minus the value of the rule, with the interval of this difference.
    """

    name: str
    title: str
    value: float
    gap: Gap

    def card(self) -> dict[str, object]:
        """Return the result as plain JSON values."""
        low, high, p = self.gap.low, self.gap.high, self.gap.p
        return {"name": self.name, "value": self.value, "ahead": self.gap.value, "low": low, "high": high, "p": p}


TITLES = {
    "third": "nearest to the third word without arithmetic",
    "spelling": "spelling alone",
    "frequency": "frequency alone",
}


def beats(rules: Sequence[SimplerRule]) -> bool:
    """Return whether the 95 % interval of the space's lead over every rule is above zero; False without rules.

    Since the space must beat all rules, no adjustment for their number is needed (an intersection-union test).
    """
    return bool(rules) and all(rule.gap.ahead for rule in rules)


def surprise(rules: Sequence[SimplerRule]) -> float:
    """Return the p-value of beating every rule: the largest p over the rules.

    It is 1 if a rule is not clearly beaten, or without rules.
    """
    return max((rule.gap.p if rule.gap.ahead else 1.0 for rule in rules), default=1.0)


def all_beaten(each: Sequence[Sequence[SimplerRule]]) -> list[bool]:
    """Return whether the space beats all simpler rules, for each of several test sets.

    The space beats a rule if the 95 % interval of its lead is above zero. The p-values are adjusted for the number of
    test sets (Holm).

    Args:
        each: The rules of each test set.
    """
    return [p < LEVEL for p in holm([surprise(rules) for rules in each])]


def strongest(rules: Sequence[SimplerRule], *others: tuple[str, float]) -> tuple[str, float]:
    """Return title and value of the baseline with the highest value; an empty title and 0 without baselines.

    Args:
        others: Title and value of baselines that are not simpler rules, such as chance.
    """
    return max([*((rule.title, rule.value) for rule in rules), *others], key=lambda each: each[1], default=("", 0.0))


def unclear(rules: Sequence[SimplerRule]) -> list[tuple[str, float]]:
    """Return title and value of each rule that the space does not clearly beat."""
    return [(rule.title, rule.value) for rule in rules if not rule.gap.ahead]


def named(rules: Sequence[SimplerRule], say: Callable[[float], str]) -> str:
    """Return the titles of the rules with their values, as text.

    Args:
        say: Function that returns a value as text.
    """
    return joined([f"{rule.title} ({say(rule.value)})" for rule in rules])


def spelling_space(words: Sequence[str]) -> VectorSpace:
    """Return a space in which words with similar letters are near: its rows are hashed counts of letter n-grams.

    Case is ignored.
    """
    rows = np.zeros((len(words), _DIMENSIONS), np.float32)
    ngrams = Subwords(SHORTEST, LONGEST, np.zeros((1, 1), np.float32))
    for part in ngrams.each([word.lower() for word in words]):
        mixed = part.keys * _MIX
        sign = np.where(mixed >> np.uint64(32) & np.uint64(1), 1, -1)
        np.add.at(rows, (part.words, (mixed >> np.uint64(48)).astype(np.int64) % _DIMENSIONS), sign)
    return VectorSpace(tuple(words), rows, origin=Origin("made", "spelling", "frequency"))


def spelling_rows(words: Sequence[str]) -> Float:
    """Return the unit vectors of words in their `spelling_space()`, shape (n, 512)."""
    return spelling_space(words).unit_rows(slice(None))


def by_frequency(space: VectorSpace) -> bool:
    """Return whether the order of words by frequency is known, from counts or from the order of the rows."""
    return space.counts is not None or space.origin.order in ("frequency", "assumed")


def rules_card(rules: Sequence[SimplerRule], beyond: bool) -> dict[str, object]:
    """Return the results of the simpler rules as plain JSON values, for tests whose intervals resample words.

    Args:
        beyond: Whether the space clearly beats every baseline.
    """
    return {"unit": "words", "rules": [rule.card() for rule in rules], "beyond_baseline": beyond}


def value_of(rules: Sequence[SimplerRule], name: str, say: Callable[[float], str]) -> str:
    """Return the value of a rule as text, for a table; a dash if it was not computed."""
    return next((say(rule.value) for rule in rules if rule.name == name), "–")
