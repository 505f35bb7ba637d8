"""From one-hot vectors to a lookup: what a one-hot vector says, and which rows of an embedding a batch changes.

A one-hot row times the matrix is one row of the matrix, so an embedding layer chooses rows. The gradient of its matrix
is then the sum of the gradients that arrive at each choice: rows that the batch does not choose get exactly 0.
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
        """Return the distance of any two different words, √2; 0 where there is one word only."""
        return sqrt(2) if self.size > 1 else 0.0

    @property
    def cosine(self) -> float:
        """Return the cosine of any two different words."""
        return 0.0

    @property
    def bits(self) -> float:
        """Return the bits that tell one of |V| equally likely words: log2 |V|."""
        return log2(self.size)


@dataclass(frozen=True, eq=False)
class GradientRows:
    """The gradient of an embedding matrix for one batch.

    Attributes:
        rows: Rows with a gradient that is not zero by its place: those that the batch chooses, ascending, (r,).
        times: How often the batch chooses each, (r,).
        gradient: The gradient of these rows, (r, d).
        vocabulary: |V|, the rows of the matrix.
        batch: Tokens of the batch.
    """

    rows: Ints
    times: Ints
    gradient: Any
    vocabulary: int
    batch: int

    @property
    def zero(self) -> float:
        """Return the share of the rows whose gradient is zero."""
        return 1 - len(self.rows) / self.vocabulary

    @property
    def least(self) -> float:
        """Return the baseline: the share of zero rows if no word came twice; it can only be higher."""
        return 1 - min(self.batch, self.vocabulary) / self.vocabulary

    @property
    def meaning(self) -> str:
        """Say which part of the matrix the batch changes."""
        return (
            f"{self.batch:,} tokens choose {len(self.rows):,} different rows of {self.vocabulary:,}: the gradient of "
            f"{share(self.zero)} of the rows is zero. If no word came twice it would be {share(self.least)}."
        )


def gradient_rows(
    batch: Sequence[int] | Ints, vocabulary: int, arriving: Any | None = None, *, padding: int | None = None
) -> GradientRows:
    """Return the rows of the gradient of an embedding matrix: the sum of what arrives at each choice of the row.

    Args:
        batch: The row that each token chooses.
        arriving: The gradient of the loss for each chosen vector, (b, d); ones in one dimension without it.
        padding: A row that learns nothing, as `padding_idx` of `torch.nn.Embedding`.

    Raises:
        OptionError: A token lies outside the vocabulary, or the gradients do not fit the batch.
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
