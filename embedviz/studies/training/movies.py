"""A training as a moving picture: all its snapshots along the directions that say most about the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from embedviz.options import OptionError
from embedviz.space import Float
from embedviz.studies.training.basis import principal_directions
from embedviz.trajectory import Trajectory

_SHUFFLES = 20
FEWEST = 3
"""Shared words below which one picture is not turned onto another."""


@dataclass(frozen=True)
class Fit:
    """How well the last picture of one run lies on that of another, over the words they share.

    Attributes:
        words: How many are shared.
        stretch: What the picture was multiplied by.
        residual: What is left of the squared distances from the middle: 0 where the pictures are equal.
        chance: The same with the words of one of them in a random order, the mean of twenty.
    """

    words: int
    stretch: float
    residual: float
    chance: float


@dataclass(frozen=True, eq=False)
class Movie:
    """Where each word lies at each snapshot.

    Attributes:
        words: n words.
        epochs: Passes behind each snapshot, (s,).
        points: (s, n, components) float32; each snapshot is centered on its own mean.
        shares: Of the variance of the words at each snapshot, what the picture shows, (s,).
        chance: What a picture along directions drawn at random would show.
        fit: How it lies on the other run, where it was turned onto one.
    """

    words: Sequence[str]
    epochs: Float
    points: Float
    shares: Float
    chance: float
    fit: Fit | None = None

    @property
    def components(self) -> int:
        """2 or 3."""
        return int(self.points.shape[2])


def movie(trajectory: Trajectory, components: int = 2, onto: Movie | None = None) -> Movie:
    """All snapshots in the basis of the last one.

    Args:
        onto: Another run's: this one is turned, mirrored and stretched as a whole so that its last snapshot lies as
            near as can be to that one's, over the words of both (Procrustes; Schönemann 1966).

    Raises:
        OptionError: Neither 2 nor 3 components, or too few words are shared.
    """
    if components not in (2, 3):
        raise OptionError(f"components is {components}; a picture has 2 or 3.")
    if onto is not None and onto.components != components:
        raise OptionError(f"A picture in {components} dimensions cannot be turned onto one in {onto.components}.")
    last = _centered(trajectory.at(-1))
    directions = principal_directions(last, min(components, trajectory.dimensions))
    directions = directions * np.where(directions.sum(axis=0) < 0, -1, 1).astype(np.float32)
    points = np.zeros((len(trajectory), len(trajectory.words), components), np.float32)
    shares = np.zeros(len(trajectory), np.float32)
    for step in range(len(trajectory)):
        rows = _centered(trajectory.at(step))
        points[step, :, : directions.shape[1]] = rows @ directions
        total = _squares(rows)
        shares[step] = _squares(points[step]) / total if total else 0.0
    fit = None
    if onto is not None:
        points, fit = _turned(points, trajectory.words, onto)
    for array in (points, shares):
        array.flags.writeable = False
    chance = min(1.0, components / trajectory.dimensions)
    return Movie(trajectory.words, trajectory.epochs, points, shares, chance, fit)


def _turned(points: Float, words: Sequence[str], onto: Movie) -> tuple[Float, Fit]:
    index = {word: place for place, word in enumerate(onto.words)}
    ours = np.array([place for place, word in enumerate(words) if word in index], np.int64)
    theirs = np.array([index[words[place]] for place in ours.tolist()], np.int64)
    if len(ours) < FEWEST:
        raise OptionError(
            f"The two runs show {len(ours)} words in common; {FEWEST} are needed to turn one onto the other."
        )
    here, there = points[-1, ours].astype(np.float64), onto.points[-1, theirs].astype(np.float64)
    middle, place = here.mean(axis=0), there.mean(axis=0)
    here, there = here - middle, there - place
    turn, stretch, residual = _procrustes(here, there)
    random = np.random.default_rng(0)
    chance = np.mean([_procrustes(here[random.permutation(len(here))], there)[2] for _ in range(_SHUFFLES)])
    turned = (stretch * (points - middle) @ turn + place).astype(np.float32)
    return turned, Fit(len(ours), stretch, residual, float(chance))


def _procrustes(here: Float | np.ndarray, there: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The turn and the stretch that bring centered points nearest to their partners, and the share that is left."""
    left, values, right = np.linalg.svd(here.T @ there)
    size, other = float((here**2).sum()), float((there**2).sum())
    if not size or not other:
        return np.eye(here.shape[1]), 1.0, 1.0
    return left @ right, float(values.sum()) / size, max(0.0, 1 - float(values.sum()) ** 2 / (size * other))


def _centered(rows: Float) -> Float:
    return np.asarray(rows - rows.mean(axis=0, dtype=np.float64).astype(np.float32), np.float32)


def _squares(rows: Float) -> float:
    return float(np.einsum("ij,ij->", rows, rows, dtype=np.float64))
