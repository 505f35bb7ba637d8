"""Stability of a map: the same rows drawn with several seeds, aligned, and how far each point wanders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz import projection
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.progress import Report, part
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.geometry.alignment import aligned
from embedviz.projection.quality import K, neighbors_compared
from embedviz.projection.quality.distortion import names_of

RUNS = 5
"""Maps that are compared, the first one included."""
FEW = 20
"""Points below which the neighbors of most are the whole map."""


@dataclass(frozen=True, eq=False)
class Stability:
    """How much the points of a map depend on its seed.

    Attributes:
        names: The text shown for each of the n points.
        wander: Mean distance of each point from its mean place over the runs, as a part of the map's radius, (n,).
        common: Share of its k nearest on this map that are among its k nearest on every other run, (n,).
        k: Neighbors of each point.
        runs: Maps, each with its own seed; the others are turned and stretched onto the first.
        wander_chance: Mean wander where each run has its points exchanged at random.
        method: Name of the projection.
    """

    names: Sequence[str]
    wander: NDArray[np.float64]
    common: NDArray[np.float64]
    k: int
    runs: int
    wander_chance: float
    method: str

    @property
    def common_chance(self) -> float:
        """Return the share of neighbors that random layouts have in common."""
        return float((self.k / (len(self.names) - 1)) ** (self.runs - 1))

    @property
    def meaning(self) -> str:
        """Say how stable the map is, with random layouts as the baseline."""
        return f"{self.meaning_of('wander')} {self.meaning_of('stable')}"

    def meaning_of(self, by: str) -> str:
        """Say *wander* or *stable* on average, with random layouts as the baseline."""
        if by == "wander":
            return (
                f"Over {self.runs} seeds, a point lies {share(float(self.wander.mean()))} of the map's radius from its "
                f"mean place (points exchanged at random: {share(self.wander_chance)})."
            )
        return (
            f"On average, {share(float(self.common.mean()))} of a point's {self.k} nearest on this map are its nearest "
            f"with all {self.runs} seeds (random layouts: {share(self.common_chance, fine=True)})."
        )

    def places(self, by: str = "wander", count: int = 20) -> Ints:
        """Return positions of the least stable points by *wander* or *stable*, worst first."""
        order = (self.common, -self.wander) if by == "wander" else (-self.wander, self.common)
        return np.lexsort(order)[:count]

    def table(self, by: str = "wander", count: int = 20) -> tuple[tuple[str, ...], list[tuple[str | float, ...]]]:
        """Return header and rows of the least stable points."""
        return ("word", "wander", "stable neighbors"), [
            (self.names[place], float(self.wander[place]), float(self.common[place]))
            for place in self.places(by, count).tolist()
        ]

    def card(self) -> dict[str, Any]:
        """Return the numbers as plain JSON values."""
        return {
            "method": self.method,
            "runs": self.runs,
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
    k: int = K,
    runs: int = RUNS,
    report: Report | None = None,
) -> Stability:
    """Return how much the map of these rows by this method depends on its seed.

    Args:
        rows: Rows of the space on the map, (n,).
        method, options: Of the map; every run changes the seed alone.
        points: Where the rows lie, (n, 2) or (n, 3), where the map is there already.
        k: Neighbors of each point; cut to less than half of the others.
        runs: Maps, 2 to 20, the given one included.

    Raises:
        OptionError: The method has no seed, a number is out of range, or there are too few words.
    """
    rows, chosen = np.asarray(rows, np.int64), dict(options or {})
    row = projection.PROJECTIONS.get(method)
    if row is not None and all(option.name != "seed" for option in row.options):
        raise OptionError(f"{row.title} does not depend on chance: every run draws the same map.")
    if not 2 <= runs <= 20:
        raise OptionError(f"runs is {runs}; it may be from 2 to 20.")
    if len(rows) < FEW:
        raise OptionError(f"{len(rows)} words are too few to measure stability; {FEW} are needed.")
    first = int(chosen.get("seed", 0))
    maps = [] if points is None else [np.asarray(points, np.float32)]
    while len(maps) < runs:
        done, heard = len(maps), part(report, len(maps) / runs, (len(maps) + 1) / runs)
        seeded = {**chosen, "seed": (first + done) % (2**31 - 1)}
        maps.append(projection.lay_out(space, rows, method, report=_quietly(heard, done, runs), **seeded).points)
    maps = [maps[0], *(aligned(each, maps[0], scale=True) for each in maps[1:])]
    k = neighbors_compared(len(rows), k)
    near = [_near(each, k) for each in maps]
    shared = np.ones((len(rows), k), bool)
    for each in near[1:]:
        shared &= (near[0][:, :, None] == each[:, None, :]).any(axis=2)
    random = np.random.default_rng(first)
    exchanged = [random.permutation(each) for each in maps]
    return Stability(
        names=names_of(space, rows),
        wander=wandering(maps),
        common=shared.mean(axis=1),
        k=k,
        runs=runs,
        wander_chance=float(wandering(exchanged).mean()),
        method=method,
    )


def wandering(maps: Sequence[Float]) -> NDArray[np.float64]:
    """Return the mean distance of each point from its mean place, as a part of the first map's radius, (n,).

    The radius is the root mean square distance of the points from their center.
    """
    stacked = np.asarray(maps, np.float64)
    centered = stacked[0] - stacked[0].mean(axis=0)
    radius = max(float(np.sqrt((centered**2).sum(axis=1).mean())), np.finfo(np.float64).tiny)
    return np.asarray(np.linalg.norm(stacked - stacked.mean(axis=0), axis=2).mean(axis=0) / radius)


def _near(points: Float, k: int) -> Ints:
    """Return the k nearest of each point on a map, (n, k)."""
    from scipy.spatial import cKDTree

    found = cKDTree(points).query(points, k + 1)[1]
    own = found == np.arange(len(points))[:, None]
    own[~own.any(axis=1), -1] = True  # more than k points at one place
    return np.asarray(found[~own].reshape(len(points), k), np.int64)


def _quietly(report: Report | None, done: int, runs: int) -> Report | None:
    """Return a report of one run that shows no points."""
    if report is None:
        return None

    def heard(fraction: float | None = None, message: str = "", **_: Any) -> None:
        report(fraction or 0.0, f"Map {done + 1} of {runs}")

    return heard
