"""What a space is like: do its rows spread in all directions alike, and if not, how?

`MEASURES` has a row for each number. Beside each stands what an isotropic space gives: as many rows of independent
normal numbers, measured in the same way. Means and covariances are over all rows; what needs pairs is from a sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import choose
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.intervals import Z
from embedviz.geometry.isotropy.look import PAIRS, SAMPLE, K, Look, isotropic, look
from embedviz.geometry.isotropy.moments import (
    Directions,
    Moments,
    directions,
    mean_cosine,
    mean_cosine_sd,
    moments,
    participation_ratio,
    parts,
)
from embedviz.neighbors import Histogram

__all__ = [
    "LEANING",
    "MEASURES",
    "PAIRS",
    "SAMPLE",
    "SLIGHT",
    "Directions",
    "Isotropy",
    "K",
    "Look",
    "Measure",
    "Measured",
    "Moments",
    "Rare",
    "Rogue",
    "Striking",
    "directions",
    "isotropic",
    "isotropy",
    "look",
    "mean_cosine",
    "mean_cosine_sd",
    "moments",
    "participation_ratio",
    "parts",
]

BINS = 80
TOP = 10
"""Principal components that are counted together."""
LEANING = 0.1
"""Above this mean cosine the rows are said to lean one way."""
SLIGHT = 0.0005
"""Below this mean cosine, which is said as 0.000, the rows are said to share nothing, however sure the figure is."""
ROGUES = 10
HUBS = 10
_STRUCK = (1, 3, 5)
_RARE = {10_000: 1_000, 1_000: 100}  # pairs there must be, to say how high one in so many is
_CURVE = 40  # points of the curve of length against rank
_CLEAR = 0.1  # correlation below which no trend is said, however many rows there are
_RISING = 0.5  # correlation of length and log rank from which the first rows are said to run the other way
_ROUNDING = 1e-7  # cosines that spread less are equal in single precision

Value = Callable[[Look], float | None]


@dataclass(frozen=True)
class Measure:
    """One row of `MEASURES`.

    Attributes:
        name: What the command line says.
        function: The value of a look; None where it has no meaning, as in one dimension.
        summary: What the number is and how to read it, in a sentence or two.
        source: The paper.
        expected: Its value for an isotropic space where that is known in closed form; else it is measured on one.
        shares: Whether it is a share, said in percent.
        sampled: Whether it comes from the sample, not from all rows.
        digits: Decimals that are said.
    """

    name: str
    title: str
    function: Value
    summary: str
    source: str
    expected: Value | None = None
    shares: bool = False
    sampled: bool = False
    digits: int = 2

    def say(self, value: float | None) -> str:
        """The value as people read it."""
        return "–" if value is None else share(value) if self.shares else number(value, self.digits)


@dataclass(frozen=True)
class Measured:
    """A measure of one space: its value and that of an isotropic space of the same size; None without a meaning."""

    name: str
    value: float | None
    isotropic: float | None

    @property
    def measure(self) -> Measure:
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
        """The value of a measure."""
        return choose(self.measures, name, "measure").value

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
        return f"Their variance is that of {here} equal directions out of {self.dimensions:,}; isotropic, {isotropic}."

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


def _mean_cosine(seen: Look) -> float:
    return mean_cosine(seen.unit)


def _cosine_spread(seen: Look) -> float:
    return float(seen.cosines.std())


def _isoscore(seen: Look) -> float | None:
    ratio, d = _ratio(seen), seen.dimensions
    return None if ratio is None or d < 2 else max(0.0, (ratio - 1) / (d - 1))


def _ratio(seen: Look) -> float | None:
    return participation_ratio(seen.values) or None


def _top(count: int) -> Value:
    def share_of(seen: Look) -> float | None:
        total = float(seen.values.sum())
        return float(seen.values[:count].sum()) / total if total > 0 else None

    return share_of


def _partition(seen: Look) -> float:
    from scipy.special import logsumexp

    _, vectors = np.linalg.eigh(seen.precise.T @ seen.precise)
    products = seen.precise @ vectors
    logs = np.concatenate([logsumexp(products, axis=0), logsumexp(-products, axis=0)])
    return float(np.exp(logs.min() - logs.max()))


def _hubness(seen: Look) -> float | None:
    return seen.lists.skewness if _listed(seen) else None


def _never(seen: Look) -> float | None:
    return seen.lists.never if _listed(seen) else None


def _listed(seen: Look) -> bool:
    """Whether lists of the nearest tell rows apart: they hold not all others, nor those that come first."""
    return len(seen.sample) > K + 1 and not _tied(seen)


def _tied(seen: Look) -> bool:
    """Whether who is nearest is decided by the order of the rows, as in one dimension."""
    return seen.dimensions < 2 or _cosine_spread(seen) < _ROUNDING


def _uniformity(seen: Look) -> float:
    return float(np.log(np.mean(np.exp(-2 * (2 - 2 * seen.cosines)))))


def _length_spread(seen: Look) -> float:
    return float(seen.norms.std(dtype=np.float64) / seen.norms.mean(dtype=np.float64))


def _normal_length_spread(seen: Look) -> float:
    d = seen.dimensions
    mean = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    return math.sqrt(max(0.0, d - mean**2)) / mean


def _length_rank(seen: Look) -> float | None:
    from scipy.stats import spearmanr

    lengths = seen.norms
    if not seen.ordered or float(np.ptp(lengths)) <= 1e-4 * float(lengths.max()):
        return None
    return float(spearmanr(lengths, -np.arange(len(lengths))).statistic)


def _none(seen: Look) -> float:
    return 0.0


MEASURES: dict[str, Measure] = {
    row.name: row
    for row in (
        Measure(
            "mean_cosine",
            "Mean cosine of two rows",
            _mean_cosine,
            "Over all pairs, exactly. Well above 0 the rows lie in a cone, and a cosine says little until it is held "
            "against this one.",
            "Ethayarajh 2019",
            _none,
            digits=3,
        ),
        Measure(
            "cosine_spread",
            "Spread of cosines",
            _cosine_spread,
            "Standard deviation over random pairs; 1 ÷ √d for random directions.",
            "",
            lambda seen: 1 / math.sqrt(seen.dimensions),
            sampled=True,
            digits=3,
        ),
        Measure(
            "isoscore",
            "IsoScore",
            _isoscore,
            "0: all variance in one direction, 1: the same in all. It leaves the mean out, and so cannot see a cone.",
            "Rudman et al. 2022",
        ),
        Measure(
            "participation_ratio",
            "Directions in use",
            _ratio,
            "Participation ratio (Σλ)² ÷ Σλ² of the principal components' variances λ: so many equal ones have the "
            "same ratio.",
            "Rudman et al. 2022, IsoScore = (ratio − 1) ÷ (d − 1)",
            digits=1,
        ),
        Measure(
            "top_component",
            "In the first component",
            _top(1),
            "The share of variance along the greatest principal component.",
            "Mu and Viswanath 2018",
            shares=True,
        ),
        Measure(
            "top_components",
            f"In the first {TOP} components",
            _top(TOP),
            "The share of variance along them. The greater, the fewer directions tell the rows apart.",
            "Mu and Viswanath 2018",
            shares=True,
        ),
        Measure(
            "partition",
            "Partition function, min ÷ max",
            _partition,
            "Z(c) = Σ exp(c · row), rows at length one, c both ways along each eigenvector. 1: alike in all of them; "
            "0.14: all rows coincide. Of rows as they are it would follow their scale.",
            "Arora et al. 2016; Mu and Viswanath 2018",
            sampled=True,
        ),
        Measure(
            "uniformity",
            "Uniformity",
            _uniformity,
            "ln of the mean of exp(−2 ‖x − y‖²) over random pairs at length one. 0 where all coincide, lower is more "
            "even.",
            "Wang and Isola 2020",
            sampled=True,
        ),
        Measure(
            "hubness",
            "Hubness",
            _hubness,
            f"Skewness of how often a row of the sample stands among the {K} nearest of others: near 0 without hubs. "
            "Many dimensions alone make some.",
            "Radovanović et al. 2010",
            sampled=True,
        ),
        Measure(
            "antihubs",
            "Rows in no list",
            _never,
            f"The share of the sample that is among the {K} nearest of no other row of it.",
            "Radovanović et al. 2010",
            shares=True,
            sampled=True,
        ),
        Measure(
            "length_spread",
            "Spread of lengths",
            _length_spread,
            "Standard deviation ÷ mean of the rows' lengths: what a cosine does not see.",
            "",
            _normal_length_spread,
        ),
        Measure(
            "length_frequency",
            "Length with frequency",
            _length_rank,
            "Spearman's ρ of length and frequency over all rows, the first row being the most frequent: above 0, "
            "frequent ones are longer. The first rows may run the other way.",
            "Schakel and Wilson 2015",
            lambda seen: None if _length_rank(seen) is None else 0.0,
        ),
    )
}


@offered(
    "found",
    "for one in found.measures.values():",
    "    print(one.measure.title, *one.said, sep='  ')",
    "print(found.meaning, found.note)",
    command="isotropy {space} --seed {seed}",
)
def isotropy(
    space: VectorSpace,
    *,
    rows: Ints | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> Isotropy:
    """What a space is like, each number beside that of an isotropic space of the same size.

    Args:
        rows: Rows to look at; all where it is None. Those of zeros are left out.
        sample: Rows drawn at random for what needs pairs.

    Raises:
        OptionError: Fewer than four rows have a direction.
    """
    tell(report, 0.0, "means and variances over all rows")
    seen = look(space, rows=rows, sample=sample, seed=seed)
    plain = isotropic(seen, seed=seed)
    measured: dict[str, Measured] = {}
    for place, row in enumerate(MEASURES.values()):
        tell(report, 0.3 + 0.5 * place / len(MEASURES), row.title.lower())
        expected = (row.expected or row.function)(seen if row.expected else plain)
        measured[row.name] = Measured(row.name, _finite(row.function(seen)), _finite(expected))
    tell(report, 0.8, "dimensions that stand out")
    rogues = _rogues(seen)
    hubs = seen.lists.hubs(HUBS)
    norms = space.norms if rows is None else space.norms[rows]
    found = Isotropy(
        rows=seen.count,
        zeros=int(np.count_nonzero(norms == 0)),
        broken=int(np.count_nonzero(~np.isfinite(norms))),
        dimensions=seen.dimensions,
        sample=len(seen.sample),
        pairs=len(seen.pairs),
        measures=measured,
        histogram=_histogram(seen),
        expected=_expected(seen),
        rare=_rare(seen),
        components=_shares(seen),
        flat=_shares(plain),
        rogues=rogues,
        striking=_striking(seen, plain, rogues),
        hubs=tuple((space.label(int(seen.places[place])), int(seen.lists.counts[place])) for place in hubs.tolist()),
        busiest=int(plain.lists.counts.max()),
        lengths=tuple(np.percentile(seen.norms, [5, 50, 95]).tolist()),
        curve=_curve(seen),
        order=space.origin.order,
    )
    tell(report, 1.0, "done")
    return found


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def _shares(seen: Look) -> Float:
    total = float(seen.values.sum())
    return np.asarray(seen.values / total if total > 0 else seen.values, np.float32)


def _histogram(seen: Look) -> Histogram:
    """Cosines in bins that hold the pairs and the random directions alike."""
    wide = 4 / math.sqrt(seen.dimensions)
    low = max(-1.0, min(float(np.percentile(seen.cosines, 0.1)), -wide))
    high = min(1.0, max(float(np.percentile(seen.cosines, 99.9)), wide))
    counts, edges = np.histogram(seen.cosines, bins=BINS, range=(low, high))
    return Histogram(counts, edges.astype(np.float32))


def _expected(seen: Look) -> Float:
    """How many of the pairs two random directions in d dimensions would put into each bin.

    (1 + cosine) ÷ 2 has the beta distribution with both parameters (d − 1) ÷ 2; in one dimension it is 0 or 1.
    """
    from scipy.special import betainc

    edges = _histogram(seen).edges.astype(np.float64)
    half = (seen.dimensions - 1) / 2
    below = betainc(half, half, np.clip((1 + edges) / 2, 0, 1)) if half else (np.trunc(edges) + 1) / 2
    return np.asarray(len(seen.pairs) * np.diff(below), np.float32)


def _rare(seen: Look) -> Rare | None:
    """How high one random pair in a thousand lies, or in a hundred where there are few rows."""
    from scipy.special import betaincinv

    different = len(seen.sample) * (len(seen.sample) - 1) // 2
    one_in = next((count for least, count in _RARE.items() if different >= least), 0)
    if not one_in or _tied(seen):
        return None
    half = (seen.dimensions - 1) / 2
    isotropic = 2 * float(betaincinv(half, half, 1 - 1 / one_in)) - 1
    return Rare(one_in, float(np.quantile(seen.cosines, 1 - 1 / one_in)), isotropic)


def _rogues(seen: Look) -> tuple[Rogue, ...]:
    parts_of, mean = seen.unit.parts, mean_cosine(seen.unit)
    clear = mean > max(SLIGHT, 3 * mean_cosine_sd(seen.count, seen.dimensions))
    order = np.argsort(-parts_of, kind="stable")[:ROGUES].tolist()
    return tuple(
        Rogue(place, float(parts_of[place]), float(parts_of[place]) / mean if clear else None) for place in order
    )


def _striking(seen: Look, plain: Look, rogues: tuple[Rogue, ...]) -> tuple[Striking, ...]:
    order = np.asarray([rogue.dimension for rogue in rogues], np.int64)
    return tuple(
        Striking(struck, _agreement(seen, order[:struck]), _agreement(plain, order[:struck]))
        for struck in _STRUCK
        if struck < seen.dimensions
    )


def _agreement(seen: Look, struck: Ints) -> float:
    """r² of the pairs' cosines with those without these dimensions; 0 where one of them does not vary."""
    whole, rest = (each - each.mean() for each in (seen.cosines, seen.cosines_without(struck)))
    if min(float(whole.std()), float(rest.std())) < _ROUNDING:
        return 0.0
    return float(whole @ rest) ** 2 / float((whole @ whole) * (rest @ rest))


def _curve(seen: Look) -> Float:
    """Rank and median length of the rows about it, in steps that grow with the rank."""
    if not seen.ordered or seen.count < _CURVE:
        return np.zeros((0, 2), np.float32)
    edges = np.unique(np.geomspace(1, seen.count, _CURVE + 1).round().astype(np.int64))
    found = [
        (math.sqrt(first * last), float(np.median(seen.norms[first - 1 : last])))
        for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    return np.asarray(found, np.float32)
