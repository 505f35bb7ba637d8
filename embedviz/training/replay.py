"""The recording of a training run as a movie: each word's point at each moment, and how soon neighbors are final."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, share
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, SpaceError, UnknownWordError, VectorSpace, unit_rows
from embedviz.core.stats.resampling import drawn_rows
from embedviz.core.trajectory import Trajectory, open_trajectory
from embedviz.projection.quality import neighbors_compared
from embedviz.training.basis import center, principal_directions, squares
from embedviz.training.records import TRAJECTORY, spoken_epochs

Doubles = NDArray[np.float64]

K = 10
"""Number of nearest neighbors of a word that are compared from moment to moment."""
ALL, LOOKED = 1_000, 300
"""Neighbors are computed for all words of a recording with up to `ALL` words, else for a sample of `LOOKED` words."""
TRAILS = 2
"""Default number of words with trails: lines that show on the map how a word moved."""
PAIR = ("king", "queen")
"""Words that have trails by default, if both were recorded."""
MOST_TRAILS = 7
"""Maximum number of words with trails besides the selected word, because there are eight colors."""
_FEWEST, _SHUFFLES = 3, 20
_EPSILON = 1e-9  # smaller residuals are rounding errors of float32


class Fit(NamedTuple):
    """How well the last map of one run fits the last map of another run, over their shared words, after alignment.

    Attributes:
        words: Number of shared words.
        stretch: Factor by which the map was scaled.
        residual: Sum of the squared distances between the maps, as a share of the sum of squared distances of points
            from the center. From 0 (equal maps) to 1.
        chance: Baseline: the mean residual over twenty random orders of the words.
    """

    words: int
    stretch: float
    residual: float
    chance: float


@dataclass(frozen=True, eq=False)
class Film:
    """The map of the recorded words at every moment of a training run, always along the same directions.

    Attributes:
        words: The n recorded words; `rows`: their rows in the space, (n,).
        moments: Epochs done at each moment, ascending, (s,).
        frames: Points of the words, (s, n, 2 or 3), centered at each moment.
        shares: At each moment, the share of the words' variance that the map shows, (s,).
        even: Baseline: the share of the variance that the map would show for random vectors.
        settled: At each moment: of the k words that are nearest to a word at the end, the share that is already among
            its k nearest, (s,). It is the mean over `looked` words.
        k: Number of neighbors. `looked`: all words, or the number of words in a random sample.
        means: At each moment, the mean cosine of two different words, (s,).
        axes: A title for each direction; empty if the map was aligned to another run.
        fit: How well the map fits the map of that run; None if the map was not aligned.
    """

    words: Sequence[str]
    rows: Ints
    moments: Float
    frames: Float
    shares: Float
    even: float
    settled: Float
    k: int
    looked: int
    means: Float
    axes: tuple[str, ...]
    fit: Fit | None = None

    method = "trajectory"

    @property
    def points(self) -> Float:
        """Return the points at the last moment, (n, 2 or 3)."""
        return np.asarray(self.frames[-1])

    @property
    def epochs(self) -> float:
        """Return how many epochs the training had done at the last recorded moment."""
        return float(self.moments[-1])

    @property
    def chance(self) -> float:
        """Return the baseline of `settled`: the share of a word's final neighbors that k random words would contain."""
        return self.k / max(1, len(self.words) - 1)

    @property
    def meaning(self) -> str:
        """Say at which epoch words first have half of their final neighbors, on average.

        Also say the baseline: the share for random words.
        """
        if len(self.moments) < 2:
            return "Only one moment was recorded, so nothing moves."
        step = self._halfway
        found, by_chance = share(float(self.settled[step])), f"{self.k} words at random: {share(self.chance)}"
        if not step:
            return f"Before learning begins, words have {found} of their final neighbors ({by_chance})."
        return (
            f"After {spoken_epochs(float(self.moments[step]))} of {spoken_epochs(self.epochs)} epochs, words had for "
            f"the first time half or more of their {self.k} final neighbors: {found} on average ({by_chance})."
        )

    @property
    def halfway(self) -> float | None:
        """Return the first epoch at which words have half of their final neighbors.

        The share (`settled`) is rounded to whole percent. The result is None if it is half at the first moment already,
        or if there is only one moment.
        """
        return float(self.moments[self._halfway]) if len(self.moments) > 1 and self._halfway else None

    @property
    def counted(self) -> str:
        """Say over how many words the mean share of final neighbors (`settled`) is taken."""
        if self.looked == len(self.words):
            return f"Mean of all {self.looked:,} words"
        return f"Mean of {self.looked:,} random words of {len(self.words):,}, to save time"

    @property
    def _halfway(self) -> int:
        """Return the index of the first moment at which `settled` is at least one half.

        `settled` is first rounded to whole percent, as the curve shows it.
        """
        return int(np.flatnonzero(np.round(self.settled, 2) >= 0.5)[0])

    @property
    def sample(self) -> str:
        """Say how many words were recorded, at how many moments, and for how many epochs."""
        return f"{len(self.words):,} words at {len(self.moments):,} moments of {spoken_epochs(self.epochs)} epochs."

    @property
    def picture(self) -> str:
        """Say along which directions the map is drawn, and their share of the variance at the first and last moment."""
        count = {2: "two", 3: "three"}[self.frames.shape[2]]
        return (
            f"Every moment is drawn along the {count} main directions of the last moment (PCA), centered. They hold "
            f"{share(float(self.shares[-1]), fine=True)} of the variance at the end and "
            f"{share(float(self.shares[0]), fine=True)} at the beginning (random vectors: "
            f"{share(self.even, fine=True)})."
        )

    def settled_at(self, epochs: float) -> float:
        """Return `settled` (the share of final neighbors found) at the moment that `measured` returns."""
        return float(self.settled[self._step(epochs)])

    def measured(self, epochs: float) -> float:
        """Return the recorded moment nearest to this number of epochs, in epochs.

        The first moment, before learning, is returned only if there is no other.
        """
        return float(self.moments[self._step(epochs)])

    def _step(self, epochs: float) -> int:
        return 1 + int(np.abs(self.moments[1:] - epochs).argmin()) if len(self.moments) > 1 else 0


@offered(
    "found",
    "for epoch, there, shown in zip(found.moments, found.settled, found.shares):",
    '    print(f"epoch {epoch:.2f}: {there:.0%} of final neighbors, {shown:.0%} of the variance on the map")',
    "print(found.meaning, found.picture)",
)
def film(folder: str | Path, components: int = 2, *, onto: str | Path = "", report: Report | None = None) -> Film:
    """Return the recording of a training run as a movie.

    Args:
        folder: The folder of the saved space.
        components: Number of directions, 2 or 3.
        onto: The folder of another run. The movie is rotated, mirrored and scaled as a whole, so that its last moment
            fits the last moment of that run over the shared words (Procrustes; Schönemann 1966).

    Raises:
        SpaceError: A folder has no recording.
        OptionError: `components` is neither 2 nor 3, the recording has fewer than three words or numbers that are not
            finite, all words end at one point, or the runs share fewer than three words.
    """
    if components not in (2, 3):
        raise OptionError(f"components is {components}. A map has 2 or 3 dimensions.")
    way = trajectory_of(folder)
    if len(way.words) < 3:
        raise OptionError(f"Only {counted(len(way.words), 'word')} recorded. A map needs at least three.")
    if not np.isfinite(way.matrices).all():
        raise OptionError("The recording has numbers that are not finite, so it cannot be drawn.")
    if not np.ptp(way.at(-1), axis=0).any():
        raise OptionError(f"All {len(way.words):,} words end at the same point, so there is nothing to draw.")
    tell(report, 0.0, "Computing the main directions")
    frames, shares = _pictures(way, _directions(way, components), range(len(way)), components)
    fit = None
    if onto:
        frames, fit = _turned(frames, way.words, trajectory_of(onto))
    for array in (frames, shares):
        array.flags.writeable = False
    settled, looked, k, means = _settling(way, report)
    spans = np.square(frames[-1], dtype=np.float64).sum(axis=0)
    parts = float(shares[-1]) * spans / (float(spans.sum()) or 1.0)
    names = tuple(
        f"direction {place} ({share(float(part), fine=True)} of variance at the end)"
        for place, part in enumerate(parts, 1)
    )
    return Film(
        list(way.words),
        np.asarray(way.rows),
        np.asarray(way.epochs, np.float32),
        frames,
        shares,
        min(1.0, components / way.dimensions),
        settled,
        k,
        looked,
        means,
        () if fit is not None else names,
        fit,
    )


def _directions(way: Trajectory, components: int) -> Float:
    """Return the principal directions of the word vectors at the last moment of the training.

    They are the columns of an array, (d, min(components, d)).
    """
    found = principal_directions(center(way.at(-1)), min(components, way.dimensions))
    return np.asarray(found * np.where(found.sum(axis=0) < 0, -1, 1), np.float32)


def _pictures(way: Trajectory, directions: Float, steps: Sequence[int], components: int) -> tuple[Float, Float]:
    """Return the points of the words at the moments `steps`, and the share of variance that the points keep.

    The shapes are (s, n, components) and (s,). The points of each moment are centered. If there are fewer directions
    than components, the last coordinates are 0.
    """
    frames = np.zeros((len(steps), len(way.words), components), np.float32)
    shares = np.zeros(len(steps), np.float32)
    for place, step in enumerate(steps):
        rows = center(way.at(step))
        frames[place, :, : directions.shape[1]] = rows @ directions
        total = squares(rows)
        shares[place] = squares(frames[place]) / total if total else 0.0
    return frames, shares


def _turned(frames: Float, words: Sequence[str], onto: Trajectory) -> tuple[Float, Fit]:
    """Rotate, mirror and scale the frames to fit the last moment of another run. Return the new frames and the fit.

    Raises:
        OptionError: The runs share fewer than three words.
    """
    ours = np.array([place for place, word in enumerate(words) if word in onto.index], np.int64)
    theirs = np.array([onto.index[words[place]] for place in ours.tolist()], np.int64)
    if len(ours) < _FEWEST:
        raise OptionError(
            f"The two runs share {counted(len(ours), 'word')}. At least {_FEWEST} are needed to align them."
        )
    components = frames.shape[2]
    (other,), _ = _pictures(onto, _directions(onto, components), [len(onto) - 1], components)
    here, there = frames[-1, ours].astype(np.float64), other[theirs].astype(np.float64)
    middle, place = here.mean(axis=0), there.mean(axis=0)
    here, there = here - middle, there - place
    turn, stretch, residual = _procrustes(here, there)
    random = np.random.default_rng(0)
    chance = np.mean([_procrustes(here[random.permutation(len(here))], there)[2] for _ in range(_SHUFFLES)])
    turned = (stretch * (frames - middle) @ turn + place).astype(np.float32)
    return turned, Fit(len(ours), stretch, residual, float(chance))


def _procrustes(here: Doubles, there: Doubles) -> tuple[Doubles, float, float]:
    """Return the similarity transform of `here` to `there`: rotation (or reflection), scale, and residual.

    The residual is the share of the squared distances that remains, 0 to 1. Row i of both arrays is the same word. Both
    arrays must be centered.
    """
    left, values, right = np.linalg.svd(here.T @ there)
    size, other = float((here**2).sum()), float((there**2).sum())
    if not size or not other:
        return np.eye(here.shape[1]), 1.0, 1.0
    rest = 1 - float(values.sum()) ** 2 / (size * other)
    return left @ right, float(values.sum()) / size, rest if rest > _EPSILON else 0.0


def trajectory_of(folder: str | Path) -> Trajectory:
    """Return the recording in the folder of a space.

    Raises:
        SpaceError: The recording is missing or damaged.
    """
    try:
        return open_trajectory(Path(folder) / TRAJECTORY)
    except SpaceError:
        raise SpaceError("The recording of this training is missing or incomplete.") from None


def has_trajectory(folder: str | Path | None) -> bool:
    """Return whether the folder of a space has a recording. For None (the space was never saved) return False."""
    return folder is not None and (Path(folder) / TRAJECTORY / "trajectory.json").is_file()


def _settling(way: Trajectory, report: Report | None) -> tuple[Float, int, int, Float]:
    """Return four attributes of the `Film`: `settled`, `looked`, `k` and `means`.

    `settled` is the share of final neighbors at each moment, (s,), over `looked` words with k neighbors each. `means`
    is the mean cosine of two words at each moment, (s,).
    """
    n = len(way.words)
    k = neighbors_compared(n, K)
    looked = drawn_rows(n, n if n <= ALL else LOOKED, 0)
    last = _nearest(unit_rows(way.at(len(way) - 1)), looked, k)
    settled, means = np.empty(len(way), np.float32), np.empty(len(way), np.float32)
    for step in range(len(way)):
        rows = unit_rows(way.at(step))
        near = _nearest(rows, looked, k)
        settled[step] = np.count_nonzero(near[:, :, None] == last[:, None, :]) / last.size
        total = rows.sum(axis=0, dtype=np.float64)
        means[step] = (float(total @ total) - float(np.count_nonzero(rows.any(axis=1)))) / (n * (n - 1))
        tell(report, (step + 1) / len(way), f"{step + 1:,} of {len(way):,} moments")
    return settled, len(looked), k, means


def _nearest(rows: Float, looked: Ints, k: int) -> Ints:
    """Return the k nearest neighbors of the rows `looked` by cosine, (m, k), unsorted. All rows have unit length."""
    cosines = rows[looked] @ rows.T
    cosines[np.arange(len(looked)), looked] = -np.inf
    return np.asarray(np.argpartition(-cosines, k - 1, axis=1)[:, :k])


class NeighborHistory(NamedTuple):
    """The nearest neighbors of a word at each moment.

    Attributes:
        epochs: Epochs done at each moment.
        lists: For each moment, the nearest neighbors with their cosines, nearest first.
    """

    word: str
    epochs: tuple[float, ...]
    lists: tuple[tuple[tuple[str, float], ...], ...]

    @property
    def last(self) -> tuple[str, ...]:
        """Return the nearest neighbors at the last moment, nearest first."""
        return tuple(word for word, _ in self.lists[-1])

    @property
    def meaning(self) -> str:
        """Say from which epoch on the word has at least half of its final neighbors, and from which epoch on all.

        The text is empty if there are fewer than two moments, or fewer than two neighbors.
        """
        k, end = len(self.last), self.epochs[-1]
        if len(self.lists) < 2 or k < 2:
            return ""
        half, whole = self._from((k + 1) // 2), self._from(k)
        every = f"from epoch {spoken_epochs(whole)} on, all" if whole < end else "only at the end, all"
        return f"From epoch {spoken_epochs(half)} on, at least half of its {k} final neighbors are near; {every}."

    def _from(self, least: int) -> float:
        """Return the epoch from which on the word always has at least `least` of its final neighbors."""
        final, found = set(self.last), self.epochs[-1]
        for epoch, listed in zip(reversed(self.epochs), reversed(self.lists), strict=True):
            if sum(word in final for word, _ in listed) < least:
                break
            found = epoch
        return found


def nearest(way: Trajectory, word: str, k: int = K) -> NeighborHistory:
    """Return the k nearest neighbors of a word at each moment, among the recorded words.

    Raises:
        UnknownWordError: The word was not recorded.
    """
    if word not in way.index:
        raise UnknownWordError(word, "the recorded words", len(way.words))
    place, k = way.index[word], max(1, min(k, len(way.words) - 1))
    lists = []
    for step in range(len(way)):
        rows = unit_rows(way.at(step))
        cosines = rows @ rows[place]
        cosines[place] = -np.inf
        near = np.argsort(-cosines, kind="stable")[:k]
        lists.append(tuple((way.words[row], float(cosines[row])) for row in near.tolist()))
    return NeighborHistory(word, tuple(map(float, way.epochs)), tuple(lists))


@offered(
    "near",
    "for epoch, listed in zip(near.epochs, near.lists):",
    '    print(f"epoch {epoch:.2f}", *(f"{one} {cosine:.2f}" for one, cosine in listed))',
)
def on_the_way(space: VectorSpace, word: str, k: int = K) -> NeighborHistory:
    """Return the k nearest neighbors of a word at each moment of the training of a space; see `nearest`.

    Raises:
        SpaceError: The space has no recording.
        UnknownWordError: The word was not recorded.
    """
    return nearest(trajectory_of(space.folder or ""), word, k)


def final_neighbors(way: Trajectory, words: Sequence[str], k: int = K) -> list[int]:
    """Return the k nearest neighbors of each of these words at the last moment, merged into one list.

    The list holds the neighbors' row indices in the trajectory, ascending. Words that were not recorded are left out.
    """
    places = np.array([way.index[word] for word in words if word in way.index], np.int64)
    if not len(places) or len(way.words) < 2:
        return []
    near = _nearest(unit_rows(way.at(len(way) - 1)), places, min(k, len(way.words) - 1))
    return sorted({*near.ravel().tolist()})


def stops(films: Sequence[Film]) -> list[float]:
    """Return the values of the slider that moves several films, in epochs, ascending.

    These are all moments of the first film, and those moments of each other film that are later than all values so far.
    """
    found = [float(moment) for moment in films[0].moments]
    for other in films[1:]:
        found += [float(moment) for moment in other.moments if moment > found[-1] + 1e-4]
    return found


def default_trails(found: Film, watched: Sequence[str] = (), most: int = TRAILS) -> list[str]:
    """Return the words that have trails by default.

    These are the words of `PAIR` if both were recorded, else the recorded `watched` words if there are at least two.
    Otherwise they are words from the more frequent half of the recorded words, which moved far and end far from each
    other.

    Args:
        watched: Words that were watched during the training.
        most: Maximum number of words.
    """
    known = set(found.words)
    if known.issuperset(PAIR):
        return list(PAIR)
    followed = [word for word in watched if word in known][:most]
    if len(followed) > 1:
        return followed
    flat = found.frames[:, :, :2].astype(np.float64)  # the same trails in two and in three dimensions
    points = flat[-1, : max(3, len(found.words) // 2)]
    apart = np.linalg.norm(points - flat[0, : len(points)], axis=1)
    chosen: list[int] = []
    while len(chosen) < min(most, len(points)):
        chosen.append(int(np.argmax(apart)))
        apart = np.minimum(apart, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return [found.words[place] for place in chosen]


@offered("settling", "print(settling)")
def compare_films(films: Sequence[Film], names: Sequence[str]) -> str:
    """Return two sentences that compare two runs: how early neighbors are final, and how well the last maps fit.

    The first sentence has for each run the share of a word's final neighbors that are near it early. “Early” is after
    one epoch, or half of the shorter run if that is less. The second sentence has the difference of the last maps after
    a rotation. It is left out if `films[1].fit` is None.
    """
    one, other = films
    early = min(1.0, one.epochs / 2, other.epochs / 2)
    near = [
        f"{share(each.settled_at(early))} in {name} (epoch {spoken_epochs(each.measured(early))})"
        for name, each in zip(names, films, strict=True)
    ]
    chances = list(dict.fromkeys(share(each.chance) for each in films))
    fit = other.fit
    after = (
        f" Rotated onto {names[0]}, the last map of {names[1]} differs from it by {share(fit.residual)} over "
        f"{fit.words:,} shared words (shuffled words: {share(fit.chance)})."
        if fit is not None
        else ""
    )
    return (
        f"Share of a word’s final {one.k} neighbors that are near it early on: {' and '.join(near)} (random words: "
        f"{' and '.join(chances)}).{after}"
    )


beside = compare_films  # the old name, in cards and Python code that were exported earlier
