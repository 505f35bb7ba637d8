"""Intrinsic dimension: in how many directions rows vary near each other, whatever the number of columns.

TwoNN (Facco, d'Errico, Rodriguez and Laio 2017) reads it from the distances to the two nearest rows; the estimator of
Levina and Bickel (2004) from the k nearest, averaged as MacKay and Ghahramani (2005) correct it. Both are compared with
random copies of the rows, of the kinds in `structure`. A Gaussian copy has the same covariance and no curved shape.
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
"""Neighbors of each row for the estimate by which the verdict is given."""
_DISCARDED = 0.1  # share of the largest ratios that the fit of TwoNN leaves out, as in the paper


def neighbor_distances(rows: Any, k: int) -> Doubles:
    """Return the distances of each row to its k nearest others, ascending, (n, k); rows that coincide count once."""
    points = np.unique(np.asarray(rows, np.float64), axis=0)
    points = points - points.mean(axis=0)
    squares = np.einsum("ij,ij->i", points, points)
    gaps = squares[:, None] + squares - 2 * points @ points.T
    np.fill_diagonal(gaps, np.inf)
    near = np.sort(np.partition(gaps, k - 1, axis=1)[:, :k], axis=1)
    near = near[near[:, 0] > 1e-12 * max(float(squares.max()), 1e-300)]  # below it is rounding
    return np.asarray(np.sqrt(near))


def two_nn(distances: Doubles) -> float:
    """Return the slope through the origin of −ln(1 − F(μ)) over ln μ, μ = r₂/r₁, without the largest tenth of μ."""
    logs = np.sort(np.log(distances[:, 1] / distances[:, 0]))
    n = len(logs)
    used = int(n * (1 - _DISCARDED))
    levels = -np.log(1 - np.arange(n) / n)
    return float(logs[:used] @ levels[:used] / max(float(logs[:used] @ logs[:used]), 1e-300))


def levina_bickel(distances: Doubles) -> float:
    """Return the inverse of the mean of ln(T_k/T_j) over the k − 1 nearer neighbors and all rows; k is the width."""
    logs = np.log(distances[:, -1:] / distances[:, :-1])
    return float(1 / max(float(logs.mean()), 1e-300))


@dataclass(frozen=True)
class IntrinsicDimension:
    """Estimates for a sample of rows, and the same for random copies of it.

    Attributes:
        two_nn: By the two nearest rows.
        levina_bickel: By the k nearest rows.
        copies_two_nn, copies_levina_bickel: The same for each copy, by its kind in `structure`.
        linear: Participation ratio of the covariance: directions that the variance amounts to.
        k: Neighbors of each row.
        sample: Rows looked at.
        rows: Rows of the space with a direction.
        dimensions: Columns.
        unit: Whether rows were brought to length one.
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
        """Return the value below which copies of each kind lie in at most 5 % of cases (Student's t)."""
        found = [next_copy(np.asarray(values)) for values in self.copies_levina_bickel.values()]
        return min(float(mean - reach) for mean, reach in found)

    @property
    def fewer(self) -> bool:
        """Return whether the rows lie on fewer dimensions than random copies of every kind, by Levina and Bickel."""
        return self.levina_bickel < self.chance

    @property
    def meaning(self) -> str:
        """Say the dimension beside that of copies."""
        sentence = f"Near each other, rows vary in about {number(self.levina_bickel, 1)} directions"
        if self.fewer:
            return f"{sentence}, fewer than structureless copies of them."
        return f"{sentence}. Structureless copies of them do not have more."

    @property
    def note(self) -> str:
        """Say the sample, the copies and the other estimate."""
        copies = number(float(np.mean(self.copies_levina_bickel["gaussian"])), 1)
        return (
            f"{self.sample:,} of {self.rows:,} rows in {self.dimensions:,} dimensions, {self.k} neighbors each. "
            f"Gaussian copies: {copies} on average; {COPIES} copies of each of {len(KINDS)} kinds. TwoNN: "
            f"{number(self.two_nn, 1)}. With more rows neighbors are nearer, and the estimate can change."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows of an export: each estimate beside the mean of the Gaussian copies."""
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
    """Estimate the intrinsic dimension of the rows of a space, beside structureless copies.

    Args:
        unit: Whether rows and copies are brought to length one, as a cosine sees them.
        k: Neighbors of each row, 3 at least.
        sample: Rows drawn at random where there are more.

    Raises:
        OptionError: There are too few different rows, or k is out of range.
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
    """Return both estimates for rows."""
    distances = neighbor_distances(unit_rows(rows) if unit else rows, k)
    return two_nn(distances), levina_bickel(distances)
