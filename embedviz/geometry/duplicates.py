"""Near-duplicates: rows that are closer to another row than independent rows of the same space would be.

“Close” is relative to the scale of the space, not a fixed cosine. So such rows need not be copies of each other.

The measure is the distance ratio: the distance of a row to its nearest row, divided by the distance to its k-th
nearest row.
For independent rows whose density changes little over k neighbors, ratio^D has the distribution Beta(1, k − 1), for any
density. D is the intrinsic dimension, estimated from the median ratio (after Facco et al. 2017, who use k = 2).

A row is called unusually close if it equals another row up to length, or if it passes two tests. First, its ratio is so
small that in a space of independent rows the smallest ratio of all tested rows would be as small in fewer than 5 % of
cases. Second, its ratio is below the smallest ratios of random data. There are four kinds of random data, which the
module `structure` describes. The second test is needed because density may change quickly.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, number, sample_of, share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float, Ints, VectorSpace, unit_rows
from embedviz.core.stats.copies import next_copy
from embedviz.core.stats.intervals import LEVEL, Share
from embedviz.core.stats.resampling import drawn_rows
from embedviz.geometry.structure import KINDS, copies_of
from embedviz.neighbors import nearest_lists

ALIKE = 0.999
"""Two rows with a higher cosine are called nearly equal."""
K = 10
"""Number of neighbors k for the distance ratio."""
SAMPLE = 2_000
"""Maximum number of rows tested, drawn at random. In large spaces, fewer rows are tested."""
FEW = 30
"""Minimum number of nonzero rows in a space for the search of near-duplicates."""
_PRODUCTS = 100_000_000_000  # maximum number of multiplications to find the neighbors of the sample
_EQUAL = 1e-5  # unit rows at a smaller distance have the same direction
COPIES = 9
"""Number of random data sets of each of the four kinds."""
_COPIED = 1_000  # maximum number of rows of a random data set
_PAIRS = 100  # maximum number of listed pairs


class NearPair(NamedTuple):
    """Two rows that are unusually close: their words, their cosine, and a distance ratio.

    The ratio is the distance from the first row to its nearest row, divided by the distance to its k-th nearest row.
    """

    word: str
    other: str
    cosine: float
    ratio: float


@dataclass(frozen=True, eq=False)
class NearDuplicates:
    """Rows of a sample that are unusually close to another row.

    The distance ratio of a row is the distance to its nearest row, divided by the distance to its k-th nearest row.

    Attributes:
        tested: Share of tested rows that are unusually close: `tested.right` of `tested.of` rows.
        equal: Number of tested rows for which another row has the same direction.
        alike: Number of tested rows for which another row has a cosine above `ALIKE`.
        rows: Number of nonzero rows, among which neighbors were searched.
        limit: Distance ratio below which a row is called unusually close. It is 0 if only rows with the direction of
            another row are called so.
        typical: Median distance ratio.
        cosine: Median cosine of a row with its nearest row.
        closest: Greatest cosine of a row with its nearest row.
        dimension: Intrinsic dimension, estimated from the median ratio; infinite if there is no estimate.
        pairs: The pairs found, at most 100, nearest first.
        noun: What a row stands for, such as “word”.
        k: Number of neighbors k for the distance ratio.
    """

    tested: Share
    equal: int
    alike: int
    rows: int
    limit: float
    typical: float
    cosine: float
    closest: float
    dimension: float
    pairs: tuple[NearPair, ...]
    noun: str = "word"
    k: int = K

    @property
    def found(self) -> bool:
        """Return whether any tested row is unusually close to another."""
        return self.tested.right > 0

    @property
    def meaning(self) -> str:
        """Say whether there are nearly equal rows, and how many rows are unusually close to another."""
        sample = sample_of(self.tested.of, self.rows, self.noun)
        if self.alike:
            equal = f", {self.equal:,} of them exactly the same direction" if self.equal else ""
            answer = f"Yes: {self.alike:,} of {sample} have another at a cosine above {ALIKE}{equal}."
        else:
            digits = next((many for many in range(2, 6) if number(self.closest, many) != number(1.0, many)), 6)
            closest = f"the closest two have {number(self.closest, digits)}"
            answer = f"No: of {sample}, none has another at a cosine above {ALIKE}; {closest}."
        if not self.found:
            return answer
        many = f"{self.tested.right:,} {'has' if self.tested.right == 1 else 'have'}"
        usual = "Related words, such as days or numbers," if self.noun == "word" else "Similar texts"
        return (
            f"{answer} {many} a neighbor much nearer than the {self.k}th nearest. {usual} are normal; unrelated pairs "
            f"are a sign that the {self.noun}s are in the wrong order."
        )

    @property
    def legend(self) -> str:
        """Explain the distance ratio, with its median and its limit."""
        return (
            f"Distance ratio: distance to the nearest row divided by that to the {self.k}th nearest; median row "
            f"{number(self.typical)}. Of 20 random data sets, at most one has a row below {number(self.limit)}."
        )

    @property
    def note(self) -> str:
        """Describe the sample and the limit, and explain where the limit comes from."""
        sampled = ""
        if self.tested.of < self.rows:
            low, high = self.tested.interval
            sampled = f" drawn at random; 95\u00a0% interval of the share: {share(low)} to {share(high)}"
        sample = f"Sample: {counted(self.tested.of, 'row')}{sampled}. Searched among {self.rows:,}."
        if not self.limit:
            return f"{sample} Unusually close: equal to another up to their length, {self.equal:,}."
        return (
            f"{sample} Unusually close: the nearest row is less than {number(self.limit)} times as far as the "
            f"{self.k}th nearest; the median row: {number(self.typical)}. The limit is what the smallest ratio of "
            f"independent rows of intrinsic dimension {self.dimension:.0f}, and of random data, falls below in at most "
            "5\u00a0% of cases. "
            f"Equal to another up to their length: {self.equal:,}."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows: the pairs, nearest first."""
        return (self.noun, "close to", "cosine", "distance ratio"), iter(self.pairs)

    def card(self) -> dict[str, Any]:
        """Return the results as plain JSON values."""
        low, high = self.tested.interval
        return {
            "share": self.tested.value,
            "low": low,
            "high": high,
            "sample": self.tested.of,
            "equal": self.equal,
            "limit": self.limit,
            "median_cosine": self.cosine,
            "pairs": [pair._asdict() for pair in self.pairs[:20]],
            "meaning": self.meaning,
        }


@offered("found", "print(found.meaning)", "for pair in found.pairs[:10]:", "    print(*pair, sep='  ')")
def near_duplicates(
    space: VectorSpace, *, sample: int = SAMPLE, seed: int = 0, report: Report | None = None
) -> NearDuplicates:
    """Return the rows of a sample that are unusually close to another row of the space, by cosine.

    Args:
        sample: Maximum number of rows tested, drawn at random; fewer in large spaces.
        seed: Seed of the sample and of the random data.

    Raises:
        OptionError: Fewer than 30 rows are not zero, or the sample is below 1.
    """
    if sample < 1:
        raise OptionError(f"The sample is {sample}; it is 1 or more.")
    usable = np.flatnonzero(np.isfinite(space.norms) & (space.norms > 0))
    if len(usable) < FEW:
        found = counted(len(usable), "row")
        raise OptionError(f"The space has {found} other than zero; {FEW} are needed to find close rows.")
    most = min(sample, max(100, _PRODUCTS // (len(space) * space.dimensions)))
    looked = drawn_rows(usable, most, seed)
    k = min(K, len(usable) // 3)

    def done(count: int) -> None:
        tell(report, 0.6 * count / len(looked), f"neighbors of {count:,} of {len(looked):,} rows")

    near, _ = nearest_lists(space, looked, k, done=done)
    distances = _distances(space, looked, near)
    random = np.random.default_rng([seed, 1])
    some = drawn_rows(looked, _COPIED, random)
    lowest = _lowest(np.asarray(space.matrix[some]), k, random, part(report, 0.6, 0.95))
    flagged, limit, typical, dimension = _flagged(distances, lowest)
    order = np.flatnonzero(flagged)
    order = order[np.argsort(distances[order, 0], kind="stable")]
    equal = int((distances[:, 0] < _EQUAL).sum())
    pairs = _pairs(space, looked, near, distances, order)
    tell(report, 1.0, "done")
    alike = int((distances[:, 0] < np.sqrt(2 - 2 * ALIKE)).sum())
    closest, cosine = (float(1 - distance**2 / 2) for distance in np.quantile(distances[:, 0], (0, 0.5)))
    tested, rows = Share(len(order), len(looked)), len(usable)
    return NearDuplicates(tested, equal, alike, rows, limit, typical, cosine, closest, dimension, pairs, space.noun, k)


def _distances(space: VectorSpace, looked: Ints, near: Ints) -> NDArray[np.float64]:
    """Return the distances of unit rows to their k nearest rows, ascending, (m, k).

    The distances are computed from differences, so that small distances are exact.
    """
    found = np.empty(near.shape)
    for start in range(0, len(looked), 500):
        rows = slice(start, start + 500)
        here = space.unit_rows(looked[rows]).astype(np.float64)
        there = space.unit_rows(near[rows].ravel()).reshape(*near[rows].shape, -1)
        found[rows] = np.linalg.norm(here[:, None] - there, axis=2)
    return np.sort(found, axis=1)


def _flagged(distances: NDArray[np.float64], lowest: float) -> tuple[NDArray[np.bool_], float, float, float]:
    """Return which rows are unusually close to another, (m,); then the limit, the median ratio and the dimension.

    The ratio of a row is the distance to its nearest row, divided by the distance to its k-th nearest. A row is
    unusually close if it equals another row, or if its ratio is below the limit.

    Args:
        distances: Distances of each row to its k nearest other rows, ascending, (m, k).
        lowest: Limit of dimension × log ratio in random data, from `_lowest`.
    """
    m, k = distances.shape
    equal, ratio = _ratios(distances)
    typical, dimension = _dimension(equal, ratio, k)
    if not np.isfinite(dimension):
        return equal, 0.0, typical, dimension
    expected = np.log(1 - (1 - LEVEL / m) ** (1 / (k - 1)))
    limit = float(np.exp(min(expected, lowest) / dimension))
    return equal | (ratio < limit), limit, typical, dimension


def _ratios(distances: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which rows equal another row, (m,), and the distance ratio of each row, (m,).

    The ratio is the distance to the nearest row, divided by the distance to the k-th nearest. It is 0 for a row that
    equals another row. The argument holds the distances to the k nearest rows, ascending, (m, k).
    """
    equal = distances[:, 0] < _EQUAL
    return equal, np.where(equal, 0.0, distances[:, 0] / np.maximum(distances[:, -1], _EQUAL))


def _dimension(equal: NDArray[np.bool_], ratio: NDArray[np.float64], k: int) -> tuple[float, float]:
    """Return the median distance ratio of the rows that equal no other row, and the intrinsic dimension from it.

    The distance ratio is the distance to the nearest row, divided by the distance to the k-th nearest. The dimension is
    infinite if the median is 0 or 1.
    """
    typical = float(np.median(ratio[~equal])) if (~equal).any() else 0.0
    if not 0 < typical < 1:
        return typical, float("inf")
    return typical, float(np.log(1 - 0.5 ** (1 / (k - 1))) / np.log(typical))


def _lowest(rows: Float, k: int, random: np.random.Generator, report: Report | None) -> float:
    """Return the lowest value of intrinsic dimension × log distance ratio that chance still explains.

    The distance ratio of a row is the distance to its nearest row, divided by the distance to its k-th nearest row. In
    random data of each kind, the smallest product of all rows is lower in at most 5 % of cases. Without an estimate
    from random data, the result is 0.
    """
    limits = []
    for place, kind in enumerate(KINDS):
        draw, least = copies_of(rows, kind), []
        for copy in range(COPIES):
            tell(report, (place * COPIES + copy) / (len(KINDS) * COPIES), "comparing with random data")
            equal, ratio = _ratios(_nearest(unit_rows(draw(random)), k))
            dimension = _dimension(equal, ratio, k)[1]
            if np.isfinite(dimension) and not equal.any():
                least.append(dimension * float(np.log(ratio.min())))
        if len(least) > 1:
            limits.append(-float(sum(next_copy(-np.asarray(least)))))
    return min(limits, default=0.0)


def _nearest(unit: Float, k: int) -> NDArray[np.float64]:
    """Return the distances of unit rows to their k nearest other rows, ascending, (n, k)."""
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    near = np.partition(cosines, len(unit) - k, axis=1)[:, -k:].astype(np.float64)
    return np.sort(np.sqrt(np.maximum(0.0, 2 - 2 * near)), axis=1)


def _pairs(space: VectorSpace, looked: Ints, near: Ints, distances: NDArray[Any], order: Ints) -> tuple[NearPair, ...]:
    """Return pairs of a tested row and its nearest row, at most 100, each pair once.

    Args:
        looked: Row numbers of the tested rows, (m,).
        near: Row numbers of the k nearest rows of each tested row, (m, k).
        distances: Distances to the nearest rows, (m, k).
        order: Indices in `looked` of the rows to pair, nearest pair first.
    """
    found: dict[frozenset[int], NearPair] = {}
    for place in order.tolist():
        one, other = int(looked[place]), int(near[place, 0])
        if len(found) >= _PAIRS or frozenset((one, other)) in found:
            continue
        first, last = float(distances[place, 0]), float(distances[place, -1])
        ratio = first / last if last > _EQUAL else 0.0
        found[frozenset((one, other))] = NearPair(space.label(one), space.label(other), 1 - first * first / 2, ratio)
    return tuple(found.values())
