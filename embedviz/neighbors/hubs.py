"""Who is near to everyone: in how many lists of k nearest each word stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError, choose
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.neighbors.lists import nearest_lists, top
from embedviz.neighbors.metrics import METRICS

SAMPLED = 5_000  # lists drawn where the space has more words than `ALL`
ALL = 30_000
_STEP = 500  # lists between two reports


@dataclass(frozen=True, eq=False)
class KOccurrences:
    """The k-occurrences of all words, over the lists of all words or of a sample (Radovanović et al. 2010).

    Attributes:
        counts: Lists in which each word stands, shape (n,).
        nearest: The metric's value of each sampled word with its nearest neighbor, shape (lists,).
        rows: The words whose lists were drawn, shape (lists,).
        mean: Mean count: k × lists ÷ n.
        skewness: Of the counts; near 0 without hubs.
    """

    counts: Ints
    nearest: Float
    rows: Ints
    k: int
    metric: str
    mean: float
    skewness: float

    def hubs(self, count: int = 10) -> Ints:
        """Return rows of the words that stand in the most lists, most first."""
        return top(self.counts, count)

    def nearest_of(self, row: int) -> float | None:
        """Return the value of this word with its nearest neighbor, or None where its list was not drawn."""
        at = int(np.searchsorted(self.rows, row))
        return float(self.nearest[at]) if at < len(self.rows) and self.rows[at] == row else None

    @property
    def never(self) -> float:
        """The share of words that stand in no list."""
        return float(np.mean(self.counts == 0))


@offered("lists", "for row in lists.hubs(8):", "    print(space.words[row], lists.counts[row])")
def occurrences(
    space: VectorSpace,
    k: int = 10,
    metric: str = "cosine",
    *,
    seed: int = 0,
    report: Report | None = None,
) -> KOccurrences:
    """Return the k-occurrences of all words: lists of all words up to 30,000, above that of 5,000 drawn at random.

    Raises:
        OptionError: An unknown metric, or fewer than two rows that are not zero.
    """
    choose(METRICS, metric, "metric")
    live = np.flatnonzero(space.norms > 0)
    if len(live) < 2:
        raise OptionError(f"{space.origin.name} has {len(live)} rows that are not zero; two are needed.")
    random = np.random.default_rng(seed)
    rows = live if len(live) <= ALL else np.sort(random.choice(live, SAMPLED, replace=False))
    counts = np.zeros(len(space), np.int64)
    best = np.empty(len(rows), np.float32)
    k = min(k, len(live) - 1)
    for start in range(0, len(rows), _STEP):
        lists, values = nearest_lists(space, rows[start : start + _STEP], k, metric)
        counts += np.bincount(lists.ravel(), minlength=len(space))
        best[start : start + len(lists)] = values[:, 0]
        if report is not None:
            done = start + len(lists)
            report(done / len(rows), f"{done:,} of {len(rows):,} lists")
    spread = counts.std()
    skewness = float(np.mean((counts - counts.mean()) ** 3) / spread**3) if spread else 0.0
    return KOccurrences(counts, best, rows, k, metric, float(counts.mean()), skewness)
