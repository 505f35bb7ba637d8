"""Clusters of words by k-means, each named by its most central words, beside the same k-means on shuffled copies.

k-means always finds k clusters, also where there are none. So the silhouette of what it found (Rousseeuw 1987) stands
beside the best that it reaches on copies of the rows in which every principal direction is permuted over the words.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.neighbors import permuted
from embedviz.options import OptionError
from embedviz.progress import Report
from embedviz.saying import number, signed
from embedviz.space import Float, Ints, VectorSpace

MOST = 8
"""Clusters: more hues cannot be told apart."""
SHUFFLES = 3
SAMPLE = 2_000
"""Words that a silhouette looks at."""
WEAK = 0.25
"""Below it a silhouette shows no substantial structure (Kaufman and Rousseeuw 1990)."""
FEW = 30
"""Words below which nothing is said of chance."""
NAMES = 3
_WHOLE_BELOW = 5_000  # rows up to which every step looks at all of them
_BATCH = 4_096
_LONGEST_NAME = 26


@dataclass(frozen=True, eq=False)
class Grouped:
    """Rows in clusters, however these were found, the largest cluster first.

    Attributes:
        labels: The cluster of each row, (m,); −1 for a row in none, or of zeros.
        centers: Unit vectors, (k, d).
        central: For each cluster its three most central words, nearest to the center by cosine first.
    """

    labels: Ints
    centers: Float
    central: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Each cluster's most central words, as many of the three as make a short name."""
        return tuple(name_of(words) for words in self.central)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows in each cluster."""
        return tuple(np.bincount(self.labels[self.labels >= 0], minlength=len(self.centers)).tolist())


@dataclass(frozen=True, eq=False)
class Clusters(Grouped):
    """Words in clusters, the largest cluster first.

    Attributes:
        silhouette: Mean over the words looked at, −1 to 1, by Euclidean distance of unit rows; None for one cluster,
            and where each word is one.
        shuffled: The best of three shuffled copies; None where there is none.
        margin: Three standard errors of the difference of the two, from the words looked at.
        sample: Words that each silhouette looked at.
    """

    silhouette: float | None
    shuffled: float | None
    margin: float
    sample: int

    @property
    def meaning(self) -> str:
        """Whether there are clusters at all, in sentences."""
        return self.told("words")

    def how(self, where: str, rows: str) -> str:
        """How they were found, in a sentence; `where` says in which directions."""
        return f"k-means of unit rows{where}; silhouette over {self.sample:,} {rows}."

    def told(self, rows: str) -> str:
        """The same, of rows that are something else than words."""
        if len(self.centers) == 1:
            return "These rows do not differ: there are no clusters."
        if self.silhouette is None:
            return f"There are as many clusters as {rows}: they say nothing."
        found = f"k-means always finds {len(self.centers)} clusters. Their silhouette is {number(self.silhouette, 3)}"
        scale = "(1: far apart, 0: touching)"
        if self.shuffled is None:
            return f"{found} {scale}."
        found = f"{found} {scale}, in shuffled copies {number(self.shuffled, 3)} at best."
        if self.sample < FEW:
            return f"{found} {self.sample} {rows} are too few to say whether that is more than chance."
        more = self.silhouette - self.shuffled
        beside = f"{signed(more, 3)}, of which {number(self.margin, 3)} may be chance"
        if more <= self.margin:
            return f"{found} Not clearly firmer than by chance ({beside}): take them as drawn, not found."
        if self.silhouette < WEAK:
            return f"{found} Firmer than by chance ({beside}), but they touch: read them as regions, not as groups."
        return f"{found} They stand apart."


class _Fit(NamedTuple):
    labels: Ints
    centers: Float
    silhouettes: Float

    @property
    def silhouette(self) -> float | None:
        return float(self.silhouettes.mean()) if len(self.silhouettes) else None

    @property
    def variance(self) -> float:
        """Of the mean silhouette."""
        return float(self.silhouettes.var()) / max(1, len(self.silhouettes))


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
    """Clusters of these rows at length one, by scikit-learn's k-means (Lloyd 1982; MiniBatchKMeans above 5,000 rows).

    The words that name a cluster are taken as they are: in many scripts a word has one sign or two, so that short
    words are not passed over.

    Args:
        rows: Rows of the space, (m,).
        k: Clusters, 2 to `most`; fewer come back where fewer rows differ.
        restarts: Random starts, of which the best is kept.
        most: Clusters that may be asked for; more than eight cannot be told apart by color.

    Raises:
        OptionError: k is out of range, or every row is a row of zeros.
    """
    from threadpoolctl import threadpool_limits

    if not 2 <= k <= most:
        raise OptionError(f"k is {k}; it may be from 2 to {most}.")
    rows = np.asarray(rows, np.int64)
    whole = np.flatnonzero(space.norms[rows] > 0)
    if not len(whole):
        raise OptionError(f"The {len(rows):,} rows are rows of zeros; they have no direction to cluster by.")
    unit = np.ascontiguousarray(space.unit_rows(rows[whole]))
    random = np.random.default_rng(seed)
    looked = np.arange(len(unit)) if len(unit) <= SAMPLE else np.sort(random.choice(len(unit), SAMPLE, replace=False))

    def fit(matrix: Float, done: int) -> _Fit:
        found = _fitted(matrix, min(k, len(matrix)), seed, restarts, looked)
        if report is not None:
            report((done + 1) / (SHUFFLES + 1), f"{done} of {SHUFFLES} shuffled copies clustered")
        return found

    with threadpool_limits(1):  # on a busy machine several threads wait for each other, twenty times as long
        found = fit(unit, 0)
        shuffles = range(1, SHUFFLES + 1) if found.silhouette is not None else ()
        copies = [fit(shuffled(unit, random), done) for done in shuffles]
    best = max(copies, key=lambda copy: copy.silhouette or -1.0, default=None)
    chance, margin = None, 0.0
    if best is not None:
        chance, margin = best.silhouette, 3 * float(np.sqrt(found.variance + best.variance))
    labels = np.full(len(rows), -1, np.int64)
    labels[whole] = found.labels
    central = tuple(
        tuple(space.label(int(rows[whole[place]])) for place in central_rows(unit, found.labels == number, center))
        for number, center in enumerate(found.centers)
    )
    return Clusters(labels, found.centers, central, found.silhouette, chance, margin, len(looked))


def _fitted(matrix: Float, k: int, seed: int, restarts: int, looked: Ints) -> _Fit:
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    options = {"n_clusters": k, "n_init": restarts, "random_state": seed}
    method = KMeans(**options) if len(matrix) <= _WHOLE_BELOW else MiniBatchKMeans(batch_size=_BATCH, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer rows differ than clusters were asked for
        raw = method.fit(matrix).labels_
    numbers, sizes = np.unique(raw, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    places = np.empty(k, np.int64)
    places[numbers[order]] = np.arange(len(numbers))
    labels = places[raw]
    means = np.stack([matrix[labels == number].mean(axis=0) for number in range(len(numbers))])
    lengths = np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return _Fit(labels, np.asarray(means / lengths, np.float32), _silhouettes(matrix[looked], labels[looked]))


def _silhouettes(matrix: Float, labels: Ints) -> Float:
    """The silhouette of each word; empty where there is one cluster, or none has two words."""
    from sklearn.metrics import silhouette_samples

    if not 2 <= len(np.unique(labels)) < len(matrix):
        return np.zeros(0, np.float32)
    return np.asarray(silhouette_samples(matrix, labels), np.float32)


def shuffled(unit: Float, random: np.random.Generator) -> Float:
    """Unit rows whose coordinates along each principal direction are permuted; the basis itself does not matter."""
    copy = permuted(unit, random)[0].T
    lengths = np.maximum(np.linalg.norm(copy, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return np.ascontiguousarray(copy / lengths, dtype=np.float32)


def central_rows(unit: Float, inside: Any, center: Float) -> Ints:
    """Places of the words of a cluster that are nearest to its center."""
    own = np.flatnonzero(inside)
    return np.asarray(own[np.argsort(-(unit[own] @ center), kind="stable")[:NAMES]])


def name_of(words: tuple[str, ...]) -> str:
    """As many of these words as make a short name, the first one cut where it is long."""
    name = words[0] if len(words[0]) <= _LONGEST_NAME else words[0][: _LONGEST_NAME - 1] + "…"
    for word in words[1:]:
        if len(name) + len(word) + 2 > _LONGEST_NAME:
            break
        name += f", {word}"
    return name
