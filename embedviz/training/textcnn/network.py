"""The network: word vectors, filters that slide over them, the strongest place of each, and a line of weights a label.

For a line of n words with vectors x (n, d), a filter of width w with weights F (w, d) and bias b fires at place t with
ReLU(Σ F · x[t : t + w] + b). What counts of it is its maximum over the line; the labels' scores are linear in those
maxima (Collobert et al. 2011; Kim 2014).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from embedviz.core.space import Ints
from embedviz.corpus.tokenized import Corpus

_SPREAD = 0.1  # standard deviation of the vectors before anything is learned


class Lines(NamedTuple):
    """Lines to read, each with its label.

    Attributes:
        corpus: Where they stand.
        rows: Its words below have a vector of their own; the others share one.
        numbers: Which of its lines, (n,).
        starts: Where each begins in the corpus, (n,).
        lengths: How many words of each are read, (n,).
        labels: The number of each one's label, (n,).
    """

    corpus: Corpus
    rows: int
    numbers: Ints
    starts: Ints
    lengths: Ints
    labels: Ints

    def take(self, places: Any) -> Lines:
        """Return some of them."""
        each = (array[places] for array in (self.numbers, self.starts, self.lengths, self.labels))
        return Lines(self.corpus, self.rows, *each)

    def tensors(self, places: Any, least: int, device: Any = "cpu") -> tuple[Any, Any, Any]:
        """Return words (b, t) as numbers, lengths (b,) and labels (b,) of some of them, as torch has them.

        A word without a vector of its own is `rows`, and what follows a line's end is `rows` + 1.

        Args:
            least: Columns that there are at least.
            device: Where they lie.
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
    """The parts of the network, as torch's own modules.

    Attributes:
        embedding: Vectors of words, (rows + 2, d): the words', that of all rarer words, and zeros behind a line's end.
        filters: For each width 1, 2, … a convolution with so many filters.
        output: From the filters' maxima to a score a label.
    """

    embedding: Any
    filters: tuple[Any, ...]
    output: Any

    @property
    def parameters(self) -> tuple[list[Any], list[Any]]:
        """Return the embedding table, of which a step moves few rows, and all other weights."""
        rest = [weight for part in (*self.filters, self.output) for weight in part.parameters()]
        return [self.embedding.weight], rest

    @property
    def place(self) -> str:
        """Return the device of the weights, as torch names it."""
        return str(self.embedding.weight.device)

    def to(self, place: str) -> Network:
        """Return the network on a device; its modules are moved."""
        filters = tuple(each.to(place) for each in self.filters)
        return Network(self.embedding.to(place), filters, self.output.to(place))

    def fired(self, words: Any, lengths: Any) -> tuple[Any, Any]:
        """Return the maximum of each filter over each line, (b, filters), and the place where it lies.

        A filter that is wider than a line fires on the line and what is behind its end.
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
    """Make a network that has learned only the labels' shares: every line gets those as probabilities.

    Args:
        rows: Words that have a vector of their own.
        size: Numbers of a vector.
        filters: How many of each width, 1 to `widest`.
        shares: Of the labels among the lines to be learned from, (labels,).
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
    """Return the filters' maxima (n, filters) and their places over all lines, and the mean cross-entropy in nats."""
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
