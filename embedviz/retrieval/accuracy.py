"""Accuracy of each search method, with queries whose answers are known.

There are two tests, each over a random sample of texts. *Group*: the query is a text; its k nearest texts should be in
the same group. If the group has only j < k other texts, the j nearest texts count (precision at k, R-precision;
Manning, Raghavan and Schütze 2008). *Known item*: the query is a phrase of a text; this text should be among the first
k. Chance is the expected value under a random order of the texts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.phrases import listing, share
from embedviz.core.progress import Report
from embedviz.core.stats.intervals import LEVEL, Z, simultaneous_z, wilson
from embedviz.core.stats.resampling import drawn_rows, tail
from embedviz.core.texts import Texts, tokens
from embedviz.neighbors.lists import top
from embedviz.retrieval.indexes import Indexed, index_of

K = 10
SAMPLE = 200
WORDS = 8
"""Number of words in a phrase."""
FEWEST = 2 * K
"""Minimum number of texts for a test. With fewer texts, most of them are among the first K even in a random order."""
_AT_ONCE = 20  # queries in a batch
_MOST = 300  # words that a text used as a query may have

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Results of one of the two tests.

    Attributes:
        test: *group* or *item*.
        k: Length of the ranking.
        values: Method → value of each query, (sample,), 0 to 1. All methods have the same queries in the same order.
        titles: Method → its title.
        chance: Expected mean value under a random order of the texts.
        texts: Number of texts.
        words: Number of words in a phrase; 0 for the group test.
    """

    test: str
    k: int
    values: Mapping[str, Values]
    titles: Mapping[str, str]
    chance: float
    texts: int
    words: int = 0

    @property
    def title(self) -> str:
        """Return the title of the test, a question."""
        return "Are the nearest texts of the same group?" if self.test == "group" else "Does a phrase find its text?"

    @property
    def about(self) -> str:
        """Describe what the test measures, and the sample of queries."""
        if self.test == "group":
            return (
                f"Share of the {self.k} nearest texts in the same group, or of as many as it has others; "
                f"{self.sample:,} of {self.texts:,} texts as queries; 95\u00a0% intervals"
            )
        return (
            f"Queries: from each of {self.sample:,} texts (of {self.texts:,}) a phrase of {self.words} words. "
            f"Found: among the first {self.k}; 95\u00a0% intervals. A copied phrase favors methods that match words"
        )

    @property
    def sample(self) -> int:
        """Return the number of queries."""
        return len(next(iter(self.values.values()), ()))

    def mean(self, name: str) -> float:
        """Return the mean value of a method over all queries."""
        return float(self.values[name].mean())

    def interval(self, name: str, z: float = Z) -> tuple[float, float]:
        """Return the ends of the interval of a method's mean over the queries; by default 95 %.

        It is Wilson's interval in the known-item test or if all values are equal, otherwise the normal approximation.
        """
        values = self.values[name]
        return (
            wilson(self.mean(name), len(values), z)
            if self.test == "item" or not np.ptp(values)
            else _interval(values, 0.0, 1.0, z)
        )

    def difference(self, one: str, other: str, z: float = Z) -> tuple[float, float, float]:
        """Return the difference in mean value, method `one` minus method `other`, and the ends of its interval.

        The values of both methods are paired by query.
        """
        differences = self.values[one] - self.values[other]
        return float(differences.mean()), *_interval(differences, -1.0, 1.0, z)

    @property
    def beyond_chance(self) -> bool:
        """Return whether the best method is significantly better than chance, corrected for the number of methods."""
        return self.interval(self.ranked[0], simultaneous_z(len(self.values)))[0] > self.chance

    def ahead(self, one: str, other: str) -> bool:
        """Return whether the mean of `one` is significantly higher than that of `other` (Bonferroni-corrected).

        The correction is for all pairs of methods, because the best method is chosen after all methods were compared.
        """
        differences = self.values[one] - self.values[other]
        error = float(differences.std(ddof=1)) / len(differences) ** 0.5 if len(differences) > 1 else 0.0
        pairs = len(self.values) * (len(self.values) - 1) / 2
        mean, count = float(differences.mean()), len(differences)
        p = tail(mean / error, count - 1) if error else 2.0 ** (1 - count) if mean else 1.0  # all equal: a sign test
        return mean > 0 and p * pairs < LEVEL

    @property
    def ranked(self) -> list[str]:
        """Return the names of the methods, the highest mean first."""
        return sorted(self.values, key=lambda name: -self.mean(name))

    @property
    def meaning(self) -> str:
        """Say which method is best, which do not differ significantly from the best, and which are worse."""
        first, *rest = self.ranked
        what = (
            f"{share(self.mean(first))} of the nearest texts by {self.titles[first]} are of the query’s group"
            if self.test == "group"
            else f"{self.titles[first]} finds {share(self.mean(first))} of the texts among its first {self.k}"
        )
        equal = [self.titles[name] for name in rest if not self.ahead(first, name)]
        equally = f" {listing(equal)}: no significant difference in this sample." if equal else ""
        worse = [self.titles[name] for name in rest if self.ahead(first, name)]
        fewer = f" Significantly fewer: {listing(worse)}." if worse else ""
        chance = (
            f" (chance: {share(self.chance)})."
            if self.beyond_chance
            else f", not significantly more than chance ({share(self.chance)})."
        )
        return f"{what}{chance}{equally}{fewer}"

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, float, float, float, float]]]:
        """Return the header and one row per method, the best method first."""
        rows = [(self.titles[name], self.mean(name), *self.interval(name), self.chance) for name in self.ranked]
        return ("method", "mean", "low", "high", "chance"), rows


def untestable(indexed: Indexed) -> str:
    """Explain that the methods cannot be tested; empty if at least `FEWEST` texts have at least `WORDS` words."""
    usable = int(np.count_nonzero(np.asarray(indexed.bm25.lengths) >= WORDS))
    if usable >= FEWEST:
        return ""
    count = len(indexed.texts.texts)
    here = f"{usable or 'None'} of {count} {'is' if usable < 2 else 'are'} that long"
    return f"The methods can be tested on {FEWEST} texts or more of at least {WORDS} words. {here}."


def by_group(
    indexed: Indexed,
    methods: Sequence[str] = (),
    *,
    k: int = K,
    sample: int = SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> Retrieval:
    """Return, for each method, the share of the nearest texts that are in the group of the query.

    If the group has only j < k other texts, the j nearest texts count; so every query can reach the value 1. A text
    that is alone in its group is not used as a query. Of a long text only the first 300 words are used.

    Raises:
        OptionError: The texts have no groups, no group has two texts, or there is no such method.
    """
    labels = _labels(indexed.texts)
    sizes = np.bincount(labels)
    possible = np.flatnonzero(sizes[labels] > 1)
    if not len(possible):
        raise OptionError("No group has two texts, so there is nothing to find.")
    rows = drawn_rows(possible, sample, seed).tolist()
    others = len(labels) - 1
    k = min(k, others)

    def value(scores: Values, row: int) -> float:
        scores[row] = -np.inf
        depth = min(k, int(sizes[labels[row]]) - 1)
        found = [other for other in top(scores, depth) if scores[other] > 0]
        return float(np.count_nonzero(labels[found] == labels[row])) / depth

    queries = [_words_of(indexed.texts.texts[row], 0, _MOST) for row in rows]
    values = _values(indexed, methods, rows, queries, value, report)
    chance = float(np.mean((sizes[labels[rows]] - 1) / others))
    return Retrieval("group", k, values, _titles(indexed, values), chance, len(labels))


def by_item(
    indexed: Indexed,
    methods: Sequence[str] = (),
    *,
    k: int = K,
    words: int = WORDS,
    sample: int = SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> Retrieval:
    """Return, for each method, how often the text from which a query was taken is among the query's first k results.

    A query is a phrase of a text and begins at a random word. Texts shorter than a phrase give no query.

    Raises:
        OptionError: No text has `words` words, or there is no such method.
    """
    lengths = np.asarray(indexed.bm25.lengths)
    possible = np.flatnonzero(lengths >= words)
    if not len(possible):
        raise OptionError(f"No text has {words} words.")
    rows = drawn_rows(possible, sample, seed).tolist()
    starts = np.random.default_rng(seed + 1).random(len(rows))
    queries = [
        _words_of(indexed.texts.texts[row], int(start * (lengths[row] - words + 1)), words)
        for row, start in zip(rows, starts, strict=True)
    ]
    k = min(k, len(lengths))

    def value(scores: Values, row: int) -> float:
        return float(scores[row] > 0 and row in top(scores, k))

    values = _values(indexed, methods, rows, queries, value, report)
    return Retrieval("item", k, values, _titles(indexed, values), k / len(lengths), len(lengths), words)


def _values(
    indexed: Indexed,
    methods: Sequence[str],
    rows: Sequence[int],
    queries: Sequence[str],
    value: Callable[[Values, int], float],
    report: Report | None,
) -> dict[str, Values]:
    names = list(methods) or [row.name for row in indexed.methods]
    made: dict[str, Values] = {}
    for number, name in enumerate(names):
        index = index_of(indexed, name)
        found = np.empty(len(rows))
        for start in range(0, len(rows), _AT_ONCE):
            if report is not None:
                done = (number + start / len(rows)) / len(names)
                report(done, f"Asking {_titles(indexed, [name])[name]} query {start + 1} of {len(rows)}")
            block = slice(start, start + _AT_ONCE)
            found[block] = [
                value(scores, row) for scores, row in zip(index.several(queries[block]), rows[block], strict=True)
            ]
        made[name] = found
    return made


def _titles(indexed: Indexed, names: Any) -> dict[str, str]:
    return {row.name: row.title for row in indexed.methods if row.name in names}


def _labels(texts: Texts) -> NDArray[np.int64]:
    """Return the group of each text as a number, (n,).

    Raises:
        OptionError: The texts have no groups.
    """
    if texts.labels is None:
        raise OptionError("These texts have no groups, so nothing says which texts belong together.")
    return np.unique(list(texts.labels), return_inverse=True)[1].astype(np.int64)


def _words_of(text: str, start: int, count: int) -> str:
    return " ".join(tokens(text)[start : start + count])


def _interval(values: Values, low: float, high: float, z: float = Z) -> tuple[float, float]:
    if len(values) < 2:
        return low, high
    half = z * float(values.std(ddof=1)) / len(values) ** 0.5
    return max(low, float(values.mean()) - half), min(high, float(values.mean()) + half)
