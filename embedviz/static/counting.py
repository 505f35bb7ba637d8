"""Counting a corpus part by part: how often words stand in each line, and near each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from embedviz.corpus.tokenized import Corpus
from embedviz.space import Float
from embedviz.static.training import Step, Watch

PART = 2**20
"""Words of the corpus between two looks of a watcher, or one line where that has more."""


@dataclass(frozen=True, eq=False)
class Counted:
    """What was counted of a corpus.

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


def parts(corpus: Corpus, size: int) -> Iterator[Corpus]:
    """The corpus as corpora of whole lines, each of at most `size` words or of one line, one after the other."""
    first = begun = 0
    while first < len(corpus):
        last = max(first + 1, int(np.searchsorted(corpus.ends, begun + size, side="right")))
        end = int(corpus.ends[last - 1])
        yield replace(corpus, tokens=corpus.tokens[begun:end], ends=corpus.ends[first:last] - begun)
        first, begun = last, end


def by_line(part: Corpus, rows: int) -> Any:
    """How often each of the first words stands in each line, a scipy CSR matrix (rows, lines)."""
    from scipy.sparse import coo_matrix

    tokens, lines = _placed(part, rows)
    return coo_matrix((np.ones(len(tokens), np.int32), (tokens, lines)), (rows, len(part))).tocsr()


def by_window(part: Corpus, rows: int, window: int, weighting: str) -> Any:
    """How often two of the first words stand within a window of each other, a symmetric scipy CSR matrix (rows, rows).

    Words without a row are left out before the windows are laid; no window reaches beyond its line.

    Args:
        window: Words on either side.
        weighting: *flat*, each pair counts one; *distance*, one over how far apart its words stand, as in GloVe.
    """
    from scipy.sparse import coo_matrix, csr_matrix

    tokens, lines = _placed(part, rows)
    total = csr_matrix((rows, rows))
    for distance in range(1, window + 1):
        together = lines[distance:] == lines[:-distance]
        if not together.any():
            break
        ends = tokens[:-distance][together], tokens[distance:][together]
        weight = 1.0 if weighting == "flat" else 1.0 / distance
        total = total + coo_matrix((np.full(len(ends[0]), weight), ends), (rows, rows)).tocsr()
    return total + total.T


def counted(
    corpus: Corpus,
    count: Callable[[Corpus], Any],
    join: Callable[[Any, Any], Any],
    vectors: Callable[[Any], Float],
    watch: Watch,
) -> Counted:
    """The counts of all parts joined, or of those that a watcher lets be read.

    Args:
        count: The table of a part.
        join: The table of two parts, the second behind the first.
        vectors: What a watcher sees of a table; of None before anything is counted.
    """
    table: Any = None
    read, paused, begun = 0, 0.0, time.perf_counter()

    def goes_on() -> bool:
        nonlocal paused
        now, seen = time.perf_counter(), table
        step = Step(read / len(corpus.tokens), 1, read, now - begun - paused, None, lambda: vectors(seen))
        answer = watch(step)
        paused += time.perf_counter() - now
        return answer

    going = goes_on()
    for part in parts(corpus, PART):
        if not going:
            break
        found = count(part)
        table = found if table is None else join(table, found)
        read += len(part.tokens)
        if read < len(corpus.tokens):
            going = goes_on()
    return Counted(table, read, read / len(corpus.tokens), time.perf_counter() - begun - paused)


def _placed(part: Corpus, rows: int) -> tuple[Any, Any]:
    """The tokens that have a row, and the line of each."""
    lines = np.repeat(np.arange(len(part), dtype=np.int32), np.diff(part.ends, prepend=0))
    known = np.asarray(part.tokens) < rows
    return np.asarray(part.tokens)[known], lines[known]
