"""Random projection: the baseline that shows what a map keeps by chance."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.progress import Report
from embedviz.core.space import Ints, VectorSpace
from embedviz.projection.layout import COMPONENTS, EQUAL, SEED, Layout, Projector
from embedviz.projection.pca import ROWS_AS, rows_of


def random_projection(
    space: VectorSpace, rows: Ints, *, components: int, rows_as: str, seed: int, report: Report | None = None
) -> Layout:
    """Return the coordinates of the rows along two or three random directions (Johnson and Lindenstrauss 1984).

    Raises:
        OptionError: The space has fewer dimensions than the map.
    """
    from sklearn.random_projection import GaussianRandomProjection

    if components > space.dimensions:
        raise OptionError(
            f"A map of {components} dimensions needs a space of as many; this one has {space.dimensions}."
        )
    drawn = GaussianRandomProjection(components, random_state=seed)
    matrix = rows_of(space, rows, rows_as)
    if not np.ptp(matrix, axis=0).any():
        return Layout(np.zeros((len(rows), components), np.float32), (), EQUAL)
    points = drawn.fit_transform(matrix - matrix.mean(axis=0)).astype(np.float32)
    meaning = f"A baseline: {components} random directions. Another map is useful only if it keeps more than this one."
    return Layout(points, (), meaning)


def _seconds(n: int, d: int, options: Mapping[str, Any]) -> float:
    return 0.02 + 4e-9 * n * d


def _memory(n: int, d: int, options: Mapping[str, Any]) -> float:
    return 12.0 * n * d


ROW = Projector(
    "random",
    "Random",
    random_projection,
    (COMPONENTS, ROWS_AS, SEED),
    "Random directions: a baseline for every other map.",
    "Johnson and Lindenstrauss 1984",
    seconds=_seconds,
    memory=_memory,
    free=True,
)
