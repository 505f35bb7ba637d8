"""Test whether rows have more near neighbors than random data, for spaces without words that a test set knows.

The statistic is the mean cosine of a row with its k nearest rows in a sample. It is compared with random data of four
kinds, each of which keeps another part of the rows: Gaussian clouds with the mean and covariance of the rows, and with
those of the rows at length one (`core.stats.copies`); the rows with each column shuffled, and with each principal
component shuffled. Rows have structure if they exceed all four.

A Gaussian fitted to n rows in more than n dimensions has nearly their cosines, so that nothing could exceed it. Rows
that are fewer than twice their dimensions are compared in their first n ÷ 8 principal components, found anew in the
copies with shuffled columns.
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
"""Rows among which neighbors are searched."""
K = 10
FEW = 40
"""Minimum number of different rows for a comparison with random data."""
COPIES = 9
"""Copies of each kind."""
ENOUGH = 2
"""Rows of each dimension from which the rows are compared as they are, not in a part of their components."""
_ROWS_OF_COMPONENT = 8
Kind = Literal["gaussian", "gaussian unit", "columns", "components"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_EQUAL = 1 - 1e-6  # cosine from which two rows count as one


@dataclass(frozen=True)
class Structure:
    """How near the nearest rows are, here and in random data.

    Attributes:
        value: Mean cosine of a row with its k nearest rows of the sample.
        copies: The same in each copy, by its kind.
        k: Neighbors of each row.
        sample: Rows looked at, no two of the same direction.
        rows: Rows of the space that have a direction.
        dimensions: Dimensions of the space.
        components: Principal components in which the rows are compared; 0 for the rows as they are.
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
        """Return the value that random data of each kind exceed in at most 5 % of cases (Student's t)."""
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
        """Say the value with its sample and its baseline."""
        drawn = "" if self.sample == self.rows else " drawn at random"
        drawn += f", in their first {self.components} principal components" if self.components else ""
        return (
            f"Mean cosine of a row with its {self.k} nearest, among {self.sample:,} rows{drawn}: "
            f"{number(self.value)}. Random data: at most {number(self.chance)} in 95\u00a0% of cases (the highest "
            f"limit of {COPIES} copies of each kind: Gaussian with the mean and covariance of the rows as they are or "
            "at length one; columns shuffled, as they are or after PCA). Groups that overlap can be missed."
        )


def structure(space: VectorSpace, *, seed: int = 0) -> Structure | None:
    """Return how near the nearest rows are compared with random data; None for fewer than 40 different rows.

    Rows of the same direction count once, so that repeated rows are no structure.

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
    """Return the rows that have a direction, at most so many, drawn at random; and how many there are."""
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
    """Return a function that draws a copy of one kind of these rows, (n, d)."""
    if kind in ("gaussian", "gaussian unit"):
        cloud = fitted_cloud(rows if kind == "gaussian" else unit_rows(rows))
        return lambda random: cloud.draw(len(rows), random)
    if kind == "columns":
        return lambda random: random.permuted(rows, axis=0)
    mean = rows.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov(rows - mean, rowvar=False))
    components = (rows - mean) @ axes.astype(np.float32)
    return lambda random: random.permuted(components, axis=0) @ axes.T.astype(np.float32) + mean


def different(unit: Float) -> NDArray[np.bool_]:
    """Tell which rows have no earlier row of the same direction, (n,)."""
    return np.asarray(~np.tril(unit @ unit.T > _EQUAL, -1).any(axis=1))


def _nearness(rows: Float, k: int) -> float:
    """Return the mean cosine of a row with its k nearest others."""
    unit = unit_rows(rows)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    return float(np.partition(cosines, len(rows) - k, axis=1)[:, -k:].mean(dtype=np.float64))
