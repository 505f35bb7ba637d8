"""Two vectors in their common plane: sum, difference, dot product, cosine and distance.

Two vectors span at most a plane. For any number of dimensions, a drawing in this plane shows exactly their lengths,
their angle, and all that follows from these. A third vector is drawn as its projection onto the plane (its shadow).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share, shortened
from embedviz.core.space import VectorSpace
from embedviz.neighbors.matrix import similarity_matrix

MOST_OTHERS = 50


@dataclass(frozen=True)
class VectorPair:
    """Lengths, sum, distance, dot product and angle of two vectors a and b.

    Attributes:
        norms: Euclidean lengths |a| and |b|.
        dot: Dot product a · b.
    """

    norms: tuple[float, float]
    dot: float

    @property
    def cosine(self) -> float:
        """Return the cosine a · b / (|a| |b|), −1 to 1; NaN if a or b is zero."""
        product = self.norms[0] * self.norms[1]
        return max(-1.0, min(1.0, self.dot / product)) if product else float("nan")

    @property
    def angle(self) -> float:
        """Return the angle between a and b in degrees, 0 to 180; NaN if a or b is zero."""
        return float(np.degrees(np.arccos(self.cosine)))

    @property
    def distance(self) -> float:
        """Return the distance |a − b|, from |a − b|² = |a|² + |b|² − 2 a · b."""
        return float(np.sqrt(max(0.0, self._squares - 2 * self.dot)))

    @property
    def sum_norm(self) -> float:
        """Return the length of the sum |a + b|, from |a + b|² = |a|² + |b|² + 2 a · b."""
        return float(np.sqrt(max(0.0, self._squares + 2 * self.dot)))

    @property
    def _squares(self) -> float:
        return self.norms[0] ** 2 + self.norms[1] ** 2


def vector_pair(one: Any, other: Any) -> VectorPair:
    """Return lengths and dot product of two vectors of shape (d,), in double precision.

    Raises:
        OptionError: The vectors have different numbers of dimensions.
    """
    a, b = (np.asarray(each, np.float64).ravel() for each in (one, other))
    if a.shape != b.shape:
        raise OptionError(f"The vectors have {len(a)} and {len(b)} numbers. Give two of the same length.")
    return VectorPair((float(np.linalg.norm(a)), float(np.linalg.norm(b))), float(a @ b))


class Shadow(NamedTuple):
    """The projection of a word vector onto the plane of two words.

    Attributes:
        x, y: Coordinates in the plane.
        kept: Share of the vector's squared length that lies in the plane, 0 to 1; 1 for the two words that span the
            plane.
        by_chance: The value of `kept` for a random direction: 2 ÷ the number of dimensions of the space, at most 1.
    """

    word: str
    x: float
    y: float
    kept: float
    by_chance: float


@dataclass(frozen=True)
class WordPlane:
    """Two words in their common plane, with the first word along the x axis, and projections of further words.

    Attributes:
        pair: Lengths, dot product and angle of the two words.
        shadows: The two words of the plane, then the projections of the further words.
        chance: Mean cosine of random pairs of words; None if the space has too few words.
        usual: 5th and 95th percentile of the cosines of random pairs of words; 0 and 0 if `chance` is None.
        pairs: Number of random pairs.
        dimensions: Dimensions of the space.
    """

    pair: VectorPair
    shadows: tuple[Shadow, ...]
    chance: float | None
    usual: tuple[float, float]
    pairs: int
    dimensions: int

    @property
    def meaning(self) -> str:
        """Say angle and cosine of the two words, and the range of cosines of random pairs."""
        one, other = (shortened(each.word) for each in self.shadows[:2])
        sentence = f"“{one}” and “{other}” stand at {self.pair.angle:.0f}°, cosine {number(self.pair.cosine)}."
        if self.chance is None:
            return sentence
        low, high = self.usual
        return f"{sentence} Nine in ten random pairs: {number(low)} to {number(high)}."

    @property
    def note(self) -> str:
        """Say what the drawing shows exactly, and how much of the squared length of the other words it shows."""
        sentence = (
            f"The plane through both words and the origin, of {self.dimensions:,} dimensions; both are exact in it."
        )
        if others := self.shadows[2:]:
            mean_share = share(float(np.mean([each.kept for each in others])))
            sentence += f" Of the other words it keeps {mean_share} of the squared length (random direction: "
            sentence += f"{share(others[0].by_chance)})."
        return sentence

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows for an export, one row for each word.

        A row has the word's coordinates in the plane, the share of its squared length there, and this share by chance.
        """
        return ("word", "x", "y", "kept", "kept by chance"), iter(self.shadows)


@offered(
    "plane",
    "for shadow in plane.shadows:",
    '    print(shadow.word, f"{shadow.x:.2f} {shadow.y:.2f} {shadow.kept:.0%}")',
    "print(plane.meaning, plane.pair.dot, plane.pair.distance)",
)
def word_plane(space: VectorSpace, one: str, other: str, others: Sequence[str] = (), *, seed: int = 0) -> WordPlane:
    """Return two words in the plane through both and the origin, and the cosines of random pairs as a baseline.

    Args:
        others: Further words to project onto the plane, at most 50.
        seed: Seed of the random pairs.

    Raises:
        OptionError: The two words are the same, one of them is a row of zeros, or there are too many others.
        UnknownWordError: One of the words is not in the space.
    """
    if one == other:
        raise OptionError(f"Both words are “{shortened(one)}”. Give two different words.")
    if len(others) > MOST_OTHERS:
        raise OptionError(f"{len(others):,} further words were given; at most {MOST_OTHERS} are drawn.")
    words = [one, other, *(word for word in dict.fromkeys(others) if word not in (one, other))]
    vectors = np.asarray([space.vector(word) for word in words], np.float64)
    lengths = np.linalg.norm(vectors, axis=1)
    for word, length in zip(words[:2], lengths[:2], strict=True):
        if not length:
            raise OptionError(f"“{shortened(word)}” is a row of zeros and has no direction. Choose another word.")
    axes = _axes(vectors[0], vectors[1])
    points = vectors @ axes.T
    in_plane = (points**2).sum(axis=1) / np.maximum(lengths, np.finfo(np.float64).tiny) ** 2
    chance = min(1.0, 2 / space.dimensions)
    shadows = tuple(
        Shadow(word, x, y, min(1.0, part), chance)
        for word, (x, y), part in zip(words, points.tolist(), in_plane.tolist(), strict=True)
    )
    drawn = similarity_matrix(space, (one, other), seed=seed)
    low, _, high = drawn.percentiles
    mean = drawn.mean if drawn.pairs else None
    return WordPlane(vector_pair(*vectors[:2]), shadows, mean, (low, high), drawn.pairs, space.dimensions)


def _axes(one: Any, other: Any) -> Any:
    """Return two orthonormal axes of the plane, (2, d); the first axis has the direction of the first vector.

    The second axis is zeros if both vectors have the same or opposite direction.
    """
    x = one / np.linalg.norm(one)
    rest = other - (other @ x) * x
    rest -= (rest @ x) * x  # a second time, to remove rounding errors
    length = np.linalg.norm(rest)
    nothing = length <= 1e-12 * np.linalg.norm(other)
    return np.stack([x, np.zeros_like(x) if nothing else rest / length])
