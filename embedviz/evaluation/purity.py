"""Purity: whether clusters found without the categories hold words of one category.

The words are clustered by k-means on their unit vectors, as many clusters as there are categories. Purity is the share
of words that are of the most common category of their cluster (Manning, Raghavan and Schütze 2008, section 16.3). It
is never 0: beside it stands what the same clusters have when the categories are dealt out anew, and the adjusted Rand
index (Hubert and Arabie 1985) and normalised mutual information, whose chance level is 0 and near 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.core.stats.resampling import share_gap, units_of
from embedviz.evaluation.simpler import TITLES, Rule, beats, named, spelling_rows, strongest
from embedviz.evaluation.words import covered
from embedviz.testsets import Categories

SHUFFLES = 200
RESTARTS = 10
MOST_CATEGORIES = 100
MOST_WORDS = 10_000


class Home(NamedTuple):
    """A category among clusters: its words in clusters of which it is the most common, and the share of all words."""

    name: str
    share: Share
    chance: float


class Stray(NamedTuple):
    """A word outside the clusters of its category, and the category that leads its cluster."""

    word: str
    category: str
    among: str


@dataclass(frozen=True, eq=False)
class Purity:
    """Clusters of words with categories.

    Attributes:
        space, name, title: Of the space, and of the set.
        asked: Words of the set.
        words: Those that the space has, (n,).
        categories: Names of the categories that have words here.
        labels: The category of each word, (n,).
        clusters: Its cluster, (n,).
        purity: Share of words of the most common category of their cluster.
        low, high: Its 95 % interval over words, the clusters held fast (Wilson 1927).
        chance: Mean purity of the same clusters with the categories permuted over the words.
        chance_high: What 2.5 % of those permutations reach.
        adjusted_rand, mutual_information: Adjusted Rand index; mutual information over the mean of both entropies.
        rules: The purity of as many clusters by the letters of the words alone, and how far the space is ahead.
    """

    space: str
    name: str
    title: str
    asked: int
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
    rules: tuple[Rule, ...]

    @property
    def beyond_baseline(self) -> bool:
        """Whether the purity is above that of permuted categories, and clearly above that of clusters by letters."""
        return self.purity > self.chance_high and beats(self.rules)

    @property
    def baseline(self) -> tuple[str, float]:
        """The strongest simpler rule, or chance, and what it reaches."""
        return strongest(self.rules, ("categories dealt out at random", self.chance))

    @property
    def covered(self) -> int:
        """Words that were clustered."""
        return len(self.words)

    @property
    def table(self) -> Ints:
        """Words of each category (rows) in each cluster (columns)."""
        return _table(self.labels, self.clusters)

    @property
    def at_home(self) -> Ints:
        """1 for each word of the most common category of its cluster, else 0, (n,); its mean is the purity."""
        return at_home(self.labels, self.clusters).astype(np.int64)

    @property
    def strays(self) -> tuple[Stray, ...]:
        """The words that lie with another category, in the set's order."""
        held = self.table.argmax(axis=0)
        return tuple(
            Stray(self.words[row], self.categories[self.labels[row]], self.categories[held[self.clusters[row]]])
            for row in np.flatnonzero(self.at_home == 0)
        )

    @property
    def shares(self) -> tuple[Home, ...]:
        """Each category: how many of its words lie in clusters of which it is the most common, and its chance."""
        counts = self.table
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
        """What was found, in sentences."""
        found = (
            f"{share(self.purity)} of {self.covered:,} words are of their cluster's most common category; "
            f"with the categories dealt out at random: {share(self.chance)}, by {named(self.rules, shares=True)}."
        )
        if not self.beyond_baseline:
            return f"{found} It is not shown to do better than these."
        return f"{found} Adjusted Rand index {number(self.adjusted_rand)}; 0 by chance, 1 at best."


@offered("scores", "print(scores.meaning)")
def purity(
    space: VectorSpace,
    categories: Categories,
    *,
    seed: int = 0,
    shuffles: int = SHUFFLES,
    report: Report | None = None,
) -> Purity:
    """The purity of as many clusters as there are categories, beside chance.

    A category of which the space has fewer than two words is left out.

    Raises:
        OptionError: Fewer than two categories are left, or there are too many to cluster.
    """
    found = {group: covered(space, words) for group, words in categories.groups.items()}
    kept = {group: each for group, each in found.items() if len(each.words) > 1}
    rows, labels = _joined([each.rows for each in kept.values()])
    if len(kept) < 2 or len(set(labels.tolist())) < 2:
        raise OptionError(
            f"The space has two words or more of {len(kept)} of the {len(found)} categories; two categories are needed."
        )
    if len(kept) > MOST_CATEGORIES or len(rows) > MOST_WORDS:
        raise OptionError(
            f"{len(rows):,} words in {len(kept):,} categories are too many; at most {MOST_WORDS:,} in "
            f"{MOST_CATEGORIES} are clustered."
        )
    if report is not None:
        report(0.1, f"{len(rows):,} words clustered by k-means")
    clusters = _clustered(np.ascontiguousarray(space.unit_rows(rows)), len(kept), seed)
    words = tuple(space.words_at(rows))
    by_letters = _clustered(spelling_rows(words), len(kept), seed)
    value, many = _purity(labels, clusters), np.random.default_rng(seed)
    shuffled = np.array([_purity(many.permutation(labels), clusters) for _ in range(shuffles)])
    return Purity(
        space.origin.name,
        categories.name,
        categories.title,
        len(categories),
        words,
        tuple(kept),
        labels,
        clusters,
        value,
        *Share(round(value * len(rows)), len(rows)).interval,
        float(shuffled.mean()),
        float(np.percentile(shuffled, 97.5)),
        *_agreement(labels, clusters),
        (_spelling(labels, clusters, by_letters),),
    )


def _spelling(labels: Ints, ours: Ints, theirs: Ints) -> Rule:
    """The purity of clusters by letters, and how far the other clusters are ahead; words are drawn independently."""
    home, spelled = at_home(labels, ours), at_home(labels, theirs)
    units = units_of([(row,) for row in range(len(labels))], "words")
    return Rule("spelling", TITLES["spelling"], float(spelled.mean()), share_gap(home, spelled, units))


def at_home(labels: Ints, clusters: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which words are of the most common category of their cluster, (n,)."""
    return np.asarray(_table(labels, clusters).argmax(axis=0)[clusters] == labels)


def _table(labels: Ints, clusters: Ints) -> Ints:
    """Words of each category (rows) in each cluster (columns)."""
    counts = np.zeros((int(labels.max()) + 1, int(clusters.max()) + 1), np.int64)
    np.add.at(counts, (labels, clusters), 1)
    return counts


def column_names(space: VectorSpace) -> tuple[str, ...]:
    """The text columns of a space that can be read as categories: fewer values than half of its words."""
    return tuple(name for name in space.metadata if _column_groups(space, name) is not None)


@offered("given", "print(given.title)")
def of_column(space: VectorSpace, name: str) -> Categories:
    """The words of a space in the categories that one of its text columns names; the first ones of a large space.

    Raises:
        OptionError: The column is not there, holds numbers, or has about as many values as there are words.
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
    """All rows and the number of the part that each is of; a row that stands in two parts belongs to the first."""
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = np.concatenate(parts)
    labels = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    _, first = np.unique(rows, return_index=True)
    first = np.sort(first)
    return rows[first], np.asarray(labels[first], np.int64)


def _clustered(unit: Float, k: int, seed: int) -> Ints:
    import warnings

    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer rows differ than clusters were asked for
        return np.asarray(KMeans(k, n_init=RESTARTS, random_state=seed).fit(unit).labels_, np.int64)


def _purity(labels: Ints, clusters: Ints) -> float:
    return float(_table(labels, clusters).max(axis=0).sum() / len(labels))


def _agreement(labels: Ints, clusters: Ints) -> tuple[float, float]:
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    return float(adjusted_rand_score(labels, clusters)), float(normalized_mutual_info_score(labels, clusters))
