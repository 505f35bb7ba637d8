"""From one-hot vectors to a lookup: properties of one-hot vectors, and the rows of an embedding that a batch changes.

A one-hot vector times the matrix is one row of the matrix, so an embedding layer looks up rows. The gradient of a row
is the sum of the gradients of all tokens that look it up. Rows that the batch does not look up have gradient 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, sqrt
from typing import Any

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.space import Ints


@dataclass(frozen=True)
class OneHotCode:
    """One-hot vectors of a vocabulary.

    Attributes:
        size: |V|, the number of words and of dimensions.
    """

    size: int

    @property
    def distance(self) -> float:
        """Return the distance between any two different words, √2; 0 if there is only one word."""
        return sqrt(2) if self.size > 1 else 0.0

    @property
    def cosine(self) -> float:
        """Return the cosine of any two different words, 0."""
        return 0.0

    @property
    def bits(self) -> float:
        """Return the bits needed to identify one of |V| equally likely words: log2 |V|."""
        return log2(self.size)


@dataclass(frozen=True, eq=False)
class GradientRows:
    """The gradient of an embedding matrix for one batch.

    Attributes:
        rows: Rows that the batch looks up, without the padding row, ascending, (r,). All other rows have gradient 0.
        times: How many tokens of the batch look up each row of `rows`, (r,).
        gradient: The gradient of each row of `rows`, (r, d).
        vocabulary: |V|, the number of rows of the matrix.
        batch: Number of tokens in the batch.
    """

    rows: Ints
    times: Ints
    gradient: Any
    vocabulary: int
    batch: int

    @property
    def zero(self) -> float:
        """Return the share of the matrix's rows with gradient zero: rows not looked up, and the padding row."""
        return 1 - len(self.rows) / self.vocabulary

    @property
    def least(self) -> float:
        """Return the lowest possible share of rows with gradient zero, the baseline of `zero`.

        It is reached if no word occurs twice in a batch without padding.
        """
        return 1 - min(self.batch, self.vocabulary) / self.vocabulary

    @property
    def meaning(self) -> str:
        """Say for what share of the matrix's rows the gradient is zero, and the baseline of this share."""
        return (
            f"{self.batch:,} tokens choose {len(self.rows):,} different rows of {self.vocabulary:,}: the gradient of "
            f"{share(self.zero)} of the rows is zero. If no word came twice it would be {share(self.least)}."
        )


def gradient_rows(
    batch: Sequence[int] | Ints, vocabulary: int, arriving: Any | None = None, *, padding: int | None = None
) -> GradientRows:
    """Return the gradient of an embedding matrix: for each row, the sum over the tokens that look it up.

    Args:
        batch: The row that each token looks up, (b,).
        vocabulary: Number of rows of the matrix.
        arriving: The gradient of the loss with respect to the vector of each token, (b, d). None: ones, (b, 1).
        padding: A row that learns nothing, like `padding_idx` of `torch.nn.Embedding`.

    Raises:
        OptionError: A row is outside the vocabulary, or the shape of the gradients does not fit the batch.
    """
    tokens = np.asarray(batch, np.int64).ravel()
    if len(tokens) and (tokens.min() < 0 or tokens.max() >= vocabulary):
        raise OptionError(
            f"The batch has rows {tokens.min()} to {tokens.max()}. Give rows from 0 to {vocabulary - 1:,}."
        )
    given = np.ones((len(tokens), 1)) if arriving is None else np.asarray(arriving, np.float64)
    if given.ndim != 2 or len(given) != len(tokens):
        raise OptionError(f"{len(tokens)} tokens and gradients of shape {given.shape} were given. Give a row a token.")
    size, real = len(tokens), tokens != padding
    rows, places, times = np.unique(tokens[real], return_inverse=True, return_counts=True)
    gradient = np.zeros((len(rows), given.shape[1]))
    np.add.at(gradient, places, given[real])
    return GradientRows(rows, times, gradient, vocabulary, size)
