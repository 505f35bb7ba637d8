"""Purity: whether clusters contain words of one category of a test set that the clustering did not see.

The words are clustered by k-means on their unit vectors, with as many clusters as categories. Purity is the share of
words whose category is the most common one in their cluster (Manning, Raghavan and Schütze 2008, section 16.3). It is
never 0, so its baseline is the purity of the same clusters with shuffled categories. Two other measures are reported:
the adjusted Rand index (Hubert and Arabie 1985), 0 by chance, and normalized mutual information, near 0 by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Ints, VectorSpace
from embedviz.core.stats.intervals import Share, inner
from embedviz.core.stats.resampling import share_gap, units_of
from embedviz.evaluation.compared import Difference, flagged
from embedviz.evaluation.kind import SEED, Evaluation, FigureLine, FigureMark, Mistake, Mistakes, ahead
from embedviz.evaluation.quantity import Quantity
from embedviz.evaluation.simpler import (
    TITLES,
    SimplerRule,
    beats,
    named,
    rules_card,
    spelling_rows,
    strongest,
    value_of,
)
from embedviz.evaluation.words import as_spelled, covered
from embedviz.geometry.clusters import kmeans_labels
from embedviz.testsets import Categories

SHUFFLES = 200
MOST_CATEGORIES = 100
MOST_WORDS = 10_000
_DRAWN = 30  # most categories in the figure
QUANTITY = Quantity("purity", "Purity", "purity", "words", share=True)


class Home(NamedTuple):
    """A category and its own clusters: the clusters in which it is the most common category.

    Attributes:
        name: The name of the category.
        share: The share of the category's words that are in its own clusters.
        chance: The share of all words, of any category, that are in these clusters.
    """

    name: str
    share: Share
    chance: float

    @property
    def line(self) -> FigureLine:
        """Return the category as a row of the figure."""
        label = f"{share(self.share.value)} of {self.share.of:,} words<br>of all words {share(self.chance)}"
        return FigureLine(
            self.name, f"{self.share.of:,}", FigureMark(self.share.value, *self.share.interval, self.chance, label)
        )


class Stray(NamedTuple):
    """A word that is not in a cluster of its category. `among` is the most common category in the word's cluster."""

    word: str
    category: str
    among: str


@dataclass(frozen=True, eq=False)
class Purity:
    """Words with categories, clustered by a space, and the purity of the clusters.

    Attributes:
        space: The name of the space.
        name, title: The name and title of the test set.
        requested: The number of words in the test set.
        words: The n words of the test set that the space has, without words of left-out categories.
        categories: The names of the categories that have at least two words in the space; the others are left out.
        labels: The category of each word, as an index of `categories`, shape (n,).
        clusters: The cluster of each word, shape (n,).
        purity: The share of words whose category is the most common one in their cluster.
        low, high: The 95 % interval of the purity over words, with fixed clusters (Wilson 1927).
        chance: The mean purity of the same clusters with shuffled categories.
        chance_high: The purity that only 2.5 % of these shuffles reach.
        adjusted_rand: The adjusted Rand index.
        mutual_information: The mutual information of categories and clusters, divided by the mean of their entropies.
        rules: The simpler rule: the purity of clusters by the letters of the words, with the difference between the
            space and this rule.
        letters: The cluster of each word if words are clustered by their letters, shape (n,).
    """

    space: str
    name: str
    title: str
    requested: int
    words: tuple[str, ...]
    categories: tuple[str, ...]
    labels: Ints
    clusters: Ints
    purity: float
    low: float
    high: float
    chance: float
    chance_high: float
    adjusted_rand: float
    mutual_information: float
    rules: tuple[SimplerRule, ...]
    letters: Ints
    quantity: ClassVar[Quantity] = QUANTITY
    set_key: ClassVar[tuple[str, ...]] = ("name", "requested")
    parts: ClassVar[tuple[str, ...]] = ()

    @property
    def beyond_baseline(self) -> bool:
        """Return whether the purity is clearly above two baselines: shuffled categories, and clusters by spelling."""
        return self.purity > self.chance_high and beats(self.rules)

    @property
    def baseline(self) -> tuple[str, float]:
        """Return title and purity of the strongest baseline: the simpler rule, or shuffled categories."""
        return strongest(self.rules, ("shuffled categories", self.chance))

    @property
    def covered(self) -> int:
        """Return the number of clustered words."""
        return len(self.words)

    @property
    def value(self) -> float:
        """Return the purity."""
        return self.purity

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the 95 % interval of the purity."""
        return self.low, self.high

    count = covered

    @property
    def cells(self) -> dict[str, str]:
        """Return the cells of this space's row in the results table: column title → text."""
        return {
            "covered": f"{self.covered:,} of {self.requested:,}",
            "purity (95\u00a0%)": QUANTITY.within(self.purity, self.low, self.high),
            "by chance": share(self.chance),
            "spelling alone": value_of(self.rules, "spelling", share),
            "adjusted Rand": number(self.adjusted_rand),
            "mutual information": number(self.mutual_information),
        }

    @property
    def lines(self) -> tuple[FigureLine, ...]:
        """Return the rows of the figure: the first for all words, then one per category, the highest share first.

        Of many categories, only the best 30 have a row.
        """
        label = f"purity {share(self.purity)}<br>by chance {share(self.chance)}"
        whole = FigureMark(self.purity, self.low, self.high, self.chance, label)
        held = [one for one in self.shares if one.share.of]  # a shared sample may lack all words of a category
        best = sorted(held, key=lambda one: -one.share.value)[:_DRAWN]
        return (
            FigureLine("all categories", f"covered {self.covered:,}/{self.requested:,}", whole),
            *(home.line for home in best),
        )

    @property
    def sample(self) -> str:
        """Return sentences: the number of covered words, the 95 % interval and the adjusted Rand index."""
        return (
            f"Covered: {self.covered:,} of {self.requested:,} words. 95\u00a0% interval: {share(self.low)} to "
            f"{share(self.high)}. Adjusted Rand index {number(self.adjusted_rand)}; 0 by chance, 1 at best."
        )

    @property
    def note(self) -> str:
        """Explain the clustering, the chance baseline and the intervals."""
        return (
            f"k-means of unit rows, {len(self.categories)} clusters. Chance: the categories shuffled over the same "
            "clusters; for one category, the share of all words in its clusters. Intervals are over words, with fixed "
            "clusters."
        )

    def card(self) -> dict[str, object]:
        """Return the comparison with baselines as plain JSON values.

        It has the simpler rule (clusters by the letters of words), and whether the space beats all baselines.
        """
        return rules_card(self.rules, self.beyond_baseline)

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of the exported table, one row per word."""
        names = (self.categories[label] for label in self.labels.tolist())
        rows = zip(self.words, names, self.clusters.tolist(), self.at_home.tolist(), strict=True)
        return ("word", "category", "cluster", "with its own"), rows

    def mistakes(self, space: VectorSpace, categories: Categories, part: str, count: int) -> Mistakes:
        """Return at most `count` words that are in a cluster whose most common category is not their own."""
        listed = tuple(
            Mistake(f"{one.word}: {one.category}, with {one.among}", as_spelled(space, one.word))
            for one in self.strays[:count]
        )
        none = "" if listed else "Every word is in a cluster of its own category."
        return Mistakes("Words in other clusters", "Word, its category, and that of its cluster", listed, none)

    def against(self, other: Purity, seed: int) -> Difference:
        """Return the difference in purity, this space minus the other, on the words that both have."""
        ours, theirs = self._flags([other]), other._flags([self])
        return flagged(self, other, ours, theirs, lambda keys: units_of([(key,) for key in keys], "words"))

    @property
    def at_home(self) -> Ints:
        """Return 1 for each word whose category is the most common one in its cluster, otherwise 0, shape (n,)."""
        return at_home(self.labels, self.clusters).astype(np.int64)

    @property
    def counts(self) -> Ints:
        """Return the number of words of each category (rows) in each cluster (columns)."""
        return _table(self.labels, self.clusters)

    @property
    def strays(self) -> tuple[Stray, ...]:
        """Return the words in a cluster whose most common category is not their own, in the order of `words`."""
        held = self.counts.argmax(axis=0)
        return tuple(
            Stray(self.words[row], self.categories[self.labels[row]], self.categories[held[self.clusters[row]]])
            for row in np.flatnonzero(self.at_home == 0)
        )

    @property
    def shares(self) -> tuple[Home, ...]:
        """Return for each category the share of its words that are in its own clusters, with the share by chance.

        In a category's own clusters it is the most common category. The share by chance is the share of all words in
        these clusters.
        """
        counts = self.counts
        held = counts.argmax(axis=0)
        sizes = counts.sum(axis=0)
        return tuple(
            Home(
                name,
                Share(int(counts[place, held == place].sum()), int(counts[place].sum())),
                float(sizes[held == place].sum() / sizes.sum()),
            )
            for place, name in enumerate(self.categories)
        )

    @property
    def meaning(self) -> str:
        """Return two sentences: the purity, and a comparison with its baselines."""
        rules = f"shuffled categories ({share(self.chance)}) and {named(self.rules, share)}"
        return (
            f"{share(self.purity)} of {self.covered:,} words are in a cluster whose most common category is their own. "
            f"{ahead(self.beyond_baseline, rules)}"
        )

    def _flags(self, others: Sequence[Purity]) -> dict[str, bool]:
        """Return, for each word that all spaces have, whether it is in a cluster of its own category."""
        rows = self._shared_rows(others)
        if not len(rows):
            return {}
        home = at_home(self.labels[rows], self.clusters[rows])
        return {self.words[row].lower(): bool(own) for row, own in zip(rows.tolist(), home, strict=True)}

    def _shared_rows(self, others: Sequence[Purity]) -> Ints:
        """Return the indices of those words that all other spaces have, too."""
        common = set.intersection(*({word.lower() for word in each.words} for each in (self, *others)))
        return np.array([row for row, word in enumerate(self.words) if word.lower() in common], np.int64)

    def shared_with(self, others: Sequence[Purity]) -> Purity:
        """Return the purity over those words that this space and all other spaces have.

        The clusters stay the same; the most common category of a cluster is counted among these words. If there are no
        such words, this result is returned unchanged.
        """
        rows = self._shared_rows(others)
        if not len(rows):
            return self
        labels, clusters, letters = self.labels[rows], self.clusters[rows], self.letters[rows]
        value = _purity(labels, clusters)
        low, high = Share(round(value * len(rows)), len(rows)).interval
        chance, chance_high = _chance(labels, clusters, 0)
        rand, information = _agreement(labels, clusters)
        return replace(
            self,
            words=tuple(self.words[row] for row in rows.tolist()),
            labels=labels,
            clusters=clusters,
            letters=letters,
            purity=value,
            low=low,
            high=high,
            chance=chance,
            chance_high=chance_high,
            adjusted_rand=rand,
            mutual_information=information,
            rules=(_spelling(labels, clusters, letters),),
        )


@offered("scores", "print(scores.meaning)")
def purity(
    space: VectorSpace,
    categories: Categories,
    *,
    seed: int = 0,
    report: Report | None = None,
) -> Purity:
    """Return the purity of the words of a test set, in as many clusters as categories, with its baselines.

    A category is left out if the space has fewer than two words of the category.

    Args:
        seed: The seed for k-means and for shuffling.

    Raises:
        OptionError: Fewer than two categories are left, or they are more than `MOST_CATEGORIES`, or have more than
            `MOST_WORDS` words.
    """
    found = {group: covered(space, words) for group, words in categories.groups.items()}
    usable = {group: each for group, each in found.items() if len(each.words) > 1}
    rows, labels = _joined([each.rows for each in usable.values()])
    if len(usable) < 2 or len(set(labels.tolist())) < 2:
        raise OptionError(
            f"The space has two words or more of {len(usable)} of the {len(found)} categories; "
            "two categories are needed."
        )
    if len(usable) > MOST_CATEGORIES or len(rows) > MOST_WORDS:
        raise OptionError(
            f"{len(rows):,} words in {len(usable):,} categories are too many; at most {MOST_WORDS:,} in "
            f"{MOST_CATEGORIES} are clustered."
        )
    tell(report, 0.1, f"{len(rows):,} words clustered by k-means")
    clusters = kmeans_labels(np.ascontiguousarray(space.unit_rows(rows)), len(usable), seed)
    words = tuple(space.words_at(rows))
    by_letters = kmeans_labels(spelling_rows(words), len(usable), seed)
    value = _purity(labels, clusters)
    return Purity(
        space.origin.name,
        categories.name,
        categories.title,
        len(categories),
        words,
        tuple(usable),
        labels,
        clusters,
        value,
        *Share(round(value * len(rows)), len(rows)).interval,
        *_chance(labels, clusters, seed),
        *_agreement(labels, clusters),
        (_spelling(labels, clusters, by_letters),),
        by_letters,
    )


def _chance(labels: Ints, clusters: Ints, seed: int) -> tuple[float, float]:
    """Return the mean purity of shuffled categories, and the purity that only 2.5 % of the shuffles reach."""
    random = np.random.default_rng(seed)
    shuffled = np.array([_purity(random.permutation(labels), clusters) for _ in range(SHUFFLES)])
    return float(shuffled.mean()), inner(shuffled)[1]


def _spelling(labels: Ints, ours: Ints, theirs: Ints) -> SimplerRule:
    """Return the simpler rule: the purity of clusters by letters, with the difference between the space and this rule.

    The interval of the difference takes words as independent of each other.

    Args:
        labels: The category of each word, shape (n,).
        ours, theirs: The cluster of each word by the space (`ours`), and by its letters (`theirs`), shape (n,).
    """
    home, spelled = at_home(labels, ours), at_home(labels, theirs)
    units = units_of([(row,) for row in range(len(labels))], "words")
    return SimplerRule("spelling", TITLES["spelling"], float(spelled.mean()), share_gap(home, spelled, units))


def at_home(labels: Ints, clusters: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return whether each word's category is the most common one in its cluster, shape (n,)."""
    return np.asarray(_table(labels, clusters).argmax(axis=0)[clusters] == labels)


def _table(labels: Ints, clusters: Ints) -> Ints:
    """Return the number of words of each category (rows) in each cluster (columns)."""
    counts = np.zeros((int(labels.max()) + 1, int(clusters.max()) + 1), np.int64)
    np.add.at(counts, (labels, clusters), 1)
    return counts


def column_names(space: VectorSpace) -> tuple[str, ...]:
    """Return the names of the text columns of a space that can be read as categories.

    Such a column has at most half as many different values as the space has words. Among these are 2 to 100 values
    that several words have in common.
    """
    return tuple(name for name in space.metadata if _column_groups(space, name) is not None)


@offered("given", "print(given.title)")
def of_column(space: VectorSpace, name: str) -> Categories:
    """Return the words of a space as a test set, with the values of a text column as categories.

    Only the first 10,000 rows are used. A value that only one word has is left out.

    Raises:
        OptionError: There is no such column, or it cannot be read as categories (see `column_names`).
    """
    groups = _column_groups(space, name) if name in space.metadata else None
    if groups is None:
        known = ", ".join(column_names(space)) or "none in this space"
        raise OptionError(f"The column {name!r} cannot be read as categories. There is: {known}.")
    source = f"The column {name} of {space.origin.name}, its first {min(len(space), MOST_WORDS):,} rows."
    return Categories(name, name, {group: tuple(words) for group, words in groups.items()}, source)


def _column_groups(space: VectorSpace, name: str) -> dict[str, list[str]] | None:
    column = space.metadata[name]
    if isinstance(column, np.ndarray):
        return None
    groups: dict[str, list[str]] = {}
    for row in range(min(len(space), MOST_WORDS)):
        if text := column[row].strip():
            groups.setdefault(text, []).append(space.words[row])
    several = {group: words for group, words in groups.items() if len(words) > 1}
    few = 2 <= len(several) <= MOST_CATEGORIES and len(groups) <= len(space) / 2
    return several if few else None


def _joined(parts: list[Ints]) -> tuple[Ints, Ints]:
    """Return the rows of all `parts`, each row once, and the index of the part of each row, both of shape (n,).

    A row in several parts belongs to the first of them.
    """
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = np.concatenate(parts)
    labels = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    _, first = np.unique(rows, return_index=True)
    first = np.sort(first)
    return rows[first], np.asarray(labels[first], np.int64)


def _purity(labels: Ints, clusters: Ints) -> float:
    return float(_table(labels, clusters).max(axis=0).sum() / len(labels))


def _agreement(labels: Ints, clusters: Ints) -> tuple[float, float]:
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    return float(adjusted_rand_score(labels, clusters)), float(normalized_mutual_info_score(labels, clusters))


ROW = Evaluation(
    "categories",
    "Categories",
    purity,
    (SEED,),
    "Whether clusters found without the categories contain words of one category.",
    "Manning, Raghavan and Schütze 2008, section 16.3",
    long=True,
    question="Do words of one category lie together?",
    columns=("covered", "purity (95\u00a0%)", "by chance", "spelling alone", "adjusted Rand", "mutual information"),
    unit="words in clusters of their category",
    baseline="by chance",
    marks="Dot: share of words in clusters of their own category. Line through it: its 95\u00a0% interval. Upright "
    "tick: chance. ▼: below it.",
)
