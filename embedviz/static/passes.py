"""gensim's own inner loops over a corpus, handed out a batch at a time, so that a run can be watched and ended.

gensim reads a file a whole pass at a time, tells nothing meanwhile and cannot be stopped. Here its compiled loop is
called for one batch after another, lines of at most 10,000 words together, by threads that take the next batch when
they are free. Each batch is read from a small file of its own. So no line is read twice, none is cut at a thread's
border, and no word is left out, as happens inside of gensim where the last line of a batch does not fit its 10,000. The
learning rate falls from `alpha` to `min_alpha` over all the words of all passes, whichever thread reads them; with one
thread it is gensim's own.
"""

from __future__ import annotations

import copy
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.corpus.tokenized import Corpus
from embedviz.space import Float, Ints, WordBlob
from embedviz.static.training import Step, Watch

BATCH = 10_000
"""Words that gensim's compiled loop takes at once."""
_PAUSE = 0.1  # seconds between two looks of a watcher
_RARELY = 100  # a measure between passes takes at most this part of the time


class Done(NamedTuple):
    """What the passes came to."""

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
    watch: Watch,
    measure: Callable[[], float] | None,
    vectors: Callable[[], Float],
    some: Callable[[Ints], Float] | None = None,
) -> Done:
    """Trains a model of gensim over the corpus until its passes are made or the watcher has seen enough.

    With one worker the same model and corpus give the same bits, whoever watches.

    Args:
        model: A `Word2Vec` or `FastText` with its vocabulary and its weights.
        epoch: The compiled loop that reads a file: takes a model, a file, where to begin, the vocabulary as C++ has it,
            the pass, how many lines and words to expect, and two pieces of memory.
        measure: The objective per example now.
        vectors, some: As in `Step`.
    """
    run = _Run(model, epoch, corpus, workers)
    losses: list[float] = []
    last = measure() if measure else None

    def look() -> bool:
        clock = run.seconds()
        step = Step(run.tokens / run.length, model.epochs, run.tokens, clock, last, vectors, some)
        return watch(step)

    going = look()
    run.begin()
    seen = measured = time.monotonic()
    cost = 0.0
    with run.threads():
        while going and len(losses) < model.epochs:
            under_way = run.pass_begins()
            while under_way:
                under_way = wait(under_way, max(0.0, seen + _PAUSE - time.monotonic()), FIRST_EXCEPTION).not_done
                if run.failed():
                    break
                now = time.monotonic()
                if not under_way or not going or now < seen + _PAUSE:
                    continue
                if now > measured + max(1.0, _RARELY * cost):
                    last = measure() if measure else None
                    measured, cost = time.monotonic(), time.monotonic() - now
                going = look()
                seen = time.monotonic()
                if not going:
                    run.stop()
            run.pass_ends()
            if run.whole():
                now = time.monotonic()
                last = measure() if measure else None
                measured, cost = time.monotonic(), time.monotonic() - now
                losses.append(last or 0.0)
        run.pauses()
        if going:
            look()
    return Done(tuple(losses), run.tokens / run.length, run.tokens, run.seconds())


class _Run:
    """The threads of a run, the batches they take, and how far they are."""

    def __init__(self, model: Any, epoch: Callable[..., Any], corpus: Corpus, workers: int) -> None:
        from gensim.models.fasttext import FastText
        from gensim.models.word2vec_corpusfile import CythonVocab

        self.tokens, self.length = 0, len(corpus.tokens)
        self._model, self._epoch, self._file = model, epoch, corpus.file
        self._batches = list(_batches(corpus))
        self._vocabulary = CythonVocab(model.wv, hs=model.hs, fasttext=isinstance(model, FastText))
        self._workers = min(workers, len(self._batches))
        self._next = iter(())  # type: Iterator[_Batch]
        self._made, self._lock, self._ended = 0, threading.Lock(), threading.Event()
        self._began: float | None = None
        self._took = 0.0
        self._futures: list[Future[None]] = []

    def begin(self) -> None:
        self._began = time.monotonic()

    def pauses(self) -> None:
        self._took, self._began = self.seconds(), None

    def seconds(self) -> float:
        return self._took + (time.monotonic() - self._began if self._began is not None else 0.0)

    @contextmanager
    def threads(self) -> Iterator[None]:
        """The threads that train; they have ended when this is left, however it is left."""
        with tempfile.TemporaryDirectory(prefix="embedviz-") as folder:
            self._views = [_View(self._model, place, Path(folder) / f"{place}.txt") for place in range(self._workers)]
            with ThreadPoolExecutor(self._workers, "training") as self._pool:
                try:
                    yield
                finally:
                    self._ended.set()

    def pass_begins(self) -> set[Future[None]]:
        self._next = iter(self._batches)
        self._futures = [self._pool.submit(self._train, view) for view in self._views]
        return set(self._futures)

    def pass_ends(self) -> None:
        for future in self._futures:
            future.result()
        self._made += 1

    def failed(self) -> bool:
        return any(future.done() and future.exception() is not None for future in self._futures)

    def stop(self) -> None:
        self._ended.set()

    def whole(self) -> bool:
        """Whether the last pass read the whole corpus."""
        return self.tokens == self._made * self.length

    def _train(self, view: _View) -> None:
        model, total = self._model, self._model.epochs * self.length
        with self._file.open("rb") as lines:
            while not self._ended.is_set():
                with self._lock:
                    batch = next(self._next, None)
                if batch is None:
                    return
                part = (self._made * self.length + batch.before) / total
                lines.seek(batch.start)
                view.file.write_bytes(lines.read(batch.stop - batch.start))
                view.train(self._epoch, self._vocabulary, model.alpha - (model.alpha - model.min_alpha) * part)
                with self._lock:
                    self.tokens += batch.words


class _View:
    """A model as one thread has it: its own random numbers, memory and file; the weights are those of all."""

    def __init__(self, model: Any, place: int, file: Path) -> None:
        self.file = file
        self._model = copy.copy(model)
        self._model.workers = self._model.epochs = 1
        if place:  # the first thread goes on with the numbers that gensim would draw
            self._model.random = np.random.RandomState([model.seed, place])
        self._memory = model._get_thread_working_mem()

    def train(self, epoch: Callable[..., Any], vocabulary: Any, alpha: float) -> None:
        self._model.alpha = self._model.min_alpha = alpha
        epoch(self._model, str(self.file), 0, vocabulary, 0, None, 2 * BATCH, *self._memory)


def _batches(corpus: Corpus) -> Iterator[_Batch]:
    """The corpus in whole lines of at most `BATCH` words together."""
    ends, words = corpus.ends, WordBlob.of(corpus.words)
    lengths = np.diff(words.offsets) + 1  # bytes of a word and what follows it
    line = before = start = 0
    while line < len(ends):
        line = max(line + 1, int(np.searchsorted(ends, before + BATCH, "right")))
        after = int(ends[line - 1])
        stop = start + int(lengths[corpus.tokens[before:after]].sum())
        yield _Batch(start, stop, after - before, before)
        before, start = after, stop
