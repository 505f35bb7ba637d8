"""The order in which GloVe goes through its entries: tiles that threads can take without touching each other's words.

Words and context words are each dealt into n groups at random; a pair of groups is a tile. A stratum is n tiles of
which no two share a group, such as those on the diagonal. So the tiles of a stratum may be done at once, and what comes
of them is the same to the bit for any number of threads (Gemulla et al. 2011, there for matrix factorisation); and the
vectors of a tile stay in the processor's cache. Within a tile the entries are shuffled.
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
"""Groups, where there are words enough: tiles for eight threads."""
TILE = 768 * 1024
"""Bytes that the vectors of a group should take; those of two groups fit into a core's own cache."""
ENTRY = 12
"""Bytes that an entry takes."""


@dataclass(frozen=True, eq=False)
class Tiles:
    """The entries of counts, tile after tile and stratum after stratum.

    Attributes:
        rows, columns: The words of each entry, (e,) int32; may be memory maps, as may `logs`.
        logs: ln X_ij, (e,).
        edges: Where each tile begins, and the end, (side² + 1,).
        side: n; stratum s has the tiles from s · n to (s + 1) · n.
    """

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    logs: Float
    edges: Ints
    side: int

    def __len__(self) -> int:
        return len(self.logs)

    def pieces(self, stratum: int, count: int) -> Iterator[tuple[int, int]]:
        """Return the tiles of a stratum as about so many neighboring parts of about the same number of entries."""
        first = stratum * self.side
        edges = self.edges[first : first + self.side + 1]
        wanted = np.linspace(edges[0], edges[-1], count + 1)[1:-1]
        cuts = np.unique([0, *np.searchsorted(edges, wanted), self.side])
        yield from zip((first + cuts[:-1]).tolist(), (first + cuts[1:]).tolist(), strict=True)


def side_of(words: int, line: int) -> int:
    """Return how many groups so many words of so many bytes are dealt into."""
    return min(words, max(FEWEST, -(-words * line // TILE)))


def lay(counts: Counts, side: int, seed: int, memory: int, pool: ThreadPoolExecutor, threads: int) -> Tiles:
    """Lay the entries of counts in a random order of tiles, the same for any number of threads and any memory.

    Args:
        side: n, at most the number of words.
        memory: Bytes that the entries may take before they go to a file of the cache folder that has no name.
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
    """Return the words, group after group, ascending in each, where each group begins, and the end."""
    dealt, bounds = random.permutation(words), np.linspace(0, words, side + 1).astype(np.int64)
    for first, last in itertools.pairwise(bounds.tolist()):
        dealt[first:last].sort()
    return dealt, bounds


def _room(entries: int, kind: Any, memory: int) -> Any:
    """Return room for one number of each entry, in memory if all three fit there."""
    if entries * ENTRY <= memory:
        return np.empty(entries, kind)
    with unnamed() as file:
        file.truncate(entries * np.dtype(kind).itemsize)
        return mapped(file, kind, entries)
