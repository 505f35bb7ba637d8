"""How well a trained GloVe model fits its counts: w·w̃ + b + b̃ and ln X of every pair, with the weight f(X)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError, check
from embedviz.core.phrases import number, share, shortened
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float
from embedviz.corpus.cooccurrence import cooccurrences
from embedviz.corpus.tokenized import Corpus
from embedviz.training.base import TrainingState, with_device
from embedviz.training.glove import ALPHA, ROW, X_MAX, learned

MOST_TOKENS = 200_000
"""Maximum number of words (tokens) in a corpus that is trained on here."""
DRAWN = 2_000
"""Maximum number of pairs in the scatter plot."""
_WORST = 40


def pair_weight(count: Any, x_max: float = 100.0, alpha: float = 0.75) -> Any:
    """Return f(x) = min(1, (x / x_max)^α), the weight of a count in the loss (Pennington et al. 2014, equation 9).

    Args:
        count: A number or an array, 0 or more.
        x_max, alpha: The defaults are those of the paper.

    Raises:
        OptionError: `x_max` or `alpha` is outside the range of the trainer's option.
    """
    return np.minimum(1.0, (np.asarray(count, np.float64) / X_MAX.check(x_max, 1)) ** ALPHA.check(alpha, 1))


class LogCountPair(NamedTuple):
    """A pair of words with its count and the model's approximation of ln X.

    Attributes:
        met: X, the count. Each time that the two words meet, it grows by 1 ÷ their distance.
        dot: w·w̃.
        bias, context_bias: b and b̃.
        written: w·w̃ + b + b̃, which should be near ln X.
        error: `written` − ln X.
        weight: f(X).
    """

    word: str
    context: str
    met: float
    dot: float
    bias: float
    context_bias: float
    written: float
    error: float
    weight: float

    @property
    def cost(self) -> float:
        """Return the pair's part of the loss as in the paper, f(X) · error². The trainer's J has a factor ½."""
        return self.weight * self.error**2


@dataclass(frozen=True, eq=False)
class LogCounts:
    """How a GloVe model fits the pairs of the corpus it was trained on.

    Attributes:
        by_error: The 40 pairs with the largest absolute error, the largest first.
        by_cost: The 40 pairs with the largest part of the loss, the largest first.
        drawn: For a random sample of pairs, ln X and its approximation w·w̃ + b + b̃, (m, 2).
        pairs: Number of pairs with a count.
        light: Share of the pairs whose weight f(X) is below 1.
        explained: Share of the weighted variance of ln X that the model explains; below 0 if a constant fits better.
        by_biases: Baseline: the share that the best biases explain without vectors.
        dimensions, epochs, x_max, alpha: Options of the training.
    """

    by_error: tuple[LogCountPair, ...]
    by_cost: tuple[LogCountPair, ...]
    drawn: Float
    pairs: int
    light: float
    explained: float
    by_biases: float
    dimensions: int
    epochs: int
    x_max: float
    alpha: float

    @property
    def meaning(self) -> str:
        """Say what share of the variance of ln X the model explains, its baseline, and the pair of the largest cost."""
        worst = self.by_cost[0]
        return (
            f"The model explains {share(self.explained)} of the weighted variance of ln X; two biases without vectors "
            f"explain {share(self.by_biases)}. Highest cost: “{shortened(worst.word)}” near "
            f"“{shortened(worst.context)}”, error {number(worst.error)}."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows of an export: the pairs of `by_cost`, then those of `by_error`.

        These are the 40 pairs with the largest part of the loss, and the 40 pairs with the largest error.
        """
        header = ("word", "context", "count", "dot", "bias", "context bias", "written", "error", "weight")
        return header, iter((*self.by_cost, *self.by_error))


@offered(
    "found",
    "for pair in found.by_cost[:5]:",
    "    print(pair.word, pair.context, pair.met, pair.error, pair.weight)",
    "print(found.meaning)",
)
def log_counts(
    corpus: Corpus,
    *,
    vector_size: int = 20,
    epochs: int = 25,
    x_max: float = 10.0,
    alpha: float = 0.75,
    min_count: int = 3,
    seed: int = 1,
    report: Report | None = None,
) -> LogCounts:
    """Train GloVe on a corpus, and return how well it fits the log counts, with the worst pairs.

    Raises:
        OptionError: An option is not allowed, or the corpus is too long or too short.
    """
    if len(corpus.tokens) > MOST_TOKENS:
        raise OptionError(f"{corpus.name} has {len(corpus.tokens):,} words. Choose a text of at most {MOST_TOKENS:,}.")
    options = {"vector_size": vector_size, "epochs": epochs, "x_max": x_max, "alpha": alpha}
    chosen = with_device(check(ROW, {**options, "min_count": min_count, "seed": seed, "device": "cpu"}))

    def watch(state: TrainingState) -> bool:
        tell(report, state.epoch / max(state.epochs, 1), f"epoch {state.epoch:.0f} of {state.epochs}")
        return True

    parameters = learned(corpus, watch, chosen).parameters
    named = {name: chosen[name] for name in ("window", "min_count", "weighting")}
    table = cooccurrences(corpus, symmetric=chosen["sides"] == "both", **named).sparse().tocoo()
    rows, columns, counts = table.row, table.col, table.data.astype(np.float64)
    size = parameters.size
    dots = np.einsum("nd,nd->n", parameters.main[rows, :size], parameters.context[columns, :size], dtype=np.float64)
    bias, context_bias = (each.astype(np.float64) for each in parameters.biases())
    logs, weights = np.log(counts), pair_weight(counts, x_max, alpha)
    written = dots + bias[rows] + context_bias[columns]
    errors = written - logs

    def pair(place: int) -> LogCountPair:
        i, j = int(rows[place]), int(columns[place])
        numbers = (counts[place], dots[place], bias[i], context_bias[j], written[place], errors[place], weights[place])
        return LogCountPair(corpus.words[i], corpus.words[j], *map(float, numbers))

    def worst(costs: Any) -> tuple[LogCountPair, ...]:
        return tuple(pair(place) for place in np.argsort(-costs, kind="stable")[:_WORST].tolist())

    some = np.random.default_rng(seed).permutation(len(logs))[:DRAWN]
    spread = float((weights * (logs - np.average(logs, weights=weights)) ** 2).sum()) or 1.0
    left = logs - biases_alone(table.shape, rows, columns, logs, weights)
    return LogCounts(
        worst(np.abs(errors)),
        worst(weights * errors**2),
        np.stack([logs, written], axis=1)[some].astype(np.float32),
        len(logs),
        float((weights < 1).mean()),
        1 - float((weights * errors**2).sum()) / spread,
        1 - float((weights * left**2).sum()) / spread,
        size,
        epochs,
        x_max,
        alpha,
    )


def biases_alone(shape: tuple[int, int], rows: Any, columns: Any, logs: Any, weights: Any, turns: int = 50) -> Any:
    """Return the sum b_i + b̃_j of each pair, with those biases that approximate ln X best without vectors.

    The biases are found by alternating weighted least squares: first all b, then all b̃, `turns` times.
    """
    bias, context_bias = np.zeros(shape[0]), np.zeros(shape[1])
    on_row, on_column = (np.bincount(place, weights, size) for place, size in zip((rows, columns), shape, strict=True))
    for _ in range(turns):
        bias = np.bincount(rows, weights * (logs - context_bias[columns]), shape[0]) / np.maximum(on_row, 1e-12)
        context_bias = np.bincount(columns, weights * (logs - bias[rows]), shape[1]) / np.maximum(on_column, 1e-12)
    return bias[rows] + context_bias[columns]
