"""Structureless copies of rows: random rows of a Gaussian cloud with the mean and the covariance of the given rows.

A map or a clustering of the rows is compared with the same method on such copies. To permute the rows' values along
each principal component would not be enough: a cluster that is separate along one component stays separate.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float, unit_rows
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.resampling import quantile

_BLOCK = 4_000_000  # numbers drawn at a time


@dataclass(frozen=True, eq=False)
class Cloud:
    """A Gaussian cloud fitted to rows.

    Attributes:
        mean: Mean of the rows, (d,).
        factor: A matrix F with FᵀF equal to the covariance of the rows, (r, d), where r is the smaller of n and d.
        unit: Whether each row that `draw()` returns is scaled to length one, as under cosine similarity.
    """

    mean: Float
    factor: Float
    unit: bool = False

    def draw(self, n: int, random: np.random.Generator) -> Float:
        """Draw n rows from the cloud at random, (n, d) float32."""
        rows = np.empty((n, len(self.mean)), np.float32)
        step = max(1, _BLOCK // max(self.factor.shape))
        for start in range(0, n, step):
            part = rows[start : start + step]
            normal = random.standard_normal((len(part), len(self.factor)), np.float32)
            np.matmul(normal, self.factor, out=part)
            part += self.mean
        return unit_rows(rows) if self.unit else rows


def fitted_cloud(rows: Float, *, unit: bool = False) -> Cloud:
    """Fit a Gaussian cloud to rows.

    Args:
        rows: The rows as stored, (n, d). The cloud is fitted to these rows, not to rows at length one, even if `unit`
            is true.
        unit: Whether each row that is drawn from the cloud is scaled to length one.
    """
    mean = rows.mean(axis=0, dtype=np.float64)
    n, d = rows.shape
    if n <= d:  # a random mixture of the centered rows has their covariance
        factor = (rows - mean) / np.sqrt(max(1, n - 1))
        return Cloud(np.asarray(mean, np.float32), np.ascontiguousarray(factor, np.float32), unit)
    covariance = np.zeros((d, d))
    step = max(1, _BLOCK // d)
    for start in range(0, n, step):
        centered = rows[start : start + step] - mean
        covariance += centered.T @ centered
    return cloud_of(mean, covariance / (n - 1), unit=unit)


def cloud_of(mean: NDArray[np.float64], covariance: NDArray[np.float64], *, unit: bool = False) -> Cloud:
    """Return the Gaussian cloud with this mean, (d,), and covariance, (d, d)."""
    values, directions = np.linalg.eigh(covariance)
    factor = np.sqrt(np.maximum(values, 0))[:, None] * directions.T
    return Cloud(np.asarray(mean, np.float32), np.ascontiguousarray(factor, np.float32), unit)


def next_copy(values: NDArray[np.float64], tests: int = 1) -> tuple[Any, Any]:
    """Return the mean of a measure over the copies, and a margin: one more copy exceeds mean + margin in 5 % of cases.

    The margin follows from Student's t. For several measures, mean and margin are arrays, (s,).

    Args:
        values: The value of a measure in each of m copies, (m,), or of s measures, (m, s).
        tests: Number of measures that are tested together; the 5 % are divided among them (Bonferroni).
    """
    m = len(values)
    reach = quantile(m - 1, LEVEL / tests) * np.sqrt(1 + 1 / m)
    return values.mean(axis=0), reach * values.std(axis=0, ddof=1)
