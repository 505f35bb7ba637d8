"""What a verdict is, for the calibration, and the clouds without structure that most of them are asked on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.core.space import Float, Origin, VectorSpace

N = 200
"""Rows of a drawn space, so that the whole ends in minutes."""


class Case(NamedTuple):
    """Draws of one kind of space.

    Attributes:
        name: The kind of space.
        true: Whether the verdict must be given there.
        draw: The verdict on the space of a seed: given or not, or the share of the rows for which it is given; None
            where the program says nothing.
        draws: How many are drawn.
    """

    name: str
    true: bool
    draw: Callable[[int], float | None]
    draws: int = 200


@dataclass(frozen=True)
class Verdict:
    """A sentence of the program that may be wrong.

    Attributes:
        name: On the command line.
        title: On the page.
        says: The words that are given or not.
        where: Pages and commands that show it.
        family: What is tested at once.
        cases: The kinds of space.
        stated: The greatest false-alarm rate that is stated.
    """

    name: str
    title: str
    says: str
    where: str
    family: str
    cases: tuple[Case, ...]
    stated: float = 0.05

    def case(self, name: str) -> Case:
        """Return the case of a name."""
        return next(each for each in self.cases if each.name == name)


def space_of(matrix: Float, words: list[str] | None = None, order: str = "none") -> VectorSpace:
    """Make a space of rows named w0, w1, … or by these words."""
    names = words or [f"w{row}" for row in range(len(matrix))]
    return VectorSpace(names, np.asarray(matrix, np.float32), origin=Origin("synthetic", "drawn", order))


def gaussian(random: np.random.Generator, n: int = N, d: int = 50) -> Float:
    """Draw a Gaussian cloud."""
    return random.normal(size=(n, d))


def uniform(random: np.random.Generator, n: int = N, d: int = 50) -> Float:
    """Draw a uniform cube."""
    return random.uniform(-1, 1, (n, d))


def heavy(random: np.random.Generator, n: int = N, d: int = 50) -> Float:
    """Draw coordinates of Student's t with three degrees of freedom."""
    return random.standard_t(3, (n, d))


def scales(random: np.random.Generator, n: int = N, d: int = 50) -> Float:
    """Draw Gaussian rows of very different lengths."""
    return random.normal(size=(n, d)) * np.exp(0.5 * random.normal(size=(n, 1)))


def leaning(random: np.random.Generator, n: int = N, d: int = 50) -> Float:
    """Draw a Gaussian cloud that lies away from the origin."""
    return random.normal(size=(n, d)) + 1


def decaying(random: np.random.Generator, n: int = N, d: int = 50) -> Float:
    """Draw a Gaussian cloud whose variance falls from direction to direction, as in real spaces."""
    return random.normal(size=(n, d)) / np.sqrt(1 + np.arange(d))


CLOUDS = {
    "Gaussian cloud": gaussian,
    "uniform cube": uniform,
    "heavy tails (t, 3)": heavy,
    "mixture of scales": scales,
    "cloud away from the origin": leaning,
    "falling variances": decaying,
}


def clusters(random: np.random.Generator, count: int = 5, apart: float = 1.5, n: int = N, d: int = 50) -> Float:
    """Draw Gaussian clusters whose centers have this standard deviation in each of d dimensions."""
    return apart * random.normal(size=(count, d))[np.arange(n) % count] + random.normal(size=(n, d))


def on_clouds(verdict: Callable[[VectorSpace, int], bool | None], draws: int = 200) -> tuple[Case, ...]:
    """Ask for a verdict on all clouds, where it must not be given."""

    def asked(cloud: Callable[..., Float]) -> Callable[[int], bool | None]:
        return lambda seed: verdict(space_of(cloud(np.random.default_rng(seed))), seed)

    return tuple(Case(f"{name}, {N} × 50", False, asked(cloud), draws) for name, cloud in CLOUDS.items())
