"""Unsupervised SimCSE: a sentence is read twice with dropout, and the two vectors are a positive pair of InfoNCE."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz.contextual.encoder import Encoder
from embedviz.contextual.encoder.windows import TokenTable, padded, tokenized
from embedviz.contextual.pooling import own_pooling
from embedviz.contextual.tuning.frozen import FrozenLayers
from embedviz.core.device import torch_threads
from embedviz.core.options import OptionError, Parameter, checked_settings
from embedviz.core.progress import Report, tell

_OPTIONS = {
    "sentences": Parameter("sentences", 10, 2_000, 500, "Sentences drawn from the texts.", "Sentences"),
    "layers": Parameter("layers", 1, 12, 2, "Number of last layers that are tuned.", "Tuned layers"),
    "epochs": Parameter("epochs", 1, 10, 3, "How often each sentence is read.", "Epochs"),
    "batch": Parameter("batch", 2, 128, 32, "Sentences of a batch.", "Batch"),
    "longest": Parameter("longest", 8, 128, 48, "Tokens of a sentence that are read.", "Tokens"),
}

_RANGES = {"rate": (1e-7, 1e-2), "temperature": (1e-3, 10.0), "dropout": (0.0, 0.9)}


@dataclass(frozen=True)
class TuningSettings:
    """Settings of a tuning.

    Attributes:
        sentences: Maximum number of sentences to draw.
        layers: Number of last layers to tune; the layers before them are frozen and have no dropout.
        epochs: Number of epochs; each epoch reads each sentence twice, for the two vectors of a positive pair.
        batch: Sentences per batch.
        longest: Maximum number of tokens read of a sentence.
        rate: The learning rate of AdamW.
        temperature: τ of InfoNCE.
        dropout: The dropout probability in the tuned layers.
    """

    sentences: int = 500
    layers: int = 2
    epochs: int = 3
    batch: int = 32
    longest: int = 48
    rate: float = 1e-4
    temperature: float = 0.05
    dropout: float = 0.1

    def checked(self, **changes: float) -> TuningSettings:
        """Return the settings with the given changes.

        Raises:
            OptionError: A name is unknown or a value is out of range.
        """
        return checked_settings(self, changes, _OPTIONS, _RANGES, "Tuning")


SETTINGS = TuningSettings()
"""The default settings."""


def simcse(
    encoder: Encoder, sentences: Sequence[str], settings: TuningSettings, seed: int, report: Report | None = None
) -> tuple[list[float], Any]:
    """Return the loss of each step, and a tuned copy of the network.

    Raises:
        OptionError: The layers of the model are not found, or a sentence has no token.
        EncoderError: The tokenizer does not belong to the model.
    """
    import torch

    pieces = tokenized(encoder, sentences)
    if (np.diff(pieces.bounds) == 0).any():
        raise OptionError("A sentence has no token that the model can read. Leave empty sentences out.")
    network = copy.deepcopy(encoder.network)
    trained = _prepare(network, encoder.depth, settings)
    optimizer = torch.optim.AdamW(trained, lr=settings.rate)
    random, losses = np.random.default_rng([seed, 5]), []
    with torch_threads(), torch.random.fork_rng(devices=[]), ExitStack() as stack:
        if frozen := _frozen(encoder, network, pieces, settings):
            stack.enter_context(frozen.replayed())
        torch.manual_seed(seed)
        every = [batch for _ in range(settings.epochs) for batch in _batches(len(sentences), settings.batch, random)]
        for step, batch in enumerate(every):
            ids, mask = (each.repeat(2, 1) for each in _padded(encoder, pieces, batch, settings.longest))
            if frozen:
                frozen.choose(batch, 2)
            both = _pooled(encoder, network(input_ids=ids, attention_mask=mask), mask)
            loss = contrastive(both[: len(batch)], both[len(batch) :], settings.temperature)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
            tell(report, (step + 1) / len(every), f"Step {step + 1} of {len(every)}, loss {losses[-1]:.3f}")
    return losses, network.eval().requires_grad_(False)


def _frozen(encoder: Encoder, network: Any, pieces: TokenTable, settings: TuningSettings) -> FrozenLayers | None:
    """Return the cached output of the frozen layers for all sentences, or None.

    None means that no layer is frozen, or that the output would take more than a quarter of the free memory.
    """
    _, blocks = blocks_of(network, encoder.depth)
    frozen = FrozenLayers(blocks[: max(0, encoder.depth - settings.layers)])
    lengths = np.minimum(np.diff(pieces.bounds), settings.longest)
    if not frozen.fit(int(lengths.sum()), encoder.dimensions):
        return None
    for places in np.split(np.arange(len(lengths)), range(settings.batch, len(lengths), settings.batch)):
        frozen.add(network, *_padded(encoder, pieces, places, settings.longest))
    return frozen


def contrastive(one: Any, other: Any, temperature: float) -> Any:
    """Return the InfoNCE loss of two tensors, (n, d).

    Row i of `one` and row i of `other` are a positive pair; rows with different numbers are negative pairs.
    """
    import torch
    from torch.nn import functional

    table = functional.normalize(one, dim=1) @ functional.normalize(other, dim=1).T / temperature
    return functional.cross_entropy(table, torch.arange(len(table)))


def blocks_of(network: Any, depth: int) -> Any:
    """Return the name of the list of a network's layers, and the list itself (a `ModuleList`).

    Raises:
        OptionError: The network has no list of `depth` layers, or has several such lists, as ELMo has.
    """
    import torch

    lists = [(name, each) for name, each in network.named_modules() if isinstance(each, torch.nn.ModuleList)]
    found = [(name, each) for name, each in lists if len(each) == depth]
    if len(found) == 1:
        return found[0]
    raise OptionError(f"This model has no single list of {depth} layers, so its last layers cannot be tuned.")


def tuned_parameters(network: Any, depth: int, layers: int) -> Iterator[tuple[str, Any]]:
    """Yield name and tensor of each parameter of the last `layers` layers."""
    name, blocks = blocks_of(network, depth)
    for place in range(max(0, depth - layers), depth):
        for inner, tensor in blocks[place].named_parameters():
            yield f"{name}.{place}.{inner}", tensor


def _prepare(network: Any, depth: int, settings: TuningSettings) -> list[Any]:
    """Prepare a network for the tuning: freeze all but the last layers; return the parameters of the last layers.

    The number and the dropout of these last layers are those of `settings`.
    """
    import torch

    network.eval().requires_grad_(False)
    _, blocks = blocks_of(network, depth)
    for block in blocks[max(0, depth - settings.layers) :]:
        block.train().requires_grad_(True)
        for module in block.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = settings.dropout
    return [tensor for _, tensor in tuned_parameters(network, depth, settings.layers)]


def _batches(count: int, size: int, random: np.random.Generator) -> list[Any]:
    """Return the batches of one epoch: sentence numbers in random order, cut into the sizes of `batch_sizes()`."""
    return np.split(random.permutation(count), np.cumsum(batch_sizes(count, size))[:-1])


def batch_sizes(count: int, size: int) -> list[int]:
    """Return the number of sentences in each batch of an epoch; a single last sentence joins the batch before it."""
    sizes = [min(size, count - start) for start in range(0, count, size)]
    return sizes if len(sizes) < 2 or sizes[-1] > 1 else [*sizes[:-2], sizes[-2] + 1]


def _padded(encoder: Encoder, pieces: TokenTable, batch: Any, longest: int) -> tuple[Any, Any]:
    """Return the padded token numbers of a batch, and 1 for a token or 0 for padding, both (b, t).

    A long sentence keeps its first tokens and its last token.
    """
    rows = []
    for number in batch.tolist():
        ids = pieces.ids[pieces.bounds[number] : pieces.bounds[number + 1]]
        most = min(longest, encoder.limit)
        rows.append(ids if len(ids) <= most else np.append(ids[: most - 1], ids[-1]))
    return padded(rows, encoder.tokenizer.pad_token_id or 0)


def _pooled(encoder: Encoder, output: Any, mask: Any) -> Any:
    """Return one vector for each sentence, (b, d), by the model's own pooling."""
    states, seen = output.last_hidden_state, mask.unsqueeze(-1)
    named = own_pooling(encoder.pooling)
    if named == "cls":
        return states[:, 0]
    if named == "max":
        return states.masked_fill(seen == 0, float("-inf")).amax(dim=1)
    return (states * seen).sum(dim=1) / seen.sum(dim=1)
