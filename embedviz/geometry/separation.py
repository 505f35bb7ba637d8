"""Separation of labelled points: scores, each with a chance band from shuffled labels.

A few points in hundreds of dimensions always look separated in some way. So every score has a chance band: the range of
its values when the labels are permuted. The labels are called senses here, because the points are the occurrences of
one word, at each layer of a model. Several layers and a bag-of-words control are scored together, with the same
shuffles. The bands account for all scores of all layers together (`embedviz.core.stats.permutation.family`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from embedviz.core.options import OptionError
from embedviz.core.phrases import listing, number, share
from embedviz.core.space import Ints, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.permutation import Exchange, exchange, family
from embedviz.geometry.clusters import APART, directions_within, kmeans_labels, overlap

LEAST = 8
"""Minimum number of points of each sense; fewer points look separated by chance."""
MOST = 2_000
"""Maximum number of points, because all their cosines are in memory at once."""
PERMUTATIONS = 1_000
FOLDS = 5
_TIED = 1e-6  # cosines that differ by less are equal: layer 0 repeats a vector if the position is the same
_HELD = 2_000_000  # numbers in memory at a time

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """One score, and its values for shuffled senses.

    Attributes:
        name: Name of the score in addresses and on the command line.
        title: Name of the score on pages.
        chance: Mean score over all shuffles.
        low, high: Chance band. In 95 % of the shuffles, every score of every layer is within its own band.
        p: p-value, adjusted for all scores of all layers that were computed together.
    """

    name: str
    title: str
    value: float
    chance: float
    low: float
    high: float
    p: float

    @property
    def beyond(self) -> bool:
        """Return whether the score is above its chance band.

        In 95 % of shuffles, no score of any layer is above its own band.
        """
        return self.p <= LEVEL and self.value > self.chance


@dataclass(frozen=True)
class Separation:
    """How well the senses of some points separate. All scores are None if none could be computed.

    Attributes:
        senses: Names of the senses, in order of first appearance.
        sizes: Number of points of each sense.
        within, between: Mean cosine over all pairs of points of the same sense, and of different senses.
        difference: `within` minus `between`.
        silhouette: Mean silhouette by cosine distance, −1 to 1 (Rousseeuw 1987).
        ari: Adjusted Rand index between the senses and k-means clusters of the unit vectors, with as many clusters as
            senses (Hubert and Arabie 1985).
        nearest_neighbor: Share of points whose nearest other point by cosine has the same sense. Equally near points
            share the vote. Points of the same unit (a group of points with one sense, such as a sentence) do not count
            as neighbors. Points of the same frame (a sentence with a gap, filled with every sense) do not count either.
        nearest_centroid: Share of points whose nearest centroid by cosine is that of their own sense. A centroid is the
            mean unit vector of a sense, computed without the fold of the point. Folds are used because leave-one-out is
            biased: without one point, the centroid of its sense moves away from the point, and the share falls below
            chance.
        right: For each point 1 if the centroid of its own sense is nearest, else 0; for a tie of t centroids 1 ÷ t.
        directions: Number of directions in use within the senses, from `clusters.directions_within`.
        permutations: Number of shuffles behind each chance band.
        folds: Number of folds for the nearest centroid. Points of one unit or frame are in one fold.
        framed: Whether senses are shuffled within frames only.
        left_out: Why there are no scores, in a sentence; empty if there are scores.
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
    right: tuple[float, ...] = field(default=(), repr=False)
    directions: float = 1.0
    permutations: int = 0
    folds: int = 0
    framed: bool = False
    left_out: str = ""

    @property
    def n(self) -> int:
        """Return the number of points."""
        return sum(self.sizes)

    @property
    def scores(self) -> tuple[Score, ...]:
        """Return the five scores, from difference to nearest centroid, without those that could not be computed."""
        every = (self.difference, self.silhouette, self.ari, self.nearest_neighbor, self.nearest_centroid)
        return tuple(score for score in every if score is not None)

    @property
    def sample(self) -> str:
        """Describe the sample and the shuffles behind the chance bands."""
        sizes = listing([f"{size:,} of {sense}" for sense, size in zip(self.senses, self.sizes, strict=True)])
        return f"{self.n:,} points: {sizes}. {self.shuffles}".strip()

    @property
    def shuffles(self) -> str:
        """Explain how the chance bands are computed; empty if there are no scores."""
        if not self.scores:
            return ""
        framed = " Labels are exchanged only between sentences with the word at the same place." if self.framed else ""
        return (
            f"The chance bands come from {self.permutations:,} shuffles of the sense labels. In 95\u00a0% of the "
            "shuffles "
            f"every score of every layer lies within its band.{framed}"
        )

    @property
    def meaning(self) -> str:
        """Say how well the senses separate; if there are no scores, say why."""
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
        """Return whether the silhouette is above chance, and the overlap that follows from it is below 1 %."""
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
        """Return the results as plain JSON values; the chance bands of the scores are under `chance`."""
        return {
            "senses": dict(zip(self.senses, self.sizes, strict=True)),
            "within": self.within,
            "between": self.between,
            **{name: None for name, _ in _SCORES},
            **{score.name: score.value for score in self.scores},
            "chance": {
                score.name: {"mean": score.chance, "low": score.low, "high": score.high, "p": score.p}
                for score in self.scores
            },
            "permutations": self.permutations,
            "left_out": self.left_out,
        }


_SCORES = (
    ("difference", "Within minus between"),
    ("silhouette", "Silhouette"),
    ("ari", "k-means, adjusted Rand"),
    ("nearest_neighbor", "Nearest neighbor of the same sense"),
    ("nearest_centroid", "Nearest to its own sense"),
)


class _Ground(NamedTuple):
    """The data of one layer that stay the same when the labels are shuffled, and are therefore computed once.

    Attributes:
        which: Indices of the m points of this layer among all n points, (m,).
        cosines: Cosines between the points, (m, m).
        votes: Row i is 1 in the column of the nearest neighbor of point i, and 0 elsewhere, (m, m). Points of the same
            unit (such as a sentence) or the same frame are no neighbors. Equally near neighbors share the 1.
        clusters: k-means cluster of each point, one-hot, (m, k).
    """

    which: Ints
    cosines: Doubles
    votes: Doubles
    clusters: Doubles


def separation(
    points: VectorSpace | ArrayLike, labels: str | Sequence[str] | Ints = "sense", **options: Any
) -> Separation:
    """Score how well points separate by their labels. The chance bands account for all five scores together.

    Args:
        points: A space, or an array of shape (n, d).
        labels: The name of a column of the space, or one label for each point, (n,).
        options: Options of `separations`.

    Raises:
        OptionError: The space has no such column, or as in `separations`.
    """
    matrix = points.matrix if isinstance(points, VectorSpace) else points
    return separations([matrix], _labels(points, labels), **options)[0]


def separations(
    layers: Sequence[ArrayLike],
    labels: Sequence[Any],
    *,
    which: Mapping[int, Ints] | None = None,
    units: Ints | None = None,
    frames: Ints | None = None,
    permutations: int = PERMUTATIONS,
    folds: int = FOLDS,
    seed: int = 0,
) -> tuple[Separation, ...]:
    """Score how well the same n points separate in several layers.

    The chance bands account for all scores of all layers together.

    Args:
        layers: The points in each layer, (n, d).
        labels: One label for each point, (n,).
        which: Index of a layer that lacks some points → indices of the m points that the layer has, (m,).
        units: A unit number for each point, (n,), such as its sentence. Points of one unit have the same label, are in
            the same fold, and do not count as neighbors.
        frames: A frame number for each point, (n,). A frame is a sentence with a gap that was filled with every sense.
            Labels are then shuffled within frames only. Points of one frame are in the same fold, and do not count as
            neighbors.
        permutations: Number of shuffles of the labels, 100 to 100,000.
        folds: Number of folds for the nearest centroid, 2 to 8.
        seed: Seed of shuffles, folds and k-means.

    Raises:
        OptionError: The numbers of labels and points differ, a unit has two labels, a row is zero or not finite, there
            are more than 2,000 points, or an option is out of range.
    """
    if not 100 <= permutations <= 100_000:
        raise OptionError(f"permutations is {permutations:,}; it may be from 100 to 100,000.")
    if not 2 <= folds <= LEAST:
        raise OptionError(f"folds is {folds}; it may be from 2 to {LEAST}.")
    names, codes = _coded(labels)
    allowed = exchange(len(codes), units, frames)
    if (codes != codes[allowed.first][allowed.unit]).any():
        raise OptionError("Points of one unit have different labels. Give each unit one label.")
    fold = _folds(codes, allowed, None if frames is None else np.asarray(frames), folds, np.random.default_rng(seed))
    apart = allowed.unit if frames is None else np.asarray(frames)
    found: list[Separation] = []
    grounds: dict[int, _Ground] = {}
    for place, rows in enumerate(layers):
        unit = _unit(rows)
        own = np.arange(len(codes)) if which is None or place not in which else np.asarray(which[place], np.int64)
        if len(unit) != len(own):
            raise OptionError(f"{len(own):,} labels and {len(unit):,} points; give one label for each point.")
        left_out = _left_out(unit, names, codes[own], allowed.unit[own])
        found.append(Separation(names, _sizes(codes[own], names), left_out=left_out))
        if not left_out:
            grounds[place] = _ground(own, unit, apart[own], len(names), seed)
            found[place] = replace(found[place], directions=directions_within(unit, codes[own]))
    if not grounds:
        return tuple(found)
    shuffled = [
        _shuffled(each, codes, fold, allowed, len(names), folds, permutations, seed) for each in grounds.values()
    ]
    scored = [_observed(each, codes, fold, len(names), folds) for each in grounds.values()]
    whole = family(np.concatenate([each.scores for each in scored]), np.concatenate(shuffled))
    parts = zip(*(np.reshape(column, (len(scored), len(_SCORES))) for column in whole), strict=True)
    for place, here, numbers in zip(grounds, scored, parts, strict=True):
        scores = {
            name: _score(name, title, *map(float, each))
            for (name, title), *each in zip(_SCORES, here.scores, *numbers, strict=True)
        }
        found[place] = replace(
            found[place],
            within=here.within,
            between=here.between,
            right=here.right,
            permutations=permutations,
            folds=folds,
            framed=frames is not None,
            **scores,  # type: ignore[arg-type]
        )
    return tuple(found)


def _score(name: str, title: str, value: float, chance: float, low: float, high: float, p: float) -> Score:
    """Return a score, with its chance band limited to the values that the score can have."""
    least = 0.0 if name.startswith("nearest") else -1.0
    return Score(name, title, value, chance, max(low, least), min(high, 1.0), p)


def _folds(codes: Ints, allowed: Exchange, frames: Ints | None, folds: int, random: np.random.Generator) -> Ints:
    """Return the number of the fold of each point, (n,). All points of a frame are in the same fold.

    A frame is a sentence whose gap was filled with every sense. Without frames, all points of a unit (such as one
    sentence) are in the same fold, and each sense is spread evenly over the folds.
    """
    if frames is not None:
        _, frame = np.unique(frames, return_inverse=True)
        return np.asarray((random.permutation(frame.max(initial=0) + 1) % folds)[frame.reshape(len(codes))])
    sense = codes[allowed.first]
    fold = np.empty(len(sense), np.int64)
    fold[np.argsort(sense + random.random(len(sense)))] = np.arange(len(sense)) % folds
    return np.asarray(fold[allowed.unit])


def _sizes(codes: Ints, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(np.bincount(codes, minlength=len(names)).tolist())


def _labels(points: VectorSpace | ArrayLike, labels: str | Sequence[str] | Ints) -> Sequence[Any]:
    if not isinstance(labels, str):
        return np.asarray(labels).tolist() if isinstance(labels, np.ndarray) else labels
    columns = points.metadata if isinstance(points, VectorSpace) else {}
    if labels not in columns:
        known = ", ".join(columns) or "none"
        raise OptionError(f"There is no column {labels!r} to separate by; there are: {known}.")
    return list(columns[labels])


def _coded(labels: Sequence[Any]) -> tuple[tuple[str, ...], Ints]:
    """Return the different labels in order of first appearance, and for each point the index of its label, (n,)."""
    texts = [str(label) for label in labels]
    places = {name: place for place, name in enumerate(dict.fromkeys(texts))}
    return tuple(places), np.array([places[text] for text in texts], np.int64)


def _unit(points: ArrayLike) -> Doubles:
    matrix = np.asarray(points, np.float64)
    if matrix.ndim != 2:
        raise OptionError(f"The points have {matrix.ndim} axes; two are needed, (points, dimensions).")
    if len(matrix) > MOST:
        raise OptionError(f"{len(matrix):,} points are too many; the maximum is {MOST:,}.")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    bad = int(np.count_nonzero(~(np.isfinite(lengths) & (lengths > 0))))
    if bad:
        raise OptionError(f"{bad:,} of the {len(matrix):,} points have no direction: rows of zeros, or not numbers.")
    return np.asarray(matrix / lengths)


def _left_out(unit: Doubles, names: tuple[str, ...], codes: Ints, units: Ints) -> str:
    """Return a sentence that says why no scores can be computed; empty if scores can be computed."""
    if not len(unit):
        return "There are no points."
    if len(names) == 1:
        return "All points have the same sense: there is nothing to separate."
    sizes = [len(np.unique(units[codes == sense])) for sense in range(len(names))]
    few = [f"{size} of {name}" for name, size in zip(names, sizes, strict=True) if size < LEAST]
    if few:
        points = "points" if len(np.unique(units)) == len(units) else "sentences"
        return (
            f"{listing(few)}: a score needs {LEAST} {points} of each sense. It is left out, since few {points} "
            "separate by chance."
        )
    if np.abs(unit - unit[0]).max() < _TIED:
        return f"All {len(unit):,} points are equal: there is nothing to separate."
    return ""


def _ground(which: Ints, unit: Doubles, apart: Ints, k: int, seed: int) -> _Ground:
    cosines = np.clip(unit @ unit.T, -1, 1)
    np.fill_diagonal(cosines, 1)
    others = np.where(apart[:, None] == apart, -np.inf, cosines)
    votes = (others >= others.max(axis=1, keepdims=True) - _TIED).astype(np.float64)
    return _Ground(which, cosines, votes / votes.sum(axis=1, keepdims=True), np.eye(k)[kmeans_labels(unit, k, seed)])


def _shuffled(
    ground: _Ground, codes: Ints, fold: Ints, allowed: Exchange, k: int, folds: int, permutations: int, seed: int
) -> Doubles:
    """Return the five scores of a layer for each shuffle of the senses among the points, (5, permutations).

    They are ordered as in `Separation.scores`. A sense is moved together with its fold (part in cross-validation), so
    that senses stay evenly spread over the folds. The same seed gives the same shuffles for every layer.
    """
    step = max(1, _HELD // (len(codes) * k * folds))
    random = np.random.default_rng([seed, 1])
    parts = []
    for start in range(0, permutations, step):
        places = allowed.draw(min(step, permutations - start), random)[ground.which]
        parts.append(_scored(ground, codes[places], fold[places], k, folds).scores)
    return np.concatenate(parts, axis=1)


class _Observed(NamedTuple):
    """The five scores of `Separation` for the real senses, (5,), with the cosines behind them.

    `within` and `between` are the mean cosines within and between senses. `right` says for each point whether the
    centroid of its own sense is nearest, (m,).
    """

    scores: Doubles
    within: float
    between: float
    right: tuple[float, ...]


def _observed(ground: _Ground, codes: Ints, fold: Ints, k: int, folds: int) -> _Observed:
    found = _scored(ground, codes[ground.which][:, None], fold[ground.which][:, None], k, folds)
    return _Observed(
        found.scores[:, 0], float(found.within[0]), float(found.between[0]), tuple(found.right[:, 0].tolist())
    )


class _Scored(NamedTuple):
    """Results for p labelings of m points.

    They are five scores, (5, p); the mean cosine of pairs with the same label, (p,), and with different labels, (p,);
    and `right` as in `Separation`, (m, p).
    """

    scores: Doubles
    within: Doubles
    between: Doubles
    right: Doubles


def _scored(ground: _Ground, codes: Ints, fold: Ints, k: int, folds: int) -> _Scored:
    """Return the scores for p different labelings of the m points.

    Args:
        codes: The sense of each point, (m, p).
        fold: The fold of each point, (m, p).
    """
    n = len(codes)
    sense = (codes[:, :, None] == np.arange(k)).astype(np.float64)  # (m, p, k)
    sizes = sense.sum(axis=0)  # (p, k)
    held = fold[:, :, None] == np.arange(folds)  # (m, p, folds)
    parts = [_summed(ground.cosines, sense * held[:, :, [part]]) for part in range(folds)]
    sums = np.sum(parts, axis=0)  # (m, p, k): sum of cosines to the points of each sense
    own = (sums * sense).sum(axis=2)  # (m, p): the point itself is included
    pairs = (sizes * (sizes - 1)).sum(axis=1)
    within = (own.sum(axis=0) - n) / pairs
    between = (sums.sum(axis=(0, 2)) - own.sum(axis=0)) / (n * (n - 1) - pairs)
    agreeing = (_summed(ground.votes, sense) * sense).sum(axis=2).mean(axis=0)
    right = np.sum([_right(sums - part, sense, held[:, :, [f]]) for f, part in enumerate(parts)], axis=0)
    rows = (
        within - between,
        _silhouette(sums, own, sense, sizes),
        _rand(ground.clusters, sense),
        agreeing,
        right.mean(axis=0),
    )
    return _Scored(np.stack(rows), within, between, right)


def _summed(weights: Doubles, sense: Doubles) -> Doubles:
    return np.asarray((weights @ sense.reshape(len(sense), -1)).reshape(sense.shape))


def _silhouette(sums: Doubles, own: Doubles, sense: Doubles, sizes: Doubles) -> Doubles:
    size = (sense * sizes).sum(axis=2)  # (m, p)
    inside = (size - own) / np.maximum(size - 1, 1)
    outside = np.where((sense > 0) | (sizes == 0), np.inf, (sizes - sums) / np.maximum(sizes, 1)).min(axis=2)
    larger = np.maximum(inside, outside)
    return np.asarray(((outside - inside) / np.where(larger > 0, larger, 1)).mean(axis=0))


def _rand(clusters: Doubles, sense: Doubles) -> Doubles:
    def pairs(count: Any) -> Any:
        return count * (count - 1) / 2

    n, p, k = sense.shape
    cells = pairs((clusters.T @ sense.reshape(n, -1)).reshape(-1, p, k)).sum(axis=(0, 2))
    ours, theirs = pairs(clusters.sum(axis=0)).sum(), pairs(sense.sum(axis=0)).sum(axis=1)
    expected = ours * theirs / pairs(n)
    return np.asarray((cells - expected) / ((ours + theirs) / 2 - expected))


def _right(sums: Doubles, sense: Doubles, held: NDArray[np.bool_]) -> Doubles:
    """Return 1 for each held-out point that is nearest to the centroid of its own sense, else 0, (m, p).

    There are m points and p labelings. If several centroids are equally near, and its own is among them, the value is
    1 divided by their number. Points that are not held out get 0.
    """
    lengths = np.sqrt(np.maximum((sums * sense * ~held).sum(axis=0), np.finfo(np.float64).tiny))  # of the sums, (p, k)
    cosines = sums / lengths
    nearest = cosines >= cosines.max(axis=2, keepdims=True) - _TIED
    votes = (nearest * sense).sum(axis=2) / nearest.sum(axis=2)
    return np.asarray(votes * held[:, :, 0])
