"""Shepard diagram of a map (Shepard 1962): distances of random pairs of points, in the space and on the map."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz import projection
from embedviz.core.call import offered
from embedviz.core.phrases import number
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.correlation import spearman
from embedviz.projection.quality import as_seen

PAIRS = 2_000
"""Number of random pairs of points by default."""
LAYOUTS = 99
"""Number of random layouts, which permute the points of the map. They are the baseline of the correlation."""


@dataclass(frozen=True, eq=False)
class ShepardDiagram:
    """Distances of random pairs of points, in the space and on the map.

    Attributes:
        in_space: Distance of each pair in the space, 1 − cosine or Euclidean, (m,).
        on_map: Distance of each pair on the map, divided by the largest of these distances, (m,).
        correlation: Spearman's ρ of `in_space` and `on_map`; None if all distances in the space, or all on the map, are
            equal.
        chance: The ρ that 95 % of random layouts stay below. A random layout permutes the points of the map.
        metric: The metric in the space, *cosine* or *euclidean*.
        shown: Number of points of the map; under *cosine*, without rows of zeros.
    """

    in_space: NDArray[np.float64]
    on_map: NDArray[np.float64]
    correlation: float | None
    chance: float
    metric: str
    shown: int

    @property
    def meaning(self) -> str:
        """Say how well the map keeps the order of distances, with random layouts as the baseline."""
        if self.correlation is None:
            return "All distances are equal, so there is no order to keep."
        return (
            f"The rank correlation of distances in the space and on the map is {number(self.correlation)} "
            f"(random layouts: at most {number(self.chance)} in 95\u00a0% of cases). A perfect map would draw a rising "
            "line."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[float, float]]]:
        """Return header and rows of a table: for each pair its distance in the space and its distance on the map."""
        rows = zip(self.in_space.tolist(), self.on_map.tolist(), strict=True)
        return ("distance in the space", "distance on the map"), list(rows)

    def card(self) -> dict[str, Any]:
        """Return the results as a mapping from name to plain JSON value."""
        named = {name: getattr(self, name) for name in ("correlation", "chance", "metric", "shown")}
        return {**named, "pairs": len(self.in_space)}


@offered("diagram", "print(diagram.meaning)")
def shepard(
    space: VectorSpace,
    rows: Ints,
    method: str = "pca",
    options: Mapping[str, Any] | None = None,
    *,
    points: Float | None = None,
    pairs: int = PAIRS,
    seed: int = 0,
) -> ShepardDiagram:
    """Return the Shepard diagram of the map of these rows by this method.

    Args:
        rows: Rows of the space on the map, (n,).
        method, options: Method of the map and its options, which determine the metric.
        points: The points of the map, (n, 2) or (n, 3); None computes the map.
        pairs: Number of random pairs of points, at least 1.
        seed: Seed of the pairs and of the random layouts.

    Raises:
        OptionError: There are fewer than four words, all words are equal, or the method refuses an option.
    """
    rows, chosen = np.asarray(rows, np.int64), dict(options or {})
    metric = projection.metric_of(method, chosen)
    high, places = as_seen(space, rows, metric)
    if points is None:
        points = projection.lay_out(space, rows, method, **chosen).points
    low, n = np.asarray(points, np.float64)[places], len(high)
    random = np.random.default_rng(seed)
    one = random.integers(n, size=pairs)
    other = (one + random.integers(1, n, size=pairs)) % n
    far = np.linalg.norm(high[one].astype(np.float64) - high[other], axis=1)
    in_space = far**2 / 2 if metric == "cosine" else far

    def drawn(order: Ints) -> NDArray[np.float64]:
        return np.asarray(np.linalg.norm(low[order[one]] - low[order[other]], axis=1))

    on_map = drawn(np.arange(n))
    layouts = [spearman(in_space, drawn(random.permutation(n))) or 0.0 for _ in range(LAYOUTS)]
    return ShepardDiagram(
        in_space=in_space,
        on_map=on_map / max(float(on_map.max()), np.finfo(np.float64).tiny),
        correlation=spearman(in_space, on_map),
        chance=float(np.quantile(layouts, 0.95)),
        metric=metric,
        shown=n,
    )
