"""Clusters of words by k-means, each named by its most central words, compared with k-means on structureless copies.

k-means always finds k clusters, even in a space without clusters. So the silhouette of the clusters (Rousseeuw 1987) is
compared with its values on Gaussian copies of the rows (`core.stats.copies`). The copies are fitted to the original
rows, and scaled to length one afterwards, like the rows. This scaling turns a long Gaussian cloud into two caps of a
sphere, which look like two clusters. Copies made in this way show the same two caps.

A silhouette has no fixed scale: its value also depends on the number of directions d. Mean silhouettes of two round
clusters with known overlap (`benchmarks/silhouettes.py`; unit rows, true labels; Euclidean / cosine distance):

    error of the best classifier    d = 2        10           50           300
    1 %                             .73 / .88    .31 / .51    .09 / .17    .02 / .04
    10 %                            .44 / .57    .13 / .23    .03 / .06    .01 / .01
    25 %                            .18 / .24    .04 / .07    .01 / .02    .00 / .00

So no fixed limit, such as the .25 of Kaufman and Rousseeuw (1990), is right for all of these. `overlap` computes the
error from the silhouette, the metric and the number of directions in use. For the three rows of this table it gives .2
to 1.3 %, 8 to 13 % and 25 to 29 %. k-means cuts clusters where they overlap, so its clusters look better separated than
they are: for two or five clusters with an error of 10 %, `overlap` gives 1.3 to 15 %.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from embedviz.core import device
from embedviz.core.options import OptionError, Parameter
from embedviz.core.phrases import number
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.copies import fitted_cloud, next_copy
from embedviz.core.stats.resampling import drawn_rows

MOST = 8
"""Maximum number of clusters: more than eight cannot be told apart by color."""
COPIES = 9
SAMPLE = 2_000
"""Maximum number of words over which a silhouette is computed."""
APART = 0.01
"""Clusters are called separate only if their `overlap` is below this value."""
STABLE = 0.8
"""Clusters are called separate only if the clusters of two random halves have at least this adjusted Rand index."""
HALVINGS = 4
FEW = 30
"""Minimum number of words for a comparison with chance."""
NAMES = 3
RESTARTS = 10
_WHOLE_BELOW = 5_000  # up to this number of rows, each step of k-means uses all rows
_BATCH = 4_096
_LONGEST_NAME = 26


def kmeans_options(
    most: float | Callable[[int], float], *, clusters: int, restarts: int = 4
) -> tuple[Parameter, Parameter, Parameter]:
    """Return the options of `kmeans` for a table of methods: `k`, `seed` and `restarts`.

    Args:
        most: The highest number of clusters, or a function that returns this maximum for a number of rows.
        clusters: The default number of clusters.
        restarts: The default number of random starts.
    """
    return (
        Parameter("k", 2, most, clusters, "Number of clusters; k-means always finds as many.", "Clusters"),
        Parameter("seed", 0, 2**31 - 1, 0, "Another seed starts elsewhere; stable clusters stay.", "Seed"),
        Parameter("restarts", 1, 20, restarts, "Random starts, of which the best is kept.", "Starts"),
    )


@dataclass(frozen=True, eq=False)
class Grouped:
    """Clusters of rows, found by any method. Cluster 0 is the largest.

    Attributes:
        labels: The cluster of each row, (m,); −1 for a row that is zeros or in no cluster.
        centers: The center of each cluster as a unit vector, (k, d).
        central: The words nearest to the center of each cluster by cosine, nearest first, at most three.
    """

    labels: Ints
    centers: Float
    central: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return a name for each cluster, made of its most central words."""
        return tuple(name_of(words) for words in self.central)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the number of rows in each cluster."""
        return tuple(np.bincount(self.labels[self.labels >= 0], minlength=len(self.centers)).tolist())


@dataclass(frozen=True, eq=False)
class Clusters(Grouped):
    """Clusters of words by k-means. Cluster 0 is the largest.

    Attributes:
        silhouette: Mean silhouette of a sample of the words, −1 to 1, by Euclidean distance of unit rows. None if there
            is one cluster, or each word is a cluster of its own.
        copies: Mean silhouette of each structureless copy.
        directions: Effective number of directions in which rows vary within their clusters, from `directions_within`.
        sample: Number of words over which the silhouette was computed.
        agreement: Agreement of the clusters of two random halves, as adjusted Rand index. None if the silhouette alone
            shows that the clusters are not separate.
    """

    silhouette: float | None
    copies: tuple[float, ...]
    directions: float
    sample: int
    agreement: float | None = None

    @property
    def chance(self) -> float | None:
        """Return the silhouette that only 5 % of new copies exceed (Student's t); None for fewer than 9 copies."""
        if len(self.copies) < COPIES:
            return None
        return float(sum(next_copy(np.asarray(self.copies))))

    @property
    def beyond_chance(self) -> bool | None:
        """Return whether the silhouette is above `chance`.

        None for fewer than 30 words, or if the silhouette or `chance` is None.
        """
        if self.silhouette is None or self.chance is None or self.sample < FEW:
            return None
        return self.silhouette > self.chance

    @property
    def dense(self) -> bool:
        """Return whether the silhouette is beyond chance, and implies an overlap of neighboring clusters below 1 %."""
        return bool(self.beyond_chance) and overlap(self.silhouette or 0.0, self.directions) < APART

    @property
    def apart(self) -> bool:
        """Return whether the clusters are separate: they are `dense`, and two random halves of the words agree on them.

        The silhouette alone is not enough: k-means can cut a cloud of many directions into parts with a silhouette as
        high as that of separate clusters. But then k-means cuts each half of the words in a different way.
        """
        return self.dense and self.agreement is not None and self.agreement >= STABLE

    @property
    def meaning(self) -> str:
        """Say whether there are clusters, in a sentence or two."""
        return self.meaning_of("words")

    def method(self, where: str, rows: str) -> str:
        """Explain how the clusters were found.

        Args:
            where: Text that follows “k-means of unit rows”, such as “ in their first 50 singular directions”, or empty.
            rows: What the rows are called, such as “words”.
        """
        return (
            f"k-means of unit rows{where}; it always finds as many clusters as you choose. Silhouette over "
            f"{self.sample:,} {rows}; by chance: 19 of 20 structureless copies stay below this value."
            f"{self._halves(rows)}"
        )

    def _halves(self, rows: str) -> str:
        """Say how far the clusters of two random halves of the rows agree; empty if `agreement` is None."""
        if self.agreement is None:
            return ""
        return (
            f" The clusters of two random halves of the {rows} agree by {number(self.agreement)} (adjusted Rand "
            f"index); separate clusters by {STABLE} or more."
        )

    def meaning_of(self, rows: str) -> str:
        """Say whether there are clusters, with the silhouettes; `rows` is the noun for rows, such as “words”."""
        if len(self.centers) == 1:
            return "All rows are equal: there are no clusters."
        if self.silhouette is None:
            return f"Every cluster has one of the {rows}, so the clusters show nothing."
        clusters, figures = (
            f"The {len(self.centers)} k-means clusters",
            f"silhouette {number(self.silhouette, 3)} of at most 1",
        )
        if self.chance is None:
            return f"{clusters} have no random baseline ({figures})."
        figures = f"({figures}; by chance up to {number(self.chance, 3)})"
        if self.beyond_chance is None:
            few = f"(silhouette {number(self.silhouette, 3)} of at most 1)"
            return f"{clusters} cannot be compared with chance: {self.sample} {rows} are too few {few}."
        if not self.beyond_chance:
            return f"{clusters} are not better separated than by chance {figures}. Do not read them as groups."
        if not self.apart:
            weak = f"{clusters} are weakly separated: better than by chance, but they overlap {figures}."
            return f"{weak} In the space, they are broad groups without borders."
        return f"{clusters} are separate {figures}."


class _Fit(NamedTuple):
    labels: Ints
    centers: Float
    silhouette: float | None


def kmeans(
    space: VectorSpace,
    rows: Ints,
    *,
    k: int = 5,
    seed: int = 0,
    restarts: int = 4,
    most: int = MOST,
    report: Report | None = None,
) -> Clusters:
    """Return k-means clusters of some rows, scaled to length one (Lloyd 1982; MiniBatchKMeans above 5,000 rows).

    Words of one or two characters can also name a cluster, because many scripts have such short words.

    Args:
        rows: Row numbers in the space, (m,).
        k: Number of clusters, 2 to `most`. The result has fewer clusters if there are fewer than k different rows.
        restarts: Number of random starts, of which the best is kept.
        most: The greatest k that is allowed; more than eight clusters cannot be told apart by color.

    Raises:
        OptionError: k is out of range, or all rows are zeros.
    """
    if not 2 <= k <= most:
        raise OptionError(f"k is {k}; it may be from 2 to {most}.")
    rows = np.asarray(rows, np.int64)
    whole, unit = with_direction(space, rows)
    random = np.random.default_rng(seed)
    looked = drawn_rows(len(unit), SAMPLE, random)

    def fit(matrix: Float, done: int) -> _Fit:
        found = _fitted(matrix, min(k, len(matrix)), seed, restarts, looked)
        tell(report, (done + 1) / (COPIES + 1), f"{done} of {COPIES} structureless copies clustered")
        return found

    with device.library_threads():
        found = fit(unit, 0)
        cloud = fitted_cloud(space.matrix[rows[whole]], unit=True)
        drawn = range(1, COPIES + 1) if found.silhouette is not None else ()
        copies = [fit(cloud.draw(len(unit), random), done).silhouette for done in drawn]
    labels = np.full(len(rows), -1, np.int64)
    labels[whole] = found.labels
    central = central_words(space, rows[whole], unit, found.labels, found.centers)
    within = directions_within(unit[looked], found.labels[looked])
    known = tuple(each for each in copies if each is not None)
    made = Clusters(labels, found.centers, central, found.silhouette, known, within, len(looked))
    return replace(made, agreement=agreement_of_halves(unit[looked], k, seed)) if made.dense else made


def _fitted(matrix: Float, k: int, seed: int, restarts: int, looked: Ints) -> _Fit:
    raw = kmeans_labels(matrix, k, seed, restarts=restarts, batched=len(matrix) > _WHOLE_BELOW)
    numbers, sizes = np.unique(raw, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    places = np.empty(k, np.int64)
    places[numbers[order]] = np.arange(len(numbers))
    labels = places[raw]
    return _Fit(labels, unit_means(matrix, labels, len(numbers)), silhouette_of(matrix[looked], labels[looked]))


def kmeans_labels(rows: Any, k: int, seed: int, *, restarts: int = RESTARTS, batched: bool = False) -> Ints:
    """Return the cluster of each row by scikit-learn's k-means, (n,).

    Args:
        restarts: Number of random starts, of which the best is kept.
        batched: Whether each step uses only a part of the rows, which is faster.
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    options = {"n_clusters": k, "n_init": restarts, "random_state": seed}
    method = MiniBatchKMeans(batch_size=_BATCH, **options) if batched else KMeans(**options)
    with device.library_threads(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # raised if there are fewer different rows than clusters
        return np.asarray(method.fit(rows).labels_, np.int64)


def agreement_of_halves(rows: Float, k: int, seed: int) -> float:
    """Return how far the k-means clusters of two random halves of the rows agree, as adjusted Rand index.

    k-means runs on each half. All rows are then labelled twice: by the nearest center of the first half, and by the
    nearest center of the second. The index compares these labels; it is a mean over `HALVINGS` random divisions.
    """
    from sklearn.metrics import adjusted_rand_score

    random = np.random.default_rng([seed, 3])
    found = []
    for _ in range(HALVINGS):
        order, labels = random.permutation(len(rows)), []
        for half in (order[: len(rows) // 2], order[len(rows) // 2 :]):
            own = kmeans_labels(rows[half], min(k, len(half)), seed)
            centers = np.stack([rows[half][own == each].mean(axis=0) for each in np.unique(own)])
            labels.append(np.argmax(rows @ centers.T - (centers**2).sum(axis=1) / 2, axis=1))
        found.append(adjusted_rand_score(*labels))
    return float(np.mean(found))


def silhouette_of(matrix: Float, labels: Ints) -> float | None:
    """Return the mean silhouette, −1 to 1; None if there is one cluster, or each row is a cluster of its own."""
    from sklearn.metrics import silhouette_score

    if not 2 <= len(np.unique(labels)) < len(matrix):
        return None
    return float(silhouette_score(matrix, labels))


def overlap(silhouette: float, directions: float, *, metric: str = "euclidean") -> float:
    """Return the overlap of two neighboring round clusters of unit rows: the error of the best classifier, 0 to .5.

    The error is the share of rows that the classifier puts into the wrong one of these two clusters.

    There are m directions in use, and the centers are Δ standard deviations apart. Then two rows of one cluster have a
    mean distance of √(2m), and two rows of different clusters √(2m + Δ²). Cosine distances are proportional to the
    squares of these. The silhouette therefore gives Δ, and the error is Φ(−Δ/2).

    Args:
        silhouette: Mean silhouette of the two clusters.
        directions: m, from `directions_within`.
        metric: *euclidean* or *cosine*.
    """
    left = 1 - min(max(silhouette, 0.0), 1 - 1e-9)
    apart = 2 * directions * (1 / (left if metric == "cosine" else left**2) - 1)
    return 0.5 * math.erfc(math.sqrt(apart / 8))


def directions_within(rows: Any, labels: Ints) -> float:
    """Return the effective number of directions in which the rows vary within their clusters, 1 to d.

    This number is the participation ratio of the within-cluster covariance, corrected for the small number of rows.
    """
    inside = np.asarray(rows, np.float64).copy()
    names, codes = np.unique(labels, return_inverse=True)
    for code in range(len(names)):
        inside[codes == code] -= inside[codes == code].mean(axis=0)
    free = max(1, len(inside) - len(names))
    products = inside.T @ inside if inside.shape[1] <= len(inside) else inside @ inside.T
    total = float(np.trace(products)) / free
    squares = float((products**2).sum()) / free**2 - total**2 / free
    return float(np.clip(total**2 / max(squares, np.finfo(float).tiny), 1, inside.shape[1]))


def with_direction(space: VectorSpace, rows: Ints) -> tuple[Ints, Float]:
    """Return which of `rows` are not zero, as indices in `rows`, (m,), and these rows scaled to length one, (m, d).

    Raises:
        OptionError: All rows are zeros.
    """
    whole = np.flatnonzero(space.norms[rows] > 0)
    if not len(whole):
        raise OptionError(f"The {len(rows):,} rows are rows of zeros; they have no direction to cluster by.")
    return whole, np.ascontiguousarray(space.unit_rows(rows[whole]))


def central_rows(unit: Float, inside: Any, center: Float) -> Ints:
    """Return the indices of the rows of a cluster nearest to its center, nearest first, at most three.

    Args:
        unit: All rows, scaled to length one, (m, d).
        inside: Whether each row is in the cluster, (m,).
        center: Center of the cluster, (d,).
    """
    own = np.flatnonzero(inside)
    return np.asarray(own[np.argsort(-(unit[own] @ center), kind="stable")[:NAMES]])


def central_words(
    space: VectorSpace, rows: Ints, unit: Float, labels: Ints, centers: Float
) -> tuple[tuple[str, ...], ...]:
    """Return for each cluster the words nearest to its center, nearest first, at most three."""
    found = (central_rows(unit, labels == number, center) for number, center in enumerate(centers))
    return tuple(tuple(space.label(int(rows[place])) for place in places) for places in found)


def unit_means(rows: Float, labels: Ints, count: int) -> Float:
    """Return the mean row of each cluster; each mean is scaled to length one, (count, d)."""
    means = [rows[labels == number].mean(axis=0) for number in range(count)]
    centers = np.asarray(means, np.float32).reshape(-1, rows.shape[1])
    lengths = np.maximum(np.linalg.norm(centers, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return np.asarray(centers / lengths, np.float32)


def name_of(words: tuple[str, ...]) -> str:
    """Return the name of a cluster: the central words that fit in 26 characters; a longer first word is cut."""
    name = words[0] if len(words[0]) <= _LONGEST_NAME else words[0][: _LONGEST_NAME - 1] + "…"
    for word in words[1:]:
        if len(name) + len(word) + 2 > _LONGEST_NAME:
            break
        name += f", {word}"
    return name
