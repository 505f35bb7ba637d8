"""Clusters of rows by density: regions where rows lie closer than around, and rows that lie in none.

HDBSCAN (Campello, Moulavi and Sander 2013) chooses how many clusters there are, and may find none. It finds some in
noise as well, so that what it finds in copies of the rows stands beside: in each every principal direction is permuted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from embedviz.clusters import Grouped, central_rows, shuffled
from embedviz.options import OptionError
from embedviz.progress import Report
from embedviz.saying import share
from embedviz.space import Float, Ints, VectorSpace

SELECTIONS = ("eom", "leaf")
"""The most lasting clusters of the tree, by excess of mass; or its leaves, which are smaller and more."""
FEW = 30
"""Rows below which nothing is said of chance."""
_COPIES = ((10_000, 3), (2**63, 1))  # shuffled copies up to so many rows: the time grows with their square


@dataclass(frozen=True, eq=False)
class Dense(Grouped):
    """Rows in clusters by density; there may be none.

    Attributes:
        sample: Rows with a direction.
        least: Rows that a cluster has at least.
        shuffled: For each shuffled copy how many clusters are found in it, and the share of rows that lie in one.
    """

    sample: int
    least: int
    shuffled: tuple[tuple[int, float], ...]

    @property
    def inside(self) -> float:
        """Share of the rows with a direction that lie in a cluster."""
        return sum(self.sizes) / max(1, self.sample)

    def told(self, rows: str) -> str:
        """Whether there are clusters at all, in sentences; `rows` says what the rows are."""
        if not len(self.centers):
            return f"HDBSCAN finds no cluster of {self.least:,} {rows} or more: nowhere do they lie denser than around."
        found = f"HDBSCAN finds {len(self.centers)} clusters with {share(self.inside)} of the {rows}"
        if not self.shuffled:
            return f"{found}."
        counts, most = [count for count, _ in self.shuffled], max(part for _, part in self.shuffled)
        span = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        copies = "shuffled copies" if len(counts) > 1 else "a shuffled copy"
        chance = f"{span} with {share(most)} at most" if max(counts) else "none"
        found = f"{found}, in {copies} {chance}."
        if self.sample < FEW:
            return f"{found} {self.sample} {rows} are too few to say whether that is more than chance."
        if self.inside - most <= self._margin(most):
            return f"{found} As many lie in clusters by chance: they may be drawn, not found."
        return f"{found} More than by chance."

    def how(self, where: str, rows: str) -> str:
        """How they were found, in a sentence; `where` says in which directions."""
        return (
            f"HDBSCAN of unit rows{where}: clusters of {self.least:,} {rows} or more; "
            f"{self.sample - sum(self.sizes):,} of {self.sample:,} {rows} are in no cluster, grey."
        )

    def _margin(self, chance: float) -> float:
        """Three standard errors of the difference of two shares of the rows."""
        return 3 * float(np.sqrt((self.inside * (1 - self.inside) + chance * (1 - chance)) / max(1, self.sample)))


def least_of(n: int) -> int:
    """Rows that a cluster has at least, where nobody says: half the square root of all, 5 or more."""
    return max(5, round(math.sqrt(n) / 2))


def hdbscan(
    space: VectorSpace,
    rows: Ints,
    *,
    min_cluster_size: int = 0,
    min_samples: int = 5,
    selection: str = "eom",
    seed: int = 0,
    report: Report | None = None,
) -> Dense:
    """Clusters of these rows at length one, by scikit-learn's HDBSCAN on Euclidean distances.

    Args:
        rows: Rows of the space, (m,).
        min_cluster_size: Rows that a cluster has at least, 2 or more; 0 for `least_of` their number.
        min_samples: Neighbors that density is told by: more leave more rows in no cluster.
        selection: One of `SELECTIONS`.
        seed: Of the shuffled copies.

    Raises:
        OptionError: A number is out of range, the selection is unknown, or every row is a row of zeros.
    """
    rows = np.asarray(rows, np.int64)
    if min_cluster_size < 0 or min_cluster_size == 1 or min_samples < 1:
        raise OptionError(
            f"min_cluster_size is {min_cluster_size} and min_samples {min_samples}; a cluster has at least 2 rows "
            "(0: automatic), and density is told by 1 neighbor or more."
        )
    if selection not in SELECTIONS:
        raise OptionError(f"selection is {selection!r}; it may be: {', '.join(SELECTIONS)}.")
    whole = np.flatnonzero(space.norms[rows] > 0)
    if not len(whole):
        raise OptionError(f"The {len(rows):,} rows are rows of zeros; they have no direction to cluster by.")
    unit = np.ascontiguousarray(space.unit_rows(rows[whole]))
    least = min_cluster_size or least_of(len(unit))
    copies = next(count for most, count in _COPIES if len(unit) <= most)

    def fit(matrix: Float, done: int) -> Ints:
        if report is not None:
            report(done / (copies + 1), f"{max(0, done - 1)} of {copies} shuffled copies clustered")
        return _labels(matrix, least, min_samples, selection)

    found, random = fit(unit, 0), np.random.default_rng(seed)
    chance = [fit(shuffled(unit, random), done) for done in range(1, copies + 1)] if len(unit) >= 2 * least else []
    labels = np.full(len(rows), -1, np.int64)
    labels[whole] = found
    means = [unit[found == number].mean(axis=0) for number in range(int(found.max()) + 1)]
    centers = np.asarray(means, np.float32).reshape(-1, unit.shape[1])
    centers /= np.maximum(np.linalg.norm(centers, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    central = tuple(
        tuple(space.label(int(rows[whole[place]])) for place in central_rows(unit, found == number, center))
        for number, center in enumerate(centers)
    )
    told = tuple((int(copy.max()) + 1, float((copy >= 0).mean())) for copy in chance)
    return Dense(labels, centers, central, len(unit), least, told)


def _labels(matrix: Float, least: int, min_samples: int, selection: str) -> Ints:
    """The cluster of each row, the largest first; −1 for none. Two clusters need twice the least rows."""
    from sklearn.cluster import HDBSCAN
    from threadpoolctl import threadpool_limits

    if len(matrix) < 2 * least:
        return np.full(len(matrix), -1, np.int64)
    method = HDBSCAN(
        min_cluster_size=least,
        min_samples=min(min_samples, len(matrix) - 1),
        cluster_selection_method=selection,
        algorithm="kd_tree",  # the others hold all pairs in memory
        copy=True,
    )
    with threadpool_limits(1):
        raw = method.fit(matrix).labels_
    numbers, sizes = np.unique(raw[raw >= 0], return_counts=True)
    places = np.full(len(numbers) + 1, -1, np.int64)  # its last is the place of −1
    places[numbers[np.argsort(-sizes, kind="stable")]] = np.arange(len(numbers))
    return np.asarray(places[raw])
