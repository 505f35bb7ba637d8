"""Hubs: words that are in unusually many lists of k nearest neighbors."""

from dataclasses import dataclass

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError, choose
from embedviz.core.phrases import counted, number, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.neighbors.lists import nearest_lists, top
from embedviz.neighbors.metrics import METRICS

SAMPLED = 5_000  # number of random lists if the space has more than `ALL` words
ALL = 30_000


@dataclass(frozen=True, eq=False)
class KOccurrences:
    """The k-occurrences of all words: how many lists of k neighbors contain each word (Radovanović et al. 2010).

    Attributes:
        counts: Number of lists that contain each word, (n,).
        nearest: Value of the metric between each word of `rows` and its nearest neighbor, (lists,).
        rows: Rows of the words whose lists were computed, ascending, (lists,).
        mean: Mean count: k × lists ÷ n.
        skewness: Skewness of the counts; near 0 if there are no hubs.
    """

    counts: Ints
    nearest: Float
    rows: Ints
    k: int
    metric: str
    mean: float
    skewness: float

    def hubs(self, count: int = 10) -> Ints:
        """Return the rows of the `count` words that are in the most lists of neighbors, most lists first."""
        return top(self.counts, count)

    def placed(self, row: int, noun: str = "word") -> str:
        """Say in how many lists of neighbors a word is, and which share of all words are in fewer lists."""
        count = int(self.counts[row])
        fewer = f" ({share(float(np.mean(self.counts < count)))} of {noun}s are in fewer)" if count else ""
        return f"in {counted(count, 'list') if count else 'no list'}{fewer}"

    def nearest_of(self, row: int) -> float | None:
        """Return the value of the metric between a word and its nearest neighbor; None if its list was not computed."""
        at = int(np.searchsorted(self.rows, row))
        return float(self.nearest[at]) if at < len(self.rows) and self.rows[at] == row else None

    def meaning(self, word: str = "", row: int = -1, noun: str = "word") -> str:
        """Say which share of all words have a neighbor at least as near as the nearest neighbor of `word`.

        Without a word, or if the neighbors of the word were not computed, say instead the median nearness of a nearest
        neighbor.

        Args:
            word: The word as the page displays it, or empty.
            row: Row of the word; −1 without a word.
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
        """Return the share of words that are in no list of neighbors, 0 to 1."""
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
    """Return the k-occurrence of each word: the number of lists of k nearest neighbors that contain the word.

    The lists are those of all words or, in a space of more than 30,000 words, those of 5,000 random words.

    Raises:
        OptionError: The metric is unknown, or fewer than two rows are nonzero.
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
