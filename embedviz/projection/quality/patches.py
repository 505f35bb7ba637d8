"""Patches of a map, and whether they exist in the space.

t-SNE and UMAP draw patches even from data without groups. A patch is a cluster of the points of a map by density
(HDBSCAN). Its separation is the mean silhouette of its rows in the space, against the nearest other patch (Rousseeuw
1987). The baseline is the separation of the patches on maps that the same method draws of structureless copies of the
rows. Under Euclidean distance, a copy also has the same distances from the mean as the rows of the space.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz import projection
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import listing
from embedviz.core.progress import Report, part
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.copies import fitted_cloud, next_copy
from embedviz.geometry.clusters import central_rows, name_of, unit_means
from embedviz.geometry.density import density_labels, least_of
from embedviz.projection.quality import as_seen
from embedviz.projection.quality.copied import drawing, heard_copy

AFFORDABLE = 10.0
"""Seconds that all copies together may take. If one copy takes long, there are fewer copies."""
COPIES, FEWEST_COPIES = 19, 9
"""Number of structureless copies: the maximum, and the minimum if a map takes long."""
FEW = 60
"""Minimum number of points of a map for a verdict on its patches."""
SMALLEST = 10
"""Minimum number of points of a patch for a verdict on it: a few rows are often near each other by chance."""
MOST = 10_000
"""Maximum number of points of a map, because silhouettes compare all pairs of points."""
SAMPLES = 5
"""Number of nearest neighbors by which HDBSCAN computes the density of the map at a point."""
EXISTS, UNCERTAIN = "exists in the space", "may come from the method"
NAMED = 3
"""Maximum number of uncertain patches that a sentence names."""


@dataclass(frozen=True, eq=False)
class Patches:
    """The p patches of a map, the largest first, and how separate each patch is in the space.

    Attributes:
        labels: The number of the patch of each point, (n,); −1 for a point in no patch.
        names: The name of each patch, from its most central words.
        central: The most central word of each patch, as an index into the words of the map, (p,).
        sizes: Number of points of each patch.
        separation: Mean silhouette of the rows of each patch in the space, (p,).
        copies: For each structureless copy, the pairs (size, separation) of the patches on the map of the copy.
        shown: Number of points of the map; under *cosine*, without rows of zeros.
        method: Name of the projection.
    """

    labels: Ints
    names: tuple[str, ...]
    central: Ints
    sizes: tuple[int, ...]
    separation: NDArray[np.float64]
    copies: tuple[tuple[tuple[int, float], ...], ...]
    shown: int
    method: str

    @property
    def limits(self) -> tuple[float, ...]:
        """Return for each patch a limit: in 95 % of cases, no patch of one more copy has a higher separation.

        The limit follows from Student's t. It is based on patches of copies that have at least half the size of the
        patch, because small patches are separate more easily. If a copy has no patch of that size, all its patches are
        used. The 5 % are divided among all patches of the map (Bonferroni). A limit is never below the separation of
        the patches on which it is based.
        """
        return tuple(self._limit(size) for size in self.sizes)

    def _limit(self, size: int) -> float:
        highest = []
        for copy in self.copies:
            alike = [value for other, value in copy if 2 * other >= size] or [value for _, value in copy]
            highest.append(max([0.0, *alike]))
        return max(float(sum(next_copy(np.asarray(highest), len(self.sizes)))), *highest)

    @property
    def exist(self) -> tuple[bool, ...]:
        """Return for each patch whether its separation in the space is above its limit in `limits`.

        In 95 % of cases, no patch on the map of one more structureless copy exceeds the limit. For a patch of fewer
        than `SMALLEST` points the result is False. All results are False if the map has fewer than `FEW` points, or if
        fewer than `FEWEST_COPIES` copies were mapped.
        """
        if self.shown < FEW or len(self.copies) < FEWEST_COPIES:
            return (False,) * len(self.sizes)
        columns = zip(self.sizes, self.separation, self.limits, strict=True)
        return tuple(size >= SMALLEST and bool(value > limit) for size, value, limit in columns)

    @property
    def meaning(self) -> str:
        """Say how many patches exist in the space, with the structureless copies as the baseline."""
        if not self.names:
            return "The map has no patches: no region of it is denser than the rest."
        if self.shown < FEW:
            return f"{self.shown} points are too few to judge patches; {FEW} are needed."
        count, many = sum(self.exist), len(self.names)
        if not count:
            return f"None of {many} patches can be told from patches that the method makes of structureless copies."
        exist = (
            f"{count} of {many} patches exist in the space: their vectors are more separate than patches that "
            "the method makes of structureless copies."
        )
        if count == many:
            return exist
        rest = [f"“{name}”" for name, exists in zip(self.names, self.exist, strict=True) if not exists]
        unsure = listing(rest) if len(rest) <= NAMED else f"The other {len(rest)}"
        title = projection.PROJECTIONS[self.method].title
        return f"{exist} {unsure} may come from {title} and not from the data."

    def meaning_of(self, by: str = "patches") -> str:
        """Return `meaning`; `by` is not used, because patches have only one value."""
        return self.meaning

    def table(self, by: str = "patches") -> tuple[tuple[str, ...], list[tuple[str | float, ...]]]:
        """Return header and rows of a table: each patch with its size, its separation, and whether it exists."""
        rows = zip(self.names, self.exist, self.separation.tolist(), self.limits, self.sizes, strict=True)
        return ("patch", "points", "verdict", "separation", "copies: at most"), [
            (name, size, EXISTS if exists else UNCERTAIN, value, limit) for name, exists, value, limit, size in rows
        ]

    def places(self, by: str = "patches") -> Ints:
        """Return the most central word of each row of `table()`, as an index into the words of the map."""
        return self.central

    def card(self) -> dict[str, Any]:
        """Return the results as a mapping from name to plain JSON value."""
        header, rows = self.table()
        return {
            "method": self.method,
            "shown": self.shown,
            "copies": len(self.copies),
            "patches": [dict(zip(header, row, strict=True)) for row in rows],
        }


@offered("found", "print(found.meaning)", "for row in found.table()[1]:", "    print(*row)")
def patches(
    space: VectorSpace,
    rows: Ints,
    method: str = "pca",
    options: Mapping[str, Any] | None = None,
    *,
    points: Float | None = None,
    copies: int = 0,
    seed: int = 0,
    report: Report | None = None,
) -> Patches:
    """Return the patches of a map, and how separate each is in the space. A patch is a density-based cluster.

    Args:
        rows: Rows of the space on the map, (n,).
        method, options: Method of the map and its options; the copies are mapped with the same ones.
        points: The points of the map, (n, 2) or (n, 3); None computes the map.
        copies: Number of structureless copies, 9 or more; 0 for as many as ten seconds allow, 9 to 19.
        seed: Seed of the copies.

    Raises:
        OptionError: There are too few or too many words, all words are equal, `copies` is out of range, or the method
            refuses an option.
    """
    rows, chosen = np.asarray(rows, np.int64), dict(options or {})
    if len(rows) > MOST:
        raise OptionError(f"Patches of {len(rows):,} points take too long. Choose {MOST:,} words or fewer.")
    if copies and copies < FEWEST_COPIES:
        raise OptionError(f"copies is {copies}; it may be 0, or {FEWEST_COPIES} and more.")
    metric = projection.metric_of(method, chosen)
    high, places = as_seen(space, rows, metric)
    if points is None:
        points = projection.lay_out(space, rows, method, report=part(report, 0.0, 0.1), **chosen).points
    low = np.asarray(points, np.float32)[places]
    found = on_map(low)
    count = int(found.max()) + 1
    one = projection.estimate(len(rows), space.dimensions, method, chosen).seconds + 2e-8 * len(high) ** 2
    number_of_copies = (copies or int(np.clip(AFFORDABLE / one, FEWEST_COPIES, COPIES))) if count else 0
    cloud = fitted_cloud(np.asarray(space.matrix[rows[places]]), unit=metric == "cosine")
    draw = drawing(high, low, method, chosen)
    copied = []
    for place in range(number_of_copies):
        heard = heard_copy(part(report, 0.1, 1.0), place, number_of_copies)
        copy = cloud.draw(len(high), np.random.default_rng([seed, place]))
        copy = copy if metric == "cosine" else with_radii(copy, high)
        drawn = on_map(draw(copy, heard))
        copied.append([*zip(sizes_of(drawn), separations(copy, drawn), strict=True)])
    labels = np.full(len(rows), -1, np.int64)
    labels[places] = found
    names, central = named(space, rows[places], found)
    return Patches(
        labels=labels,
        names=names,
        central=places[central],
        sizes=sizes_of(found),
        separation=np.asarray(separations(high, found), np.float64),
        copies=tuple(tuple(each) for each in copied),
        shown=len(high),
        method=method,
    )


def named(space: VectorSpace, rows: Ints, labels: Ints) -> tuple[tuple[str, ...], Ints]:
    """Return the name of each patch, from its most central words, and the index of its most central word, (p,).

    The index is an index into `rows`.

    Args:
        rows: Rows of the space on the map, (n,).
        labels: The number of the patch of each row, (n,); −1 for a row in no patch.
    """
    unit, count = np.asarray(space.unit_rows(rows)), int(labels.max(initial=-1)) + 1
    centers = unit_means(unit, labels, count)
    central = [central_rows(unit, labels == each, centers[each]) for each in range(count)]
    names = tuple(name_of(tuple(space.label(int(rows[place])) for place in each)) for each in central)
    return names, np.asarray([each[0] for each in central], np.int64)


def with_radii(copy: Float, high: Float) -> Float:
    """Return the rows of a copy, moved so that their distances from the mean are those of the rows `high`.

    The row of the copy that is nearest to the mean gets the smallest distance, and so on. If the rows `high` have
    a dense middle and distant rows around it, so has the copy. So a dense middle alone does not count as a patch.
    """
    mean = high.mean(axis=0)
    centered = copy - mean
    lengths = np.maximum(np.linalg.norm(centered, axis=1), np.finfo(np.float32).tiny)
    factor = np.empty(len(copy), np.float32)
    factor[np.argsort(lengths)] = np.sort(np.linalg.norm(high - mean, axis=1))
    return np.asarray(mean + centered * (factor / lengths)[:, None], np.float32)


def on_map(points: Float) -> Ints:
    """Return the number of the patch of each point on a map, (n,): 0 for the largest patch, −1 for no patch."""
    return density_labels(points, least_of(len(points)), SAMPLES, "eom")


def sizes_of(labels: Ints) -> tuple[int, ...]:
    """Return the number of points of each patch, from the number of the patch of each point (−1: no patch)."""
    return tuple(np.bincount(labels[labels >= 0], minlength=int(labels.max()) + 1).tolist())


def separations(high: Float, labels: Ints) -> Sequence[float]:
    """Return for each patch the mean silhouette of its rows in the space, against the nearest other patch.

    If there is only one patch, its silhouette is 0.

    Args:
        high: The rows in the space, (n, d).
        labels: The number of the patch of each row, (n,); −1 for a row in no patch.
    """
    from sklearn.metrics import silhouette_samples

    inside = labels >= 0
    count = int(labels.max()) + 1
    if count < 2:
        return [0.0] * count
    values = silhouette_samples(high[inside], labels[inside])
    return [float(values[labels[inside] == each].mean()) for each in range(count)]
