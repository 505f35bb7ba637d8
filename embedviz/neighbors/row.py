"""One row of a table of embeddings: the embedding of a word."""

import math
from dataclasses import dataclass

import numpy as np

from embedviz.core.call import offered
from embedviz.core.phrases import number
from embedviz.core.space import Float, VectorSpace


@dataclass(frozen=True, eq=False)
class EmbeddingRow:
    """The row of a word in a table of embeddings.

    Attributes:
        row: Number of the row, from 0.
        values: The embedding, (d,).
        words: Number of rows in the table, n.
    """

    word: str
    row: int
    values: Float
    words: int

    @property
    def bits(self) -> float:
        """Return the number of bits that identify one of n words: log2 n."""
        return math.log2(self.words)

    @property
    def shorter(self) -> float:
        """Return how many times shorter the row is than a one-hot vector of the word: n / d."""
        return self.words / len(self.values)

    def table(self) -> tuple[tuple[str, ...], list[tuple[int, float]]]:
        """Return the header and one row per dimension, for an export."""
        return ("place", "value"), [(place, float(value)) for place, value in enumerate(self.values)]

    @property
    def meaning(self) -> str:
        """Say which row the word has, and the range of the numbers in this row."""
        low, high = float(self.values.min()), float(self.values.max())
        return (
            f"“{self.word}” is row {self.row:,} of {self.words:,}: {len(self.values):,} numbers "
            f"from {number(low)} to {number(high)}."
        )


@offered("row", "print(row.meaning)")
def word_row(space: VectorSpace, word: str) -> EmbeddingRow:
    """Return the row of a word in the table of embeddings.

    Raises:
        UnknownWordError: The word has no row.
    """
    return EmbeddingRow(word, space.row(word), np.asarray(space.vector(word)), len(space))
