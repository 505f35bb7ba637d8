"""Random projection: what a map keeps by chance alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from embedviz.options import OptionError
from embedviz.projection.layout import COMPONENTS, SEED, Layout, Projector, Report
from embedviz.projection.pca import ROWS_AS, rows_of
from embedviz.space import Ints, VectorSpace


def random_projection(
    space: VectorSpace, rows: Ints, *, components: int, rows_as: str, seed: int, report: Report | None = None
) -> Layout:
    """Directions drawn at random (Johnson and Lindenstrauss 1984), by scikit-learn.

    Raises:
        OptionError: The space has fewer dimensions than the map.
    """
    from sklearn.random_projection import GaussianRandomProjection

    if components > space.dimensions:
        raise OptionError(
            f"A map of {components} dimensions needs a space of as many; this one has {space.dimensions}."
        )
    drawn = GaussianRandomProjection(components, random_state=seed)
    points = drawn.fit_transform(rows_of(space, rows, rows_as)).astype(np.float32)
    meaning = (
        f"The baseline: {components} directions drawn by chance. "
        "What another map keeps no better than this one is no finding."
    )
    return Layout(points - points.mean(axis=0), (), meaning)


def _seconds(n: int, d: int, options: Mapping[str, Any]) -> float:
    return 0.02 + 4e-9 * n * d


def _memory(n: int, d: int, options: Mapping[str, Any]) -> float:
    return 12.0 * n * d


ROW = Projector(
    "random",
    "Random",
    random_projection,
    (COMPONENTS, ROWS_AS, SEED),
    "Directions drawn by chance: the honest baseline of every other map.",
    "Johnson and Lindenstrauss 1984",
    seconds=_seconds,
    memory=_memory,
    free=True,
)
