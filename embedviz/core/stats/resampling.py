"""Intervals and tests for observations that share units. Analogy questions share word pairs, word pairs share words.

Such observations are not independent. Two methods give the variance of a mean over them:

- Resampling (the pigeonhole bootstrap, Owen 2007), if each unit is in many observations. Units are drawn with
  replacement. If the two units of an observation are drawn a and b times, the observation counts a × b times. The
  variance of single observations is counted up to three times, so intervals are rather too wide than too narrow.
- Shared residuals (Fafchamps and Gubert 2007), if each unit is in few observations. The variance is the sum of the
  products of residuals over all pairs of observations that share a unit.
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
    """Return at most `most` of the rows, in ascending order. If there are more, they are drawn without replacement.

    Args:
        rows: The row numbers, ascending, or the number of rows.
        random: A generator, or the seed of a new generator.
    """
    every = np.arange(rows) if isinstance(rows, int) else rows
    if len(every) <= most:
        return every
    return np.sort(np.random.default_rng(random).choice(every, most, replace=False))


class Gap(NamedTuple):
    """A difference (`value`), the ends of its 95 % interval (`low`, `high`), and its two-sided p-value (`p`)."""

    value: float
    low: float
    high: float
    p: float

    @property
    def ahead(self) -> bool:
        """Return whether the whole 95 % interval of the difference is above zero."""
        return self.low > 0


@dataclass(frozen=True, eq=False)
class Units:
    """The u units of which q observations consist. An analogy question, for example, consists of two word pairs.

    Attributes:
        name: What the units are called, such as *word pairs*.
        members: The m units of each observation, as numbers from 0 to u − 1, (q, m).
        strata: The stratum of each unit, shape (u,). A unit is resampled within its stratum.
        crossed: Whether each unit is in many observations; then units are resampled.
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
        """Return the units of the chosen observations only, with new numbers from 0."""
        used, members = np.unique(self.members[chosen], return_inverse=True)
        return Units(self.name, members.reshape(self.members[chosen].shape), self.strata[used], self.crossed)


def units_of(
    keys: Sequence[Sequence[Hashable]], name: str, *, strata: Sequence[int] | None = None, crossed: bool = False
) -> Units:
    """Return the units of some observations. A unit that occurs in an earlier observation has a lower number.

    Args:
        keys: The units of each observation, as any hashable values. All observations have the same number of units.
        strata: The stratum of each observation; None for a single stratum. A unit is in the stratum of the first
            observation that contains the unit.
        name, crossed: As in `Units`.
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
    """Return the means of the c columns of `values` in each resample of the units, (draws, c).

    Each observation has two units. Units are drawn within their strata. A resample without any observation is left out,
    so there may be fewer than `draws` rows.

    Args:
        values: The values of the observations, one column per mean, (q, c).
        units: The units of each observation, such as the two word pairs of an analogy question.
        draws: Number of resamples.
    """
    weights, counted = _drawn(units, seed, draws)
    sums = np.column_stack([_total(each, units, weights) for each in values.T])
    drawn = counted > 0  # with very few units a draw may contain no observation
    return np.asarray(sums[drawn] / counted[drawn, None])


@lru_cache(maxsize=1)  # all figures over the same observations use the same draws
def _drawn(units: Units, seed: int, draws: int) -> tuple[Reals, Reals]:
    """Return how often each resample has each unit, (u, draws), and how many observations it has, (draws,)."""
    random = np.random.default_rng(seed)
    weights = np.zeros((units.count, draws))
    for stratum in np.unique(units.strata):
        inside = np.flatnonzero(units.strata == stratum)
        weights[inside] = random.multinomial(len(inside), np.full(len(inside), 1 / len(inside)), draws).T
    return weights, _total(np.ones(len(units.members)), units, weights)


def _total(values: Reals, units: Units, weights: Reals) -> Reals:
    """Return the weighted sum of the observations' values in each resample, (draws,).

    The weight of an observation is how often its first unit was drawn, times how often its second unit was drawn.
    """
    from scipy.sparse import csr_matrix

    pairs = csr_matrix((values, (units.members[:, 0], units.members[:, 1])), (units.count, units.count))
    return np.asarray((pairs @ weights * weights).sum(axis=0))


def likely_means(values: Reals, units: Units, *, seed: int = 0, draws: int = DRAWS) -> Reals:
    """Return simulated means of two columns, which show how both would vary from sample to sample, (draws, 2).

    If each unit is in many observations (`Units.crossed`), units are resampled. Otherwise the pairs are drawn from a
    normal distribution, with variances and covariance from `shared_variance()`.

    Args:
        values: The values of the q observations in the two columns, (q, 2).
        draws: Number of pairs of means.
    """
    if units.crossed:
        return drawn_means(values, units, seed=seed, draws=draws)
    one, other, both = (shared_variance(each, units) for each in (values[:, 0], values[:, 1], values.sum(axis=1)))
    between = float(np.clip((both - one - other) / 2, -np.sqrt(one * other), np.sqrt(one * other)))
    covariance = np.array([[one, between], [between, other]])
    random = np.random.default_rng(seed)
    return np.asarray(random.multivariate_normal(values.mean(axis=0), covariance, draws, method="eigh"))


def shared_variance(values: Reals, units: Units) -> float:
    """Return the variance of the mean of q values of observations that share units.

    It is Σ r r' ÷ q², where r and r' are the residuals of two observations that share a unit. It is at least the
    variance for independent observations. The sum is exact if any two observations share no unit, one unit or all
    units.

    Args:
        values: The value of each observation, (q,).
    """
    residuals = values - values.mean()
    m = units.members.shape[1]
    sums = np.bincount(units.members.ravel(), np.repeat(residuals, m))
    _, same = np.unique(np.sort(units.members, axis=1), axis=0, return_inverse=True)
    twice = np.bincount(same.ravel(), residuals)
    shared = float((sums**2).sum() - (m - 1) * (twice**2).sum())
    return max(shared, float((residuals**2).sum())) / len(values) ** 2


def effective(values: Reals, units: Units) -> float:
    """Return the effective number of the q observations, 1 to q.

    The mean of this many independent observations has the same variance as the mean of the given ones. If all values
    are equal, there is no variance. Then the result is the number of units, at most q.
    """
    q, alone = len(values), float(values.var())
    if not alone:
        return float(min(q, units.count))
    variance = float(drawn_means(values[:, None], units).var()) if units.crossed else shared_variance(values, units)
    return float(np.clip(alone / variance, 1, q)) if variance else float(min(q, units.count))


@cache
def quantile(freedom: int, beyond: float = LEVEL / 2) -> float:
    """Return the value that Student's t with `freedom` degrees of freedom exceeds with probability `beyond`.

    By default it is the upper end of a two-sided 95 % interval.
    """
    from scipy.special import stdtrit

    return float(stdtrit(max(1, freedom), 1 - beyond))


def tail(t: float, freedom: int) -> float:
    """Return the two-sided p-value of `t`: the probability that Student's t lies at least as far from zero as `t`."""
    from scipy.special import stdtr

    return float(2 * stdtr(max(1, freedom), -abs(t)))


def share_interval(right: NDArray[np.bool_], units: Units) -> tuple[float, float]:
    """Return the 95 % interval of the share of observations that are right, within 0 to 1.

    It is Wilson's interval for the effective number of observations.
    """
    if not len(right):
        return 0.0, 1.0
    values = right.astype(np.float64)
    return wilson(float(values.mean()), effective(values, units), quantile(units.count - 1))


def share_gap(ours: NDArray[np.bool_], theirs: NDArray[np.bool_], units: Units) -> Gap:
    """Return the share of right observations in `ours` minus their share in `theirs`, with the interval.

    The interval follows Agresti and Min (2005), with the effective number of observations. With few units it stays
    wide, even if `ours` and `theirs` are equal.

    Args:
        ours, theirs: Whether each of the same q observations is right, in one space and in another space, (q,); q is at
            least 1.
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
        value: The correlation.
        influence: How much each observation contributes to the correlation (its influence), (n,).
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
    """Return the difference of two statistics over the same observations, with its interval.

    Args:
        value: The difference.
        influence: How much each observation contributes to the difference (its influence), (n,); n is at least 5.
    """
    error = float(np.sqrt(shared_variance(influence, units)))
    freedom = min(len(influence), units.count) - 2
    if error < 1e-12:
        return Gap(value, value, value, 0.0 if abs(value) > 1e-9 else 1.0)
    half = quantile(freedom) * error
    return Gap(value, value - half, value + half, tail(value / error, freedom))


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values of several tests in the given order, adjusted for the number of tests (Holm 1979)."""
    grown, most = [0.0] * len(values), 0.0
    for place, row in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        most = max(most, min(1.0, (len(values) - place) * values[row]))
        grown[row] = most
    return grown


def holm_divisors(values: Sequence[float], level: float) -> list[int]:
    """Return a divisor for each test. By Holm's method, a test is significant exactly if its p-value < level / divisor.

    The smallest of m p-values is compared with level / m, the next with level / (m − 1), and so on. All tests after the
    first one that is not significant have the divisor of that test.
    """
    divisors, last, failed = [0] * len(values), len(values), False
    for place, row in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        last = last if failed else len(values) - place
        failed = failed or last * values[row] >= level
        divisors[row] = last
    return divisors
