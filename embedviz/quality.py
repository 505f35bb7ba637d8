"""How far a map can be trusted: what it keeps of the space, each number with its chance level and sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.intervals import margin
from embedviz.options import OptionError
from embedviz.progress import Report
from embedviz.space import Float, Ints, VectorSpace

K = 15
"""Neighbors that a map's quality looks at."""
SAMPLE = 3_000
TRIPLETS = 100_000
_BLOCK = 8_000_000  # distances held at a time

_NUMBERS = (
    *("neighbor_preservation", "chance", "margin", "triplet_accuracy", "triplet_chance", "trustworthiness"),
    *("continuity", "k", "metric", "sample", "shown", "triplets"),
)


@dataclass(frozen=True, eq=False)
class Quality:
    """What a map keeps of the space it was made from, measured among the words shown.

    Attributes:
        k: Neighbors looked at.
        neighbor_preservation: Share of a word's k nearest in the space that are among its k nearest on the map, 0 to 1.
        chance: The same for a random map: k / (n − 1).
        margin: Half the 95 % interval of the preservation; 0 when every word was looked at.
        triplet_accuracy: Share of random triplets whose order of distances the map keeps (far order).
        trustworthiness, continuity: Venna and Kaski 2001, 0 to 1.
        metric: What near means in the space.
        sample: Words looked at; `shown`: words on the map.
        rows: Positions on the map of the words looked at, shape (sample,).
        kept: Share of neighbors kept for each of them, shape (sample,).
    """

    k: int
    neighbor_preservation: float
    chance: float
    margin: float
    triplet_accuracy: float
    triplet_chance: float
    trustworthiness: float
    continuity: float
    metric: str
    sample: int
    shown: int
    triplets: int
    rows: Ints
    kept: Float

    @property
    def permission(self) -> Permission:
        """What may be read from the map."""
        return permission(self.neighbor_preservation, self.triplet_accuracy, self.chance)

    def worst(self, count: int | None = None) -> Ints:
        """Positions of the words that lost the most neighbors, worst first; a tenth of the words, twenty at most."""
        count = max(1, min(20, self.sample // 10)) if count is None else count
        return self.rows[np.argsort(self.kept, kind="stable")[:count]]

    def card(self) -> dict[str, float | int | str]:
        """The numbers as plain JSON values."""
        return {name: getattr(self, name) for name in _NUMBERS}


class Permission(NamedTuple):
    """A reading that a map allows: `level` 0 to 3, its short form, and what may and may not be read."""

    level: int
    title: str
    allowed: str
    forbidden: str


_PERMISSIONS = (
    Permission(0, "Do not read distances", "nothing but single labels.", "near, far, patches and gaps."),
    Permission(
        1,
        "Read the outline",
        "broad directions: which end of the map a point lies toward.",
        "neighbors, patches, gaps.",
    ),
    Permission(2, "Read groups", "which points form a patch.", "gaps, patch sizes, single pairs."),
    Permission(
        3, "Read neighbors", "which points lie next to each other, and which form a patch.", "gaps and patch sizes."
    ),
)


def permission(preservation: float, triplets: float, chance: float = 0.0) -> Permission:
    """What a map allows that keeps this share of neighbors and of far order.

    The share is taken beyond chance, (kept − chance) ÷ (1 − chance): on a map of forty words a random layout keeps a
    third of all neighbors, and may be read for nothing all the same.
    """
    beyond = (preservation - chance) / (1 - chance) if chance < 1 else 0.0
    if beyond >= 0.5:
        return _PERMISSIONS[3]
    if beyond >= 0.2:
        return _PERMISSIONS[2]
    return _PERMISSIONS[1 if triplets >= 0.6 else 0]


def neighbors_looked_at(n: int, k: int = K) -> int:
    """k, cut to less than half of the other words of a map of n."""
    return max(1, min(k, (n - 1) // 2))


def measure(
    space: VectorSpace,
    rows: Ints,
    points: Float,
    *,
    k: int = K,
    metric: str = "cosine",
    sample: int = SAMPLE,
    triplets: int = TRIPLETS,
    seed: int = 0,
    report: Report | None = None,
) -> Quality:
    """The quality of a map of these rows at these points, among the words shown.

    Args:
        rows: Rows of the space on the map, (n,).
        points: Where they lie, (n, 2) or (n, 3).
        metric: *cosine* or *euclidean*: what near means in the space.
        sample: Words looked at, drawn at random where the map shows more.

    Raises:
        OptionError: Fewer than four words, only equal ones, or another metric.
    """
    n = len(rows)
    if n < 4:
        raise OptionError(f"{n} words are too few to measure a map; four are needed.")
    if metric not in ("cosine", "euclidean"):
        raise OptionError(f"metric is {metric!r}; it may be cosine or euclidean.")
    k = neighbors_looked_at(n, k)
    high = np.asarray(space.unit_rows(rows) if metric == "cosine" else space.matrix[rows])
    low = np.asarray(points, np.float32)
    if not np.ptp(high, axis=0).any():
        raise OptionError(f"All {n:,} rows shown are equal: none is nearer than another, so there is nothing to keep.")
    random = np.random.default_rng(seed)
    looked = np.arange(n) if n <= sample else np.sort(random.choice(n, sample, replace=False))
    kept, intruders, missing = _ranks(high, low, looked, k, report)
    scale = 2.0 / (len(looked) * k * max(1, 2 * n - 3 * k - 1))
    accuracy = _far_order(high, low, triplets, random)
    return Quality(
        k,
        float(kept.mean()),
        k / (n - 1),
        margin(kept, n),
        accuracy,
        0.5,
        1.0 - scale * intruders,
        1.0 - scale * missing,
        metric,
        len(looked),
        n,
        triplets,
        looked,
        kept,
    )


def _ranks(high: Float, low: Float, looked: Ints, k: int, report: Report | None) -> tuple[Float, float, float]:
    """Share of neighbors kept for each word, and the summed rank excess of intruders and of missing neighbors."""
    kept = np.empty(len(looked), np.float32)
    intruders = missing = 0.0
    step = max(1, _BLOCK // len(high))
    above, below = _centered(high), _centered(low)
    for start in range(0, len(looked), step):
        rows = looked[start : start + step]
        far_high, far_low = _squared(*above, rows), _squared(*below, rows)
        near_high, near_low = _k_nearest(far_high, k), _k_nearest(far_low, k)
        for position in range(len(rows)):
            ours, theirs = near_high[position], near_low[position]
            kept[start + position] = len(np.intersect1d(ours, theirs, assume_unique=True)) / k
            intruders += _excess(far_high[position], np.setdiff1d(theirs, ours, assume_unique=True), k)
            missing += _excess(far_low[position], np.setdiff1d(ours, theirs, assume_unique=True), k)
        if report is not None:
            done = start + len(rows)
            report(done / len(looked), f"{done:,} of {len(looked):,} words looked at")
    return kept, intruders, missing


def _excess(distances: Float, others: Ints, k: int) -> float:
    """By how much the ranks of these words (1 is nearest) exceed k, summed."""
    if not len(others):
        return 0.0
    ranks = np.searchsorted(np.sort(distances), distances[others], side="left") + 1
    return float(np.maximum(ranks - k, 0).sum())


def _centered(matrix: Float) -> tuple[Float, Float]:
    """The rows about their mean, and their squared lengths."""
    centered = matrix - matrix.mean(axis=0)
    return centered, np.einsum("ij,ij->i", centered, centered)


def _squared(centered: Float, lengths: Float, rows: Ints) -> Float:
    """Squared Euclidean distances of these rows to all, (m, n); a row to itself is infinite."""
    squared = lengths[rows][:, None] + lengths[None, :] - 2 * centered[rows] @ centered.T
    squared[np.arange(len(rows)), rows] = np.inf
    return np.asarray(squared, np.float32)


def _k_nearest(distances: Float, k: int) -> Ints:
    return np.asarray(np.argpartition(distances, k - 1, axis=1)[:, :k])


def _far_order(high: Float, low: Float, count: int, random: Any) -> float:
    """Share of random triplets in which the map keeps which of two words is the farther."""
    n = len(high)
    anchor, one, other = (random.integers(0, n, count) for _ in range(3))
    apart = (anchor != one) & (anchor != other) & (one != other)
    anchor, one, other = anchor[apart], one[apart], other[apart]
    right = total = 0
    for start in range(0, len(anchor), 20_000):
        a, b, c = (index[start : start + 20_000] for index in (anchor, one, other))
        in_space = _gap(high, a, b) < _gap(high, a, c)
        on_map = _gap(low, a, b) < _gap(low, a, c)
        right += int(np.count_nonzero(in_space == on_map))
        total += len(a)
    return right / max(1, total)


def _gap(matrix: Float, left: Ints, right: Ints) -> Float:
    difference = matrix[left] - matrix[right]
    return np.asarray(np.einsum("ij,ij->i", difference, difference))
