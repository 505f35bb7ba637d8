"""The recording of a training as a movie: the place of each word at each moment, and how soon words settle."""

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
"""Nearest words that are counted, and listed for a word."""
ALL, LOOKED = 1_000, 300
"""Words up to which the neighbors of all are counted, and how many of more."""
TRAILS = 2
"""Words that leave trails by default."""
PAIR = ("king", "queen")
"""Words that leave trails by default where both are recorded."""
MOST_TRAILS = 7
"""Words that leave trails, besides the word in use: there are eight colors."""
_FEWEST, _SHUFFLES = 3, 20
_EPSILON = 1e-9  # below what float32 tells apart


class Fit(NamedTuple):
    """Fit of the last map of one run to that of another, over the words they share.

    Attributes:
        words: Number of shared words.
        stretch: Factor by which the map was scaled.
        residual: Share of the squared distances from the center that remains: 0 where the maps are equal.
        chance: The same with the words of one map in a random order, the mean of twenty.
    """

    words: int
    stretch: float
    residual: float
    chance: float


@dataclass(frozen=True, eq=False)
class Film:
    """Words of a space at every moment of their training, in fixed directions.

    Attributes:
        words: The n recorded words; `rows`: their rows in the space, (n,).
        moments: Epochs at each moment, ascending, (s,).
        frames: Points of the words, (s, n, 2 or 3), centered at each moment.
        shares: Share of the variance that the map shows at each moment, (s,).
        even: The same for a random cloud.
        settled: Share of a word's final k nearest words that are among its nearest already, (s,).
        k, looked: Number of nearest words, and of words that were looked at.
        means: Mean cosine of two of the words at each moment, (s,).
        axes: A title for each direction.
        fit: Fit to another film; None where it was not rotated onto one.
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
        """Return the number of epochs of the training."""
        return float(self.moments[-1])

    @property
    def chance(self) -> float:
        """Return the expected share of final neighbors among k random words."""
        return self.k / max(1, len(self.words) - 1)

    @property
    def meaning(self) -> str:
        """Say at which moment half of the final neighbors are first there, and the share by chance."""
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
        """Return the epoch that `meaning` names; None where it names none."""
        return float(self.moments[self._halfway]) if len(self.moments) > 1 and self._halfway else None

    @property
    def counted(self) -> str:
        """Say of how many words the shares of final neighbors are the mean."""
        if self.looked == len(self.words):
            return f"Mean of all {self.looked:,} words"
        return f"Mean of {self.looked:,} random words of {len(self.words):,}, to save time"

    @property
    def _halfway(self) -> int:
        """Return the first moment with half of the final neighbors, in whole percent as the curve shows it."""
        return int(np.flatnonzero(np.round(self.settled, 2) >= 0.5)[0])

    @property
    def sample(self) -> str:
        """Say the number of words, moments and epochs."""
        return f"{len(self.words):,} words at {len(self.moments):,} moments of {spoken_epochs(self.epochs)} epochs."

    @property
    def picture(self) -> str:
        """Describe the directions of the map, and their share of the variance at the first and the last moment."""
        count = {2: "two", 3: "three"}[self.frames.shape[2]]
        return (
            f"Every moment is drawn along the {count} main directions of the last moment (PCA), centered. They hold "
            f"{share(float(self.shares[-1]), fine=True)} of the variance at the end and "
            f"{share(float(self.shares[0]), fine=True)} at the beginning (random vectors: "
            f"{share(self.even, fine=True)})."
        )

    def settled_at(self, epochs: float) -> float:
        """Return the share of final neighbors that are near at the moment that `measured` returns."""
        return float(self.settled[self._step(epochs)])

    def measured(self, epochs: float) -> float:
        """Return the recorded moment nearest to this number of epochs, never the first one."""
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
    """Return the recording in a space's folder as a movie.

    Args:
        folder: Of a saved space.
        components: 2 or 3 directions.
        onto: The folder of another run: this one is rotated, mirrored and scaled as a whole so that its last moment
            is as near as possible to that one's, over the words of both (Procrustes; Schönemann 1966).

    Raises:
        SpaceError: The folder has no recording.
        OptionError: Neither 2 nor 3 components; or there are fewer than three words, they all end in one place, or no
            three are in common.
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
    """Return the directions of greatest variance of the last moment, (d, at most components)."""
    found = principal_directions(center(way.at(-1)), min(components, way.dimensions))
    return np.asarray(found * np.where(found.sum(axis=0) < 0, -1, 1), np.float32)


def _pictures(way: Trajectory, directions: Float, steps: Sequence[int], components: int) -> tuple[Float, Float]:
    """Return the words at some moments along directions, each less its own mean, and the share of variance shown."""
    frames = np.zeros((len(steps), len(way.words), components), np.float32)
    shares = np.zeros(len(steps), np.float32)
    for place, step in enumerate(steps):
        rows = center(way.at(step))
        frames[place, :, : directions.shape[1]] = rows @ directions
        total = squares(rows)
        shares[place] = squares(frames[place]) / total if total else 0.0
    return frames, shares


def _turned(frames: Float, words: Sequence[str], onto: Trajectory) -> tuple[Float, Fit]:
    """Turn the frames onto the last moment of another run."""
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
    """Return the rotation and the scale that bring centered points nearest to their partners, and the residual."""
    left, values, right = np.linalg.svd(here.T @ there)
    size, other = float((here**2).sum()), float((there**2).sum())
    if not size or not other:
        return np.eye(here.shape[1]), 1.0, 1.0
    rest = 1 - float(values.sum()) ** 2 / (size * other)
    return left @ right, float(values.sum()) / size, rest if rest > _EPSILON else 0.0


def trajectory_of(folder: str | Path) -> Trajectory:
    """Return the recording in a space's folder.

    Raises:
        SpaceError: There is none, or it is damaged.
    """
    try:
        return open_trajectory(Path(folder) / TRAJECTORY)
    except SpaceError:
        raise SpaceError("The recording of this training is missing or incomplete.") from None


def has_trajectory(folder: str | Path | None) -> bool:
    """Return whether a space's folder has a recording."""
    return folder is not None and (Path(folder) / TRAJECTORY / "trajectory.json").is_file()


def _settling(way: Trajectory, report: Report | None) -> tuple[Float, int, int, Float]:
    """Return the share of final neighbors at each moment, the words measured, k, and the mean cosine of two words."""
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
    """Return the k nearest of some rows by cosine, (m, k)."""
    cosines = rows[looked] @ rows.T
    cosines[np.arange(len(looked)), looked] = -np.inf
    return np.asarray(np.argpartition(-cosines, k - 1, axis=1)[:, :k])


class NeighborHistory(NamedTuple):
    """The nearest words of a word, moment by moment.

    Attributes:
        epochs: Passes at each moment.
        lists: The nearest words with their cosines at each, nearest first.
    """

    word: str
    epochs: tuple[float, ...]
    lists: tuple[tuple[tuple[str, float], ...], ...]

    @property
    def last(self) -> tuple[str, ...]:
        """Return the nearest words at the end."""
        return tuple(word for word, _ in self.lists[-1])

    @property
    def meaning(self) -> str:
        """Say from which moment on half and all of the final neighbors are near; empty for fewer than two."""
        k, end = len(self.last), self.epochs[-1]
        if len(self.lists) < 2 or k < 2:
            return ""
        half, whole = self._from((k + 1) // 2), self._from(k)
        every = f"from epoch {spoken_epochs(whole)} on, all" if whole < end else "only at the end, all"
        return f"From epoch {spoken_epochs(half)} on, at least half of its {k} final neighbors are near; {every}."

    def _from(self, least: int) -> float:
        """Return the first moment from which on at least so many of the final neighbors are near."""
        final, found = set(self.last), self.epochs[-1]
        for epoch, listed in zip(reversed(self.epochs), reversed(self.lists), strict=True):
            if sum(word in final for word, _ in listed) < least:
                break
            found = epoch
        return found


def nearest(way: Trajectory, word: str, k: int = K) -> NeighborHistory:
    """Return the words that were nearest to a word at each moment, among those of the trajectory.

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
    """Return the words that were nearest to a word at each moment while a space learned; see `nearest`.

    Raises:
        SpaceError: The space has no recording.
        UnknownWordError: The word was not recorded.
    """
    return nearest(trajectory_of(space.folder or ""), word, k)


def final_neighbors(way: Trajectory, words: Sequence[str], k: int = K) -> list[int]:
    """Return the k nearest recorded words of each of these words at the end, as rows of the trajectory."""
    places = np.array([way.index[word] for word in words if word in way.index], np.int64)
    if not len(places) or len(way.words) < 2:
        return []
    near = _nearest(unit_rows(way.at(len(way) - 1)), places, min(k, len(way.words) - 1))
    return sorted({*near.ravel().tolist()})


def stops(films: Sequence[Film]) -> list[float]:
    """Return the moments of a slider: those of the first run, then the later ones of a longer run."""
    found = [float(moment) for moment in films[0].moments]
    for other in films[1:]:
        found += [float(moment) for moment in other.moments if moment > found[-1] + 1e-4]
    return found


def default_trails(found: Film, watched: Sequence[str] = (), most: int = TRAILS) -> list[str]:
    """Return the words of `PAIR` where both are recorded, else those that were watched, else words that moved far.

    Words that moved far are among the more frequent half, and end far from each other.

    Args:
        watched: Words that were watched in the training.
    """
    known = set(found.words)
    if known.issuperset(PAIR):
        return list(PAIR)
    followed = [word for word in watched if word in known][:most]
    if len(followed) > 1:
        return followed
    flat = found.frames[:, :, :2].astype(np.float64)  # the same words in two dimensions and in three
    points = flat[-1, : max(3, len(found.words) // 2)]
    apart = np.linalg.norm(points - flat[0, : len(points)], axis=1)
    chosen: list[int] = []
    while len(chosen) < min(most, len(points)):
        chosen.append(int(np.argmax(apart)))
        apart = np.minimum(apart, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return [found.words[place] for place in chosen]


@offered("settling", "print(settling)")
def compare_films(films: Sequence[Film], names: Sequence[str]) -> str:
    """Return how soon the words of two runs settle, and how well their last maps agree, in two sentences."""
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


beside = compare_films  # its name in cards and in Python that were exported before
