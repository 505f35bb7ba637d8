"""The loss of Word2Vec and FastText in nats per example, measured on a fixed sample of examples.

gensim's own running loss cannot be used. It is a 32-bit sum over all examples so far, which stops growing near 2^24.
Threads overwrite each other's sums, and gensim's table of logarithms is wrong by about .02.

Here the examples are drawn once, as training draws them: subsampled words, windows of random size, negative words. The
same examples are scored at every measurement, so two values differ only by what was learned. A negative word never
equals the target; training draws such words too, but skips them.
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
"""Smallest and largest number of examples that are drawn; in between, one for every `_WORDS` words of the corpus."""
_WORDS = 50
_FARTHEST = 2_000  # largest distance on each side at which words of a window are searched
_BLOCK = 1_000  # examples per block
_ROUNDS = 20


class Loss(NamedTuple):
    """The mean loss per example in nats, and its standard error."""

    mean: float
    error: float


class Guesses(NamedTuple):
    """n predictions, each of one target word from one or more given words.

    Attributes:
        given: For each given word, the index of the prediction that it belongs to, ascending, (g,).
        words: Row numbers of the given words, (g,).
        targets: Row number of each prediction's target, (n,).
    """

    given: Ints
    words: Ints
    targets: Ints


class Windows(NamedTuple):
    """m positions of a corpus with their context words, as training sees them.

    Attributes:
        words: Row number of the word at each position, (m,).
        place: For each context word, the index in `words` of the center word, ascending, (c,).
        around: Row numbers of the context words, (c,).
    """

    words: Ints
    place: Ints
    around: Ints


@dataclass(frozen=True, eq=False)
class Examples:
    """n examples on which the loss of a model is measured.

    Attributes:
        given: Sparse matrices of weights, one (n, rows) for each matrix of `vectors`. Summed with the weights of row i,
            the rows of `vectors` give the input vector of example i.
        vectors: The model's input matrices, which change during the training.
        targets: The output rows with which each example is scored, (n, s).
        signs: 1 for a row that should score high, -1 for a row that should score low, 0 for padding, (n, s).
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
        """Return the loss of an untrained model in nats: ln 2 times the mean number of output rows per example."""
        return float((self.signs != 0).sum(1).mean() * np.log(2))

    def loss(self) -> Loss:
        """Return the present loss of the model."""
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
    """Draw positions with their context words, as training does: subsampled words, and windows of random size.

    If subsampling leaves no context word, nothing is subsampled.

    Args:
        n_words: Number of words that are trained; rarer words are skipped.
        window: Largest distance of a context word.
        sample: Threshold of subsampling.
        count: Number of examples wanted; a quarter more positions are drawn.

    Raises:
        OptionError: No word has a context word.
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
    """Draw at most `count` predictions from the windows.

    Args:
        pairs: True for skip-gram: each prediction has one given word, a context word. False for CBOW: all context words
            are given together. The target is the center in both cases, as in gensim.
    """
    if not pairs:
        places, given = np.unique(found.place, return_inverse=True)
        last = int(np.searchsorted(given, count))
        return Guesses(given[:last], found.around[:last], found.words[places[:count]])
    chosen = np.random.default_rng(seed).permutation(len(found.place))[:count]
    return Guesses(np.arange(len(chosen)), found.around[chosen], found.words[found.place[chosen]])


def keeping(corpus: Corpus, n_words: int, sample: float) -> NDArray[np.float64]:
    """Return the probability that subsampling keeps an occurrence of each word, (n_words,): min(1, √(t / f) + t / f).

    f is the count of the word, divided by the counts of all `n_words` words.

    Args:
        sample: t; at 0 every occurrence is kept.
    """
    counts = corpus.counts[:n_words].astype(np.float64)
    return np.asarray(keep_probability(counts / counts.sum(), sample))


def count_of(corpus: Corpus) -> int:
    """Return how many examples to draw for the loss: one for every `_WORDS` words, from `FEWEST` to `MOST`."""
    return int(np.clip(len(corpus.tokens) // _WORDS, FEWEST, MOST))


def draw_negatives(
    corpus: Corpus, n_words: int, targets: Ints, negative: int, exponent: float, seed: int
) -> tuple[Ints, Float]:
    """Return for each example the rows of the target and of k random words, (n, k + 1), with signs for `Examples`.

    The signs have the same shape. The sign is 1 for the target, -1 for a random word.

    Args:
        negative: k.
        exponent: A word is drawn with a probability proportional to count^exponent.
    """
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
    """Return the output rows of the decisions on the Huffman path to each target, and the signs of these rows.

    Both arrays have the shape (n, length of the longest path). The sign is 1 for branch 0, -1 for branch 1, and 0 after
    a path's end.

    Args:
        codes: For each word, the branches on its path, 0 or 1.
        points: For each word, the numbers of the output rows of the inner nodes on its path.
    """
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
    offsets = np.concatenate([-np.arange(1, far + 1), np.arange(1, far + 1)])  # the nearest first, on each side
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
