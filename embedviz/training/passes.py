"""gensim's compiled training loops, called batch by batch, so that a run can be watched and ended.

gensim itself reads a file for a whole pass (epoch). Meanwhile it reports nothing and cannot be stopped. Here its
compiled loop is called for one batch after another: whole lines with at most 10,000 words together. Each thread takes
the next batch when it is free, and writes it to a small file in memory, from which gensim reads.

This also avoids faults of gensim. At the border between two threads it may read a line twice or cut it, and it loses
words if the last line of a batch goes beyond 10,000 words. Each of its threads counts only its own words, so the
learning rate falls too little within a pass. Here it falls from `alpha` to `min_alpha` over the words of all threads.
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
"""Maximum number of words in one call of gensim's compiled loop."""
WHOLE = 100
"""Largest number of epochs for which the watcher is also called after every epoch."""
_PAUSE = 0.1  # seconds between two calls of the watcher
_RARELY = 100  # within a pass, measuring takes at most 1 / 100 of the time, and happens at most once a second


class PassesMade(NamedTuple):
    """The record of the passes: the loss after each whole pass, and the numbers of epochs, words and seconds."""

    losses: tuple[float, ...]
    epochs: float
    tokens: int
    seconds: float


class _Batch(NamedTuple):
    """Whole lines that are read together.

    Attributes:
        start, stop: Where their text begins and ends in the corpus file, in bytes.
        words: Number of words in these lines.
        before: Number of words in the corpus before these lines.
    """

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
    """Train a gensim model on the corpus until all passes are done or the watcher ends it.

    With one worker, the same model and corpus give exactly the same numbers, with or without a watcher. Threads go on
    training during the watcher's work and the measuring of the loss. `PassesMade.seconds` is the time in which at least
    one thread trains.

    Args:
        model: A `Word2Vec` or `FastText` with vocabulary and weights.
        epoch: gensim's compiled loop over a file. Its arguments are the model, file, offset, C++ vocabulary, pass,
            expected examples, expected words, and two work arrays.
        workers: Number of threads.
        batch: Words per batch, at most `BATCH`. A run can end only between two batches.
        examples: The examples on which the loss is measured.
        vectors, some: As in `TrainingState`. If `some` is given, `vectors` returns a copy.

    Raises:
        OptionError: The loss is no longer a finite number.
    """
    run = _Passes(model, epoch, corpus, workers, batch)
    loss = _Loss(examples, model.alpha)
    losses: list[float] = []

    def ask_watcher() -> bool:
        copies = some is not None  # then vectors are averaged from several rows
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
                    going = False  # no thread trains here, so what is recorded after a whole epoch is reproducible
    if going:
        ask_watcher()
    return PassesMade(tuple(losses), run.made, run.tokens, run.seconds)


def beyond_numbers(alpha: float) -> OptionError:
    """Return the error for vectors that are no longer finite. Its message names the learning rate as the cause."""
    return OptionError(
        f"The vectors are no longer finite numbers: the learning rate {alpha:g} is too high. Choose a lower alpha."
    )


class _Loss:
    """The loss as last measured, and the time of the next measurement."""

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
    """The threads of a run, the batches that they take, and the progress so far."""

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
        """Return the number of passes done, including the fraction of the current pass."""
        return self.tokens / self._length

    @contextmanager
    def threads(self) -> Iterator[None]:
        """Start the training threads. They have ended when the context ends, even after an error."""
        with ExitStack() as stack:
            for place in range(self._workers):
                self._views.append(_View(self._model, place, stack.enter_context(_scratch())))
            self._seen = time.monotonic()
            self._pool = stack.enter_context(ThreadPoolExecutor(self._workers, "training"))
            stack.callback(self.stop)
            yield

    def stop(self) -> None:
        """Tell the training threads to end, each after its current batch."""
        self._ended.set()

    def one_pass(self) -> Iterator[None]:
        """Run one pass over the corpus, and yield every tenth of a second, so that the caller can call the watcher.

        The time since the last yield counts on from one pass to the next. So a short pass may yield nothing.
        """
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
    """Open a small file, and yield the file and its name. It is in memory if possible: a crash leaves no file."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        with FileIO(os.memfd_create("embedviz"), "wb") as file:
            yield file, f"/proc/self/fd/{file.fileno()}"
    else:
        with tempfile.TemporaryDirectory(prefix="embedviz-") as folder, FileIO(f"{folder}/batch.txt", "wb") as file:
            yield file, str(file.name)


class _View:
    """The model as one thread uses it.

    All threads share the weights. Each thread has its own random numbers, working memory and file.
    """

    def __init__(self, model: Any, place: int, scratch: tuple[FileIO, str]) -> None:
        self._file, self._name = scratch
        self._model = copy.copy(model)
        self._model.workers = self._model.epochs = 1
        if place:  # the first thread draws the same random numbers as gensim
            self._model.random = np.random.RandomState([model.seed, place])
        self._memory = model._get_thread_working_mem()

    def read(self, text: bytes) -> None:
        """Write the text of a batch to this thread's file, from which gensim reads it."""
        self._file.seek(0)
        self._file.write(text)
        self._file.truncate()

    def train(self, epoch: Callable[..., Any], vocabulary: Any, alpha: float) -> None:
        self._model.alpha = self._model.min_alpha = alpha
        epoch(self._model, self._name, 0, vocabulary, 0, None, 2 * BATCH, *self._memory)


def _batches(corpus: Corpus, size: int) -> Iterator[_Batch]:
    """Yield the corpus in batches of whole lines with at most `size` words. A longer line is a batch of its own."""
    ends, words = corpus.ends, WordBlob.of(corpus.words)
    lengths = np.diff(words.offsets) + 1  # bytes of a word and of the separator after it
    line = before = start = 0
    while line < len(ends):
        line = max(line + 1, int(np.searchsorted(ends, before + size, "right")))
        after = int(ends[line - 1])
        stop = start + int(lengths[corpus.tokens[before:after]].sum())
        yield _Batch(start, stop, after - before, before)
        before, start = after, stop
