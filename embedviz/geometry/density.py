"""Density-based clusters: regions of high density, and rows that are in no cluster.

HDBSCAN (Campello, Moulavi and Sander 2013) also determines the number of clusters, which may be 0. But it finds
clusters in noise too. So the clusters are compared with the clusters of structureless copies of the rows
(`core.stats.copies`).
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.core import device
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.copies import fitted_cloud
from embedviz.geometry.clusters import Grouped, central_words, unit_means, with_direction

SELECTIONS = ("eom", "leaf")
"""Choice of clusters in HDBSCAN's tree: *eom*, the most stable (excess of mass); *leaf*, the leaves (more, smaller)."""
FEW = 30
"""Minimum number of rows for a comparison with chance."""
COPIES = 19
"""Number of structureless copies. By chance, the rows have a higher value than all 19 copies in one case of twenty."""
COMPARED = 2_000
"""Maximum number of rows compared with copies, drawn at random, because time grows with the square of the rows."""


class ClusterShape(NamedTuple):
    """Number of clusters, share of rows in clusters, and separation of the clusters.

    Attributes:
        clusters: Number of clusters.
        inside: Share of the rows that are in a cluster, 0 to 1.
        spread: `inside` × effective number of clusters (the exponential of the entropy of their sizes).
        silhouette: Mean silhouette over all rows (Rousseeuw 1987), by Euclidean distance; 0 for a row in no cluster.
    """

    clusters: int
    inside: float
    spread: float
    silhouette: float


@dataclass(frozen=True, eq=False)
class Dense(Grouped):
    """Rows in density-based clusters; there may be no cluster.

    Attributes:
        sample: Number of rows that are not zero.
        least: Minimum number of rows in a cluster.
        here: Number of clusters, share of rows inside, and separation, for the compared rows.
        compared: Number of compared rows: all, or a random sample of `COMPARED`.
        copies: As `here`, but for each structureless copy of the compared rows. Empty if the rows have fewer than two
            clusters.
    """

    sample: int
    least: int
    here: ClusterShape
    compared: int
    copies: tuple[ClusterShape, ...]

    @property
    def inside(self) -> float:
        """Return the share of the nonzero rows that are in a cluster, 0 to 1."""
        return sum(self.sizes) / max(1, self.sample)

    @property
    def beyond_chance(self) -> bool | None:
        """Return whether spread and silhouette are both higher than in every structureless copy of the rows.

        None for fewer than 30 rows. False for fewer than two clusters: no copies are made then. Both values are needed:
        heavy-tailed noise can exceed the spread of the copies, and a long cloud can exceed their silhouette.
        """
        if self.sample < FEW:
            return None
        return bool(self.copies) and all(
            self.here.spread > copy.spread and self.here.silhouette > copy.silhouette for copy in self.copies
        )

    def meaning_of(self, rows: str) -> str:
        """Say how many clusters there are, and whether they are more and better separated than by chance.

        Chance is measured on structureless copies (random rows with the same mean and covariance). `rows` is the noun
        for rows, such as “words”.
        """
        if not len(self.centers):
            return f"HDBSCAN finds no cluster of {self.least:,} {rows} or more: no region is denser than the rest."
        found = f"HDBSCAN finds {len(self.centers)} clusters with {share(self.inside)} of the {rows}."
        if self.beyond_chance is None:
            return f"{found} {self.sample} {rows} are too few for a comparison with chance."
        if not self.copies:
            return f"{found} These clusters may be chance."
        counts, most = [copy.clusters for copy in self.copies], max((copy.inside for copy in self.copies), default=0.0)
        span = f"{min(counts)} to {max(counts)} with at most {share(most)}" if any(counts) else "none"
        verdict = "are more and better separated than by chance" if self.beyond_chance else "may be chance"
        return f"{found} These clusters {verdict} ({len(counts)} structureless copies have {span})."

    def method(self, where: str, rows: str) -> str:
        """Explain how the clusters were found.

        Args:
            where: Text that follows “HDBSCAN of unit rows”, such as “ in their first 50 singular directions”, or empty.
            rows: What the rows are called, such as “words”.
        """
        drawn = f" Compared with copies: {self.compared:,} {rows} drawn at random, {self.here.clusters} clusters."
        return (
            f"HDBSCAN of unit rows{where}: clusters of {self.least:,} {rows} or more; "
            f"{self.sample - sum(self.sizes):,} of {self.sample:,} {rows} are in no cluster, grey."
            f"{drawn if self.compared < self.sample else ''}"
        )


def least_of(n: int) -> int:
    """Return the default minimum cluster size: half the square root of the number of rows, 5 or more."""
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
    """Return clusters of some rows, scaled to length one, by scikit-learn's HDBSCAN with Euclidean distances.

    Args:
        rows: Row numbers in the space, (m,).
        min_cluster_size: Minimum number of rows in a cluster, 2 or more; 0 for the default, `least_of`.
        min_samples: Number of neighbors from which density is computed. Higher values leave more rows in no cluster.
        selection: One of `SELECTIONS`.
        seed: Seed of the structureless copies, and of the sample of rows that is compared with these copies.

    Raises:
        OptionError: A number is out of range, the selection is unknown, or all rows are zeros.
    """
    rows = np.asarray(rows, np.int64)
    if min_cluster_size < 0 or min_cluster_size == 1 or min_samples < 1:
        raise OptionError(
            f"min_cluster_size is {min_cluster_size} and min_samples {min_samples}. min_cluster_size must be 2 or "
            "more (0: automatic), and min_samples 1 or more."
        )
    if selection not in SELECTIONS:
        raise OptionError(f"selection is {selection!r}; it may be: {', '.join(SELECTIONS)}.")
    whole, unit = with_direction(space, rows)
    least = min_cluster_size or least_of(len(unit))
    tell(report, 0.0, "Clustering")
    found = density_labels(unit, least, min_samples, selection)
    labels = np.full(len(rows), -1, np.int64)
    labels[whole] = found
    centers = unit_means(unit, found, int(found.max()) + 1)
    central = central_words(space, rows[whole], unit, found, centers)
    compared = _compare_with_copies(
        space.matrix[rows[whole]], unit, found, (least, min_samples, selection), seed, report
    )
    return Dense(labels, centers, central, len(unit), least, *compared)


def _compare_with_copies(
    given: Float, unit: Float, found: Ints, options: tuple[int, int, str], seed: int, report: Report | None
) -> tuple[ClusterShape, int, tuple[ClusterShape, ...]]:
    """Return the cluster shape of the compared rows, the number of these rows, and the cluster shape of each copy.

    The copies are fitted to the original rows, and scaled to length one afterwards.
    """
    random, (least, min_samples, selection) = np.random.default_rng(seed), options
    if len(unit) > COMPARED and found.max() > 0:
        drawn = np.sort(random.choice(len(unit), COMPARED, replace=False))
        given, unit = given[drawn], unit[drawn]
        least = max(2, round(least * COMPARED / len(found)))
        found = density_labels(unit, least, min_samples, selection)
    cloud, copies = fitted_cloud(given, unit=True), []
    for done in range(COPIES if found.max() > 0 else 0):
        tell(report, (done + 1) / (COPIES + 1), f"{done} of {COPIES} structureless copies clustered")
        copy = cloud.draw(len(unit), random)
        copies.append(_shape(copy, density_labels(copy, least, min_samples, selection)))
    return _shape(unit, found), len(unit), tuple(copies)


def _shape(unit: Float, labels: Ints) -> ClusterShape:
    from sklearn.metrics import silhouette_samples

    inside = labels >= 0
    sizes = np.bincount(labels[inside])
    if not len(sizes):
        return ClusterShape(0, 0.0, 0.0, 0.0)
    parts, held = sizes / sizes.sum(), float(inside.mean())
    even = math.exp(-float(parts @ np.log(parts)))
    firm = silhouette_samples(unit[inside], labels[inside]) if 2 <= len(sizes) < inside.sum() else np.zeros(1)
    return ClusterShape(len(sizes), held, even * held, float(firm.sum()) / len(unit))


def density_labels(matrix: Float, least: int, min_samples: int, selection: str) -> Ints:
    """Return the cluster of each row, (n,); 0 is the largest cluster, −1 means no cluster.

    All rows get −1 if there are fewer than 2 · `least`, since HDBSCAN needs enough rows for two clusters.
    """
    from sklearn.cluster import HDBSCAN

    if len(matrix) < 2 * least:
        return np.full(len(matrix), -1, np.int64)
    method = HDBSCAN(
        min_cluster_size=least,
        min_samples=min(min_samples, len(matrix) - 1),
        cluster_selection_method=selection,
        algorithm="kd_tree",  # the other algorithms keep all pairs in memory
        copy=True,
    )
    with device.library_threads():
        raw = method.fit(matrix).labels_
    numbers, sizes = np.unique(raw[raw >= 0], return_counts=True)
    places = np.full(len(numbers) + 1, -1, np.int64)  # the last entry belongs to −1
    places[numbers[np.argsort(-sizes, kind="stable")]] = np.arange(len(numbers))
    return np.asarray(places[raw])
