"""Neighbors kept at every scale: ranks in the space beside ranks on the map (Lee and Verleysen 2009)."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints

Doubles = NDArray[np.float64]
TRIPLETS_EACH = 100
_BLOCK = 4_000_000  # distances held at a time
_FEWEST = 12  # nearest below which a jump of distances is not looked for
_LEAST_DISTANCE = 1e-3  # parts of the mean distance: equal rows are taken to lie as far apart


class Ranks(NamedTuple):
    """What a map keeps of the neighbors of a sample of its n points.

    Attributes:
        joint: For each k from 1 to n − 1, the share of the k nearest in the space that are among the k nearest on the
            map, Q_NX(k); shape (n − 1,).
        preserved: The same at one k for each point looked at, (m,).
        intruders, missing: Mean excess of rank over k of the points that are near on the map alone, and in the space
            alone, a point looked at.
        gaps: For each of some scales k, how abruptly the distances in the space grow beyond the k nearest on the map:
            0 where they go on as before, as in a cloud of whatever dimension; shape (s,).
        far: Share of random triplets (point, two others) whose order of distances the map keeps.
        triplets: How many.
    """

    joint: Doubles
    preserved: Float
    intruders: float
    missing: float
    gaps: Doubles
    far: float
    triplets: int

    @property
    def beyond_random(self) -> Doubles:
        """Return R_NX(k) for k from 1 to n − 2: 0 for a random layout, 1 for a perfect one (Lee et al. 2013)."""
        return beyond_random(self.joint)


def beyond_random(joint: Doubles) -> Doubles:
    """Return R_NX(k) = ((n − 1) Q_NX(k) − k) / (n − 1 − k) for k from 1 to n − 2."""
    others = len(joint)
    k = np.arange(1, others)
    return (others * joint[:-1] - k) / (others - k)


def ranks(
    high: Float, low: Float, looked: Ints, k: int, scales: Ints, seed: int = 0, report: Report | None = None
) -> Ranks:
    """Compare ranks in the space with ranks on the map, of all n points as seen from some.

    A pair counts towards Q_NX(k) where both ranks are at most k, so the histogram of the greater of both gives the
    curve at every k at once. Equal distances are ordered at random, in the space and on the map apart.

    Args:
        high: The rows, (n, d); distances are Euclidean.
        low: The points, (n, 2) or (n, 3).
        looked: The points to look from, (m,).
        k: Of `preserved`, `intruders` and `missing`.
        scales: Numbers of nearest that `gaps` looks at, (s,).
    """
    others = len(high) - 1
    random = np.random.default_rng(seed)
    histogram = np.zeros(others + 1, np.int64)
    preserved, gaps = np.empty(len(looked), np.float32), np.zeros(len(scales))
    intruders = missing = right = 0.0
    places = np.arange(1, others + 1)
    for start, rows, far_high, far_low, order_low, aligned in blocks(high, low, looked, random, report):
        histogram += np.bincount(np.maximum(aligned, places).ravel(), minlength=others + 1)
        near = aligned[:, :k]
        preserved[start : start + len(rows)] = np.count_nonzero(near <= k, axis=1) / k
        intruders += float(np.maximum(near - k, 0).sum())
        missing += float(np.where(aligned[:, k:] <= k, places[k:] - k, 0).sum())
        gaps += _gaps(far_high, order_low, scales)
        right += _far_order(far_high, far_low, rows, random)
    m = len(looked)
    joint = np.cumsum(histogram[1:]) / (np.arange(1, others + 1) * m)
    return Ranks(joint, preserved, intruders / m, missing / m, gaps / m, right / (m * TRIPLETS_EACH), m * TRIPLETS_EACH)


class Block(NamedTuple):
    """Some of the points that are looked from, and all others as they see them.

    Attributes:
        start: Place of the first of them among those looked from; `rows`: which they are, (m,).
        far_high, far_low: Squared distances to all in the space and on the map, (m, n).
        order_low: The others, nearest on the map first, (m, n − 1).
        aligned: The ranks of these in the space, from 1 on, (m, n − 1).
    """

    start: int
    rows: Ints
    far_high: Float
    far_low: Float
    order_low: Ints
    aligned: NDArray[np.int32]


def blocks(
    high: Float, low: Float, looked: Ints, random: np.random.Generator, report: Report | None = None
) -> Iterator[Block]:
    """Yield ranks in the space and on the map as seen from some points, as many points at a time as memory allows.

    Args:
        high, low, looked: As for `ranks`.
        random: Orders equal distances, in the space and on the map apart.
    """
    shuffled = [random.permutation(len(high)), random.permutation(len(high))]
    above, below = _centered(high), _centered(low)
    step = max(1, _BLOCK // len(high))
    for start in range(0, len(looked), step):
        rows = looked[start : start + step]
        far_high, far_low = _squared(*above, rows), _squared(*below, rows)
        rank_high, order_low = _ranked(far_high, shuffled[0]), _ordered(far_low, shuffled[1])
        yield Block(start, rows, far_high, far_low, order_low, np.take_along_axis(rank_high, order_low, axis=1))
        if report is not None:
            done = start + len(rows)
            report(done / len(looked), f"{done:,} of {len(looked):,} points looked at")


def _ordered(distances: Float, shuffled: Ints) -> Ints:
    """Return the others of each row, nearest first, (m, n − 1); equal ones in the random order of `shuffled`."""
    order = np.argsort(distances[:, shuffled], axis=1)[:, :-1]
    return np.asarray(shuffled[order])


def _ranked(distances: Float, shuffled: Ints) -> NDArray[np.int32]:
    """Return the rank of each other point as seen from each row, from 1 on, (m, n); n for the row itself."""
    found = np.empty(distances.shape, np.int32)
    order = np.argsort(distances[:, shuffled], axis=1)
    np.put_along_axis(found, shuffled[order], np.arange(1, distances.shape[1] + 1, dtype=np.int32)[None], axis=1)
    return found


def _gaps(far_high: Float, order_low: Ints, scales: Ints) -> Doubles:
    """Return jumps of the distances beyond the k nearest on the map, summed over the rows, (s,).

    With D(a, b) the mean distance in the space of those from rank a + 1 to b on the map, a jump is
    log D(k, 2k) / D(k/2, k) − log D(k/2, k) / D(k/4, k/2): 0 for any power of the rank. Scales below 12 have none.
    """
    lengths = np.sqrt(np.maximum(np.take_along_axis(far_high, order_low, axis=1), 0))
    sums = np.cumsum(lengths, axis=1, dtype=np.float64)
    others = lengths.shape[1]
    least = np.maximum(_LEAST_DISTANCE * sums[:, -1:] / others, np.finfo(np.float32).tiny)
    found = np.zeros(len(scales))
    wide = np.flatnonzero((scales >= _FEWEST) & (scales < others))
    k = scales[wide]
    edges = [k // 4, k // 2, k, np.minimum(2 * k, others)]
    mean = [(sums[:, b - 1] - sums[:, a - 1]) / (b - a) for a, b in itertools.pairwise(edges)]
    inner, middle, outer = (np.log(np.maximum(each, least)) for each in mean)
    found[wide] = (outer - 2 * middle + inner).sum(axis=0)
    return found


def _far_order(far_high: Float, far_low: Float, rows: Ints, random: np.random.Generator) -> float:
    """Return in how many random triplets of these rows and two others the map keeps which is the farther."""
    n = far_high.shape[1]
    here = np.arange(len(rows))[:, None]
    one = random.integers(1, n, (len(rows), TRIPLETS_EACH))
    other = random.integers(1, n - 1, one.shape)
    other += other >= one
    one, other = (rows[:, None] + one) % n, (rows[:, None] + other) % n
    in_space = np.sign(far_high[here, one] - far_high[here, other])
    on_map = np.sign(far_low[here, one] - far_low[here, other])
    return float(np.count_nonzero(in_space == on_map))


def _centered(matrix: Float) -> tuple[Float, Float]:
    """Return the rows about their mean, and their squared lengths."""
    centered = matrix - matrix.mean(axis=0)
    return centered, np.einsum("ij,ij->i", centered, centered)


def _squared(centered: Float, lengths: Float, rows: Ints) -> Float:
    """Return squared Euclidean distances of these rows to all, (m, n); a row to itself is infinite."""
    squared = lengths[rows][:, None] + lengths[None, :] - 2 * centered[rows] @ centered.T
    squared[np.arange(len(rows)), rows] = np.inf
    return np.asarray(squared, np.float32)
