"""Synthetic spaces with known structure, to check what the pages report.

The rows are labelled with English words, so that every page and every test set works. Except in *spelling*, the words
have nothing to do with the vectors. The same options give the same space.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, islice, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.builtin import builtin_space
from embedviz.core.options import Method, OptionError, Parameter, check, choose, table
from embedviz.core.space import Column, Float, Origin, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.testsets import Questions, datasets

MOST_NUMBERS = 4_000_000
"""Upper limit of rows × dimensions of a made-up space."""
_MOST_ROWS = 20_000
_SHORTEST, _LONGEST = 3, 6  # letters of an n-gram, as in fastText
_BUCKETS = 10_000
_TURNS = 1.5  # turns of the rolled-up sheet

Doubles = NDArray[np.float64]
Columns = Mapping[str, Column]
Random = np.random.Generator


def synthetic_space(kind: str, **options: Any) -> VectorSpace:
    """Return a made-up space of a kind in `SYNTHETIC`.

    Raises:
        OptionError: There is no such kind, an option is out of range, or the space would be too large.
    """
    row = choose(SYNTHETIC, kind, "made-up space")
    values = check(row, options)
    n, d = values["n"], values["d"]
    if n * d > MOST_NUMBERS:
        raise OptionError(f"n × d is {n * d:,}; at most {MOST_NUMBERS:,} numbers are made up. Lower n or d.")
    words = english_words()[:n]
    own = {name: value for name, value in values.items() if name not in ("n", "seed")}
    rows, columns = row.function(words, np.random.default_rng(values["seed"]), **own)
    changed = ", ".join(f"{name}={value}" for name, value in spelled(kind, options).items())
    name = f"Made-up {row.title.lower()}{f' ({changed})' if changed else ''}"
    origin = Origin("synthetic", name, "none", {"kind": kind, **values}, note=f"Made up. {row.summary}")
    return VectorSpace(words, np.asarray(rows, np.float32), None, columns, origin)


def spelled(kind: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the options that differ from their defaults: name → value as text for the space's address.

    Raises:
        OptionError: There is no kind of space with this name, or an option is out of range.
    """
    row = choose(SYNTHETIC, kind, "made-up space")
    usual = check(row, {})
    return {name: f"{value:.12g}" for name, value in check(row, options).items() if value != usual[name]}


@cache
def english_words() -> tuple[str, ...]:
    """Return up to 20,000 different words: first those of the test sets, then those of the built-in space.

    The test sets take turns, so that even a short list has words of every test set.
    """
    groups = ((word,) for row in zip_longest(*datasets.word_groups().values()) for word in row if word)
    sets: list[Iterator[tuple[str, ...]]] = [groups]
    for each in datasets.bundled():
        if isinstance(each, Questions):
            sets.append((one.a, one.b, one.c, *one.expected) for section in each.sections for one in section.questions)
        else:
            sets.append((pair.one, pair.other) for pair in each.pairs)
    words = (word.lower() for units in zip_longest(*sets) for unit in units if unit for word in unit)
    return tuple(islice(dict.fromkeys(chain(words, builtin_space().words)), _MOST_ROWS))


def _noise(words: tuple[str, ...], random: Random, *, d: int) -> tuple[Doubles, Columns]:
    return random.normal(size=(len(words), d)), {}


def _clusters(
    words: tuple[str, ...], random: Random, *, d: int, strength: float, clusters: int
) -> tuple[Doubles, Columns]:
    n = len(words)
    if clusters <= d:
        centers = _basis(d, clusters, random) / np.sqrt(2)
    else:  # more clusters than dimensions: put the centers on a circle, neighbors at distance 1
        angles = 2 * np.pi * np.arange(clusters) / clusters
        circle = np.stack([np.cos(angles), np.sin(angles)], axis=1) / (2 * np.sin(np.pi / clusters))
        centers = circle @ _basis(d, 2, random)
    code = random.permutation(np.arange(n) % clusters)
    rows = strength * (centers - centers.mean(axis=0))[code] + random.normal(size=(n, d))
    return rows, {"cluster": np.array([f"cluster {number}" for number in code + 1])}


def _roll(words: tuple[str, ...], random: Random, *, d: int, strength: float) -> tuple[Doubles, Columns]:
    n = len(words)
    position = np.sqrt(random.uniform(1, (1 + 2 * _TURNS) ** 2, n))  # spreads points about evenly
    angle, height = np.pi * position, random.uniform(0, 1, n)
    sheet = np.stack([position * np.cos(angle), position * np.sin(angle), 2 * (1 + 2 * _TURNS) * height], axis=1)
    return _embedded(sheet, d, strength, random), {"position": position, "height": height}


def _ring(words: tuple[str, ...], random: Random, *, d: int, strength: float) -> tuple[Doubles, Columns]:
    angle = random.uniform(0, 2 * np.pi, len(words))
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return _embedded(circle, d, strength, random), {"angle": np.degrees(angle)}


def _torus(words: tuple[str, ...], random: Random, *, d: int, strength: float) -> tuple[Doubles, Columns]:
    around, tube = random.uniform(0, 2 * np.pi, (2, len(words)))
    reach = 2 + np.cos(tube)
    surface = np.stack([reach * np.cos(around), reach * np.sin(around), np.sin(tube)], axis=1)
    return _embedded(surface, d, strength, random), {"angle": np.degrees(around), "tube": np.degrees(tube)}


def _one_direction(words: tuple[str, ...], random: Random, *, d: int, strength: float) -> tuple[Doubles, Columns]:
    lean = strength * random.uniform(0.5, 1.5, len(words))
    return random.normal(size=(len(words), d)) + lean[:, None] * _basis(d, 1, random), {"lean": lean}


def _spelling(words: tuple[str, ...], random: Random, *, d: int) -> tuple[Float, Columns]:
    grams = Subwords(_SHORTEST, _LONGEST, random.normal(size=(_BUCKETS, d)).astype(np.float32))
    return grams.composed([word.encode() for word in words], np.zeros((len(words), d), np.float32)), {}


def _embedded(shape: Doubles, d: int, strength: float, random: Random) -> Doubles:
    """Return a shape of few dimensions, placed in d dimensions in a random orientation, plus noise, (n, d).

    The shape consists of n points. It is scaled so that the mean standard deviation of its axes is `strength`. The
    standard deviation of the noise is 1.
    """
    centered = shape - shape.mean(axis=0)
    scaled = strength * centered / centered.std(axis=0).mean()
    return np.asarray(scaled @ _basis(d, shape.shape[1], random) + random.normal(size=(len(shape), d)))


def _basis(d: int, k: int, random: Random) -> Doubles:
    """Draw k ≤ d random unit vectors at right angles to each other, (k, d)."""
    return np.asarray(np.linalg.qr(random.normal(size=(d, k)))[0].T)


_ROWS = Parameter("n", 50, _MOST_ROWS, 3_000, "Words, and so rows.", "Words")
_SEED = Parameter("seed", 0, 2**31 - 1, 0, "Another seed gives other random numbers.", "Seed")


def _dimensions(least: int) -> Parameter:
    return Parameter("d", least, 1_000, 100, "Numbers in a row.", "Dimensions")


def _strength(usual: float, what: str) -> Parameter:
    return Parameter("strength", 0.0, 1_000.0, usual, f"{what}, where the noise in each dimension is 1.", "Strength")


SYNTHETIC: dict[str, Method] = table(
    Method(
        "noise",
        "Noise",
        _noise,
        (_ROWS, _dimensions(2), _SEED),
        "Every number is drawn from one normal distribution. There is no structure, so every pattern is chance.",
    ),
    Method(
        "clusters",
        "Clusters",
        _clusters,
        (
            _ROWS,
            _dimensions(2),
            _SEED,
            _strength(8.0, "Distance between the centers of two clusters"),
            Parameter("clusters", 2, 40, 5, "Clusters, all of about the same size.", "Clusters"),
        ),
        "Rows in round clusters, without other structure. The column cluster names it. The words have no meaning.",
    ),
    Method(
        "roll",
        "Roll",
        _roll,
        (_ROWS, _dimensions(3), _SEED, _strength(10.0, "Standard deviation of the sheet")),
        "A rolled-up sheet with noise around it. The columns position and height are its two sides. There are no "
        "groups, and the words mean nothing.",
        "Roweis and Saul 2000, the swiss roll",
    ),
    Method(
        "ring",
        "Ring",
        _ring,
        (_ROWS, _dimensions(2), _SEED, _strength(10.0, "Standard deviation of the ring")),
        "A circle with noise around it. The column angle is the place on it. There are no groups and no ends, and the "
        "words mean nothing.",
    ),
    Method(
        "torus",
        "Torus",
        _torus,
        (_ROWS, _dimensions(3), _SEED, _strength(10.0, "Standard deviation of the torus")),
        "The surface of a ring with noise around it. The columns angle and tube are the two places on it. There are no "
        "groups and no ends, and the words mean nothing.",
    ),
    Method(
        "spelling",
        "Spelling",
        _spelling,
        (_ROWS, _dimensions(2), _SEED),
        "Each word is the mean of random vectors of its letter n-grams. It depends on spelling, not on meaning.",
    ),
    Method(
        "one-direction",
        "One direction",
        _one_direction,
        (_ROWS, _dimensions(2), _SEED, _strength(10.0, "Mean length along the shared direction")),
        "Noise that leans along one shared direction, each row by its own amount: the column lean. Cosines are high, "
        "yet there is nothing else, and the words mean nothing.",
    ),
)
"""Kinds of made-up spaces by name.

The function of a kind takes the words, a random generator, and all options but n and seed. It returns the vectors,
(n, d), and the columns by name.
"""
