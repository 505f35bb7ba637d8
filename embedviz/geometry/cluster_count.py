"""Proposal of a number of k-means clusters, or of none if Gaussian copies of the rows have equally separate clusters.

For each k, the excess is the mean silhouette of the clusters minus its mean in Gaussian copies of the rows. The gap
statistic (Tibshirani, Walther and Hastie 2001) compares sums of squares in the same way. A number is proposed only if
the greatest excess over all k is beyond chance: above the value that 5 % of new copies exceed. The proposed number
is the smallest k whose excess is at most `NEAR` below the greatest: more clusters would hardly be better.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, VectorSpace
from embedviz.core.stats.copies import fitted_cloud, next_copy
from embedviz.core.stats.resampling import drawn_rows
from embedviz.geometry.clusters import FEW, kmeans_labels, silhouette_of, with_direction

COPIES = 9
MOST = 12
NEAR = 0.006
SAMPLE = 1_000
"""Maximum number of rows that are clustered, drawn at random."""
_RESTARTS = 4


@dataclass(frozen=True)
class ClusterCount:
    """Mean silhouettes for 2, 3, … clusters, in the rows and in structureless (Gaussian) copies of the rows.

    Attributes:
        counts: The numbers of clusters that were tried, (m,).
        silhouettes: Mean silhouette of the rows for each number of clusters, (m,).
        copies: Mean silhouette of the copies for each number of clusters, (m,).
        excess: The greatest difference `silhouettes` − `copies`, over all numbers of clusters.
        chance: The value of `excess` that only 5 % of new copies would exceed.
        sample: Number of rows in the random sample that was clustered.
    """

    counts: tuple[int, ...]
    silhouettes: tuple[float, ...]
    copies: tuple[float, ...]
    excess: float
    chance: float
    sample: int

    @property
    def proposed(self) -> int | None:
        """Return the proposed number of clusters; None if no number separates the rows beyond chance."""
        if self.excess <= self.chance:
            return None
        near = (k for k, gain in zip(self.counts, self._gains, strict=True) if gain >= self.excess - NEAR)
        return next(near)

    @property
    def _gains(self) -> tuple[float, ...]:
        return tuple(here - there for here, there in zip(self.silhouettes, self.copies, strict=True))

    @property
    def meaning(self) -> str:
        """Say how many clusters are proposed, or that no number of clusters is proposed."""
        if self.proposed is None:
            return (
                f"No number of clusters is proposed: for 2 to {self.counts[-1]}, they are not better separated than in "
                "structureless copies."
            )
        place = self.counts.index(self.proposed)
        here, there = number(self.silhouettes[place], 3), number(self.copies[place], 3)
        return f"{self.proposed} clusters are proposed: silhouette {here}; structureless copies {there}."

    @property
    def note(self) -> str:
        """Explain how the number of clusters was found."""
        return (
            f"k-means for 2 to {self.counts[-1]} clusters of {self.sample:,} rows. Excess: the silhouette less its "
            f"mean on {COPIES} Gaussian copies. Greatest excess: {number(self.excess, 3)}; by chance up to "
            f"{number(self.chance, 3)}. Proposed is the smallest number within {NEAR} of it."
        )

    def table(self) -> tuple[tuple[str, ...], Sequence[tuple[str, ...]]]:
        """Return header and rows: number of clusters, silhouette of the rows, mean silhouette of the copies."""
        rows = [
            (str(k), number(here, 3), number(there, 3))
            for k, here, there in zip(self.counts, self.silhouettes, self.copies, strict=True)
        ]
        return ("clusters", "silhouette", "copies"), rows


@offered("count", "print(count.meaning)")
def cluster_count(space: VectorSpace, *, most: int = MOST, seed: int = 0, report: Report | None = None) -> ClusterCount:
    """Return silhouettes and the proposed number of k-means clusters, from a sample of at most 1,000 rows.

    Args:
        most: The greatest number of clusters to try; limited to a fifth of the number of sampled rows.

    Raises:
        OptionError: Fewer than 30 sampled rows are not zero.
    """
    random = np.random.default_rng(seed)
    rows = drawn_rows(len(space), SAMPLE, random)
    whole, unit = with_direction(space, rows)
    if len(unit) < FEW:
        raise OptionError(
            f"{len(unit)} rows without those of zeros are too few: a number of clusters is proposed from {FEW} on."
        )
    counts = tuple(range(2, max(2, min(most, len(unit) // 5)) + 1))
    cloud = fitted_cloud(space.matrix[rows[whole]], unit=True)
    found = []
    for done in range(COPIES + 1):
        tell(report, done / (COPIES + 1), f"{done} of {COPIES + 1} clusterings for each number")
        found.append(_silhouettes(cloud.draw(len(unit), random) if done else unit, counts, seed))
    here, copies = found[0], np.stack(found[1:])
    others = (copies.sum(axis=0) - copies) / (COPIES - 1)  # for each copy, the mean of the other copies
    chance = float(sum(next_copy((copies - others).max(axis=1))))
    gains = here - copies.mean(axis=0)
    means = copies.mean(axis=0).tolist()
    return ClusterCount(counts, tuple(here.tolist()), tuple(means), float(gains.max()), chance, len(unit))


def _silhouettes(matrix: Float, counts: Sequence[int], seed: int) -> NDArray[np.float64]:
    """Return the mean silhouette for each number of clusters, (m,); 0 if all rows are in one cluster."""
    found = (silhouette_of(matrix, kmeans_labels(matrix, k, seed, restarts=_RESTARTS)) for k in counts)
    return np.array([each or 0.0 for each in found])
