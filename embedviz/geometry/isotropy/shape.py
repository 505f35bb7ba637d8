"""What was measured of a space, and what it means in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from embedviz.core.options import choose
from embedviz.core.phrases import number
from embedviz.core.space import Float
from embedviz.core.stats.intervals import Z
from embedviz.geometry.isotropy.look import K
from embedviz.geometry.isotropy.measures import MEASURES, IsotropyMeasure
from embedviz.geometry.isotropy.moments import mean_cosine_sd
from embedviz.neighbors import Histogram

LEANING = 0.1
"""Above this mean cosine the rows are said to lean one way."""
SLIGHT = 0.0005
"""Below this mean cosine, which is said as 0.000, the rows are said to share nothing, however sure the figure is."""
_CLEAR = 0.1  # correlation below which no trend is said, however many rows there are
_RISING = 0.5  # correlation of length and log rank from which the first rows are said to run the other way


@dataclass(frozen=True)
class Measured:
    """A measure of one space: its value and that of an isotropic space of the same size; None without a meaning."""

    name: str
    value: float | None
    isotropic: float | None

    @property
    def measure(self) -> IsotropyMeasure:
        """The row of `MEASURES`, which stays behind when a result is sent from process to process."""
        return MEASURES[self.name]

    @property
    def said(self) -> tuple[str, str]:
        """Both as people read them."""
        return self.measure.say(self.value), self.measure.say(self.isotropic)


@dataclass(frozen=True)
class Rare:
    """How high a cosine is that one random pair in so many exceeds, here and for random directions."""

    one_in: int
    cosine: float
    isotropic: float


@dataclass(frozen=True)
class Rogue:
    """A dimension and what it adds to the mean cosine (Timkey and van Schijndel 2021).

    Attributes:
        part: Its part of the mean cosine; the parts of all dimensions sum to it.
        share: The part as a share of the mean cosine, 1 ÷ d where all add alike; None where the mean cosine is zero
            as it is said, or within what an isotropic space of this size gives.
    """

    dimension: int
    part: float
    share: float | None


@dataclass(frozen=True)
class Striking:
    """How much cosines tell that are taken without the greatest dimensions: r² with those of all dimensions."""

    struck: int
    agreement: float
    isotropic: float


@dataclass(frozen=True, eq=False)
class Isotropy:
    """What was measured of a space.

    Attributes:
        rows: Rows looked at: all that have a direction. `zeros`, `broken`: left out, as zeros or not finite.
        sample: Rows of the sample. `pairs`: random pairs of them.
        measures: By name, in the order of `MEASURES`.
        histogram: Cosines of the random pairs, but for the one in five hundred that lies farthest out.
        expected: Counts in the same bins for random directions, exactly.
        rare: How high a rare cosine is; None where there are too few different pairs to say.
        components: Share of the variance of each principal component, greatest first, (d,). `flat`: of an isotropic
            space.
        rogues: The dimensions that add most to the mean cosine.
        striking: Cosines without the greatest 1, 3 and 5 of them.
        hubs: Words of the sample that stand in the most lists, and in how many. `busiest`: the most in an isotropic
            sample.
        lengths: Of the rows: 5th, 50th and 95th percentile.
        curve: Rank and median length of rows of about that rank, (c, 2); empty where the order says nothing.
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
        """Return the value of a measure."""
        return choose(self.measures, name, "measure").value

    def table(self, before: Isotropy | None = None) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of an export: each measure, what it was before a correction, and isotropic."""
        header = ("measure", "corrected", "before", "isotropic") if before else ("measure", "here", "isotropic")
        was = {name: (one.value,) if before else () for name, one in (before or self).measures.items()}
        return header, ((name, one.value, *was[name], one.isotropic) for name, one in self.measures.items())

    def described(self, before: Isotropy | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the same in words, of the measures with a value: titles of the values; title, summary and values."""
        was = {name: (one.said[0],) if before else () for name, one in (before or self).measures.items()}
        found = [(name, one) for name, one in self.measures.items() if one.value is not None]
        lines = [(one.measure.title, one.measure.summary, one.said[0], *was[name], one.said[1]) for name, one in found]
        return (("corrected", "before", "isotropic") if before else ("here", "isotropic")), lines

    def card(self) -> dict[str, Any]:
        """Return what was measured as plain JSON values."""
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
        """Each measure here and of an isotropic space, by name."""
        return {name: {"value": one.value, "isotropic": one.isotropic} for name, one in self.measures.items()}

    @property
    def cosines(self) -> str:
        """Mean and standard deviation of the cosines, in words."""
        return f"mean {number(self.value('mean_cosine') or 0.0)}, sd {number(self.value('cosine_spread') or 0.0)}"

    @property
    def listed(self) -> int:
        """Length of the lists in which hubs are counted."""
        return min(K, self.sample - 1)

    @property
    def drawn(self) -> str:
        """How many pairs were drawn, and from how many where these are fewer."""
        different = self.sample * (self.sample - 1) // 2
        repeats = f", drawn from {different:,}" if different < self.pairs else ""
        return f"{self.pairs:,} random pairs{repeats}"

    @property
    def noise(self) -> float:
        """Three standard deviations of the mean cosine of an isotropic space of this size."""
        return 3 * mean_cosine_sd(self.rows, self.dimensions)

    @property
    def spread(self) -> float:
        """The standard deviation of the cosine of two random directions: 1 ÷ √d."""
        return 1 / math.sqrt(self.dimensions)

    @property
    def meaning(self) -> str:
        """How the rows lean, how high a rare cosine is, and over how many directions they spread."""
        return " ".join(filter(None, (self._leaning, self._rare, self._spread)))

    @property
    def trend(self) -> bool:
        """Whether length and frequency are clearly correlated: beyond 95 of 100 random orders of so many rows."""
        overall = self.value("length_frequency")
        return overall is not None and abs(overall) >= max(_CLEAR, Z / math.sqrt(max(1, self.rows - 1)))

    @property
    def leans(self) -> bool:
        """Whether the rows clearly share a direction: beyond chance, and by a cosine that matters."""
        return (self.value("mean_cosine") or 0.0) > max(LEANING, self.noise)

    @property
    def turning(self) -> float | None:
        """The place up to which the curve of lengths runs against the correlation over all rows, or None."""
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
        """Whether frequent rows are longer over all rows, and how far the first run the other way."""
        overall, turning = self.value("length_frequency"), self.turning
        if overall is None or not len(self.curve):
            return ""
        how = "no clear trend" if not self.trend else f"frequent ones are {'longer' if overall > 0 else 'shorter'}"
        said = f"Over all {self.rows:,} rows: {how} (ρ = {number(overall)})."
        if turning is None:
            return said
        place = round(turning, 1 - math.floor(math.log10(turning)))
        way = "rising" if overall > 0 else "falling"
        return f"{said} The first {place:,.0f} or so run the other way: {way} with the place."

    @property
    def _sampled(self) -> str:
        return f"{self.sample:,} rows drawn at random, and" if self.sample < self.rows else f"{self.sample:,} rows and"

    @property
    def _leaning(self) -> str:
        mean = self.measures["mean_cosine"]
        here, isotropic = mean.said
        value = mean.value or 0.0
        if self.leans:
            leaning = "they lean one way, and a cosine says little until it is held against this one"
        elif value > self.noise:
            leaning = "they share next to nothing" if value <= SLIGHT else "what they share is small"
        else:
            leaning = "they share no direction beyond chance"
        return f"Two rows have a mean cosine of {here}, in an isotropic space {isotropic}: {leaning}."

    @property
    def _rare(self) -> str:
        if self.rare is None:
            return ""
        pairs = "a thousand" if self.rare.one_in == 1_000 else "a hundred"
        here, isotropic = number(self.rare.cosine), number(self.rare.isotropic)
        return f"One random pair in {pairs} has a cosine above {here}, of random directions above {isotropic}."

    @property
    def _spread(self) -> str:
        ratio = self.measures["participation_ratio"]
        if ratio.value is None:
            return "All rows are equal."
        here, isotropic = (f"{value or 0:,.0f}" for value in (ratio.value, ratio.isotropic))
        return f"About {here} of {self.dimensions:,} directions are in use; an isotropic space would use {isotropic}."

    @property
    def note(self) -> str:
        """Rows, sample, what isotropic means, and what was left out."""
        left = [
            f" {count:,} {'row that is' if count == 1 else 'rows that are'} {what} left out."
            for count, what in ((self.zeros, "all zeros"), (self.broken, "not finite"))
            if count
        ]
        return (
            f"Means, variances and lengths: all {self.rows:,} rows. Else {self._sampled} {self.drawn}, with a fixed "
            f"seed. Isotropic: what {self.rows:,} rows of {self.dimensions:,} independent normal numbers give."
            f"{''.join(left)}"
        )
