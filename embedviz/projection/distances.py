"""How well random projections keep the distances between rows, and the bound of Johnson and Lindenstrauss (1984)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.space import VectorSpace

ROWS = 300
SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
"""Numbers of dimensions after the random projections. They may be higher than the dimensions of the space."""


class KeptDistances(NamedTuple):
    """Ratios of the distances of pairs of rows: the distance after a random projection ÷ the distance before it.

    Attributes:
        size: Number of dimensions after the projection, k.
        low, high: Smallest and greatest ratio over all pairs of rows.
        spread: Standard deviation of the squared ratios over all pairs.
        expected: Standard deviation of the squared ratio of one fixed pair over all random projections, √(2/k).
        within: Share of the pairs whose squared ratio lies within 1 ± ε, where ε is the given tolerance.
    """

    size: int
    low: float
    high: float
    spread: float
    expected: float
    within: float


@dataclass(frozen=True)
class RandomProjections:
    """Random projections of a sample of rows into several numbers of dimensions.

    Attributes:
        sizes: The result for each number of dimensions.
        epsilon: ε, the relative change of a squared distance that is allowed.
        bound: Number of dimensions that is enough to keep all squared distances of any n rows within 1 ± ε.
        rows, pairs: Number n of different rows in the sample, and number of pairs of these rows.
        dimensions: Number of dimensions of the space.
    """

    sizes: tuple[KeptDistances, ...]
    epsilon: float
    bound: int
    rows: int
    pairs: int
    dimensions: int

    @property
    def meaning(self) -> str:
        """Say what share of squared distances the last projection of `sizes` keeps within 1 ± ε, and give `bound`."""
        last = self.sizes[-1]
        return (
            f"{last.size:,} random directions keep {share(last.within)} of {self.pairs:,} squared distances within "
            f"{share(self.epsilon)}. {self.bound:,} directions suffice for all of them, whatever the rows are."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return the header and the rows of a table, with a row for each number of dimensions.

        A row is a `KeptDistances`: statistics of the ratio of the distances after and before the projection.
        """
        return ("dimensions", "least", "greatest", "spread", "expected spread", "within"), iter(self.sizes)


def least_dimensions(rows: int, epsilon: float) -> int:
    """Return 4 ln n / (ε²/2 − ε³/3), the number of dimensions that keep all squared distances of n rows within 1 ± ε.

    It is rounded down, as in scikit-learn.

    Raises:
        OptionError: ε is not between 0 and 1, or n is less than 1.
    """
    if not 0 < epsilon < 1 or rows < 1:
        raise OptionError(f"ε is {epsilon:g} for {rows} rows. Give an ε between 0 and 1, and one row at least.")
    return int(4 * log(rows) / (epsilon**2 / 2 - epsilon**3 / 3))


@offered("found", "for size in found.sizes:", "    print(size)", "print(found.meaning)")
def random_projections(
    space: VectorSpace, *, epsilon: float = 0.2, rows: int = ROWS, sizes: Sequence[int] = SIZES, seed: int = 0
) -> RandomProjections:
    """Project a sample of rows to k dimensions for each size k, and compare all distances before and after.

    The entries of the projection matrices are Gaussian with variance 1/k.

    Raises:
        OptionError: ε or a size is out of range, or the sample has fewer than two different rows.
    """
    from scipy.spatial.distance import pdist

    if not sizes or min(sizes) < 1 or max(sizes) > 10_000:
        raise OptionError("The sizes are out of range. Give numbers of dimensions from 1 to 10,000.")
    random = np.random.default_rng(seed)
    n = min(rows, len(space))
    drawn = np.sort(random.choice(len(space), n, replace=False))
    matrix = np.unique(space.matrix[drawn].astype(np.float64), axis=0)
    if len(matrix) < 2:
        raise OptionError("Fewer than two different rows were found. Choose another space.")
    bound = least_dimensions(len(matrix), epsilon)
    before = pdist(matrix)
    found = []
    for size in sizes:
        points = matrix @ random.normal(scale=1 / sqrt(size), size=(matrix.shape[1], size))
        ratios = pdist(points) / before
        squared = ratios**2
        within = float((np.abs(squared - 1) <= epsilon).mean())
        found.append(
            KeptDistances(size, float(ratios.min()), float(ratios.max()), float(squared.std()), sqrt(2 / size), within)
        )
    return RandomProjections(tuple(found), epsilon, bound, len(matrix), len(before), space.dimensions)
