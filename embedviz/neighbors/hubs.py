"""Hubs: in how many lists of k nearest neighbors each word is."""

from dataclasses import dataclass

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError, choose
from embedviz.core.phrases import counted, number, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.neighbors.lists import nearest_lists, top
from embedviz.neighbors.metrics import METRICS

SAMPLED = 5_000  # lists drawn where the space has more words than `ALL`
ALL = 30_000


@dataclass(frozen=True, eq=False)
class KOccurrences:
    """The k-occurrences of all words, over the lists of all words or of a sample (Radovanović et al. 2010).

    Attributes:
        counts: Number of lists that contain each word, shape (n,).
        nearest: The metric's value of each sampled word with its nearest neighbor, shape (lists,).
        rows: The words whose lists were computed, shape (lists,).
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
        """Return the rows of the words that are in the most lists, most first."""
        return top(self.counts, count)

    def placed(self, row: int, noun: str = "word") -> str:
        """Say in how many lists a word is, and how many words are in fewer."""
        count = int(self.counts[row])
        fewer = f" ({share(float(np.mean(self.counts < count)))} of {noun}s are in fewer)" if count else ""
        return f"in {counted(count, 'list') if count else 'no list'}{fewer}"

    def nearest_of(self, row: int) -> float | None:
        """Return the value of this word with its nearest neighbor, or None where its list was not computed."""
        at = int(np.searchsorted(self.rows, row))
        return float(self.nearest[at]) if at < len(self.rows) and self.rows[at] == row else None

    def meaning(self, word: str = "", row: int = -1, noun: str = "word") -> str:
        """Say how near the nearest neighbor of a word is, compared with all words; without a word, the median.

        Args:
            word: Empty for most words; `row`: its row, −1 for none.
            noun: What a row stands for.
        """
        metric, own = METRICS[self.metric], self.nearest_of(row) if row >= 0 else None
        near = metric.nearer * self.nearest[np.isfinite(self.nearest)]
        if own is not None and np.isfinite(own):
            passed = float(np.count_nonzero(near < metric.nearer * own)) / max(1, len(near) - 1)
            return f"{share(1 - passed)} of {noun}s have a nearest neighbor at least as near as that of {word}."
        bound = "or more" if metric.nearer > 0 else "or less"
        middle = number(metric.nearer * float(np.median(near)))
        return f"Half of the {noun}s have a neighbor with {metric.unit} {middle} {bound}."

    @property
    def never(self) -> float:
        """Return the share of words that are in no list of neighbors."""
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
    """Return the k-occurrences of all words: from the lists of all words up to 30,000, else of 5,000 random words.

    Raises:
        OptionError: An unknown metric, or fewer than two rows that are not zero.
    """
    choose(METRICS, metric, "metric")
    live = np.flatnonzero(space.norms > 0)
    if len(live) < 2:
        raise OptionError(f"{space.origin.name} has {len(live)} rows that are not zero; two are needed.")
    random = np.random.default_rng(seed)
    rows = live if len(live) <= ALL else np.sort(random.choice(live, SAMPLED, replace=False))
    k = min(k, len(live) - 1)

    def done(count: int) -> None:
        tell(report, count / len(rows), f"{count:,} of {len(rows):,} lists of neighbors")

    lists, values = nearest_lists(space, rows, k, metric, done=done)
    counts = np.bincount(lists.ravel(), minlength=len(space))
    spread = counts.std()
    skewness = float(np.mean((counts - counts.mean()) ** 3) / spread**3) if spread else 0.0
    return KOccurrences(counts, values[:, 0], rows, k, metric, float(counts.mean()), skewness)
