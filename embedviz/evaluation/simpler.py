"""Simpler rules that a space must beat: spelling, and the frequency of words."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from embedviz.core.phrases import joined
from embedviz.core.space import Float, Origin, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.resampling import Gap, holm
from embedviz.core.subwords import Subwords

SHORTEST, LONGEST = 1, 3
"""Letters of the n-grams: of all ranges up to 6 these answer most analogies."""
_DIMENSIONS = 512
_MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads the hash of an n-gram over its high bits


class SimplerRule(NamedTuple):
    """A simpler rule on a test set.

    Attributes:
        name, title: *third*, *spelling* or *frequency*, and its title.
        value: Its value on the covered part of the set.
        gap: The value of the space minus that of the rule.
    """

    name: str
    title: str
    value: float
    gap: Gap

    def card(self) -> dict[str, object]:
        """Return the figures as plain JSON values."""
        low, high, p = self.gap.low, self.gap.high, self.gap.p
        return {"name": self.name, "value": self.value, "ahead": self.gap.value, "low": low, "high": high, "p": p}


TITLES = {
    "third": "nearest to the third word without arithmetic",
    "spelling": "spelling alone",
    "frequency": "frequency alone",
}


def beats(rules: Sequence[SimplerRule]) -> bool:
    """Return whether the space is ahead of every rule beyond chance.

    It must beat all of them, so no correction for their number is needed (an intersection-union test).
    """
    return bool(rules) and all(rule.gap.ahead for rule in rules)


def surprise(rules: Sequence[SimplerRule]) -> float:
    """Return the largest p over the rules; 1 where the lead over one of them is not beyond chance."""
    return max((rule.gap.p if rule.gap.ahead else 1.0 for rule in rules), default=1.0)


def all_beaten(each: Sequence[Sequence[SimplerRule]]) -> list[bool]:
    """Return whether the rules of each of several sets are beaten, adjusted for the number of sets (Holm)."""
    return [p < LEVEL for p in holm([surprise(rules) for rules in each])]


def strongest(rules: Sequence[SimplerRule], *others: tuple[str, float]) -> tuple[str, float]:
    """Return title and value of the rule, or other baseline, that reaches most; an empty title for none."""
    return max([*((rule.title, rule.value) for rule in rules), *others], key=lambda each: each[1], default=("", 0.0))


def unclear(rules: Sequence[SimplerRule]) -> list[tuple[str, float]]:
    """Return title and value of each rule over which the lead is not beyond chance."""
    return [(rule.title, rule.value) for rule in rules if not rule.gap.ahead]


def named(rules: Sequence[SimplerRule], say: Callable[[float], str]) -> str:
    """Return the rules with their values, in words."""
    return joined([f"{rule.title} ({say(rule.value)})" for rule in rules])


def spelling_space(words: Sequence[str]) -> VectorSpace:
    """Return a space of spelling: hashed counts of letter n-grams, without case."""
    rows = np.zeros((len(words), _DIMENSIONS), np.float32)
    ngrams = Subwords(SHORTEST, LONGEST, np.zeros((1, 1), np.float32))
    for part in ngrams.each([word.lower() for word in words]):
        mixed = part.keys * _MIX
        sign = np.where(mixed >> np.uint64(32) & np.uint64(1), 1, -1)
        np.add.at(rows, (part.words, (mixed >> np.uint64(48)).astype(np.int64) % _DIMENSIONS), sign)
    return VectorSpace(tuple(words), rows, origin=Origin("made", "spelling", "frequency"))


def spelling_rows(words: Sequence[str]) -> Float:
    """Return the rows of the spelling space at length one, (n, d)."""
    return spelling_space(words).unit_rows(slice(None))


def by_frequency(space: VectorSpace) -> bool:
    """Return whether the frequency order of the words is known, by counts or by the order of the rows."""
    return space.counts is not None or space.origin.order in ("frequency", "assumed")


def rules_card(rules: Sequence[SimplerRule], beyond: bool) -> dict[str, object]:
    """Return the rules of a result as plain JSON values; its units are words."""
    return {"unit": "words", "rules": [rule.card() for rule in rules], "beyond_baseline": beyond}


def value_of(rules: Sequence[SimplerRule], name: str, say: Callable[[float], str]) -> str:
    """Return the value of a rule as a cell of a table; a dash where it was not computed."""
    return next((say(rule.value) for rule in rules if rule.name == name), "–")
