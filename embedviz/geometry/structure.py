"""Test whether rows have nearer neighbors than random data; useful for spaces whose words are in no test set.

The statistic is the mean cosine of a row with its k nearest rows in a sample. It is compared with random data of four
kinds, each of which keeps different properties of the rows: Gaussian data with the mean and covariance of the rows;
Gaussian data with the mean and covariance of the rows scaled to length one (`core.stats.copies`); the rows with each
column shuffled; and the rows with each principal component shuffled. Rows have structure if their mean cosine is above
the limits of all four kinds.

A Gaussian fitted to n rows in more than n dimensions has nearly the same cosines as the rows, so no rows could exceed
it. If there are fewer rows than twice the dimensions, the rows are therefore compared in their first n ÷ 8 principal
components. For the copies with shuffled columns, the components are computed again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import number
from embedviz.core.space import Float, Ints, VectorSpace, unit_rows
from embedviz.core.stats.copies import fitted_cloud, next_copy
from embedviz.core.stats.resampling import drawn_rows

SAMPLE = 1_000
"""Maximum number of rows, drawn at random, among which neighbors are searched."""
K = 10
FEW = 40
"""Minimum number of different rows for a comparison with random data."""
COPIES = 9
"""Number of random copies of each of the four kinds."""
ENOUGH = 2
"""Minimum number of rows per dimension; with fewer, only some principal components are compared."""
_ROWS_OF_COMPONENT = 8
Kind = Literal["gaussian", "gaussian unit", "columns", "components"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_EQUAL = 1 - 1e-6  # two rows with a higher cosine count as one


@dataclass(frozen=True)
class Structure:
    """How near the nearest neighbors are, in a sample of rows and in random data.

    Attributes:
        value: Mean cosine of a row with its k nearest rows in the sample.
        copies: `value` for each random copy, by kind of copy.
        k: Number of neighbors of each row.
        sample: Number of sampled rows; no two have the same direction.
        rows: Number of rows of the space that are not zero.
        dimensions: Dimensions of the space.
        components: Number of principal components that are compared; 0 if the original rows are compared.
    """

    value: float
    copies: Mapping[Kind, tuple[float, ...]]
    k: int
    sample: int
    rows: int
    dimensions: int
    components: int = 0

    @property
    def chance(self) -> float:
        """Return the highest limit of the four kinds of random copies; 5 % of the copies of a kind exceed its limit.

        Each limit is the upper end of a prediction interval (Student's t) from the copies of one kind.
        """
        return max(float(sum(next_copy(np.asarray(values)))) for values in self.copies.values())

    @property
    def found(self) -> bool:
        """Return whether neighbors are nearer than in random data of every kind."""
        return self.value > self.chance

    @property
    def meaning(self) -> str:
        """Say whether the rows have structure."""
        if self.found:
            return "The rows have structure: near rows are nearer to each other than in random data."
        if self.components:
            few = f"{self.sample:,} rows in {self.dimensions:,} dimensions are few"
            return f"Structure is not shown. {few}: only clear groups can be told from chance."
        return "No structure found: near rows are no nearer to each other than in random data."

    @property
    def sentence(self) -> str:
        """Say the mean cosine, the sample and the limit of random data."""
        drawn = "" if self.sample == self.rows else " drawn at random"
        drawn += f", in their first {self.components} principal components" if self.components else ""
        return (
            f"Mean cosine of a row with its {self.k} nearest, among {self.sample:,} rows{drawn}: "
            f"{number(self.value)}. Random data: at most {number(self.chance)} in 95\u00a0% of cases (the highest "
            f"limit of {COPIES} copies of each kind: Gaussian with the mean and covariance of the rows as they are or "
            "at length one; columns shuffled, as they are or after PCA). Groups that overlap can be missed."
        )


def structure(space: VectorSpace, *, seed: int = 0) -> Structure | None:
    """Return how near the nearest neighbors of sampled rows are, compared with random data.

    None for fewer than 40 different rows, or in one dimension. Rows of the same direction count once, so that repeated
    rows do not count as structure.

    Args:
        seed: Seed of the sample and of the copies.
    """
    random = np.random.default_rng(seed)
    looked, there = sample_with_direction(space, SAMPLE, random)
    rows = np.asarray(space.matrix[looked], np.float32)
    rows = rows[different(unit_rows(rows))]
    if len(rows) < FEW or space.dimensions < 2:
        return None
    k = min(K, len(rows) // 10)
    few = len(rows) < ENOUGH * space.dimensions
    count = max(2, len(rows) // _ROWS_OF_COMPONENT) if few and space.dimensions > 2 else 0
    compared = _components(rows, count) if count else rows
    draws = {name: copies_of(compared, name) for name in KINDS}
    if count:
        draws["columns"] = lambda random: _components(random.permuted(rows, axis=0), count)
    copies = {name: tuple(_nearness(draw(random), k) for _ in range(COPIES)) for name, draw in draws.items()}
    return Structure(_nearness(compared, k), copies, k, len(rows), there, space.dimensions, count)


def sample_with_direction(space: VectorSpace, most: int, random: np.random.Generator) -> tuple[Ints, int]:
    """Return the numbers of at most `most` random rows that are not zero, and the number of all such rows."""
    usable = np.flatnonzero(np.isfinite(space.norms) & (space.norms > 0))
    return drawn_rows(usable, most, random), len(usable)


def _components(rows: Float, count: int) -> Float:
    """Return the scores of the rows on their first principal components, (n, count)."""
    centered = (rows - rows.mean(axis=0)).astype(np.float64)
    wide = rows.shape[1] > len(rows)
    values, vectors = np.linalg.eigh(centered @ centered.T if wide else centered.T @ centered)
    first = vectors[:, ::-1][:, :count]
    scores = first * np.sqrt(np.maximum(values[::-1][:count], 0)) if wide else centered @ first
    return np.asarray(scores, np.float32)


def copies_of(rows: Float, kind: Kind) -> Callable[[np.random.Generator], Float]:
    """Return a function that draws a random copy of the rows, (n, d), of the given kind."""
    if kind in ("gaussian", "gaussian unit"):
        cloud = fitted_cloud(rows if kind == "gaussian" else unit_rows(rows))
        return lambda random: cloud.draw(len(rows), random)
    if kind == "columns":
        return lambda random: random.permuted(rows, axis=0)
    mean = rows.mean(axis=0)
    _, axes = np.linalg.eigh(np.atleast_2d(np.cov(rows - mean, rowvar=False)))
    components = (rows - mean) @ axes.astype(np.float32)
    return lambda random: random.permuted(components, axis=0) @ axes.T.astype(np.float32) + mean


def different(unit: Float) -> NDArray[np.bool_]:
    """Return for each unit row whether no earlier row has the same direction, (n,)."""
    return np.asarray(~np.tril(unit @ unit.T > _EQUAL, -1).any(axis=1))


def _nearness(rows: Float, k: int) -> float:
    """Return the mean cosine of a row with its k nearest other rows."""
    unit = unit_rows(rows)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    return float(np.partition(cosines, len(rows) - k, axis=1)[:, -k:].mean(dtype=np.float64))
