"""Term–document matrix: the count of each word in each text."""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embedviz.core.progress import Report
from embedviz.core.space import Ints
from embedviz.core.texts import tokens

_REPORT_EVERY = 500  # texts between two reports


@dataclass(frozen=True, eq=False)
class Terms:
    """Counts of words in n texts.

    Attributes:
        vocabulary: V words, in alphabetical order.
        counts: Count of each word in each text, a scipy CSR matrix (n, V); columns ascend within a row.
    """

    vocabulary: Sequence[str]
    counts: Any

    def __len__(self) -> int:
        return int(self.counts.shape[0])

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the column of each word."""
        return {word: column for column, word in enumerate(self.vocabulary)}

    @cached_property
    def totals(self) -> Ints:
        """Return the count of each word in all texts together, (V,)."""
        return np.asarray(self.counts.sum(axis=0), np.int64).ravel()

    @cached_property
    def documents(self) -> Ints:
        """Return the document frequency of each word: the number of texts that contain it, (V,)."""
        return np.asarray(self.counts.count_nonzero(axis=0), np.int64)

    @cached_property
    def lengths(self) -> Ints:
        """Return the number of words in each text, repetitions included, (n,)."""
        return np.asarray(self.counts.sum(axis=1), np.int64).ravel()


def count_terms(texts: Sequence[str], *, report: Report | None = None) -> Terms:
    """Tokenize texts with `embedviz.core.texts.tokens`, and return the counts of their words."""
    from scipy.sparse import csr_matrix

    numbers: dict[str, int] = {}
    columns, counts, ends = array("q"), array("q"), array("q", [0])
    for row, text in enumerate(texts):
        seen = Counter(tokens(text))
        columns.extend(numbers.setdefault(word, len(numbers)) for word in seen)
        counts.extend(seen.values())
        ends.append(len(columns))
        if report is not None and row % _REPORT_EVERY == 0:
            report(row / len(texts), f"words of {row:,} of {len(texts):,} texts counted")
    vocabulary = sorted(numbers)
    found = csr_matrix((counts, columns, ends), (len(texts), len(numbers)), np.int64)
    found = found[:, np.asarray([numbers[word] for word in vocabulary], np.int64)]
    found.sort_indices()
    return Terms(vocabulary, found)
