"""Permutation tests of several statistics at once: what their best reaches by chance, and which labels may be shuffled.

A page that looks at seven layers by five scores often finds one above a 95 % band of its own where there is nothing.
So the bands of all statistics are widened together, by one factor, until 95 % of permutations stay inside all of them
(the max statistic; Westfall and Young 1993; Nichols and Holmes 2002).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.stats.intervals import LEVEL

_STILL = 1e-9  # deviation of a statistic that no permutation changes
_TIED = 1e-9  # half bands by which equal statistics may differ

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


class Family(NamedTuple):
    """Several statistics with what permutations give, each (s,).

    Attributes:
        chance: Means over the permutations.
        low, high: The band of the family: in 95 % of permutations every statistic lies within its own.
        p: Adjusted p-values, two-sided: how often some statistic of a permutation, the permutation of the data itself
            among them, lies as far from its mean. At most `LEVEL` outside the band, and nowhere else.
    """

    chance: Doubles
    low: Doubles
    high: Doubles
    p: Doubles


def family(values: Doubles, permuted: Doubles, level: float = LEVEL) -> Family:
    """Compare statistics with the largest of all of them in each permutation.

    Args:
        values: The statistics of the data, (s,).
        permuted: The same of each permutation, (s, p). All statistics of one column are of the same permutation.
        level: How often the family may leave its band by chance.

    Raises:
        OptionError: There are too few permutations for the level.
    """
    count = permuted.shape[1]
    allowed = int(np.floor(level * (count + 1) + 1e-9)) - 1  # permutations that may reach as far as the data
    if allowed < 0:
        raise OptionError(f"{count:,} permutations are too few for a level of {level:g}.")
    every = np.concatenate([values[:, None], permuted], axis=1)  # the data are one of the permutations: p is exact
    chance, spread = every.mean(axis=1), every.std(axis=1)
    low, high = np.quantile(every, [level / 2, 1 - level / 2], axis=1)
    below, above = np.maximum(chance - low, spread), np.maximum(high - chance, spread)  # half bands; many are skewed
    below, above = (np.where(spread > _STILL, half, np.inf) for half in (below, above))
    shifts = every - chance[:, None]
    farthest = shifts / np.where(shifts > 0, above[:, None], -below[:, None])  # in half bands, (s, 1 + p)
    largest = np.sort(farthest[:, 1:].max(axis=0))
    p = (1 + count - np.searchsorted(largest, farthest[:, 0] - _TIED, "left")) / (count + 1)
    factor = largest[count - 1 - allowed] + _TIED
    below, above = (np.where(spread > _STILL, factor * half, 0.0) for half in (below, above))
    return Family(chance, chance - below, chance + above, np.asarray(p))


class Exchange(NamedTuple):
    """Which labels may be exchanged for which.

    Attributes:
        unit: The unit of each point, 0 to u − 1, (n,). Points of one unit always have the same label.
        block: The block of each unit, (u,). Labels are shuffled within a block.
        first: A point of each unit, (u,).
    """

    unit: Ints
    block: Ints
    first: Ints

    def draw(self, count: int, random: np.random.Generator) -> Ints:
        """Draw permutations, (n, count): from which point each point takes its label."""
        units = len(self.first)
        order = np.argsort(self.block[:, None] + random.random((units, count)), axis=0)  # units, block after block
        source = np.empty((units, count), np.int64)
        source[np.argsort(self.block, kind="stable")] = order
        return np.asarray(self.first[source][self.unit])


def exchange(n: int, units: Ints | None = None, blocks: Ints | None = None) -> Exchange:
    """Say which labels of n points may be exchanged.

    Args:
        units: A number for each point, (n,): points of one sentence or text, which are labelled together. Without it
            each point is a unit.
        blocks: A number for each point, (n,): units that were matched when the data were made. Labels are shuffled
            within each block. Without it all units are one block.
    """
    _, first, unit = np.unique(np.arange(n) if units is None else units, return_index=True, return_inverse=True)
    block = np.zeros(n, np.int64) if blocks is None else np.unique(blocks, return_inverse=True)[1]
    return Exchange(unit.reshape(n), block.reshape(n)[first], first)


def paired(
    differences: Doubles, count: int, random: np.random.Generator, *, held_out: float = 0.0, level: float = LEVEL
) -> Family:
    """Test mean differences of pairs against 0, by flipping the sign of each unit in all statistics together.

    Args:
        differences: One statistic a row and one unit a column, (s, u).
        count: Random sign flips.
        held_out: Where the units were held out of fits in turn: the share of one part, 1 ÷ folds. Units that were
            predicted by overlapping fits are not independent; their variance is 1 + 1 ÷ (1 − this share) times as
            large (Nadeau and Bengio 2003).
    """
    signs = 2.0 * random.integers(0, 2, (differences.shape[1], count)) - 1.0
    wider = np.sqrt(1 + 1 / (1 - held_out)) if held_out else 1.0
    return family(differences.mean(axis=1), wider * (differences @ signs) / differences.shape[1], level)
