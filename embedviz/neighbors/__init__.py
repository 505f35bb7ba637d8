"""Nearest neighbors, and what is built on them: analogies and formulas, hubs, and walks from word to word.

Neighbors are exact over all rows, or found by an approximate index. Their baseline is the best match by chance.
`lookup` finds words by their spelling, and `anatomy` shows the n-grams of a FastText vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import choose
from embedviz.core.phrases import cut, in_quotes, joined, number
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.neighbors import approximate
from embedviz.neighbors.frequency import WordFrequency, word_frequency
from embedviz.neighbors.hubs import KOccurrences, occurrences
from embedviz.neighbors.lists import (
    Neighbor,
    listed,
    nearest,
    nearest_lists,
    nearest_rows,
    query_vector,
    similarities,
    top,
)
from embedviz.neighbors.matrix import SimilarityMatrix, similarity_matrix
from embedviz.neighbors.metrics import METRICS, Metric
from embedviz.neighbors.shuffled import SHUFFLES, Shuffled, permuted, shuffle, shuffled

END_OF_LINE = "</s>"
NAMED = 3
"""Number of neighbors that `Neighborhood.meaning` names."""
PUNCTUATION = frozenset(",.;:!?()\"'")

__all__ = [
    "METRICS",
    "SHUFFLES",
    "Histogram",
    "KOccurrences",
    "Metric",
    "Neighbor",
    "Neighborhood",
    "Shuffled",
    "SimilarityMatrix",
    "WordFrequency",
    "nearest",
    "nearest_lists",
    "neighborhood",
    "occurrences",
    "permuted",
    "query_vector",
    "shuffle",
    "similarities",
    "similarity_matrix",
    "top",
]


class Histogram(NamedTuple):
    """Counts in bins of equal width; `edges` has one value more than `counts`."""

    counts: Ints
    edges: Float


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The nearest words of a query, with the metric's values over all other words.

    Attributes:
        words: The words of the query. If there are several, the query is the mean of their unit vectors.
        rows: Row numbers of the neighbors, nearest first.
        percentiles: 5th, 50th and 95th percentile of the metric's values between the query and all other words.
        mean, sd: Mean and standard deviation of these values.
        shuffled_best: The best match by chance: the value of the nearest shuffled word; None if no shuffled word has a
            value, as for the cosine with a row of zeros.
        shuffled_words: Number of shuffled words, about twenty for each word of the space.
        compared: Number of other words that are not rows of zeros.
        skipped: Number of rows of zeros, which have no direction.
        labels: Label of each neighbor; empty if the space shows its words without labels.
        noun: What a row stands for: *word* or *text*.
        frequency: Frequency of the neighbors; None if the frequencies are unknown.
        index: A sentence on the search by an approximate index; empty after an exact search.
    """

    words: tuple[str, ...]
    metric: str
    neighbors: tuple[Neighbor, ...]
    rows: Ints
    percentiles: tuple[float, float, float]
    mean: float
    sd: float
    histogram: Histogram
    shuffled_best: float | None
    shuffled_words: int
    compared: int
    skipped: int
    labels: tuple[str, ...] = ()
    noun: str = "word"
    frequency: WordFrequency | None = None
    index: str = ""

    @property
    def display_names(self) -> tuple[str, ...]:
        """Return the text shown for each neighbor: its label, or the word itself."""
        return self.labels or tuple(neighbor.word for neighbor in self.neighbors)

    shown = display_names  # old name

    @property
    def scale(self) -> Metric:
        """Return the metric, with the name of its values and whether larger or smaller values are nearer."""
        return METRICS[self.metric]

    @property
    def beyond_shuffled(self) -> int | None:
        """Return the number of neighbors nearer than the best match by chance; None if there is no such match."""
        if self.shuffled_best is None:
            return None
        best = self.scale.nearer * self.shuffled_best
        return sum(self.scale.nearer * neighbor.similarity > best for neighbor in self.neighbors)

    @property
    def reach(self) -> float:
        """Return the value at which the bar of a neighbor is full: 1 for a cosine, else the largest absolute value."""
        longest = max((abs(neighbor.similarity) for neighbor in self.neighbors), default=0.0)
        return self.scale.full or longest or 1.0

    def table(self) -> tuple[tuple[str, ...], Sequence[tuple[str | float, ...]]]:
        """Return the header and one row per neighbor, for an export."""
        header = ("word", self.scale.unit, "rank")
        if self.frequency is None:
            return header, self.neighbors
        values = self.frequency.values
        return (*header, self.frequency.title), [
            (*neighbor, value) for neighbor, value in zip(self.neighbors, values, strict=True)
        ]

    @property
    def tick(self) -> str:
        """Say what the tick on the bars marks: the best match by chance. Empty if there is no such match."""
        return "" if self.shuffled_best is None else f"Tick: best match by chance, {self.best_text}."

    @property
    def value_texts(self) -> tuple[str, ...]:
        """Return the value of each neighbor as text, with two decimals.

        It has three decimals if the best match by chance has the same two decimals.
        """
        best = None if self.shuffled_best is None else number(self.shuffled_best)
        values = [neighbor.similarity for neighbor in self.neighbors]
        return tuple(number(value, 3) if number(value) == best else number(value) for value in values)

    @property
    def best_text(self) -> str:
        """Return the value of the best match by chance with two decimals, or three if a neighbor has the same two.

        The text is empty if there is no best match by chance.
        """
        if self.shuffled_best is None:
            return ""
        alike = any(number(near.similarity) == number(self.shuffled_best) for near in self.neighbors)
        return number(self.shuffled_best, 3 if alike else 2)

    @property
    def usual(self) -> str:
        """Say the metric's value of a random word: mean ± standard deviation; empty without neighbors."""
        return (
            ""
            if not self.neighbors
            else f"A random {self.noun} has {self.scale.unit} {number(self.mean)} ± {number(self.sd)}."
        )

    @property
    def baseline(self) -> str:
        """Say the value of a random word, and the best match by chance; empty without neighbors."""
        if not self.neighbors:
            return ""
        usual = f"{self.usual.removesuffix('.')} (grey)."
        if self.shuffled_best is None:
            return usual
        return (
            f"{usual} Line: the best match by chance, {self.best_text}; in data without structure, "
            "about 5\u00a0% of searches find a nearer one."
        )

    @property
    def punctuated(self) -> str:
        """Explain neighbors that begin or end with punctuation, and `</s>`, the end of a line.

        The text is empty if there is nothing to explain, or if the neighbors are shown by labels.
        """
        words = [one.word for one in self.neighbors]
        end = f"“{END_OF_LINE}” marks the end of a line in the training text." if END_OF_LINE in words else ""
        marked = [one.word for one in self.neighbors if {*one.word[:1], *one.word[-1:]} & PUNCTUATION]
        if not marked or self.labels:
            return "" if self.labels else end
        are = "is an entry" if len(marked) == 1 else "are entries"
        named = joined([f"“{cut(word, 30)}”" for word in marked])
        return f"{end} {named} {are} of the vocabulary: its tokenizer kept this punctuation.".strip()

    @property
    def method(self) -> str:
        """Explain how neighbors and the best match by chance were searched; empty without neighbors."""
        noun = self.noun
        if not self.neighbors:
            return ""
        exact = self.index or f"Exact search over {self.compared:,} {noun}s."
        if self.shuffled_best is None:
            return exact
        return (
            f"{exact} Best match by chance: the nearest of {self.shuffled_words:,} random {noun}s. "
            "The vectors are rotated to their principal directions. Then each column is shuffled on its own."
        )

    @property
    def meaning(self) -> str:
        """Name the nearest words, and say how many neighbors are nearer than the best match by chance."""
        beyond, count, query = self.beyond_shuffled, len(self.neighbors), " + ".join(self.words)
        if not self.compared:
            return f"There is no other {self.noun} to compare {query} with."
        if not count:
            return f"Nothing is listed: {query} is a row of zeros and has no direction."
        first = joined([f"“{cut(name, 30)}”" for name in self.display_names[:NAMED]])
        nearest = f"Nearest to {in_quotes(self.words)}: {first}."
        if beyond is None:
            return f"{nearest} This space has too few {self.noun}s for a random baseline."
        best = "the best match by chance"
        if beyond == count:
            these = f"All {count} listed are" if count > 1 else "It is"
            return f"{nearest} {these} nearer than {best}."
        if not beyond:
            return f"{nearest} None of the {count} is nearer than {best}, so all may be chance."
        verb, rest = ("is" if beyond == 1 else "are"), ("the other" if count - beyond == 1 else "the others")
        return f"{nearest} {beyond} of {count} {verb} nearer than {best}; {rest} may be chance."


@offered(
    "near",
    "for neighbor in near.neighbors:",
    '    print(neighbor.rank, neighbor.word, f"{neighbor.similarity:.2f}")',
    'print("best match by chance:", near.shuffled_best)',
    command="neighbors {space} {words} -k {k} --metric {metric} --nprobes {nprobes} --refine {refine}",
)
def neighborhood(
    space: VectorSpace,
    words: str | Sequence[str],
    k: int = 10,
    metric: str = "cosine",
    *,
    bins: int = 80,
    seed: int = 0,
    nprobes: int | None = None,
    refine: int = 10,
) -> Neighborhood:
    """Return the k nearest words, with the metric's values over all words and the best match by chance.

    If the space has an approximate index, cosines are searched with it. The values over all words then come from a
    sample of rows.

    Args:
        nprobes: Number of partitions of the index that are searched; None: the usual number, 0: exact search.
        refine: Number of candidates per neighbor that the index finds and that are then compared by exact vectors.

    Raises:
        UnknownWordError: A word has no vector.
        OptionError: There is no word, or the metric is unknown.
    """
    query = (words,) if isinstance(words, str) else tuple(dict.fromkeys(words))
    vector, scale = query_vector(space, query), choose(METRICS, metric, "metric")
    own = [space.index[word] for word in query if word in space.index]
    if metric == "cosine" and nprobes != 0 and approximate.index_of(space) is not None:
        found = approximate.search(space, vector, own, k, nprobes or 0, refine)
        rows, near, others, index = found.rows, found.cosines, found.others, found.sentence
    else:
        values = similarities(space, vector, metric)
        rows = nearest_rows(space, values, query, k, metric)
        near, others, index = values[rows], np.delete(values, own), ""
    others = others[np.isfinite(others)]
    low, middle, high = np.percentile(others, (5, 50, 95)) if len(others) else (0.0, 0.0, 0.0)
    base = shuffled(space, seed)
    skipped = int(np.count_nonzero(space.norms == 0))
    compared = len(space) - skipped - sum(space.norms[row] > 0 for row in own)
    return Neighborhood(
        query,
        metric,
        listed(space, near, rows),
        rows,
        (float(low), float(middle), float(high)),
        float(others.mean()) if len(others) else 0.0,
        float(others.std()) if len(others) else 0.0,
        _histogram(others, bins, int(compared)),
        base.best(vector, scale),
        base.words,
        int(compared),
        skipped,
        tuple(space.label(row) for row in rows.tolist()) if space.texts is not None else (),
        space.noun,
        word_frequency(space, rows),
        index,
    )


def _histogram(values: Float, bins: int, count: int) -> Histogram:
    """Return the histogram of the values; counts of a sample are scaled up to `count` words."""
    counts, edges = np.histogram(values.astype(np.float64), bins)  # float32 cannot divide a very small range
    if 0 < len(values) < count:
        counts = np.rint(counts * (count / len(values))).astype(np.int64)
    return Histogram(counts, edges.astype(np.float32))
