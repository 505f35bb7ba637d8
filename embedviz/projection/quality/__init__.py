"""Quality of a map: how much structure of the space it keeps, compared with maps of structureless copies."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from embedviz import projection
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import lasting
from embedviz.core.progress import Report, part
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.intervals import margin
from embedviz.core.stats.resampling import drawn_rows
from embedviz.projection.quality.copied import Copies, MapSampling, copies
from embedviz.projection.quality.coranking import Doubles, Ranks, beyond_random, rank_scale, ranks
from embedviz.projection.quality.permissions import (
    FEWEST,
    CopyBand,
    MapSummary,
    Permission,
    Permissions,
    as_share,
    band,
    permissions,
    tests,
)

__all__ = [
    "Checked",
    "CopyBand",
    "Cost",
    "Permission",
    "Permissions",
    "Quality",
    "as_seen",
    "check",
    "estimate",
    "measure",
    "neighbors_compared",
    "neighbors_looked_at",
    "rank_chance",
]

K = 15
"""Number of nearest neighbors of each point that are compared in the space and on the map."""
SAMPLE = 1_000
"""Maximum number of points that `measure` samples by default."""
MOST_COPIES, USUAL_FEWEST, FEWEST_COPIES = 19, 5, 3
"""Number of structureless copies: the maximum, the minimum by default, and the minimum that a caller may request.

With three copies, a value of the map must exceed the mean of the copies by 15 standard deviations.
"""
AFFORDABLE = 30.0
"""Seconds that all copies together may take. If one copy takes long, there are fewer copies."""
SCALES = 8
_CHEAP, _DEAR = 1_200_000, 10_000_000  # pairs of points that are ranked, at least and at most
_USUAL, _FEWEST = 500, 60  # points that are measured on a large map, and on a very large map
_DRAWN = 36  # values of k at which a curve is computed
_FAR = 0.8  # the largest k, as a share of the other points

_NUMBERS = (
    *("neighbor_preservation", "chance", "margin", "triplet_accuracy", "triplet_chance", "trustworthiness"),
    *("continuity", "rank_chance", "k", "metric", "sample", "shown", "triplets"),
)


@dataclass(frozen=True, eq=False)
class Quality:
    """How much structure of the space a map keeps, measured among the words on the map.

    Attributes:
        k: Number of neighbors of each word that are compared.
        neighbor_preservation: Share of a word's k nearest words in the space that are also among its k nearest words on
            the map. It is averaged over the measured words, 0 to 1.
        chance: The expected `neighbor_preservation` of a random map: k / (n − 1).
        margin: Half the width of the 95 % interval of `neighbor_preservation`; 0 if every word was measured.
        triplet_accuracy: Share of random triplets that keep their order. A triplet is a word and two other words. It
            keeps its order if the word is nearer to the same one of the two in the space and on the map.
        triplet_chance: The expected `triplet_accuracy` of a random map: 0.5.
        trustworthiness, continuity: Venna and Kaski 2001, 0 to 1.
        rank_chance: The expected trustworthiness of a random map, which is also its expected continuity.
        metric: The metric in the space, *cosine* or *euclidean*.
        sample: Number of words that were measured.
        shown: Number of words on the map; under *cosine*, without rows of zeros.
        triplets: Number of random triplets.
        rows: The measured words, as indices into the words of the map, (sample,).
        preserved: For each measured word, the share of its k nearest neighbors that the map keeps, (sample,).
        joint: Q_NX(k): the `neighbor_preservation` for each number of neighbors from 1 to shown − 1, (shown − 1,).
        gaps: For each of s tested numbers of neighbors k, how abruptly the distances in the space grow beyond the k
            nearest on the map, (s,); see `coranking.Ranks`.
    """

    k: int
    neighbor_preservation: float
    chance: float
    margin: float
    triplet_accuracy: float
    triplet_chance: float
    trustworthiness: float
    continuity: float
    rank_chance: float
    metric: str
    sample: int
    shown: int
    triplets: int
    rows: Ints
    preserved: Float
    joint: Doubles
    gaps: Doubles

    @cached_property
    def curve(self) -> Doubles:
        """Return R_NX(k) for k from 1 to n − 2 on a map of n words: 0 for a random map, 1 for a perfect one.

        R_NX(k) is the share of the k nearest neighbors that the map keeps, rescaled by the share of a random map.
        """
        return beyond_random(self.joint)

    def worst(self, count: int | None = None) -> Ints:
        """Return the measured words that lost most neighbors, worst first, as indices into the words of the map.

        `count` is the number of words; by default it is a tenth of the measured words, at most twenty.
        """
        count = max(1, min(20, self.sample // 10)) if count is None else count
        return self.rows[np.argsort(self.preserved, kind="stable")[:count]]

    def card(self) -> dict[str, float | int | str]:
        """Return the results as a mapping from name to plain JSON value."""
        return {name: getattr(self, name) for name in _NUMBERS}


class Point(NamedTuple):
    """The co-ranking curve at one k: R_NX(k) of the map, its mean over the copies, and the band of the copies."""

    k: int
    value: float
    copies: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Checked:
    """The quality of a map, with the measures of maps that the same method draws of structureless copies.

    Attributes:
        quality: The quality of the map.
        copies: The measures of the maps of the copies.
        looked: The points and the numbers of neighbors at which all maps are measured, and the seed.
        method: Name of the projection method in `PROJECTIONS`.
    """

    quality: Quality
    copies: Copies
    looked: MapSampling
    method: str

    @cached_property
    def band(self) -> CopyBand:
        """Return for each measure of a map its mean and its chance band over the copies.

        In 95 % of cases, no tested value of one more copy is above the upper end of its band.
        """
        return band(self.copies.found, tests(self.looked.scales))

    @cached_property
    def permissions(self) -> Permissions:
        """Return the permissions to read neighbors, groups and long distances from the map."""
        found = self.quality
        summary = MapSummary(found.curve[self.looked.ks - 1], found.gaps, np.asarray(2 * found.triplet_accuracy - 1))
        return permissions(summary, self.band, self.looked.ks, self.looked.scales, found.shown)

    @cached_property
    def permissions_of_copy(self) -> Permissions:
        """Return the permissions for the map of the first structureless copy, tested against all other copies."""
        first, rest = (MapSummary(*(each[part] for each in self.copies.found)) for part in (0, slice(1, None)))
        ks, scales = self.looked.ks, self.looked.scales
        return permissions(first, band(rest, tests(scales)), ks, scales, self.quality.shown)

    @property
    def judged(self) -> bool:
        """Return whether the map has at least `FEWEST` points; with fewer, a user may read nothing from the map."""
        return self.quality.shown >= FEWEST

    @property
    def neighbors_in_copies(self) -> float:
        """Return the share of the k nearest neighbors that the maps of structureless copies keep on average."""
        return self.permissions.neighbors.copies

    @cached_property
    def points(self) -> list[Point]:
        """Return points of the curve by ascending k: R_NX of the map, with the mean and the band of the copies."""
        ks, curve = self.looked.ks, self.quality.curve
        columns = (curve[ks - 1], *(each.curve for each in self.band))
        return [Point(int(k), *map(float, values)) for k, *values in zip(ks, *columns, strict=True)]

    @cached_property
    def shares(self) -> list[Point]:
        """Return Q_NX, the share of the k nearest neighbors that the map keeps, for each k of `points`.

        Each item also has the mean and the band of this share over the copies. A random layout of n points keeps the
        share k ÷ (n − 1).
        """
        n = self.quality.shown
        return [Point(each.k, *(as_share(value, each.k, n) for value in each[1:])) for each in self.points]

    def at(self, k: int) -> tuple[float, float]:
        """Return the share of the k nearest neighbors that the map keeps, and the mean share that the copies keep.

        `k` must be one of the numbers of neighbors at which the map was measured.
        """
        point = next(each for each in self.shares if each.k == k)
        return point.value, point.copies

    def worst(self, count: int | None = None) -> Ints:
        """Return the words that lost most neighbors, as indices into the words of the map; see `Quality.worst()`."""
        return self.quality.worst(count)

    def card(self) -> dict[str, Any]:
        """Return as plain JSON values: the quality, what may be read from the map, the curve, and the copies."""
        return {
            **self.quality.card(),
            "permissions": {name: each.card() for name, each in self.permissions._asdict().items()},
            "curve_measure": "neighbors kept beyond a random layout: 0 as many, 1 all",
            "curve": [each._asdict() for each in self.points],
            "copies": {"count": self.copies.count, "seed": self.looked.seed, "kind": "gaussian"},
        }


class Cost(NamedTuple):
    """Cost of a check: number of copies, number of points measured on each map, seconds, and a phrase for people."""

    copies: int
    sample: int
    seconds: float
    sentence: str


def neighbors_compared(n: int, k: int = K) -> int:
    """Return how many neighbors are compared on a map of n words: k, but at most half of the n − 1 other words.

    It is at least 1.
    """
    return max(1, min(k, (n - 1) // 2))


neighbors_looked_at = neighbors_compared  # its old name


def rank_chance(n: int, k: int) -> float:
    """Return the trustworthiness, and the continuity, that a random map of n points is expected to have.

    Each of the k nearest points on a random map may be any of the n − 1 other points. In the space, the rank of such a
    point exceeds k by (n − 1 − k)(n − k) / 2(n − 1) on average.
    """
    return 1 - (n - k - 1) * (n - k) / ((n - 1) * max(1, 2 * n - 3 * k - 1))


def estimate(n: int, d: int, method: str, options: Mapping[str, Any]) -> Cost:
    """Return the cost of checking a map of n words in d dimensions on this machine.

    Raises:
        OptionError: The method is unknown, or an option is out of range.
    """
    n = max(1, n)
    sample = min(n, max(_CHEAP // n, min(_USUAL, max(_FEWEST, _DEAR // n))))
    looking = 0.01 + sample * n * (1.4e-7 + 5e-11 * d)
    one = projection.estimate(n, d, method, options).seconds + looking + 5e-9 * n * d + 1e-10 * n * d * min(n, d)
    count = int(np.clip(AFFORDABLE / one, USUAL_FEWEST, MOST_COPIES))
    seconds = looking + count * one
    return Cost(count, sample, seconds, f"{lasting(seconds)} for its check")


def measure(
    space: VectorSpace,
    rows: Ints,
    points: Float,
    *,
    k: int = K,
    metric: str = "cosine",
    sample: int = SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> Quality:
    """Return the quality of the map that shows these rows at these points.

    Under *cosine* rows of zeros are left out, because they have no direction.

    Args:
        rows: Rows of the space on the map, (n,).
        points: The points of these rows on the map, (n, 2) or (n, 3).
        k: Number of neighbors; at most half of the other words are used.
        metric: The metric in the space, *cosine* or *euclidean*.
        sample: Maximum number of words to measure; if the map has more, they are drawn at random.

    Raises:
        OptionError: There are fewer than four words, all words are equal, or the metric is unknown.
    """
    high, places = as_seen(space, np.asarray(rows, np.int64), metric)
    return _measured(high, places, points, k, metric, _looking(len(high), k, sample, seed), report)


@offered(
    "checked",
    "for name, one in checked.permissions._asdict().items():",
    "    print(name, one.given, one.reason)",
    "print(checked.quality.card())",
)
def check(
    space: VectorSpace,
    rows: Ints,
    method: str = "pca",
    options: Mapping[str, Any] | None = None,
    *,
    points: Float | None = None,
    k: int = K,
    copies: int = 0,
    seed: int = 0,
    report: Report | None = None,
) -> Checked:
    """Return the quality of a map, and the quality of maps of structureless copies of its rows by the same method.

    Args:
        rows: Rows of the space on the map, (n,).
        method, options: Method of the map and its options.
        points: The points of the map, (n, 2) or (n, 3); None computes the map.
        k: Number of neighbors; at most half of the other words are used.
        copies: Number of structureless copies, 3 or more; 0 for as many as half a minute allows, 5 to 19.
        seed: Seed of the copies, and of the sample of words to measure.

    Raises:
        OptionError: There are fewer than four words, all words are equal, `copies` is out of range, or the method
            refuses an option or the rows.
    """
    if copies and copies < FEWEST_COPIES:
        raise OptionError(f"copies is {copies}; it may be 0, or {FEWEST_COPIES} and more.")
    chosen = dict(options or {})
    metric = projection.metric_of(method, chosen)
    rows = np.asarray(rows, np.int64)
    high, places = as_seen(space, rows, metric)
    laying = part(report, 0.0, 0.1 if points is None else 0.0)
    if points is None:
        points = projection.lay_out(space, rows, method, report=laying, **chosen).points
    cost = estimate(len(rows), space.dimensions, method, chosen)
    looked = _looking(len(high), k, cost.sample, seed)
    found = _measured(high, places, points, k, metric, looked, part(report, 0.1, 0.15))
    stored = np.asarray(space.matrix[rows[places]])
    copied_band = _copies(
        stored, high, points[places], method, chosen, metric, looked, copies or cost.copies, part(report, 0.15, 1.0)
    )
    return Checked(found, copied_band, looked, method)


_copies = copies  # `check` has an argument of this name


def as_seen(space: VectorSpace, rows: Ints, metric: str) -> tuple[Float, Ints]:
    """Return the rows as they are compared by Euclidean distances, (m, d), and their indices in `rows`, (m,).

    Under *cosine* the rows are scaled to length one, and rows of zeros are left out.

    Raises:
        OptionError: The metric is unknown, there are fewer than four rows, or all rows are equal.
    """
    if metric not in ("cosine", "euclidean"):
        raise OptionError(f"metric is {metric!r}; it may be cosine or euclidean.")
    places = np.flatnonzero(space.norms[rows] > 0) if metric == "cosine" else np.arange(len(rows))
    if len(places) < 4:
        raise OptionError(f"{len(places)} words are too few to measure a map; four are needed.")
    high = np.asarray(space.unit_rows(rows[places]) if metric == "cosine" else space.matrix[rows])
    if not np.ptp(high, axis=0).any():
        raise OptionError(
            f"All {len(rows):,} rows shown are equal: none is nearer than another, so there is nothing to keep."
        )
    return high, places


def _looking(n: int, k: int, sample: int, seed: int) -> MapSampling:
    """Return at which points a map of n points is measured, and for which numbers of neighbors.

    All these numbers of neighbors are used for the curve, and those in `scales` for the tests.
    """
    k = neighbors_compared(n, k)
    scales = np.unique(np.round(np.geomspace(k, max(k, n // 2), SCALES)).astype(np.int64))
    last = max(int(scales[-1]), int(_FAR * (n - 1)))
    ks = np.unique([*np.round(np.geomspace(1, min(last, n - 2), _DRAWN)).astype(np.int64), *scales])
    return MapSampling(drawn_rows(n, sample, seed), ks, scales, seed)


def _measured(
    high: Float, places: Ints, points: Float, k: int, metric: str, looked: MapSampling, report: Report | None
) -> Quality:
    n, k = len(high), neighbors_compared(len(high), k)
    low = np.asarray(points, np.float32)[places]
    seen: Ranks = ranks(high, low, looked.rows, k, looked.scales, looked.seed, report)
    scale = rank_scale(n, k)
    return Quality(
        k=k,
        neighbor_preservation=float(seen.preserved.mean(dtype=np.float64)),
        chance=k / (n - 1),
        margin=margin(seen.preserved, n),
        triplet_accuracy=seen.far,
        triplet_chance=0.5,
        trustworthiness=1.0 - scale * seen.intruders,
        continuity=1.0 - scale * seen.missing,
        rank_chance=rank_chance(n, k),
        metric=metric,
        sample=len(looked.rows),
        shown=n,
        triplets=seen.triplets,
        rows=places[looked.rows],
        preserved=seen.preserved,
        joint=seen.joint,
        gaps=seen.gaps,
    )
