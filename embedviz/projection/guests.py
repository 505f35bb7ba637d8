"""Words placed on a finished map by their neighbors among the words that are drawn; they are no part of its layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import listing, share
from embedviz.core.space import Float, Ints, VectorSpace

K = 15
"""Neighbors among the words drawn."""


@dataclass(frozen=True, eq=False)
class Guests:
    """Words on a map that was made without them.

    Attributes:
        words: The guests.
        points: Where they are placed, (g, 2 or 3).
        kept: Share of the k nearest drawn words of each that are among the k nearest to its place, (g,), 0 to 1.
        k: Neighbors used; `chance`: the share that a random place keeps.
    """

    words: tuple[str, ...]
    points: Float
    kept: NDArray[np.float64]
    k: int
    chance: float

    @property
    def meaning(self) -> str:
        """Say how the guests were placed, and how well, with a random place as the baseline."""
        each = [f"{word} {share(preserved)}" for word, preserved in zip(self.words, self.kept.tolist(), strict=True)]
        return (
            f"Guests (diamonds) are not part of the map's computation: each stands at the weighted mean of its "
            f"{self.k} nearest drawn words. Of these, so many are also nearest on the map: {listing(each)} "
            f"(random place: {share(self.chance)})."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows: each guest, its place, and the share of its neighbors kept."""
        header = ("word", *"xyz"[: self.points.shape[1]], "neighbors kept")
        rows = zip(self.words, self.points.tolist(), self.kept.tolist(), strict=True)
        return header, [(word, *point, preserved) for word, point, preserved in rows]


@offered("placed", "print(placed.meaning)")
def guests(
    space: VectorSpace, rows: Ints, points: Float, guest_rows: Ints, *, metric: str = "cosine", k: int = K
) -> Guests:
    """Return the places of further rows on a map: the mean of their nearest drawn words, near ones weighing more.

    The weight of the neighbor at distance d is exp(−(d − d₁) / (d_k − d₁)). UMAP's transform begins in this way, with
    weights of its own kind (McInnes et al. 2018). A row that equals a drawn one stands at its point.

    Args:
        rows: Rows of the space on the map, (n,); `points`: where they lie.
        guest_rows: The rows to place.
        metric: *cosine* or *euclidean*: what near means in the space.

    Raises:
        OptionError: Another metric, or fewer than two words are drawn.
    """
    if metric not in ("cosine", "euclidean"):
        raise OptionError(f"metric is {metric!r}; it may be cosine or euclidean.")
    rows, added = np.asarray(rows, np.int64), np.asarray(guest_rows, np.int64)
    if len(rows) < 2:
        raise OptionError("A guest needs two drawn words at least.")
    k = min(k, len(rows) - 1)
    seen = space.unit_rows if metric == "cosine" else space.matrix.__getitem__
    drawn = np.asarray(seen(rows), np.float64)
    places = np.asarray(points, np.float64)
    made, preserved = np.empty((len(added), places.shape[1])), np.empty(len(added))
    for at, row in enumerate(np.asarray(seen(added), np.float64)):
        distances = 1 - drawn @ row if metric == "cosine" else np.linalg.norm(drawn - row, axis=1)
        near = np.argsort(distances, kind="stable")[:k]
        made[at] = _mean(places[near], distances[near])
        there = np.argsort(np.linalg.norm(places - made[at], axis=1), kind="stable")[:k]
        preserved[at] = len(np.intersect1d(near, there)) / k
    words = tuple(space.words[row] for row in added.tolist())
    return Guests(words, np.asarray(made, np.float32), preserved, k, k / len(rows))


def _mean(places: NDArray[np.float64], distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted mean of places, the nearest first."""
    first, spread = distances[0], distances[-1] - distances[0]
    if first <= 1e-6:
        return np.asarray(places[0])
    weights = np.exp(-(distances - first) / spread) if spread > 0 else np.ones(len(distances))
    return np.asarray(weights @ places / weights.sum())
