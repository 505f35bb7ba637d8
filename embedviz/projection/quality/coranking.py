"""Neighbors that a map keeps, for every k: ranks in the space against ranks on the map (Lee and Verleysen 2009)."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, square_scale

Doubles = NDArray[np.float64]
TRIPLETS_EACH = 100
_BLOCK = 4_000_000  # distances held at a time
_FEWEST = 12  # number of neighbors below which no jump of distances is computed
_LEAST_DISTANCE = 1e-3  # a share of the mean distance; shorter distances, as of equal rows, are raised to it


class Ranks(NamedTuple):
    """How well a map keeps the neighbors of m of its n points.

    Attributes:
        joint: Q_NX(k) for each k from 1 to n − 1, (n − 1,). It is the share of a point's k nearest in the space that
            the map keeps among its k nearest. The share is averaged over the m points.
        preserved: The same share for each of the m points, at the k that `ranks()` was given, (m,).
        intruders: For each of the m points, (rank in the space − k) is summed over the points that are among its k
            nearest only on the map. This is the mean of the m sums.
        missing: For each of the m points, (rank on the map − k) is summed over the points that are among its k nearest
            only in the space. This is the mean of the m sums.
        gaps: For each tested number of neighbors k, how abruptly the distances in the space grow beyond the k nearest
            on the map, (s,). It is 0 if the distances grow steadily, as in a cloud of any dimension.
        far: Share of random triplets whose order of distances the map keeps. A triplet is a point and two other
            points; the order says which of the two is nearer to the point.
        triplets: Number of triplets.
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
    """Return R_NX(k) = ((n − 1) Q_NX(k) − k) / (n − 1 − k) for k from 1 to n − 2; `joint` is Q_NX for all k."""
    others = len(joint)
    k = np.arange(1, others)
    return (others * joint[:-1] - k) / (others - k)


def ranks(
    high: Float, low: Float, looked: Ints, k: int, scales: Ints, seed: int = 0, report: Report | None = None
) -> Ranks:
    """Compare the ranks of all n points in the space with their ranks on the map, as seen from m points.

    A neighbor of a point counts towards Q_NX(k) if its rank is at most k both in the space and on the map. So a
    histogram of the greater of the two ranks gives the curve at every k. Equal distances are ordered at random,
    independently in the space and on the map.

    Args:
        high: The rows, (n, d); distances are Euclidean.
        low: The points, (n, 2) or (n, 3).
        looked: The m points from which ranks are counted, (m,).
        k: Number of neighbors for `preserved`, `intruders` and `missing`.
        scales: Numbers of neighbors for `gaps`, (s,).
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
    """A block of m points, and the ranks of all n points by distance from each of them.

    Attributes:
        start: Index of the first of the m points among all points from which ranks are counted.
        rows: The m points, as indices into all n points, (m,).
        far_high, far_low: Squared distances of the m points to all points, in the space and on the map, (m, n).
        order_low: For each of the m points, all other points, nearest on the map first, (m, n − 1).
        aligned: The rank in the space of each point of `order_low`, from 1 on, (m, n − 1).
    """

    start: int
    rows: Ints
    far_high: Float
    far_low: Float
    order_low: Ints
    aligned: NDArray[np.int32]


def rank_scale(n: int, k: int) -> float:
    """Return the factor that scales the sum of (rank − k) over a point's wrong neighbors to at most 1.

    Trustworthiness is 1 minus the mean of these scaled sums over the n points (Venna and Kaski 2001).
    """
    return 2.0 / (k * max(1, 2 * n - 3 * k - 1))


def blocks(
    high: Float, low: Float, looked: Ints, random: np.random.Generator, report: Report | None = None
) -> Iterator[Block]:
    """Yield the ranks in the space and on the map, as seen from the points `looked`, in blocks that fit in memory.

    Args:
        high, low, looked: As for `ranks()`.
        random: Generator that orders equal distances, independently in the space and on the map.
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
    """Return for each row of distances all points but the row's own, nearest first, (m, n − 1).

    Points at equal distances are in the order of `shuffled`.
    """
    order = np.argsort(distances[:, shuffled], axis=1)[:, :-1]
    return np.asarray(shuffled[order])


def _ranked(distances: Float, shuffled: Ints) -> NDArray[np.int32]:
    """Return for each row of distances the rank of every point, 1 for the nearest, (m, n).

    The row's own point has rank n.
    """
    found = np.empty(distances.shape, np.int32)
    order = np.argsort(distances[:, shuffled], axis=1)
    np.put_along_axis(found, shuffled[order], np.arange(1, distances.shape[1] + 1, dtype=np.int32)[None], axis=1)
    return found


def _gaps(far_high: Float, order_low: Ints, scales: Ints) -> Doubles:
    """Return for each scale k the jump of distances beyond the k nearest on the map, summed over the rows, (s,).

    D(a, b) is the mean distance in the space of the points with ranks a + 1 to b on the map. The jump is
    log(D(k, 2k) / D(k/2, k)) − log(D(k/2, k) / D(k/4, k/2)). It is 0 if the distance is a power of the rank, and for k
    below 12.
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
    """Return the number of random triplets of a row and two other points whose order of distances the map keeps.

    The map keeps the order if the same point is nearer to the row on the map and in the space.
    """
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
    """Return the rows minus their mean, and the squared lengths of the results.

    If squares may be out of the range of float32, all rows are divided by their largest number: ranks stay the same.
    """
    centered = matrix - matrix.mean(axis=0)
    if (size := square_scale(centered)) != 1.0:
        centered = centered / size
    return centered, np.einsum("ij,ij->i", centered, centered)


def _squared(centered: Float, lengths: Float, rows: Ints) -> Float:
    """Return the squared Euclidean distances of these rows to all rows, (m, n); infinite from a row to itself."""
    squared = lengths[rows][:, None] + lengths[None, :] - 2 * centered[rows] @ centered.T
    squared[np.arange(len(rows)), rows] = np.inf
    return np.asarray(squared, np.float32)
