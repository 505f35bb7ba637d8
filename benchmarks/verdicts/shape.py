"""The verdict on the shape of a cloud: its intrinsic dimension."""

from __future__ import annotations

import numpy as np

from embedviz.core.space import VectorSpace
from embedviz.geometry.intrinsic import intrinsic_dimension
from verdicts.base import Case, N, Verdict, on_clouds, space_of

DRAWS = 40


def fewer(space: VectorSpace, seed: int, *, unit: bool = True) -> bool:
    """Whether the rows are said to lie on fewer dimensions than their copies."""
    return intrinsic_dimension(space, unit=unit, seed=seed).fewer


def ring(seed: int) -> bool:
    """Whether a circle with little noise is seen to have fewer dimensions than its copies."""
    random = np.random.default_rng(seed)
    angle = random.uniform(0, 2 * np.pi, N)
    rows = np.zeros((N, 10))
    rows[:, 0], rows[:, 1] = np.cos(angle), np.sin(angle)
    return fewer(space_of(rows + 0.01 * random.normal(size=rows.shape)), seed, unit=False)


VERDICTS = (
    Verdict(
        "intrinsic",
        "Intrinsic dimension",
        "fewer than structureless copies of them",
        "the function `intrinsic_dimension`",
        "One estimate, against the lowest of four limits, 9 copies each.",
        (
            *on_clouds(fewer, DRAWS),
            Case(
                "falling variances, rows as stored",
                False,
                lambda s: fewer(
                    space_of(np.random.default_rng(s).normal(size=(N, 50)) / np.sqrt(1 + np.arange(50))), s, unit=False
                ),
                DRAWS,
            ),
            Case("a circle in ten dimensions, little noise", True, ring, 20),
        ),
    ),
)
