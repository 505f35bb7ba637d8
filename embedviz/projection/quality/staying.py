"""Patches of a map over other runs: how much of each patch stays together, compared with structureless copies.

The other runs draw the same rows with one thing changed. The overlap of two patches is the number of points in both ÷
the number of points in any of them (Jaccard). A patch is compared with the most similar patch of each other run, as
Hennig (2007) compares clusters of samples. A high overlap alone says little. t-SNE and UMAP start at the principal
directions, so another seed or sample often draws the same patches, even from noise. So the overlap is also computed for
structureless copies of the rows. Each copy is mapped twice: like the map, and like one of the other runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz import projection
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.progress import Report, part
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.copies import fitted_cloud, next_copy
from embedviz.projection.quality import as_seen
from embedviz.projection.quality.copied import drawing, heard_copy
from embedviz.projection.quality.patches import FEW, FEWEST_COPIES, MOST, named, on_map, sizes_of, with_radii
from embedviz.projection.quality.stability import RUNS, MapRun, draw_runs, in_words, runs_of

SPLITS = 99
"""Number of random splits: the labels of another run are shuffled among its points.

The mean overlap of a patch with the splits is a baseline for the patch.
"""
ALIKE = 0.95
"""If the limit of the mean overlap is at least this high, hardly any map can exceed it."""


@dataclass(frozen=True, eq=False)
class PatchRuns:
    """The p patches of a map, the largest first, and how much of each patch stays together over r other runs.

    Attributes:
        labels: The patch of each point, (n,); −1 for a point in no patch.
        names: The name of each patch, from its most central words.
        central: The most central word of each patch, as an index into the words of the map, (p,).
        sizes: Number of points of each patch.
        overlap: For each patch and each other run, the overlap of the patch with the most similar patch of the run,
            (p, r), 0 to 1.
        chance: Mean overlap of each patch if the labels of each other run are shuffled among the points, (p,).
        shown: Number of points whose rows are not zero.
        copies: For each of m structureless copies, the mean overlap of its patches, (m,); 0 for a copy without patches.
        over: What differs between the runs, as text, for example “5 seeds”.
    """

    labels: Ints
    names: tuple[str, ...]
    central: Ints
    sizes: tuple[int, ...]
    overlap: NDArray[np.float64]
    chance: NDArray[np.float64]
    shown: int
    copies: NDArray[np.float64]
    over: str

    @property
    def means(self) -> NDArray[np.float64]:
        """Return the mean overlap of each patch over the other runs, (p,)."""
        return np.asarray(self.overlap.mean(axis=1))

    @property
    def mean(self) -> float:
        """Return the mean overlap of all patches, weighted by their numbers of points; 0 without patches."""
        return weighted(self.means, self.sizes)

    @property
    def limit(self) -> float:
        """Return the limit that the mean overlap of one more copy stays below in 95 % of cases.

        No copy in `copies` exceeds the limit.

        The limit follows from Student's t. It is computed with arcsine √overlap instead of the overlap, because then
        the variance is the same for high and low overlaps. With fewer than nine copies the limit is 1.
        """
        if len(self.copies) < FEWEST_COPIES:
            return 1.0
        mean, reach = next_copy(np.arcsin(np.sqrt(self.copies)))
        return max(float(np.sin(min(mean + reach, np.pi / 2)) ** 2), float(self.copies.max()))

    @property
    def beyond_copies(self) -> bool:
        """Return whether the patches overlap more over the other runs than patches of structureless copies do.

        The mean overlap must be above `limit`, which one more copy exceeds in 5 % of cases. For a map of fewer than
        `FEW` points the result is False.
        """
        return self.shown >= FEW and self.mean > self.limit

    def values(self) -> NDArray[np.float64]:
        """Return for each point the mean overlap of its patch, (n,); NaN for a point in no patch."""
        return np.append(self.means, np.nan)[self.labels]

    @property
    def meaning(self) -> str:
        """Say whether the patches stay together more than patches of structureless copies.

        The sentences give the mean overlap of a patch and its best match in another run, for the map and for the
        copies.
        """
        if not self.names:
            return "The map has no patches: no region of it is denser than the rest."
        if self.shown < FEW:
            return f"{self.shown} points are too few to judge patches; {FEW} are needed."
        over, split = self.over, share(weighted(self.chance, self.sizes))
        here, limit = _distinct(self.mean, self.limit)
        verdict = (
            f"Over {over}, these patches stay together more than patches of structureless copies."
            if self.beyond_copies
            else f"Over {over}, patches of structureless copies may stay together as much as these."
        )
        return (
            f"{verdict} On average, a patch and its best match in another run share {here} of their points. "
            f"Copies: {share(float(self.copies.mean()))} on average, below {limit} in 95\u00a0% of cases; "
            f"random split: {split}.{self._alike}"
        )

    @property
    def _alike(self) -> str:
        """Return a blank and a sentence for the user if the runs differ too little for a verdict, else no text."""
        if self.beyond_copies or self.limit < ALIKE or self.over.endswith("of the rows"):
            return ""
        return " These runs differ too little to tell; compare samples of the rows instead."

    def meaning_of(self, by: str = "stays") -> str:
        """Return `meaning`; `by` is not used, because patches have only one value."""
        return self.meaning

    def places(self, by: str = "stays") -> Ints:
        """Return the most central word of each row of `table()`, as an index into the words of the map."""
        return self.central

    def table(self, by: str = "stays") -> tuple[tuple[str, ...], list[tuple[str | float, ...]]]:
        """Return header and rows of a table: for each patch its size, and its mean, lowest and random overlap."""
        columns = (self.names, self.sizes, self.means.tolist(), self.overlap.min(axis=1, initial=1.0).tolist())
        rows = zip(*columns, self.chance.tolist(), strict=True)
        return ("patch", "points", "overlap", "lowest", "random split"), list(rows)

    def card(self) -> dict[str, Any]:
        """Return the results as a mapping from name to plain JSON value."""
        header, rows = self.table()
        return {
            "over": self.over,
            "shown": self.shown,
            "overlap": self.mean,
            "copies": self.copies.tolist(),
            "limit": self.limit,
            "patches": [dict(zip(header, row, strict=True)) for row in rows],
        }


@offered("found", "print(found.meaning)", "for row in found.table()[1]:", "    print(*row)")
def patches_over_runs(
    space: VectorSpace,
    rows: Ints,
    method: str = "tsne",
    options: Mapping[str, Any] | None = None,
    *,
    points: Float | None = None,
    over: str = "seed",
    runs: int = RUNS,
    copies: int = FEWEST_COPIES,
    report: Report | None = None,
) -> PatchRuns:
    """Return how much of each patch (dense region) of a map stays together on other maps of the rows.

    Args:
        rows: Rows of the space on the map, (n,). A row of zeros is in no patch.
        method, options: Method of the map and its options. The other maps differ only in what `over` names.
        points: The points of the map, (n, 2) or (n, 3); None computes the map.
        over: What differs between the maps, one of `OVER`: the seed, a setting, or the sample of the rows.
        runs: Maximum number of maps, 2 to 20, including the first map.
        copies: Number of structureless copies, 9 or more; each is mapped twice.

    Raises:
        OptionError: There are too few or too many words, all words are equal, the method cannot change `over`, or a
            number is out of range.
    """
    rows, chosen = np.asarray(rows, np.int64), dict(options or {})
    if len(rows) > MOST:
        raise OptionError(f"Patches of {len(rows):,} points take too long. Choose {MOST:,} words or fewer.")
    if copies < FEWEST_COPIES:
        raise OptionError(f"copies is {copies}; it may be {FEWEST_COPIES} or more.")
    varied = runs_of(len(rows), method, chosen, over, runs)
    own = len(varied) / (len(varied) + 2 * copies)
    maps = draw_runs(space, rows, method, varied, points=points, report=part(report, 0.0, own))
    has = space.norms[rows] > 0
    found = compare(maps, [run.present for run in varied], has)
    names, central = named(space, rows[has], found.labels[has])
    mapped = _MappedRows(space, rows, method, maps[0])
    return PatchRuns(
        labels=found.labels,
        names=names,
        central=np.flatnonzero(has)[central],
        sizes=sizes_of(found.labels),
        overlap=found.overlap,
        chance=found.chance,
        shown=int(has.sum()),
        copies=_of_copies(mapped, varied, copies if names else 0, part(report, own, 1.0)),
        over=in_words(method, over, varied),
    )


@dataclass(frozen=True, eq=False)
class PatchOverlap:
    """The p patches of a map of n points, and their overlap with the patches of r other maps (runs).

    A patch is a dense region of a map. The other maps have the same rows or a sample of these rows.

    Attributes:
        labels: The number of the patch of each point, (n,); −1 for a point in no patch.
        overlap: For each patch and each other run, the overlap of the patch with the most similar patch of the run,
            (p, r), 0 to 1.
        chance: Mean overlap of each patch if the labels of each other run are shuffled among the points, (p,).
    """

    labels: Ints
    overlap: NDArray[np.float64]
    chance: NDArray[np.float64]


def compare(
    maps: Sequence[Float], present: Sequence[NDArray[np.bool_]], has: NDArray[np.bool_], *, seed: int = 0
) -> PatchOverlap:
    """Return the patches (groups of points) of the first map, and their overlap with the patches of each other map.

    Args:
        maps: The points of each run, for the rows that the run contains. The first run contains all n rows.
        present: For each run, whether it contains each row, (n,). Two runs are compared by the rows that both contain.
        has: Whether each row may be in a patch, (n,): a row of zeros may not.
        seed: Seed for shuffling the patch labels of the other runs; this gives the overlap by chance.
    """
    found, *others = [
        _spread(on_map(np.asarray(points[has[own]], np.float32)), np.flatnonzero(own & has), len(has))
        for points, own in zip(maps, present, strict=True)
    ]
    random, count = np.random.default_rng(seed), int(found.max(initial=-1)) + 1
    overlap, dealt = np.empty((count, len(others))), np.empty((SPLITS, count, len(others)))
    for run, (labels, own) in enumerate(zip(others, present[1:], strict=True)):
        both = np.flatnonzero(own & has)
        overlap[:, run] = overlaps(found[both], labels[both], count)
        for split in range(SPLITS):
            dealt[split, :, run] = overlaps(found[both], random.permutation(labels[both]), count)
    return PatchOverlap(found, overlap, dealt.mean(axis=(0, 2)))


class _MappedRows(NamedTuple):
    """A space, the rows of it that are on a map, the method of the map, and the points of these rows on the map."""

    space: VectorSpace
    rows: Ints
    method: str
    points: Float


def _of_copies(mapped: _MappedRows, varied: Sequence[MapRun], count: int, report: Report | None) -> NDArray[np.float64]:
    """Return for each of `count` structureless copies the mean overlap of its patches on two maps, (count,).

    The first map is made like the first run, the second like one of the other runs. The other runs are used in turn;
    after the last one the first of them follows again. The copies are drawn as in `patches()`.
    """
    space, rows, method, points = mapped
    metric = projection.metric_of(method, varied[0].options)
    high, places = as_seen(space, rows, metric)
    low = np.asarray(points, np.float32)[places]
    cloud = fitted_cloud(np.asarray(space.matrix[rows[places]]), unit=metric == "cosine")
    found = np.empty(count)
    for place in range(count):
        copy = cloud.draw(len(high), np.random.default_rng([0, place]))
        copy = copy if metric == "cosine" else with_radii(copy, high)
        run = varied[1 + place % (len(varied) - 1)]
        own = run.present[places]
        heard = heard_copy(report, place, count)
        first = on_map(drawing(high, low, method, varied[0].options)(copy, part(heard, 0.0, 0.5)))[own]
        other = on_map(drawing(high, low, method, run.options)(copy[own], part(heard, 0.5, 1.0)))
        patches = int(first.max(initial=-1)) + 1
        sizes = np.bincount(first[first >= 0], minlength=patches)
        found[place] = weighted(overlaps(first, other, patches), sizes)
    return found


def weighted(values: NDArray[np.float64], sizes: Sequence[int] | Ints) -> float:
    """Return the mean of the values of patches, weighted by the number of points of each patch; 0 without patches."""
    return float(np.average(values, weights=np.asarray(sizes, np.float64))) if len(values) and sum(sizes) else 0.0


def _distinct(one: float, other: float) -> tuple[str, str]:
    """Return two shares as percent. If they differ but would look equal, both have one decimal."""
    if one == other or share(one) != share(other):
        return share(one), share(other)
    return f"{100 * one:.1f}\u00a0%", f"{100 * other:.1f}\u00a0%"


def overlaps(first: Ints, other: Ints, count: int) -> NDArray[np.float64]:
    """Return the overlap (Jaccard) of each patch of `first` with the most similar patch of `other`, (count,).

    A patch without a row has overlap 0.

    Args:
        first, other: The number of the patch of each row in two runs, (n,); −1 for a row in no patch.
        count: Number of patches of `first`.
    """
    most = int(other.max(initial=-1)) + 1
    if not most:
        return np.zeros(count)
    width = most + 1
    pairs = (first % (count + 1)) * width + other % width  # −1 is the last row or column
    table = np.bincount(pairs, minlength=(count + 1) * width).reshape(count + 1, width)
    both = table[:count, :most]
    union = table[:count].sum(axis=1)[:, None] + table[:, :most].sum(axis=0)[None] - both
    return np.asarray((both / np.maximum(union, 1)).max(axis=1))


def _spread(labels: Ints, places: Ints, n: int) -> Ints:
    """Return the labels of the rows `places` as an array for all n rows, (n,), with −1 for all other rows."""
    whole = np.full(n, -1, np.int64)
    whole[places] = labels
    return whole
