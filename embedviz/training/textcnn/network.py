"""The network of TextCNN: word vectors, convolution filters, max pooling over the line, and a linear output layer.

For a line of n words with vectors x (n, d), a filter with width w, weights F (w, d) and bias b has the activation
ReLU(Σ F · x[t : t + w] + b) at position t. The maximum over all positions is the filter's feature of the line. The
scores of the labels are linear in these maxima (Collobert et al. 2011; Kim 2014).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from embedviz.core.space import Ints
from embedviz.corpus.tokenized import Corpus

_SPREAD = 0.1  # standard deviation of the initial vectors


class Lines(NamedTuple):
    """n lines of a corpus with their labels.

    Attributes:
        corpus: The corpus of the lines.
        rows: Number of words that have their own vector, the most frequent ones. All other words share one vector.
        numbers: Line numbers in the corpus, (n,).
        starts: Position of the first word of each line in `corpus.tokens`, (n,).
        lengths: Number of words that are read of each line, (n,).
        labels: Number of each line's label, (n,).
    """

    corpus: Corpus
    rows: int
    numbers: Ints
    starts: Ints
    lengths: Ints
    labels: Ints

    def take(self, places: Any) -> Lines:
        """Return a selection of these lines, as `Lines`.

        Args:
            places: Which lines: indices, a slice or a mask.
        """
        each = (array[places] for array in (self.numbers, self.starts, self.lengths, self.labels))
        return Lines(self.corpus, self.rows, *each)

    def tensors(self, places: Any, least: int, device: Any = "cpu") -> tuple[Any, Any, Any]:
        """Return tensors of some of the lines: word numbers (b, t), lengths (b,) and labels (b,).

        Words without their own vector have the number `rows`. The padding after a line's end is `rows` + 1.

        Args:
            places: Which lines: indices, a slice or a mask.
            least: Smallest number of columns t.
            device: Device of the tensors.
        """
        import torch

        lengths, labels = self.lengths[places], self.labels[places]
        steps = np.arange(max(least, int(lengths.max())))
        at = self.starts[places][:, None] + steps
        words = np.asarray(self.corpus.tokens)[np.minimum(at, len(self.corpus.tokens) - 1)]
        words = np.where(steps < lengths[:, None], np.minimum(words, self.rows), self.rows + 1)
        arrays = (words.astype(np.int64), lengths, labels)
        return tuple(torch.from_numpy(each).to(device) for each in arrays)  # type: ignore[return-value]


class Network(NamedTuple):
    """The parts of the network, as torch modules.

    Attributes:
        embedding: Table of vectors, (rows + 2, d): the words, one vector for all rarer words, and zeros for padding.
        filters: For each width 1, 2, … a convolution with all filters of this width.
        output: Linear layer from the filters' maxima to a score for each label.
    """

    embedding: Any
    filters: tuple[Any, ...]
    output: Any

    @property
    def parameters(self) -> tuple[list[Any], list[Any]]:
        """Return two lists: the embedding table, which has sparse gradients, and all other weights."""
        rest = [weight for part in (*self.filters, self.output) for weight in part.parameters()]
        return [self.embedding.weight], rest

    @property
    def place(self) -> str:
        """Return the torch name of the device on which the weights are."""
        return str(self.embedding.weight.device)

    def to(self, place: str) -> Network:
        """Move the modules to a device, and return the network."""
        filters = tuple(each.to(place) for each in self.filters)
        return Network(self.embedding.to(place), filters, self.output.to(place))

    def fired(self, words: Any, lengths: Any) -> tuple[Any, Any]:
        """Return the maximum activation of each filter over each line, and the position of this maximum in the line.

        Both arrays have the shape (b, filters). If a filter is wider than a line, it also reads the padding after the
        line's end.

        Args:
            words, lengths: As from `Lines.tensors`.
        """
        import torch

        seen = self.embedding(words).transpose(1, 2)  # (b, d, t)
        maxima, places = [], []
        for width, convolution in enumerate(self.filters, 1):
            active = torch.relu(convolution(seen))  # (b, filters, t − width + 1)
            last = (lengths - width).clamp(min=0)
            beyond = torch.arange(active.shape[2], device=words.device)[None, :] > last[:, None]
            highest = active.masked_fill(beyond[:, None, :], -1.0).max(dim=2)
            maxima.append(highest.values)
            places.append(highest.indices)
        return torch.cat(maxima, dim=1), torch.cat(places, dim=1)


def new_network(rows: int, size: int, filters: int, widest: int, shares: Any) -> Network:
    """Make an untrained network. For every line it predicts the same probabilities: the shares of the labels.

    Args:
        rows: Number of words that have their own vector.
        size: Number of dimensions of a word vector.
        filters: Number of filters of each width from 1 to `widest`.
        shares: Share of each label among the training lines, (labels,).
    """
    import torch

    embedding = torch.nn.Embedding(rows + 2, size, padding_idx=rows + 1, sparse=True)
    torch.nn.init.normal_(embedding.weight, std=_SPREAD)
    output = torch.nn.Linear(filters * widest, len(shares))
    with torch.no_grad():
        embedding.weight[rows + 1] = 0.0
        output.weight.zero_()
        output.bias.copy_(torch.from_numpy(np.log(shares)))
    return Network(embedding, tuple(torch.nn.Conv1d(size, filters, width) for width in range(1, widest + 1)), output)


def maxima_of(network: Network, lines: Lines, batch: int) -> tuple[Any, Any, float]:
    """Return the maximum activation of each filter over each line, the position of this maximum, and the loss.

    Activations and positions have the shape (n, filters). The loss is the mean cross-entropy of the lines in nats.

    Args:
        batch: Lines per batch.
    """
    import torch

    widest = len(network.filters)
    maxima, places, loss = [], [], 0.0
    with torch.no_grad():
        for first in range(0, len(lines.numbers), batch):
            words, lengths, labels = lines.tensors(slice(first, first + batch), widest, network.place)
            highest, where = network.fired(words, lengths)
            scores = network.output(highest)
            loss += float(torch.nn.functional.cross_entropy(scores, labels, reduction="sum"))
            maxima.append(highest.cpu().numpy())
            places.append(where.cpu().numpy())
    return np.concatenate(maxima), np.concatenate(places), loss / len(lines.numbers)
