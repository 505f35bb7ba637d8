"""Principal component analysis."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from embedviz.core import device
from embedviz.core.options import Choice, OptionError, Parameter
from embedviz.core.phrases import share
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, VectorSpace, square_scale
from embedviz.projection.layout import COMPONENTS, EQUAL, Layout, Projector

_DIRECTIONS = 10
_MAPS = {1: "This line", 2: "This flat map", 3: "This map in three dimensions"}
_EXACT_BELOW = 2_000  # dimensions up to which the full covariance matrix is decomposed


def pca(
    space: VectorSpace,
    rows: Ints,
    *,
    components: int,
    x: int,
    y: int,
    z: int,
    rows_as: str,
    report: Report | None = None,
) -> Layout:
    """Return the coordinates of the rows along two or three of their principal directions (Pearson 1901).

    `x`, `y` and `z` are the numbers of the directions, from 1. scikit-learn computes them.

    Raises:
        OptionError: The number of a direction is too high for these rows.
    """
    directions = [x, y, z][:components]
    most = min(len(rows) - 1, space.dimensions)
    if max(directions) > most:
        raise OptionError(
            f"{len(rows):,} words in {space.dimensions} dimensions have {max(most, 0)} principal directions; "
            f"{max(directions)} was asked for."
        )
    points, every = principal(rows_of(space, rows, rows_as), max(directions))
    chosen = [direction - 1 for direction in directions]
    shares = every[chosen]
    axes = tuple(
        f"direction {number} ({share(part, fine=True)} of variance)"
        for number, part in zip(directions, shares, strict=True)
    )
    held = float(every[sorted(set(chosen))].sum())
    meaning = (
        f"{_MAPS[len(chosen)]} shows {share(held, fine=True)} of the variance. "
        f"{space.noun.capitalize()}s that touch here may be far apart in the space."
        if held
        else EQUAL
    )
    return Layout(points[:, chosen], axes, meaning)


def rows_of(space: VectorSpace, rows: Ints, rows_as: str) -> Float:
    """Return the rows as stored, or at length one if `rows_as` is *unit*, (n, d)."""
    return np.asarray(space.unit_rows(rows) if rows_as == "unit" else space.matrix[rows])


def principal(matrix: Float, count: int) -> tuple[Float, Float]:
    """Return the coordinates of the rows along their first `count` principal directions, and the share of variance.

    The coordinates are (n, count); the shares are one number for each direction.

    Only one thread is used, so that the same rows give the same numbers in every process.
    """
    from sklearn.decomposition import PCA

    size = square_scale(matrix)
    solver = "covariance_eigh" if matrix.shape[1] <= _EXACT_BELOW else "randomized"
    fitted = PCA(count, svd_solver=solver, random_state=0)
    with device.library_threads(), np.errstate(invalid="ignore", divide="ignore"):  # equal rows have no variance
        points = fitted.fit_transform(matrix if size == 1.0 else matrix / size).astype(np.float32)
    return points * np.float32(size), np.nan_to_num(fitted.explained_variance_ratio_)


def principal_coordinates(matrix: Float, components: int) -> Float:
    """Return the coordinates of the rows along their first principal directions, (n, components).

    If the rows have fewer directions, the other coordinates are 0.
    """
    count = min(components, len(matrix) - 1, matrix.shape[1])
    points = np.zeros((len(matrix), components), np.float32)
    points[:, :count] = principal(matrix, count)[0]
    return points


def _seconds(n: int, d: int, _options: Mapping[str, Any]) -> float:
    return 0.02 + 4e-11 * n * d * min(d, 1_000)


def _memory(n: int, d: int, _options: Mapping[str, Any]) -> float:
    return 12.0 * n * d + 24.0 * d * d


ROWS_AS = Choice(
    "rows_as", ("stored", "unit"), "stored", "Vectors as stored, or all at length one, as for the cosine.", "Rows as"
)
ROW = Projector(
    "pca",
    "PCA",
    pca,
    (
        COMPONENTS,
        Parameter("x", 1, _DIRECTIONS, 1, "The principal direction drawn across.", "Across"),
        Parameter("y", 1, _DIRECTIONS, 2, "The principal direction drawn upward.", "Upward"),
        Parameter("z", 1, _DIRECTIONS, 3, "The principal direction drawn toward you, in three dimensions.", "Toward"),
        ROWS_AS,
    ),
    "The directions of largest variance. The same map at every run.",
    "Pearson 1901",
    seconds=_seconds,
    memory=_memory,
    free=False,
)
