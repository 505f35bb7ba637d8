"""The WEAT association s(w) of rows, and the effect size that random word lists reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.resampling import drawn_rows
from embedviz.evaluation.effect_size import LEAST_SPREAD

if TYPE_CHECKING:
    from embedviz.core.space import Ints, VectorSpace
    from embedviz.evaluation.splits import Values
    from embedviz.evaluation.words import Covered

DRAWS = 1_000
"""Number of pairs of random word lists."""
_DRAWN_FROM = 5_000  # the lists are drawn from this many random rows of the space


def by_random_lists(space: VectorSpace, a: Covered, b: Covered, sizes: tuple[int, int], random: Any) -> float | None:
    """Return the limit of |d| below which 95 % of pairs of random target lists stay.

    It is None if the two target lists together are longer than a tenth of the space (without rows of zeros).

    Args:
        a, b: The words of the two attribute lists that the space has.
        sizes: The numbers of words of the two target lists.
        random: A NumPy generator.
    """
    live = np.flatnonzero(space.norms > 0)
    first, both = sizes[0], sum(sizes)
    if len(live) < 10 * both:
        return None
    rows = drawn_rows(live, _DRAWN_FROM, random)
    s = associations_of(space, rows, a, b)
    drawn = s[np.stack([random.choice(len(s), both, replace=False) for _ in range(DRAWS)])]
    gaps = drawn[:, :first].mean(axis=1) - drawn[:, first:].mean(axis=1)
    return float(np.quantile(np.abs(gaps) / np.maximum(drawn.std(axis=1, ddof=1), LEAST_SPREAD), 1 - LEVEL))


def associations_of(space: VectorSpace, rows: Ints, a: Covered, b: Covered) -> Values:
    """Return the association s(w) of each row, shape (m,): mean cosine with `a` minus mean cosine with `b`."""
    unit = space.unit_rows(rows).astype(np.float64)
    near, far = (space.unit_rows(found.rows).astype(np.float64).mean(axis=0) for found in (a, b))
    return np.asarray(unit @ (near - far))
