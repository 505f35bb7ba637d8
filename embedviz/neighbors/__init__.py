"""Who is nearest, exactly: over all words, block by block, with a baseline that says how near is near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import choose
from embedviz.core.phrases import number
from embedviz.core.space import Float, Ints, VectorSpace
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
    """Counts in equal bins: `edges` has one value more than `counts`."""

    counts: Ints
    edges: Float


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The nearest words of a query and how they stand among all words.

    Attributes:
        words: The query; the mean of their unit vectors where there are several.
        rows: Rows of the neighbors, in order.
        percentiles: 5th, 50th and 95th percentile of the metric over all other words.
        mean, sd: Of the metric over all other words.
        shuffled_best: The best match by chance: the nearest of all shuffled words; None where there is none.
        shuffled_words: Shuffled words, twenty for each word of the space.
        compared: How many other words were compared with.
        skipped: Rows of zeros, which have no direction.
        labels: What is shown for each neighbor where the space calls its words otherwise; empty where it does not.
        noun: What a row stands for, *word* or *text*.
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

    @property
    def shown(self) -> tuple[str, ...]:
        """What is shown for each neighbor: its label, or the word itself."""
        return self.labels or tuple(neighbor.word for neighbor in self.neighbors)

    @property
    def scale(self) -> Metric:
        """What a value is called, and which values are nearer."""
        return METRICS[self.metric]

    @property
    def beyond_shuffled(self) -> int | None:
        """How many of the neighbors are nearer than the best match by chance."""
        if self.shuffled_best is None:
            return None
        best = self.scale.nearer * self.shuffled_best
        return sum(self.scale.nearer * neighbor.similarity > best for neighbor in self.neighbors)

    @property
    def reach(self) -> float:
        """What a full bar stands for: 1 for a cosine, else the largest value listed."""
        longest = max((abs(neighbor.similarity) for neighbor in self.neighbors), default=0.0)
        return self.scale.full or longest or 1.0

    def table(self) -> tuple[tuple[str, ...], Sequence[Neighbor]]:
        """Return header and rows of an export."""
        return ("word", self.scale.unit, "rank"), self.neighbors

    @property
    def baseline(self) -> str:
        """The sample and what the values stand beside, in sentences; empty where nothing was compared."""
        if not self.neighbors:
            return ""
        noun = self.noun
        said = (
            f"Exact search over {self.compared:,} {noun}s. A random {noun}: {number(self.mean)} (sd {number(self.sd)})."
        )
        if self.shuffled_best is not None:
            said += f" Dotted line or tick: best match by chance, {number(self.shuffled_best)}, among "
            said += f"{self.shuffled_words:,} {noun}s made by permuting each principal direction over the {noun}s. "
            said += "In noise one search in 21 finds a nearer one."
        return said

    @property
    def meaning(self) -> str:
        """How near these are, in a sentence."""
        beyond, count, query = self.beyond_shuffled, len(self.neighbors), " + ".join(self.words)
        if not self.compared:
            return f"There is no other {self.noun} to compare {query} with."
        if not count:
            return f"Nothing is listed: {query} is a row of zeros and has no direction."
        if beyond is None:
            return f"There are too few {self.noun}s to say how near is near to {query}."
        best = "the best match by chance"
        if beyond == count:
            these = f"All {count} are" if count > 1 else "It is"
            return f"{these} nearer to {query} than {best}."
        chance = "could be there by chance."
        if not beyond:
            return f"None of {count} is nearer to {query} than {best}: all {chance}"
        verb, rest = ("is" if beyond == 1 else "are"), ("The other" if count - beyond == 1 else "The others")
        return f"{beyond} of {count} {verb} nearer to {query} than {best}. {rest} {chance}"


@offered(
    "near",
    "for neighbor in near.neighbors:",
    '    print(neighbor.rank, neighbor.word, f"{neighbor.similarity:.2f}")',
    'print("best match by chance:", near.shuffled_best)',
    command="neighbors {space} {words} -k {k} --metric {metric}",
)
def neighborhood(
    space: VectorSpace,
    words: str | Sequence[str],
    k: int = 10,
    metric: str = "cosine",
    *,
    bins: int = 80,
    seed: int = 0,
) -> Neighborhood:
    """Return the k nearest words, with the metric over all words and the best match by chance.

    Raises:
        UnknownWordError: A word has no row.
        OptionError: No word, or an unknown metric.
    """
    query = (words,) if isinstance(words, str) else tuple(dict.fromkeys(words))
    vector = query_vector(space, query)
    values = similarities(space, vector, metric)
    rows = nearest_rows(space, values, query, k, metric)
    others = np.delete(values, [space.index[word] for word in query if word in space.index])
    others = others[np.isfinite(others)]
    low, middle, high = np.percentile(others, (5, 50, 95)) if len(others) else (0.0, 0.0, 0.0)
    counts, edges = np.histogram(others, bins)
    base = shuffled(space, seed)
    skipped = int(np.count_nonzero(space.norms == 0))
    return Neighborhood(
        query,
        metric,
        listed(space, values, rows),
        rows,
        (float(low), float(middle), float(high)),
        float(others.mean()) if len(others) else 0.0,
        float(others.std()) if len(others) else 0.0,
        Histogram(counts, edges.astype(np.float32)),
        base.best(vector, choose(METRICS, metric, "metric")),
        base.words,
        len(space) - skipped - sum(word in space.index and space.norms[space.index[word]] > 0 for word in query),
        skipped,
        tuple(space.label(row) for row in rows.tolist()) if space.texts is not None else (),
        space.noun,
    )
