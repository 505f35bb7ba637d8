"""The examples that Word2Vec makes from a sentence: words in a window, subsampling, and the noise distribution.

Nothing is random here. These functions return all examples and the exact probabilities (Mikolov et al. 2013).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError


class WindowContext(NamedTuple):
    """A word of a sentence with its context words.

    Attributes:
        position: Position of the word in the sentence, from 0.
        center: The center word.
        positions: Positions of the context words, ascending.
        context: The context words, in the order of the sentence.
    """

    position: int
    center: str
    positions: tuple[int, ...]
    context: tuple[str, ...]


def window_contexts(words: Sequence[str], window: int) -> tuple[WindowContext, ...]:
    """Return each word with its context words. These are the examples from which CBOW learns.

    Context words are at most `window` positions away. Training draws this largest distance at each position, from 1 to
    `window`; here it is always `window`.

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
    """Yield all (center, context) pairs, from which skip-gram learns. The window is as in `window_contexts()`."""
    for found in window_contexts(words, window):
        for word in found.context:
            yield found.center, word


def context_weights(window: int) -> NDArray[np.float64]:
    """Return the probability that a word at distance 1, 2, … is in the window, (window,).

    Training draws the size of the window uniformly from 1 to `window`. So a word at distance t is in it with
    probability (window - t + 1) / window.
    """
    return np.arange(window, 0, -1) / window


def keep_probability(frequency: Any, threshold: float) -> Any:
    """Return the probability that subsampling keeps an occurrence of a word: √(t/f) + t/f, at most 1.

    This is the formula in the code of word2vec, gensim and fastText. The paper gives √(t/f), which keeps fewer words
    (`paper_keep_probability`).

    Args:
        frequency: f, the share of the word among all tokens, above 0; a number or an array.
        threshold: t; if 0, every occurrence is kept.
    """
    if not threshold:
        return np.ones_like(np.asarray(frequency, np.float64))
    rarity = threshold / np.asarray(frequency, np.float64)
    return np.minimum(1.0, np.sqrt(rarity) + rarity)


def paper_keep_probability(frequency: Any, threshold: float) -> Any:
    """Return the probability that subsampling keeps an occurrence, as in Mikolov et al. (2013): min(1, √(t/f)).

    Args:
        frequency, threshold: f and t, as in `keep_probability`; here t is above 0.
    """
    return np.minimum(1.0, np.sqrt(threshold / np.asarray(frequency, np.float64)))


def noise_distribution(counts: Any, exponent: float = 0.75) -> NDArray[np.float64]:
    """Return the probability of each word as a negative sample, (V,): counts to the power of `exponent`, normalized.

    With exponent 1 the words are drawn as often as they occur in the text. With 0, all words are equally likely.
    """
    weights = np.asarray(counts, np.float64) ** exponent
    return np.asarray(weights / weights.sum())
