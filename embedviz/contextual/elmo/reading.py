"""A word's vectors in two sentences, by a trained ELMo: its three layers, their cosines, and their scalar mix."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.contextual.elmo.files import encoder_of
from embedviz.contextual.elmo.model import LAYERS
from embedviz.contextual.elmo.training import TrainedElmo
from embedviz.contextual.encoder import encode
from embedviz.contextual.occurrences import find
from embedviz.contextual.pooling import scalar_mix
from embedviz.core.call import offered
from embedviz.core.hidden import HiddenStates, is_letter
from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.space import Float
from embedviz.core.stats.softmax import softmax

LONGEST = 1_000
"""Maximum characters of a sentence."""
NAMES = ("token layer", "LSTM 1", "LSTM 2")
"""Names of the layers, from 0 to `LAYERS`."""
_PAIRS = 500  # maximum number of random pairs of words


class LayerMix(NamedTuple):
    """The scalar mix of the layers of a word's two occurrences.

    Attributes:
        shares: The weight of each layer, s_j = softmax(w)_j.
        vectors: The mixed vectors of both occurrences, γ Σ s_j h_j, (2, d).
        cosine: Cosine of these two vectors.
        usual: Random baseline: mean cosine of random pairs of different words in the same mix.
    """

    shares: tuple[float, ...]
    vectors: Float
    cosine: float
    usual: float


@dataclass(frozen=True, eq=False)
class WordTwice:
    """A word in two sentences.

    Attributes:
        word: The word as given; `known`: whether all its tokens are in the vocabulary.
        sentences: Both sentences.
        states: The vectors of both occurrences at each layer, (3, 2, d).
        random: The vectors of n random pairs of different words of held-out sentences at each layer, (3, 2, n, d).
    """

    word: str
    known: bool
    sentences: tuple[str, str]
    states: Float
    random: Float

    @property
    def cosines(self) -> tuple[float, ...]:
        """Return the cosine of the vectors of the two occurrences, one cosine for each layer."""
        return tuple(float(_cosines(*layer)) for layer in self.states)

    @property
    def usual(self) -> tuple[float, ...]:
        """Return the mean cosine of the random pairs of words at each layer."""
        return tuple(float(_cosines(*layer).mean()) for layer in self.random)

    @property
    def pairs(self) -> int:
        """Return the number of random pairs of words."""
        return int(self.random.shape[2])

    @property
    def meaning(self) -> str:
        """Say the cosine of the two occurrences at the first and the last layer.

        For the last layer, also say the mean cosine of random pairs.
        """
        first, last = self.cosines[0], self.cosines[-1]
        return (
            f"“{self.word}” has the cosine {number(first)} at the {NAMES[0]}, which sees no other word, and "
            f"{number(last)} at {NAMES[-1]}; random pairs of words have {number(self.usual[-1])} there."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, float, float]]]:
        """Return header and one row per layer: the cosine of the two occurrences, and the mean of random pairs."""
        return ("layer", "cosine", "random pairs"), list(zip(NAMES, self.cosines, self.usual, strict=True))

    def mix(self, weights: tuple[float, ...] = (0.0,) * (LAYERS + 1), gamma: float = 1.0) -> LayerMix:
        """Return the scalar mix of the layers.

        Args:
            weights: The numbers w, one for each layer; their softmax gives the shares of the layers.
            gamma: The factor γ of the mixed vectors.

        Raises:
            OptionError: `weights` does not have three numbers.
        """
        mixed = scalar_mix(list(self.states), weights, gamma)
        usual = _cosines(*scalar_mix(list(self.random), weights, gamma)).mean()
        return LayerMix(tuple(softmax(weights).tolist()), mixed, float(_cosines(*mixed)), float(usual))


@offered("found", "for row in found.table()[1]:", "    print(*row)", "print(found.meaning)")
def word_twice(trained: TrainedElmo, word: str, one: str, other: str, *, seed: int = 0) -> WordTwice:
    """Return the vectors of a word in two sentences, read by ELMo. In each sentence the word's first occurrence counts.

    Args:
        one, other: The two sentences.
        seed: Seed of the random pairs.

    Raises:
        OptionError: A sentence lacks the word or is too long, or the held-out sentences have too few words.
    """
    for sentence in (one, other):
        if len(sentence) > LONGEST:
            raise OptionError(f"A sentence has {len(sentence):,} characters; at most {LONGEST:,} are read. Shorten it.")
    encoder = encoder_of(trained)
    hidden = encode(encoder, [one, other])
    found = [_place(hidden, number, word) for number in range(2)]
    states = np.stack([hidden.layers[:, rows].mean(axis=1) for rows in found], axis=1)
    known = all((hidden.ids[rows] > 0).all() for rows in found)
    pairs = _random_pairs(encode(encoder, trained.sentences), seed)
    return WordTwice(word.strip(), known, (one, other), states, pairs)


def _place(hidden: HiddenStates, sentence: int, word: str) -> np.ndarray:
    """Find the first occurrence of a word in a sentence, and return the rows of its tokens in `hidden`.

    Args:
        sentence: Number of the sentence in `hidden`.

    Raises:
        OptionError: The sentence lacks the word.
    """
    places = find(word, [hidden.sentences[sentence]])
    if not places:
        raise OptionError(f"“{word.strip()[:40]}” does not stand in sentence {sentence + 1}. Write it there as a word.")
    return hidden.token_numbers(sentence, places[0].start, places[0].end)


def _random_pairs(hidden: HiddenStates, seed: int) -> Float:
    """Return the vectors of n random pairs of different words at each layer, (3, 2, n, d).

    Raises:
        OptionError: The sentences have fewer than two different words.
    """
    wordy = np.array([is_letter(token[0]) for token in hidden.tokens], bool)
    rows = np.flatnonzero(wordy & ~hidden.special)
    if len(set(hidden.ids[rows].tolist())) < 2:
        raise OptionError("The held-out sentences have fewer than two different words. Train on longer texts.")
    drawn = np.random.default_rng([seed, 11]).choice(rows, (2, 4 * _PAIRS))
    different = np.flatnonzero(hidden.ids[drawn[0]] != hidden.ids[drawn[1]])[:_PAIRS]
    return np.asarray(hidden.layers[:, drawn[:, different]], np.float32)


def _cosines(one: Float, other: Float) -> Float:
    """Return the cosine of each vector of `one` with the vector at the same position of `other`."""
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.asarray((one * other).sum(axis=-1) / np.maximum(lengths, 1e-12), np.float32)
