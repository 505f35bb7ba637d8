"""Verdicts on a file of vectors: close rows, outliers, smaller vectors, drift."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from embedviz.core.builtin import builtin_space
from embedviz.core.space import VectorSpace
from embedviz.geometry.comparison.drift import drift
from embedviz.geometry.compression import GOOD, compression
from embedviz.geometry.duplicates import near_duplicates
from embedviz.geometry.outliers import outliers
from verdicts.base import Case, N, Verdict, clusters, gaussian, heavy, on_clouds, scales, space_of

DRAWS, SLOW, SLOWEST = 200, 100, 50
_DRIFTED = 150  # rows of each set


def duplicated(space: VectorSpace, seed: int) -> bool:
    """Whether any row is said to be unusually close to another."""
    return near_duplicates(space, seed=seed).found


def copied(seed: int) -> float:
    """Return which share of ten rows and their copies with a tenth of noise are found."""
    random = np.random.default_rng(seed)
    matrix = gaussian(random)
    matrix[10:20] = matrix[:10] + 0.1 * random.normal(size=(10, matrix.shape[1]))
    return near_duplicates(space_of(matrix), seed=seed).tested.right / 20


def apart(space: VectorSpace, seed: int) -> bool:
    """Whether any row is said to be an outlier."""
    return outliers(space, seed=seed).found


def strayed(seed: int) -> bool:
    """Whether an outlier is found where one row lies in a direction of its own, outside the plane of the others."""
    random = np.random.default_rng(seed)
    matrix = gaussian(random, N, 50) * np.where(np.arange(50) < 20, 1.0, 0.1)
    matrix[0, 20:] = random.normal(size=30)
    return apart(space_of(matrix), seed)


def between(seed: int) -> bool:
    """Whether an outlier is found where one row lies between five clusters."""
    random = np.random.default_rng(seed)
    matrix = clusters(random, apart=3.0)
    matrix[0] = 3.0 * random.normal(size=matrix.shape[1])
    return apart(space_of(matrix), seed)


@cache
def words() -> np.ndarray:
    """Return the rows of the built-in space."""
    return np.asarray(builtin_space().matrix)


def some_words(random: np.random.Generator, n: int = N) -> np.ndarray:
    """Draw words of the built-in space."""
    return words()[random.choice(len(words()), n, replace=False)]


def overstated(seed: int) -> bool:
    """Whether a form that keeps fewer than 90 % of the neighbors of all rows is said to keep 90 % by a sample."""
    space = space_of(some_words(np.random.default_rng(seed), 2_000))
    whole = {form.name: form.preserved for form in compression(space, sample=2_000).forms}
    return any(form.low >= GOOD > whole[form.name] for form in compression(space, sample=100, seed=seed).forms)


def small_enough(seed: int) -> bool:
    """Whether 8 bits are said to be enough."""
    best = compression(space_of(some_words(np.random.default_rng(seed), 2_000)), sample=200, seed=seed).smallest
    return best is not None and best.name == "int8"


def moved(
    make: Callable[..., np.ndarray], *, shift: float = 0.0, paired: bool = False, wide: float = 1.0
) -> Callable[[int], bool]:
    """Ask whether two sets of rows drifted.

    Args:
        shift: What is added to each number of the second set, in standard deviations.
        paired: Whether both sets have the same words: rows that differ by noise alone.
        wide: Factor of the numbers of the second set.
    """

    def asked(seed: int) -> bool:
        random = np.random.default_rng(seed)
        n = _DRIFTED
        rows = make(random, n if paired else 2 * n)
        one, other = (rows, rows) if paired else (rows[:n], rows[n:])
        if paired:
            one, other = (rows + 0.5 * rows.std() * random.normal(size=rows.shape) for _ in range(2))
        other = wide * other + shift * rows.std(axis=0)
        names = [f"w{row}" if paired else f"v{row}" for row in range(n)]
        return drift(space_of(one), space_of(other, names), seed=seed).found

    return asked


VERDICTS = (
    Verdict(
        "duplicates",
        "Open: unusually close rows",
        "… have a neighbor much nearer than the 10th nearest",
        "Open, `check`",
        "All rows of the sample are one family.",
        (
            *on_clouds(duplicated, DRAWS),
            Case("five clusters", False, lambda s: duplicated(space_of(clusters(np.random.default_rng(s))), s), DRAWS),
            Case("ten rows copied with a tenth of noise: found part of rows", True, copied, SLOW),
        ),
    ),
    Verdict(
        "outliers",
        "Open: outliers",
        "Yes: … lie farther from their neighbors than rows of random data",
        "Open, `check`",
        "All rows of the sample are one family, against the highest of four limits.",
        (
            *on_clouds(apart, SLOW),
            Case("five clusters", False, lambda s: apart(space_of(clusters(np.random.default_rng(s))), s), SLOW),
            Case("one row outside the directions of the others", True, strayed, SLOW),
            Case("one row between five clusters", True, between, SLOW),
        ),
    ),
    Verdict(
        "smaller",
        "Open: smaller vectors",
        "… of the bytes; rows keep … of their 10 nearest neighbors: a form that keeps at least 90 %",
        "Open, `check`",
        "The intervals of all forms are one family.",
        (
            Case("2,000 words of the built-in space, a form below 90 %", False, overstated, 40),
            Case("2,000 words of the built-in space, 8 bits", True, small_enough, 20),
        ),
    ),
    Verdict(
        "drift",
        "Drift: two sets of vectors differ",
        "the vectors drifted",
        "Compare, `check --against`",
        "One permutation test.",
        (
            Case("two draws of a Gaussian cloud, 150 × 50 each", False, moved(gaussian), SLOWEST),
            Case("two draws with heavy tails (t, 3)", False, moved(heavy), SLOWEST),
            Case("two draws of a mixture of scales", False, moved(scales), SLOWEST),
            Case("two parts of the built-in space", False, moved(some_words), SLOWEST),
            Case(
                "the same words of the built-in space with noise, twice", False, moved(some_words, paired=True), SLOWEST
            ),
            Case("Gaussian cloud, mean moved by 0.3 sd in each dimension", True, moved(gaussian, shift=0.3), 20),
            Case("parts of the built-in space, mean moved by 0.3 sd", True, moved(some_words, shift=0.3), 20),
            Case(
                "the same words with noise, twice, mean moved by 0.2 sd",
                True,
                moved(some_words, paired=True, shift=0.2),
                40,
            ),
        ),
    ),
)
