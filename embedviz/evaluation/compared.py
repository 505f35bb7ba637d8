"""Two spaces on one test set: the difference over what both cover, with its interval; never a bare ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.progress import Report
from embedviz.core.stats.correlation import spearman
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.resampling import Gap, Units, holm, share_gap, units_of
from embedviz.evaluation.analogies import AnalogyScores
from embedviz.evaluation.odd import OddScores, list_units
from embedviz.evaluation.purity import Purity
from embedviz.evaluation.similarity import SimilarityScores, spearman_gap, word_units
from embedviz.evaluation.weat import Effect, compared

Scores = AnalogyScores | SimilarityScores | OddScores | Purity | Effect
_COUNTED = {
    "accuracy": "questions",
    "spearman": "pairs",
    "odd": "lists",
    "purity": "words",
    "effect": "target words",
}
"""What each measure is drawn from."""


class Agreement(NamedTuple):
    """How many questions only one space answers right, only the other, both, and neither."""

    only_one: int
    only_other: int
    both: int
    neither: int


@dataclass(frozen=True)
class Difference:
    """One space less another on the questions or pairs that both cover.

    Attributes:
        name, title: Of the test set.
        measure: *accuracy*, *spearman*, *odd*, *purity* or *effect*.
        first, second: The spaces' names.
        one, other: Their values over what both cover; None where that is too little.
        low, high: The 95 % interval of one − other, over the units, the same for both.
        both_cover: How many questions or pairs both cover.
        unit: What varies: *word pairs* of analogies, else *words*.
        p: The two-sided probability of a difference as great where there is none; None without an interval.
        agreement: Of analogies, how many are answered right by which; None of pairs.
        adjusted: p as it stands among all differences that are tested at once (Holm); p itself for one alone.
        family: How many those are.
    """

    name: str
    title: str
    measure: str
    first: str
    second: str
    one: float | None
    other: float | None
    low: float | None
    high: float | None
    both_cover: int
    unit: str
    p: float | None
    agreement: Agreement | None = None
    adjusted: float | None = None
    family: int = 1

    @property
    def value(self) -> float | None:
        """One less the other."""
        return None if self.one is None or self.other is None else self.one - self.other

    @property
    def beyond_chance(self) -> bool:
        """Whether the difference is beyond chance, over the family of differences that are tested at once."""
        p = self.p if self.adjusted is None else self.adjusted
        return p is not None and p < LEVEL

    def card(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        agreement = None if self.agreement is None else self.agreement._asdict()
        return {
            "set": self.name,
            "measure": self.measure,
            "spaces": [self.first, self.second],
            "values": [self.one, self.other],
            "difference": self.value,
            "low": self.low,
            "high": self.high,
            "both_cover": self.both_cover,
            "unit": self.unit,
            "p": self.p,
            "p_adjusted": self.p if self.adjusted is None else self.adjusted,
            "family": self.family,
            "beyond_chance": self.beyond_chance,
            "agreement": agreement,
        }

    @property
    def meaning(self) -> str:
        """What the difference says, in a sentence or two."""
        what = _COUNTED[self.measure]
        if self.value is None or self.low is None or self.high is None:
            return f"{self.title}: both spaces cover {self.both_cover:,} {what}, too few to compare."
        told = (
            f"{self.title}, {self.both_cover:,} {what} that both cover: {self.first} {_said(self.one)}, "
            f"{self.second} {_said(self.other)}, a difference of {_said(self.value)} "
            f"(95\u00a0%: {_said(self.low)} to {_said(self.high)})."
        )
        among = f", tested {self.family} at once" if self.family > 1 else ""
        if not self.beyond_chance:
            return f"{told} It may be chance{among}: this set does not tell which is better."
        return f"{told} That is beyond chance{among}, on this set."


def among_all(found: Sequence[Difference], planned: int = 0) -> tuple[Difference, ...]:
    """Return the differences, each with its probability adjusted for being one of so many (Holm), in the order given.

    Args:
        planned: How many are compared in all, where some are not there yet.
    """
    known = [one.p for one in found if one.p is not None]
    family = max(len(known), planned)
    grown = iter(holm([*known, *[1.0] * (family - len(known))]))
    return tuple(one if one.p is None else replace(one, adjusted=next(grown), family=family) for one in found)


def _said(value: float | None) -> str:
    """Two decimals; what is smaller keeps its first digit, so that a bound above zero is not said to be zero."""
    if not value or abs(value) >= 0.01:
        return number(value or 0.0)
    return f"{value:.{-math.floor(math.log10(abs(value)))}f}".replace("-", "−")


@offered("ahead", "print(ahead.meaning)")
def paired(one: Scores, other: Scores, *, seed: int = 0, report: Report | None = None) -> Difference:
    """What one space is ahead of another on the questions or pairs that both cover.

    Args:
        seed: Of the words that are drawn for associations.

    Raises:
        OptionError: The scores are of different test sets.
    """
    if isinstance(one, AnalogyScores) and isinstance(other, AnalogyScores):
        _check(one.name == other.name and len(one.covered) == len(other.covered))
        return _analogies(one, other)
    if isinstance(one, SimilarityScores) and isinstance(other, SimilarityScores):
        _check(one.name == other.name and one.pairs == other.pairs)
        return _similarity(one, other)
    if isinstance(one, OddScores) and isinstance(other, OddScores):
        _check(one.name == other.name and one.lists == other.lists)
        lists: dict[Hashable, tuple[str, ...]] = {choice.place: choice.list.words for choice in one.choices}
        return _flagged(
            "odd", one, other, _found(one), _found(other), lambda keys: list_units([lists[k] for k in keys])
        )
    if isinstance(one, Purity) and isinstance(other, Purity):
        _check(one.name == other.name and one.asked == other.asked)
        each = _at_home(one), _at_home(other)
        return _flagged("purity", one, other, *each, lambda keys: units_of([(key,) for key in keys], "words"))
    if isinstance(one, Effect) and isinstance(other, Effect):
        _check(one.test == other.test)
        return _effects(one, other, seed)
    raise OptionError("The scores are of test sets of two kinds; compare two spaces on the same set.")


def _check(same: bool) -> None:
    if not same:
        raise OptionError("The scores are of two test sets; compare two spaces on the same set.")


def _analogies(one: AnalogyScores, other: AnalogyScores) -> Difference:
    shared = one.covered & other.covered
    ours, theirs = one.right[shared, 0], other.right[shared, 0]
    counts = [int(part.sum()) for part in (ours & ~theirs, theirs & ~ours, ours & theirs, ~ours & ~theirs)]
    means = [float(right.mean()) if len(ours) else None for right in (ours, theirs)]
    gap = share_gap(ours, theirs, one.units.of(shared)) if len(ours) else None
    names = one.name, one.title, "accuracy", one.space, other.space
    return replace(_of(names, means, gap, len(ours), one.units.name), agreement=Agreement(*counts))


def _of(
    names: tuple[str, str, str, str, str], values: Sequence[float | None], gap: Gap | None, both: int, unit: str
) -> Difference:
    """A difference of two values; without an interval where there is no gap."""
    low, high, p = (gap.low, gap.high, gap.p) if gap else (None, None, None)
    return Difference(*names, values[0], values[1], low, high, both, unit, p)


def _flagged(
    measure: str,
    one: OddScores | Purity,
    other: OddScores | Purity,
    ours: Mapping[Hashable, bool],
    theirs: Mapping[Hashable, bool],
    units: Callable[[list[Hashable]], Units],
) -> Difference:
    """The difference of two shares over what both have."""
    shared = [key for key in ours if key in theirs]
    names = one.name, one.title, measure, one.space, other.space
    if not shared:
        return _of(names, (None, None), None, 0, "words")
    flags = np.array([(ours[key], theirs[key]) for key in shared], np.bool_)
    gap = share_gap(flags[:, 0], flags[:, 1], units(shared))
    return _of(names, flags.mean(axis=0).tolist(), gap, len(shared), "words")


def _found(scores: OddScores) -> dict[Hashable, bool]:
    """The place of each covered list, and whether its odd word was found."""
    return {choice.place: choice.right for choice in scores.choices}


def _at_home(scores: Purity) -> dict[Hashable, bool]:
    """Each word, whatever its case, and whether it is of its cluster's most common category."""
    return {word.lower(): bool(home) for word, home in zip(scores.words, scores.at_home, strict=True)}


def _effects(one: Effect, other: Effect, seed: int) -> Difference:
    count, values = compared(one, other, seed)
    ours, theirs, gap = values or (None, None, None)
    names = one.test.name, one.test.name, "effect", one.space, other.space
    return _of(names, (ours, theirs), gap, count, "words")


def _similarity(one: SimilarityScores, other: SimilarityScores) -> Difference:
    shared = one.covered & other.covered
    people, ours, theirs = one.people[shared], one.cosines[shared], other.cosines[shared]
    values = spearman(people, ours), spearman(people, theirs)
    gap = None
    if None not in values:
        pairs = [pair for pair, both in zip(one.pairs, shared, strict=True) if both]
        gap = spearman_gap(people, ours, theirs, word_units(pairs))
    return _of((one.name, one.title, "spearman", one.space, other.space), values, gap, len(people), "words")
