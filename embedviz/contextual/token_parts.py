"""What each token adds to the mean vector of a sentence, and what each pair of tokens adds to a cosine of sentences."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.contextual.encoder import BUILTIN, Encoder, EncoderError, encode, load
from embedviz.core.call import offered
from embedviz.core.phrases import joined, number
from embedviz.core.progress import Report

Reals = NDArray[np.float64]
LONGEST = 200
"""Maximum characters of a sentence."""


@dataclass(frozen=True, eq=False)
class PooledTokens:
    """The n tokens of a sentence at the last layer, special tokens included.

    Attributes:
        shares: Share of each token's vector x in the mean vector m, x · m / (n ‖m‖²), (n,); the sum is 1.
        cosines: Cosine of each token's vector with the mean vector, (n,).
        decided: Number of dimensions in which each token has the largest value, (n,); the sum is d.
    """

    sentence: str
    tokens: tuple[str, ...]
    shares: Reals
    cosines: Reals
    decided: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TokenParts:
    """Two sentences of n and m tokens, and what each pair of tokens adds to the cosine of the mean vectors.

    With means a = Σ xᵢ / n and b = Σ yⱼ / m, cos(a, b) = Σᵢⱼ xᵢ · yⱼ / (n m ‖a‖ ‖b‖): an exact sum.

    Attributes:
        parts: What each pair of tokens adds to `cosine`, (n, m); the sum is `cosine`.
        special: The different special tokens that the model adds.
    """

    model: str
    one: PooledTokens
    other: PooledTokens
    parts: Reals
    cosine: float
    dimensions: int
    special: tuple[str, ...] = ()

    @property
    def largest(self) -> tuple[int, int]:
        """Return the pair of tokens that adds most: the index in the first and the index in the second sentence."""
        row, column = np.unravel_index(int(self.parts.argmax()), self.parts.shape)
        return int(row), int(column)

    @property
    def counted(self) -> str:
        """Say, as the end of a sentence, which special tokens are included; empty if there are none, as in GPT-2."""
        if not self.special:
            return ""
        return f"; the model’s own {joined(self.special)} {'counts' if len(self.special) == 1 else 'count'}"

    @property
    def meaning(self) -> str:
        """Say the cosine of the two sentences, and which pair of tokens adds most to the cosine."""
        row, column = self.largest
        return (
            f"The cosine of the two sentences is {number(self.cosine)}. “{self.one.tokens[row]}” and "
            f"“{self.other.tokens[column]}” add most: {number(float(self.parts[row, column]), 3)}."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows: a row for each pair of tokens, with what the pair adds to the cosine."""
        rows = [
            (one, other, float(self.parts[row, column]))
            for row, one in enumerate(self.one.tokens)
            for column, other in enumerate(self.other.tokens)
        ]
        return ("token", "token of the other", "part of the cosine"), rows


@offered("found", "print(found.meaning)")
def token_parts(
    one: str, other: str, *, model: Encoder | str | Path = BUILTIN, report: Report | None = None
) -> TokenParts:
    """Split the cosine of two mean-pooled sentences at the last layer into the parts of all pairs of tokens.

    Raises:
        EncoderError: A sentence has no token, is too long, or the model cannot be loaded.
    """
    for text in (one, other):
        if len(text) > LONGEST:
            raise EncoderError(f"A sentence has {len(text):,} characters; at most {LONGEST} are read. Shorten it.")
    encoder = load(model)
    hidden = encode(encoder, [one, other], layers=[encoder.depth], report=report)
    for place, text in enumerate((one, other)):
        if not hidden.counts[place]:
            raise EncoderError(f"Sentence {place + 1}, “{text[:40]}”, has no token. Type a word.")
    rows = [np.asarray(hidden.layer(encoder.depth)[hidden.span(place)], np.float64) for place in range(2)]
    means = [each.mean(axis=0) for each in rows]
    lengths = [float(np.linalg.norm(each)) for each in means]
    parts = rows[0] @ rows[1].T / (len(rows[0]) * len(rows[1]) * lengths[0] * lengths[1])
    pooled = [
        _pooled(text, tuple(hidden.tokens[hidden.span(place)]), rows[place], means[place])
        for place, text in enumerate((one, other))
    ]
    cosine = float(means[0] @ means[1] / (lengths[0] * lengths[1]))
    special = tuple(dict.fromkeys(hidden.tokens[row] for row in np.flatnonzero(hidden.special).tolist()))
    return TokenParts(encoder.name, pooled[0], pooled[1], parts, cosine, encoder.dimensions, special)


def _pooled(sentence: str, tokens: tuple[str, ...], rows: Reals, mean: Reals) -> PooledTokens:
    products, square = rows @ mean, float(mean @ mean)
    cosines = products / (np.linalg.norm(rows, axis=1) * np.sqrt(square))
    decided = np.bincount(rows.argmax(axis=0), minlength=len(rows)).astype(np.int64)
    return PooledTokens(sentence, tokens, products / (len(rows) * square), cosines, decided)
