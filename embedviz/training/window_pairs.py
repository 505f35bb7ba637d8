"""The examples that Word2Vec draws from a sentence: words in a window, subsampling, and the noise distribution.

Nothing is drawn at random here: these are all the examples and the probabilities themselves (Mikolov et al. 2013).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError


class WindowContext(NamedTuple):
    """A word of a sentence with the words around it.

    Attributes:
        position: Position of the word in the sentence, from 0.
        center: The word.
        positions: Positions of the context words, ascending.
        context: The context words, in the order of the sentence.
    """

    position: int
    center: str
    positions: tuple[int, ...]
    context: tuple[str, ...]


def window_contexts(words: Sequence[str], window: int) -> tuple[WindowContext, ...]:
    """Return each word with the words at a distance of at most `window`: the examples of CBOW.

    Training draws a distance from 1 to `window` at each position; these are the contexts at the full distance.

    Raises:
        OptionError: The window is below 1.
    """
    if window < 1:
        raise OptionError(f"The window is {window}. Choose 1 or more.")
    found = []
    for position, center in enumerate(words):
        first = max(0, position - window)
        near = tuple(place for place in range(first, min(len(words), position + window + 1)) if place != position)
        found.append(WindowContext(position, center, near, tuple(words[place] for place in near)))
    return tuple(found)


def skipgram_pairs(words: Sequence[str], window: int) -> Iterator[tuple[str, str]]:
    """Yield the pairs of center and context word: the examples of skip-gram."""
    for found in window_contexts(words, window):
        for word in found.context:
            yield found.center, word


def context_weights(window: int) -> NDArray[np.float64]:
    """Return the probability that a word at distance 1, 2, … is in the window, (window,).

    The distance is drawn uniformly from 1 to `window`, so a word at distance t is in it with (window - t + 1) / window.
    """
    return np.arange(window, 0, -1) / window


def keep_probability(frequency: Any, threshold: float) -> Any:
    """Return the probability that subsampling keeps an occurrence of a word: √(t/f) + t/f, at most 1.

    This is the formula of word2vec's code, of gensim and of fastText. The paper prints 1 - √(t/f) as the probability
    of leaving the word out, which leaves out more (`paper_keep_probability`).

    Args:
        frequency: Share of the word among all tokens, above 0; a number or an array.
        threshold: t; at 0 every occurrence is kept.
    """
    if not threshold:
        return np.ones_like(np.asarray(frequency, np.float64))
    rarity = threshold / np.asarray(frequency, np.float64)
    return np.minimum(1.0, np.sqrt(rarity) + rarity)


def paper_keep_probability(frequency: Any, threshold: float) -> Any:
    """Return the probability of keeping an occurrence as Mikolov et al. (2013) print it: √(t/f), at most 1."""
    return np.minimum(1.0, np.sqrt(threshold / np.asarray(frequency, np.float64)))


def noise_distribution(counts: Any, exponent: float = 0.75) -> NDArray[np.float64]:
    """Return the probability of each word as a negative sample, (V,): counts to the power of `exponent`, normalised.

    At 1 this is the distribution of the words in the text, at 0 every word is equally likely.
    """
    weights = np.asarray(counts, np.float64) ** exponent
    return np.asarray(weights / weights.sum())
