"""Intervals and tests for observations that share what they were made from: questions share word pairs, pairs words.

Such observations are fewer than they look. Two ways give the variance of a mean over them. *Drawn anew*: the units are
drawn with replacement, and an observation counts as often as the product of its units' draws (the pigeonhole bootstrap,
Owen 2007). It is for designs in which a unit stands in many observations; the variance of single observations is
counted up to three times, so that it errs on the wide side. *Shared*: products of all residuals whose observations
share a unit (Fafchamps and Gubert 2007). It is for designs in which a unit stands in few.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.stats.intervals import LEVEL, wilson

DRAWS = 2_000

Reals = NDArray[np.float64]
Ints = NDArray[np.int64]


def drawn_rows(rows: Ints | int, most: int, random: np.random.Generator | int) -> Ints:
    """Return at most so many rows, drawn without replacement, in their order; all where there are no more.

    Args:
        rows: Numbers of rows, or how many rows there are.
        random: A generator, or the seed of a new one.
    """
    every = np.arange(rows) if isinstance(rows, int) else rows
    if len(every) <= most:
        return every
    return np.sort(np.random.default_rng(random).choice(every, most, replace=False))


class Gap(NamedTuple):
    """A difference with its 95 % interval and the two-sided probability of one as great where there is none."""

    value: float
    low: float
    high: float
    p: float

    @property
    def ahead(self) -> bool:
        """Return whether the difference is above zero beyond chance."""
        return self.low > 0


@dataclass(frozen=True, eq=False)
class Units:
    """What observations were made from.

    Attributes:
        name: What the units are, such as *word pairs*.
        members: The units of each observation, shape (q, m).
        strata: The part of the design that each unit is drawn within, shape (u,).
        crossed: Whether a unit stands in many observations, so that units are drawn anew.
    """

    name: str
    members: Ints
    strata: Ints
    crossed: bool

    @property
    def count(self) -> int:
        """Return the number of units."""
        return len(self.strata)

    def of(self, chosen: NDArray[Any]) -> Units:
        """Return the units of these observations alone."""
        used, members = np.unique(self.members[chosen], return_inverse=True)
        return Units(self.name, members.reshape(self.members[chosen].shape), self.strata[used], self.crossed)


def units_of(
    keys: Sequence[Sequence[Hashable]], name: str, *, strata: Sequence[int] | None = None, crossed: bool = False
) -> Units:
    """Number the units of observations.

    Args:
        keys: The units of each observation, equally many for each.
        strata: The stratum of each observation; a unit belongs to that of its first. All are one where it is None.
    """
    numbers: dict[Hashable, int] = {}
    members = np.array([[numbers.setdefault(key, len(numbers)) for key in each] for each in keys], np.int64)
    members = members.reshape(len(keys), len(keys[0]) if keys else 0)
    first = np.zeros(len(numbers), np.int64)
    if strata is not None:
        of = np.repeat(np.asarray(strata, np.int64), members.shape[1])
        first[members.ravel()[::-1]] = of[::-1]
    return Units(name, members, first, crossed)


def drawn_means(values: Reals, units: Units, *, seed: int = 0, draws: int = DRAWS) -> Reals:
    """Return the means of observations whose two units are drawn anew, within their strata, (draws, c).

    Args:
        values: A column for each mean, shape (q, c).
    """
    weights, counted = _drawn(units, seed, draws)
    sums = np.column_stack([_total(each, units, weights) for each in values.T])
    drawn = counted > 0  # of very few units a draw may hold no observation
    return np.asarray(sums[drawn] / counted[drawn, None])


@lru_cache(maxsize=1)  # the same for every figure over the same observations
def _drawn(units: Units, seed: int, draws: int) -> tuple[Reals, Reals]:
    """Return how often each unit is drawn, (u, draws), and how many observations that gives, (draws,)."""
    random = np.random.default_rng(seed)
    weights = np.zeros((units.count, draws))
    for stratum in np.unique(units.strata):
        inside = np.flatnonzero(units.strata == stratum)
        weights[inside] = random.multinomial(len(inside), np.full(len(inside), 1 / len(inside)), draws).T
    return weights, _total(np.ones(len(units.members)), units, weights)


def _total(values: Reals, units: Units, weights: Reals) -> Reals:
    """Return the sums of observations that count as often as the product of their two units' draws, (draws,)."""
    from scipy.sparse import csr_matrix

    pairs = csr_matrix((values, (units.members[:, 0], units.members[:, 1])), (units.count, units.count))
    return np.asarray((pairs @ weights * weights).sum(axis=0))


def likely_means(values: Reals, units: Units, *, seed: int = 0, draws: int = DRAWS) -> Reals:
    """Return means of two columns as other observations might give them, (draws, 2).

    Units that stand in many observations are drawn anew; else the means are normal, with the variances that
    observations of shared units have.

    Args:
        values: Shape (q, 2).
    """
    if units.crossed:
        return drawn_means(values, units, seed=seed, draws=draws)
    one, other, both = (shared_variance(each, units) for each in (values[:, 0], values[:, 1], values.sum(axis=1)))
    between = float(np.clip((both - one - other) / 2, -np.sqrt(one * other), np.sqrt(one * other)))
    covariance = np.array([[one, between], [between, other]])
    random = np.random.default_rng(seed)
    return np.asarray(random.multivariate_normal(values.mean(axis=0), covariance, draws, method="eigh"))


def shared_variance(values: Reals, units: Units) -> float:
    """Return the variance of the mean, from residuals of observations that share a unit; at least that of none shared.

    Exact where two different observations share one unit at most, or are made from the same two.
    """
    residuals = values - values.mean()
    m = units.members.shape[1]
    sums = np.bincount(units.members.ravel(), np.repeat(residuals, m))
    _, same = np.unique(np.sort(units.members, axis=1), axis=0, return_inverse=True)
    twice = np.bincount(same.ravel(), residuals)
    shared = float((sums**2).sum() - (m - 1) * (twice**2).sum())
    return max(shared, float((residuals**2).sum())) / len(values) ** 2


def effective(values: Reals, units: Units) -> float:
    """Return how many independent observations would leave the mean as uncertain, from 1 to q.

    Where all values are equal, which shows no variance, it is the number of units.
    """
    q, alone = len(values), float(values.var())
    if not alone:
        return float(min(q, units.count))
    variance = float(drawn_means(values[:, None], units).var()) if units.crossed else shared_variance(values, units)
    return float(np.clip(alone / variance, 1, q)) if variance else float(min(q, units.count))


@cache
def quantile(freedom: int, beyond: float = LEVEL / 2) -> float:
    """Return the bound that Student's t exceeds with this probability; by default that of a 95 % interval."""
    from scipy.special import stdtrit

    return float(stdtrit(max(1, freedom), 1 - beyond))


def tail(t: float, freedom: int) -> float:
    """Return the probability that Student's t is as far from zero."""
    from scipy.special import stdtr

    return float(2 * stdtr(max(1, freedom), -abs(t)))


def share_interval(right: NDArray[np.bool_], units: Units) -> tuple[float, float]:
    """Return the 95 % interval of a share, 0 to 1: Wilson's of as many observations as are effective."""
    if not len(right):
        return 0.0, 1.0
    values = right.astype(np.float64)
    return wilson(float(values.mean()), effective(values, units), quantile(units.count - 1))


def share_gap(ours: NDArray[np.bool_], theirs: NDArray[np.bool_], units: Units) -> Gap:
    """Return the difference of two shares over the same observations, at least one.

    The interval is that of Agresti and Min (2005) with the effective counts: of few units it stays wide, even where
    both are right and wrong in the same observations.
    """
    values = ours.astype(np.float64) - theirs
    many = effective(values, units)
    b, c = (float((values * sign > 0).mean()) * many + 0.5 for sign in (1, -1))
    m = many + 2
    middle, error = (b - c) / m, float(np.sqrt(b + c - (b - c) ** 2 / m)) / m
    half = quantile(units.count - 1) * error
    bounds = max(-1.0, middle - half), min(1.0, middle + half)
    return Gap(float(values.mean()), *bounds, tail(middle / error, units.count - 1))


def correlation_interval(value: float, influence: Reals, units: Units) -> tuple[float, float]:
    """Return the 95 % interval of a correlation, by Fisher's z; −1 to 1 for fewer than five observations.

    Args:
        influence: What each observation adds to the correlation, shape (n,).
    """
    n = len(influence)
    if n < 5:
        return -1.0, 1.0
    if 1 - value * value < 1e-12:
        error = 1 / np.sqrt(n - 3)
    else:
        error = max(np.sqrt(shared_variance(influence, units)) / (1 - value * value), 1 / np.sqrt(n - 3))
    half = quantile(min(n, units.count) - 2) * error
    middle = np.arctanh(np.clip(value, -1 + 1e-12, 1 - 1e-12))
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))


def mean_gap(value: float, influence: Reals, units: Units) -> Gap:
    """Return a difference of two figures over the same observations with its interval.

    Args:
        influence: What each observation adds to the difference, shape (n,); five or more.
    """
    error = float(np.sqrt(shared_variance(influence, units)))
    freedom = min(len(influence), units.count) - 2
    if error < 1e-12:
        return Gap(value, value, value, 0.0 if abs(value) > 1e-9 else 1.0)
    half = quantile(freedom) * error
    return Gap(value, value - half, value + half, tail(value / error, freedom))


def holm(values: Sequence[float]) -> list[float]:
    """Return the probabilities of several tests, each adjusted for their number (Holm 1979), in the order given."""
    grown, most = [0.0] * len(values), 0.0
    for place, row in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        most = max(most, min(1.0, (len(values) - place) * values[row]))
        grown[row] = most
    return grown


def holm_divisors(values: Sequence[float], level: float) -> list[int]:
    """Return by what the level is divided for each test, so that Holm finds it exactly where its value is below that.

    The smallest value is compared with level / m, the next with level / (m − 1), and so on. From the first that fails
    on, all are compared as that one.
    """
    divisors, last, failed = [0] * len(values), len(values), False
    for place, row in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        last = last if failed else len(values) - place
        failed = failed or last * values[row] >= level
        divisors[row] = last
    return divisors
