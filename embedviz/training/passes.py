"""gensim's own inner loops over a corpus, handed out a batch at a time, so that a run can be watched and ended.

gensim reads a file a whole pass at a time, tells nothing meanwhile and cannot be stopped. Here its compiled loop is
called for one batch after another, lines of at most 10,000 words together, by threads that take the next batch when
they are free. Each batch is read from a small file in memory. So no line is read twice, none is cut at a thread's
border, and no word is left out, as happens inside of gensim where the last line of a batch does not fit its 10,000. The
learning rate falls from `alpha` to `min_alpha` over all the words of all passes, whichever thread reads them; each of
gensim's threads counts its own words alone, so with several its rate falls too little within a pass.
"""

from __future__ import annotations

import copy
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.space import Float, Ints, WordBlob
from embedviz.corpus.tokenized import Corpus
from embedviz.training.base import TrainingState, Watch
from embedviz.training.objective import Examples

BATCH = 10_000
"""Words that gensim's compiled loop takes at once."""
WHOLE = 100
"""Epochs up to which the watcher also looks after each of them."""
_PAUSE = 0.1  # seconds between two looks of a watcher
_RARELY = 100  # measuring within a pass takes at most this part of the time, and not more often than each second


class PassesMade(NamedTuple):
    """The result of the passes."""

    losses: tuple[float, ...]
    epochs: float
    tokens: int
    seconds: float


class _Batch(NamedTuple):
    """Lines that are read at once: where their text lies, and their words."""

    start: int
    stop: int
    words: int
    before: int


def passes(
    model: Any,
    epoch: Callable[..., Any],
    corpus: Corpus,
    *,
    workers: int,
    batch: int,
    watch: Watch,
    examples: Examples,
    vectors: Callable[[], Float],
    some: Callable[[Ints], Float] | None = None,
) -> PassesMade:
    """Train a model of gensim over the corpus until its passes are made or the watcher has seen enough.

    With one worker the same model and corpus give the same bits, watched or not. Threads train on while a watcher
    looks and the loss is measured; the seconds are those in which one of them did.

    Args:
        model: A `Word2Vec` or `FastText` with its vocabulary and its weights.
        epoch: The compiled loop that reads a file: takes a model, a file, where to begin, the vocabulary as C++ has it,
            the pass, how many lines and words to expect, and two pieces of memory.
        batch: Words that are read at once, at most `BATCH`; a run can be ended between two.
        examples: What the loss is measured on.
        vectors, some: As in `TrainingState`; where there is `some`, `vectors` gives a copy.

    Raises:
        OptionError: The vectors grow beyond all numbers.
    """
    run = _Passes(model, epoch, corpus, workers, batch)
    loss = _Loss(examples, model.alpha)
    losses: list[float] = []

    def ask_watcher() -> bool:
        copies = some is not None  # which are put together
        seen = TrainingState(run.made, model.epochs, run.tokens, run.seconds, loss.last, vectors, some, copies)
        return watch(seen)

    going = ask_watcher()
    with run.threads():
        while going and len(losses) < model.epochs:
            for _ in run.one_pass():
                loss.now_and_then()
                if going and not ask_watcher():
                    going = False
                    run.stop()
            if run.made == len(losses) + 1:
                losses.append(loss.now())
                if going and len(losses) < model.epochs <= WHOLE and not ask_watcher():
                    going = False  # no thread trains here, so what is recorded of a whole epoch can be repeated
    if going:
        ask_watcher()
    return PassesMade(tuple(losses), run.made, run.tokens, run.seconds)


def beyond_numbers(alpha: float) -> OptionError:
    """Return the error for vectors that are no longer finite."""
    return OptionError(
        f"The vectors are no longer finite numbers: the learning rate {alpha:g} is too high. Choose a lower alpha."
    )


class _Loss:
    """The objective as it was last measured, and when that was."""

    def __init__(self, examples: Examples, alpha: float) -> None:
        self._examples, self._alpha = examples, alpha
        self.last = self.now()

    def now(self) -> float:
        began = time.monotonic()
        self.last = self._examples.loss().mean
        if not np.isfinite(self.last):
            raise beyond_numbers(self._alpha)
        self._due = time.monotonic() + max(1.0, _RARELY * (time.monotonic() - began))
        return self.last

    def now_and_then(self) -> None:
        if time.monotonic() > self._due:
            self.now()


class _Passes:
    """The threads of a run, the batches they take, and how far they are."""

    def __init__(self, model: Any, epoch: Callable[..., Any], corpus: Corpus, workers: int, batch: int) -> None:
        from gensim.models.fasttext import FastText
        from gensim.models.word2vec_corpusfile import CythonVocab

        self.tokens, self.seconds, self._idle = 0, 0.0, time.monotonic()
        self._model, self._epoch, self._file, self._length = model, epoch, corpus.file, len(corpus.tokens)
        self._batches = list(_batches(corpus, min(batch, BATCH)))
        self._vocabulary = CythonVocab(model.wv, hs=model.hs, fasttext=isinstance(model, FastText))
        self._workers = min(workers, len(self._batches))
        self._views: list[_View] = []
        self._next: Iterator[_Batch] = iter(())
        self._passes, self._lock, self._ended = 0, threading.Lock(), threading.Event()

    @property
    def made(self) -> float:
        """Return the number of passes done, with the fraction of the current one."""
        return self.tokens / self._length

    @contextmanager
    def threads(self) -> Iterator[None]:
        """Run the threads that train; they have ended when this is left, however it is left."""
        with ExitStack() as stack:
            for place in range(self._workers):
                self._views.append(_View(self._model, place, stack.enter_context(_scratch())))
            self._seen = time.monotonic()
            self._pool = stack.enter_context(ThreadPoolExecutor(self._workers, "training"))
            stack.callback(self.stop)
            yield

    def stop(self) -> None:
        """Let the threads end with the batches they are at."""
        self._ended.set()

    def one_pass(self) -> Iterator[None]:
        """Make one pass over the corpus; yield several times a second, also over passes that are shorter than that."""
        self._next = iter(self._batches)
        began, before = time.monotonic(), self.seconds
        work = [self._pool.submit(self._train, view) for view in self._views]
        left = set(work)
        while left:
            left = wait(left, max(0.0, self._seen + _PAUSE - time.monotonic()), FIRST_EXCEPTION).not_done
            self.seconds = before + time.monotonic() - began
            if any(future.done() and future.exception() for future in work):
                self.stop()
            elif time.monotonic() >= self._seen + _PAUSE:
                yield
                self._seen = time.monotonic()
        for future in work:
            future.result()
        self.seconds = before + self._idle - began
        self._passes += 1

    def _train(self, view: _View) -> None:
        model, total = self._model, self._model.epochs * self._length
        with self._file.open("rb") as lines:
            while not self._ended.is_set():
                with self._lock:
                    batch = next(self._next, None)
                if batch is None:
                    break
                done = (self._passes * self._length + batch.before) / total
                lines.seek(batch.start)
                view.read(lines.read(batch.stop - batch.start))
                view.train(self._epoch, self._vocabulary, model.alpha - (model.alpha - model.min_alpha) * done)
                with self._lock:
                    self.tokens += batch.words
        self._idle = time.monotonic()


@contextmanager
def _scratch() -> Iterator[tuple[FileIO, str]]:
    """Give a small file and its name; in memory where the system can, so that no kill leaves it behind."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        with FileIO(os.memfd_create("embedviz"), "wb") as file:
            yield file, f"/proc/self/fd/{file.fileno()}"
    else:
        with tempfile.TemporaryDirectory(prefix="embedviz-") as folder, FileIO(f"{folder}/batch.txt", "wb") as file:
            yield file, str(file.name)


class _View:
    """A model as one thread has it: its own random numbers, memory and file; the weights are those of all."""

    def __init__(self, model: Any, place: int, scratch: tuple[FileIO, str]) -> None:
        self._file, self._name = scratch
        self._model = copy.copy(model)
        self._model.workers = self._model.epochs = 1
        if place:  # the first thread goes on with the numbers that gensim would draw
            self._model.random = np.random.RandomState([model.seed, place])
        self._memory = model._get_thread_working_mem()

    def read(self, text: bytes) -> None:
        """Lay the text of a batch into the file."""
        self._file.seek(0)
        self._file.write(text)
        self._file.truncate()

    def train(self, epoch: Callable[..., Any], vocabulary: Any, alpha: float) -> None:
        self._model.alpha = self._model.min_alpha = alpha
        epoch(self._model, self._name, 0, vocabulary, 0, None, 2 * BATCH, *self._memory)


def _batches(corpus: Corpus, size: int) -> Iterator[_Batch]:
    """Yield the corpus in whole lines of at most `size` words together, or one line that has more."""
    ends, words = corpus.ends, WordBlob.of(corpus.words)
    lengths = np.diff(words.offsets) + 1  # bytes of a word and what follows it
    line = before = start = 0
    while line < len(ends):
        line = max(line + 1, int(np.searchsorted(ends, before + size, "right")))
        after = int(ends[line - 1])
        stop = start + int(lengths[corpus.tokens[before:after]].sum())
        yield _Batch(start, stop, after - before, before)
        before, start = after, stop
