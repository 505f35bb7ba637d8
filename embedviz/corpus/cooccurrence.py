"""Co-occurrence counts X of words, the input of GloVe, PMI and LSA.

X_ij is a sum over all occurrences of word j within the window of an occurrence of word i. Each occurrence counts
1 ÷ distance as in GloVe (Pennington, Socher and Manning 2014), or 1. No window reaches beyond its line. Words below
`min_count` are removed first, so that the words on either side of a removed word become neighbors.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
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
from embedviz.jobs import cluster

Weighting = Literal["distance", "flat"]
WEIGHTINGS: tuple[Weighting, ...] = ("distance", "flat")
_PIECE = 2**20  # maximum number of entries in a part for one thread
_LINES = 2**16  # lines in a block
_ENTRY = 8  # bytes of an entry
CLUSTER_PAYS = 2e9
"""Minimum number of pairs for which a cluster is used; for fewer, sending the text and the counts takes too long."""
CLUSTER_BYTES = 2**30
"""Maximum size in bytes of the text, as word numbers, that is sent to each worker of a cluster."""
_SHARD = 2**25  # pairs and entries of a shard: half a second of work


@dataclass(frozen=True, eq=False)
class Counts:
    """Weighted counts of word pairs, a sparse CSR matrix whose rows and columns are the first V words of a corpus.

    Attributes:
        pointers: Position of each row's first entry, followed by the number of entries e, (V + 1,).
        columns: The word j of each entry as a number, (e,) int32, ascending within a row; may be a memory map.
        values: X_ij, (e,), above 0; may be a memory map.
        places: Number of occurrences of all V words together in the corpus.
        window: Maximum distance of two words that are counted as a pair.
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
        """Return the number of entries: pairs of words with a count above 0."""
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
        """Return the numbers of the words near the word `number`, and the weighted counts of these pairs."""
        begin, end = self.pointers[number : number + 2]
        return self.columns[begin:end], self.values[begin:end]

    def rows(self, first: int = 0, last: int | None = None) -> NDArray[np.int32]:
        """Return the row number of each entry in the rows from `first` up to, not including, `last`."""
        last = len(self) if last is None else last
        return np.repeat(np.arange(first, last, dtype=np.int32), np.diff(self.pointers[first : last + 1]))

    def blocks(self, entries: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of rows, (first, stop), with at most `entries` entries each; a single row may have more."""
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
    """Count co-occurrences of words that are at most `window` words apart.

    The counts are identical for any number of workers, any memory, and on a cluster. Counts that do not fit in memory
    go to unnamed files in the cache folder, which are deleted with the `Counts` or at the end of the process.

    Args:
        weighting: *distance*: a pair counts 1 ÷ distance; *flat*: 1.
        symmetric: Whether to count context words on both sides of a word, or only before the word.
        memory: Bytes that the counts and their computation may take; None for an eighth of the machine's memory.
        workers: Number of threads; 0 for as many as this process may use.

    Raises:
        CorpusError: No word occurs `min_count` times in the corpus.
    """
    from embedviz.corpus import windows

    words = _frequent(corpus, min_count)
    memory = device.memory() // 8 if memory is None else memory
    threads = workers or device.threads()
    weights = 1 / np.arange(1, window + 1) if weighting == "distance" else np.ones(window)
    tell(report, 0.0, "reading the text")
    counts = np.zeros(words, np.int64)  # counted again: the tokens may be a part of the corpus that was counted
    for tokens in _blocks(corpus):
        windows.count_words(tokens, counts)
    pairs = np.minimum(counts * window * (2 if symmetric else 1), words)
    bound, places = (np.concatenate([[0], np.cumsum(each)]) for each in (pairs, counts))
    stream = _stream(corpus, words, int(places[-1]), memory // 4)
    table = _PlacedWords(stream, places, bound, weights, symmetric)
    lengths: list[Ints] = [np.zeros(1, np.int64)]
    with _CountStore(memory // 2) as store:
        for rows in _counted(table, threads, memory, report):
            lengths.append(rows.lengths)
            store.add(rows.columns, rows.values)
        columns, values = store.whole()
    return Counts(np.cumsum(np.concatenate(lengths)), columns, values, int(places[-1]), window, weighting)


class _PlacedWords(NamedTuple):
    """The text whose word pairs are counted, and the amount of work for each word.

    Attributes:
        stream: The text as word numbers, as `_stream` returns it.
        places: For each word, the total count of all words with a lower number, (V + 1,).
        bound: For each row, the maximum number of entries that all rows before it have together, (V + 1,).
        weights: Weight of a pair at each distance, (window,).
        symmetric: As for `cooccurrences`.
    """

    stream: NDArray[np.int32]
    places: Ints
    bound: Ints
    weights: NDArray[np.float64]
    symmetric: bool

    def pairs(self) -> Ints:
        """Return, for i = 0 … V, the maximum number of pairs of all words with a number below i, (V + 1,)."""
        found: Ints = self.places * len(self.weights) * (2 if self.symmetric else 1)
        return found


class _CountedRows(NamedTuple):
    """Entries of consecutive rows, and the number of entries in each row."""

    columns: NDArray[np.int32]
    values: Float
    lengths: Ints


def _counted(table: _PlacedWords, threads: int, memory: int, report: Report | None) -> Iterator[_CountedRows]:
    """Yield the counts of all rows in order, counted by this process or by a Dask cluster.

    The cluster counts if one is configured, there are at least `CLUSTER_PAYS` pairs, and the text has at most
    `CLUSTER_BYTES`.
    """
    words = len(table.places) - 1

    def progress(row: int) -> tuple[float, str]:
        return float(table.bound[row] / table.bound[-1]), f"neighbors of {row:,} of {words:,} words counted"

    if cluster.named() and table.pairs()[-1] >= CLUSTER_PAYS and table.stream.nbytes <= CLUSTER_BYTES:
        shards = [*_cuts(table.pairs() + table.bound, _SHARD)]
        yield from cluster.map_shards(
            count_rows, shards, shared=[table], progress=lambda done: progress(shards[done][0]), report=report
        )
    else:
        for first, last in _cuts(table.places, max(memory // 4 // 8, 1)):
            for done, some in _counted_here(table, first, last, threads):
                yield from some
                tell(report, *progress(done))


def count_rows(table: _PlacedWords, first: int, last: int) -> _CountedRows:
    """Count the co-occurrences of the words with numbers from `first` up to, not including, `last`.

    Workers of a cluster call this function.
    """
    made = [rows for _, some in _counted_here(table, first, last, device.threads()) for rows in some]
    return _CountedRows(*map(np.concatenate, zip(*made, strict=True)))


def _counted_here(table: _PlacedWords, first: int, last: int, threads: int) -> Iterator[tuple[int, list[_CountedRows]]]:
    """Yield the counts of the rows from `first` up to, not including, `last`, in batches of rows.

    Each item has the number of the first row after a batch, and the counts of the batch.
    """
    from embedviz.corpus import windows

    ends = table.places[first : last + 1] - table.places[first]
    found = np.empty(ends[-1], np.int64)
    windows.find_places(table.stream, first, last, ends[:-1].copy(), found)
    parts = [
        _Part(first + low, first + high, found, ends[low : high + 1])
        for low, high in _cuts(table.bound[first : last + 1], _PIECE)
    ]
    with ThreadPoolExecutor(threads) as pool:
        for at in range(0, len(parts), 4 * threads):
            some = parts[at : at + 4 * threads]
            yield some[-1].last, list(pool.map(partial(_count_part, table), some))


def _count_part(table: _PlacedWords, part: _Part) -> _CountedRows:
    from embedviz.corpus import windows

    words, size = len(table.places) - 1, int(table.bound[part.last] - table.bound[part.first])
    columns, values = np.empty(size, np.int32), np.empty(size, np.float32)
    line, seen, used = np.zeros(words), *(np.zeros(words // each + 1, np.uint64) for each in (64, 4096))
    own = np.zeros(part.last - part.first, np.int64)
    written = windows.count_rows(
        table.stream, part.places, part.ends, table.weights, table.symmetric, line, seen, used, own, columns, values
    )
    return _CountedRows(columns[:written].copy(), values[:written].copy(), own)


def _frequent(corpus: Corpus, min_count: int) -> int:
    """Return the number of words that reach the minimum count.

    Raises:
        CorpusError: There is no such word.
    """
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
    """Entries of `Counts` in the order in which they were added: in memory up to `most` bytes, then in files."""

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
        """Append the columns and the values of some entries."""
        self._entries += len(columns)
        self._parts.append((columns, values))
        if self._files or self._entries * _ENTRY > self._most:
            self._files = self._files or (unnamed(), unnamed())
            for part in self._parts:
                for array, file in zip(part, self._files, strict=True):
                    array.tofile(file)
            self._parts.clear()

    def whole(self) -> tuple[NDArray[np.int32], Float]:
        """Return the columns and the values of all entries, and free the memory of the appended arrays."""
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
    """Return an unnamed temporary file for data that does not fit in memory.

    The file is deleted when it is closed and no longer mapped, or when the process ends.
    """
    for folder in (device.cache_folder(), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return tempfile.TemporaryFile(dir=folder)
        except OSError:
            continue
    return tempfile.TemporaryFile()


def mapped(file: IO[bytes], kind: type[Kind], count: int) -> NDArray[Kind]:
    """Return the first `count` numbers of a file as a memory-mapped array.

    The file may then be closed: its data stay as long as the array.
    """
    return np.asarray(np.memmap(file, kind, "r+", shape=(count,))) if count else np.empty(0, kind)


def _stream(corpus: Corpus, words: int, n_words: int, most: int) -> NDArray[np.int32]:
    """Return the text as word numbers, with `windows.GAP` before the first line and after each line.

    If the result takes more than `most` bytes, it is memory-mapped.

    Args:
        words: Only the first `words` words of the vocabulary are included.
        n_words: Number of occurrences of these words in the corpus.
    """
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
    """Yield the tokens of each block of `_LINES` lines."""
    begin = 0
    for first in range(0, len(corpus), _LINES):
        end = int(corpus.ends[min(first + _LINES, len(corpus)) - 1])
        yield np.asarray(corpus.tokens[begin:end])
        begin = end


def _cuts(edges: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Divide items into ranges, (first, stop), whose total size is at most `most`; a single item may be larger.

    Args:
        edges: Cumulative sizes of the items, (count + 1,).
    """
    first, count = 0, len(edges) - 1
    while first < count:
        last = int(np.searchsorted(edges, edges[first] + most, side="right")) - 1
        last = min(max(last, first + 1), count)
        yield first, last
        first = last
