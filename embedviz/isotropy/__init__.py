"""What a space is like: do its rows spread in all directions alike, and if not, how?

`MEASURES` has a row for each number. Beside each stands what an isotropic space gives: as many rows of independent
normal numbers, measured in the same way. Means and covariances are over all rows; what needs pairs is from a sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from embedviz.isotropy.look import PAIRS, SAMPLE, K, Look, isotropic, look
from embedviz.isotropy.moments import Moments, mean_cosine, moments, participation_ratio, parts
from embedviz.neighbors import Histogram
from embedviz.options import choose
from embedviz.saying import number, share
from embedviz.space import Float, Ints, VectorSpace

__all__ = [
    "MEASURES",
    "PAIRS",
    "SAMPLE",
    "Isotropy",
    "K",
    "Look",
    "Measure",
    "Measured",
    "Moments",
    "Rogue",
    "Striking",
    "isotropic",
    "isotropy",
    "look",
    "mean_cosine",
    "moments",
    "participation_ratio",
    "parts",
]

BINS = 80
TOP = 10
"""Principal components that are counted together."""
ROGUES = 10
HUBS = 10
_STRUCK = (1, 3, 5)
_CURVE = 40  # points of the curve of length against rank

Report = Callable[..., None]
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
    """

    name: str
    title: str
    function: Value
    summary: str
    source: str
    expected: Value | None = None
    shares: bool = False
    sampled: bool = False

    def say(self, value: float | None) -> str:
        """The value as people read it."""
        return "–" if value is None else share(value) if self.shares else number(value)


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
class Rogue:
    """A dimension and what it adds to the mean cosine (Timkey and van Schijndel 2021).

    Attributes:
        part: Its part of the mean cosine; the parts of all dimensions sum to it.
        share: The part as a share of the mean cosine, 1 ÷ d where all add alike; None where the mean cosine is zero
            within what an isotropic space of this size gives.
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
        rows: Rows looked at: all that have a direction. `zeros`: those left out.
        sample: Rows of the sample. `pairs`: random pairs of them.
        measures: By name, in the order of `MEASURES`.
        histogram: Cosines of the random pairs. `expected`: counts in the same bins for random directions, exactly.
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
    dimensions: int
    sample: int
    pairs: int
    measures: dict[str, Measured]
    histogram: Histogram
    expected: Float
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
    def noise(self) -> float:
        """Three standard deviations of the mean cosine of an isotropic space of this size: √(2 ÷ d) ÷ n."""
        return 3 * math.sqrt(2 / self.dimensions) / self.rows

    @property
    def spread(self) -> float:
        """The standard deviation of the cosine of two random directions: 1 ÷ √d."""
        return 1 / math.sqrt(self.dimensions)

    @property
    def meaning(self) -> str:
        """The short of it, in one or two sentences."""
        mean = self.value("mean_cosine") or 0.0
        directions = self.value("participation_ratio") or 0.0
        of = self.measures["participation_ratio"].isotropic or 0.0
        said = f"Two random words have a mean cosine of {number(mean)}; in an isotropic space it is 0.00 ± "
        said += f"{number(self.spread)} for a single pair."
        leaning = "The rows lean one way." if mean > self.spread else "The rows lean nowhere much."
        spread = (
            f"Their variance fills as many directions as {directions:,.0f} equal ones; an isotropic space, {of:,.0f}."
        )
        return f"{said} {leaning} {spread}"

    @property
    def note(self) -> str:
        """Rows, sample and what was left out."""
        left = f" {self.zeros:,} rows of zeros are left out." if self.zeros else ""
        return (
            f"Means and variances over all {self.rows:,} rows; the rest from {self.sample:,} rows and {self.pairs:,} "
            f"pairs drawn at random (seed fixed). Isotropic: rows of independent normal numbers, {self.rows:,} × "
            f"{self.dimensions}, measured alike.{left}"
        )


def _mean_cosine(seen: Look) -> float:
    return mean_cosine(seen.unit)


def _cosine_spread(seen: Look) -> float:
    return float(seen.cosines.std())


def _isoscore(seen: Look) -> float | None:
    d = seen.dimensions
    return None if d < 2 else max(0.0, (participation_ratio(seen.values) - 1) / (d - 1))


def _ratio(seen: Look) -> float:
    return participation_ratio(seen.values)


def _top(count: int) -> Value:
    def share_of(seen: Look) -> float | None:
        total = float(seen.values.sum())
        return float(seen.values[:count].sum()) / total if total > 0 else None

    return share_of


def _partition(seen: Look) -> float:
    from scipy.special import logsumexp

    unit = seen.sample.astype(np.float64)
    _, directions = np.linalg.eigh(unit.T @ unit)
    products = unit @ directions
    logs = np.concatenate([logsumexp(products, axis=0), logsumexp(-products, axis=0)])
    return float(np.exp(logs.min() - logs.max()))


def _hubness(seen: Look) -> float:
    return seen.lists.skewness


def _never(seen: Look) -> float:
    return seen.lists.never


def _uniformity(seen: Look) -> float:
    return float(np.log(np.mean(np.exp(-2 * (2 - 2 * seen.cosines.astype(np.float64))))))


def _length_spread(seen: Look) -> float:
    return float(seen.norms.std(dtype=np.float64) / seen.norms.mean(dtype=np.float64))


def _normal_length_spread(seen: Look) -> float:
    d = seen.dimensions
    mean = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    return math.sqrt(max(0.0, d - mean**2)) / mean


def _length_rank(seen: Look) -> float | None:
    from scipy.stats import rankdata

    lengths = seen.norms
    if not seen.ordered or float(np.ptp(lengths)) <= 1e-4 * float(lengths.max()):
        return None
    ranks = rankdata(lengths)
    return float(np.corrcoef(ranks, -np.arange(len(ranks), dtype=np.float64))[0, 1])


def _none(seen: Look) -> float:
    return 0.0


MEASURES: dict[str, Measure] = {
    row.name: row
    for row in (
        Measure(
            "mean_cosine",
            "Mean cosine of two rows",
            _mean_cosine,
            "All pairs, exactly. Far from 0, the rows lie in a cone, and a cosine says little until it is held against "
            "this one.",
            "Ethayarajh 2019",
            _none,
        ),
        Measure(
            "cosine_spread",
            "Spread of cosines",
            _cosine_spread,
            "Standard deviation over random pairs; 1 ÷ √d for random directions.",
            "",
            lambda seen: 1 / math.sqrt(seen.dimensions),
            sampled=True,
        ),
        Measure(
            "isoscore",
            "IsoScore",
            _isoscore,
            "0: all variance in one direction, 1: the same in all. It looks past the mean, and cannot see a cone.",
            "Rudman et al. 2022",
        ),
        Measure(
            "participation_ratio",
            "Directions in use",
            _ratio,
            "Participation ratio (Σλ)² ÷ Σλ²: as many directions of equal variance would spread alike.",
            "Rudman et al. 2022, IsoScore = (ratio − 1) ÷ (d − 1)",
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
            "A great share means that few directions decide most cosines.",
            "Mu and Viswanath 2018",
            shares=True,
        ),
        Measure(
            "partition",
            "Partition function, min ÷ max",
            _partition,
            "Rows at length one, both ways along each eigenvector. 1: alike in all directions. Of rows as they are the "
            "number would follow their scale.",
            "Arora et al. 2016; Mu and Viswanath 2018",
            sampled=True,
        ),
        Measure(
            "uniformity",
            "Uniformity",
            _uniformity,
            "ln of the mean of exp(−2 ‖x − y‖²) over pairs at length one: 0 where all coincide, lower is more even.",
            "Wang and Isola 2020",
            sampled=True,
        ),
        Measure(
            "hubness",
            "Hubness",
            _hubness,
            f"Skewness of how often a row stands among the {K} nearest of others. Many dimensions alone make some.",
            "Radovanović et al. 2010",
            sampled=True,
        ),
        Measure(
            "antihubs",
            "Rows in no list",
            _never,
            f"The share that is among the {K} nearest of no other row.",
            "Radovanović et al. 2010",
            shares=True,
            sampled=True,
        ),
        Measure(
            "length_spread",
            "Spread of lengths",
            _length_spread,
            "Standard deviation ÷ mean of the rows' lengths.",
            "",
            _normal_length_spread,
        ),
        Measure(
            "length_frequency",
            "Length with frequency",
            _length_rank,
            "Spearman's ρ of a row's length with its place, the first being the most frequent.",
            "Schakel and Wilson 2015",
            lambda seen: None if _length_rank(seen) is None else 0.0,
        ),
    )
}


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
    _told(report, 0.0, "means and variances over all rows")
    seen = look(space, rows=rows, sample=sample, seed=seed)
    plain = isotropic(seen, seed=seed)
    measured: dict[str, Measured] = {}
    for place, row in enumerate(MEASURES.values()):
        _told(report, 0.3 + 0.5 * place / len(MEASURES), row.title.lower())
        expected = (row.expected or row.function)(seen if row.expected else plain)
        measured[row.name] = Measured(row.name, _finite(row.function(seen)), _finite(expected))
    _told(report, 0.8, "dimensions that stand out")
    rogues = _rogues(seen)
    hubs = seen.lists.hubs(HUBS)
    asked = len(space) if rows is None else len(rows)
    found = Isotropy(
        rows=seen.count,
        zeros=asked - seen.count,
        dimensions=seen.dimensions,
        sample=len(seen.sample),
        pairs=len(seen.pairs),
        measures=measured,
        histogram=_histogram(seen),
        expected=_expected(seen),
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
    _told(report, 1.0, "done")
    return found


def _told(report: Report | None, fraction: float, message: str) -> None:
    if report is not None:
        report(fraction, message)


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
    counts, edges = np.histogram(np.clip(seen.cosines, low, high), bins=BINS, range=(low, high))
    return Histogram(counts, edges.astype(np.float32))


def _expected(seen: Look) -> Float:
    """How many of the pairs two random directions in d dimensions would put into each bin.

    (1 + cosine) ÷ 2 has the beta distribution with both parameters (d − 1) ÷ 2; in one dimension it is 0 or 1.
    """
    from scipy.special import betainc

    edges = _histogram(seen).edges.astype(np.float64)
    half = (seen.dimensions - 1) / 2
    below = betainc(half, half, np.clip((1 + edges) / 2, 0, 1)) if half else (edges >= 1) * 0.5 + (edges >= -1) * 0.5
    return np.asarray(len(seen.pairs) * np.diff(below), np.float32)


def _rogues(seen: Look) -> tuple[Rogue, ...]:
    n = seen.count
    parts_of = (seen.unit.total**2 - np.diag(seen.unit.products)) / (n * (n - 1))
    mean = mean_cosine(seen.unit)
    clear = mean > 3 * math.sqrt(2 / seen.dimensions) / n
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
    whole, rest = seen.cosines.astype(np.float64), seen.cosines_without(struck).astype(np.float64)
    whole, rest = whole - whole.mean(), rest - rest.mean()
    size = float((whole @ whole) * (rest @ rest))
    return float(whole @ rest) ** 2 / size if size > 0 else 0.0


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
