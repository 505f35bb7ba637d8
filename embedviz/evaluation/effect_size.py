"""The effect size of WEAT (the difference of two means in standard deviations), its resamples and its chance values.

`s_x` and `s_y` are the associations of the words of the two target lists, shapes (n_x,) and (n_y,). A *split* divides
all these words at random into two lists of the same sizes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from embedviz.evaluation.splits import Values

RESAMPLES = 2_000
LEAST_SPREAD = 1e-9
"""Numbers that differ by less than this count as equal: they differ only by rounding."""


def effect_size(s_x: Values, s_y: Values) -> float | None:
    """Return the effect size: the difference of the means of both lists, divided by the standard deviation.

    The standard deviation is that of all values of both lists together. If all values are equal, return None.
    """
    deviation = float(np.concatenate([s_x, s_y]).std(ddof=1))
    return float(s_x.mean() - s_y.mean()) / deviation if deviation > LEAST_SPREAD else None


def effect_reached(sums: Values, s_x: Values, s_y: Values, quantile: float) -> float:
    """Return a quantile of the effect sizes that random splits of the target words into two lists give.

    Args:
        sums: The sum of s over the first list of each split, shape (n,).
        quantile: The share of the splits with a lower effect size, 0 to 1.
    """
    return _effect_of(float(np.quantile(sums, quantile)), s_x, s_y)


def effect_limits(
    sums: Values, s_x: Values, s_y: Values, d: float, levels: Sequence[float], *, exact: bool
) -> tuple[float, ...]:
    """Return for each significance level the effect size that d must exceed for a two-sided p below this level.

    A split divides all target words at random into two lists of the sizes of the real lists.

    Args:
        sums: For each split, the sum of the associations of the words in its first list, shape (n,).
        d: The effect size of the real lists; the limits have its sign.
        exact: Whether `sums` holds all possible splits. If not, p counts the real lists as one more split.
    """
    direction = 1.0 if d >= 0 else -1.0
    ordered = np.sort(direction * sums)[::-1]
    return tuple(
        _effect_of(direction * float(ordered[_first_place(len(sums), level, exact)]), s_x, s_y) for level in levels
    )


def resampled_effects(s_x: Values, s_y: Values, random: Any) -> Values:
    """Return the effect sizes of `RESAMPLES` resamples, shape (2000,). Words are resampled within each list."""
    x = s_x[random.integers(0, len(s_x), (RESAMPLES, len(s_x)))]
    y = s_y[random.integers(0, len(s_y), (RESAMPLES, len(s_y)))]
    deviation = np.concatenate([x, y], axis=1).std(axis=1, ddof=1)
    return np.asarray((x.mean(axis=1) - y.mean(axis=1)) / np.maximum(deviation, LEAST_SPREAD))


def _first_place(count: int, level: float, exact: bool) -> int:
    """Return the index of the first split whose two-sided p-value is at least `level`.

    A split divides all target words into two lists. The splits are sorted by effect size, the most extreme first.

    Args:
        count: The number of splits.
        exact: Whether these are all possible splits. If not, p counts the observed lists as one more split.
    """
    more = int(not exact)
    shares = 2 * (np.arange(1, count + 1) + more) / (count + more)
    return int(np.argmax(shares >= level))


def _effect_of(first: float, s_x: Values, s_y: Values) -> float:
    """Return the effect size of a split, from the sum of s over its first list."""
    whole = np.concatenate([s_x, s_y])
    return float((first / len(s_x) - (whole.sum() - first) / len(s_y)) / whole.std(ddof=1))
