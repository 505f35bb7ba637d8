"""GloVe's training passes on the processor, stratum by stratum (see `tiles`). An entry is a pair with its count."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.training.glove import kernels
from embedviz.training.glove.parameters import Parameters
from embedviz.training.glove.tiles import Tiles

_PIECES = 4  # parts of a stratum per thread, so that a slow part does not delay the others
_SPAN = 2**20  # entries that are summed at a time


class DescentStep(NamedTuple):
    """Number of entries that were just learned, and the sum of their losses (a part of GloVe's loss J).

    The loss of each entry is measured before its own update.
    """

    entries: int
    cost: float


@dataclass(frozen=True, eq=False)
class Descent:
    """Passes of AdaGrad over all entries, with one step per entry.

    Attributes:
        tiles: The entries.
        parameters: The vectors and biases, which are changed in place.
        x_max, alpha: Parameters of f(x) = min(1, (x ÷ x_max)^α).
        eta: Learning rate of the vectors.
        seed: Seed of the order of the strata.
    """

    tiles: Tiles
    parameters: Parameters
    x_max: float
    alpha: float
    eta: float
    seed: int
    pool: ThreadPoolExecutor
    threads: int

    @property
    def entries(self) -> int:
        """Return the number of entries, which are learned in each pass."""
        return len(self.tiles)

    def baseline(self) -> float:
        """Return J per entry for vectors and biases that are all zero."""
        spans = [(first, min(first + _SPAN, self.entries)) for first in range(0, self.entries, _SPAN)]
        costs = self.pool.map(lambda span: kernels.cost_at_zero(self.tiles.logs, *span, *self._weight), spans)
        return float(sum(costs)) / self.entries

    def one_pass(self, number: int) -> Iterator[DescentStep]:
        """Run one pass over all entries, and yield a `DescentStep` after each stratum that has entries.

        Args:
            number: Number of the pass. Each pass has its own random order of the strata.
        """
        side, edges = self.tiles.side, self.tiles.edges
        costs = np.zeros(side * side)
        order = np.random.default_rng((self.seed, number)).permutation(side).tolist()
        for stratum in order:
            first, last = stratum * side, (stratum + 1) * side
            if edges[first] == edges[last]:
                continue
            pieces = self.tiles.pieces(stratum, _PIECES * self.threads if self.threads > 1 else 1)
            list(self.pool.map(lambda piece: self._descend(piece, costs), pieces))
            yield DescentStep(int(edges[last] - edges[first]), float(costs[first:last].sum()))

    def fetch(self) -> None:
        """Do nothing: this class changes the parameters in place, unlike `GraphicsDescent`."""

    @property
    def _weight(self) -> tuple[Any, ...]:
        return np.float32(np.log(self.x_max)), np.float32(self.alpha)

    def _descend(self, piece: tuple[int, int], costs: Any) -> None:
        entries = (self.tiles.rows, self.tiles.columns, self.tiles.logs, self.tiles.edges)
        main, context, _ = self.parameters
        width = self.parameters.width
        kernels.descend(*entries, *piece, main, context, width, *self._weight, np.float32(self.eta), costs)
