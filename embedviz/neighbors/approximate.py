"""Nearest neighbors by an approximate index, and its recall: the share of the exact neighbors that it finds."""

import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import Method, OptionError, Parameter, table
from embedviz.core.phrases import share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.resampling import drawn_rows, share_interval, units_of
from embedviz.core.table_matrix import TableMatrix
from embedviz.neighbors.indexing import probes

NPROBES = Parameter(
    "nprobes",
    1,
    10_000,
    20,
    "Partitions of the index that are searched. More partitions: higher recall, longer search.",
    "Partitions searched",
)
REFINE = Parameter(
    "refine",
    0,
    100,
    10,
    "How many candidates per neighbor are compared by their exact vectors. More candidates: higher recall.",
    "Candidates per neighbor",
    zero="none",
)
SEARCHES = table(
    Method(
        "index",
        "Index",
        TableMatrix.search,
        (NPROBES, REFINE),
        "Approximate search in some partitions of the index. It can miss neighbors; the recall says how many.",
        "Jégou, Douze and Schmid 2011",
    ),
    Method("exact", "Exact", TableMatrix.search, (), "Compares with all rows. It reads the whole table."),
)
"""Methods to search a space that has an index."""
_SAMPLE = 32 * 2**20  # bytes of random rows that stand for all rows
_SAME = 2e-6  # cosines that differ by less count as equal


class IndexSearch(NamedTuple):
    """The nearest rows that an index finds, and a sample of all rows.

    Attributes:
        rows, cosines: Rows of the neighbors, nearest first, and their exact cosines with the query.
        others: Cosines of the query with the random rows of the sample, (m,).
        sentence: How the index was searched, as a sentence.
    """

    rows: Ints
    cosines: Float
    others: Float
    sentence: str


def index_of(space: VectorSpace) -> TableMatrix | None:
    """Return the table in which a space is stored with an approximate index; None if the space has no index."""
    matrix: object = space.matrix
    return matrix if isinstance(matrix, TableMatrix) and matrix.index else None


def measurable(space: VectorSpace) -> bool:
    """Return whether the recall can be measured: the space has an index, and exact lists to compare with."""
    return index_of(space) is not None and probes(space) is not None


def search(
    space: VectorSpace, vector: Float, without: Sequence[int], k: int, nprobes: int = 0, refine: int = 10
) -> IndexSearch:
    """Return the nearest rows by cosine that the index finds, at most k, and the query's cosines with random rows.

    Args:
        vector: The query, (d,); a query of zeros has no neighbors.
        without: Rows to leave out of the neighbors and of the random rows.
        nprobes: Number of partitions to search; 0: a tenth of all partitions, at least 20.
        refine: Number of candidates per neighbor that are compared by their exact vectors.

    Raises:
        OptionError: The space has no index.
    """
    index = index_of(space)
    if index is None:
        raise OptionError(f"{space.origin.name} has no index. Build one with: embedviz convert … lance:FOLDER")
    nprobes = nprobes or usual_nprobes(index)
    rows, cosines = _found(space, index, vector, np.asarray(without, np.int64), k, nprobes, refine)
    drawn, sample = _sampled(space)
    others = _cosines(vector, sample)[~np.isin(drawn, without)]
    sentence = (
        f"Approximate search in {min(nprobes, index.index['partitions']):,} of {index.index['partitions']:,} "
        "partitions of the index; it can miss neighbors."
    )
    if len(sample) < np.count_nonzero(space.norms > 0):
        sentence += f" The values over all {space.noun}s are those of {len(sample):,} drawn at random."
    return IndexSearch(rows, cosines, others, sentence)


def _found(
    space: VectorSpace, index: TableMatrix, vector: Float, without: Ints, k: int, nprobes: int, refine: int
) -> tuple[Ints, Float]:
    """Return the nearest rows that the index finds, at most k, and their exact cosines with the query `vector`."""
    if k <= 0 or not np.any(vector):
        return np.empty(0, np.int64), np.empty(0, np.float32)
    unit = vector.astype(np.float64) / np.abs(vector).max()
    query = np.asarray(unit / np.linalg.norm(unit), np.float32)
    rows = index.search(query, k + len(without), nprobes, refine)
    rows = rows[(space.norms[rows] > 0) & ~np.isin(rows, without)]
    cosines = _cosines(query, index[rows])
    order = np.argsort(-cosines, kind="stable")[:k]
    return rows[order], cosines[order]


def usual_nprobes(index: TableMatrix) -> int:
    """Return the usual number of partitions to search: a tenth of all, at least 20."""
    return max(int(NPROBES.default), int(index.index["partitions"]) // 10)


def _cosines(vector: Float, rows: Float) -> Float:
    """Return the cosine of a vector with each row of `rows`, (m,), in double precision; 0 for rows of zeros."""
    wide = rows.astype(np.float64)
    sizes = np.sqrt((wide * wide).sum(axis=1)) * np.linalg.norm(vector.astype(np.float64))
    return np.asarray(wide @ vector.astype(np.float64) / np.where(sizes > 0, sizes, 1), np.float32)


_SAMPLES: weakref.WeakKeyDictionary[VectorSpace, tuple[Ints, Float]] = weakref.WeakKeyDictionary()


def _sampled(space: VectorSpace) -> tuple[Ints, Float]:
    """Return the numbers of random nonzero rows of a space, (m,), and these rows, (m, d), read once and cached."""
    found = _SAMPLES.get(space)
    if found is None:
        whole = np.flatnonzero(space.norms > 0)
        most = max(1_000, _SAMPLE // (4 * space.dimensions))
        drawn = drawn_rows(whole, most, 0)
        found = _SAMPLES[space] = drawn, np.asarray(space.matrix[drawn], np.float32)
    return found


@dataclass(frozen=True, eq=False)
class Recall:
    """The share of the exact nearest neighbors that an index finds, measured with random rows as queries.

    Attributes:
        found: Row i is for query i, shape (m, k). If the index finds j of the k neighbors, the first j values are True.
        low, high: 95 % interval of the share found; the k neighbors of a query do not count as independent.
        milliseconds: Median time of one query.
        nprobes: Number of partitions searched.
        refine: Number of candidates per neighbor.
        partitions: Number of partitions of the index.
    """

    found: NDArray[np.bool_]
    low: float
    high: float
    milliseconds: float
    nprobes: int
    refine: int
    partitions: int

    @property
    def value(self) -> float:
        """Return the recall: the share of exact neighbors found, 0 to 1."""
        return float(self.found.mean())

    @property
    def k(self) -> int:
        """Return the number of exact neighbors per query."""
        return int(self.found.shape[1])

    @property
    def meaning(self) -> str:
        """Say which share of the exact neighbors the index finds, with its interval."""
        return (
            f"The index finds {share(self.value, fine=True)} of the {self.k} exact nearest neighbors "
            f"(95\u00a0% interval {share(self.low, fine=True)} to {share(self.high, fine=True)})."
        )

    @property
    def method(self) -> str:
        """Explain how the recall was measured."""
        return (
            f"Recall@{self.k}: measured with {len(self.found):,} rows drawn at random, whose exact neighbors were "
            f"computed when the index was built. Searched: {min(self.nprobes, self.partitions):,} of "
            f"{self.partitions:,} partitions; {max(1, self.refine) * self.k:,} candidates. A query takes "
            f"{self.milliseconds:,.0f} ms."
        )

    def card(self) -> dict[str, float]:
        """Return all numbers as plain JSON values."""
        return {
            "recall": self.value,
            "low": self.low,
            "high": self.high,
            "k": self.k,
            "queries": len(self.found),
            "nprobes": self.nprobes,
            "refine": self.refine,
            "partitions": self.partitions,
            "milliseconds": self.milliseconds,
        }


@offered("recall", "print(recall.meaning)")
def recall(space: VectorSpace, nprobes: int = 0, refine: int = 10, *, report: Report | None = None) -> Recall:
    """Return the recall of a space's index. The queries are rows that were drawn when the index was built.

    A row that is as near as the last exact neighbor counts as found, so that ties do not matter.

    Args:
        nprobes: Number of partitions that are searched; 0: the usual number.
        refine: Number of candidates per neighbor that are compared by their exact vectors.

    Raises:
        OptionError: The space has no index, or no exact lists to compare with.
    """
    index, drawn = index_of(space), probes(space)
    if index is None or drawn is None:
        raise OptionError(f"{space.origin.name} has no index with exact lists, so its recall cannot be measured.")
    rows, exact = drawn
    used, hits, seconds = nprobes or usual_nprobes(index), np.zeros(exact.shape, bool), list[float]()
    vectors = index[rows]
    for place, row in enumerate(rows.tolist()):
        begun = time.perf_counter()
        _, cosines = _found(space, index, vectors[place], np.array([row]), exact.shape[1], used, refine)
        seconds.append(time.perf_counter() - begun)
        hits[place, : int(np.count_nonzero(cosines >= exact[place, -1] - _SAME))] = True
        tell(report, (place + 1) / len(rows), f"{place + 1:,} of {len(rows):,} queries")
    units = units_of([(place,) for place in range(len(rows)) for _ in range(exact.shape[1])], "query")
    low, high = share_interval(hits.ravel(), units)
    milliseconds = 1e3 * float(np.median(seconds))
    return Recall(hits, low, high, milliseconds, used, refine, int(index.index["partitions"]))
