"""Intrinsic dimension: the number of directions in which neighboring rows vary, often far fewer than the columns.

TwoNN (Facco, d'Errico, Rodriguez and Laio 2017) estimates the dimension from the distances to the two nearest rows. The
estimator of Levina and Bickel (2004) uses the k nearest rows, here averaged with the correction of MacKay and
Ghahramani (2005). Both estimates are compared with random copies of the rows, of the kinds in `structure`. A Gaussian
copy has the same covariance, but no curved shape.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, VectorSpace, unit_rows
from embedviz.core.stats.copies import next_copy
from embedviz.geometry.structure import COPIES, FEW, KINDS, Kind, copies_of, sample_with_direction

Doubles = NDArray[np.float64]
SAMPLE = 1_000
K = 20
"""Number of neighbors of each row for the estimator of Levina and Bickel, which decides the verdict."""
_DISCARDED = 0.1  # share of the ratios, the largest, that the fit of TwoNN leaves out, as in the paper


def neighbor_distances(rows: Any, k: int) -> Doubles:
    """Return the distances of each of m rows to its k nearest other rows, ascending, (m, k).

    Exactly equal rows count as one row. Different rows whose distance is only rounding are left out, so m may be 0. It
    is also 0 for k different rows or fewer.
    """
    points = np.unique(np.asarray(rows, np.float64), axis=0)
    if len(points) <= k:
        return np.empty((0, k))
    largest = float(np.einsum("ij,ij->i", points, points).max())
    points = points - points.mean(axis=0)
    squares = np.einsum("ij,ij->i", points, points)
    gaps = squares[:, None] + squares - 2 * points @ points.T
    np.fill_diagonal(gaps, np.inf)
    near = np.sort(np.partition(gaps, k - 1, axis=1)[:, :k], axis=1)
    near = near[near[:, 0] > 1e-12 * max(largest, 1e-300)]  # smaller distances are rounding
    return np.asarray(np.sqrt(near))


def two_nn(distances: Doubles) -> float:
    """Return the TwoNN estimate from distances to neighbors, (n, k).

    The estimate is the slope, through the origin, of −ln(1 − F(μ)) against ln μ. Here μ is the distance of a row to its
    second neighbor ÷ the distance to its first, and F(μ) the share of rows with a smaller μ. The tenth of the rows with
    the largest μ is left out.
    """
    logs = np.sort(np.log(distances[:, 1] / distances[:, 0]))
    n = len(logs)
    used = int(n * (1 - _DISCARDED))
    levels = -np.log(1 - np.arange(n) / n)
    return float(logs[:used] @ levels[:used] / max(float(logs[:used] @ logs[:used]), 1e-300))


def levina_bickel(distances: Doubles) -> float:
    """Return the Levina-Bickel estimate from distances to neighbors, (n, k).

    The estimate is 1 ÷ the mean of ln(T_k/T_j), over all rows and their first k − 1 neighbors j. T_j is the distance to
    neighbor j.
    """
    logs = np.log(distances[:, -1:] / distances[:, :-1])
    return float(1 / max(float(logs.mean()), 1e-300))


@dataclass(frozen=True)
class IntrinsicDimension:
    """Estimates of the intrinsic dimension for a sample of rows, and for random copies of the sample.

    Attributes:
        two_nn: Estimate from the two nearest rows.
        levina_bickel: Estimate from the k nearest rows.
        copies_two_nn, copies_levina_bickel: These two estimates for each random copy, by kind of copy in `structure`.
        linear: Participation ratio of the covariance: the effective number of linear directions.
        k: Number of neighbors of each row.
        sample: Number of different rows in the sample.
        rows: Number of rows of the space that are not zero.
        dimensions: Dimensions of the space.
        unit: Whether rows were scaled to length one.
    """

    two_nn: float
    levina_bickel: float
    copies_two_nn: Mapping[Kind, tuple[float, ...]]
    copies_levina_bickel: Mapping[Kind, tuple[float, ...]]
    linear: float
    k: int
    sample: int
    rows: int
    dimensions: int
    unit: bool

    @property
    def chance(self) -> float:
        """Return the limit below which the Levina-Bickel estimate of a new random copy lies in at most 5 % of cases.

        There are several kinds of copies; the lowest of their limits is returned.
        """
        found = [next_copy(np.asarray(values)) for values in self.copies_levina_bickel.values()]
        return min(float(mean - reach) for mean, reach in found)

    @property
    def fewer(self) -> bool:
        """Return whether the Levina-Bickel estimate is below `chance`: lower than in copies of every kind."""
        return self.levina_bickel < self.chance

    @property
    def meaning(self) -> str:
        """Say the estimated dimension, and whether the estimate is lower than for structureless copies."""
        sentence = f"Near each other, rows vary in about {number(self.levina_bickel, 1)} directions"
        if self.fewer:
            return f"{sentence}, fewer than structureless copies of them."
        return f"{sentence}. Structureless copies of them do not have more."

    @property
    def note(self) -> str:
        """Describe the sample and the copies, and say the TwoNN estimate."""
        copies = number(float(np.mean(self.copies_levina_bickel["gaussian"])), 1)
        return (
            f"{self.sample:,} of {self.rows:,} rows in {self.dimensions:,} dimensions, {self.k} neighbors each. "
            f"Gaussian copies: {copies} on average; {COPIES} copies of each of {len(KINDS)} kinds. TwoNN: "
            f"{number(self.two_nn, 1)}. With more rows neighbors are nearer, and the estimate can change."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows for an export: each estimate, and its mean over the Gaussian copies."""
        both = (
            ("TwoNN", self.two_nn, self.copies_two_nn["gaussian"]),
            ("Levina-Bickel", self.levina_bickel, self.copies_levina_bickel["gaussian"]),
        )
        rows = ((name, value, float(np.mean(copies))) for name, value, copies in both)
        return ("estimate", "dimension", "Gaussian copies"), rows


@offered("found", "print(found.levina_bickel, found.two_nn)", "print(found.meaning, found.note, sep='\\n')")
def intrinsic_dimension(
    space: VectorSpace,
    *,
    unit: bool = True,
    k: int = K,
    sample: int = SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> IntrinsicDimension:
    """Estimate the intrinsic dimension of the rows of a space, and of structureless copies of these rows.

    Args:
        unit: Whether rows and copies are scaled to length one, as for cosines.
        k: Number of neighbors of each row, at least 3.
        sample: Maximum number of rows, drawn at random.

    Raises:
        OptionError: There are too few different rows or directions, k is out of range, or the space has one dimension.
    """
    random = np.random.default_rng(seed)
    looked, there = sample_with_direction(space, sample, random)
    rows = np.unique(np.asarray(space.matrix[looked], np.float32), axis=0)
    if len(rows) < max(FEW, 2 * k):
        raise OptionError(f"{len(rows):,} different rows were found. The estimate needs {max(FEW, 2 * k)} at least.")
    if k < 3 or space.dimensions < 2:
        raise OptionError(f"k is {k} in {space.dimensions} dimensions. Give a k of 3 at least and two dimensions.")
    here = _estimates(rows, k, unit)
    found: dict[Kind, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    for place, kind in enumerate(KINDS):
        draw = copies_of(rows, kind)
        for copy in range(COPIES):
            tell(report, (place * COPIES + copy) / (len(KINDS) * COPIES), f"copies of {len(rows):,} rows")
            found[kind].append(_estimates(draw(random), k, unit))
    pairs, nearest = (
        {kind: tuple(each[which] for each in values) for kind, values in found.items()} for which in (0, 1)
    )
    seen = unit_rows(rows) if unit else rows
    values = np.maximum(np.linalg.eigvalsh(np.cov(seen.astype(np.float64), rowvar=False)), 0)
    linear = float(values.sum() ** 2 / max(float((values**2).sum()), 1e-300))
    return IntrinsicDimension(*here, pairs, nearest, linear, k, len(rows), there, space.dimensions, unit)


def _estimates(rows: Float, k: int, unit: bool) -> tuple[float, float]:
    """Return the estimates by TwoNN and by Levina and Bickel for rows, (n, d)."""
    distances = neighbor_distances(unit_rows(rows) if unit else rows, k)
    if len(distances) < FEW:
        different = "different directions" if unit else "clearly different rows"
        raise OptionError(f"{len(distances):,} {different} were found. The estimate needs {FEW} at least.")
    return two_nn(distances), levina_bickel(distances)
