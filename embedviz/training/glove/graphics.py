"""GloVe's training passes on a graphics card, by torch, in batches of entries. An entry is a pair with its count.

All entries of a batch use the vectors from before the batch, so no word should occur in it too often. The batch size is
chosen so that the most frequent word is expected `REPEATS` times.

AdaGrad divides each step by a root of summed squares. Here this sum includes the other steps of the same batch, which
damps words that occur often in it. A batch of one entry makes the same step as `kernels.descend`.
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
_CHUNK = 2**22  # maximum number of entries on the card at a time
_REPORT_EVERY = 2**18  # entries between two yields of `one_pass`


class GraphicsDescent:
    """Passes of AdaGrad over batches of entries. The last bits of the result differ from run to run.

    Args:
        tiles: All entries in random order, as a single tile (block) of the matrix of counts.
        parameters: The vectors and biases. They are copied to the card, and `fetch` copies them back.
        x_max, alpha: Parameters of f(x) = min(1, (x ÷ x_max)^α).
        eta: Learning rate of the vectors.
        seed: Seed of the order of the entries.
        device: Torch name of the device; with *cpu* the same code runs without a card.
        batch: Entries per batch. With 0, the most frequent word is in about `REPEATS` entries of a batch.

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
        """Return the number of entries, which are learned in each pass."""
        return len(self._tiles)

    def baseline(self) -> float:
        """Return the loss J per entry if all vectors and biases are zero."""
        import torch

        cost = 0.0
        for first in range(0, self.entries, _CHUNK):
            logs = torch.from_numpy(self._tiles.logs[first : first + _CHUNK]).to(self._device)
            cost += float((self._weight(logs) * logs * logs).sum(dtype=torch.float64)) / 2
        return cost / self.entries

    def one_pass(self, number: int) -> Iterator[tuple[int, float]]:
        """Run one pass over all entries. Yield repeatedly how many were just learned, and their part of the loss J.

        Args:
            number: Number of the pass. Each pass has its own random order of the entries.
        """
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
        """Copy an array to the device, and return the copy there.

        Raises:
            OptionError: The card has too little free memory.
        """
        import torch

        try:
            return torch.from_numpy(np.array(part)).to(self._device)
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            size = f"{len(self._parameters.main):,} words × {self._parameters.size:,} dimensions"
            raise OptionError(f"The graphics card has too little free memory for {size}. Choose device cpu.") from None

    def fetch(self) -> None:
        """Copy the vectors and biases from the graphics card back into `parameters`."""
        size, width = self._parameters.size, self._parameters.width
        for lines, learned in zip(self._parameters[:2], self._learned, strict=True):
            places: tuple[Any, ...] = (slice(0, size), slice(width, width + size), 2 * width, 2 * width + 1)
            for place, part in zip(places, learned, strict=True):
                lines[:, place] = part.cpu().numpy()

    def _weight(self, logs: Any) -> Any:
        return (self._alpha * (logs - self._limit)).exp().clamp(max=1)

    def _descend(self, rows: Any, columns: Any, logs: Any) -> Any:
        """Take a step for all entries of a batch, and return their share of the loss J, measured before the step."""
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
    """Apply AdaGrad steps to some rows of `learned`, in place.

    Args:
        learned: Vectors or biases.
        squares: Sums of squared steps, changed in place. AdaGrad adds 1 to them before it divides.
        words: The rows to change; a row may occur several times.
    """
    square = step * step
    squares.index_add_(0, words, square)
    learned.index_add_(0, words, -step * (1 + squares[words] - square).rsqrt())
