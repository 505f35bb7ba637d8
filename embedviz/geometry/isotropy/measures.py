"""What is measured of a space: `MEASURES` has a row for each number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from embedviz.core.phrases import number, share
from embedviz.geometry.isotropy.look import K, Look
from embedviz.geometry.isotropy.moments import mean_cosine, participation_ratio

TOP = 10
"""Principal components that are counted together."""
ROUNDING = 1e-7
"""Cosines that spread less are equal in single precision."""

Value = Callable[[Look], float | None]


@dataclass(frozen=True)
class IsotropyMeasure:
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
        """Return the value as people read it."""
        return "–" if value is None else share(value) if self.shares else number(value, self.digits)


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
    """Return whether lists of the nearest tell rows apart: they hold not all others, nor those that come first."""
    return len(seen.sample) > K + 1 and not tied(seen)


def tied(seen: Look) -> bool:
    """Return whether who is nearest is decided by the order of the rows, as in one dimension."""
    return seen.dimensions < 2 or _cosine_spread(seen) < ROUNDING


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


MEASURES: dict[str, IsotropyMeasure] = {
    row.name: row
    for row in (
        IsotropyMeasure(
            "mean_cosine",
            "Mean cosine of two rows",
            _mean_cosine,
            "Over all pairs, exactly. Well above 0 the rows lie in a cone, and a cosine says little until it is held "
            "against this one.",
            "Ethayarajh 2019",
            _none,
            digits=3,
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
            "0: all variance in one direction, 1: the same in all. It leaves the mean out, and so cannot see a cone.",
            "Rudman et al. 2022",
        ),
        IsotropyMeasure(
            "participation_ratio",
            "Directions in use",
            _ratio,
            "Participation ratio (Σλ)² ÷ Σλ² of the principal components' variances λ: so many equal ones have the "
            "same ratio.",
            "Rudman et al. 2022, IsoScore = (ratio − 1) ÷ (d − 1)",
            digits=1,
        ),
        IsotropyMeasure(
            "top_component",
            "In the first component",
            _top(1),
            "The share of variance along the greatest principal component.",
            "Mu and Viswanath 2018",
            shares=True,
        ),
        IsotropyMeasure(
            "top_components",
            f"In the first {TOP} components",
            _top(TOP),
            "The share of variance along them. The greater, the fewer directions tell the rows apart.",
            "Mu and Viswanath 2018",
            shares=True,
        ),
        IsotropyMeasure(
            "partition",
            "Partition function, min ÷ max",
            _partition,
            "Z(c) = Σ exp(c · row), rows at length one, c both ways along each eigenvector. 1: alike in all of them; "
            "0.14: all rows coincide. Of rows as they are it would follow their scale.",
            "Arora et al. 2016; Mu and Viswanath 2018",
            sampled=True,
        ),
        IsotropyMeasure(
            "uniformity",
            "Uniformity",
            _uniformity,
            "ln of the mean of exp(−2 ‖x − y‖²) over random pairs at length one. 0 where all coincide, lower is more "
            "even.",
            "Wang and Isola 2020",
            sampled=True,
        ),
        IsotropyMeasure(
            "hubness",
            "Hubness",
            _hubness,
            f"Skewness of how often a row of the sample stands among the {K} nearest of others: near 0 without hubs. "
            "Many dimensions alone make some.",
            "Radovanović et al. 2010",
            sampled=True,
        ),
        IsotropyMeasure(
            "antihubs",
            "Rows in no list",
            _never,
            f"The share of the sample that is among the {K} nearest of no other row of it.",
            "Radovanović et al. 2010",
            shares=True,
            sampled=True,
        ),
        IsotropyMeasure(
            "length_spread",
            "Spread of lengths",
            _length_spread,
            "Standard deviation ÷ mean of the rows' lengths: what a cosine does not see.",
            "",
            _normal_length_spread,
        ),
        IsotropyMeasure(
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
