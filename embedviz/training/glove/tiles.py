"""The order in which GloVe learns its entries: tiles that threads can process without sharing words.

Words and context words are each divided into n random groups. A tile is a pair of groups: one of words, one of context
words. A stratum is n tiles of which no two share a group, such as the diagonal. So threads can process the tiles of a
stratum in parallel, and the result is exactly the same for any number of threads (Gemulla et al. 2011, for matrix
factorization). The vectors of a tile stay in the processor's cache. Within a tile the entries are shuffled.
"""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float, Ints
from embedviz.corpus.cooccurrence import Counts, mapped, unnamed

FEWEST = 8
"""Smallest number of groups, unless there are fewer words. So up to eight threads can work in parallel."""
TILE = 768 * 1024
"""Target size of the vectors of a group in bytes. Two groups then fit into the cache of one core."""
ENTRY = 12
"""Bytes per entry."""


@dataclass(frozen=True, eq=False)
class Tiles:
    """The entries of the GloVe counts in the order of training: tile after tile, stratum after stratum.

    Words and context words are each divided into n groups. A tile holds the entries of one group of words and one group
    of context words. A stratum is n tiles of which no two share a group. The arrays may be memory maps.

    Attributes:
        rows, columns: Word and context word of each entry, (e,) int32.
        logs: ln X_ij of each entry, (e,).
        edges: Index of the first entry of each tile, then the number of all entries, (side² + 1,).
        side: n, the number of groups. Stratum s has the n tiles from s · n on.
    """

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    logs: Float
    edges: Ints
    side: int

    def __len__(self) -> int:
        return len(self.logs)

    def pieces(self, stratum: int, count: int) -> Iterator[tuple[int, int]]:
        """Divide the tiles of a stratum into about `count` parts with about the same number of entries.

        Yield for each part the number of its first tile, and the number of the tile that follows its last tile.
        """
        first = stratum * self.side
        edges = self.edges[first : first + self.side + 1]
        wanted = np.linspace(edges[0], edges[-1], count + 1)[1:-1]
        cuts = np.unique([0, *np.searchsorted(edges, wanted), self.side])
        yield from zip((first + cuts[:-1]).tolist(), (first + cuts[1:]).tolist(), strict=True)


def side_of(words: int, line: int) -> int:
    """Return into how many groups to divide `words` words, if the parameters of each word take `line` bytes.

    A group then takes at most about `TILE` bytes. The number is at least `FEWEST`, but at most `words`.
    """
    return min(words, max(FEWEST, -(-words * line // TILE)))


def lay(counts: Counts, side: int, seed: int, memory: int, pool: ThreadPoolExecutor, threads: int) -> Tiles:
    """Lay out the entries of the counts tile by tile. A tile is a pair of random groups: words and context words.

    The result is the same for any number of threads and any memory.

    Args:
        side: n, the number of groups of words and of context words, at most the number of words.
        memory: Bytes that the entries may take in memory; more go to an anonymous file in the cache folder.
    """
    from embedviz.training.glove import kernels

    random = np.random.default_rng(seed)
    members, bounds = _dealt(len(counts), side, random)
    of_column = np.empty(len(counts), np.int32)
    dealt, their = _dealt(len(counts), side, random)
    of_column[dealt] = np.repeat(np.arange(side, dtype=np.int32), np.diff(their))
    same = (counts.pointers, counts.columns)
    groups = (members, bounds, of_column, side)
    spans = [(first, min(first + max(1, side // (4 * threads)), side)) for first in _starts(side, threads)]
    sizes = np.zeros(side * side, np.int64)
    list(pool.map(lambda span: kernels.count_tiles(*same, *groups, *span, sizes), spans))
    edges = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    rows, columns, logs = (_room(counts.entries, kind, memory) for kind in (np.int32, np.int32, np.float32))
    cursor = edges[:-1].copy()
    out = (edges, cursor, rows, columns, logs)
    list(pool.map(lambda span: kernels.lay_tiles(*same, counts.values, *groups, *span, seed, *out), spans))
    return Tiles(rows, columns, logs, edges, side)


def _starts(side: int, threads: int) -> range:
    return range(0, side, max(1, side // (4 * threads)))


def _dealt(words: int, side: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Divide the words into `side` random groups. Return the words, group after group, and where each group begins.

    Words ascend within a group. The second array has side + 1 numbers; the last one is the number of words.
    """
    dealt, bounds = random.permutation(words), np.linspace(0, words, side + 1).astype(np.int64)
    for first, last in itertools.pairwise(bounds.tolist()):
        dealt[first:last].sort()
    return dealt, bounds


def _room(entries: int, kind: Any, memory: int) -> Any:
    """Return an uninitialized array of `entries` numbers, in memory or in a file.

    It is in memory if the arrays of rows, columns and logs together need at most `memory` bytes.
    """
    if entries * ENTRY <= memory:
        return np.empty(entries, kind)
    with unnamed() as file:
        file.truncate(entries * np.dtype(kind).itemsize)
        return mapped(file, kind, entries)
