"""Training words: bare gensim, its `corpus_file` and equal settings, and ours, watched all the while, in turn.

    python benchmarks/training.py [--corpus FILE] [--words 2000000] [--epochs 2] [--rounds 3] [--workers 0]

Without a file of text, words are drawn from a made vocabulary. Both build the vocabulary, draw the first weights and
train; ours measures its loss and has a watcher that copies a thousand words ten times a second. The runs alternate, and
a round's ratio is that of two runs beside each other; the middle one is told. The answers are held to agree where the
loss of gensim's model, scored on the same guesses, is within .03 nats of ours; within .1 where several threads train,
since each of gensim's then counts its own words alone, and its learning rate falls that much less within a pass.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.options import check
from embedviz.corpus.tokenized import Corpus, write_corpus
from embedviz.training import fasttext, word2vec
from embedviz.training.base import TrainingState

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "skip-gram": (word2vec, {"architecture": "skipgram"}),
    "CBOW": (word2vec, {"architecture": "cbow"}),
    "FastText": (fasttext, {"architecture": "skipgram", "bucket": 200_000}),
}
VISIBLE = 1_000


class Run(NamedTuple):
    """Seconds by the clock, and of all processors together: the second number bears a busy machine better."""

    clock: float
    work: float
    loss: float


def made(count: int) -> Iterator[list[str]]:
    """Lines of 25 words, drawn as words of a text are: the n-th most frequent 1/n as often as the first."""
    random = np.random.default_rng(0)
    chances = np.cumsum(1 / np.arange(1, 40_001))
    for start in range(0, count, 100_000):
        numbers = np.searchsorted(chances, random.random((min(100_000, count - start) // 25, 25)) * chances[-1])
        yield from ([f"word{number}" for number in line] for line in numbers.tolist())


def lines(file: Path, count: int) -> Iterator[list[str]]:
    """The first words of a text, plain or packed, words apart by blanks."""
    opener: Callable[..., Any] = {".xz": lzma.open, ".gz": gzip.open}.get(file.suffix, open)
    with opener(file, "rt", encoding="utf-8") as text:
        for line in text:
            words = line.split()[:count]
            count -= len(words)
            yield words
            if not count:
                return


def bare(module: Any, corpus: Corpus, chosen: dict[str, Any], workers: int) -> Any:
    """gensim's model, trained by gensim alone."""
    more = {name: chosen[name] for name in ("min_n", "max_n", "bucket") if name in chosen}
    model = word2vec.new_model(corpus, corpus.vocabulary_size(chosen["min_count"]), chosen, **more)
    if more:
        del model.wv.adjust_vectors
        model.wv.adjust_vectors()
    model.workers = workers
    model.train(corpus_file=str(corpus.file), total_words=len(corpus.tokens), epochs=model.epochs)
    return model


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds by the clock and of the processors, and the result."""
    clock, processors = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - clock, time.process_time() - processors, result


def loss_of(model: Any, module: Any, corpus: Corpus, chosen: dict[str, Any]) -> float:
    """The loss of a model of gensim's, on the guesses that ours is measured on."""
    guessed = word2vec.draw_guesses(corpus, len(model.wv), chosen)
    return float(module.examples(model, corpus, guessed, chosen).loss().mean)


def compare(name: str, corpus: Corpus, options: argparse.Namespace) -> bool:
    """Runs both in turn and prints what they took; whether they agree."""
    module, special = CASES[name]
    chosen = check(module.ROW, {**special, "epochs": options.epochs, "workers": options.workers})
    workers = word2vec.workers_of(chosen)
    visible = np.arange(min(VISIBLE, corpus.vocabulary_size(chosen["min_count"])))

    def watch(step: TrainingState) -> bool:
        step.at(visible)
        return True

    theirs, ours = [], []
    for place in range(options.rounds):
        for mine in (False, True) if place % 2 else (True, False):
            if mine:
                clock, work, trained = timed(lambda: module.train(corpus, watch=watch, **chosen))
                ours.append(Run(clock, work, trained.loss[-1]))
            else:
                clock, work, model = timed(lambda: bare(module, corpus, chosen, workers))
                theirs.append(Run(clock, work, loss_of(model, module, corpus, chosen)))
                del model
    read = options.epochs * len(corpus.tokens)
    pairs = list(zip(theirs, ours, strict=True))
    clock = statistics.median(mine.clock / its.clock for its, mine in pairs)
    work = statistics.median(mine.work / its.work for its, mine in pairs)
    for title, runs in (("gensim", theirs), ("embedviz", ours)):
        middle = statistics.median(run.clock for run in runs)
        loss = statistics.median(run.loss for run in runs)
        print(f"{name:<10} {title:<9} {middle:7.2f} s  {read / middle:12,.0f} words/s  loss {loss:.3f}")
    spread = ", ".join(f"{mine.clock / its.clock - 1:+.1%}" for its, mine in pairs)
    print(f"{name:<10} by the clock {clock - 1:+.1%} ({spread}); of the processors {work - 1:+.1%}\n")
    return statistics.median(mine.loss - its.loss for its, mine in pairs) < (0.03 if workers == 1 else 0.1)


def main() -> int:
    """Reads the arguments and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="a file of text instead of made words; also .xz and .gz")
    parser.add_argument("--words", type=int, default=2_000_000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=0, help="0: all cores")
    parser.add_argument("--cases", default=",".join(CASES), help="some of: " + ", ".join(CASES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = lines(options.corpus, options.words) if options.corpus else made(options.words)
        corpus = write_corpus(text, Path(folder) / "corpus", name="Benchmark")
        for module, special in CASES.values():  # what is loaded once is loaded now
            module.train(corpus, watch=lambda step: step.tokens == 0, **{**special, "vector_size": 1})
        frequent = corpus.vocabulary_size(5)
        print(f"{corpus.size}, {frequent:,} at least 5 times; {options.epochs} passes, {options.rounds} rounds\n")
        agree = [compare(name, corpus, options) for name in options.cases.split(",")]
        print("the losses agree" if all(agree) else "THE LOSSES DIFFER")
        return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
