"""95 % intervals of numbers that come from a sample."""

from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

LEVEL = 0.05
"""Significance level: the probability that, of tests made together, at least one is significant by chance alone."""
Z = 1.959964
"""A normally distributed value lies within this many standard deviations of the mean in 95 % of cases."""


def simultaneous_z(count: int) -> float:
    """Return the half width of an interval, in standard errors, if `count` intervals are to hold together.

    With this half width, all intervals contain their true values in 95 % of cases (Bonferroni).
    """
    return NormalDist().inv_cdf(1 - 0.025 / max(1, count))


def wilson(share: float, n: float, z: float = Z) -> tuple[float, float]:
    """Return low and high of the interval of a share that was seen in n independent observations (Wilson 1927).

    Both lie within 0 to 1. Unlike a normal interval, it has a width even if the share is 0 or 1.

    Args:
        share: The share of the observations that was seen, 0 to 1.
        n: Number of observations. For dependent observations it is their effective number, which may be fractional.
        z: Half width in standard errors; by default that of a 95 % interval. See `simultaneous_z()` for several
            intervals.
    """
    if not n:
        return 0.0, 1.0
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return (max(0.0, middle - half) if share > 0 else 0.0), (min(1.0, middle + half) if share < 1 else 1.0)


def inner(values: np.ndarray[Any, np.dtype[Any]]) -> tuple[float, float]:
    """Return the 2.5 % quantile and the 97.5 % quantile of the values, between which the inner 95 % lie."""
    low, high = np.quantile(values, (LEVEL / 2, 1 - LEVEL / 2)).tolist()
    return low, high


def margin(values: np.ndarray[Any, np.dtype[Any]], n: int) -> float:
    """Return half the width of the 95 % interval of the mean of n values, computed from a sample of these values.

    The sample was drawn without replacement. The result is 0 if the sample has all n values, or fewer than two.

    Args:
        values: The values of the sample.
        n: Number of values from which the sample was drawn.
    """
    m = len(values)
    if m >= n or m < 2:
        return 0.0
    return float(Z * values.std(ddof=1, dtype=np.float64) / np.sqrt(m) * np.sqrt((n - m) / (n - 1)))


class Share(NamedTuple):
    """A share as two counts: the number of cases that are right (`right`), and the number of all cases (`of`)."""

    right: int
    of: int

    @property
    def value(self) -> float:
        """Return the share of the cases that are right, 0 to 1; 0 if there are no cases."""
        return self.right / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return low and high of the 95 % Wilson interval of the share, within 0 to 1."""
        return wilson(self.value, self.of)
