"""From scores to probabilities: the softmax of a word's scores with all other words of a space."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError, choose
from embedviz.core.phrases import share, shortened
from embedviz.core.space import VectorSpace
from embedviz.core.stats.softmax import effective_choices, softmax
from embedviz.neighbors.metrics import METRICS, values_of


class LikelyWord(NamedTuple):
    """A word with its score and its probability."""

    word: str
    score: float
    probability: float


@dataclass(frozen=True)
class WordProbabilities:
    """Probabilities of all other words, given one.

    Attributes:
        word: The word whose scores are used; it is no choice itself.
        score: Name of the score in `METRICS`.
        temperature: What each score is divided by.
        likely: The most likely words.
        choices: Words to choose from.
        effective: Number of equally likely words with the same entropy: `choices` at a high temperature, 1 at a low.
    """

    word: str
    score: str
    temperature: float
    likely: tuple[LikelyWord, ...]
    choices: int
    effective: float

    @property
    def uniform(self) -> float:
        """Return the baseline: the probability of each word where all are equally likely."""
        return 1 / self.choices

    @property
    def meaning(self) -> str:
        """Say how the probability is spread."""
        first = self.likely[0]
        return (
            f"At temperature {self.temperature:g} “{shortened(first.word)}” has {share(first.probability)}. "
            f"The choice is as open as among {self.effective:,.1f} equally likely words of {self.choices:,}."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows of an export: each word with score, probability and baseline."""
        return ("word", self.score, "probability", "if all are equal"), ((*each, self.uniform) for each in self.likely)


@offered(
    "found",
    "for each in found.likely:",
    '    print(each.word, f"{each.score:.2f} {each.probability:.2%}")',
    "print(found.meaning)",
)
def word_probabilities(
    space: VectorSpace, word: str, *, temperature: float = 0.1, score: str = "cosine", k: int = 10
) -> WordProbabilities:
    """Return P(w) = exp(s(w)/T) / Σ exp(s/T) over all other words of the space that have a direction.

    Args:
        temperature: T: below 1 it sharpens the distribution, above 1 it flattens it.
        score: Which value of `METRICS` is the score; where small values are near, its negative.

    Raises:
        OptionError: The temperature is not above zero, an unknown score, a row of zeros, or no other word.
        UnknownWordError: The space does not have the word.
    """
    metric = choose(METRICS, score, "score")
    query = space.vector(word)
    if not query.any():
        raise OptionError(f"“{shortened(word)}” is a row of zeros and has no direction. Choose another word.")
    usable = space.norms > 0
    if word in space.index:
        usable[space.index[word]] = False
    rows = np.flatnonzero(usable)
    if not len(rows):
        raise OptionError("The space has no other word with a direction. Choose a larger space.")
    values = values_of(space, query, metric)[rows]
    found = softmax(metric.nearer * values, temperature)
    best = np.argsort(-found, kind="stable")[:k]
    likely = tuple(
        LikelyWord(name, float(values[place]), float(found[place]))
        for name, place in zip(space.words_at(rows[best]), best.tolist(), strict=True)
    )
    return WordProbabilities(word, score, temperature, likely, len(rows), effective_choices(found))
