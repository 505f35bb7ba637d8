"""Word vectors learned for a task: a small TextCNN (Kim 2014) that predicts the labels of lines.

Its first layer is a table of word vectors (`torch.nn.Embedding`), learned with the other layers. So words are near if
they have the same effect on the label, unlike in Word2Vec, where near words share contexts.
"""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from embedviz.core import device
from embedviz.core.graphics_card import turn
from embedviz.core.options import OptionError, Parameter, check
from embedviz.core.phrases import counted, cut
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.corpus.tokenized import Corpus
from embedviz.training.base import (
    DEVICE,
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
from embedviz.training.textcnn.filters import LineClassifier, Told, filters_of
from embedviz.training.textcnn.network import Lines, Network, maxima_of, new_network
from embedviz.training.word2vec import MIN_COUNT, SEED, VECTOR_SIZE, WORKERS

__all__ = ["ROW", "LineClassifier", "Told", "costs", "textcnn"]

FEWEST = 5
"""Smallest number of lines with a label. Lines with a rarer label are left out."""
MOST_LABELS = 1_000
_MEASURED = 2_000  # training lines whose loss is measured after each epoch
_POOL = 16  # batches whose lines are sorted by length together
_PAUSE = 0.1  # seconds between two calls of the watcher
_AT_ONCE = 256  # lines per batch when nothing is learned
_WORD, _READ, _STEP = 2e-10, 2e-6, 2e-3  # seconds per word, filter width and dimension; per word; per step
_PLAIN = 400 * 2**20  # bytes of a process that has loaded torch
_THREADS = "Threads of a step. Most networks learn fastest with one, which also repeats itself to the bit."


class _LabelledLines(NamedTuple):
    """The labelled lines of a corpus: training lines and held-out lines.

    Attributes:
        labels: The labels, the most frequent first.
        cut: Number of lines that are not read to their end, because they are longer than the option `longest`.
        left_out: Number of lines without a label, or with a label of fewer than `FEWEST` lines.
    """

    labels: list[str]
    trained: Lines
    held_out: Lines
    cut: int
    left_out: int


def textcnn(corpus: Corpus, *, watch: Watch = go_on, **options: Any) -> Trained:
    """Train a TextCNN that predicts the labels of a corpus's lines; the space is its table of word vectors.

    The loss is the mean cross-entropy in nats of up to 2,000 training lines, without dropout. The baseline of the loss
    is the entropy of the labels of all training lines. `Trained.more` holds the trained `LineClassifier` as JSON
    values.

    Raises:
        OptionError: Fewer than two labels have `FEWEST` lines, there are more than `MOST_LABELS` labels, or an option
            is not allowed.
        DeviceError: There is no such graphics card.
    """
    import torch

    chosen = with_device(check(ROW, options))
    place = place_of(chosen["device"])
    rows, parts = rows_of(corpus, chosen["min_count"]), _parts(corpus, chosen)
    cards = [place] if place.startswith("cuda") else []
    with device.torch_threads(chosen["workers"]), torch.random.fork_rng(devices=cards):
        torch.manual_seed(chosen["seed"])
        shares = np.bincount(parts.trained.labels, minlength=len(parts.labels)) / len(parts.trained.labels)
        network = new_network(rows, chosen["vector_size"], chosen["filters"], chosen["widest"], shares)
        run = _NetworkRun(network.to(place), parts, chosen, watch, rows)
        run.train()
        network.to("cpu")
        found = run.classifier()
    matrix = np.array(run.vectors())
    origin = origin_of(corpus, ROW, chosen, _note(found))
    space = VectorSpace(corpus.words[:rows], matrix, corpus.counts[:rows], origin=origin, checked=True)
    baseline = float(-(shares * np.log(shares)).sum())
    made = (run.epoch, run.tokens, run.seconds())
    alike = chosen["workers"] == 1 and place == "cpu"
    return Trained(space, tuple(run.losses), baseline, *made, found.card(), repeats=alike)


class _NetworkRun:
    """The state of one training run of the network."""

    def __init__(
        self, network: Network, parts: _LabelledLines, chosen: dict[str, Any], watch: Watch, rows: int
    ) -> None:
        self.network, self.parts, self.chosen, self.watch, self.rows = network, parts, chosen, watch, rows
        self.losses: list[float] = []
        self.held_out_losses: list[float] = []
        self.epoch, self.tokens = 0.0, 0
        self._measured = parts.trained.take(slice(0, _MEASURED))
        self._begun, self._paused = time.perf_counter(), 0.0
        self._last: float | None = None

    def seconds(self) -> float:
        """Return the seconds since the first epoch began, without the time that the watcher took."""
        return time.perf_counter() - self._begun - self._paused

    def train(self) -> None:
        """Run all epochs, or fewer if the watcher ends the training."""
        import torch

        table, rest = self.network.parameters
        optimizers = (
            torch.optim.SparseAdam(table, lr=self.chosen["rate"]),
            torch.optim.Adam(rest, lr=self.chosen["rate"]),
        )
        self._last = self._measure(self._measured)
        self._begun = time.perf_counter()
        if not self._look():
            return
        looked, size, count = time.perf_counter(), self.chosen["batch"], len(self.parts.trained.labels)
        for epoch in range(self.chosen["epochs"]):
            done = 0
            for some in _batches(self.parts.trained.lengths, size, int(torch.randint(2**31, (1,)))):
                with turn(self.network.place, wait=math.inf, keep=True):
                    self._step(optimizers, some)
                self.tokens += int(self.parts.trained.lengths[some].sum())
                done += len(some)
                self.epoch = epoch + done / count
                if self.epoch < epoch + 1 and time.perf_counter() - looked > _PAUSE:
                    if not self._look():
                        return
                    looked = time.perf_counter()
            self._last = self._measure(self._measured)
            self.losses.append(self._last)
            self.held_out_losses.append(self._measure(self.parts.held_out))
            if not self._look():
                return
            looked = time.perf_counter()

    def classifier(self) -> LineClassifier:
        """Return the classifier, tested on the held-out lines. The network must be on the CPU."""
        parts, network = self.parts, self.network
        seen, places, _ = maxima_of(network, parts.trained, _AT_ONCE)
        tested, _, _ = maxima_of(network, parts.held_out, _AT_ONCE)
        scores = tested @ network.output.weight.detach().numpy().T + network.output.bias.detach().numpy()
        known = parts.held_out.labels
        return LineClassifier(
            tuple(parts.labels),
            len(parts.trained.labels),
            tuple((np.bincount(known, minlength=len(parts.labels)) / len(known)).tolist()),
            Share(int((scores.argmax(axis=1) == known).sum()), len(known)),
            Share(int((known == 0).sum()), len(known)),
            tuple(self.held_out_losses),
            parts.cut,
            parts.left_out,
            filters_of(network, parts.labels, parts.trained, parts.held_out, seen, places, tested),
        )

    def _step(self, optimizers: tuple[Any, Any], some: Ints) -> None:
        import torch

        network = self.network
        words, lengths, labels = self.parts.trained.tensors(some, len(network.filters), network.place)
        maxima, _ = network.fired(words, lengths)
        scores = network.output(torch.dropout(maxima, self.chosen["dropout"], True))
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss: Any = torch.nn.functional.cross_entropy(scores, labels)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()

    def _measure(self, lines: Lines) -> float:
        with turn(self.network.place, wait=math.inf, keep=True):
            return maxima_of(self.network, lines, _AT_ONCE)[2]

    def vectors(self) -> Float:
        """Return the present word vectors, (rows, d); on the CPU this is a view, not a copy."""
        matrix: Float = self.network.embedding.weight.detach().cpu().numpy()[: self.rows]
        return matrix

    def _look(self) -> bool:
        now = time.perf_counter()
        step = TrainingState(self.epoch, self.chosen["epochs"], self.tokens, self.seconds(), self._last, self.vectors)
        goes_on = self.watch(step)
        self._paused += time.perf_counter() - now
        return goes_on


def costs(corpus: Corpus, chosen: Mapping[str, Any]) -> Needs:
    """Estimate a run of `textcnn()`: its memory and time, and how many words and dimensions its space has.

    Raises:
        OptionError: Fewer than two labels have `FEWEST` lines, or there are more than `MOST_LABELS` labels.
    """
    rows, (_, own), size = rows_of(corpus, chosen["min_count"]), _labelled(corpus), chosen["vector_size"]
    read = np.minimum(np.diff(corpus.ends, prepend=0)[own >= 0], chosen["longest"])
    lines = len(read) - sum(_tested(int(count), chosen["held_out"]) for count in np.bincount(own[own >= 0]))
    words = float(read.sum()) * lines / len(read)
    wide = chosen["filters"] * chosen["widest"] * (chosen["widest"] + 1) / 2
    steps = -(-lines // chosen["batch"])
    seconds = chosen["epochs"] * (words * (wide * size * _WORD + _READ) + steps * _STEP)
    held = 4 * _AT_ONCE * chosen["longest"] * (size + 2 * chosen["filters"] * chosen["widest"])
    return Needs(rows, size, _PLAIN + 5 * 4 * rows * size + 2 * held, seconds + 2.0)


ROW = Trainer(
    "textcnn",
    "TextCNN",
    textcnn,
    (
        replace(VECTOR_SIZE, default=50),
        Parameter(
            "epochs",
            1,
            1000,
            10,
            "How often the training reads the lines. Raise it where the loss still falls at the end.",
            "Epochs",
        ),
        replace(MIN_COUNT, default=2, help="Words with a lower count share one vector, which has no row."),
        Parameter(
            "widest",
            1,
            7,
            3,
            "Filters read one word, two words together, and so on up to this number.",
            "Widest filter",
        ),
        Parameter(
            "filters",
            1,
            200,
            16,
            "Filters of each width. Each learns n-grams that separate the labels.",
            "Filters",
            formula=r"\max_t\,\mathrm{ReLU}\bigl(F\cdot x_{t:t+w}+b\bigr)",
        ),
        Parameter("dropout", 0.0, 0.9, 0.5, "Share of the filters that is left out at random in each step.", "Dropout"),
        Parameter("rate", 1e-5, 0.1, 0.003, "The size of the steps (Adam).", "Learning rate"),
        Parameter("batch", 1, 1000, 32, "Lines per step.", "Batch size"),
        Parameter("longest", 5, 2000, 300, "Words read per line.", "Longest line"),
        Parameter(
            "held_out", 0.05, 0.5, 0.2, "Share of the lines that are not learned from, for the test.", "Held-out share"
        ),
        DEVICE,
        SEED,
        replace(WORKERS, default=1, help=_THREADS),
    ),
    "Learns vectors that separate the labels of lines. The corpus needs labels.",
    "Kim 2014",
    costs=costs,
    unit="line",
    packages=("numpy", "torch"),
    results=LineClassifier.of,
)


def _batches(lengths: Ints, size: int, seed: int) -> Iterator[Ints]:
    """Yield random batches of at most `size` similarly long lines, as indices into `lengths`. Each line occurs once."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(lengths))
    pools = [order[first : first + size * _POOL] for first in range(0, len(order), size * _POOL)]
    sorted_pools = [pool[np.argsort(lengths[pool], kind="stable")] for pool in pools]
    batches = [pool[first : first + size] for pool in sorted_pools for first in range(0, len(pool), size)]
    yield from (batches[place] for place in random.permutation(len(batches)).tolist())


def _labelled(corpus: Corpus) -> tuple[list[str], Ints]:
    """Return the labels that are learned, the most frequent first, and for each line the number of its label.

    The number is −1 for a line without a label, or with a label of fewer than `FEWEST` lines.

    Raises:
        OptionError: Fewer than two labels have `FEWEST` lines, or there are more than `MOST_LABELS`.
    """
    if corpus.labels is None:
        raise OptionError(
            f"TextCNN learns to tell the labels of lines apart, and the lines of {corpus.name} have none. Choose a "
            "table with a column of labels."
        )
    names, numbers = corpus.groups
    counts = np.bincount(numbers, minlength=len(names))
    order = [place for place in np.argsort(-counts, kind="stable").tolist() if names[place] and counts[place] >= FEWEST]
    labels = [names[place] for place in order]
    if len(labels) < 2:
        has = f"“{cut(labels[0], 40)}” alone" if labels else "none"
        raise OptionError(f"Two labels of {FEWEST} lines each are needed to tell apart; {corpus.name} has {has}.")
    if len(labels) > MOST_LABELS:
        raise OptionError(f"{corpus.name} has {len(labels):,} labels. At most {MOST_LABELS:,} are allowed.")
    number_of = np.full(len(names), -1, np.int64)
    number_of[order] = np.arange(len(order))
    return labels, number_of[numbers]


def _tested(lines: int, held_out: float) -> int:
    """Return how many lines of one label are held out from the training, at least 1.

    Args:
        lines: Number of lines with the label.
        held_out: Share of lines to hold out.
    """
    return max(1, round(held_out * lines))


def _parts(corpus: Corpus, chosen: dict[str, Any]) -> _LabelledLines:
    """Divide the labelled lines into training lines and held-out lines, with about the same share of each label.

    Raises:
        OptionError: As in `_labelled`.
    """
    labels, own = _labelled(corpus)
    numbers = np.random.default_rng(chosen["seed"]).permutation(np.flatnonzero(own >= 0))
    whole = np.diff(corpus.ends, prepend=0)[numbers]
    read = np.minimum(whole, chosen["longest"])
    lines = Lines(
        corpus, corpus.vocabulary_size(chosen["min_count"]), numbers, corpus.starts()[numbers], read, own[numbers]
    )
    tested = np.zeros(len(numbers), bool)
    for label in range(len(labels)):
        places = np.flatnonzero(lines.labels == label)
        tested[places[: _tested(len(places), chosen["held_out"])]] = True
    left = len(own) - len(numbers)
    return _LabelledLines(labels, lines.take(~tested), lines.take(tested), int((whole > read).sum()), left)


def _note(found: LineClassifier) -> str:
    parts = [found.meaning]
    if found.cut:
        parts.append(f"{counted(found.cut, 'line')} {'was' if found.cut == 1 else 'were'} not read to the end.")
    if found.left_out:
        parts.append(f"Left out: {counted(found.left_out, 'line')} without a label, or with one of few lines.")
    return " ".join(parts)
