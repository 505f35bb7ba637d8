"""The results of the isotropy measures, and sentences that explain them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import choose
from embedviz.core.phrases import number, share
from embedviz.core.space import Float
from embedviz.core.stats.intervals import Z
from embedviz.geometry.isotropy.look import K
from embedviz.geometry.isotropy.measures import MEASURES, IsotropyMeasure
from embedviz.geometry.isotropy.moments import mean_cosine_sd
from embedviz.neighbors import Histogram

LEANING = 0.1
"""Rows are said to share a direction if their mean cosine is above this value and above chance."""
EVEN, HALF = 0.9, 0.5
"""Limits for the answers *Yes* and *Partly*: number of effective directions ÷ their number in an isotropic space."""
SLIGHT = 0.0005
"""A mean cosine up to this value is too small to matter, even if it is above chance."""
_CLEAR = 0.1  # minimum correlation that is called a trend, for any number of rows
_RISING = 0.5  # minimum correlation of length and log rank for an opposite trend among the first rows


@dataclass(frozen=True)
class Measured:
    """The value of a measure for a space and for an isotropic space of the same size.

    A value is None if the measure has no meaning for this space.
    """

    name: str
    value: float | None
    isotropic: float | None

    @property
    def measure(self) -> IsotropyMeasure:
        """Return the measure, a row of `MEASURES`. Only its name is stored, so that results can be pickled."""
        return MEASURES[self.name]

    @property
    def texts(self) -> tuple[str, str]:
        """Return the value and the isotropic value as text."""
        return self.measure.say(self.value), self.measure.say(self.isotropic)

    said = texts  # the old name, used in notebooks that were exported earlier


@dataclass(frozen=True)
class Rare:
    """The cosine that 1 in `one_in` random pairs exceeds: `cosine` in the space, `isotropic` for random directions."""

    one_in: int
    cosine: float
    isotropic: float


@dataclass(frozen=True)
class Rogue:
    """A dimension and its contribution to the mean cosine (Timkey and van Schijndel 2021).

    Attributes:
        part: Contribution of the dimension; the contributions of all dimensions sum to the mean cosine.
        share: The contribution as a share of the mean cosine; 1 ÷ d if all dimensions contribute equally. None if the
            mean cosine is practically zero, or not above chance.
    """

    dimension: int
    part: float
    share: float | None


def largest_parts(parts: NDArray[np.float64], mean: float, count: int, *, clear: bool) -> tuple[Rogue, ...]:
    """Return the `count` dimensions that contribute most to the mean cosine, largest first.

    Args:
        parts: Contribution of each dimension, (d,).
        mean: The mean cosine.
        clear: Whether the mean is clearly above zero, so that shares can be given.
    """
    order = np.argsort(-parts, kind="stable")[:count].tolist()
    return tuple(Rogue(at, float(parts[at]), float(parts[at]) / mean if clear else None) for at in order)


@dataclass(frozen=True)
class Striking:
    """Effect of leaving out the dimensions that contribute most to the mean cosine; `struck` is their number.

    Attributes:
        agreement: r² between the pair cosines with and without these dimensions.
        isotropic: This r² for an isotropic space.
    """

    struck: int
    agreement: float
    isotropic: float


@dataclass(frozen=True, eq=False)
class Isotropy:
    """The isotropy measures of a space.

    Attributes:
        rows: Number of measured rows: all that are finite and not zero.
        zeros, broken: Numbers of rows left out: rows of zeros, and rows that are not finite.
        sample: Number of sampled rows.
        pairs: Number of random pairs of sampled rows.
        measures: The measures by name, in the order of `MEASURES`.
        histogram: Counts of the cosines of the random pairs; at most 1 pair in 500 is outside its range.
        expected: Exact expected counts in the same bins for random directions.
        rare: The cosine that only 1 in 1,000 random pairs exceeds; with fewer than 10,000 different pairs, 1 in 100.
            None for fewer than 1,000 pairs, equal cosines, or a space of one dimension.
        components: Share of variance of each principal component, greatest first, (d,).
        flat: `components` of an isotropic space.
        rogues: The dimensions that contribute most to the mean cosine.
        striking: The effect of leaving out the first 1, 3 and 5 of `rogues`, if the space has more dimensions.
        hubs: The sampled words that are in the largest number of neighbor lists, each word with this number.
        busiest: The greatest number of neighbor lists that contain the same row, in an isotropic sample.
        lengths: 5th, 50th and 95th percentile of the lengths of the rows.
        curve: Frequency ranks, and the median length of the rows near each rank, (c, 2). Empty if the order of the rows
            has no meaning, or for fewer than 40 rows.
        order: What the order of the rows means, as in `Origin.order`.
    """

    rows: int
    zeros: int
    broken: int
    dimensions: int
    sample: int
    pairs: int
    measures: dict[str, Measured]
    histogram: Histogram
    expected: Float
    rare: Rare | None
    components: Float
    flat: Float
    rogues: tuple[Rogue, ...]
    striking: tuple[Striking, ...]
    hubs: tuple[tuple[str, int], ...]
    busiest: int
    lengths: tuple[float, float, float]
    curve: Float
    order: str

    def value(self, name: str) -> float | None:
        """Return the value of a measure by its name; None if it has no meaning.

        Raises:
            OptionError: The name is unknown.
        """
        return choose(self.measures, name, "measure").value

    def table(self, before: Isotropy | None = None) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows for an export: each measure for this space and for an isotropic space.

        Args:
            before: The measures before a correction, for a further column.
        """
        header = ("measure", "corrected", "before", "isotropic") if before else ("measure", "here", "isotropic")
        was = {name: (one.value,) if before else () for name, one in (before or self).measures.items()}
        return header, ((name, one.value, *was[name], one.isotropic) for name, one in self.measures.items())

    def described(
        self, before: Isotropy | None = None, *, main: bool = False
    ) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return column titles, and for each measure that has a value: title, summary and the values as text.

        Args:
            before: The measures before a correction, for a further column.
            main: Whether to return only the main measures, without formulas.
        """
        was = {name: (one.texts[0],) if before else () for name, one in (before or self).measures.items()}
        found = [
            (name, one, one.measure)
            for name, one in self.measures.items()
            if one.value is not None and (one.measure.main or not main)
        ]
        lines = [
            (row.title, row.summary if main else row.about, one.texts[0], *was[name], one.texts[1])
            for name, one, row in found
        ]
        return (("corrected", "before", "isotropic") if before else ("here", "isotropic")), lines

    def card(self) -> dict[str, Any]:
        """Return the results as plain JSON values."""
        return {
            "rows": self.rows,
            "dimensions": self.dimensions,
            "zero_rows": self.zeros,
            "sample": self.sample,
            "pairs": self.pairs,
            "measures": self.values,
            "rogue_dimensions": [asdict(rogue) for rogue in self.rogues],
            "rare": None if self.rare is None else asdict(self.rare),
            "meaning": self.meaning,
        }

    @property
    def values(self) -> dict[str, dict[str, float | None]]:
        """Return for each measure, by name, its value and its value for an isotropic space."""
        return {name: {"value": one.value, "isotropic": one.isotropic} for name, one in self.measures.items()}

    @property
    def cosines(self) -> str:
        """Return the mean and the standard deviation of the cosines as text."""
        return f"mean {number(self.value('mean_cosine') or 0.0)}, sd {number(self.value('cosine_spread') or 0.0)}"

    @property
    def listed(self) -> int:
        """Return the length of the neighbor lists in which hubs are counted."""
        return min(K, self.sample - 1)

    @property
    def drawn(self) -> str:
        """Say how many random pairs were drawn, and how many different pairs there are if these are fewer."""
        different = self.sample * (self.sample - 1) // 2
        repeats = f", drawn with repetition from {different:,}" if different < self.pairs else ""
        return f"{self.pairs:,} random pairs{repeats}"

    @property
    def noise(self) -> float:
        """Return three standard deviations of the mean cosine of an isotropic space of this size."""
        return 3 * mean_cosine_sd(self.rows, self.dimensions)

    @property
    def spread(self) -> float:
        """Return the standard deviation of the cosine of two random directions: 1 ÷ √d."""
        return 1 / math.sqrt(self.dimensions)

    @property
    def meaning(self) -> str:
        """Say whether directions are used equally, and whether the rows share a direction."""
        return f"{self.spread_out} {self.leaning}"

    @property
    def answer(self) -> str:
        """Answer whether all directions are used equally: *Yes*, *Partly* or *No*, by `EVEN`, `HALF` and `LEANING`."""
        ratio = self.measures["participation_ratio"]
        used = (ratio.value or 0.0) / (ratio.isotropic or 1.0)
        if used < HALF:
            return "No"
        return "Yes" if used >= EVEN and not self.leans else "Partly"

    @property
    def use(self) -> str:
        """Say whether the cosines of this space can be read as they are, or need a correction."""
        if self.leans:
            return f"All cosines are too high: compare each with the mean of two random rows, {self._mean_cosine}."
        return "Random pairs have a cosine near 0 on average, so cosines need no correction."

    @property
    def _mean_cosine(self) -> str:
        return self.measures["mean_cosine"].texts[0]

    @property
    def advice(self) -> str:
        """Say whether a correction of the space is recommended."""
        if self.answer == "Yes":
            return "No correction is needed. Random numbers are as even: Evaluation tests the meaning of vectors."
        if not self.leans:
            return "Optional: Whitened, for example, spreads vectors evenly. The page tests whether a correction helps."
        return "A correction may help or harm. Choose one above: the page tests it."

    @property
    def trend(self) -> bool:
        """Return whether length and frequency correlate clearly.

        The correlation is .1 or more, and higher than in 95 % of random orders of the rows; its sign does not count.
        """
        overall = self.value("length_frequency")
        return overall is not None and abs(overall) >= max(_CLEAR, Z / math.sqrt(max(1, self.rows - 1)))

    @property
    def scale(self) -> str:
        """Say when `answer` is *Yes*."""
        return (
            f"Yes: the number of equally strong directions (participation ratio) is {share(EVEN)} or more of that of "
            f"an isotropic space, and the mean cosine is not above {number(LEANING)}."
        )

    @property
    def leans(self) -> bool:
        """Return whether the rows clearly share a direction: their mean cosine is above `LEANING` and above chance."""
        return (self.value("mean_cosine") or 0.0) > max(LEANING, self.noise)

    @property
    def turning(self) -> float | None:
        """Return the frequency rank up to which the lengths run against the overall trend; None if they never do."""
        overall = self.value("length_frequency")
        if overall is None or not self.trend or not len(self.curve):
            return None
        medians = self.curve[:, 1] if overall > 0 else -self.curve[:, 1]
        top = int(medians.argmax())
        if not 4 <= top < len(medians) - 1:
            return None
        rising = float(np.corrcoef(np.log(self.curve[: top + 1, 0]), medians[: top + 1])[0, 1])
        return float(self.curve[top, 0]) if rising > _RISING else None

    @property
    def along(self) -> str:
        """Say whether the rows of frequent words are longer, and among which first ranks the opposite holds.

        Empty if the rows are not ordered by frequency, have equal lengths, or are fewer than 40.
        """
        overall, turning = self.value("length_frequency"), self.turning
        if overall is None or not len(self.curve):
            return ""
        how = "no clear trend" if not self.trend else f"frequent rows are {'longer' if overall > 0 else 'shorter'}"
        trend = f"Over all {self.rows:,} rows: {how} (ρ = {number(overall)}, by chance 0)."
        if turning is None:
            return trend
        place = round(turning, 1 - math.floor(math.log10(turning)))
        return f"{trend} Among the first {place:,.0f} or so it is the reverse."

    @property
    def _sampled(self) -> str:
        return f"{self.sample:,} random rows and" if self.sample < self.rows else f"{self.sample:,} rows and"

    @property
    def leaning(self) -> str:
        """Say whether the rows share a direction, so that cosines are shifted."""
        mean = self.measures["mean_cosine"]
        here, isotropic = mean.texts
        value = mean.value or 0.0
        if self.leans:
            shifted = "so all cosines are too high: compare each with this mean"
        elif value > self.noise:
            shifted = f"so cosines are {'practically not' if value <= SLIGHT else 'only slightly'} shifted"
        else:
            shifted = "so cosines are not shifted beyond chance"
        return f"Two random rows have a mean cosine of {here} (isotropic: {isotropic}), {shifted}."

    @property
    def tail(self) -> str:
        """Say which cosine only 1 in 1,000 (or 100) random pairs exceeds; empty if `rare` is None."""
        if self.rare is None:
            return ""
        pairs = "a thousand" if self.rare.one_in == 1_000 else "a hundred"
        here, isotropic = number(self.rare.cosine), number(self.rare.isotropic)
        return f"One random pair in {pairs} has a cosine above {here}; for random directions above {isotropic}."

    @property
    def spread_out(self) -> str:
        """Say whether all directions are used equally, and the effective number of directions."""
        ratio = self.measures["participation_ratio"]
        if ratio.value is None:
            return "No: all rows are equal."
        here, isotropic = (f"{value or 0:,.0f}" for value in (ratio.value, ratio.isotropic))
        used = f"vectors spread as if they used {here} of {self.dimensions:,} directions equally (isotropic vectors: "
        used += f"{isotropic})."
        if self.answer == "Partly":
            crowded = (ratio.value or 0.0) < EVEN * (ratio.isotropic or 1.0)
            return (
                f"Only partly: the {used}"
                if crowded
                else f"Only partly, because all rows share one direction. The {used}"
            )
        return f"{self.answer}: the {used}"

    @property
    def note(self) -> str:
        """Describe the sample, the isotropic baseline and the rows left out."""
        left = [
            f" Left out: {count:,} {'row' if count == 1 else 'rows'} {what}."
            for count, what in ((self.zeros, "of zeros"), (self.broken, "with values that are not finite"))
            if count
        ]
        return (
            f"Sample: all {self.rows:,} rows for means, variances and lengths; else {self._sampled} {self.drawn}. "
            f"Isotropic: {self.rows:,} rows of {self.dimensions:,} independent normal numbers.{''.join(left)}"
        )
