"""Two words in the plane of their vectors: the plane shows both lengths, the angle and the distance exactly."""

import math
from dataclasses import dataclass

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, number, written_factor
from embedviz.core.space import VectorSpace
from embedviz.neighbors.lists import similarities

Point = tuple[float, float]


def chord(cosine: float) -> float:
    """Return the distance d between two unit vectors with this cosine: d² = 2 − 2 cos."""
    return math.sqrt(max(0.0, 2 - 2 * cosine))


def chord_by_hand(cosine: float) -> str:
    """Return the calculation of a distance of unit vectors from their cosine, as text: “2 − 2 × 0.5 = 1, so d = 1”.

    The cosine has as many decimals as are needed to get the same distance by hand; at most 6.
    """
    result = number(chord(cosine))
    digits = next((many for many in range(2, 6) if number(chord(round(cosine, many))) == result), 6)
    square = 2 - 2 * round(cosine, digits)
    return f"2 − 2 × {written_factor(cosine, digits)} = {number(square, digits)}, so d = {result}"


def cosine_of(a: Point, b: Point) -> float | None:
    """Return the cosine of two vectors in a plane; None if one of them is zero."""
    lengths = math.hypot(*a) * math.hypot(*b)
    return max(-1.0, min(1.0, (a[0] * b[0] + a[1] * b[1]) / lengths)) if lengths else None


@dataclass(frozen=True)
class WordPair:
    """Two words, and their cosine compared with the cosines of the first word with all other words.

    Attributes:
        lengths: Lengths of both vectors.
        cosine: Cosine of the two vectors.
        mean, sd: Mean and standard deviation of the cosines of the first word with all other words.
        rank: Rank of the second word among the neighbors of the first, by cosine; 1 is the nearest.
        compared: Number of other words compared with the first.
    """

    first: str
    second: str
    lengths: tuple[float, float]
    cosine: float
    mean: float
    sd: float
    rank: int
    compared: int

    @property
    def points(self) -> tuple[Point, Point]:
        """Return both vectors in their plane: the first on the horizontal axis, the second above it."""
        a, b = self.lengths
        return (a, 0.0), (b * self.cosine, b * math.sqrt(max(0.0, 1 - self.cosine**2)))

    @property
    def dot(self) -> float:
        """Return the dot product of the two vectors."""
        return self.lengths[0] * self.lengths[1] * self.cosine

    @property
    def distance(self) -> float:
        """Return the Euclidean distance of the two vectors."""
        (ax, ay), (bx, by) = self.points
        return math.hypot(ax - bx, ay - by)

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, float]]]:
        """Return the header and one row per measure, for an export."""
        values = {
            f"length of {self.first}": self.lengths[0],
            f"length of {self.second}": self.lengths[1],
            "dot product": self.dot,
            "cosine": self.cosine,
            "Euclidean distance": self.distance,
            "mean cosine with other words": self.mean,
        }
        return ("value", f"{self.first} and {self.second}"), list(values.items())

    @property
    def angles(self) -> str:
        """Say the angle between the two vectors and, for comparison, the angle between the first and a random word."""
        own, random = (math.degrees(math.acos(max(-1.0, min(1.0, each)))) for each in (self.cosine, self.mean))
        return f"The angle here is {own:.0f}°; a random word stands at about {random:.0f}° to “{self.first}”."

    @property
    def standing(self) -> str:
        """Say the rank of the second word among the neighbors of the first, and the cosine of a random word."""
        return (
            f"“{self.second}” is neighbor {self.rank:,} of “{self.first}”, among {counted(self.compared, 'word')}. "
            f"Cosine {number(self.cosine)}; of a random word {number(self.mean)} ± {number(self.sd)}."
        )

    @property
    def meaning(self) -> str:
        """Say the angle, the rank and the cosine of the two words, compared with the values of a random word."""
        return f"{self.angles} {self.standing}"


@offered("pair", "print(pair.meaning)")
def word_pair(space: VectorSpace, first: str, second: str) -> WordPair:
    """Return two words with the lengths of their vectors, their cosine, and the rank of this cosine.

    Raises:
        UnknownWordError: A word has no vector.
        OptionError: Both words are the same, or a word's vector is zeros.
    """
    a, b = (space.vector(word).astype(np.float64) for word in (first, second))
    lengths = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    if first == second:
        raise OptionError(f"Both words are “{first}”. Take two different words.")
    if not all(lengths):
        zero = second if lengths[0] else first
        raise OptionError(f"The vector of “{zero}” is all zeros, so it has no direction. Take another word.")
    values = similarities(space, space.vector(first))
    own, other = space.index.get(first), space.index.get(second)  # None for a word that its n-grams compose
    cosine = float(a @ b / (lengths[0] * lengths[1]))
    others = values if own is None else np.delete(values, own)
    others = others[np.isfinite(others)]
    nearer = np.delete(values, [row for row in (own, other) if row is not None])
    rank = 1 + int(np.count_nonzero(nearer > (cosine if other is None else values[other])))
    return WordPair(first, second, lengths, cosine, float(others.mean()), float(others.std()), rank, len(others))
