"""Passes over the counts on a graphics card, many entries at once, by torch.

The entries of a batch see the vectors as they were before it, so a word should stand in a batch a few times only: the
batch is so small that the most frequent one is expected `REPEATS` times. A step is divided by what the squares of all
others of its batch add up to as well, which damps words that are moved from many sides at once; a batch of one entry is
the step of `kernels.descend`.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from embedviz.core.graphics_card import out_of_memory, turn
from embedviz.core.options import OptionError
from embedviz.training.glove.parameters import Parameters
from embedviz.training.glove.tiles import Tiles

REPEATS = 8
_CHUNK = 2**22  # entries that are on the card at a time
_REPORT_EVERY = 2**18  # entries between two words about how far it is


class GraphicsDescent:
    """Steps of AdaGrad for batches of entries; what comes of them differs in the last bits from run to run.

    Args:
        tiles: The entries as one tile, shuffled.
        batch: How many at once; by `REPEATS` where it is 0.
        device: As torch names it; *cpu* does the same without a card.

    Raises:
        OptionError: The card has too little free memory.
    """

    def __init__(
        self,
        tiles: Tiles,
        parameters: Parameters,
        *,
        x_max: float,
        alpha: float,
        eta: float,
        seed: int,
        device: str = "cuda",
        batch: int = 0,
    ) -> None:

        self._tiles, self._parameters, self._device = tiles, parameters, device
        self._limit, self._alpha, self._eta, self._seed = float(np.log(x_max)), alpha, eta, seed
        size, width = parameters.size, parameters.width
        self._learned = []
        for lines in parameters[:2]:
            columns = (lines[:, :size], lines[:, width : width + size], lines[:, 2 * width], lines[:, 2 * width + 1])
            self._learned.append([self._moved(part) for part in columns])
        repeated = max(int(np.bincount(each).max()) for each in (tiles.rows, tiles.columns))
        self.batch = batch or max(1, REPEATS * len(tiles) // repeated)

    @property
    def entries(self) -> int:
        """Return the number of entries."""
        return len(self._tiles)

    def baseline(self) -> float:
        """Return J per entry where all vectors and biases are zero."""
        import torch

        cost = 0.0
        for first in range(0, self.entries, _CHUNK):
            logs = torch.from_numpy(self._tiles.logs[first : first + _CHUNK]).to(self._device)
            cost += float((self._weight(logs) * logs * logs).sum(dtype=torch.float64)) / 2
        return cost / self.entries

    def one_pass(self, number: int) -> Iterator[tuple[int, float]]:
        """Make one pass over all entries in another order each time; yield how many were done, and their part of J."""
        import torch

        random = np.random.default_rng((self._seed, number))
        chunks = -(-self.entries // _CHUNK)
        for chunk in random.permutation(chunks).tolist():
            place = slice(chunk * _CHUNK, (chunk + 1) * _CHUNK)
            order = torch.from_numpy(random.permutation(len(self._tiles.logs[place]))).to(self._device)
            rows, columns, logs = (
                torch.from_numpy(part[place]).to(self._device)[order]
                for part in (self._tiles.rows, self._tiles.columns, self._tiles.logs)
            )
            for first in range(0, len(logs), _REPORT_EVERY):
                last = min(first + _REPORT_EVERY, len(logs))
                with turn(self._device, wait=math.inf, keep=True):
                    cost = torch.zeros((), dtype=torch.float64, device=self._device)
                    for begin in range(first, last, self.batch):
                        some = slice(begin, min(begin + self.batch, last))
                        cost += self._descend(rows[some], columns[some], logs[some])
                    whole = float(cost)
                yield last - first, whole

    def _moved(self, part: Any) -> Any:
        """Return a copy of an array on the device."""
        import torch

        try:
            return torch.from_numpy(np.array(part)).to(self._device)
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            size = f"{len(self._parameters.main):,} words × {self._parameters.size:,} dimensions"
            raise OptionError(f"The graphics card has too little free memory for {size}. Choose device cpu.") from None

    def fetch(self) -> None:
        """Write what was learned so far to the parameters."""
        size, width = self._parameters.size, self._parameters.width
        for lines, learned in zip(self._parameters[:2], self._learned, strict=True):
            places: tuple[Any, ...] = (slice(0, size), slice(width, width + size), 2 * width, 2 * width + 1)
            for place, part in zip(places, learned, strict=True):
                lines[:, place] = part.cpu().numpy()

    def _weight(self, logs: Any) -> Any:
        return (self._alpha * (logs - self._limit)).exp().clamp(max=1)

    def _descend(self, rows: Any, columns: Any, logs: Any) -> Any:
        """Make a step for each entry of a batch, and return their part of J."""
        (main, _, main_bias, _), (context, _, context_bias, _) = self._learned
        w, c = main[rows], context[columns]  # (b, d)
        difference = (w * c).sum(1) + main_bias[rows] + context_bias[columns] - logs
        weighted = self._weight(logs) * difference  # (b,)
        for (vectors, squares, biases, bias_squares), words, other in zip(
            self._learned, (rows, columns), (c, w), strict=True
        ):
            step = (weighted[:, None] * other).clamp(-100, 100) * self._eta
            _add(vectors, squares, words, step)
            _add(biases, bias_squares, words, weighted)
        return (weighted * difference).sum(dtype=logs.double().dtype) / 2


def _add(learned: Any, squares: Any, words: Any, step: Any) -> None:
    """Make a step of AdaGrad for some words; `squares` is what their squared steps add up to beyond 1."""
    square = step * step
    squares.index_add_(0, words, square)
    learned.index_add_(0, words, -step * (1 + squares[words] - square).rsqrt())
