"""Permutation tests of several statistics together, and rules for which points may exchange their labels.

Among many statistics, such as five scores at seven layers, one often lies above its own 95 % band by chance. So all
bands are widened by the same factor, until in 95 % of the permutations every statistic lies within its band (max
statistic; Westfall and Young 1993; Nichols and Holmes 2002).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.stats.intervals import LEVEL

_STILL = 1e-9  # a statistic with a smaller standard deviation is the same in all permutations
_TIED = 1e-9  # statistics that differ by less are equal, in half bands

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


class Family(NamedTuple):
    """Result of a permutation test of s statistics together at a level, such as 5 %; each attribute has shape (s,).

    Attributes:
        chance: Mean of each statistic over the permutations.
        low, high: Ends of the band of each statistic. At level 5 %, in 95 % of the permutations all statistics lie in
            their bands.
        p: Adjusted two-sided p-value of each statistic: the share of permutations in which at least one of the s
            statistics lies as far from its mean as this statistic lies in the data. Distances are measured in half
            widths of the band. The data are one of the permutations. p is at most the level exactly if the statistic is
            outside its band.
    """

    chance: Doubles
    low: Doubles
    high: Doubles
    p: Doubles


def family(values: Doubles, permuted: Doubles, level: float = LEVEL) -> Family:
    """Test several statistics together against permutations of the data, and return the bands and p-values.

    Each statistic of the data is compared with the most extreme statistic of each permutation.

    Args:
        values: The statistics of the data, (s,).
        permuted: The statistics of each of m permutations, (s, m).
        level: Probability that chance alone puts any statistic outside its band.

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
    """The rule by which n points may exchange their labels: by units, and only within a block of units.

    Attributes:
        unit: The unit of each point, 0 to u − 1, (n,). Points of one unit always have the same label.
        block: The block of each unit, (u,). Units exchange labels only with units of their block.
        first: The first point of each unit, (u,).
    """

    unit: Ints
    block: Ints
    first: Ints

    def draw(self, count: int, random: np.random.Generator) -> Ints:
        """Draw `count` permutations at random, (n, count).

        A permutation has, for each point, the index of the point whose label the point gets.
        """
        units = len(self.first)
        order = np.argsort(self.block[:, None] + random.random((units, count)), axis=0)  # units, block after block
        source = np.empty((units, count), np.int64)
        source[np.argsort(self.block, kind="stable")] = order
        return np.asarray(self.first[source][self.unit])


def exchange(n: int, units: Ints | None = None, blocks: Ints | None = None) -> Exchange:
    """Return the rule by which n points may exchange their labels.

    Args:
        units: The unit of each point, (n,), such as its sentence or text. All points of a unit have one label. If None,
            each point is a unit.
        blocks: The block of each point, (n,). A block is a group of units that were matched when the data were made,
            and labels are exchanged only within a block. If None, all units are one block.
    """
    _, first, unit = np.unique(np.arange(n) if units is None else units, return_index=True, return_inverse=True)
    block = np.zeros(n, np.int64) if blocks is None else np.unique(blocks, return_inverse=True)[1]
    return Exchange(unit.reshape(n), block.reshape(n)[first], first)


def paired(
    differences: Doubles, count: int, random: np.random.Generator, *, held_out: float = 0.0, level: float = LEVEL
) -> Family:
    """Test for s statistics whether the mean difference between two paired results is 0.

    A permutation changes the signs of the differences of random units. The units are the same for all statistics.

    Args:
        differences: The difference of each unit, one row per statistic and one column per unit, (s, u).
        count: Number of permutations.
        held_out: If the units come from a cross-validation, the share of the units in one fold; else 0. The models of
            the folds share training data, so their predictions are not independent. Therefore the variance of the mean
            is taken as 1 + 1 ÷ (1 − `held_out`) times as large (Nadeau and Bengio 2003).
        level: As for `family()`.
    """
    signs = 2.0 * random.integers(0, 2, (differences.shape[1], count)) - 1.0
    wider = np.sqrt(1 + 1 / (1 - held_out)) if held_out else 1.0
    return family(differences.mean(axis=1), wider * (differences @ signs) / differences.shape[1], level)
