"""The parameters of GloVe: a row of numbers for each word and each context word, aligned for the processor."""

from typing import NamedTuple

import numpy as np

from embedviz.core.space import Float, Ints

LANES = 16
"""How many float32 numbers the processor's vector unit takes at once. Vectors are padded to a multiple of 16."""
OUTPUTS = ("sum", "word", "both")
_ALIGNED = 64  # bytes


class Parameters(NamedTuple):
    """Vectors and biases of words and context words during the training. `kernels` describes the rows.

    Attributes:
        main: A row of numbers for each word, (V, 2 · width + 16) float32. `context`: the same for each context word.
        size: Number of dimensions of a vector, without padding. The padding up to `width` stays zero.
    """

    main: Float
    context: Float
    size: int

    @property
    def width(self) -> int:
        """Return how many numbers a padded vector has."""
        return width_of(self.size)

    def vectors(self, output: str, rows: Ints | slice = slice(None)) -> Float:
        """Return a copy of the vectors of some words, as they become rows of the space.

        Args:
            output: *sum* for w + w̃, *word* for w, *both* for [w; w̃] of twice the length.
        """
        word, context = self.main[rows, : self.size], self.context[rows, : self.size]
        if output == "both":
            return np.concatenate([word, context], axis=1)
        return word + context if output == "sum" else word.copy()

    def biases(self) -> tuple[Float, Float]:
        """Return the biases b and b̃, (V,) each."""
        return self.main[:, 2 * self.width], self.context[:, 2 * self.width]


def width_of(size: int) -> int:
    """Return how many numbers a vector of `size` dimensions has with its padding."""
    return -(-size // LANES) * LANES


def line_of(size: int) -> int:
    """Return the number of bytes in a row of `Parameters.main`, for vectors of `size` dimensions."""
    return 4 * (2 * width_of(size) + LANES)


def beginning(words: int, size: int, seed: int) -> Parameters:
    """Return random initial vectors and biases, uniform between −½ / size and ½ / size, as in Stanford's code."""
    random = np.random.default_rng(seed)
    both = []
    for _ in range(2):
        lines = _lines(words, size)
        lines[:, :size] = _small((words, size), size, random)
        lines[:, 2 * width_of(size)] = _small((words,), size, random)
        both.append(lines)
    return Parameters(both[0], both[1], size)


def _small(shape: tuple[int, ...], size: int, random: np.random.Generator) -> Float:
    return (random.random(shape, np.float32) - np.float32(0.5)) / np.float32(size)


def _lines(words: int, size: int) -> Float:
    """Return a matrix of zeros with a row for each word. Its memory is aligned to the processor's cache lines."""
    length = line_of(size) // 4
    room = np.zeros(words * length + _ALIGNED // 4, np.float32)
    first = -room.ctypes.data % _ALIGNED // 4
    return room[first : first + words * length].reshape(words, length)
