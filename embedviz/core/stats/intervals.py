"""How sure a number is that comes from a sample: 95 % intervals."""

from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

LEVEL = 0.05
"""How often a verdict may be given by chance, over all that is tested at once."""
Z = 1.959964
"""Standard deviations of a normal distribution within which 95 % of it lie."""


def simultaneous_z(count: int) -> float:
    """Return the standard errors of an interval, so that `count` of them hold at once with 95 % (Bonferroni)."""
    return NormalDist().inv_cdf(1 - 0.025 / max(1, count))


def wilson(share: float, n: float, z: float = Z) -> tuple[float, float]:
    """Return the interval of a share of n independent draws (Wilson 1927), 0 to 1; it has a width at 0 and 1 too.

    Args:
        n: Draws; not a whole number where observations depend on each other and count for fewer.
        z: Standard errors to either side; greater where several intervals are to hold at once.
    """
    if not n:
        return 0.0, 1.0
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return (middle - half if share > 0 else 0.0), (middle + half if share < 1 else 1.0)


def inner(values: np.ndarray[Any, np.dtype[Any]]) -> tuple[float, float]:
    """Return between which two values 95 % of them lie."""
    low, high = np.quantile(values, (LEVEL / 2, 1 - LEVEL / 2)).tolist()
    return low, high


def margin(values: np.ndarray[Any, np.dtype[Any]], n: int) -> float:
    """Return half the interval of a mean over a sample drawn without replacement from n; 0 where all n are seen."""
    m = len(values)
    if m >= n or m < 2:
        return 0.0
    return float(Z * values.std(ddof=1, dtype=np.float64) / np.sqrt(m) * np.sqrt((n - m) / (n - 1)))


class Share(NamedTuple):
    """How many of how many."""

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
