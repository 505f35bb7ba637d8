"""Count a corpus part by part: how often a word occurs in each line, and how often two words occur near each other."""

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
"""Maximum number of words (tokens) that are counted between two calls of the watcher. A longer line is not divided."""


@dataclass(frozen=True, eq=False)
class CountTable:
    """The counts of a corpus.

    Attributes:
        table: Sparse counts with a row for each word. A column is a line or a context word. None if nothing was read.
        read: Words (tokens) read, including those that have no row.
        share: Share of the corpus that was read, 0 to 1; below 1 if a watcher ended the counting.
        seconds: Time of the counting in seconds, without the watcher.
    """

    table: Any
    read: int
    share: float
    seconds: float


def parts(corpus: Corpus, rows: int, size: int) -> Iterator[tuple[int, Corpus]]:
    """Yield the parts of the corpus as pairs (end, part).

    `end` is the number of words from the beginning of the corpus to the end of the part. Each part is a corpus of whole
    lines. All parts have the same vocabulary, so that their tables can be added.

    Args:
        rows: Size of the vocabulary, the most frequent words. Other words are removed from the lines.
        size: Maximum number of words in a part. A longer line is a part of its own.
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
    """Count how often each word occurs in each line. The result is a scipy CSR matrix, (words, lines)."""
    from scipy.sparse import coo_matrix

    lines = np.repeat(np.arange(len(part), dtype=np.int32), np.diff(part.ends, prepend=0))
    ones = np.ones(len(lines), np.int32)
    return coo_matrix((ones, (part.tokens, lines)), (len(part.words), len(part))).tocsr()


def by_window(part: Corpus, window: int, weighting: Weighting) -> Any:
    """Count how often two words occur within a window of each other, as a symmetric CSR matrix, (words, words).

    With the weighting *distance* a pair counts 1 ÷ distance, with *flat* 1.
    """
    return cooccurrences(part, window=window, min_count=0, weighting=weighting).sparse()


class LazyRows:
    """Weighted table of the counts so far, for a training callback. It is computed when it is first read.

    Args:
        weigh: Function that computes the weighted table, (n, d), from the counts.
        counts: The counts so far, sparse; None before anything is counted. Then all numbers of the table are zero.
        shape: (n, d) of the table while `counts` is None.
    """

    def __init__(self, weigh: Callable[[Any], Any], counts: Any, shape: tuple[int, int]) -> None:
        self._weigh, self._counts, self._shape = weigh, counts, shape

    @cached_property
    def table(self) -> Any:
        """Return the weighted table as a scipy CSR matrix, (n, d)."""
        from scipy.sparse import csr_matrix

        return csr_matrix(self._shape) if self._counts is None else self._weigh(self._counts).tocsr()

    def all(self) -> Float:
        """Return all rows as a dense array, (n, d) float32."""
        return np.asarray(self.table.astype(np.float32).toarray(), np.float32)

    def some(self, rows: Ints) -> Float:
        """Return the given rows as a dense array, (m, d) float32."""
        return np.asarray(self.table[rows].astype(np.float32).toarray(), np.float32)


def count_in_parts(
    corpus: Corpus,
    rows: int,
    count: Callable[[Corpus], Any],
    join: Callable[[Any, Any], Any],
    show: Callable[[Any], LazyRows],
    watch: Watch,
) -> CountTable:
    """Count a corpus part by part and join the tables, until the corpus is read or the watcher ends the counting.

    Args:
        rows: Number of words that have a row, the most frequent ones.
        count: Function that returns the table of counts of a part.
        join: Function that takes the table of all parts so far and the table of the next part, and adds them up.
        show: Function that takes the table so far (None before anything is counted), and returns the rows that the
            watcher sees.
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
