"""Exact lists of nearest neighbors on a graphics card: torch computes the scores tile by tile and keeps the best.

The values differ from values computed on the CPU by at most 1e-5 of the largest value. Rows whose values differ by less
may be in another order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from embedviz.core.graphics_card import by_parts
from embedviz.core.space import Float, Ints, VectorSpace

PAYS = 2e10
"""A card saves time from this product on: queries × rows × dimensions. A CPU takes about 0.5 s for it (estimate)."""
_QUERIES, _ROWS = 2_048, 32_768  # size of a tile: 256 MB of scores


def _cosine(queries: Any, rows: Any) -> Any:
    from torch.nn.functional import normalize

    return normalize(queries, eps=1e-38) @ normalize(rows, eps=1e-38).T


def _distance(queries: Any, rows: Any) -> Any:
    import torch

    return -torch.cdist(queries, rows)


SCORES: dict[str, Callable[[Any, Any], Any]] = {
    "cosine": _cosine,
    "dot": lambda queries, rows: queries @ rows.T,
    "euclidean": _distance,
}
"""Name of a metric → function of queries (m, d) and rows (n, d) that returns scores, (m, n); larger is nearer."""


def best_rows(
    space: VectorSpace, rows: Ints, k: int, metric: str, place: str, done: Callable[[int], None] | None = None
) -> tuple[Ints, Float]:
    """Return the k best rows for each of m rows, (m, k), and their scores, (m, k).

    The row itself and rows of zeros are left out.

    Args:
        place: Name of the torch device.
        done: As in `by_parts`.
    """
    lists, scores = np.empty((len(rows), k), np.int64), np.empty((len(rows), k), np.float32)

    def search(part: slice) -> None:
        best, found = _best_of(space, rows[part], k, metric, place)
        lists[part], scores[part] = found.cpu().numpy(), best.cpu().numpy()

    by_parts(len(rows), _QUERIES, search, done)
    return lists, scores


def _best_of(space: VectorSpace, rows: Ints, k: int, metric: str, place: str) -> tuple[Any, Any]:
    import torch

    queries = torch.tensor(space.matrix[rows], device=place)
    own = torch.tensor(rows, device=place)
    best, found = torch.empty((len(rows), 0), device=place), torch.empty((len(rows), 0), dtype=torch.long, device=place)
    for block in space.blocks(_ROWS):
        scores = SCORES[metric](queries, torch.tensor(space.matrix[block], device=place))
        scores[:, torch.tensor(space.norms[block] == 0, device=place)] = -torch.inf
        inside = torch.nonzero((own >= block.start) & (own < block.stop)).ravel()
        scores[inside, own[inside] - block.start] = -torch.inf
        best, found = merged(best, found, scores, block.start, k)
    return best, found


def merged(best: Any, found: Any, scores: Any, start: int, k: int) -> tuple[Any, Any]:
    """Return the k best scores of each query, and their rows, among the best so far and the next block of rows.

    Args:
        best, found: Best scores so far, and their rows, each (m, up to k).
        scores: Scores of the block, (m, n).
        start: First row of the block.
    """
    import torch

    near, at = scores.topk(min(k, scores.shape[1]), dim=1)
    best, found = torch.cat([best, near], dim=1), torch.cat([found, at + start], dim=1)
    best, at = best.topk(min(k, best.shape[1]), dim=1)
    return best, found.gather(1, at)
