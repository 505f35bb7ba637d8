"""Two spaces on one test set: the difference over what both cover, with its interval; never a bare ranking."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.evaluation.analogies import AnalogyScores
from embedviz.evaluation.odd import OddScores
from embedviz.evaluation.purity import Purity
from embedviz.evaluation.similarity import RESAMPLES, SimilarityScores, resampled, spearman
from embedviz.evaluation.weat import Effect, compared
from embedviz.intervals import Z
from embedviz.options import OptionError
from embedviz.progress import Report
from embedviz.saying import number

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
        low, high: The 95 % interval of one − other, from questions or pairs drawn anew, the same for both.
        both_cover: How many questions or pairs both cover.
        agreement: Of analogies, how many are answered right by which; None of pairs.
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
    agreement: Agreement | None = None

    @property
    def value(self) -> float | None:
        """One less the other."""
        return None if self.one is None or self.other is None else self.one - self.other

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

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
        if not self.beyond_chance:
            return f"{told} Chance alone may make it: this set does not tell which is better."
        return f"{told} That is beyond chance, on this set."


def _said(value: float | None) -> str:
    """Two decimals; what is smaller keeps its first digit, so that a bound above zero is not said to be zero."""
    if not value or abs(value) >= 0.01:
        return number(value or 0.0)
    return f"{value:.{-math.floor(math.log10(abs(value)))}f}".replace("-", "−")


def paired(one: Scores, other: Scores, *, seed: int = 0, report: Report | None = None) -> Difference:
    """What one space is ahead of another on the questions or pairs that both cover.

    Raises:
        OptionError: The scores are of different test sets.
    """
    if isinstance(one, AnalogyScores) and isinstance(other, AnalogyScores):
        _check(one.name == other.name and len(one.covered) == len(other.covered))
        return _analogies(one, other, seed)
    if isinstance(one, SimilarityScores) and isinstance(other, SimilarityScores):
        _check(one.name == other.name and one.pairs == other.pairs)
        return _similarity(one, other, seed)
    if isinstance(one, OddScores) and isinstance(other, OddScores):
        _check(one.name == other.name and one.lists == other.lists)
        return _flagged("odd", one, other, _found(one), _found(other))
    if isinstance(one, Purity) and isinstance(other, Purity):
        _check(one.name == other.name and one.asked == other.asked)
        return _flagged("purity", one, other, _at_home(one), _at_home(other))
    if isinstance(one, Effect) and isinstance(other, Effect):
        _check(one.test == other.test)
        return _effects(one, other, seed)
    raise OptionError("The scores are of test sets of two kinds; compare two spaces on the same set.")


def _check(same: bool) -> None:
    if not same:
        raise OptionError("The scores are of two test sets; compare two spaces on the same set.")


def _analogies(one: AnalogyScores, other: AnalogyScores, seed: int) -> Difference:
    shared = one.covered & other.covered
    ours, theirs = one.right[shared, 0], other.right[shared, 0]
    n = len(ours)
    counts = [int(part.sum()) for part in (ours & ~theirs, theirs & ~ours, ours & theirs, ~ours & ~theirs)]
    low = high = None
    if n:
        drawn = np.random.default_rng(seed).multinomial(n, np.array(counts) / n, RESAMPLES)
        low, high = (float(bound) for bound in np.percentile((drawn[:, 0] - drawn[:, 1]) / n, [2.5, 97.5]))
    means = [float(right.mean()) if n else None for right in (ours, theirs)]
    names = one.name, one.title, "accuracy", one.space, other.space
    return Difference(*names, means[0], means[1], low, high, n, Agreement(*counts))


def _flagged(
    measure: str,
    one: OddScores | Purity,
    other: OddScores | Purity,
    ours: Mapping[Hashable, bool],
    theirs: Mapping[Hashable, bool],
) -> Difference:
    """The difference of two shares over what both have."""
    shared = [key for key in ours if key in theirs]
    pairs = np.array([(ours[key], theirs[key]) for key in shared], np.float64).reshape(-1, 2)
    names = one.name, one.title, measure, one.space, other.space
    if not shared:
        return Difference(*names, None, None, None, None, 0)
    gaps, means = pairs[:, 0] - pairs[:, 1], pairs.mean(axis=0)
    low, high = _agresti_min(int((gaps > 0).sum()), int((gaps < 0).sum()), len(gaps))
    return Difference(*names, float(means[0]), float(means[1]), low, high, len(shared))


def _agresti_min(ahead: int, behind: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a difference of two paired shares (Agresti and Min 2005); of few pairs it stays wide."""
    b, c, m = ahead + 0.5, behind + 0.5, n + 2
    half = Z * float(np.sqrt(b + c - (b - c) ** 2 / m)) / m
    return max(-1.0, (b - c) / m - half), min(1.0, (b - c) / m + half)


def _found(scores: OddScores) -> dict[Hashable, bool]:
    """The place of each covered list, and whether its odd word was found."""
    return {choice.place: choice.right for choice in scores.choices}


def _at_home(scores: Purity) -> dict[Hashable, bool]:
    """Each word, whatever its case, and whether it is of its cluster's most common category."""
    return {word.lower(): bool(home) for word, home in zip(scores.words, scores.at_home, strict=True)}


def _effects(one: Effect, other: Effect, seed: int) -> Difference:
    count, values = compared(one, other, seed)
    ours, theirs, low, high = values or (None, None, None, None)
    names = one.test.name, one.test.name, "effect", one.space, other.space
    return Difference(*names, ours, theirs, low, high, count)


def _similarity(one: SimilarityScores, other: SimilarityScores, seed: int) -> Difference:
    shared = one.covered & other.covered
    people = one.people[shared]
    ours, theirs = one.cosines[shared], other.cosines[shared]
    values = spearman(people, ours), spearman(people, theirs)
    low = high = None
    if None not in values:
        drawn = resampled(people, ours, theirs, seed=seed)
        low, high = (float(bound) for bound in np.percentile(drawn[:, 0] - drawn[:, 1], [2.5, 97.5]))
    return Difference(one.name, one.title, "spearman", one.space, other.space, *values, low, high, len(people))
