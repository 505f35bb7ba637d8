"""Rows that are unusually close to another row: nearer than independent rows of the same space would be.

Close is meant by the scale of the space, not by a fixed cosine: such rows need not be copies of each other.

The distance of a row to its nearest row is divided by its distance to the k-th nearest. For independent rows whose
density changes little over k neighbors, this ratio to the power D has a beta distribution with 1 and k − 1, whatever
the density is; D is the intrinsic dimension, estimated from the median ratio (after Facco et al. 2017, who use k = 2).
A row is called unusually close where so small a ratio is expected in fewer than 5 % of spaces, over all rows tested,
and where it is below the smallest ratio of random data of the four kinds of `structure`: density may change quickly.
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
"""The cosine above which two rows are called nearly equal; sentences give it."""
K = 10
"""Neighbors that give a row its scale."""
SAMPLE = 2_000
"""Rows tested, drawn at random where there are more; fewer of large spaces."""
FEW = 30
"""Minimum number of rows with a direction."""
_PRODUCTS = 100_000_000_000  # multiplications for the neighbors of the sample
_EQUAL = 1e-5  # distance of unit rows below which they have one direction
COPIES = 9
"""Copies of each kind of random data."""
_COPIED = 1_000  # rows of a copy
_PAIRS = 100  # pairs that are kept for lists


class NearPair(NamedTuple):
    """Two rows that are unusually close: their words, cosine, and distance ÷ distance of the k-th nearest."""

    word: str
    other: str
    cosine: float
    ratio: float


@dataclass(frozen=True, eq=False)
class NearDuplicates:
    """Rows of a sample that are unusually close to another row.

    Attributes:
        tested: Rows of the sample that are unusually close to one of all rows, of those tested.
        equal: How many of them have a row of exactly the same direction.
        alike: How many have another at a cosine above `ALIKE`.
        rows: Rows with a direction, among which neighbors were searched.
        limit: Ratio of the distances to the nearest and the k-th nearest row, below which a row is
            unusually close.
        typical: The median ratio.
        cosine: The median cosine of a row with its nearest row.
        closest: The largest cosine of a tested row with its nearest row.
        dimension: Intrinsic dimension that the median ratio gives; infinite where all distances are equal.
        pairs: The pairs found, the nearest first.
        noun: What a row stands for.
        k: Neighbors of each row.
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
        """Say whether there are duplicates, and how many rows are unusually close to another."""
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
            f"{answer} {many} one neighbor that is much nearer than all others. {usual} are normal; unrelated pairs "
            f"are a sign that the {self.noun}s are in the wrong order."
        )

    @property
    def legend(self) -> str:
        """Explain the last column of the table, with its usual value."""
        return (
            f"Distance ratio: distance to the nearest row divided by that to the {self.k}th nearest; median row "
            f"{number(self.typical)}. Of 20 random data sets, at most one has a row below {number(self.limit)}."
        )

    @property
    def note(self) -> str:
        """Say the sample, the limit and its baseline."""
        sampled = ""
        if self.tested.of < self.rows:
            low, high = self.tested.interval
            sampled = f" drawn at random; 95\u00a0% interval of the share: {share(low)} to {share(high)}"
        return (
            f"Sample: {counted(self.tested.of, 'row')}{sampled}. Searched among {self.rows:,}. Unusually close: "
            f"the nearest row is less than {number(self.limit)} times as far as the {self.k}th nearest; the median "
            f"row: {number(self.typical)}. The limit is what the "
            "smallest ratio of independent rows of intrinsic dimension "
            f"{self.dimension:.0f}, and of random data, falls below in at most 5\u00a0% of cases. "
            f"Equal to another up to their length: {self.equal:,}."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows: the pairs, the nearest first."""
        return (self.noun, "close to", "cosine", "distance ratio"), iter(self.pairs)

    def card(self) -> dict[str, Any]:
        """Return what was found as plain JSON values."""
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
        sample: Rows tested, fewer in large spaces.
        seed: Seed of the sample.

    Raises:
        OptionError: Fewer than 30 rows have a direction, or the sample is below 1.
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
    """Return the distances of rows at length one to their nearest, ascending, (m, k); exact where they are small."""
    found = np.empty(near.shape)
    for start in range(0, len(looked), 500):
        rows = slice(start, start + 500)
        here = space.unit_rows(looked[rows]).astype(np.float64)
        there = space.unit_rows(near[rows].ravel()).reshape(*near[rows].shape, -1)
        found[rows] = np.linalg.norm(here[:, None] - there, axis=2)
    return np.sort(found, axis=1)


def _flagged(distances: NDArray[np.float64], lowest: float) -> tuple[NDArray[np.bool_], float, float, float]:
    """Return which rows are unusually close, the limit of the ratio, its median, and the intrinsic dimension.

    Args:
        lowest: What dimension × log ratio has at least in random data.
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
    """Return which rows are equal to another, and each row's nearest distance ÷ its k-th, (m,)."""
    equal = distances[:, 0] < _EQUAL
    return equal, np.where(equal, 0.0, distances[:, 0] / np.maximum(distances[:, -1], _EQUAL))


def _dimension(equal: NDArray[np.bool_], ratio: NDArray[np.float64], k: int) -> tuple[float, float]:
    """Return the median ratio of rows that have no equal, and the intrinsic dimension that it gives."""
    typical = float(np.median(ratio[~equal])) if (~equal).any() else 0.0
    if not 0 < typical < 1:
        return typical, float("inf")
    return typical, float(np.log(1 - 0.5 ** (1 / (k - 1))) / np.log(typical))


def _lowest(rows: Float, k: int, random: np.random.Generator, report: Report | None) -> float:
    """Return what the least dimension × log ratio of random data falls below in at most 5 % of cases, of any kind."""
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
    """Return the distances of rows at length one to their k nearest others, ascending, (m, k)."""
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    near = np.partition(cosines, len(unit) - k, axis=1)[:, -k:].astype(np.float64)
    return np.sort(np.sqrt(np.maximum(0.0, 2 - 2 * near)), axis=1)


def _pairs(space: VectorSpace, looked: Ints, near: Ints, distances: NDArray[Any], order: Ints) -> tuple[NearPair, ...]:
    """Return the pairs of these rows with their nearest, each pair once, at most 100."""
    found: dict[frozenset[int], NearPair] = {}
    for place in order.tolist():
        one, other = int(looked[place]), int(near[place, 0])
        if len(found) >= _PAIRS or frozenset((one, other)) in found:
            continue
        first, last = float(distances[place, 0]), float(distances[place, -1])
        ratio = first / last if last > _EQUAL else 0.0
        found[frozenset((one, other))] = NearPair(space.label(one), space.label(other), 1 - first * first / 2, ratio)
    return tuple(found.values())
