"""Co-occurrence counts X of words, the input of GloVe, PMI and LSA.

X_ij is the sum over all places of word i of what each occurrence of word j within the window counts: 1 ÷ distance as in
GloVe (Pennington, Socher and Manning 2014), or 1. No window reaches beyond its line, and words below `min_count` are
taken out before windows are laid, so that those beside them become neighbors.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core import device
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints
from embedviz.core.store import Kind
from embedviz.corpus.tokenized import Corpus
from embedviz.files.archives import CorpusError

Weighting = Literal["distance", "flat"]
WEIGHTINGS: tuple[Weighting, ...] = ("distance", "flat")
_PIECE = 2**20  # entries that one thread makes at a time, at most
_LINES = 2**16  # lines that are read at a time
_ENTRY = 8  # bytes


@dataclass(frozen=True, eq=False)
class Counts:
    """Weighted counts of pairs of words, sparse by rows (CSR): rows and columns are the first V words of a corpus.

    Attributes:
        pointers: Where each row's entries begin, and the end, (V + 1,).
        columns: The other word of each entry, (e,) int32, ascending within a row; may be a memory map.
        values: X_ij, (e,), above 0; may be a memory map.
        places: How many words of the corpus they were counted over.
        window: The largest distance of two words that counts.
    """

    pointers: Ints
    columns: NDArray[np.int32]
    values: Float
    places: int
    window: int
    weighting: Weighting

    def __len__(self) -> int:
        """Return V, the number of rows and of columns."""
        return len(self.pointers) - 1

    @property
    def entries(self) -> int:
        """Return the number of word pairs with a count."""
        return len(self.columns)

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """Return the sum of each row, X_i, (V,)."""
        sums = np.zeros(len(self))
        for first, last in self.blocks(_PIECE * 8):
            begin, end = self.pointers[first], self.pointers[last]
            rows = np.repeat(np.arange(last - first), np.diff(self.pointers[first : last + 1]))
            sums[first:last] = np.bincount(rows, self.values[begin:end], last - first)
        return sums

    def row(self, number: int) -> tuple[NDArray[np.int32], Float]:
        """Return the words near a word, with their counts."""
        begin, end = self.pointers[number : number + 2]
        return self.columns[begin:end], self.values[begin:end]

    def rows(self, first: int = 0, last: int | None = None) -> NDArray[np.int32]:
        """Return the row of each entry, of the rows from `first` to `last`, (e,)."""
        last = len(self) if last is None else last
        return np.repeat(np.arange(first, last, dtype=np.int32), np.diff(self.pointers[first : last + 1]))

    def blocks(self, entries: int) -> Iterator[tuple[int, int]]:
        """Yield neighboring rows, from one to another, that have about so many entries together."""
        yield from _cuts(self.pointers, entries)

    def sparse(self) -> Any:
        """Return the counts as a scipy CSR matrix, (V, V)."""
        from scipy.sparse import csr_matrix

        return csr_matrix((self.values, self.columns, self.pointers), (len(self), len(self)))


def cooccurrences(
    corpus: Corpus,
    *,
    window: int,
    min_count: int = 1,
    weighting: Weighting = "distance",
    symmetric: bool = True,
    memory: int | None = None,
    workers: int = 0,
    report: Report | None = None,
) -> Counts:
    """Count co-occurrences of words, at most `window` words apart.

    The same counts to the bit for any number of workers and any memory. What does not fit goes to files of the cache
    folder that have no name: they are gone when the counts are, or when the process ends.

    Args:
        symmetric: Whether words on both sides of a word count, or those before it alone.
        memory: Bytes that the counts and what is needed to make them may take; an eighth of the machine's where it is
            None.
        workers: Threads; as many as this process may have where it is 0.

    Raises:
        CorpusError: No word stands in the corpus so often.
    """
    from embedviz.corpus import windows

    words = _frequent(corpus, min_count)
    memory = device.memory() // 8 if memory is None else memory
    threads = workers or device.threads()
    weights = 1 / np.arange(1, window + 1) if weighting == "distance" else np.ones(window)
    tell(report, 0.0, "reading the text")
    counts = np.zeros(words, np.int64)  # of these tokens, which may be a part of a corpus
    for tokens in _blocks(corpus):
        windows.count_words(tokens, counts)
    stream = _stream(corpus, words, int(counts.sum()), memory // 4)
    bound = np.concatenate([[0], np.cumsum(np.minimum(counts * window * (2 if symmetric else 1), words))])
    places = np.concatenate([[0], np.cumsum(counts)])
    lengths = np.zeros(words, np.int64)

    def work(part: _Part) -> tuple[NDArray[np.int32], Float]:
        size = int(bound[part.last] - bound[part.first])
        columns, values = np.empty(size, np.int32), np.empty(size, np.float32)
        line, seen, used = np.zeros(words), *(np.zeros(words // each + 1, np.uint64) for each in (64, 4096))
        own = lengths[part.first : part.last]
        written = windows.count_rows(
            stream, part.places, part.ends, weights, symmetric, line, seen, used, own, columns, values
        )
        return columns[:written].copy(), values[:written].copy()

    with ThreadPoolExecutor(threads) as pool, _CountStore(memory // 2) as store:
        for first, last in _cuts(places, max(memory // 4 // 8, 1)):
            ends = places[first : last + 1] - places[first]
            found = np.empty(ends[-1], np.int64)
            windows.find_places(stream, first, last, ends[:-1].copy(), found)
            parts = [
                _Part(first + low, first + high, found, ends[low : high + 1])
                for low, high in _cuts(bound[first : last + 1], _PIECE)
            ]
            for at in range(0, len(parts), 4 * threads):
                some = parts[at : at + 4 * threads]
                for made in pool.map(work, some):
                    store.add(*made)
                tell(
                    report,
                    float(bound[some[-1].last] / bound[-1]),
                    f"neighbors of {some[-1].last:,} of {words:,} words counted",
                )
        columns, values = store.whole()
    pointers = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return Counts(pointers, columns, values, int(counts.sum()), window, weighting)


def _frequent(corpus: Corpus, min_count: int) -> int:
    """Return how many words reach the minimum count, at least 1."""
    if not (words := corpus.vocabulary_size(min_count)):
        raise CorpusError(
            f"No word stands {min_count:,} times in this text, the most frequent one {int(corpus.counts[0]):,} times. "
            "Set min_count lower."
        )
    return words


class _Part(NamedTuple):
    """Consecutive rows that one thread counts, and the positions of their words."""

    first: int
    last: int
    places: Ints
    ends: Ints


class _CountStore:
    """Entries in order of arrival, in memory up to `most` bytes, then in files."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries = 0
        self._parts: list[tuple[NDArray[np.int32], Float]] = []
        self._files: tuple[IO[bytes], ...] = ()

    def __enter__(self) -> _CountStore:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()

    def add(self, columns: NDArray[np.int32], values: Float) -> None:
        """Add entries."""
        self._entries += len(columns)
        self._parts.append((columns, values))
        if self._files or self._entries * _ENTRY > self._most:
            self._files = self._files or (unnamed(), unnamed())
            for part in self._parts:
                for array, file in zip(part, self._files, strict=True):
                    array.tofile(file)
            self._parts.clear()

    def whole(self) -> tuple[NDArray[np.int32], Float]:
        """Return all entries and free the memory."""
        if self._files:
            for file in self._files:
                file.flush()
            return mapped(self._files[0], np.int32, self._entries), mapped(self._files[1], np.float32, self._entries)
        columns, values = np.empty(self._entries, np.int32), np.empty(self._entries, np.float32)
        at = 0
        for place, (some, theirs) in enumerate(self._parts):
            columns[at : at + len(some)], values[at : at + len(some)] = some, theirs
            at += len(some)
            self._parts[place] = some[:0], theirs[:0]
        self._parts.clear()
        return columns, values


def unnamed() -> IO[bytes]:
    """Return a file without a name, for what does not fit in memory: gone when it is closed or the process ends."""
    for folder in (device.cache_folder(), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return tempfile.TemporaryFile(dir=folder)
        except OSError:
            continue
    return tempfile.TemporaryFile()


def mapped(file: IO[bytes], kind: type[Kind], count: int) -> NDArray[Kind]:
    """Return so many numbers of a file as an array; the file may be closed, and is kept as long as the array."""
    return np.asarray(np.memmap(file, kind, "r+", shape=(count,))) if count else np.empty(0, kind)


def _stream(corpus: Corpus, words: int, n_words: int, most: int) -> NDArray[np.int32]:
    """Return the first `words` words of the corpus where they stand, with gaps between lines, before and behind."""
    from embedviz.corpus import windows

    size = n_words + len(corpus) + 1
    if size * 4 <= most:
        stream = np.empty(size, np.int32)
    else:
        with unnamed() as file:
            file.truncate(size * 4)
            stream = mapped(file, np.int32, size)
    stream[0] = windows.GAP
    at = 1
    for first, tokens in zip(range(0, len(corpus), _LINES), _blocks(corpus), strict=True):
        at = windows.write_stream(tokens, corpus.ends, first, min(first + _LINES, len(corpus)), words, stream, at)
    return stream


def _blocks(corpus: Corpus) -> Iterator[NDArray[np.int32]]:
    """Yield the tokens of blocks of lines."""
    begin = 0
    for first in range(0, len(corpus), _LINES):
        end = int(corpus.ends[min(first + _LINES, len(corpus)) - 1])
        yield np.asarray(corpus.tokens[begin:end])
        begin = end


def _cuts(edges: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of items, at least one, whose sizes (steps between `edges`) sum to at most so much."""
    first, count = 0, len(edges) - 1
    while first < count:
        last = int(np.searchsorted(edges, edges[first] + most, side="right")) - 1
        last = min(max(last, first + 1), count)
        yield first, last
        first = last
