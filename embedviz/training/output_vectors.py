"""The two matrices of a training run: input vectors v, which become the rows of the space, and output vectors u.

Negative sampling scores a center word c and a context word o by u_o · v_c, which approaches PMI(c, o) − ln k (Levy and
Goldberg 2014). The softmax of these scores over the vocabulary is what gensim's `predict_output_word` returns. But
negative sampling does not train this softmax, so its probabilities need not be correct.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import joined, share, shortened
from embedviz.core.space import VectorSpace
from embedviz.core.stats.softmax import softmax


class MatrixList(NamedTuple):
    """The nearest neighbors of a word in one of the two matrices, or from one matrix to the other.

    Attributes:
        name: *in* or *out* for one matrix; *across* if the word's input vector is compared with all output vectors.
        title: What is compared, and by which value.
        words: Words with their values (cosine or score), the highest first.
        typical: Baseline: the median value over all words that may stand in the list, not only the listed ones.
    """

    name: str
    title: str
    words: tuple[tuple[str, float], ...]
    typical: float


@dataclass(frozen=True)
class TwoMatrices:
    """The neighbors of a word in the input and the output matrix of a training run.

    Attributes:
        itself: Score u · v of the word with itself.
        rows, dimensions: Shape of each matrix.
    """

    word: str
    lists: tuple[MatrixList, ...]
    itself: float
    rows: int
    dimensions: int

    @property
    def meaning(self) -> str:
        """Say which three words are the first of each list of neighbors."""
        sentences = [f"{each.title}: {', '.join(shortened(word) for word, _ in each.words[:3])}" for each in self.lists]
        return f"Nearest to “{shortened(self.word)}”. {'. '.join(sentences)}."

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows of an export: every list with its baseline."""
        rows = ((each.title, word, value, each.typical) for each in self.lists for word, value in each.words)
        return ("list", "word", "value", "median of all words"), rows


class PredictedWord(NamedTuple):
    """A context word with its score u · v and its softmax probability."""

    word: str
    score: float
    probability: float


@dataclass(frozen=True)
class Prediction:
    """P(o|c), the softmax over the vocabulary, for one center word.

    Attributes:
        likely: The most likely context words, the most likely first.
        total: Denominator of the softmax, Σ exp(u · v) over all words.
        words, dimensions: Size of the vocabulary, and number of dimensions.
    """

    word: str
    likely: tuple[PredictedWord, ...]
    total: float
    words: int
    dimensions: int

    @property
    def products(self) -> int:
        """Return the number of multiplications for the scores of one softmax: |V| · d."""
        return self.words * self.dimensions

    @property
    def meaning(self) -> str:
        """Say which words are most likely, and the baseline, equal probabilities."""
        first = [f"{shortened(each.word)} {share(each.probability, fine=True)}" for each in self.likely[:3]]
        return (
            f"Near “{shortened(self.word)}” the softmax prefers {joined(first)}. If all {self.words:,} words were "
            f"equal, each would have {share(1 / self.words, fine=True)}."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows of an export: each likely word with score and probability."""
        return ("word", "score", "probability"), iter(self.likely)


@offered("found", "for each in found.lists:", "    print(each.title, each.words, each.typical)", "print(found.meaning)")
def two_matrices(space: VectorSpace, word: str, *, k: int = 8) -> TwoMatrices:
    """Return the nearest neighbors of a word by input vectors and by output vectors, and its contexts by score.

    Args:
        k: Length of each list.

    Raises:
        OptionError: The space has no output vectors.
        UnknownWordError: The space does not have the word.
    """
    outputs, row = outputs_of(space), space.row(word)
    inputs = np.asarray(space.matrix, np.float64)

    def listed(name: str, title: str, values: Any, *, itself: bool = False) -> MatrixList:
        others = np.ones(len(values), bool)
        others[row] = itself
        best = [place for place in np.argsort(-values, kind="stable").tolist() if others[place]][:k]
        words = tuple((word, float(values[place])) for word, place in zip(space.words_at(best), best, strict=True))
        return MatrixList(name, title, words, float(np.median(values[others])))

    scores = outputs @ inputs[row]
    lists = (
        listed("in", "Input vectors, by the cosine", _cosines(inputs, row)),
        listed("out", "Output vectors, by the cosine", _cosines(outputs, row)),
        listed("across", "Contexts, by the score u · v", scores, itself=True),
    )
    return TwoMatrices(word, lists, float(scores[row]), len(space), space.dimensions)


@offered(
    "found", "for each in found.likely:", "    print(each.word, each.score, each.probability)", "print(found.meaning)"
)
def prediction(space: VectorSpace, word: str, *, k: int = 10) -> Prediction:
    """Return the k most likely context words by the softmax P(o|c) = exp(u_o · v_c) / Σ exp(u · v_c).

    Args:
        word: The center word c.

    Raises:
        OptionError: The space has no output vectors.
        UnknownWordError: The space does not have the word.
    """
    outputs, row = outputs_of(space), space.row(word)
    scores = outputs @ np.asarray(space.matrix[row], np.float64)
    chances = softmax(scores)
    best = np.argsort(-chances, kind="stable")[:k].tolist()
    likely = tuple(
        PredictedWord(name, float(scores[place]), float(chances[place]))
        for name, place in zip(space.words_at(best), best, strict=True)
    )
    return Prediction(word, likely, float(np.exp(scores).sum()), len(space), space.dimensions)


def outputs_of(space: VectorSpace) -> Any:
    """Return the output vectors of a space, (n, d) float64.

    Raises:
        OptionError: The space has no output vectors.
    """
    if space.outputs is None:
        raise OptionError(
            f"{space.origin.name} has no output vectors. Train Word2Vec or FastText with negative sampling; their "
            "spaces keep both matrices."
        )
    return np.asarray(space.outputs, np.float64)


def _cosines(rows: Any, row: int) -> Any:
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return unit @ unit[row]
