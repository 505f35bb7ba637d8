"""95 % intervals of numbers that come from a sample."""

from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

LEVEL = 0.05
"""Significance level: the probability that chance alone gives a verdict, over all tests that are made together."""
Z = 1.959964
"""A normally distributed value lies within this many standard deviations of the mean in 95 % of cases."""


def simultaneous_z(count: int) -> float:
    """Return the half width in standard errors with which `count` intervals all hold in 95 % of cases (Bonferroni)."""
    return NormalDist().inv_cdf(1 - 0.025 / max(1, count))


def wilson(share: float, n: float, z: float = Z) -> tuple[float, float]:
    """Return the interval of a share of n independent draws (Wilson 1927), within 0 to 1.

    Unlike a normal interval, it has a width even if the share is 0 or 1.

    Args:
        n: Number of draws. For dependent observations it is their effective number, which may be fractional.
        z: Half width in standard errors; larger if several intervals must all hold.
    """
    if not n:
        return 0.0, 1.0
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return (middle - half if share > 0 else 0.0), (middle + half if share < 1 else 1.0)


def inner(values: np.ndarray[Any, np.dtype[Any]]) -> tuple[float, float]:
    """Return the 2.5 % and the 97.5 % quantile of the values."""
    low, high = np.quantile(values, (LEVEL / 2, 1 - LEVEL / 2)).tolist()
    return low, high


def margin(values: np.ndarray[Any, np.dtype[Any]], n: int) -> float:
    """Return half the width of the 95 % interval of a mean.

    The values are a sample, drawn without replacement from n values. The result is 0 if the sample has all n values, or
    fewer than two.
    """
    m = len(values)
    if m >= n or m < 2:
        return 0.0
    return float(Z * values.std(ddof=1, dtype=np.float64) / np.sqrt(m) * np.sqrt((n - m) / (n - 1)))


class Share(NamedTuple):
    """A count of cases: `right` out of `of`."""

    right: int
    of: int

    @property
    def value(self) -> float:
        """Return the share, 0 to 1; 0 if nothing was counted."""
        return self.right / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % Wilson interval, 0 to 1."""
        return wilson(self.value, self.of)
