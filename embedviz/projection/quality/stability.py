"""Stability of a map: a method maps the same rows several times, each time with one thing changed.

The maps are aligned. This module measures how far each point moves from map to map, and which neighbors it keeps.
`staying` compares the patches of the same maps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz import projection
from embedviz.core.call import offered
from embedviz.core.options import OptionError, Parameter, choose
from embedviz.core.phrases import share
from embedviz.core.progress import Report, part
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.geometry.alignment import aligned
from embedviz.projection.quality import K, neighbors_compared
from embedviz.projection.quality.distortion import names_of

RUNS = 5
"""Number of maps that are compared, including the map whose stability is measured."""
FEW = 20
"""Minimum number of points of a map: on a smaller map most points are neighbors of most other points."""
PART = 0.8
"""Share of the rows that each run has, if the runs differ in their sample of rows."""
OVER = ("seed", "neighborhood", "spacing", "sample")
"""What may differ between the runs.

*seed*: the seed. *neighborhood*: the option for the number of neighbors (perplexity, n_neighbors). *spacing*: the least
distance of points (min_dist). *sample*: the sample of rows.
"""
_FACTORS = (1 / 3, 2 / 3, 5 / 3, 3.0, 1 / 2, 2.0, 4.0, 1 / 4)
_SPACINGS = (0.0, 0.1, 0.25, 0.5, 0.99)


@dataclass(frozen=True, eq=False)
class Stability:
    """How much the points of a map depend on its seed, on a setting, or on which rows are drawn.

    Attributes:
        names: The label of each of the n points.
        wander: Mean distance of each point from its mean position over all maps, as a share of the map's radius, (n,).
        common: For each point, the share of its k nearest on the first map that are among its k nearest on all other
            maps, (n,).
        k: Number of nearest neighbors of each point that are compared.
        runs: Number of maps. They differ in one thing, and are rotated and scaled onto the first map.
        wander_chance: Mean of `wander` if the points of each map are permuted at random.
        common_chance: Mean of `common` that is expected for random layouts.
        method: Name of the projection.
        over: What differs between the maps, as text, for example “5 seeds”.
    """

    names: Sequence[str]
    wander: NDArray[np.float64]
    common: NDArray[np.float64]
    k: int
    runs: int
    wander_chance: float
    common_chance: float
    method: str
    over: str

    @property
    def meaning(self) -> str:
        """Say how far points move between the maps, and how many neighbors stay; random layouts are the baseline."""
        return f"{self.meaning_of('wander')} {self.meaning_of('stable')}"

    def meaning_of(self, by: str) -> str:
        """Say the mean of one attribute, with random layouts as the baseline.

        The attribute is `wander` if `by` is *wander*, and `common` if `by` is *stable*.
        """
        if by == "wander":
            return (
                f"Over {self.over}, a point lies {share(float(self.wander.mean()))} of the map’s radius from its "
                f"mean place (points exchanged at random: {share(self.wander_chance)})."
            )
        return (
            f"On average, {share(float(self.common.mean()))} of a point’s {self.k} nearest on this map are its nearest "
            f"over all {self.over} (random layouts: {share(self.common_chance, fine=True)})."
        )

    def places(self, by: str = "wander", count: int = 20) -> Ints:
        """Return the indices of the least stable points, the least stable first.

        If `by` is *wander*, these points have the highest `wander`; if *stable*, the lowest `common`.
        """
        order = (self.common, -self.wander) if by == "wander" else (-self.wander, self.common)
        return np.lexsort(order)[:count]

    def table(self, by: str = "wander", count: int = 20) -> tuple[tuple[str, ...], list[tuple[str | float, ...]]]:
        """Return header and rows of a table of the least stable points, in the order of `places()`."""
        return ("word", "wander", "stable neighbors"), [
            (self.names[place], float(self.wander[place]), float(self.common[place]))
            for place in self.places(by, count).tolist()
        ]

    def card(self) -> dict[str, Any]:
        """Return the results as a mapping from name to plain JSON value."""
        return {
            "method": self.method,
            "runs": self.runs,
            "over": self.over,
            "k": self.k,
            "shown": len(self.names),
            "wander": float(self.wander.mean()),
            "wander_chance": self.wander_chance,
            "stable_neighbors": float(self.common.mean()),
            "stable_chance": self.common_chance,
        }


@offered("stable", "print(stable.meaning)", "for row in stable.table()[1]:", "    print(*row)")
def stability(
    space: VectorSpace,
    rows: Ints,
    method: str = "tsne",
    options: Mapping[str, Any] | None = None,
    *,
    points: Float | None = None,
    over: str = "seed",
    k: int = K,
    runs: int = RUNS,
    report: Report | None = None,
) -> Stability:
    """Return how much the map of these rows by this method depends on its seed, a setting, or the rows.

    Args:
        rows: Rows of the space on the map, (n,).
        method, options: Method of the map and its options; every other run changes one thing only.
        points: The points of the map, (n, 2) or (n, 3); None computes the map.
        over: What changes from run to run, one of `OVER`. A sample has four fifths of the rows, and a point is compared
            only in the runs whose sample contains it.
        k: Number of neighbors of each point; at most half of the other points are used.
        runs: Maximum number of maps, 2 to 20, including the first map.

    Raises:
        OptionError: `over` is unknown or the method cannot change it, `runs` is out of range, or there are too few
            words.
    """
    rows, chosen = np.asarray(rows, np.int64), dict(options or {})
    varied = runs_of(len(rows), method, chosen, over, runs)
    runs = len(varied)
    maps = draw_runs(space, rows, method, varied, points=points, report=report)
    k = neighbors_compared(min(int(run.present.sum()) for run in varied), k)
    present = [run.present for run in varied]
    common, chance = _common(maps, present, k)
    random = np.random.default_rng(int(chosen.get("seed", 0)))
    placed = [_spread(each, has) for each, has in zip(maps, present, strict=True)]
    exchanged = [_spread(random.permutation(each), has) for each, has in zip(maps, present, strict=True)]
    return Stability(
        names=names_of(space, rows),
        wander=wandering(placed),
        common=common,
        k=k,
        runs=runs,
        wander_chance=float(wandering(exchanged).mean()),
        common_chance=chance,
        method=method,
        over=in_words(method, over, varied),
    )


class MapRun(NamedTuple):
    """The options of one map, and for each of the n rows whether the map shows the row, (n,)."""

    options: dict[str, Any]
    present: NDArray[np.bool_]


def runs_of(n: int, method: str, options: Mapping[str, Any], over: str, runs: int) -> list[MapRun]:
    """Return the runs to compare for n rows. The first run has the given options and all rows.

    There may be fewer than `runs` runs, because a setting may have too few values.

    Raises:
        OptionError: `over` is unknown or the method cannot change it, `runs` is out of range, or there are too few
            rows.
    """
    if not 2 <= runs <= 20:
        raise OptionError(f"runs is {runs}; it may be from 2 to 20.")
    if n < FEW:
        raise OptionError(f"{n} words are too few to measure stability; {FEW} are needed.")
    row = choose(projection.PROJECTIONS, method, "projection")
    if over not in OVER:
        raise OptionError(f"over is {over!r}; it may be: {', '.join(OVER)}.")
    every, seed = np.ones(n, bool), int(options.get("seed", 0))
    first = MapRun(dict(options), every)
    random = np.random.default_rng(seed)
    if over == "sample":
        size = max(FEW, round(PART * n))
        samples = [np.sort(random.choice(n, size, replace=False)) for _ in range(runs - 1)]
        return [first, *(MapRun(dict(options), np.isin(np.arange(n), each)) for each in samples)]
    if over == "seed":
        if all(option.name != "seed" for option in row.options):
            raise OptionError(f"{row.title} does not depend on chance: every run draws the same map.")
        seeds = [(seed + step) % (2**31 - 1) for step in range(1, runs)]
        return [first, *(MapRun({**options, "seed": each}, every) for each in seeds)]
    name = _setting(method, over)
    option: Parameter = row.option(name)
    values = _values(option, options.get(name, option.usual(n)), n)[: runs - 1]
    return [first, *(MapRun({**options, name: each}, every) for each in values)]


def draw_runs(
    space: VectorSpace,
    rows: Ints,
    method: str,
    varied: Sequence[MapRun],
    *,
    points: Float | None = None,
    report: Report | None = None,
) -> list[Float]:
    """Compute the maps of all runs; return for each run the points of its rows.

    All maps are rotated and scaled onto the first map. Options that are too high for a run of fewer rows are lowered.

    Args:
        varied: The runs, as `runs_of()` returns them.
        points: The points of the first map; if None, the first map is computed.
    """
    first = np.asarray(points, np.float32) if points is not None else None
    maps: list[Float] = []
    for done, run in enumerate(varied):
        heard = _quietly(part(report, done / len(varied), (done + 1) / len(varied)), done, len(varied))
        if done or first is None:
            chosen = rows[run.present]
            options = projection.PROJECTIONS[method].fitting(run.options, len(chosen)) if done else run.options
            laid = projection.lay_out(space, chosen, method, report=heard, **options).points
            first = laid if first is None else first
        maps.append(first if not done else aligned(laid, first[run.present], scale=True))
    return maps


def _setting(method: str, over: str) -> str:
    """Return the name of the method's option that `over` stands for: for t-SNE and *neighborhood*, “perplexity”.

    Raises:
        OptionError: The method has no such setting.
    """
    row = projection.PROJECTIONS[method]
    if not (name := getattr(row, over)):
        names = [getattr(each, over) for each in projection.PROJECTIONS.values()]
        raise OptionError(f"{row.title} has no setting for the {over}: {' or '.join(filter(None, names))}.")
    return str(name)


def _values(option: Parameter, here: float, n: int) -> list[float]:
    """Return the values of a setting for the other runs, in the order of the runs.

    Args:
        option: The setting.
        here: The value in use, which is not among the returned values.
        n: Number of rows, on which the limits of the setting depend.
    """
    low, high = option.low, option.upper(n)
    whole = isinstance(option.default, int)
    listed = [here * factor for factor in _FACTORS] if whole else [*_SPACINGS]
    found = dict.fromkeys(min(max(round(each) if whole else each, low), high) for each in listed)
    return [int(each) if whole else float(each) for each in found if each != here]


def in_words(method: str, over: str, varied: Sequence[MapRun]) -> str:
    """Return what differs between the maps, as text: “5 seeds”, or “5 values of perplexity, 10 to 90”."""
    if over == "seed":
        return f"{len(varied)} seeds"
    if over == "sample":
        return f"{len(varied)} maps, of which all but the first draw {share(PART)} of the rows"
    name = _setting(method, over)
    option = projection.PROJECTIONS[method].option(name)
    values = [run.options.get(name, option.usual(len(run.present))) for run in varied]
    return f"{len(varied)} values of {(option.label or name).lower()}, {min(values):g} to {max(values):g}"


def _common(maps: Sequence[Float], present: Sequence[NDArray[np.bool_]], k: int) -> tuple[NDArray[np.float64], float]:
    """Return for each point the share of its k nearest on the first map that are among its k nearest on all other maps.

    A map that lacks the point, or one of these neighbors, is skipped for this neighbor.

    Args:
        maps: The points of each map.
        present: For each map, whether it contains each of the n points, (n,).

    Returns:
        The shares, (n,), and their expected mean for random layouts.
    """
    first = _near(maps[0], k)
    shared, chance = np.ones(first.shape, bool), np.ones(first.shape)
    for points, has in zip(maps[1:], present[1:], strict=True):
        rows = np.flatnonzero(has)
        near = rows[_near(points, k)]
        both = has[first[rows]]
        shared[rows] &= (first[rows][:, :, None] == near[:, None, :]).any(axis=2) | ~both
        chance[rows] *= np.where(both, k / (len(rows) - 1), 1.0)
    return shared.mean(axis=1), float(chance.mean())


def _spread(points: Float, present: NDArray[np.bool_]) -> Float:
    """Return the points of a run as an array for all n rows, (n, 2 or 3), with NaN for rows that are not in the run."""
    whole = np.full((len(present), points.shape[1]), np.nan, np.float32)
    whole[present] = points
    return whole


def wandering(maps: Sequence[Float]) -> NDArray[np.float64]:
    """Return the mean distance of each point from its mean position over the maps, (n,), in radii of the first map.

    The radius is the root mean square distance of the points from their center. The first map has all points. If
    another map has NaN for a point, this map does not count for this point.
    """
    stacked = np.asarray(maps, np.float64)
    centered = stacked[0] - stacked[0].mean(axis=0)
    radius = max(float(np.sqrt((centered**2).sum(axis=1).mean())), np.finfo(np.float64).tiny)
    apart = np.linalg.norm(stacked - np.nanmean(stacked, axis=0), axis=2)
    return np.asarray(np.nanmean(apart, axis=0) / radius)


def _near(points: Float, k: int) -> Ints:
    """Return for each point on a map the indices of its k nearest other points, (n, k)."""
    from scipy.spatial import cKDTree

    found = cKDTree(points).query(points, k + 1)[1]
    own = found == np.arange(len(points))[:, None]
    own[~own.any(axis=1), -1] = True  # more than k points at one place
    return np.asarray(found[~own].reshape(len(points), k), np.int64)


def _quietly(report: Report | None, done: int, runs: int) -> Report | None:
    """Return a report function for map number `done` (from 0) of `runs` maps; None if `report` is None.

    It passes on the fraction and the number of the map, but no points.
    """
    if report is None:
        return None

    def heard(fraction: float | None = None, message: str = "", **_: Any) -> None:
        report(fraction or 0.0, f"Map {done + 1} of {runs}")

    return heard
