"""One step of skip-gram on a small vocabulary, in all its parts: prediction, loss, gradient, new vectors.

Every word has an input vector v and an output vector u. From the input vector of the center c the model predicts the
context word o. It uses the softmax over all words, or separates o from some noise words (negative sampling). Both
losses are in nats. ŷ_j is the predicted probability of word j, and y_j is 1 for o, else 0. The gradients (Rong 2014):

    softmax:           ∂L/∂v_c = Σ_j (ŷ_j - y_j) u_j       ∂L/∂u_j = (ŷ_j - y_j) v_c
    negative sampling: the same sums over o and the noise words, with σ(u_j · v_c) in place of ŷ_j
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import OptionError
from embedviz.core.space import Ints
from embedviz.core.stats.softmax import softmax

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SkipgramModel:
    """The two matrices of a small skip-gram model.

    Attributes:
        words: V words.
        input: The vectors v, (V, d).
        output: The vectors u, (V, d).
    """

    words: tuple[str, ...]
    input: Reals
    output: Reals

    def row(self, word: str) -> int:
        """Return the row number of a word in both matrices.

        Raises:
            OptionError: The model has no such word.
        """
        if word not in self.words:
            raise OptionError(f"“{word}” is not in this model. Its words: {', '.join(self.words[:20])}.")
        return self.words.index(word)

    def step(self, center: str, context: str, noise: Sequence[str] | None = None) -> LearningStep:
        """Return the prediction of a context word from a center word, with its loss and gradient.

        Args:
            noise: The noise words of negative sampling; None for the softmax over all words. If a noise word equals
                the context word, it is skipped, as in word2vec.

        Raises:
            OptionError: A word is not in the model.
        """
        target = self.row(context)
        if noise is None:
            rows = np.arange(len(self.words))
        else:
            rows = np.array([target, *(row for row in map(self.row, noise) if row != target)])
        return LearningStep(self, self.row(center), target, rows, sampled=noise is not None)


@dataclass(frozen=True, eq=False)
class LearningStep:
    """The prediction of a context word from a center word, and what is learned from it.

    Attributes:
        model: The model before the step.
        center: Row of the center word, which is given.
        target: Row of the context word, which is predicted.
        rows: Output rows that are scored. Softmax: all, (V,). Negative sampling: the target, then the noise words.
        sampled: Whether the step uses negative sampling.
    """

    model: SkipgramModel
    center: int
    target: int
    rows: Ints
    sampled: bool

    @cached_property
    def scores(self) -> Reals:
        """Return the scores u_j · v_c of the scored rows, (rows,)."""
        return np.asarray(self.model.output[self.rows] @ self.model.input[self.center])

    @cached_property
    def predicted(self) -> Reals:
        """Return ŷ, (rows,): the softmax of the scores, or for negative sampling the sigmoid of each score."""
        from scipy.special import expit

        return np.asarray(expit(self.scores) if self.sampled else softmax(self.scores))

    @cached_property
    def truth(self) -> Reals:
        """Return y, (rows,): 1 for the target, 0 for the other words. In negative sampling the target comes first."""
        if self.sampled:
            return np.asarray(np.arange(len(self.rows)) == 0, np.float64)
        return np.asarray(self.rows == self.target, np.float64)

    @property
    def errors(self) -> Reals:
        """Return ŷ - y of the scored rows, (rows,)."""
        return self.predicted - self.truth

    @cached_property
    def loss(self) -> float:
        """Return the loss in nats: -ln ŷ of the target. Negative sampling adds -ln(1 - ŷ) of each noise word."""
        from scipy.special import log_softmax

        if self.sampled:
            signs = 2 * self.truth - 1
            return float(np.logaddexp(0, -signs * self.scores).sum())
        return float(-log_softmax(self.scores)[self.target])

    @property
    def baseline(self) -> float:
        """Return the loss of an untrained model in nats: ln V, or for negative sampling ln 2 for each scored row."""
        return float(len(self.rows) * np.log(2) if self.sampled else np.log(len(self.model.words)))

    @cached_property
    def input_gradient(self) -> Reals:
        """Return ∂L/∂v_c, (d,)."""
        return np.asarray(self.errors @ self.model.output[self.rows])

    @cached_property
    def output_gradient(self) -> Reals:
        """Return ∂L/∂u_j of each scored row, (rows, d)."""
        return np.outer(self.errors, self.model.input[self.center])

    def applied(self, rate: float) -> SkipgramModel:
        """Return the model after one step of gradient descent. Both gradients are computed before any vector moves."""
        moved, scored = self.model.input.copy(), self.model.output.copy()
        moved[self.center] -= rate * self.input_gradient
        np.subtract.at(scored, self.rows, rate * self.output_gradient)
        return replace(self.model, input=moved, output=scored)


def first_vectors(words: Sequence[str], size: int, *, seed: int = 0, scale: float = 1.0) -> SkipgramModel:
    """Return a model with normally distributed random vectors of mean length about `scale`.

    word2vec starts with output vectors of zero. The first gradient of the input vector is then zero. Here both matrices
    are random, so the first step changes both.

    Raises:
        OptionError: There are fewer than two words, or a word occurs twice.
    """
    if len(words) < 2 or len(set(words)) < len(words):
        raise OptionError("A model needs at least two different words, each once.")
    random = np.random.default_rng(seed)
    shape = (len(words), size)
    matrices = (random.normal(size=shape) * scale / np.sqrt(size) for _ in range(2))
    return SkipgramModel(tuple(words), *matrices)


def mean_loss(model: SkipgramModel, pairs: Sequence[tuple[str, str]]) -> float:
    """Return the mean softmax loss in nats over pairs of (center word, context word)."""
    from scipy.special import log_softmax

    rows = np.array([(model.row(center), model.row(context)) for center, context in pairs])
    logs = log_softmax(model.input @ model.output.T, axis=1)
    return float(-logs[rows[:, 0], rows[:, 1]].mean())
