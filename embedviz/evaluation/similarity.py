"""Word pairs with people's scores: whether the space puts them in the same order (Spearman's ρ)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.evaluation.spelling import Spelled, spelled
from embedviz.progress import Report
from embedviz.saying import number
from embedviz.space import Float, VectorSpace
from embedviz.testsets import Pair, Pairs

Reals = NDArray[np.float64]
RESAMPLES = 2_000
_HELD = 2_000_000  # weights of resampled pairs held at a time
FEWEST = 3
"""Covered pairs below which no order is told."""


def by_chance(pairs: int) -> float:
    """What |ρ| of so many pairs in a random order stays below, 95 times of 100: 1.96 ÷ √(n − 1), at most 1."""
    return min(1.0, 1.96 / float(np.sqrt(max(1, pairs - 1))))


class Placed(NamedTuple):
    """A pair, its cosine, and its places from the least alike: by people and by the space, 0 to 1."""

    pair: Pair
    cosine: float
    people: float
    space: float


@dataclass(frozen=True, eq=False)
class SimilarityScores:
    """How the order of a space's cosines agrees with people's.

    Attributes:
        space, name, title: Of the space, and of the set.
        pairs: All of the set, in its order.
        covered: Which of them have rows for both words, shape (p,).
        assembled: Which others have vectors for both, at least one of them assembled from n-grams, shape (p,).
        cosines: Of the covered and assembled, NaN of the others, shape (p,).
        people: People's scores, on the set's own scale, shape (p,).
        spearman: Over the covered pairs, equal values sharing their rank; None below three pairs, or where all are
            equal.
        low, high: Its 95 % interval, from pairs drawn anew; None where there is no spearman.
        chance: `by_chance` of as many pairs as are covered.
        with_assembled: Spearman over the covered and the assembled pairs; None where none is assembled.
    """

    space: str
    name: str
    title: str
    pairs: tuple[Pair, ...]
    covered: NDArray[np.bool_]
    assembled: NDArray[np.bool_]
    cosines: Reals
    people: Reals
    spearman: float | None
    low: float | None
    high: float | None
    chance: float
    with_assembled: float | None

    @property
    def count(self) -> int:
        """How many pairs are covered."""
        return int(self.covered.sum())

    @property
    def itself(self) -> NDArray[np.bool_]:
        """Which pairs are one word with itself, such as tiger and tiger of WordSim-353, shape (p,)."""
        return np.array([pair.one.lower() == pair.other.lower() for pair in self.pairs], np.bool_)

    @property
    def outcomes(self) -> Reals:
        """The cosines of the covered pairs, NaN of the others, shape (p,)."""
        return np.where(self.covered, self.cosines, np.nan)

    @property
    def beyond_baseline(self) -> bool:
        """Whether the agreement is more than `by_chance`, and its interval lies above 0."""
        return self.spearman is not None and self.low is not None and self.spearman > self.chance and self.low > 0

    def card(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return {
            "spearman": self.spearman,
            "low": self.low,
            "high": self.high,
            "pairs": len(self.pairs),
            "covered": self.count,
            "chance": self.chance,
            "assembled": int(self.assembled.sum()),
            "with_assembled": self.with_assembled,
        }

    def worst(self, count: int = 10) -> tuple[Placed, ...]:
        """The covered pairs whose place among the cosines is farthest from their place among people's scores."""
        told = np.flatnonzero(self.covered)
        if len(told) < 2:
            return ()
        people, space = (ranks(values[told]) / (len(told) - 1) for values in (self.people, self.cosines))
        order = np.argsort(-np.abs(people - space), kind="stable")[:count]
        return tuple(
            Placed(self.pairs[told[i]], float(self.cosines[told[i]]), float(people[i]), float(space[i])) for i in order
        )

    @property
    def meaning(self) -> str:
        """What the figures say, in some sentences."""
        if self.spearman is None or self.low is None or self.high is None:
            return f"{self.count:,} of the {len(self.pairs):,} pairs have both words here: too few to say."
        told = (
            f"Over the {self.count:,} covered pairs of {len(self.pairs):,} the order of the cosines agrees with "
            f"people's by ρ {number(self.spearman)} (95\u00a0%: {number(self.low)} to {number(self.high)}). "
        )
        chance = f"|ρ| of 95 of 100 random orders stays below {number(self.chance)}."
        told += chance if self.beyond_baseline else f"That is not clearly beyond chance: {chance}"
        if self.with_assembled is not None:
            told += (
                f" With {int(self.assembled.sum()):,} further pairs, whose words are assembled from n-grams: "
                f"ρ {number(self.with_assembled)}."
            )
        return told


def similarity(
    space: VectorSpace,
    pairs: Pairs,
    *,
    words: int = 0,
    case: str = "folded",
    seed: int = 0,
    report: Report | None = None,
) -> SimilarityScores:
    """How the order of the pairs' cosines agrees with people's, over the pairs whose words have rows.

    Args:
        words: Use only so many of the most frequent rows; 0 for all.
        case: *folded*, so that Paris, PARIS and paris are one word, for which its most frequent row stands; or
            *exact*.
        seed: Of the pairs drawn anew for the interval.

    Raises:
        OptionError: There is no such case, or `words` is negative.
    """
    asked = [word for pair in pairs.pairs for word in pair[:2]]
    known = spelled(space, asked, words=words, case=case)
    covered, assembled, cosines = _cosines(space, pairs, known)
    people = np.array([pair.score for pair in pairs.pairs], np.float64)
    if report is not None:
        report(0.5, f"{int(covered.sum()):,} of {len(people):,} pairs covered")
    value = spearman(people[covered], cosines[covered])
    low, high = _interval(people[covered], cosines[covered], seed) if value is not None else (None, None)
    told = covered | assembled
    return SimilarityScores(
        space.origin.name,
        pairs.name,
        pairs.title,
        pairs.pairs,
        covered,
        assembled,
        cosines,
        people,
        value,
        low,
        high,
        by_chance(int(covered.sum())),
        spearman(people[told], cosines[told]) if assembled.any() else None,
    )


def _cosines(space: VectorSpace, pairs: Pairs, known: Spelled) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Reals]:
    """Which pairs have rows for both words, which vectors for both, and their cosines, each (p,)."""
    count = len(pairs.pairs)
    covered, assembled, cosines = np.zeros(count, np.bool_), np.zeros(count, np.bool_), np.full(count, np.nan)
    vectors = known.vectors(space)
    for place, pair in enumerate(pairs.pairs):
        numbers = known.numbers[pair.one], known.numbers[pair.other]
        covered[place] = min(numbers) >= 0
        both = [vectors[i] if i >= 0 else _assembled(space, word) for i, word in zip(numbers, pair[:2], strict=True)]
        if both[0] is not None and both[1] is not None:
            assembled[place] = not covered[place]
            cosines[place] = float(np.clip(both[0].astype(np.float64) @ both[1], -1, 1))
    return covered, assembled, cosines


def _assembled(space: VectorSpace, word: str) -> Float | None:
    """The unit vector of a word without a row, where the space can assemble one."""
    if not space.assembled(word):
        return None
    vector = space.vector(word)
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length, np.float32) if length > 0 else None


def ranks(values: Reals) -> Reals:
    """Ranks from 0, equal values sharing the mean of theirs, shape (n,)."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[places], np.float64)


def spearman(one: Reals, other: Reals) -> float | None:
    """Spearman's ρ, or None below three pairs or where all values of one side are equal."""
    if len(one) < FEWEST:
        return None
    one, other = (ranks(values) - (len(values) - 1) / 2 for values in (one, other))
    scale = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / scale if scale else None


def resampled(people: Reals, *cosines: Reals, count: int = RESAMPLES, seed: int = 0) -> Reals:
    """Spearman's ρ of each of the cosines with people's scores over pairs drawn anew, (count, len(cosines)).

    Ranks are told anew for each draw: from how often each pair was drawn, summed in the order of the values.
    """
    n = len(people)
    random = np.random.default_rng(seed)
    found = []
    for size in _portions(count, max(1, _HELD // n)):
        drawn = random.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        human = _weighted_ranks(people, weights)
        found.append(np.column_stack([_correlation(human, _weighted_ranks(c, weights), weights) for c in cosines]))
    return np.concatenate(found)


def _portions(count: int, most: int) -> Iterator[int]:
    for start in range(0, count, most):
        yield min(most, count - start)


def _weighted_ranks(values: Reals, weights: NDArray[np.int64]) -> Reals:
    """The rank of each value where it stands as often as its weight says, less their mean, (draws, n)."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    order, starts = np.argsort(places, kind="stable"), np.cumsum(counts) - counts
    groups = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(groups, axis=1) - (groups + 1) / 2
    return np.asarray(middle[:, places] - (weights.sum(axis=1, keepdims=True) - 1) / 2)


def _correlation(one: Reals, other: Reals, weights: NDArray[np.int64]) -> Reals:
    across, left, right = ((weights * x * y).sum(axis=1) for x, y in ((one, other), (one, one), (other, other)))
    scale = np.sqrt(left * right)
    return np.asarray(np.divide(across, scale, out=np.zeros_like(across), where=scale > 0), np.float64)


def _interval(people: Reals, cosines: Reals, seed: int) -> tuple[float, float]:
    low, high = np.percentile(resampled(people, cosines, seed=seed), [2.5, 97.5])
    return float(low), float(high)
