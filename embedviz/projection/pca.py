"""Principal components: a shadow of the space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from embedviz.options import Choice, OptionError, Parameter
from embedviz.projection.layout import Layout, Projector, Report, percent
from embedviz.space import Float, Ints, VectorSpace

_DIRECTIONS = 10
_EXACT_BELOW = 2_000  # dimensions up to which the covariance is decomposed whole


def pca(space: VectorSpace, rows: Ints, *, x: int, y: int, rows_as: str, report: Report | None = None) -> Layout:
    """Two principal directions of the centered rows (Pearson 1901), by scikit-learn.

    Raises:
        OptionError: A direction beyond those there are.
    """
    most = min(len(rows) - 1, space.dimensions)
    if max(x, y) > most:
        raise OptionError(
            f"{len(rows):,} words in {space.dimensions} dimensions have {max(most, 0)} principal directions; "
            f"{max(x, y)} was asked for."
        )
    matrix = np.asarray(space.unit_rows(rows) if rows_as == "unit" else space.matrix[rows])
    points, every = principal(matrix, max(x, y))
    shares = every[[x - 1, y - 1]]
    axes = tuple(
        f"direction {number} ({percent(share)} of variance)" for number, share in zip((x, y), shares, strict=True)
    )
    meaning = (
        f"A shadow of the space: these two directions hold {percent(float(shares.sum()))} of the variance. "
        "Words lie at least as far apart in the space as here; words that meet here may be far apart there."
        if shares.any()
        else "These rows do not differ: the map is one point."
    )
    return Layout(points[:, [x - 1, y - 1]], axes, meaning)


def principal(matrix: Float, count: int) -> tuple[Float, Float]:
    """The first principal components of these rows, (n, count), and the share of variance of each, (count,)."""
    from sklearn.decomposition import PCA

    solver = "covariance_eigh" if matrix.shape[1] <= _EXACT_BELOW else "randomized"
    fitted = PCA(count, svd_solver=solver, random_state=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # equal rows have no variance to share
        points = fitted.fit_transform(matrix).astype(np.float32)
    return points, np.nan_to_num(fitted.explained_variance_ratio_)


def _seconds(n: int, d: int, _options: Mapping[str, Any]) -> float:
    return 0.02 + 1e-9 * n * d * min(d, 100)


def _memory(n: int, d: int, _options: Mapping[str, Any]) -> float:
    return 12.0 * n * d + 24.0 * d * d


ROW = Projector(
    "pca",
    "PCA",
    pca,
    (
        Parameter("x", 1, _DIRECTIONS, 1, "The principal direction drawn across.", "Across"),
        Parameter("y", 1, _DIRECTIONS, 2, "The principal direction drawn upward.", "Upward"),
        Choice(
            "rows_as",
            ("stored", "unit"),
            "stored",
            "The rows as stored, or all at length one, as cosine sees them.",
            "Rows",
        ),
    ),
    "The two directions of greatest variance: a shadow of the space, the same at every run.",
    "Pearson 1901",
    seconds=_seconds,
    memory=_memory,
    free=False,
)
