"""Distortion of each point of a map: neighbors kept, intruders, and lost neighbors.

An *intruder* of a point is near on the map and far in the space; a *lost neighbor* is near in the space and far on the
map (Lespinats and Aupetit 2011: false and missing neighbors). Both are weighted by rank, as trustworthiness and
continuity do (Venna and Kaski 2001), so that the means over all points are 1 − trustworthiness and 1 − continuity.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz import projection
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import listing, number, share
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.resampling import drawn_rows
from embedviz.neighbors import top
from embedviz.projection.quality import K, as_seen, neighbors_compared, rank_chance
from embedviz.projection.quality.coranking import blocks, rank_scale

PAIRS = 100_000_000
"""Maximum number of pairs of points that are ranked. If a map has more, only a random sample of points is measured."""
LEAST_SHARE = 0.01
"""Minimum share of a map's points that the sample must have. With fewer points nearly the whole map would be grey."""
NAMED = 3
"""Maximum number of intruders that a row of the table names; the same maximum holds for lost neighbors."""


class PointDistortion(NamedTuple):
    """Distortion of one point: its `kept`, `intruders` and `lost`, which are explained at `Distortion`.

    It also has the names of the worst intruders and of the worst lost neighbors of the point, worst first.
    """

    word: str
    kept: float
    intruders: float
    lost: float
    intruding_words: tuple[str, ...]
    lost_words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Distortion:
    """Distortion of m of the n points of a map, measured among the words on the map.

    Attributes:
        names: The label of each of the n points.
        rows: The m measured points, as indices into the n points, (m,).
        k: Number of nearest neighbors of each point that are compared.
        shown: Number of points of the map; under *cosine*, without rows of zeros.
        kept: For each measured point, the share of its k nearest in the space that are also among its k nearest on the
            map, (m,).
        intruders: How many intruders each measured point has, weighted by rank: 0 (none) to 1 (the worst case), (m,).
        lost: How many neighbors each measured point has lost, weighted by rank: 0 (none) to 1 (the worst case), (m,).
        near: For each measured point, the indices of its k nearest points on the map, nearest first, (m, k).
        near_ranks: The ranks that the points of `near` have in the space, (m, k).
        true: For each measured point, the indices of its k nearest points in the space, nearest first, (m, k).
        true_ranks: The ranks that the points of `true` have on the map, (m, k).
        metric: The metric in the space, *cosine* or *euclidean*.
    """

    names: Sequence[str]
    rows: Ints
    k: int
    shown: int
    kept: Float
    intruders: Float
    lost: Float
    near: Ints
    near_ranks: Ints
    true: Ints
    true_ranks: Ints
    metric: str

    @property
    def chance(self) -> float:
        """Return the share of the k nearest neighbors that a random layout is expected to keep."""
        return self.k / (self.shown - 1)

    @property
    def rank_chance(self) -> float:
        """Return the expected mean of `intruders` on a random layout. The expected mean of `lost` is equal."""
        return 1 - rank_chance(self.shown, self.k)

    @property
    def trustworthiness(self) -> float:
        """Return 1 − the mean of `intruders`, as scikit-learn computes it."""
        return 1 - float(self.intruders.mean(dtype=np.float64))

    @property
    def continuity(self) -> float:
        """Return 1 − the mean of `lost`: the trustworthiness with space and map exchanged."""
        return 1 - float(self.lost.mean(dtype=np.float64))

    def spread(self, values: Float) -> NDArray[np.float32]:
        """Return an array for all n points, (n,), with the values of the m measured points and NaN for all others."""
        found = np.full(len(self.names), np.nan, np.float32)
        found[self.rows] = values
        return found

    def places(self, by: str = "kept", count: int = 20) -> Ints:
        """Return the indices of the most distorted points by *kept*, *intruders* or *lost*, worst first."""
        return self.rows[self._order(by, count)]

    def worst(self, by: str = "kept", count: int = 20) -> list[PointDistortion]:
        """Return the most distorted points by *kept*, *intruders* or *lost*, worst first."""
        return [self._point(place) for place in self._order(by, count).tolist()]

    def _order(self, by: str, count: int) -> Ints:
        values = {"kept": -self.kept, "intruders": self.intruders, "lost": self.lost}[by]
        return np.lexsort((-(self.intruders + self.lost), -values))[:count]

    def _point(self, place: int) -> PointDistortion:
        return PointDistortion(
            self.names[int(self.rows[place])],
            float(self.kept[place]),
            float(self.intruders[place]),
            float(self.lost[place]),
            self._named(self.near[place], self.near_ranks[place]),
            self._named(self.true[place], self.true_ranks[place]),
        )

    def _named(self, positions: Ints, ranks: Ints) -> tuple[str, ...]:
        order = np.argsort(-ranks, kind="stable")[:NAMED]
        return tuple(self.names[int(positions[each])] for each in order if ranks[each] > self.k)

    def table(self, by: str = "kept", count: int = 20) -> tuple[tuple[str, ...], list[tuple[str | float, ...]]]:
        """Return header and rows of a table of the most distorted points, with their intruders and lost neighbors."""
        header = ("word", "neighbors kept", "intruders", "lost neighbors", "worst intruders", "lost farthest")
        return header, [
            (*each[:4], listing(each.intruding_words), listing(each.lost_words)) for each in self.worst(by, count)
        ]

    def card(self) -> dict[str, Any]:
        """Return the results as a mapping from name to plain JSON value."""
        return {
            "k": self.k,
            "metric": self.metric,
            "shown": self.shown,
            "sample": len(self.rows),
            "neighbors_kept": float(self.kept.mean(dtype=np.float64)),
            "chance": self.chance,
            "trustworthiness": self.trustworthiness,
            "continuity": self.continuity,
            "rank_chance": 1 - self.rank_chance,
            "worst": [each._asdict() for each in self.worst()],
        }

    @property
    def meaning(self) -> str:
        """Say the means of `kept`, `intruders` and `lost` over the points, with a random layout as the baseline."""
        return f"{self.meaning_of('kept')} {self.meaning_of('intruders')} {self.meaning_of('lost')}"

    def meaning_of(self, by: str) -> str:
        """Say the mean value of *kept*, *intruders* or *lost*, with a random layout as the baseline."""
        if by == "kept":
            preserved = share(float(self.kept.mean(dtype=np.float64)))
            return f"On average, {preserved} of the {self.k} nearest are kept (random layout: {share(self.chance)})."
        values, what = (
            (self.intruders, "Intruders are near on the map and far in the space")
            if by == "intruders"
            else (self.lost, "Lost neighbors are near in the space and far on the map")
        )
        mean = number(float(values.mean(dtype=np.float64)))
        return f"{what}: 0 is none, 1 the worst. Mean {mean} (random layout: {number(self.rank_chance)})."

    @property
    def sampled(self) -> str:
        """Say how many points were measured; empty if all points were."""
        if len(self.rows) == self.shown:
            return ""
        return f"Measured for {len(self.rows):,} of {self.shown:,} points, drawn at random; the others are grey."


@offered(
    "distorted",
    "print(distorted.meaning)",
    "for row in distorted.table()[1]:",
    "    print(*row)",
)
def distortion(
    space: VectorSpace,
    rows: Ints,
    method: str = "pca",
    options: Mapping[str, Any] | None = None,
    *,
    points: Float | None = None,
    k: int = K,
    seed: int = 0,
    report: Report | None = None,
) -> Distortion:
    """Return the distortion of each point of the map of these rows by this method.

    Args:
        rows: Rows of the space on the map, (n,).
        method, options: Method of the map and its options, which determine the metric.
        points: The points of the map, (n, 2) or (n, 3); None computes the map.
        k: Number of neighbors of each point; at most half of the other points are used.
        seed: Seed of the sample of points on a large map, and of the order of equal distances.

    Raises:
        OptionError: There are too few or too many words, all words are equal, or the method refuses an option.
    """
    rows, chosen = np.asarray(rows, np.int64), dict(options or {})
    metric = projection.metric_of(method, chosen)
    looked = _looked(len(rows), seed)
    high, places = as_seen(space, rows, metric)
    if points is None:
        points = projection.lay_out(space, rows, method, **chosen).points
    low = np.asarray(points, np.float32)[places]
    looked = looked[looked < len(high)]
    n, k = len(high), neighbors_compared(len(high), k)
    near, near_ranks, true, true_ranks = (np.empty((len(looked), k), np.int64) for _ in range(4))
    for start, some, _, _, order, aligned in blocks(high, low, looked, np.random.default_rng(seed), report):
        part = slice(start, start + len(some))
        near[part], near_ranks[part] = order[:, :k], aligned[:, :k]
        on_map = np.nonzero(aligned <= k)[1].reshape(-1, k)  # k places per row, in the order of the map
        by_space = np.argsort(np.take_along_axis(aligned, on_map, axis=1), axis=1)
        on_map = np.take_along_axis(on_map, by_space, axis=1)
        true[part], true_ranks[part] = np.take_along_axis(order, on_map, axis=1), on_map + 1
    scale = rank_scale(n, k)
    return Distortion(
        names=names_of(space, rows),
        rows=places[looked],
        k=k,
        shown=n,
        kept=np.asarray((near_ranks <= k).mean(axis=1), np.float32),
        intruders=np.asarray(scale * np.maximum(near_ranks - k, 0).sum(axis=1), np.float32),
        lost=np.asarray(scale * np.maximum(true_ranks - k, 0).sum(axis=1), np.float32),
        near=places[near],
        near_ranks=near_ranks,
        true=places[true],
        true_ranks=true_ranks,
        metric=metric,
    )


def strangers(space: VectorSpace, rows: Ints, points: Float, word: int, *, metric: str = "cosine", k: int = K) -> Ints:
    """Return the points that are near a word on a map but not in the space, as indices into the points of the map.

    The nearest on the map comes first. “Near” means among the k nearest of the words on the map. Under *cosine* a row
    of zeros has no such points.

    Args:
        rows: Rows of the space on the map, (n,).
        points: The points of these rows, (n, 2) or (n, 3).
        word: Index of the word in `rows`.
        metric: The metric in the space, *cosine* or *euclidean*.

    Raises:
        OptionError: There are fewer than four words, all words are equal, or the metric is unknown.
    """
    high, places = as_seen(space, np.asarray(rows, np.int64), metric)
    here = np.flatnonzero(places == word)
    if not len(here):
        return here  # a row of zeros has no direction
    low, k = np.asarray(points, np.float32)[places], neighbors_compared(len(high), k)
    near, true = (np.linalg.norm(each - each[here[0]], axis=1) for each in (low, high))
    near[here], true[here] = np.inf, np.inf
    drawn = top(-near, k)
    return np.asarray(places[drawn[~np.isin(drawn, top(-true, k))]])


def names_of(space: VectorSpace, rows: Ints) -> Sequence[str]:
    """Return the label of each of these rows."""
    return space.words_at(rows) if space.texts is None else [space.label(row) for row in rows.tolist()]


def _looked(n: int, seed: int) -> Ints:
    """Return which points of a map of n points to measure, as indices: all points, or a random sample of them.

    Raises:
        OptionError: The map is too large: the sample would be less than `LEAST_SHARE` of it.
    """
    count = PAIRS // max(1, n)
    if count < LEAST_SHARE * n:
        most = int((PAIRS / LEAST_SHARE) ** 0.5)
        raise OptionError(
            f"The distortion of {n:,} points takes too long. Choose {most:,} words or fewer in the settings."
        )
    return drawn_rows(n, count, seed)
