"""GloVe (Pennington, Socher and Manning 2014): the product of two vectors plus two biases approximates a log count.

J = ½ Σ f(X_ij) (w_i·w̃_j + b_i + b̃_j − ln X_ij)² over all pairs with a count X_ij > 0, f(x) = min(1, (x ÷ x_max)^α).
Context words have their own vectors w̃ and biases b̃. Steps and loss are as in Stanford's code, see `kernels.descend`.
The loss is J per pair, where each pair is measured just before its step.

`corpus.cooccurrence` counts X · `tiles`: the order of the pairs · `parameters`: vectors and biases · `descent` and
`kernels`: passes on the processor · `graphics`: passes on a graphics card · `log_counts`: how well a model fits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from embedviz.core import device as machine
from embedviz.core.options import Choice, OptionError, Parameter, check
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.corpus.cooccurrence import WEIGHTINGS, Counts, cooccurrences
from embedviz.corpus.tokenized import Corpus
from embedviz.training import word2vec
from embedviz.training.base import (
    DEVICE,
    SAME_TEXT,
    Needs,
    Trained,
    Trainer,
    TrainingState,
    Watch,
    go_on,
    origin_of,
    place_of,
    rows_of,
    with_device,
)
from embedviz.training.glove import tiles
from embedviz.training.glove.parameters import OUTPUTS, Parameters, beginning, line_of

SIDES_OF_WORD = ("both", "before")
_LOOK = 0.1  # smallest number of seconds between two calls of the watcher


def train(corpus: Corpus, *, watch: Watch | None = None, memory: int | None = None, **options: Any) -> Trained:
    """Train GloVe on a corpus, and return the result; see `embedviz.training.base`.

    An epoch is a pass over all pairs with a count. While pairs are counted, `watch` gets the initial vectors. On the
    CPU, a repeated run gives exactly the same numbers, whatever the number of workers.

    Args:
        watch: Function that takes the state of the training, and returns whether to continue.
        memory: Bytes that the counts may take in memory; larger counts go to files. A copy of the counts, in the order
            of learning, has the same limit. None: a tenth of the machine's memory.

    Raises:
        OptionError: An option is not allowed, fewer than two words have the minimum count, no two of them occur near
            each other, or the vectors are no longer finite.
        DeviceError: There is no such graphics card.
    """
    chosen = with_device(check(ROW, options))
    run = learned(corpus, watch or go_on, chosen, memory)
    vectors = run.vectors()
    if not np.isfinite(vectors).all():
        raise OptionError(
            f"The vectors are no longer finite numbers. Use a lower learning rate than {chosen['eta']:g}."
        )
    space = VectorSpace(
        corpus.words[: len(vectors)],
        vectors,
        corpus.counts[: len(vectors)],
        origin=origin_of(corpus, ROW, chosen),
    )
    alike = chosen["device"] == "cpu"  # for any number of workers
    return Trained(space, tuple(run.losses), run.baseline, run.epoch, run.tokens, run.seconds, run.more, repeats=alike)


def learned(corpus: Corpus, watch: Watch, chosen: dict[str, Any], memory: int | None = None) -> GloveRun:
    """Train GloVe, and return the ended run. Its `parameters` hold all vectors and biases, even if not finite.

    Raises:
        OptionError: Fewer than two words have the minimum count, or no two of them occur near each other.
        DeviceError: The graphics card in the option *device* does not exist.
    """
    words = rows_of(corpus, chosen["min_count"])
    place_of(chosen["device"])  # raises before the counting begins
    run = GloveRun(corpus, watch, chosen, beginning(words, chosen["vector_size"], chosen["seed"]))
    memory = _limit() if memory is None else memory
    if run.look():
        begun = time.perf_counter()
        counts = _counted(corpus, run, memory)
        if counts is not None:
            if not counts.entries:
                raise OptionError(
                    f"No line of {corpus.name} has two words that are kept. Choose a smaller min_count, or longer "
                    "lines."
                )
            run.more = {"pairs": counts.entries, "counting": round(time.perf_counter() - begun, 3)}
            with _descent(counts, run, memory) as descent:
                del counts
                run.learn(descent)
    return run


def costs(corpus: Corpus, chosen: Mapping[str, Any]) -> Needs:
    """Estimate a run of `train()`: its memory and time, and how many words and dimensions its space has."""
    words = rows_of(corpus, chosen["min_count"])
    size = chosen["vector_size"]
    pairs = likely_pairs(corpus, words, chosen["window"], symmetric=chosen["sides"] == "both")
    own = 2 * words * line_of(size)
    limit = _limit()
    counting = min(4 * len(corpus.tokens), limit // 4) + min(8 * len(corpus.tokens), limit // 4)
    counted, laid = min(2 * 8 * pairs, limit), min(tiles.ENTRY * pairs, limit)
    held = max(counting + counted, counted + laid) + own + 4 * words * size * (2 if chosen["output"] == "both" else 1)
    threads = chosen["workers"] or machine.threads()
    places = 2.0 * chosen["window"] * len(corpus.tokens)
    seconds = places * _PLACE + pairs * (_LAID + chosen["epochs"] * (_PAIR + _NUMBER * size))
    return Needs(words, size * (2 if chosen["output"] == "both" else 1), _PLAIN + held, seconds / threads)


def _limit() -> int:
    """Return how many bytes the counts may take in memory: a tenth of the machine's memory.

    With this limit, the counts, their copy in the order of learning and the parameters fit into the memory of a long
    job.
    """
    return machine.memory() // 10


def likely_pairs(corpus: Corpus, words: int, window: int, *, symmetric: bool = True) -> int:
    """Estimate the number of different pairs of words that occur near each other.

    The estimate is the expected number for a random order of the text, minus a fifth: in real texts the same words meet
    again and again. On corpora of 60,000 to 17 million words, the error was below 10 %.

    Args:
        words: Number of words with a row, the most frequent ones.
        symmetric: Whether to count context words on both sides, or only before the word.
    """
    counts = corpus.counts[:words].astype(np.float64)
    cuts = np.unique(np.geomspace(1, words, 200).astype(np.int64)) - 1
    sizes = np.diff(np.append(cuts, words))
    mean = np.add.reduceat(counts, cuts) / sizes
    expected = -np.expm1(-np.outer(mean * window * (2 if symmetric else 1), mean / counts.sum()))
    return int(0.8 * (sizes @ expected @ sizes)) + 1


class _Descent(Protocol):
    """Passes over the pairs: `descent.Descent` on the processor, or `graphics.GraphicsDescent` on a graphics card."""

    @property
    def entries(self) -> int: ...
    def baseline(self) -> float: ...
    def one_pass(self, number: int) -> Iterator[tuple[int, float]]: ...
    def fetch(self) -> None: ...


class _EndedError(Exception):
    """An exception: the `watch` function ended the training while word pairs were counted."""


class GloveRun:
    """The state of one training of GloVe.

    Attributes:
        losses: J per pair in each whole pass.
        baseline: J per pair if all vectors and biases are zero; None before the first pass.
        epoch: Passes done, including the fraction of the current pass.
        seconds: Time since the first pass began, in seconds, without the watcher.
        more: Number of pairs, and duration of the counting in seconds; empty until the counting has ended.
    """

    def __init__(self, corpus: Corpus, watch: Watch, chosen: dict[str, Any], parameters: Parameters) -> None:
        self.chosen, self.parameters = chosen, parameters
        self.losses: list[float] = []
        self.baseline: float | None = None
        self.epoch, self.seconds = 0.0, 0.0
        self.more: dict[str, Any] = {}
        self._words, self._watch = len(corpus.tokens), watch
        self._fetch: Callable[[], None] = lambda: None
        self._looked = -np.inf

    @property
    def tokens(self) -> int:
        """Return the number of words read so far. One pass over the pairs is counted as one pass over the corpus."""
        return round(self.epoch * self._words)

    def vectors(self, rows: Ints | slice = slice(None)) -> Float:
        """Return a copy of the present vectors of the words in these rows, (m, d)."""
        self._fetch()
        return self.parameters.vectors(self.chosen["output"], rows)

    def look(self, loss: float | None = None, *, always: bool = True) -> bool:
        """Pass the state of the training to its `watch` function, and return whether to continue.

        Args:
            loss: J, the loss of GloVe, per pair as last measured; None if not measured yet.
            always: Whether to call `watch` even if the last call was less than 0.1 seconds ago.
        """
        if not always and time.perf_counter() - self._looked < _LOOK:
            return True
        passes, tokens = self.chosen["epochs"], self.tokens
        now = TrainingState(self.epoch, passes, tokens, self.seconds, loss, self.vectors, self.vectors, True)
        answer = self._watch(now)
        self._looked = time.perf_counter()
        return answer

    def counting(self, fraction: float, message: str) -> None:
        """Pass the progress of counting pairs to the training's `watch`; `cooccurrences` calls this as its `report`.

        Raises:
            _EndedError: The function `watch` ended the training.
        """
        if not self.look(always=False):
            raise _EndedError

    def learn(self, descent: _Descent) -> None:
        """Run all passes, or fewer if the watcher ends the training."""
        self.baseline, self._fetch = descent.baseline(), descent.fetch
        begun, entries, cost = time.perf_counter(), 0, 0.0
        for number in range(self.chosen["epochs"]):
            whole, done = 0.0, 0
            for some, their_cost in descent.one_pass(number):
                entries, cost = entries + some, cost + their_cost
                whole, done = whole + their_cost, done + some
                self.epoch = number + done / descent.entries
                self.seconds += time.perf_counter() - begun
                last = done == descent.entries
                if last:
                    self.losses.append(whole / done)
                looked = self._looked
                going = self.look(cost / entries, always=last and number + 1 == self.chosen["epochs"])
                if looked != self._looked:
                    entries, cost = 0, 0.0
                begun = time.perf_counter()
                if not going:
                    return


def _counted(corpus: Corpus, run: GloveRun, memory: int) -> Counts | None:
    """Count the pairs, and return the counts; None if the watcher ended the training."""
    chosen = run.chosen
    try:
        return cooccurrences(
            corpus,
            window=chosen["window"],
            min_count=chosen["min_count"],
            weighting=chosen["weighting"],
            symmetric=chosen["sides"] == "both",
            memory=memory,
            workers=chosen["workers"],
            report=run.counting,
        )
    except _EndedError:
        return None


@contextmanager
def _descent(counts: Counts, run: GloveRun, memory: int) -> Iterator[_Descent]:
    """Lay the pairs out in tiles. Yield the object that runs passes over the pairs on the chosen device."""
    chosen, parameters = run.chosen, run.parameters
    threads = chosen["workers"] or machine.threads()
    weight = {name: chosen[name] for name in ("x_max", "alpha", "eta", "seed")}
    side = tiles.side_of(len(counts), line_of(parameters.size)) if chosen["device"] == "cpu" else 1
    with ThreadPoolExecutor(threads) as pool:
        laid = tiles.lay(counts, side, chosen["seed"], memory, pool, threads)
        del counts  # frees memory: the tiles hold the same pairs
        if chosen["device"] == "cpu":
            from embedviz.training.glove.descent import Descent

            yield Descent(laid, parameters, pool=pool, threads=threads, **weight)
        else:
            from embedviz.training.glove.graphics import GraphicsDescent

            yield GraphicsDescent(laid, parameters, device=place_of(chosen["device"]), **weight)


WINDOW = Parameter(
    "window",
    1,
    100,
    10,
    "How far apart two words of a line may stand. Wide: topics; narrow: words that can replace each other.",
    "Window",
    formula=r"|i - j| \le \mathrm{window}",
)
EPOCHS = Parameter(
    "epochs",
    1,
    1000,
    25,
    "How often the training reads the counts; the text itself is read once. Raise it where the loss still falls at "
    "the end. Stanford’s code makes 25.",
    "Epochs",
)
X_MAX = Parameter(
    "x_max",
    0.1,
    1_000_000.0,
    10.0,
    "Counts from this value on have full weight, smaller ones less. The paper has 100, for billions of words.",
    "Full weight from",
    formula=r"f(x) = \min\left(1, (x / x_{\max})^\alpha\right)",
)
ALPHA = Parameter(
    "alpha",
    0.0,
    2.0,
    0.75,
    "How much less small counts weigh: 0 for equal weights, 1 for proportional weights.",
    "Exponent of the weight",
    formula=r"f(x) = \min\left(1, (x / x_{\max})^\alpha\right)",
)
ETA = Parameter(
    "eta",
    0.0001,
    1.0,
    0.05,
    "The size of the first steps. AdaGrad makes later steps smaller.",
    "Learning rate",
    formula=r"w \leftarrow w - \eta g / \sqrt{1 + \textstyle\sum (\eta g)^2}",
)
WEIGHTING = Choice(
    "weighting",
    WEIGHTINGS,
    "distance",
    "distance: a pair counts one over the distance of its words. flat: it counts one.",
    "Pairs count",
    (r"X_{ij} = \sum 1 / |i - j|", r"X_{ij} = \sum 1"),
)
SIDES = Choice(
    "sides",
    SIDES_OF_WORD,
    "both",
    "Whether to count the words on both sides of a word, or only those before it.",
    "Sides",
)
OUTPUT = Choice(
    "output",
    OUTPUTS,
    "sum",
    "A word has a vector as a word and one as a context. sum: their sum, as in the paper; word: the first; both: one "
    "after the other.",
    "Row of a word",
    (r"w_i + \tilde w_i", r"w_i", r"[w_i; \tilde w_i]"),
)


def explained(options: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """Return sentences about the loss: what it measures, and over how many pairs of words it is the mean."""
    found = f"The loss is half the weighted squared error of ln X, the mean over all pairs that occur. {SAME_TEXT}"
    return f"{found} These are {more['pairs']:,} pairs of words." if "pairs" in more else found


ROW = Trainer(
    "glove",
    "GloVe",
    train,
    (
        replace(word2vec.VECTOR_SIZE, formula=r"w_i \in \mathbb{R}^d"),
        WINDOW,
        word2vec.MIN_COUNT,
        EPOCHS,
        X_MAX,
        ALPHA,
        ETA,
        WEIGHTING,
        SIDES,
        OUTPUT,
        DEVICE,
        replace(word2vec.SEED, help="The start of the random numbers."),
        replace(
            word2vec.WORKERS, help="Threads that train at the same time. Any number of them gives the same result."
        ),
    ),
    "Counts which words occur near each other. Learns vectors and biases: the product of a word’s vector with a "
    "context’s, plus both biases, approximates the logarithm of their count. The loss is half the weighted "
    "squared error of a pair.",
    "Pennington, Socher and Manning 2014",
    costs=costs,
    unit="pair",
    packages=("numpy", "numba"),
    explains=explained,
)

_PLAIN = 150 * 2**20  # bytes of a training process without a vocabulary
# Seconds: to count a neighbor, to lay a pair out in tiles, and in each pass for a pair and for each of its dimensions.
_PLACE, _LAID, _PAIR, _NUMBER = 9e-9, 80e-9, 20e-9, 0.75e-9
