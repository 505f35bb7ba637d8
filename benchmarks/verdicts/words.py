"""Verdicts on words and their space: neighbors, isotropy, lengths by frequency, change over a series of spaces."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from embedviz.core.space import VectorSpace
from embedviz.geometry.comparison import SeriesChange, series, timeline
from embedviz.geometry.isotropy import isotropy
from embedviz.geometry.structure import structure
from embedviz.neighbors import neighborhood
from verdicts.base import (
    CLOUDS,
    Case,
    N,
    Verdict,
    clusters,
    decaying,
    gaussian,
    heavy,
    leaning,
    on_clouds,
    scales,
    space_of,
    uniform,
)

FEW_ROWS = (40, 80)
"""Numbers of rows that are few against 384 dimensions."""


def beyond(space: VectorSpace, seed: int) -> bool:
    """Whether any of ten neighbors of a word is said to be nearer than by chance."""
    return bool(neighborhood(space, "w0", 10, seed=seed).beyond_shuffled)


def twin(seed: int) -> np.ndarray:
    """Draw a Gaussian cloud in which the second row is the first with as much noise again."""
    random = np.random.default_rng(seed)
    matrix = gaussian(random)
    matrix[1] = matrix[0] + random.normal(size=matrix.shape[1])
    return matrix


def structured(space: VectorSpace, seed: int) -> bool | None:
    """Whether near rows are said to be nearer than in random data."""
    found = structure(space, seed=seed)
    return found and found.found


def cloud_structured(make: Callable[[np.random.Generator], np.ndarray]) -> Callable[[int], bool | None]:
    """Ask for the structure of drawn rows."""
    return lambda seed: structured(space_of(make(np.random.default_rng(seed))), seed)


def scaled_away(random: np.random.Generator) -> np.ndarray:
    """Draw a Gaussian cloud away from the origin whose rows have very different lengths."""
    return leaning(random) * np.exp(0.5 * random.normal(size=(N, 1)))


def random_texts(random: np.random.Generator) -> np.ndarray:
    """Draw the TF-IDF vectors of 40 texts of nine words each, all drawn from the same 154."""
    counts = random.multinomial(9, np.full(154, 1 / 154), size=40)
    return counts * np.log(41 / (1 + (counts > 0).sum(axis=0)))


def turned_box(random: np.random.Generator) -> np.ndarray:
    """Draw a uniform box in five dimensions, in a random orientation."""
    box = uniform(random, N, 5) / np.sqrt(1 + np.arange(5))
    return box @ np.linalg.qr(random.normal(size=(5, 5)))[0]


def circle(random: np.random.Generator) -> np.ndarray:
    """Draw a circle of radius one in ten dimensions, with noise of .1 in each."""
    angle, rows = random.uniform(0, 2 * np.pi, N), 0.1 * random.normal(size=(N, 10))
    rows[:, :2] += np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return rows


def leans(space: VectorSpace, seed: int) -> bool:
    """Whether the rows are said to share a direction."""
    return isotropy(space, seed=seed).leans


def trend(seed: int, fall: float) -> bool:
    """Whether lengths are said to go with frequency, where they fall by so much over all ranks."""
    random = np.random.default_rng(seed)
    lengths = np.exp(0.3 * random.normal(size=(N, 1)) - fall * np.linspace(0, 1, N)[:, None])
    return isotropy(space_of(random.normal(size=(N, 50)) * lengths, order="frequency"), seed=seed).trend


def answers(matrix: np.ndarray, *given: str) -> bool:
    """Whether the answer to “Are all directions used equally?” is one of these."""
    return isotropy(space_of(matrix), sample=50).answer in given  # the answer does not use the sample


def stretched(random: np.random.Generator) -> np.ndarray:
    """Draw a Gaussian cloud that is three times as long in one direction as in the others."""
    matrix = gaussian(random)
    matrix[:, 0] *= 3
    return matrix


def drawn_series(seed: int, steps: int, planted: int, d: int = 50, fading: float = 1.0) -> SeriesChange:
    """Return the change of 300 words over a series; each word has noise of its own strength.

    Args:
        seed: Of all vectors.
        steps: Spaces.
        planted: Words that get another vector in the second half of the series.
        d: Dimensions.
        fading: Noise of the first space divided by that of the last one.
    """
    random = np.random.default_rng(seed)
    base, new = random.normal(size=(2, 300, d))
    own, made = 0.5 * np.exp(0.6 * random.normal(size=(300, 1))), []
    for step in range(steps):
        rows = base.copy()
        if step >= steps / 2:
            rows[:planted] = new[:planted]
        strength = own * fading ** (0.5 - step / (steps - 1))
        made.append(space_of(rows + strength * random.normal(size=rows.shape)))
    return series(made)


def beyond_rarity(seed: int, own: float) -> bool:
    """Whether the movement of a random word is said to be more than its rarity explains; rare words have more noise.

    Args:
        seed: Of all vectors, and of the word.
        own: Noise of this word divided by that of words as rare.
    """
    random = np.random.default_rng(seed)
    first, strength = random.normal(size=(600, 30)), np.linspace(0.2, 2, 600)[:, None]
    place = int(random.integers(600))
    strength[place] *= own
    late = first + strength * random.normal(size=first.shape)
    spaces = [space_of(rows, order="assumed") for rows in (first, late)]
    return "does not explain" in timeline(spaces, f"w{place}").rarity


def called(seed: int, steps: int) -> bool:
    """Whether any word of a series of nothing but noise is called changed."""
    return bool(drawn_series(seed, steps, 0).clear)


def false_part(found: SeriesChange, planted: int) -> float:
    """Return the share of the words called changed that did not change; 0 where none is called."""
    return sum(place >= planted for place in found.clear) / max(1, len(found.clear))


def found_part(found: SeriesChange, planted: int) -> float:
    """Return the share of the changed words that are called changed."""
    return sum(place < planted for place in found.clear) / planted


CENTERED = {"Gaussian cloud": gaussian, "uniform cube": uniform, "heavy tails (t, 3)": heavy, "scales": scales}
SIZES = ((40, 10), (200, 2), (200, 50), (200, 300), (2_000, 50))
UNEVEN = {
    "cloud away from the origin": leaning,
    "one direction three times as long": stretched,
    "falling variances": decaying,
}
FADING = (
    (4, 50, 1, "equal noise"),
    (4, 20, 4, "noise fades to a quarter"),
    (6, 20, 4, "noise fades to a quarter"),
    (4, 20, 8, "noise fades to an eighth"),
)

VERDICTS = (
    Verdict(
        "neighbors",
        "Neighbors: nearer than by chance",
        "3 of 10 are nearer than the best match by chance",
        "Neighbors, Map, `neighbors`",
        "All neighbors that are listed of one word are one family.",
        (
            *on_clouds(beyond),
            Case("a word with a twin, half of it noise", True, lambda seed: beyond(space_of(twin(seed)), seed)),
        ),
    ),
    Verdict(
        "structure",
        "Open: the rows have structure",
        "The rows have structure: near rows are nearer to each other than in random data",
        "Open, `info`",
        "One test against the highest of four limits.",
        (
            *on_clouds(structured),
            Case("cloud away from the origin, mixture of scales", False, cloud_structured(scaled_away)),
            Case("uniform box, turned, 200 × 5", False, cloud_structured(turned_box)),
            *(
                Case(f"{name}, {n} × 384", False, cloud_structured(partial(cloud, n=n, d=384)))
                for n in FEW_ROWS
                for name, cloud in CLOUDS.items()
            ),
            Case("texts of random words, TF-IDF, 40 × 154", False, cloud_structured(random_texts)),
            *(
                Case(
                    f"four clusters, 14 sd, {n} × 384",
                    True,
                    cloud_structured(partial(clusters, count=4, apart=0.5, n=n, d=384)),
                    40,
                )
                for n in FEW_ROWS
            ),
            Case("five clusters, 15 sd", True, cloud_structured(partial(clusters, apart=1.5)), 40),
            Case("five clusters, 6 sd", True, cloud_structured(partial(clusters, apart=0.6)), 40),
            Case("a circle in ten dimensions", True, cloud_structured(circle), 40),
        ),
    ),
    Verdict(
        "leaning",
        "Isotropy: the rows share a direction",
        "All cosines are too high: compare each with this mean",
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
        "isotropy-answer",
        "Isotropy: not all directions are used equally",
        "No …: the vectors spread as if they used … of … directions equally",
        "Isotropy, `isotropy`",
        "Two limits: 90 % of the directions of an isotropic space, and a mean cosine of .1.",
        (
            *(
                Case(
                    f"Gaussian cloud, {n:,} × {d}",
                    False,
                    lambda seed, n=n, d=d: answers(gaussian(np.random.default_rng(seed), n, d), "No", "Partly"),
                    200 if n < 2_000 else 100,
                )
                for n, d in SIZES
            ),
            *(
                Case(
                    name,
                    True,
                    lambda seed, cloud=cloud: answers(cloud(np.random.default_rng(seed)), "No", "Partly"),
                    100,
                )
                for name, cloud in UNEVEN.items()
            ),
        ),
    ),
    Verdict(
        "isotropy-no",
        "Isotropy: few directions are used",
        "No: the vectors spread as if they used … of … directions equally",
        "Isotropy, `isotropy`",
        "One limit: 50 % of the directions of an isotropic space.",
        (
            *(
                Case(
                    f"Gaussian cloud, {n:,} × {d}",
                    False,
                    lambda seed, n=n, d=d: answers(gaussian(np.random.default_rng(seed), n, d), "No"),
                    100,
                )
                for n, d in SIZES[:3]
            ),
            Case(
                "cloud away from the origin",
                False,
                lambda seed: answers(leaning(np.random.default_rng(seed)), "No"),
                100,
            ),
            Case("falling variances", True, lambda seed: answers(decaying(np.random.default_rng(seed)), "No"), 100),
        ),
    ),
    Verdict(
        "series",
        "Timeline: words that changed over a series",
        "… words changed more from early to late spaces than noise explains. At most 5 % of these are false.",
        "Timeline",
        "All words of a series are one family: a false discovery rate.",
        (
            *(
                Case(f"only noise, {steps} spaces: any word", False, lambda seed, steps=steps: called(seed, steps))
                for steps in (4, 6)
            ),
            *(
                Case(
                    f"30 of 300 words changed, {steps} spaces × {d}, {noise}: false part of words called",
                    False,
                    lambda seed, at=(steps, 30, d, fading): false_part(drawn_series(seed, *at), 30),
                )
                for steps, d, fading, noise in FADING
            ),
            *(
                Case(
                    f"30 of 300 words changed, {steps} spaces × {d}, {noise}: found part of words",
                    True,
                    lambda seed, at=(steps, 30, d, fading): found_part(drawn_series(seed, *at), 30),
                    100,
                )
                for steps, d, fading, noise in FADING
            ),
        ),
    ),
    Verdict(
        "rarity",
        "Timeline: a movement that rarity does not explain",
        "Of the 200 other words closest in rank, … moved as far, so rarity alone does not explain its movement.",
        "Timeline",
        "One word among the 200 as rare.",
        (
            Case("noise that grows with the rank", False, lambda seed: beyond_rarity(seed, 1)),
            Case("a word with five times the noise of words as rare", True, lambda seed: beyond_rarity(seed, 5)),
        ),
    ),
    Verdict(
        "lengths",
        "Isotropy: lengths go with frequency",
        "Over all rows: frequent rows are longer",
        "Isotropy",
        "One test.",
        (
            Case("lengths drawn at random", False, lambda seed: trend(seed, 0)),
            Case("lengths that halve over all ranks", True, lambda seed: trend(seed, 0.7)),
        ),
    ),
)
