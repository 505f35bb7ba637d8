"""A trainer small enough for tests: skip-gram with negative samples by numpy, a batch of pairs at a time."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from embedviz.core.options import Parameter
from embedviz.core.space import Origin, VectorSpace
from embedviz.training.base import Needs, Trained, Trainer, TrainingState, go_on, rows_of


def train(corpus, *, watch=None, vector_size, window, min_count, epochs, seed, workers):
    watch = watch or go_on
    rows = corpus.vocabulary_size(min_count)
    random = np.random.default_rng(seed)
    pairs = _pairs(corpus, rows, window)
    words = random.normal(scale=0.1, size=(rows, vector_size)).astype(np.float32)
    contexts = np.zeros_like(words)
    tokens, losses, begun, away = len(corpus.tokens), [], time.perf_counter(), 0.0

    def see(epoch):
        nonlocal away
        start = time.perf_counter()
        loss = losses[-1] if losses else None
        on = watch(TrainingState(epoch, epochs, int(epoch * tokens), start - begun - away, loss, lambda: words))
        away += time.perf_counter() - start
        return on

    epoch, on = 0.0, see(0.0)
    while on and epoch < epochs:
        order = random.permutation(len(pairs))
        parts = np.array_split(order, 4)
        total = 0.0
        for number, part in enumerate(parts, 1):
            total += _step(words, contexts, pairs[part], random)
            epoch = len(losses) + number / 4
            if number == 4:
                losses.append(total / 4)
            on = see(epoch)
            if not on:
                break
    listed = [corpus.words[row] for row in range(rows)]
    origin = Origin("trained", f"{corpus.name}, tiny", "frequency")
    space = VectorSpace(listed, words.copy(), corpus.counts[:rows], origin=origin)
    seconds = time.perf_counter() - begun - away
    more = {"pairs": len(pairs)}
    return Trained(space, tuple(losses), 3 * np.log(2), epoch, int(epoch * tokens), seconds, more, repeats=True)


def _pairs(corpus, rows, window):
    found = []
    for number in range(len(corpus)):
        line = [corpus.index[word] for word in corpus.line(number)]
        line = [row for row in line if row < rows]
        for place, row in enumerate(line):
            found += [(row, other) for other in line[max(0, place - window) : place]]
            found += [(row, other) for other in line[place + 1 : place + 1 + window]]
    return np.array(found, np.int64).reshape(-1, 2)


def _step(words, contexts, pairs, random, rate=1.0, negative=2):
    center, true = pairs.T
    wrong = random.integers(0, len(words), (len(pairs), negative))
    rows = np.column_stack([true, wrong])
    vectors, others = words[center], contexts[rows]
    score = 1 / (1 + np.exp(-np.einsum("pd,pkd->pk", vectors, others)))
    label = np.zeros_like(score)
    label[:, 0] = 1
    gap = (label - score).astype(np.float32)
    often = rate / np.bincount(center, minlength=len(words)).clip(1)  # each word moves by the mean of its pulls
    other = rate / np.bincount(rows.ravel(), minlength=len(words)).clip(1)
    np.add.at(words, center, np.einsum("pk,pkd,p->pd", gap, others, often[center]))
    np.add.at(contexts, rows, gap[:, :, None] * vectors[:, None, :] * other[rows][:, :, None])
    return float(-np.log(np.where(label == 1, score, 1 - score) + 1e-9).sum(axis=1).mean())


def costs(corpus, options):
    rows, size = rows_of(corpus, options["min_count"]), options["vector_size"]
    return Needs(rows, size, 12 * rows * size, 1.0)


ROW = Trainer(
    "tiny",
    "Tiny",
    train,
    (
        Parameter("vector_size", 1, 10_000, 16, "Numbers of a vector."),
        Parameter("window", 1, 20, 2, "Words on each side."),
        Parameter("min_count", 1, 1_000_000, 1, "How often a word stands there at least."),
        Parameter("epochs", 1, 1_000, 6, "Passes."),
        Parameter("seed", 0, 2**31 - 1, 0, "Of what is drawn."),
        Parameter("workers", 0, 64, 1, "Threads."),
    ),
    costs=costs,
)


def in_a_worker(corpus, folder, *, options, deaf=False, report=None):
    """Trains in a worker, which knows the tiny trainer only here; checkpoints follow each other at once.

    Args:
        deaf: Whether the trainer hears of nothing once a file `deaf` stands beside the folder.
    """
    from embedviz import training
    from embedviz.training import trainers, watching

    def slow(given, *, watch, **rest):
        def seen(step):
            if deaf and step.epoch > 2:
                Path(folder).with_name("deaf").touch()
                time.sleep(60)
            time.sleep(0.01)
            return watch(step)

        return train(given, watch=seen, **rest)

    trainers.TRAINERS["tiny"] = replace(ROW, function=slow)
    watching.CHECKPOINT, watching.CHECKPOINTS = 0.0, 100.0
    return training.train(corpus, "tiny", folder, options=options, report=report)
