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
    """Probabilities of all other words, given a word.

    Attributes:
        word: The given word; it is not one of the choices.
        score: Name of the score in `METRICS`.
        temperature: The temperature T, by which each score is divided.
        likely: The k most likely words, most likely first.
        choices: Number of words with a probability: all other words whose vector is not zero.
        effective: Number of equally likely words with the same entropy (perplexity). At a high temperature it
            approaches `choices`, at a low temperature 1.
    """

    word: str
    score: str
    temperature: float
    likely: tuple[LikelyWord, ...]
    choices: int
    effective: float

    @property
    def uniform(self) -> float:
        """Return the baseline: the probability of each word if all are equally likely."""
        return 1 / self.choices

    @property
    def meaning(self) -> str:
        """Say the probability of the most likely word, and the effective number of choices."""
        first = self.likely[0]
        return (
            f"At temperature {self.temperature:g} “{shortened(first.word)}” has {share(first.probability)}. "
            f"The choice is as open as among {self.effective:,.1f} equally likely words of {self.choices:,}."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return the header and one row per word with score, probability and baseline, for an export."""
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
    """Return the k most likely other words, by the softmax of their scores: P(w) = exp(s(w)/T) / Σ exp(s/T).

    The sum is over all other words of the space whose vector is not zero.

    Args:
        temperature: T > 0. Values below 1 sharpen the distribution, values above 1 flatten it.
        score: Name of the metric in `METRICS` that is used as score s; a distance is negated.

    Raises:
        OptionError: The temperature is not above zero, the score is unknown, the word's vector is zeros, or there is no
            other word.
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
