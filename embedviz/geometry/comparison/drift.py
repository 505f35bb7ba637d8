"""Drift: whether two sets of vectors come from one distribution, and what changed.

A logistic regression learns from some rows which set a row belongs to, and is tested on other rows (classifier
two-sample test; Lopez-Paz and Oquab 2017). Its area under the ROC curve (AUC) is compared with the AUC for permuted
labels. The two rows of a word are always in the same fold. If the smaller set shares at least half of its words (or
15,000 words), only shared words are used, and a permutation swaps the labels of the two rows of a word. So the words
themselves do not reveal the set.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core import device
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.geometry.comparison.overlap import CHANGES, Overlap, nearest_places, overlap_of, sampled_places
from embedviz.geometry.comparison.shared import MOST, shared, unit_pair

SAMPLE = 1_000
"""Maximum number of rows of each set of vectors for the classifier."""
FEW = 40
PERMUTATIONS = 99
FOLDS = 5
DIRECTIONS = 50
"""Maximum number of principal components, of both sets together, for the classifier."""
K = 10
_COMPARED = 1_000  # maximum number of shared words whose neighbors are compared


@dataclass(frozen=True, eq=False)
class Drift:
    """The drift from one set of vectors to another.

    Attributes:
        one, other: Names of the two spaces.
        auc: Area under the ROC curve of held-out rows; 0.5 if the sets cannot be told apart.
        permuted: AUC for each permutation of the labels, (p,).
        split: AUC for two random halves of the rows of the first set.
        rows: Number of rows of each set for the classifier.
        paired: Whether the rows of both sets stand for the same words.
        overlap: The neighbors that shared words keep; None if fewer than 40 words are shared.
        halves: Share of neighbors kept between two random halves of the dimensions of the first set. None if `overlap`
            is None, or if the set has three dimensions or fewer.
    """

    one: str
    other: str
    auc: float
    permuted: NDArray[np.float64]
    split: float
    rows: int
    paired: bool
    overlap: Overlap | None
    halves: float | None

    @property
    def p(self) -> float:
        """Return the p-value: the share of permutations of the labels whose AUC is at least `auc`.

        The true labels count as one of the permutations.
        """
        return float((1 + np.count_nonzero(self.permuted >= self.auc - 1e-12)) / (1 + len(self.permuted)))

    @property
    def found(self) -> bool:
        """Return whether the distributions differ: p is at most .05."""
        return self.p <= LEVEL

    @property
    def meaning(self) -> str:
        """Say whether the vectors drifted as a whole, and how many shared words keep none of their neighbors."""
        return self.whole if self.overlap is None else f"{self.whole} {self.overlap.by_word}"

    @property
    def whole(self) -> str:
        """Say whether the two sets of vectors differ as a whole."""
        p = f"p = {number(self.p)}"
        if not self.found:
            return f"As a whole: no drift found; a classifier tells the two sets apart no better than by chance ({p})."
        return f"As a whole: the vectors drifted; a classifier tells the two sets apart (AUC {number(self.auc)}, {p})."

    @property
    def note(self) -> str:
        """Describe the sample, the method and the baselines."""
        of = "words of both sets" if self.paired else "random rows of each set"
        halves = ""
        if self.overlap is not None and self.halves is not None:
            halves = (
                f" {len(self.overlap.looked):,} shared words keep {self.overlap.within} of their {self.overlap.k} "
                f"nearest neighbors; unrelated spaces {share(self.overlap.chance)}. Between two random halves of the "
                f"dimensions of {self.one}, where nothing drifted, they keep {share(self.halves)}."
            )
        return (
            f"Logistic regression on {self.rows:,} {of}, {FOLDS} folds, {DIRECTIONS} principal directions at most. AUC "
            f"{number(self.auc)}; permuted labels {number(float(self.permuted.mean()))} on average, "
            f"{number(float(np.quantile(self.permuted, 0.95)))} at the 95th percentile of {len(self.permuted)}; two "
            f"random halves of the rows of {self.one} {number(self.split)}.{halves} Two trainings that differ only "
            "in their seed also count as drifted, since their axes differ."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows: the compared words, most changed first; no rows if `overlap` is None."""
        return (CHANGES, iter(())) if self.overlap is None else self.overlap.table()

    def card(self) -> dict[str, Any]:
        """Return the results as plain JSON values."""
        return {
            "drifted": self.found,
            "auc": self.auc,
            "p": self.p,
            "permutations": len(self.permuted),
            "split_auc": self.split,
            "rows": self.rows,
            "paired": self.paired,
            "neighbors_kept": None if self.overlap is None else self.overlap.card(),
            "halves": self.halves,
            "moved": [] if self.overlap is None else [each.card() for each in self.overlap.changed(20)],
            "meaning": self.meaning,
        }


@offered("found", "print(found.meaning)", "print(found.note)")
def drift(
    one: VectorSpace,
    other: VectorSpace,
    *,
    sample: int = SAMPLE,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    report: Report | None = None,
) -> Drift:
    """Test whether a classifier separates two sets of vectors beyond chance, and compare the neighbors of shared words.

    Args:
        sample: Maximum number of rows of each set for the classifier, drawn at random.
        permutations: Number of permutations of the labels, at least 19.

    Raises:
        OptionError: The sets have different dimensions, a set has fewer than 40 rows that are not zero, or there are
            too few permutations.
    """
    if one.dimensions != other.dimensions:
        raise OptionError(
            f"{one.origin.name} has {one.dimensions} dimensions, {other.origin.name} has {other.dimensions}. The drift "
            "test needs vectors of the same model. To compare the neighbors of words only, use Compare."
        )
    if permutations < 19:
        raise OptionError(f"{permutations} permutations were given; 19 are the least for p = .05.")
    random = np.random.default_rng(seed)
    ours, theirs = (np.flatnonzero(each.norms > 0) for each in (one, other))
    if min(len(ours), len(theirs)) < FEW:
        raise OptionError(f"Each set needs {FEW} rows with a direction; there are {len(ours):,} and {len(theirs):,}.")
    try:
        both = shared(one, other, most=MOST, seed=seed)
    except OptionError:
        both = None
    if both is not None and len(both) < FEW:
        both = None
    paired = both is not None and len(both) >= 0.5 * min(len(ours), len(theirs), MOST)
    if paired and both is not None:
        looked = sampled_places(len(both), sample, seed)
        rows, group = (both.ours[looked], both.theirs[looked]), np.tile(np.arange(len(looked)), 2)
    else:
        m = min(sample, len(ours), len(theirs))
        rows = random.choice(ours, m, replace=False), random.choice(theirs, m, replace=False)
        group = _groups(one, other, rows)
    m = len(rows[0])
    matrix = np.concatenate([np.asarray(one.matrix[rows[0]]), np.asarray(other.matrix[rows[1]])])
    auc, permuted = _separated(matrix, group, paired, permutations, random, report)
    half = m - m % 2
    order = random.permutation(m)[:half]
    split, _ = _separated(np.asarray(one.matrix[rows[0][order]]), np.arange(half), False, 0, random, None)
    neighbors = halves = None
    if both is not None:
        tell(report, 0.9, "neighbors of shared words")
        pair = unit_pair(one, other, both)
        neighbors = overlap_of(both, pair, sampled_places(len(both), _COMPARED, seed), K)
        halves = _halves(pair[0], neighbors.looked, neighbors.k, random) if one.dimensions > 3 else None
    tell(report, 1.0, "done")
    return Drift(one.origin.name, other.origin.name, auc, permuted, split, m, paired, neighbors, halves)


def _groups(one: VectorSpace, other: VectorSpace, rows: tuple[Ints, Ints]) -> Ints:
    """Return a group number for each row, (2m,); rows of the same word have the same number."""
    words = [*one.words_at(rows[0]), *other.words_at(rows[1])]
    return np.asarray(np.unique(np.asarray(words), return_inverse=True)[1], np.int64).reshape(-1)


def _separated(
    matrix: Float, group: Ints, paired: bool, permutations: int, random: np.random.Generator, report: Report | None
) -> tuple[float, NDArray[np.float64]]:
    """Return the AUC of a classifier between two sets of m rows, and the AUC for each permutation, (p,).

    The classifier is tested by cross-validation. The first m rows of `matrix` are one set, the others are the other
    set.

    Args:
        group: Group numbers, (2m,); rows of one group are in the same fold.
        paired: Whether rows i and m + i are a pair. A permutation then swaps the labels within some pairs.
    """
    m = len(matrix) // 2
    seen = _directions(np.asarray(matrix, np.float64), min(DIRECTIONS, m // 4))
    folds = random.integers(0, FOLDS, int(group.max()) + 1)[group]
    labels = np.repeat([0, 1], m)
    auc, found = _auc(seen, labels, folds), np.empty(permutations)
    for place in range(permutations):
        tell(report, 0.9 * place / permutations, f"{place} of {permutations} permutations")
        if paired:
            flips = random.integers(0, 2, m)
            shuffled = np.concatenate([flips, 1 - flips])
        else:
            shuffled = random.permutation(labels)
        found[place] = _auc(seen, shuffled, folds)
    return auc, found


def _directions(matrix: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return the features of the classifier: scores on principal components, and row lengths, all standardized."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    centered = matrix - matrix.mean(axis=0)
    _, values, axes = np.linalg.svd(centered, full_matrices=False)
    count = max(1, min(most, int(np.count_nonzero(values > 1e-6 * max(values[0], 1e-30)))))
    found = np.hstack([centered @ axes[:count].T, lengths])
    spread = found.std(axis=0)
    return np.asarray((found - found.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0))


def _auc(seen: NDArray[np.float64], labels: Ints, folds: Ints) -> float:
    """Return the area under the ROC curve of held-out rows, as the mean over folds; 0.5 if no fold can be tested."""
    from scipy.stats import rankdata
    from sklearn.linear_model import LogisticRegression

    found = []
    with device.library_threads():
        for fold in range(FOLDS):
            held = folds == fold
            ones = int(labels[held].sum())
            zeros = int(held.sum()) - ones
            if not ones or not zeros or len(np.unique(labels[~held])) < 2:
                continue
            model = LogisticRegression(C=0.1, tol=1e-2, max_iter=50).fit(seen[~held], labels[~held])
            ranks = rankdata(model.decision_function(seen[held]))[labels[held] == 1]
            found.append(float((ranks.sum() - ones * (ones + 1) / 2) / (ones * zeros)))  # Mann and Whitney 1947
    return float(np.mean(found)) if found else 0.5


def _halves(unit: Float, looked: Ints, k: int, random: np.random.Generator) -> float:
    """Return the mean share of a row's k nearest neighbors that are the same in two halves of the dimensions, 0 to 1.

    The dimensions are divided into these halves at random. The mean is over the rows with indices `looked`.
    """
    order = random.permutation(unit.shape[1])
    near = []
    for part in (order[: len(order) // 2], order[len(order) // 2 :]):
        rows = np.ascontiguousarray(unit[:, part])
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)
        near.append(nearest_places(rows, looked, k))
    return float((near[0][:, :, None] == near[1][:, None, :]).any(axis=2).mean())
