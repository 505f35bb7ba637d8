"""Counting a corpus part by part: how often words stand in each line, and near each other."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from embedviz.core.space import Float, Ints
from embedviz.corpus.cooccurrence import Weighting, cooccurrences
from embedviz.corpus.tokenized import Corpus
from embedviz.training.base import TrainingState, Watch

PART = 2**21
"""Words of the corpus between two looks of a watcher, or one line where that has more."""


@dataclass(frozen=True, eq=False)
class CountTable:
    """The counts of a corpus.

    Attributes:
        table: How often, sparse: a row a word; a column a line, or a word of the context.
        read: Words of the corpus that were read, those without a row included.
        share: That, over all words of the corpus; below 1 where a watcher ended it.
        seconds: What it took, without the watchers.
    """

    table: Any
    read: int
    share: float
    seconds: float


def parts(corpus: Corpus, rows: int, size: int) -> Iterator[tuple[int, Corpus]]:
    """Yield the corpus as corpora of its first words alone: whole lines of at most `size` words, or one line.

    Before each stands how many words of the whole have been read with it. Their words are in the order of the whole
    and all kept, those that the part does not have too, so that the tables of parts can be added.
    """
    words, first, begun = corpus.words[:rows], 0, 0
    while first < len(corpus):
        last = max(first + 1, int(np.searchsorted(corpus.ends, begun + size, side="right")))
        end = int(corpus.ends[last - 1])
        tokens = np.asarray(corpus.tokens[begun:end])
        known = tokens < rows
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(known)])[corpus.ends[first:last] - begun]
        tokens = tokens[known]
        counts = np.bincount(tokens, minlength=rows)
        yield end, replace(corpus, words=words, counts=counts, tokens=tokens, ends=ends)
        first, begun = last, end


def by_line(part: Corpus) -> Any:
    """Count how often each word stands in each line, a scipy CSR matrix (words, lines)."""
    from scipy.sparse import coo_matrix

    lines = np.repeat(np.arange(len(part), dtype=np.int32), np.diff(part.ends, prepend=0))
    ones = np.ones(len(lines), np.int32)
    return coo_matrix((ones, (part.tokens, lines)), (len(part.words), len(part))).tocsr()


def by_window(part: Corpus, window: int, weighting: Weighting) -> Any:
    """Count how often two words stand within a window of each other, a symmetric scipy CSR matrix (words, words)."""
    return cooccurrences(part, window=window, min_count=0, weighting=weighting).sparse()


class LazyRows:
    """Rows of a sparse table for a watcher: weighted once, and made dense only for the requested rows.

    Args:
        weigh: Makes the table, (n, d), of what was counted.
        shape: Of what there is before anything was counted: zeros.
    """

    def __init__(self, weigh: Callable[[Any], Any], counts: Any, shape: tuple[int, int]) -> None:
        self._weigh, self._counts, self._shape = weigh, counts, shape

    @cached_property
    def table(self) -> Any:
        """Return all rows as a scipy CSR matrix."""
        from scipy.sparse import csr_matrix

        return csr_matrix(self._shape) if self._counts is None else self._weigh(self._counts).tocsr()

    def all(self) -> Float:
        """Return all rows, (n, d)."""
        return np.asarray(self.table.astype(np.float32).toarray(), np.float32)

    def some(self, rows: Ints) -> Float:
        """Return some of the rows, (m, d)."""
        return np.asarray(self.table[rows].astype(np.float32).toarray(), np.float32)


def count_in_parts(
    corpus: Corpus,
    rows: int,
    count: Callable[[Corpus], Any],
    join: Callable[[Any, Any], Any],
    show: Callable[[Any], LazyRows],
    watch: Watch,
) -> CountTable:
    """Count the parts until a watcher stops it, and join the counts.

    Args:
        rows: How many of the words have a row.
        count: The table of a part.
        join: The table of two parts, the second behind the first.
        show: What a watcher sees of a table; of None before anything is counted.
    """
    table: Any = None
    read, paused, begun = 0, 0.0, time.perf_counter()

    def ask_watcher() -> bool:
        nonlocal paused
        now, seen = time.perf_counter(), show(table)
        step = TrainingState(read / len(corpus.tokens), 1, read, now - begun - paused, None, seen.all, seen.some, True)
        answer = watch(step)
        paused += time.perf_counter() - now
        return answer

    going = ask_watcher()
    for end, part in parts(corpus, rows, PART):
        if not going:
            break
        found = count(part)
        table = found if table is None else join(table, found)
        read = end
        if read < len(corpus.tokens):
            going = ask_watcher()
    return CountTable(table, read, read / len(corpus.tokens), time.perf_counter() - begun - paused)
