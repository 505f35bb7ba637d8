"""The parallelogram of an analogy: the plane through its three words, with the answers projected onto it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.space import Float, VectorSpace
from embedviz.neighbors.analogy_rules import AnalogyQuestion


class PlanePoint(NamedTuple):
    """A word in the plane of a parallelogram, and its distance from that plane."""

    word: str
    x: float
    y: float
    off: float


@dataclass(frozen=True)
class Parallelogram:
    """The plane through the unit vectors of a, b and c.

    Attributes:
        a, b, c: The question's words: a at the origin, c to its right, b above the line through a and c.
        corner: c − a + b, the fourth corner; it is computed from a, b and c, so the figure is always closed.
        answers: The best words by 3CosAdd, best first; then the expected word, if it is not among them.
    """

    a: PlanePoint
    b: PlanePoint
    c: PlanePoint
    corner: PlanePoint
    answers: tuple[PlanePoint, ...]

    @property
    def corners(self) -> tuple[PlanePoint, PlanePoint, PlanePoint, PlanePoint]:
        """Return the four corners: a, b, c and c − a + b."""
        return self.a, self.b, self.c, self.corner

    @property
    def base(self) -> float:
        """Return the distance from a to c, with which other distances are compared."""
        return float(np.hypot(self.c.x - self.a.x, self.c.y - self.a.y))


def parallelogram(space: VectorSpace, question: AnalogyQuestion, answers: Sequence[str]) -> Parallelogram | None:
    """Return the plane through the question's words, with the answers; None if the three words span no plane.

    Raises:
        OptionError: The vector of a word is zeros.
    """
    origin, b, c = (unit_vector(space, word) for word in question)
    right = c - origin
    up = b - origin
    width = float(np.linalg.norm(right))
    if width < 1e-3:
        return None
    right = right / width
    up = up - (up @ right) * right
    height = float(np.linalg.norm(up))
    if height < 1e-3:
        return None
    up = up / height

    def place(word: str, vector: Any) -> PlanePoint:
        step = vector - origin
        x, y = float(step @ right), float(step @ up)
        return PlanePoint(word, x, y, float(np.linalg.norm(step - x * right - y * up)))

    corner = place(f"{question.c} − {question.a} + {question.b}", c - origin + b)
    drawn = tuple(place(word, unit_vector(space, word)) for word in answers)
    return Parallelogram(place(question.a, origin), place(question.b, b), place(question.c, c), corner, drawn)


def unit_vector(space: VectorSpace, word: str) -> Float:
    """Return the unit vector of a word, (d,), in float64 so that small differences stay exact.

    Raises:
        OptionError: The vector of the word is zeros.
    """
    vector = space.vector(word).astype(np.float64)
    length = float(np.linalg.norm(vector))
    if not length:
        raise OptionError(f"“{word}” is a row of zeros and has no direction.")
    return cast(Float, vector / length)
