"""Outliers: rows in regions that are much less dense than the regions of their nearest neighbors.

The measure is the local outlier factor (Breunig et al. 2000). The factor is about 1 for a row in a region as dense as
those of its neighbors, and higher for an isolated row. A row is an outlier if its factor is above the largest factors
of random data, of each of the four kinds in `structure`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core import device
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, number, sample_of, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, VectorSpace, unit_rows
from embedviz.core.stats.copies import next_copy
from embedviz.core.stats.intervals import Share
from embedviz.geometry.structure import KINDS, Kind, copies_of, different, sample_with_direction

K = 20
"""Number of neighbors of a row; the default of scikit-learn."""
SAMPLE = 1_500
FEW = 60
"""Minimum number of different rows in the sample for the search of outliers."""
COPIES = 9
"""Number of random data sets of each of the four kinds."""
_LISTED = 100


class Outlier(NamedTuple):
    """A row and its local outlier factor."""

    word: str
    factor: float


@dataclass(frozen=True, eq=False)
class Outliers:
    """Rows of a sample whose local outlier factor is above the limit of random data.

    Attributes:
        tested: Share of tested rows that are outliers: `tested.right` of `tested.of` rows. Rows of the same direction
            count once.
        rows: Number of rows of the space that are not zero.
        copies: The largest factor in each random data set, by kind.
        largest: The largest factor of the tested rows.
        typical: The median factor of the tested rows.
        listed: The outliers, at most 100, highest factor first.
        noun: What a row stands for, such as “word”.
    """

    tested: Share
    rows: int
    copies: Mapping[Kind, tuple[float, ...]]
    largest: float
    typical: float
    listed: tuple[Outlier, ...]
    noun: str = "word"

    @property
    def limit(self) -> float:
        """Return the limit that the largest factor in random data of any kind exceeds in at most 5 % of cases."""
        return limit_of(self.copies)

    @property
    def found(self) -> bool:
        """Return whether any row is an outlier."""
        return self.tested.right > 0

    @property
    def meaning(self) -> str:
        """Say how many rows are outliers."""
        sample = sample_of(self.tested.of, self.rows, self.noun)
        if not self.found:
            return f"No: none of {sample} lies farther from its neighbors than rows of random data."
        one = self.tested.right == 1
        return (
            f"Yes: {self.tested.right:,} of {sample} {'lies' if one else 'lie'} farther from "
            f"{'its' if one else 'their'} neighbors than rows of random data. Normally that is harmless: "
            f"look only for entries {'that are no words' if self.noun == 'word' else 'that do not belong here'}."
        )

    @property
    def legend(self) -> str:
        """Explain the local outlier factor, with its median and its limit."""
        return (
            "Local outlier factor: 1 in the midst of other rows, more for a row that lies apart. Median row: "
            f"{number(self.typical)}; random data: at most {number(self.limit)}."
        )

    @property
    def note(self) -> str:
        """Describe the sample, the largest factor and its baseline."""
        low, high = self.tested.interval
        sampled = " drawn at random" if self.tested.of < self.rows else ""
        sampled += f"; 95\u00a0% interval of the share of outliers: {share(low)} to {share(high)}" if sampled else ""
        return (
            f"Sample: {counted(self.tested.of, 'different row')}{sampled}. Rows are scaled to length one. A row’s "
            "density is compared with that of its neighbors (Breunig et al. 2000). Largest local outlier "
            f"factor: {number(self.largest)}, median {number(self.typical)}. Random data: at most "
            f"{number(self.limit)} in 95\u00a0% of cases ({COPIES} copies of each of {len(KINDS)} kinds)."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows: the outliers, highest factor first."""
        return (self.noun, "local outlier factor"), iter(self.listed)

    def card(self) -> dict[str, Any]:
        """Return the results as plain JSON values."""
        low, high = self.tested.interval
        return {
            "share": self.tested.value,
            "low": low,
            "high": high,
            "sample": self.tested.of,
            "largest": self.largest,
            "limit": self.limit,
            "outliers": [each._asdict() for each in self.listed[:20]],
            "meaning": self.meaning,
        }


@offered("found", "print(found.meaning)", "for one in found.listed[:10]:", "    print(*one, sep='  ')")
def outliers(space: VectorSpace, *, sample: int = SAMPLE, seed: int = 0, report: Report | None = None) -> Outliers:
    """Return the rows of a sample whose local outlier factor is above the limit of random data.

    Args:
        sample: Maximum number of rows tested, drawn at random.
        seed: Seed of the sample and of the random data.

    Raises:
        OptionError: The sample has fewer than 60 rows of different direction.
    """
    random = np.random.default_rng(seed)
    looked, there = sample_with_direction(space, sample, random)
    rows = np.asarray(space.matrix[looked], np.float32)
    once = different(unit_rows(rows))
    rows, looked = rows[once], looked[once]
    if len(rows) < FEW:
        different_rows = "rows" if once.all() else "different rows"
        raise OptionError(f"Too few {different_rows} to find outliers ({len(rows):,}; {FEW} are needed).")
    factors = _factors(rows)
    copies: dict[Kind, tuple[float, ...]] = {}
    for place, kind in enumerate(KINDS):
        draw = copies_of(rows, kind)
        found = []
        for copy in range(COPIES):
            tell(report, (place * COPIES + copy + 1) / (len(KINDS) * COPIES + 1), "comparing with random data")
            found.append(float(_factors(draw(random)).max()))
        copies[kind] = tuple(found)
    order = np.argsort(-factors, kind="stable")
    order = order[factors[order] > limit_of(copies)]
    listed = tuple(Outlier(space.label(int(looked[at])), float(factors[at])) for at in order[:_LISTED].tolist())
    tested = Share(len(order), len(rows))
    tell(report, 1.0, "done")
    return Outliers(tested, there, copies, float(factors.max()), float(np.median(factors)), listed, space.noun)


def limit_of(copies: Mapping[Kind, tuple[float, ...]]) -> float:
    """Return the limit for outliers: the highest of the limits of all kinds of random data.

    The limit of a kind is the value that the largest factor would exceed in 5 % of new random data sets (Student's t,
    on logarithms).

    Args:
        copies: The largest factor in each random data set, by kind.
    """
    return max(float(np.exp(sum(next_copy(np.log(np.asarray(values)))))) for values in copies.values())


def _factors(rows: Float) -> NDArray[np.float64]:
    """Return the local outlier factor of each row, (n,); rows are scaled to length one first."""
    from sklearn.neighbors import LocalOutlierFactor

    method = LocalOutlierFactor(n_neighbors=min(K, len(rows) - 1), algorithm="brute")
    with device.library_threads():
        method.fit(unit_rows(rows))
    return np.asarray(-method.negative_outlier_factor_)
