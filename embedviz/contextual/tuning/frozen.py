"""The frozen layers, below the tuned ones: their output is computed once for each sentence and reused at each step."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from embedviz.core.device import free_memory

_FLOAT = 4  # bytes


class FrozenLayers:
    """A cache of the frozen layers' output, so that a training step computes only the tuned layers.

    Frozen layers have no dropout and do not change. So their output for a sentence is the same in every epoch, and in
    both readings of the sentence that SimCSE needs.

    Attributes:
        rows: The output for each sentence, (tokens, d), in the order of `add`.
    """

    def __init__(self, blocks: Sequence[Any]) -> None:
        self._blocks = list(blocks)
        self.rows: list[Any] = []
        self._padded: Any = None
        self._in_tuple = False

    def fit(self, tokens: int, dimensions: int) -> bool:
        """Return whether there are frozen layers whose output fits into a quarter of the free memory."""
        return bool(self._blocks) and tokens * dimensions * _FLOAT <= free_memory() / 4

    def add(self, network: Any, ids: Any, mask: Any) -> None:
        """Compute the frozen layers' output for each sentence of a padded batch, and append the outputs to `rows`."""
        import torch

        found: list[Any] = []
        hook = self._blocks[-1].register_forward_hook(lambda _block, _given, output: found.append(output))
        try:
            with torch.no_grad():
                network(input_ids=ids, attention_mask=mask)
        finally:
            hook.remove()
        self._in_tuple = isinstance(found[0], tuple)
        states = found[0][0] if self._in_tuple else found[0]
        self.rows += [row[seen.bool()].clone() for row, seen in zip(states, mask, strict=True)]

    def choose(self, batch: Sequence[int], readings: int) -> None:
        """Prepare the cached output of a batch, repeated `readings` times, for the next pass through the network."""
        from torch.nn.utils.rnn import pad_sequence

        padded = pad_sequence([self.rows[place] for place in batch], batch_first=True)
        self._padded = padded.repeat(readings, 1, 1)

    @contextmanager
    def replayed(self) -> Iterator[None]:
        """Let the frozen layers, inside the block, return the output of `choose()` instead of computing it."""
        for block in self._blocks:
            block.forward = self._output
        try:
            yield
        finally:
            for block in self._blocks:
                del block.forward

    def _output(self, *_given: Any, **_options: Any) -> Any:
        return (self._padded,) if self._in_tuple else self._padded
