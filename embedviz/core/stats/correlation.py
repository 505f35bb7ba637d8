"""Spearman's rank correlation, and its values over resampled pairs."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
RESAMPLES = 2_000
_HELD = 2_000_000  # weights of resampled pairs held at a time
FEWEST = 3
"""Minimum number of pairs for a correlation."""


def ranks(values: Reals) -> Reals:
    """Return the rank of each value, from 0 for the lowest, (n,). Equal values get the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[places], np.float64)


def spearman(one: Reals, other: Reals) -> float | None:
    """Return Spearman's ρ of two lists; None for fewer than three pairs, or if all values of a list are equal."""
    if len(one) < FEWEST:
        return None
    one, other = (ranks(values) - (len(values) - 1) / 2 for values in (one, other))
    scale = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / scale if scale else None


def resampled(people: Reals, *cosines: Reals, count: int = RESAMPLES, seed: int = 0) -> Reals:
    """Return Spearman's ρ between people's scores and each list of cosines, in `count` resamples of the pairs.

    The n pairs of a resample are drawn with replacement. The ranks are computed anew in each resample. If all scores or
    all cosines of a resample are equal, ρ is 0.

    Args:
        people: Scores of n pairs by people, (n,).
        cosines: Cosines of the same pairs, (n,) each.
        count: Number of resamples.

    Returns:
        The correlations, one row per resample and one column per list of cosines.
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
    """Return the rank of each value in each resample, minus the mean rank, (draws, n).

    Args:
        values: The values, (n,).
        weights: How often each value is in each resample, (draws, n).
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    order, starts = np.argsort(places, kind="stable"), np.cumsum(counts) - counts
    groups = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(groups, axis=1) - (groups + 1) / 2
    return np.asarray(middle[:, places] - (weights.sum(axis=1, keepdims=True) - 1) / 2)


def _correlation(one: Reals, other: Reals, weights: NDArray[np.int64]) -> Reals:
    across, left, right = ((weights * x * y).sum(axis=1) for x, y in ((one, other), (one, one), (other, other)))
    scale = np.sqrt(left * right)
    return np.asarray(np.divide(across, scale, out=np.zeros_like(across), where=scale > 0), np.float64)
