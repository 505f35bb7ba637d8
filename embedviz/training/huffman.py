"""The Huffman tree of a vocabulary. Hierarchical softmax follows it from the root to a word.

Frequent words get short paths: the mean length of a path, weighted by frequency, is at most one step above the entropy
of the distribution (Huffman 1952). One decision at each inner node replaces the sum over all words (Morin and Bengio
2005; Mikolov et al. 2013).
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.stats.softmax import entropy


class TreeStep(NamedTuple):
    """One decision on the path from the root to a word.

    Attributes:
        node: Number of the inner node, from 0. The root is V - 2.
        branch: 0 for the child with the smaller count, 1 for the other child.
        occurrences: How often all words below the node occur in the text, together.
        share: Share of the `occurrences` that belong to words below the chosen child.
    """

    node: int
    branch: int
    occurrences: int
    share: float


@dataclass(frozen=True, eq=False)
class HuffmanTree:
    """A binary tree whose leaves are the words.

    Attributes:
        words: The vocabulary, V words.
        counts: Occurrences of each word in the text.
        parents: Parent of each of the 2V - 2 nodes below the root: first the words, then the inner nodes.
        branches: For each node of `parents`, whether it is child 0 or child 1 of its parent.
        weights: For each of the 2V - 1 nodes, how often the words at or below the node occur in the text, together.
    """

    words: Sequence[str]
    counts: tuple[int, ...]
    parents: tuple[int, ...]
    branches: tuple[int, ...]
    weights: tuple[int, ...]

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Return the number of decisions on the path to each word."""
        depth = [0] * (2 * len(self.words) - 1)
        for node in range(len(depth) - 2, -1, -1):
            depth[node] = depth[self.parents[node]] + 1
        return tuple(depth[: len(self.words)])

    @cached_property
    def mean_length(self) -> float:
        """Return the mean number of decisions for a word, weighted by the counts of the words."""
        return float(np.average(self.lengths, weights=self.counts))

    @cached_property
    def entropy(self) -> float:
        """Return the entropy of the word distribution in bits. No binary prefix code has a shorter mean length."""
        return entropy(np.asarray(self.counts, np.float64) / sum(self.counts))

    def path(self, word: str) -> tuple[TreeStep, ...]:
        """Return the decisions from the root to a word.

        Raises:
            OptionError: The word is not in the vocabulary.
        """
        try:
            node = list(self.words).index(word)
        except ValueError:
            raise OptionError(f"“{word}” is not in this vocabulary. Choose one of its words.") from None
        found = []
        while node < len(self.parents):
            parent = self.parents[node]
            inner = parent - len(self.words)
            share = self.weights[node] / self.weights[parent]
            found.append(TreeStep(inner, self.branches[node], self.weights[parent], share))
            node = parent
        return tuple(reversed(found))

    def code(self, word: str) -> str:
        """Return the branches on the path to a word as text, such as 0110."""
        return "".join(str(step.branch) for step in self.path(word))

    @property
    def meaning(self) -> str:
        """Return two sentences: how many decisions score one word, and how many words the softmax scores instead."""
        return (
            f"To score one word takes {self.mean_length:.1f} decisions on average, frequent words counted as often as "
            f"they occur. The softmax scores all {len(self.words):,} words."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows of a table: each word with its count, its code and the number of decisions."""
        rows = [
            (word, count, self.code(word), length)
            for word, count, length in zip(self.words, self.counts, self.lengths, strict=True)
        ]
        return ("word", "count", "code", "decisions"), rows


def huffman_tree(words: Sequence[str], counts: Sequence[int]) -> HuffmanTree:
    """Return the Huffman tree of a vocabulary. The two rarest nodes are joined until one node is left.

    If counts are equal, the node with the lower number is joined first.

    Raises:
        OptionError: There are fewer than two words, or a count is below 1.
    """
    if len(words) < 2:
        raise OptionError("A tree needs two words. Choose a longer text.")
    if min(counts) < 1:
        raise OptionError("A word has a count below 1. Every word of a tree must occur in the text.")
    size = len(words)
    weights = [int(count) for count in counts]
    parents, branches = [0] * (2 * size - 2), [0] * (2 * size - 2)
    heap = [(weight, node) for node, weight in enumerate(weights)]
    heapq.heapify(heap)
    for parent in range(size, 2 * size - 1):
        (rare, first), (other, second) = heapq.heappop(heap), heapq.heappop(heap)
        parents[first] = parents[second] = parent
        branches[second] = 1
        weights.append(rare + other)
        heapq.heappush(heap, (weights[parent], parent))
    return HuffmanTree(tuple(words), tuple(weights[:size]), tuple(parents), tuple(branches), tuple(weights))
