"""Names for the regions of a map at several scales: few for the whole map, more after zooming in.

The points of the map are divided, not the rows of the space. k-means gives many small cells, and Ward's method merges
them into larger and larger regions (Ward 1963). So each region lies within one larger region. Every map has regions,
even a map of data without groups. A region is named by its typical words or by the values of a column.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace, WordBlob
from embedviz.geometry.clusters import central_rows, kmeans_labels, name_of, unit_means
from embedviz.retrieval.cluster_words import cluster_words

WORDS = ""
"""The value of `by` for regions that are named by their words, not by a column."""
COUNTS = (6, 24, 96, 384)
"""Number of regions at each level, from coarse to fine."""
SMALLEST = 10
"""Minimum mean number of points per region; levels with smaller regions are left out."""
MOST = 100_000
"""Maximum number of points of a map with regions."""
CELLS = 500
_SHARE = 0.5  # minimum share of a region's rows for a class that names the region alone
_SECOND = 0.2  # minimum share of the rows for each of two classes that name the region together
_STARTS = 2


@dataclass(frozen=True)
class Region:
    """A region of a map.

    Attributes:
        id: Numbers of the region and of the larger regions around it: *1.3* is region 3 inside region 1. In each larger
            region, the numbers begin at 1 with the largest region inside.
        name: Words or classes that are typical of the region's rows; empty if there are none.
        at: The middle of the region on the map: the median of the region's points.
        row: Index of the point nearest to the middle.
        radius: Distance from the middle within which two thirds of the region's points lie.
        size: Number of points.
    """

    id: str
    name: str
    at: tuple[float, ...]
    row: int
    radius: float
    size: int


@dataclass(frozen=True)
class Regions:
    """The regions of a map, from coarse to fine; `by` is the column that names them, or empty for words."""

    found: tuple[Region, ...]
    by: str = WORDS

    @property
    def meaning(self) -> str:
        """Say what names the regions, and that they divide the map and not the space."""
        by = f"the column {self.by}" if self.by else "their most typical words"
        return f"Regions are named by {by}. They divide the map, not the space: every map has regions."


@offered("regions", "for region in regions.found[:6]:", "    print(region.size, region.name)")
def regions(
    space: VectorSpace, rows: Ints, points: Float, *, by: str = WORDS, seed: int = 0, report: Report | None = None
) -> Regions:
    """Return the named regions of a map at up to four scales.

    Args:
        rows: Rows of the space on the map, (n,).
        points: Positions of these rows on the map, (n, 2) or (n, 3).
        by: Column of classes that names the regions; empty to name them by words.
        seed: Seed of k-means.

    Raises:
        OptionError: The space has no such column, or the map has fewer than 20 or more than `MOST` points.
    """
    rows, places = np.asarray(rows, np.int64), np.asarray(points, np.float32)
    if by and by not in space.metadata:
        raise OptionError(f"by is {by!r}; it may be empty or: {', '.join(space.metadata) or 'no column'}.")
    if not 2 * SMALLEST <= len(rows) <= MOST:
        raise OptionError(f"The map has {len(rows):,} points; regions have names on maps of 20 to {MOST:,}.")
    levels = divided(places, seed)
    found: list[Region] = []
    above: tuple[Ints, list[str]] | None = None
    for step, labels in enumerate(levels):
        tell(report, step / len(levels), "naming the regions")
        ids = _ids(labels, above)
        names = _names(space, rows, labels, by)
        found += [_region(places, labels, code, ids[code], names[code]) for code in range(len(ids))]
        above = labels, ids
    return Regions(tuple(found), by)


def divided(points: Float, seed: int) -> list[Ints]:
    """Return for each level, from coarse to fine, the number of each point's region, (n,); region 0 is the largest."""
    from scipy.cluster.hierarchy import cut_tree, ward

    n = len(points)
    counts = [count for count in COUNTS if count * SMALLEST <= n] or [2]
    cells = kmeans_labels(points, min(CELLS, n // 4), seed, restarts=_STARTS, batched=n > 5_000)
    names, cells = np.unique(cells, return_inverse=True)
    middles = np.stack([points[cells == cell].mean(axis=0) for cell in range(len(names))])
    counts = [count for count in counts if count <= len(names)]
    if len(names) < 2 or not counts:
        return [np.zeros(n, np.int64)]
    tree = cut_tree(ward(middles.astype(np.float64)), n_clusters=counts)
    return [_by_size(tree[cells, level]) for level in range(len(counts))]


def _by_size(labels: Any) -> Ints:
    """Number the labels again by frequency: 0 for the most frequent label."""
    names, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    place = np.empty(len(names), np.int64)
    place[np.argsort(-sizes, kind="stable")] = np.arange(len(names))
    return np.asarray(place[codes], np.int64)


def _ids(labels: Ints, above: tuple[Ints, list[str]] | None) -> list[str]:
    """Return the id of each region: the id of the larger region around it, then its number there, from 1.

    Args:
        above: Labels and ids of the larger regions, at the next coarser level; None for the coarsest level.
    """
    count = int(labels.max()) + 1
    if above is None:
        return [str(code + 1) for code in range(count)]
    larger, ids = above
    within: Counter[str] = Counter()
    made = []
    for code in range(count):
        parent = ids[int(larger[int(np.argmax(labels == code))])]
        within[parent] += 1
        made.append(f"{parent}.{within[parent]}")
    return made


def _region(points: Float, labels: Ints, code: int, name_id: str, name: str) -> Region:
    inside = np.flatnonzero(labels == code)
    middle = np.median(points[inside], axis=0)
    far = np.linalg.norm(points[inside] - middle, axis=1)
    row = int(inside[int(np.argmin(far))])
    at = tuple(float(value) for value in middle)
    return Region(name_id, name, at, row, float(np.quantile(far, 2 / 3)), len(inside))


def _names(space: VectorSpace, rows: Ints, labels: Ints, by: str) -> list[str]:
    """Return the name of each region of one level."""
    count = int(labels.max()) + 1
    if by:
        column = space.metadata[by]
        values = column.at(rows) if isinstance(column, WordBlob) else [*map(str, column[rows].tolist())]
        known = np.asarray(values, object)
        return [_class_name(known[labels == code].tolist()) for code in range(count)]
    if space.noun == "text" and space.texts is not None:
        texts = [str(space.texts[int(row)]) for row in rows]
        sizes = np.bincount(labels, minlength=count).tolist()
        named = [tuple(each.word for each in words) for words in cluster_words(texts, labels, sizes)]
        return [name_of(words) if words else "" for words in named]
    unit = np.asarray(space.unit_rows(rows))
    centers = unit_means(unit, labels, count)
    near = [central_rows(unit, labels == code, centers[code]) for code in range(count)]
    return [name_of(tuple(space.label(int(rows[place])) for place in each)) for each in near]


def _class_name(values: Sequence[str]) -> str:
    """Return the class that at least half of the values have.

    Otherwise return the two most frequent classes if each has at least a fifth of the values, or else an empty text.
    """
    (first, most), *others = Counter(values).most_common(2)
    if most >= _SHARE * len(values):
        return first
    second = [name for name, count in others if count >= _SECOND * len(values)]
    return f"{first}, {second[0]}" if second and most >= _SECOND * len(values) else ""
