"""Patches of a map over other runs: how much of each patch is one patch there too, and what a random split would give.

The overlap of two sets is the share of their points that both have (Jaccard). A patch is compared with the most similar
patch of each other run, as Hennig (2007) compares clusters of samples. The baseline is a run with its patches dealt out
to the points at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import listing, share
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.projection.quality.patches import FEW, NAMED, SMALLEST, named, on_map, sizes_of

OVERLAP = 0.75
"""Mean overlap from which a patch stays: a stable cluster by Hennig (2008)."""
SPLITS = 99
"""Random splits. A patch that stays exceeds all of them."""
STAYS, CHANGES = "stays", "changes"


@dataclass(frozen=True, eq=False)
class PatchRuns:
    """The patches of a map, the largest first, and how much of each stays together over other runs.

    Attributes:
        labels: The patch of each point, (n,); −1 for a point in none.
        names: Each patch named by its most central words.
        central: Positions on the map of the most central word of each patch, (p,).
        sizes: Points of each patch.
        overlap: Overlap of each patch with the most similar patch of each other run, (p, r), 0 to 1.
        chance: The mean of the same where each run has its patches dealt out at random, (p,); `most`: the highest mean
            of a patch over the runs among `SPLITS` random splits, (p,).
        shown: Points that have a place in the space.
    """

    labels: Ints
    names: tuple[str, ...]
    central: Ints
    sizes: tuple[int, ...]
    overlap: NDArray[np.float64]
    chance: NDArray[np.float64]
    most: NDArray[np.float64]
    shown: int

    @property
    def means(self) -> NDArray[np.float64]:
        """Return the mean overlap of each patch, (p,)."""
        return np.asarray(self.overlap.mean(axis=1))

    @property
    def stay(self) -> tuple[bool, ...]:
        """Return for each patch whether it stays: three quarters overlap on average, and more than in random splits."""
        if self.shown < FEW:
            return (False,) * len(self.names)
        columns = zip(self.sizes, self.means.tolist(), self.most.tolist(), strict=True)
        return tuple(size >= SMALLEST and mean >= OVERLAP and mean > most for size, mean, most in columns)

    def values(self) -> NDArray[np.float64]:
        """Return for each point the mean overlap of its patch, (n,); NaN for a point in none."""
        return np.append(self.means, np.nan)[self.labels]

    def meaning_of(self, over: str) -> str:
        """Say how many patches stay over the runs, with random splits as the baseline."""
        if not self.names:
            return "The map has no patches: no region of it is denser than the rest."
        if self.shown < FEW:
            return f"{self.shown} points are too few to judge patches; {FEW} are needed."
        count, many = sum(self.stay), len(self.names)
        weights = np.asarray(self.sizes, np.float64)
        mean, chance = (float(np.average(each, weights=weights)) for each in (self.means, self.chance))
        first = f"{count} of {many} patches stay over {over}."
        average = (
            f"On average, a patch and its best match in another run share {share(mean)} of their points "
            f"(random split: {share(chance)})."
        )
        gone = [f"“{name}”" for name, stays in zip(self.names, self.stay, strict=True) if not stays]
        rest = f" Not stable: {listing(gone)}." if gone and count and len(gone) <= NAMED else ""
        warning = " A patch that stays may still be made by the method." if count else ""
        return f"{first} {average}{rest}{warning}"

    def table(self) -> tuple[tuple[str, ...], list[tuple[str | float, ...]]]:
        """Return header and rows: each patch with its size, the verdict, its overlap and that of random splits."""
        columns = (self.names, self.sizes, self.stay, self.means.tolist(), self.overlap.min(axis=1).tolist())
        rows = zip(*columns, self.chance.tolist(), strict=True)
        return ("patch", "points", "over the runs", "overlap", "lowest", "random split"), [
            (name, size, STAYS if stays else CHANGES, mean, lowest, chance)
            for name, size, stays, mean, lowest, chance in rows
        ]


def patches_over_runs(
    space: VectorSpace, rows: Ints, maps: Sequence[Float], present: Sequence[NDArray[np.bool_]], *, seed: int = 0
) -> PatchRuns:
    """Return how much of each patch of the first map is one patch on each other map.

    Args:
        rows: Rows of the space on the first map, (n,). A row of zeros is in no patch.
        maps: The points of each run; the first has all rows.
        present: The rows that each run has, (n,) each. A patch is compared by the rows that both have.
        seed: Of the random splits.
    """
    has = space.norms[rows] > 0
    places = np.flatnonzero(has)
    found = _spread(on_map(np.asarray(maps[0][has], np.float32)), places, len(rows))
    names, central = named(space, rows[places], found[places])
    others = [
        _spread(on_map(np.asarray(points[has[own]], np.float32)), np.flatnonzero(own & has), len(rows))
        for points, own in zip(maps[1:], present[1:], strict=True)
    ]
    shared = [np.flatnonzero(own & has) for own in present[1:]]
    random, count = np.random.default_rng(seed), len(names)
    overlap = np.empty((count, len(others)))
    dealt = np.empty((SPLITS, count, len(others)))
    for run, (labels, both) in enumerate(zip(others, shared, strict=True)):
        overlap[:, run] = overlaps(found[both], labels[both], count)
        for split in range(SPLITS):
            dealt[split, :, run] = overlaps(found[both], random.permutation(labels[both]), count)
    means = dealt.mean(axis=2)
    return PatchRuns(
        labels=found,
        names=names,
        central=places[central],
        sizes=sizes_of(found),
        overlap=overlap,
        chance=means.mean(axis=0),
        most=means.max(axis=0),
        shown=len(places),
    )


def overlaps(first: Ints, other: Ints, count: int) -> NDArray[np.float64]:
    """Return the overlap (Jaccard) of each of so many sets with the most similar set of other labels, (count,).

    Args:
        first, other: The set of each row, (n,); −1 for none. A set without a row has overlap 0.
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
    """Return the labels of some rows as labels of all n, (n,); −1 elsewhere."""
    whole = np.full(n, -1, np.int64)
    whole[places] = labels
    return whole
