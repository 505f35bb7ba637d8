"""One row of a table of embeddings: what an embedding of a word is."""

import math
from dataclasses import dataclass

import numpy as np

from embedviz.core.call import offered
from embedviz.core.phrases import number
from embedviz.core.space import Float, VectorSpace


@dataclass(frozen=True, eq=False)
class EmbeddingRow:
    """The row of a word.

    Attributes:
        row: Its number, from 0.
        values: Its d numbers, (d,).
        words: Number of rows of the table, n.
    """

    word: str
    row: int
    values: Float
    words: int

    @property
    def bits(self) -> float:
        """Return the information that names one of n words, in bits: log2 n."""
        return math.log2(self.words)

    @property
    def shorter(self) -> float:
        """Return how many times fewer numbers the row has than a one-hot vector: n / d."""
        return self.words / len(self.values)

    def table(self) -> tuple[tuple[str, ...], list[tuple[int, float]]]:
        """Return header and rows of an export."""
        return ("place", "value"), [(place, float(value)) for place, value in enumerate(self.values)]

    @property
    def meaning(self) -> str:
        """Say which row it is, and its range."""
        low, high = float(self.values.min()), float(self.values.max())
        return (
            f"“{self.word}” is row {self.row:,} of {self.words:,}: {len(self.values):,} numbers "
            f"from {number(low)} to {number(high)}."
        )


@offered("row", "print(row.meaning)")
def word_row(space: VectorSpace, word: str) -> EmbeddingRow:
    """Return the row of a word.

    Raises:
        UnknownWordError: It has none.
    """
    return EmbeddingRow(word, space.row(word), np.asarray(space.vector(word)), len(space))
