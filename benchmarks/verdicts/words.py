"""Verdicts on words and their space: neighbors, a shared direction, lengths by frequency."""

from __future__ import annotations

import numpy as np

from embedviz.core.space import VectorSpace
from embedviz.geometry.isotropy import isotropy
from embedviz.neighbors import neighborhood
from verdicts.base import Case, N, Verdict, gaussian, heavy, leaning, on_clouds, scales, space_of, uniform


def beyond(space: VectorSpace, seed: int) -> bool:
    """Whether any of ten neighbors of a word is said to be nearer than by chance."""
    return bool(neighborhood(space, "w0", 10, seed=seed).beyond_shuffled)


def twin(seed: int) -> np.ndarray:
    """Draw a Gaussian cloud in which the second row is the first with as much noise again."""
    random = np.random.default_rng(seed)
    matrix = gaussian(random)
    matrix[1] = matrix[0] + random.normal(size=matrix.shape[1])
    return matrix


def leans(space: VectorSpace, seed: int) -> bool:
    """Whether the rows are said to lean one way."""
    return isotropy(space, seed=seed).leans


def trend(seed: int, fall: float) -> bool:
    """Whether lengths are said to go with frequency, where they fall by so much over all ranks."""
    random = np.random.default_rng(seed)
    lengths = np.exp(0.3 * random.normal(size=(N, 1)) - fall * np.linspace(0, 1, N)[:, None])
    return isotropy(space_of(random.normal(size=(N, 50)) * lengths, order="frequency"), seed=seed).trend


CENTERED = {"Gaussian cloud": gaussian, "uniform cube": uniform, "heavy tails (t, 3)": heavy, "scales": scales}

VERDICTS = (
    Verdict(
        "neighbors",
        "Neighbors: nearer than by chance",
        "3 of 10 are nearer to … than the best match by chance",
        "Neighbors, Map, `neighbors`",
        "All neighbors that are listed of one word are one family.",
        (
            *on_clouds(beyond),
            Case("a word with a twin, half of it noise", True, lambda seed: beyond(space_of(twin(seed)), seed)),
        ),
    ),
    Verdict(
        "leaning",
        "Isotropy: the rows lean one way",
        "They lean one way, and a cosine says little until …",
        "Isotropy, `isotropy`",
        "One test.",
        (
            *(
                Case(
                    f"{name}, {N} × {d}",
                    False,
                    lambda seed, cloud=cloud, d=d: leans(space_of(cloud(np.random.default_rng(seed), N, d)), seed),
                )
                for name, cloud in CENTERED.items()
                for d in (2, 50)
            ),
            Case(
                "cloud away from the origin",
                True,
                lambda seed: leans(space_of(leaning(np.random.default_rng(seed))), seed),
            ),
        ),
    ),
    Verdict(
        "lengths",
        "Isotropy: lengths go with frequency",
        "Frequent ones are longer",
        "Isotropy",
        "One test.",
        (
            Case("lengths drawn at random", False, lambda seed: trend(seed, 0)),
            Case("lengths that halve over all ranks", True, lambda seed: trend(seed, 0.7)),
        ),
    ),
)
