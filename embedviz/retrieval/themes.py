"""Clusters of texts, named by their typical words, and how well clusters and nearest texts match known groups."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import Choice, Method, OptionError, Parameter, check, choose, table
from embedviz.core.phrases import joined, listing, number, share, shortened
from embedviz.core.progress import Report, part, step, tell
from embedviz.core.space import Ints, VectorSpace, WordBlob
from embedviz.core.stats.intervals import Z
from embedviz.core.stats.resampling import drawn_rows
from embedviz.corpus import count_terms, opened
from embedviz.corpus.columns import MOST_GROUPS
from embedviz.geometry.clusters import MOST, Clusters, kmeans, kmeans_options
from embedviz.geometry.density import SELECTIONS, Dense, hdbscan
from embedviz.neighbors import Neighbor, nearest_lists, similarities
from embedviz.neighbors.lists import listed, nearest_rows
from embedviz.projection import Projection
from embedviz.projection.coloring import REST, Coloring
from embedviz.retrieval.cluster_words import ClusterWord, cluster_words
from embedviz.retrieval.spaces import DOCUMENTS, METHODS, text_space

MOST_CLUSTERS = 40
NAMED = 3
"""Number of words in the name of a cluster."""
REDUCED = {"kmeans": 200, "hdbscan": 50}
"""Dimensions that a larger space is reduced to: with many dimensions, no region is clearly denser than another."""
QUERIES = 2_000
"""Maximum number of texts whose nearest texts are examined."""
SHUFFLES = 20
NEAREST = (1, 5)


@dataclass(frozen=True)
class TextCluster:
    """A cluster of texts.

    Attributes:
        size: Number of texts.
        terms: Words that describe the cluster, the best first.
        central: Rows of the three texts nearest to the center; `example`: the nearest of these texts.
        group: The most frequent group, or empty; `purity`, `usual`: its share in the cluster, and among all texts.
        silhouette: Mean silhouette of a sample of its texts (see `_silhouettes`); None if not computed.
    """

    size: int
    terms: tuple[ClusterWord, ...]
    central: tuple[int, ...]
    group: str = ""
    purity: float = 0.0
    silhouette: float | None = None
    usual: float = 0.0
    example: str = ""

    @property
    def mixed(self) -> bool:
        """Return whether the cluster's texts are on average no nearer to each other than to another cluster."""
        return self.size > 1 and self.silhouette is not None and self.silhouette <= 0

    @property
    def name(self) -> str:
        """Return up to three typical words of the cluster; if it has none, the beginning of its most central text."""
        return ", ".join(term.word for term in self.terms[:NAMED]) or shortened(self.example, 32)


class ShuffledBaseline(NamedTuple):
    """The value of a measure, and the mean and maximum of the measure with shuffled labels."""

    value: float
    shuffled: float
    best: float


@dataclass(frozen=True)
class GroupAgreement:
    """Agreement of clusters with known groups.

    Attributes:
        texts: Number of texts that are in a cluster; other texts do not count.
        purity: Share of texts whose group is the most frequent group of their cluster.
        rand: Adjusted Rand index (Hubert and Arabie 1985): 1 for equal partitions, 0 by chance.
    """

    groups: int
    texts: int
    purity: ShuffledBaseline
    rand: ShuffledBaseline

    def table(self) -> tuple[tuple[str, ...], Sequence[tuple[str, ...]]]:
        """Return the header and one row per measure: its value here, and its mean for shuffled groups."""
        rows = [
            ("largest group of a cluster", share(self.purity.value), share(self.purity.shuffled)),
            ("adjusted Rand", number(self.rand.value), number(self.rand.shuffled)),
        ]
        return (f"clusters and groups, {self.texts:,} texts", "here", "shuffled"), rows

    @property
    def meaning(self) -> str:
        """Say how far clusters and groups agree, compared with shuffled groups."""
        purity = f"{share(self.purity.value)} of the texts belong to the largest group of their cluster"
        chance = f"{share(self.purity.shuffled)} with the groups shuffled"
        if self.rand.value <= self.rand.best:
            no = f"The clusters do not agree with the {self.groups} known groups more than by chance."
            return f"{purity} ({chance}). {no}"
        return (
            f"{purity} ({chance}). Agreement of the clusters with the {self.groups} known groups: adjusted Rand index "
            f"{number(self.rand.value)} (1: equal, 0: chance)."
        )


@dataclass(frozen=True, eq=False)
class Themes:
    """Clusters of a space of texts, the largest first.

    Attributes:
        clusters: Result of k-means or HDBSCAN, of the space and of random copies, which have no real clusters.
        themes: The clusters with their words.
        agreement: Agreement with known groups, or None.
        directions: Number of singular directions that the rows were reduced to; 0 if they were not reduced.
    """

    clusters: Clusters | Dense
    themes: tuple[TextCluster, ...]
    agreement: GroupAgreement | None
    directions: int

    @property
    def labels(self) -> Ints:
        """Return the cluster of each text, (n,); −1 for a text in no cluster."""
        return self.clusters.labels

    @property
    def outside(self) -> int:
        """Count the texts in no cluster, rows of zeros included."""
        return int(np.count_nonzero(self.labels < 0))

    @property
    def meaning(self) -> str:
        """Say whether the clusters are clearer than those of random copies, which have no real clusters."""
        return self.clusters.meaning_of("texts")

    @property
    def subjects(self) -> str:
        """List the names and sizes of the three largest clusters; empty if there is no cluster."""
        if not self.themes:
            return ""
        named = [f"“{one.name}” ({one.size:,} texts)" for one in self.themes[:3]]
        return f"{'Largest clusters' if len(named) > 1 else 'One cluster'}: {joined(named)}."

    @property
    def note(self) -> str:
        """Explain how the clusters were found and named."""
        where = f" in their first {self.directions} singular directions" if self.directions else ""
        return (
            f"Clusters are found in the space, not on the map. {self.clusters.method(where, 'texts')} The name of a "
            "cluster has words that more of its texts contain than other texts do (class-based TF-IDF with shares of "
            "texts; Grootendorst 2022). Function words and words that are frequent in most clusters are left out."
        )

    def table(
        self, space: VectorSpace, drawn: Projection | None = None
    ) -> tuple[tuple[str, ...], Sequence[tuple[str | float, ...]]]:
        """Return the header and one row for each text: its cluster, all columns and its position on a map.

        Args:
            drawn: A map of the space; the position of a text that is not on it is left empty.
        """
        places = drawn.position if drawn is not None else {}
        axes = tuple("xyz"[: drawn.points.shape[1]]) if drawn is not None else ()
        others = {
            name: column.tolist() if isinstance(column, np.ndarray) else column
            for name, column in space.metadata.items()
            if name != "text"
        }
        texts = _texts(space)
        rows = []
        for row, cluster in enumerate(self.labels.tolist()):
            point = drawn.points[places[row]].tolist() if drawn is not None and row in places else [""] * len(axes)
            named = self.themes[cluster].name if cluster >= 0 else ""
            rows.append((space.words[row], named, *(column[row] for column in others.values()), *point, texts[row]))
        return ("name", "cluster", *others, *axes, "text"), rows

    def coloring(self, rows: Ints | None = None) -> Coloring:
        """Return a coloring of all texts, or of the texts `rows`: the eight largest clusters in colors, others grey."""
        labels = self.labels if rows is None else self.labels[rows]
        codes = np.where((labels < 0) | (labels >= MOST), REST, labels).astype(np.uint8)
        names = tuple(theme.name for theme in self.themes[:MOST])
        left = len(self.themes) - len(names)
        note = f"Color: the {MOST} largest of {len(self.themes)} clusters." if left > 0 else ""
        values = [self.themes[cluster].name if cluster >= 0 else "" for cluster in labels.tolist()]
        return Coloring("themes", "Cluster", "category", codes, names, note=note, values=values)


@dataclass(frozen=True)
class GroupScores:
    """How often the nearest texts are in the same group.

    Attributes:
        accuracies: k → share of texts whose group is the most frequent among their k nearest texts, with shuffled
            groups as baseline. A tie goes to the group of the nearer text.
        largest: Share of the largest group: the accuracy of always guessing this group.
        sample: Number of texts examined. They are drawn from all texts with a nonzero row (`texts`: their number).
    """

    accuracies: dict[int, ShuffledBaseline]
    groups: int
    largest: float
    sample: int
    texts: int

    def margin_of(self, k: int) -> float:
        """Return half the width of the 95 % interval of the accuracy for k (normal approximation)."""
        value = self.accuracies[k].value
        return Z * float(np.sqrt(value * (1 - value) / self.sample))

    @property
    def beyond_chance(self) -> bool:
        """Return whether the accuracy's interval for k = 1 is above both baselines (best shuffle, largest group)."""
        return self.accuracies[1].value - self.margin_of(1) > max(self.accuracies[1].best, self.largest)

    @property
    def meaning(self) -> str:
        """Say how often the nearest text is in the same group, and whether this is more than chance."""
        one = self.accuracies[1]
        sentence = f"The nearest text is in the same group for {share(one.value)} of {self.sample:,} texts"
        level = f"guessing the largest group: {share(self.largest)}; shuffled groups: {share(one.shuffled)}"
        more = "" if self.beyond_chance else " This is not significantly more than chance."
        return f"{sentence} ({level}).{more}"


CLUSTERS: dict[str, Method] = table(
    Method(
        "kmeans",
        "k-means",
        partial(kmeans, most=MOST_CLUSTERS),
        kmeans_options(lambda n: min(MOST_CLUSTERS, max(2, n - 1)), clusters=6, restarts=4),
        "k-means of unit rows. It always finds clusters; the sentence under the map compares them with chance.",
        "Lloyd 1982; Rousseeuw 1987",
        long=True,
    ),
    Method(
        "hdbscan",
        "HDBSCAN",
        hdbscan,
        (
            Parameter(
                "min_cluster_size",
                0,
                lambda n: max(2, n // 2),
                0,
                "Least number of texts in a cluster; 0: half the square root of all texts, at least 5.",
                "Minimum cluster size",
                "automatic",
            ),
            Parameter(
                "min_samples", 1, 100, 5, "Larger values leave more texts in no cluster.", "Neighbors for the density"
            ),
            Choice(
                "selection",
                SELECTIONS,
                "eom",
                "eom: the most stable clusters; leaf: more and smaller clusters.",
                "Selection",
            ),
            Parameter("seed", 0, 2**31 - 1, 0, "Seed of the structureless copies.", "Seed"),
        ),
        "Clusters are regions of high density. It finds their number, and leaves some texts in no cluster.",
        "Campello, Moulavi and Sander 2013",
        long=True,
    ),
)


@offered("found", "print(found.meaning)", "for theme in found.themes:", '    print(theme.size, theme.name, sep="  ")')
def themes(space: VectorSpace, method: str = "kmeans", *, report: Report | None = None, **options: Any) -> Themes:
    """Return the clusters of a space of texts by a method of `CLUSTERS`, with their words.

    Args:
        space: A space of texts: its column *text* has the texts, and *group*, if present, their groups.

    Raises:
        OptionError: The space has no texts, there is no such method, an option is out of range, or every row is zeros.
    """
    row = choose(CLUSTERS, method, "method for clusters")
    values = check(row, options, space)
    texts = _texts(space)
    reduced, directions = _reduced(space, REDUCED[method])

    rows = np.arange(len(space))
    found: Clusters | Dense = row.function(reduced, rows, **values, report=part(report, 0.0, 0.8))
    tell(report, 0.8, "naming the clusters")
    named = cluster_words(texts, found.labels, found.sizes)
    groups = space.metadata.get("group")
    known = np.asarray(list(groups)) if groups is not None else None
    made, silhouettes = [], _silhouettes(reduced, found.labels, values["seed"])
    for cluster, terms in enumerate(named):
        inside = np.flatnonzero(found.labels == cluster)
        near = inside[np.argsort(-(reduced.unit_rows(inside) @ found.centers[cluster]), kind="stable")[:3]]
        group, count = Counter(known[inside].tolist()).most_common(1)[0] if known is not None else ("", 0)
        usual = float(np.mean(known == group)) if known is not None else 0.0
        who = len(inside), terms, tuple(near.tolist()), str(group), count / len(inside)
        made.append(TextCluster(*who, silhouettes.get(cluster), usual, texts[near[0]]))
    agreed = _agreement(found.labels, known, values["seed"]) if known is not None else None
    return Themes(found, tuple(made), agreed, directions)


class NearestTexts(NamedTuple):
    """The nearest texts of a text, and the 5th percentile, mean and 95th percentile of its cosines with all others."""

    neighbors: tuple[Neighbor, ...]
    low: float
    mean: float
    high: float


def nearest_texts(space: VectorSpace, key: str, k: int = 8) -> NearestTexts:
    """Return the k nearest texts by cosine, nearest first, and how large the cosine with a random text is.

    Raises:
        UnknownWordError: There is no text with this key.
    """
    values = similarities(space, space.vector(key))
    others = np.delete(values, space.row(key))
    others = others[np.isfinite(others)]
    low, high = np.percentile(others, (5, 95)) if len(others) else (0.0, 0.0)
    found = listed(space, values[near := nearest_rows(space, values, (key,), k)], near)
    return NearestTexts(found, float(low), float(others.mean()) if len(others) else 0.0, float(high))


@offered("groups", "print(groups.meaning)")
def group_scores(
    space: VectorSpace, *, column: str = "group", seed: int = 0, report: Report | None = None
) -> GroupScores:
    """Return how often the nearest texts by cosine are in the same group, for at most 2,000 random texts.

    Args:
        column: The column that names the group of each text.

    Raises:
        OptionError: There is no such column, it has more than 1,000 values, or fewer than three rows are nonzero.
    """
    groups = space.metadata.get(column)
    if groups is None:
        known = listing([name for name in space.metadata if name != "text"], 8) or "none"
        none = "No groups are known of these texts."
        raise OptionError(
            none if column == "group" else f"There is no column “{column[:80]}”. The columns are: {known}."
        )
    whole = np.flatnonzero(space.norms > 0)
    if len(whole) < 3:
        raise OptionError(f"{len(whole)} texts have a direction; three are needed to speak of neighbors.")
    names, labels = np.unique(np.asarray([str(group) for group in groups]), return_inverse=True)
    if len(names) > MOST_GROUPS:
        raise OptionError(f"{column} has {len(names):,} values; at most {MOST_GROUPS:,} are compared as groups.")
    random = np.random.default_rng(seed)
    looked = drawn_rows(whole, QUERIES, random)
    k = min(max(NEAREST), len(whole) - 1)
    near = _nearest(space, looked, k, report)
    ks = [one for one in NEAREST if one <= k]
    shuffles = []
    for _ in range(SHUFFLES):
        permuted = labels.copy()
        permuted[whole] = random.permutation(labels[whole])
        shuffles.append([_accuracy(permuted, looked, near[:, :one]) for one in ks])
    chance = np.asarray(shuffles)
    found = {
        one: ShuffledBaseline(
            _accuracy(labels, looked, near[:, :one]), float(chance[:, place].mean()), float(chance[:, place].max())
        )
        for place, one in enumerate(ks)
    }
    sizes = np.bincount(labels[whole])
    return GroupScores(found, len(names), float(sizes.max() / len(whole)), len(looked), len(whole))


def group_table(scores: Mapping[str, GroupScores]) -> tuple[tuple[str, ...], Sequence[tuple[str, ...]]]:
    """Return the header and one row for each method and k; `scores` maps the title of a method to its scores."""
    rows = [
        (
            f"{'nearest' if k == 1 else f'{k} nearest'}, {title}",
            f"{share(one.value)} ±{100 * scores[title].margin_of(k):.0f}",
            share(one.shuffled),
        )
        for title in (row.title for row in METHODS.values() if row.title in scores)
        for k, one in scores[title].accuracies.items()
    ]
    return ("group predicted by the", "here", "shuffled"), rows


def scores_by_method(
    source: str | Path, words: VectorSpace | None = None, *, seed: int = 0, report: Report | None = None
) -> dict[str, GroupScores]:
    """Return title → group scores for each method of `DOCUMENTS` that these texts allow, with its default options.

    Args:
        source: The texts, as `corpus.opened` takes them.
        words: Word vectors for *mean* and *sif*.

    Raises:
        CorpusError: There are no such texts.
        OptionError: The texts have no groups; also as for `group_scores`.
    """
    texts = opened(source)
    if texts.labels is None:
        raise OptionError("No groups are known of these texts.")
    terms, found = count_terms(texts.texts), {}
    for place, (name, row) in enumerate(DOCUMENTS.items()):
        progress = step(report, place, len(DOCUMENTS))
        try:
            space = text_space(texts, name, words, terms=terms).space
        except OptionError:
            continue
        found[row.title] = group_scores(space, seed=seed, report=progress)
    return found


def _texts(space: VectorSpace) -> WordBlob:
    texts = space.metadata.get("text")
    if not isinstance(texts, WordBlob):
        raise OptionError(f"{space.origin.name} is not a space of texts.")
    return texts


def _reduced(space: VectorSpace, most: int) -> tuple[VectorSpace, int]:
    """Return the space of the unit rows in their first `most` singular directions, and `most`.

    A space with at most `most` rows or dimensions is returned unchanged, with 0.
    """
    if space.dimensions <= most or len(space) <= most:
        return space, 0
    from sklearn.utils.extmath import randomized_svd

    unit = space.unit_rows(slice(None))
    _, _, right = randomized_svd(unit, most, n_iter=3, random_state=0)
    return VectorSpace(space.words, np.asarray(unit @ right.T, np.float32), None, {}, space.origin), most


def _silhouettes(space: VectorSpace, labels: Ints, seed: int) -> dict[int, float]:
    """Return a mapping from cluster to mean silhouette, of at most `QUERIES` random texts; {} for under 2 clusters."""
    from sklearn.metrics import silhouette_samples

    rows = drawn_rows(np.flatnonzero(labels >= 0), QUERIES, seed)
    used = labels[rows]
    clusters = np.unique(used)
    if not 2 <= len(clusters) < len(rows):
        return {}
    each = silhouette_samples(space.unit_rows(rows), used)
    return {int(cluster): float(each[used == cluster].mean()) for cluster in clusters}


def _agreement(labels: Ints, known: Any, seed: int) -> GroupAgreement | None:
    from sklearn.metrics import adjusted_rand_score

    whole = labels >= 0
    clusters, (names, groups) = labels[whole], np.unique(known[whole], return_inverse=True)
    if len(names) < 2 or not len(clusters):
        return None
    random = np.random.default_rng(seed)
    copies = [random.permutation(groups) for _ in range(SHUFFLES)]

    def compared(measure: Callable[[Ints], float]) -> ShuffledBaseline:
        chance = [measure(copy) for copy in copies]
        return ShuffledBaseline(measure(groups), float(np.mean(chance)), float(np.max(chance)))

    return GroupAgreement(
        len(names),
        len(clusters),
        compared(lambda truth: _purity(clusters, truth)),
        compared(lambda truth: float(adjusted_rand_score(truth, clusters))),
    )


def _purity(clusters: Ints, groups: Ints) -> float:
    table = np.zeros((clusters.max() + 1, groups.max() + 1), np.int64)
    np.add.at(table, (clusters, groups), 1)
    return float(table.max(axis=1).sum() / len(clusters))


def _nearest(space: VectorSpace, looked: Ints, k: int, report: Report | None) -> Ints:
    """Return the rows of the k nearest other texts of each examined text, nearest first, (m, k)."""

    def done(count: int) -> None:
        tell(report, count / len(looked), f"neighbors of {count:,} of {len(looked):,} {space.noun}s")

    return nearest_lists(space, looked, k, done=done)[0]


def _accuracy(labels: Ints, looked: Ints, near: Ints) -> float:
    """Return the share of texts whose group is the most frequent group of their neighbors; a tie goes to the nearer."""
    groups = labels[near]
    votes = (groups[:, :, None] == groups[:, None, :]).sum(axis=2)
    predicted = groups[np.arange(len(groups)), votes.argmax(axis=1)]
    return float((predicted == labels[looked]).mean())
