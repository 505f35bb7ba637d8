"""t-SNE on a graphics card, by torch: candidates for the lists of neighbors, and the gradient.

The gradient is the same as in `forces`, with the repulsion of `grid_forces`. Each step sends the points to the card and
receives the gradient. A card sums in no fixed order, so two runs with one seed differ in the last bits of each step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.graphics_card import by_parts
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints

if TYPE_CHECKING:
    from embedviz.projection.grid_forces import GridSize

PAYS_LISTS = 2e10
"""Minimum of rows² × dimensions from which a card finds candidates (an estimate: half a second of CPU time)."""
PAYS_STEPS = 10_000
"""Minimum number of points from which a card computes the gradient (an estimate)."""
_QUERIES, _ROWS = 2_048, 32_768  # rows and columns of a tile of distances
_POINTS, _PAIRS = 2**17, 2**22  # processed at a time
_EPSILON = float(np.finfo(np.float64).eps)


def candidates(matrix: Float, count: int, place: str, report: Report | None = None) -> Ints:
    """Return for each row the `count` nearest other rows by Euclidean distance, (n, count) int64.

    The neighbors are sorted by row number, not by distance. Distances are computed in single precision.

    Args:
        matrix: The rows, (n, d) float32.
        place: Name of the device in torch.
    """
    import torch

    n = len(matrix)
    found = np.empty((n, count), np.int64)
    rows = torch.tensor(matrix, device=place)

    def search(part: slice) -> None:
        best = torch.empty((part.stop - part.start, 0), device=place)
        near = torch.empty(best.shape, dtype=torch.long, device=place)
        for start in range(0, n, _ROWS):
            apart = torch.cdist(rows[part], rows[start : start + _ROWS])
            inside = torch.arange(max(part.start, start), min(part.stop, start + apart.shape[1]), device=place)
            apart[inside - part.start, inside - start] = torch.inf
            least, at = apart.topk(min(count, apart.shape[1]), dim=1, largest=False)
            best, near = torch.cat([best, least], dim=1), torch.cat([near, at + start], dim=1)
            best, at = best.topk(min(count, best.shape[1]), dim=1, largest=False)
            near = near.gather(1, at)
        found[part] = near.sort(dim=1).values.cpu().numpy()

    def done(count: int) -> None:
        tell(report, count / n, "Computing nearest neighbors")

    by_parts(n, _QUERIES, search, done)
    return found


class GraphicsGradient:
    """The gradient of t-SNE in two dimensions, computed on a device, as an object that openTSNE can call.

    Args:
        P: The affinities, a sparse matrix (n, n) in CSR format.
        place: Name of the device in torch; it must support double precision.
    """

    def __init__(self, P: Any, place: str) -> None:
        import torch

        self._place, self._step = place, 0
        self._made: tuple[GridSize, Any] | None = None
        self._rows = torch.tensor(np.repeat(np.arange(P.shape[0]), np.diff(P.indptr)), device=place)
        self._others = torch.tensor(P.indices.astype(np.int64), device=place)
        self._weights = torch.tensor(P.data, device=place)

    def __call__(self, embedding: Any, P: Any, should_eval_error: bool = False, **_: Any) -> tuple[float, Any]:
        """Return the KL divergence (0 if it is not requested) and its gradient, (n, 2)."""
        import torch

        points = torch.tensor(np.asarray(embedding, np.float64), device=self._place)
        repelled, normal = self._repulsion(points)
        normal += _EPSILON
        attracted, divergence = torch.zeros_like(points), 0.0
        for start in range(0, len(self._weights), _PAIRS):
            part = slice(start, start + _PAIRS)
            rows, weights = self._rows[part], self._weights[part]
            apart = points[rows] - points[self._others[part]]
            q = 1 / (1 + (apart**2).sum(dim=1))
            attracted.index_add_(0, rows, (weights * q)[:, None] * apart)
            if should_eval_error:
                divergence += float((weights * torch.log(weights / (q + _EPSILON) + _EPSILON)).sum())
        if should_eval_error:
            divergence += float(self._weights.sum()) * float(np.log(normal))
        return divergence, (attracted - repelled / normal).cpu().numpy()

    def _repulsion(self, points: Any) -> tuple[Any, float]:
        """Return the repulsion of each point, (n, 2), and Σ q over all ordered pairs, as `grid_forces.Grid` does."""
        import torch

        from embedviz.projection.grid_forces import grid_size, offset, spectrum

        low = points.min(dim=0).values
        size = grid_size((points.max(dim=0).values - low).tolist())
        if self._made is None or self._made[0] != size:
            self._made = (size, torch.tensor(spectrum(size), device=self._place))
        self._step += 1
        kernel = self._made[1]
        places = (points - low) / size.spacing + torch.tensor(offset(self._step), device=self._place)
        charges = torch.zeros(size.rows * size.columns, dtype=kernel.dtype, device=self._place)
        for start in range(0, len(points), _POINTS):
            nodes, (across, _), (upward, _) = _touched(places[start : start + _POINTS], size.columns)
            charges.index_add_(0, nodes.ravel(), (across[:, :, None] * upward[:, None, :]).ravel().to(kernel.dtype))
        double = (2 * size.rows, 2 * size.columns)
        waves = torch.fft.rfft2(charges.view(size.rows, size.columns), double) * kernel
        grid = torch.fft.irfft2(waves, double)[: size.rows, : size.columns].double().ravel()
        slope, total = torch.empty_like(points), 0.0
        for start in range(0, len(points), _POINTS):
            part = slice(start, start + _POINTS)
            nodes, (across, left), (upward, down) = _touched(places[part], size.columns)
            near = grid[nodes]
            total += float(torch.einsum("nst,ns,nt->", near, across, upward))
            slope[part, 0] = torch.einsum("nst,ns,nt->n", near, left, upward)
            slope[part, 1] = torch.einsum("nst,ns,nt->n", near, across, down)
        return slope * (-0.5 / size.spacing), total - len(points)


def _touched(places: Any, columns: int) -> tuple[Any, tuple[Any, Any], tuple[Any, Any]]:
    """Return for each point the 6 × 6 grid nodes on which it is spread, and its B-spline weights and slopes.

    The nodes are indices into the grid as one list, (n, 6, 6). Weights and slopes are (n, 6) along each axis.

    Args:
        places: The points, in units of nodes, (n, 2).
        columns: Number of columns of the grid.
    """
    import torch

    from embedviz.projection.grid_forces import ORDER

    first = places.long()
    steps = torch.arange(ORDER, device=places.device)
    nodes = (first[:, 0, None] + steps)[:, :, None] * columns + (first[:, 1, None] + steps)[:, None, :]
    across, upward = (_splines(places[:, axis] - first[:, axis]) for axis in (0, 1))
    return nodes, across, upward


def _splines(u: Any) -> tuple[Any, Any]:
    """Return the B-spline weights and slopes of n points along one axis, (n, 6) each; see `grid_forces._spline()`.

    Args:
        u: Distance of each point from the node before it, in node distances, 0 to 1, (n,).
    """
    import torch

    from embedviz.projection.grid_forces import ORDER

    weights, slopes = [1 - u, u], [-1 + 0 * u, 1 + 0 * u]
    for k in range(3, ORDER + 1):
        before = [0 * u, *weights, 0 * u]
        slopes = [before[j] - before[j + 1] for j in range(k)]
        weights = [((u + k - 1 - j) * before[j] + (j + 1 - u) * before[j + 1]) / (k - 1) for j in range(k)]
    return torch.stack(weights, dim=1), torch.stack(slopes, dim=1)
