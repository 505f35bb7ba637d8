"""The loss of Word2Vec and FastText, measured: nats per example, on examples that never change.

gensim's own running loss is a sum in 32-bit numbers over all examples so far, which stops growing at some 2^24, which
threads overwrite for each other, and which reads its logarithms from a table that is some .02 off. Here examples are
drawn once, as training draws them (subsampled words, windows of random reach, negative words), and scored whenever it
is asked for. So the figures of two moments differ by what was learned and by nothing else. A negative word is never the
word itself; training draws such words too and skips them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints
from embedviz.corpus.tokenized import Corpus
from embedviz.training.window_pairs import keep_probability

FEWEST, MOST = 1_000, 10_000
"""Examples that are drawn: one for each `_WORDS` of the corpus, within these."""
_WORDS = 50
_FARTHEST = 2_000  # words to each side that a window is looked for in
_BLOCK = 1_000  # examples scored at a time
_ROUNDS = 20


class Loss(NamedTuple):
    """The loss per example in nats, and the standard error that its sample leaves."""

    mean: float
    error: float


class Guesses(NamedTuple):
    """Guesses of words from other words: n of them.

    Attributes:
        given: For each given word: which guess it belongs to, ascending, (g,).
        words: That word, (g,).
        targets: The word that is guessed, (n,).
    """

    given: Ints
    words: Ints
    targets: Ints


class Windows(NamedTuple):
    """Places of a corpus with the words around them, as training sees them.

    Attributes:
        words: The word at each place, (m,).
        place: For each word around: which place it belongs to, ascending, (c,).
        around: That word, (c,).
    """

    words: Ints
    place: Ints
    around: Ints


@dataclass(frozen=True, eq=False)
class Examples:
    """Examples of what a model guesses.

    Attributes:
        given: How the vector that guesses is made: n × rows weights for each of the `vectors`.
        vectors: The model's input matrices, which move while it learns.
        targets: The output rows that it is scored with, (n, s).
        signs: 1 for a row that should score high, -1 for one that should score low, 0 where there is none, (n, s).
        output: The model's output matrix.
    """

    given: Sequence[Any]
    vectors: Sequence[Float]
    targets: Ints
    signs: Float
    output: Float

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.targets)

    @property
    def baseline(self) -> float:
        """Return the loss of an untrained model: ln 2 for each score."""
        return float((self.signs != 0).sum(1).mean() * np.log(2))

    def loss(self) -> Loss:
        """Return the loss of the model as it is now."""
        losses = np.empty(len(self), np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            guessing = sum(weights @ matrix for weights, matrix in zip(self.given, self.vectors, strict=True))
            for start in range(0, len(self), _BLOCK):
                part = slice(start, start + _BLOCK)
                scores = np.einsum("nd,nsd->ns", guessing[part], self.output[self.targets[part]])
                signs = self.signs[part]
                losses[part] = np.where(signs, _surprise(signs * scores), 0).sum(1)
        return Loss(float(losses.mean()), float(losses.std() / np.sqrt(len(self))))


def windows(corpus: Corpus, n_words: int, *, window: int, sample: float, count: int, seed: int) -> Windows:
    """Draw places as training draws them: rare words taken out, frequent ones left out at random, a random reach.

    Raises:
        OptionError: No word has another word near it.
    """
    random = np.random.default_rng(seed)
    for keep in (keeping(corpus, n_words, sample), np.ones(n_words)):
        found = _windows(corpus, n_words, keep, window, count + count // 4, random)
        if len(found.place):
            return found
    raise OptionError(
        "No line of this text has two words that are kept, so no word has a context to learn from. Choose a smaller "
        "min_count, or longer lines."
    )


def guesses(found: Windows, *, pairs: bool, count: int, seed: int) -> Guesses:
    """Draw at most `count` guesses from the windows.

    Args:
        pairs: Whether each guess has one given word, and guesses the middle of its window (skip-gram); else all words
            around a middle are given together (CBOW).
    """
    if not pairs:
        places, given = np.unique(found.place, return_inverse=True)
        last = int(np.searchsorted(given, count))
        return Guesses(given[:last], found.around[:last], found.words[places[:count]])
    chosen = np.random.default_rng(seed).permutation(len(found.place))[:count]
    return Guesses(np.arange(len(chosen)), found.around[chosen], found.words[found.place[chosen]])


def keeping(corpus: Corpus, n_words: int, sample: float) -> NDArray[np.float64]:
    """Return the probability that a word that is read is trained on, (kept,): √(t / f) + t / f, at most 1."""
    counts = corpus.counts[:n_words].astype(np.float64)
    return np.asarray(keep_probability(counts / counts.sum(), sample))


def count_of(corpus: Corpus) -> int:
    """Return how many examples are drawn of a corpus."""
    return int(np.clip(len(corpus.tokens) // _WORDS, FEWEST, MOST))


def draw_negatives(
    corpus: Corpus, n_words: int, targets: Ints, negative: int, exponent: float, seed: int
) -> tuple[Ints, Float]:
    """Return each word with `negative` drawn ones, by counts to the power of `exponent`: rows and signs, (n, k + 1)."""
    random = np.random.default_rng(seed)
    weights = np.cumsum(corpus.counts[:n_words].astype(np.float64) ** exponent)
    noise = np.searchsorted(weights, random.random((len(targets), negative)) * weights[-1], "right")
    for _ in range(_ROUNDS):
        same = np.nonzero(noise == targets[:, None])
        noise[same] = np.searchsorted(weights, random.random(len(same[0])) * weights[-1], "right")
    same = np.nonzero(noise == targets[:, None])
    noise[same] = (targets[same[0]] + random.integers(1, n_words, len(same[0]))) % n_words
    rows = np.concatenate([targets[:, None], noise], axis=1)
    signs = np.full(rows.shape, -1, np.float32)
    signs[:, 0] = 1
    return rows, signs


def path(codes: Sequence[Any], points: Sequence[Any], targets: Ints) -> tuple[Ints, Float]:
    """Return the questions on the way down the Huffman tree to each word: rows and signs, (n, longest)."""
    longest = max(len(codes[target]) for target in np.unique(targets).tolist())
    rows, signs = np.zeros((len(targets), longest), np.int64), np.zeros((len(targets), longest), np.float32)
    for place, target in enumerate(targets.tolist()):
        length = len(codes[target])
        rows[place, :length] = points[target]
        signs[place, :length] = 1 - 2.0 * codes[target]
    return rows, signs


def _surprise(scores: Float) -> Float:
    """Return -ln σ of each score."""
    return np.logaddexp(np.float32(0), -scores)


def _windows(
    corpus: Corpus, n_words: int, keep: NDArray[np.float64], window: int, count: int, random: np.random.Generator
) -> Windows:
    total = len(corpus.tokens)
    share = float((corpus.counts[:n_words] * keep).sum()) / total
    wanted = int(min(total, 2 * count / share + 100))
    places = random.permutation(total) if wanted > total // 4 else np.unique(random.integers(0, total, 2 * wanted))
    places = random.permutation(places)[:wanted]
    words = corpus.tokens[places]
    known = words < n_words
    places, words = places[known], words[known]
    places = places[random.random(len(places)) < keep[words]][:count]
    far = int(min(_FARTHEST, np.ceil(1.5 * window / share) + 5))
    offsets = np.concatenate([-np.arange(1, far + 1), np.arange(1, far + 1)])  # near ones first
    line = np.searchsorted(corpus.ends, places, "right")
    low, high = corpus.starts()[line], corpus.ends[line]
    reach = random.integers(1, window + 1, len(places))
    taken, around = [], []
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        there = places[part, None] + offsets
        inside = (there >= low[part, None]) & (there < high[part, None])
        neighbors = corpus.tokens[np.where(inside, there, 0)]
        inside &= neighbors < n_words
        inside &= random.random(inside.shape) < keep[np.where(inside, neighbors, 0)]
        for side in (slice(0, far), slice(far, None)):
            inside[:, side] &= np.cumsum(inside[:, side], axis=1) <= reach[part, None]
        row, column = np.nonzero(inside)
        taken.append(row + start)
        around.append(neighbors[row, column])
    place = np.concatenate(taken) if taken else np.zeros(0)
    return Windows(
        corpus.tokens[places].astype(np.int64),
        place.astype(np.int64),
        (np.concatenate(around) if around else np.zeros(0)).astype(np.int64),
    )
