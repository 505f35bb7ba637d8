"""How well labelled points separate: each score beside what it gives when the labels are shuffled.

A few points in hundreds of dimensions always look separated in some way, so no score stands without its chance band:
the points stay, their labels are permuted. The labels are called senses here, after the use they are made for: the
occurrences of one word, layer by layer. A bag-of-words control is the same call on other vectors.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from embedviz.clusters import APART, directions_within, overlap
from embedviz.options import OptionError
from embedviz.saying import listing, number, share
from embedviz.space import Ints, VectorSpace

LEAST = 8
"""Points of a sense below which no score is given: fewer separate by chance."""
MOST = 2_000
"""Points: all their cosines are held at once."""
PERMUTATIONS = 1_000
FOLDS = 5
BAND = 0.95
"""Share of the shuffled scores that lies within a chance band."""
_RESTARTS = 10
_TIED = 1e-6  # cosines that differ by less are equal: layer 0 has the same vector wherever the position is the same
_HELD = 2_000_000  # numbers held at a time

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """One number with what shuffled senses give.

    Attributes:
        name: As an address and the command line say it.
        title: As a page says it.
        chance: Its mean over shuffled senses; exact for the difference, the Rand index and the nearest neighbor.
        low, high: 95 % of the shuffled scores lie between them.
    """

    name: str
    title: str
    value: float
    chance: float
    low: float
    high: float

    @property
    def beyond(self) -> bool:
        """Whether it is above its chance band; one shuffled score in forty is."""
        return self.value > self.high


@dataclass(frozen=True)
class Separation:
    """How well the senses of some points separate; scores are None where they were left out.

    Attributes:
        senses: Their names, in order of first appearance.
        sizes: Points of each.
        within, between: Mean cosine of two points of one sense, and of two senses, over all pairs.
        difference: `within` minus `between`.
        silhouette: Mean over the points, by cosine distance, −1 to 1 (Rousseeuw 1987).
        ari: Adjusted Rand index of k-means, as many clusters as senses, on unit vectors (Hubert and Arabie 1985).
        nearest_neighbor: Share of points whose nearest other point by cosine has their sense; equally near ones share
            the vote.
        nearest_centroid: Share of points nearest by cosine to their own sense's mean unit vector, which was taken
            without their fold. Not leave-one-out: a single point left out pulls its own mean away, and the share falls
            below chance. Where points are matched one by one, as the sentences of `datasets.sense_sentences` are in
            place, the twin of a point held out has the other sense, and a layer that knows the place alone falls below
            its band, by both nearest neighbor and centroid: that is no separation either.
        directions: Directions in use within the senses, as `clusters.directions_within` counts them.
        permutations: Shuffles behind each chance band.
        folds: Of the nearest centroid.
        left_out: Why there are no scores, in a sentence; empty where there are.
    """

    senses: tuple[str, ...]
    sizes: tuple[int, ...]
    within: float | None = None
    between: float | None = None
    difference: Score | None = None
    silhouette: Score | None = None
    ari: Score | None = None
    nearest_neighbor: Score | None = None
    nearest_centroid: Score | None = None
    directions: float = 1.0
    permutations: int = 0
    folds: int = 0
    left_out: str = ""

    @property
    def n(self) -> int:
        """Points."""
        return sum(self.sizes)

    @property
    def scores(self) -> tuple[Score, ...]:
        """Every score, in the order of a table; empty where they were left out."""
        every = (self.difference, self.silhouette, self.ari, self.nearest_neighbor, self.nearest_centroid)
        return tuple(score for score in every if score is not None)

    @property
    def sample(self) -> str:
        """Which points the scores are of, and what their chance is, in a sentence."""
        sizes = listing([f"{size:,} of {sense}" for sense, size in zip(self.senses, self.sizes, strict=True)])
        shuffles = f" Chance: 95\u00a0% of {self.permutations:,} shuffles of the senses." if self.scores else ""
        return f"{self.n:,} points: {sizes}.{shuffles}"

    @property
    def meaning(self) -> str:
        """Whether the senses separate, in sentences."""
        if self.silhouette is None or self.nearest_neighbor is None or self.ari is None:
            return self.left_out
        near, outline = self.nearest_neighbor, self.silhouette
        found = (
            f"The nearest other point has the same sense for {share(near.value)} of {self.n:,} points; with shuffled "
            f"senses for {share(near.low)} to {share(near.high)}. The silhouette is {number(outline.value)} "
            f"(1: apart, 0: mixed), with shuffled senses {number(outline.low)} to {number(outline.high)}."
        )
        return f"{found} {self._verdict(outline, near, self.ari, self.nearest_centroid)}"

    @property
    def apart(self) -> bool:
        """Whether the silhouette is beyond chance and that of senses that hardly overlap."""
        outline = self.silhouette
        if outline is None or not outline.beyond:
            return False
        return overlap(outline.value, self.directions, metric="cosine") < APART

    def _verdict(self, outline: Score, near: Score, ari: Score, centroid: Score | None) -> str:
        if not (outline.beyond or near.beyond):
            if centroid is not None and centroid.beyond:
                return f"Only the held-out centroids tell the senses apart, for {share(centroid.value)} of the points."
            return "That is chance: the senses are mixed."
        if not ari.beyond:
            return f"More than chance, yet k-means does not find the senses (adjusted Rand {number(ari.value)})."
        return "The senses stand apart." if self.apart else "More than chance, but the senses overlap."

    def card(self) -> dict[str, Any]:
        """The numbers as plain JSON values; each score has its chance band under `chance`."""
        return {
            "senses": dict(zip(self.senses, self.sizes, strict=True)),
            "within": self.within,
            "between": self.between,
            **{name: None for name, _ in _SCORES},
            **{score.name: score.value for score in self.scores},
            "chance": {
                score.name: {"mean": score.chance, "low": score.low, "high": score.high} for score in self.scores
            },
            "permutations": self.permutations,
            "left_out": self.left_out,
        }


_SCORES = (
    ("difference", "Within minus between"),
    ("silhouette", "Silhouette"),
    ("ari", "k-means, adjusted Rand"),
    ("nearest_neighbor", "Nearest neighbor of the same sense"),
    ("nearest_centroid", "Nearest centroid, held out"),
)


class _Ground(NamedTuple):
    """What stays when senses are shuffled: cosines (n, n), votes of the nearest (n, n), clusters one-hot (n, k)."""

    cosines: Doubles
    votes: Doubles
    clusters: Doubles


def separation(
    points: VectorSpace | ArrayLike,
    labels: str | Sequence[str] | Ints = "sense",
    *,
    permutations: int = PERMUTATIONS,
    folds: int = FOLDS,
    seed: int = 0,
) -> Separation:
    """How well these points separate by their labels, each score with its chance band.

    Args:
        points: A space, or rows of numbers, (n, d).
        labels: The name of a column of the space, or one label a point, (n,).
        permutations: Shuffles of the labels, 100 to 100,000.
        folds: Parts that are held out in turn, 2 to 8, with the senses spread evenly over them.
        seed: Of shuffles, folds and k-means.

    Raises:
        OptionError: There is no such column, labels and points are not as many, a row has no direction, or an option
            is out of range.
    """
    if not 100 <= permutations <= 100_000:
        raise OptionError(f"permutations is {permutations:,}; it may be from 100 to 100,000.")
    if not 2 <= folds <= LEAST:
        raise OptionError(f"folds is {folds}; it may be from 2 to {LEAST}.")
    names, codes = _coded(_labels(points, labels))
    unit = _unit(points.matrix if isinstance(points, VectorSpace) else points)
    if len(unit) != len(codes):
        raise OptionError(f"{len(codes):,} labels and {len(unit):,} points were given; one label a point is needed.")
    sizes = np.bincount(codes, minlength=len(names))
    found = (names, tuple(sizes.tolist()))
    left_out = _left_out(unit, *found)
    if left_out:
        return Separation(*found, left_out=left_out)
    ground = _ground(unit, len(names), seed)
    random = np.random.default_rng(seed)
    order = np.argsort(codes + random.random(len(codes)))
    fold = np.empty(len(codes), np.int64)
    fold[order] = np.arange(len(codes)) % folds
    values, within, between = (row[:, 0] for row in _scored(ground, codes[:, None], fold[:, None], len(names), folds))
    shuffled = _shuffled(ground, codes, fold, len(names), folds, permutations, random)
    low, high = np.quantile(shuffled, [(1 - BAND) / 2, (1 + BAND) / 2], axis=1)
    chance = shuffled.mean(axis=1)
    chance[[0, 2, 3]] = 0.0, 0.0, (sizes * (sizes - 1)).sum() / (len(codes) * (len(codes) - 1))
    scores = {
        name: Score(name, title, *map(float, numbers))
        for (name, title), *numbers in zip(_SCORES, values, chance, low, high, strict=True)
    }
    return Separation(
        *found,
        within=float(within[0]),
        directions=directions_within(unit, codes),
        between=float(between[0]),
        permutations=permutations,
        folds=folds,
        **scores,  # type: ignore[arg-type]
    )


def _labels(points: VectorSpace | ArrayLike, labels: str | Sequence[str] | Ints) -> Sequence[Any]:
    if not isinstance(labels, str):
        return np.asarray(labels).tolist() if isinstance(labels, np.ndarray) else labels
    columns = points.metadata if isinstance(points, VectorSpace) else {}
    if labels not in columns:
        known = ", ".join(columns) or "none"
        raise OptionError(f"There is no column {labels!r} to separate by; there are: {known}.")
    return list(columns[labels])


def _coded(labels: Sequence[Any]) -> tuple[tuple[str, ...], Ints]:
    """Names in order of first appearance, and the place of each label's name among them."""
    texts = [str(label) for label in labels]
    places = {name: place for place, name in enumerate(dict.fromkeys(texts))}
    return tuple(places), np.array([places[text] for text in texts], np.int64)


def _unit(points: ArrayLike) -> Doubles:
    matrix = np.asarray(points, np.float64)
    if matrix.ndim != 2:
        raise OptionError(f"The points have {matrix.ndim} axes; two are needed, (points, dimensions).")
    if len(matrix) > MOST:
        raise OptionError(f"{len(matrix):,} points are more than can be compared at once; {MOST:,} are the most.")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    bad = int(np.count_nonzero(~(np.isfinite(lengths) & (lengths > 0))))
    if bad:
        raise OptionError(f"{bad:,} of the {len(matrix):,} points have no direction: rows of zeros, or not numbers.")
    return np.asarray(matrix / lengths)


def _left_out(unit: Doubles, names: tuple[str, ...], sizes: tuple[int, ...]) -> str:
    """Why there can be no score, or nothing."""
    if not names:
        return "There are no points."
    if len(names) == 1:
        return "All points have the same sense: there is nothing to separate."
    few = [f"{size} of {name}" for name, size in zip(names, sizes, strict=True) if size < LEAST]
    if few:
        return (
            f"{listing(few)}: a score needs {LEAST} points of each sense. It is left out, since few points separate "
            "by chance."
        )
    if np.abs(unit - unit[0]).max() < _TIED:
        return f"The {len(unit):,} points do not differ: there is nothing to separate."
    return ""


def _ground(unit: Doubles, k: int, seed: int) -> _Ground:
    cosines = np.clip(unit @ unit.T, -1, 1)
    others = cosines.copy()
    np.fill_diagonal(cosines, 1)
    np.fill_diagonal(others, -np.inf)
    votes = (others >= others.max(axis=1, keepdims=True) - _TIED).astype(np.float64)
    return _Ground(cosines, votes / votes.sum(axis=1, keepdims=True), np.eye(k)[_kmeans(unit, k, seed)])


def _kmeans(unit: Doubles, k: int, seed: int) -> Ints:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer rows differ than there are senses
        return np.asarray(KMeans(n_clusters=k, n_init=_RESTARTS, random_state=seed).fit(unit).labels_, np.int64)


def _shuffled(
    ground: _Ground, codes: Ints, fold: Ints, k: int, folds: int, permutations: int, random: np.random.Generator
) -> Doubles:
    """Every score of shuffled senses, (5, permutations); a sense takes its fold with it, so that folds stay even."""
    step = max(1, _HELD // (len(codes) * k * folds))
    parts = []
    for start in range(0, permutations, step):
        count = min(step, permutations - start)
        places = random.permuted(np.tile(np.arange(len(codes)), (count, 1)), axis=1).T
        parts.append(_scored(ground, codes[places], fold[places], k, folds)[0])
    return np.concatenate(parts, axis=1)


def _scored(ground: _Ground, codes: Ints, fold: Ints, k: int, folds: int) -> tuple[Doubles, Doubles, Doubles]:
    """The five scores (5, p), within (1, p) and between (1, p) of p ways to label the n points.

    Args:
        codes: The sense of each point, (n, p).
        fold: The fold of each point, (n, p).
    """
    n = len(codes)
    sense = (codes[:, :, None] == np.arange(k)).astype(np.float64)  # (n, p, k)
    sizes = sense[:, 0].sum(axis=0)  # (k,), in every column the same
    held = fold[:, :, None] == np.arange(folds)  # (n, p, folds)
    parts = [_summed(ground.cosines, sense * held[:, :, [part]]) for part in range(folds)]
    sums = np.sum(parts, axis=0)  # (n, p, k): cosines to each sense, summed
    own = (sums * sense).sum(axis=2)  # (n, p), itself included
    pairs = (sizes * (sizes - 1)).sum()
    within = (own.sum(axis=0) - n) / pairs
    between = (sums.sum(axis=(0, 2)) - own.sum(axis=0)) / (n * (n - 1) - pairs)
    agreeing = (_summed(ground.votes, sense) * sense).sum(axis=2).mean(axis=0)
    right = sum(_right(sums - part, sense, held[:, :, [f]]) for f, part in enumerate(parts)) / n
    rows = within - between, _silhouette(sums, own, sense, sizes), _rand(ground.clusters, sense), agreeing, right
    return np.stack(rows), within[None], between[None]


def _summed(weights: Doubles, sense: Doubles) -> Doubles:
    return np.asarray((weights @ sense.reshape(len(sense), -1)).reshape(sense.shape))


def _silhouette(sums: Doubles, own: Doubles, sense: Doubles, sizes: Doubles) -> Doubles:
    size = sense @ sizes  # (n, p)
    inside = (size - own) / (size - 1)
    outside = np.where(sense > 0, np.inf, (sizes - sums) / sizes).min(axis=2)
    larger = np.maximum(inside, outside)
    return np.asarray(((outside - inside) / np.where(larger > 0, larger, 1)).mean(axis=0))


def _rand(clusters: Doubles, sense: Doubles) -> Doubles:
    def pairs(count: Any) -> Any:
        return count * (count - 1) / 2

    n, p, k = sense.shape
    cells = pairs((clusters.T @ sense.reshape(n, -1)).reshape(-1, p, k)).sum(axis=(0, 2))
    ours, theirs = pairs(clusters.sum(axis=0)).sum(), pairs(sense[:, 0].sum(axis=0)).sum()
    expected = ours * theirs / pairs(n)
    return np.asarray((cells - expected) / ((ours + theirs) / 2 - expected))


def _right(sums: Doubles, sense: Doubles, held: NDArray[np.bool_]) -> Doubles:
    """How many points held out are nearest to their own sense's mean of the others, (p,); equally near ones share."""
    lengths = np.sqrt(np.maximum((sums * sense * ~held).sum(axis=0), np.finfo(np.float64).tiny))  # of the sums, (p, k)
    cosines = sums / lengths
    nearest = cosines >= cosines.max(axis=2, keepdims=True) - _TIED
    votes = (nearest * sense).sum(axis=2) / nearest.sum(axis=2)
    return np.asarray((votes * held[:, :, 0]).sum(axis=0))
