"""Random baseline of a formula: the best matches of the same formula with random words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share
from embedviz.core.space import VectorSpace
from embedviz.neighbors.lists import similarities

FORMULAS = 59
"""Number of random formulas. A 60th random formula would be among the three best of all in 5 % of cases (`LEVEL`)."""
MOST_NUMBERS = 40_000_000
"""Maximum rows × dimensions of a space for which a page computes this baseline at once: 1 to 2 s on a slow core."""
LEVEL = 0.05
"""Significance level: an answer may be chance if a larger share of random formulas reach its cosine."""
_AT_ONCE = 10  # formulas in a batch


@dataclass(frozen=True, eq=False)
class FormulaChance:
    """The best cosines of m formulas with random words.

    Attributes:
        best: Cosine of each random formula's sum with its answer, (m,). Words of a formula cannot be its answer.
    """

    best: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Return the mean of the best cosines."""
        return float(self.best.mean())

    def reached(self, cosine: float) -> float:
        """Return the share of random formulas whose best cosine is at least `cosine`, 0 to 1."""
        return float((self.best >= cosine).mean())

    def doubt(self, cosine: float) -> str:
        """Say that the cosine of an answer may be chance; empty if at most 5 % of random formulas reach this cosine."""
        reached = self.reached(cosine)
        if reached <= LEVEL:
            return ""
        return (
            f"The cosine of the answer with the sum, {number(cosine)}, may be chance: {share(reached)} of random "
            f"formulas reach it. A random formula reaches {number(self.mean)} on average."
        )

    def meaning(self, cosine: float) -> str:
        """Say which cosines random formulas have and, if `doubt` is empty, which share of them reach `cosine`."""
        low, high = (number(float(end)) for end in np.quantile(self.best, (0.05, 0.95)))
        here = "" if self.doubt(cosine) else f" {share(self.reached(cosine))} of them reach {number(cosine)}."
        return (
            f"Best match by chance: cosine {number(self.mean)} on average ({low} to {high} in 90\u00a0% of "
            f"{len(self.best)} formulas with random words).{here}"
        )

    def card(self) -> dict[str, Any]:
        """Return the cosines of the random formulas and their mean as plain JSON values."""
        return {"best": self.best.tolist(), "mean": self.mean}


@offered("by_chance", "print(by_chance.mean, by_chance.best)")
def random_formulas(
    space: VectorSpace, weights: Sequence[float], *, formulas: int = FORMULAS, seed: int = 0
) -> FormulaChance:
    """Return the best cosines of random formulas with the given weights.

    Args:
        weights: Weights of the words: 1, −1 and 1 for `king - man + woman`.
        formulas: Number of random formulas; no word occurs twice in a formula.

    Raises:
        OptionError: The space has too few words with a direction, there are no weights, or `formulas` is below 1.
    """
    usable, scale = np.flatnonzero(space.norms > 0), np.asarray(weights, np.float32)
    if formulas < 1 or not len(scale) or len(usable) <= len(scale):
        raise OptionError(f"{len(usable):,} words with a direction are too few for random formulas of {len(scale)}.")
    random, best = np.random.default_rng(seed), np.empty(formulas)
    for start in range(0, formulas, _AT_ONCE):
        places = range(start, min(start + _AT_ONCE, formulas))
        drawn = [random.choice(usable, len(scale), replace=False) for _ in places]
        sums = np.stack([scale @ np.asarray(space.unit_rows(rows)) for rows in drawn])
        cosines = np.array(similarities(space, sums))
        for at, rows in enumerate(drawn):
            cosines[at, rows] = np.nan
        best[start : start + len(drawn)] = np.nanmax(cosines, axis=1)
    return FormulaChance(best)
