"""The isotropy measures: functions of a `SpaceSample`, and one row in `MEASURES` for each."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from embedviz.core.phrases import value_or_dash
from embedviz.geometry.isotropy.look import K, SpaceSample
from embedviz.geometry.isotropy.moments import isoscore, mean_cosine, normal_length_spread, participation_ratio
from embedviz.geometry.uniformity import pair_uniformity

TOP = 10
"""Number of principal components whose share of variance the measure *top_components* gives."""
ROUNDING = 1e-7
"""Cosines count as equal if their standard deviation is smaller: they then differ only by rounding errors."""

Value = Callable[[SpaceSample], float | None]


@dataclass(frozen=True)
class IsotropyMeasure:
    """One measure, a row of `MEASURES`.

    Attributes:
        name: Name of the measure in files and commands.
        title: Name of the measure on pages.
        function: Returns the value for a `SpaceSample`; None if the measure has no meaning, as in one dimension.
        summary: What the number means, in a sentence or two.
        source: The paper, or empty.
        expected: Returns the value for an isotropic space. None if there is no closed form: `function` then measures
            random rows.
        shares: Whether the value is a share, printed in percent.
        sampled: Whether the value is computed from the sample, not from all rows.
        digits: Number of decimals printed.
        main: Whether pages show the measure among the main measures.
        formula: How the value is computed; pages show it after the summary.
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
    main: bool = False
    formula: str = ""

    @property
    def about(self) -> str:
        """Return the summary followed by the formula."""
        return f"{self.summary} {self.formula}".strip()

    def say(self, value: float | None) -> str:
        """Format a value of the measure as text; a dash for None."""
        return value_or_dash(value, self.digits, shares=self.shares)


def _mean_cosine(seen: SpaceSample) -> float:
    return mean_cosine(seen.unit)


def _cosine_spread(seen: SpaceSample) -> float:
    return float(seen.cosines.std())


def _isoscore(seen: SpaceSample) -> float | None:
    return isoscore(seen.values, seen.dimensions)


def _ratio(seen: SpaceSample) -> float | None:
    return participation_ratio(seen.values) or None


def _top(count: int) -> Value:
    def share_of(seen: SpaceSample) -> float | None:
        total = float(seen.values.sum())
        return float(seen.values[:count].sum()) / total if total > 0 else None

    return share_of


def _partition(seen: SpaceSample) -> float:
    from scipy.special import logsumexp

    _, vectors = np.linalg.eigh(seen.precise.T @ seen.precise)
    products = seen.precise @ vectors
    logs = np.concatenate([logsumexp(products, axis=0), logsumexp(-products, axis=0)])
    return float(np.exp(logs.min() - logs.max()))


def _hubness(seen: SpaceSample) -> float | None:
    return seen.lists.skewness if _listed(seen) else None


def _never(seen: SpaceSample) -> float | None:
    return seen.lists.never if _listed(seen) else None


def _listed(seen: SpaceSample) -> bool:
    """Return whether neighbor lists are informative: shorter than the sample, and not made of ties.

    If all cosines are equal or all are ±1, only the order of the rows decides which rows are nearest.
    """
    return len(seen.sample) > K + 1 and not tied(seen)


def tied(seen: SpaceSample) -> bool:
    """Return whether all cosines are equal or all are ±1, so that only the row order decides which rows are nearest."""
    return seen.dimensions < 2 or _cosine_spread(seen) < ROUNDING


def _uniformity(seen: SpaceSample) -> float:
    return pair_uniformity(seen.cosines)


def _length_spread(seen: SpaceSample) -> float:
    return float(seen.norms.std(dtype=np.float64) / seen.norms.mean(dtype=np.float64))


def _normal_length_spread(seen: SpaceSample) -> float:
    return normal_length_spread(seen.dimensions)


def _length_rank(seen: SpaceSample) -> float | None:
    from scipy.stats import spearmanr

    lengths = seen.norms
    if not seen.ordered or float(np.ptp(lengths)) <= 1e-4 * float(lengths.max()):
        return None
    return float(spearmanr(lengths, -np.arange(len(lengths))).statistic)


def _none(seen: SpaceSample) -> float:
    return 0.0


MEASURES: dict[str, IsotropyMeasure] = {
    row.name: row
    for row in (
        IsotropyMeasure(
            "mean_cosine",
            "Mean cosine of two vectors",
            _mean_cosine,
            "Over all pairs. If it is well above 0, all vectors look alike; then judge each cosine against this mean.",
            "Ethayarajh 2019",
            _none,
            digits=3,
            main=True,
        ),
        IsotropyMeasure(
            "cosine_spread",
            "Spread of cosines",
            _cosine_spread,
            "Standard deviation over random pairs; 1 ÷ √d for random directions.",
            "",
            lambda seen: 1 / math.sqrt(seen.dimensions),
            sampled=True,
            digits=3,
        ),
        IsotropyMeasure(
            "isoscore",
            "IsoScore",
            _isoscore,
            "0: all variance in one direction; 1: equal in all. It does not see a direction that all share.",
            "Rudman et al. 2022",
        ),
        IsotropyMeasure(
            "participation_ratio",
            "Equally strong directions",
            _ratio,
            "The vectors spread as if they used so many directions equally. If it is low, they differ in few ways.",
            "Rudman et al. 2022, IsoScore = (ratio − 1) ÷ (d − 1)",
            digits=1,
            main=True,
            formula="Participation ratio (Σλ)² ÷ Σλ² of the variances λ of the principal components.",
        ),
        IsotropyMeasure(
            "top_component",
            "In the strongest direction",
            _top(1),
            "Share of the variance along it.",
            "Mu and Viswanath 2018",
            shares=True,
            main=True,
        ),
        IsotropyMeasure(
            "top_components",
            f"In the {TOP} strongest directions",
            _top(TOP),
            "Share of the variance along them. If it is high, few directions distinguish the rows.",
            "Mu and Viswanath 2018",
            shares=True,
        ),
        IsotropyMeasure(
            "partition",
            "Partition function, min ÷ max",
            _partition,
            "Z(c) = Σ exp(c · row) for c in both directions of each eigenvector. 1: equal in all; 0.14: all rows "
            "are equal. Rows are scaled to length one first, because Z depends on their length.",
            "Arora et al. 2016; Mu and Viswanath 2018",
            sampled=True,
        ),
        IsotropyMeasure(
            "uniformity",
            "Uniformity",
            _uniformity,
            "ln of the mean of exp(−2 ‖x − y‖²) over random pairs at length one. 0: all rows are equal; lower is more "
            "even.",
            "Wang and Isola 2020",
            sampled=True,
        ),
        IsotropyMeasure(
            "hubness",
            "Hubness",
            _hubness,
            "0: no hubs. The isotropic value is normal in so many dimensions. Well above it, a few rows are neighbors "
            "of very many.",
            "Radovanović et al. 2010",
            sampled=True,
            main=True,
            formula=f"Skewness of how often a row of the sample is among the {K} nearest of others.",
        ),
        IsotropyMeasure(
            "antihubs",
            "Rows in no list",
            _never,
            f"Share of the sample that is never among the {K} nearest of another row.",
            "Radovanović et al. 2010",
            shares=True,
            sampled=True,
        ),
        IsotropyMeasure(
            "length_spread",
            "Spread of lengths",
            _length_spread,
            "Standard deviation ÷ mean of the lengths of rows. Cosines ignore lengths.",
            "",
            _normal_length_spread,
        ),
        IsotropyMeasure(
            "length_frequency",
            "Length with frequency",
            _length_rank,
            "Spearman’s ρ of length and frequency over all rows; the first row is the most frequent. Above 0: frequent "
            "rows are longer.",
            "Schakel and Wilson 2015",
            lambda seen: None if _length_rank(seen) is None else 0.0,
        ),
    )
}
