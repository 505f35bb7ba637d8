"""How often each word stands in each text: the term-document counts that weighting and ranking begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embedviz.progress import Report
from embedviz.space import Ints
from embedviz.texts import tokens

_TOLD = 500  # texts between two reports


@dataclass(frozen=True, eq=False)
class Terms:
    """Counts of words in n texts, sparse by rows (CSR).

    Attributes:
        vocabulary: V words, in alphabetical order.
        pointers: Where each text's entries begin, and the end, (n + 1,).
        columns: The word of each entry, (e,), ascending within a text.
        counts: How often it stands in that text, (e,).
    """

    vocabulary: Sequence[str]
    pointers: Ints
    columns: Ints
    counts: Ints

    def __len__(self) -> int:
        return len(self.pointers) - 1

    @cached_property
    def index(self) -> dict[str, int]:
        """Word to column."""
        return {word: column for column, word in enumerate(self.vocabulary)}

    @cached_property
    def totals(self) -> Ints:
        """How often each word stands in all texts, (V,)."""
        return np.bincount(self.columns, self.counts, len(self.vocabulary)).astype(np.int64)

    @cached_property
    def documents(self) -> Ints:
        """In how many texts each word stands, (V,)."""
        return np.bincount(self.columns, minlength=len(self.vocabulary)).astype(np.int64)

    @cached_property
    def lengths(self) -> Ints:
        """Words of each text, repeats counted, (n,)."""
        sums = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray(sums[self.pointers[1:]] - sums[self.pointers[:-1]], np.int64)

    def sparse(self) -> Any:
        """The counts as a scipy CSR matrix, (n, V) float64."""
        from scipy.sparse import csr_matrix

        shape = (len(self), len(self.vocabulary))
        return csr_matrix((self.counts.astype(np.float64), self.columns, self.pointers), shape)

    def bag(self, text: str) -> tuple[Ints, Ints]:
        """The words of another text that are known here: their columns, ascending, and how often each stands in it."""
        seen = Counter(self.index[word] for word in tokens(text) if word in self.index)
        columns = np.asarray(sorted(seen), np.int64)
        return columns, np.asarray([seen[column] for column in columns.tolist()], np.int64)


def count_terms(texts: Sequence[str], *, report: Report | None = None) -> Terms:
    """The words of some texts, by `embedviz.texts.tokens`, and how often each stands in each."""
    numbers: dict[str, int] = {}
    columns: list[np.ndarray[Any, Any]] = []
    counts: list[np.ndarray[Any, Any]] = []
    pointers = np.zeros(len(texts) + 1, np.int64)
    for row, text in enumerate(texts):
        seen = Counter(tokens(text))
        columns.append(np.asarray([numbers.setdefault(word, len(numbers)) for word in seen], np.int64))
        counts.append(np.fromiter(seen.values(), np.int64, len(seen)))
        pointers[row + 1] = pointers[row] + len(seen)
        if report is not None and row % _TOLD == 0:
            report(row / len(texts), f"words of {row:,} of {len(texts):,} texts counted")
    order = sorted(numbers)
    place = np.empty(len(numbers), np.int64)
    place[[numbers[word] for word in order]] = np.arange(len(order))
    found = place[np.concatenate(columns)] if len(order) else np.zeros(0, np.int64)
    amounts = np.concatenate(counts) if len(order) else np.zeros(0, np.int64)
    rows = np.repeat(np.arange(len(texts)), np.diff(pointers))
    sorting = np.lexsort((found, rows))
    return Terms(order, pointers, found[sorting], amounts[sorting])
