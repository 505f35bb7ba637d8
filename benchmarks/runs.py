"""What it costs to watch a training: a trainer alone, and a whole run with its measures, moving points and snapshots.

    python benchmarks/runs.py CORPUS [--method word2vec] [--set name=value …] [--rounds 3]

CORPUS is lee, teaching, a file, or the folder of a corpus. The two alternate with equal settings; a round's ratio is
that of two runs beside each other, by the clock and by all processors' work; the middle one is told. What is told of a
run is the trainer's own time, from its first pass to its last. The answers are held to agree where both models answer
the analogies of the run within .05 of each other.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from embedviz import training
from embedviz.core.options import parse_settings
from embedviz.training.base import Trained, TrainingState, go_on
from embedviz.training.trainers import TRAINERS


class Clock:
    """Seconds and processor seconds from the first look of a watcher to the end of the trainer."""

    def __init__(self, function: Callable[..., Trained], watch: Callable[[TrainingState], bool] | None = None) -> None:
        self.function, self.watch = function, watch
        self.clock = self.work = 0.0

    def __call__(self, corpus: Any, *, watch: Callable[[TrainingState], bool] = go_on, **options: Any) -> Trained:
        begun: list[float] = []
        seen = self.watch or watch

        def first(step: TrainingState) -> bool:
            if begun:
                return seen(step)
            going = seen(step)
            begun.extend((time.perf_counter(), time.process_time()))
            return going

        trained = self.function(corpus, watch=first, **options)
        self.clock, self.work = time.perf_counter() - begun[0], time.process_time() - begun[1]
        return trained


def main() -> int:
    """Prints the ratios; 1 where the answers differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--method", default="word2vec")
    parser.add_argument("--set", dest="settings", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    row = TRAINERS[asked.method]
    clocks, works, agreed = [], [], True
    with tempfile.TemporaryDirectory() as folder:
        corpus = training.corpus_of(asked.corpus, Path(folder) / "corpus")
        options = {**training.suggested(corpus, asked.method), **parse_settings(asked.settings)}
        print(corpus.size, options)
        for number in range(asked.rounds):
            times, answers = [], []
            for bare in (True, False):
                timed = Clock(row.function, go_on if bare else None)
                object.__setattr__(row, "function", timed)
                try:
                    out = Path(folder) / f"{number}-{bare}"
                    report = None if bare else (lambda *_, **__: None)
                    training.train(str(corpus.folder), asked.method, str(out), options=options, report=report)
                finally:
                    object.__setattr__(row, "function", timed.function)
                kept = training.record(out)
                times.append((timed.clock, timed.work))
                answers.append(kept.moments[-1].analogies or 0.0)
            (clock, work), (watched, watched_work) = times
            clocks.append(watched / clock)
            works.append(watched_work / work)
            agreed &= abs(answers[0] - answers[1]) <= 0.05
            print(f"alone {clock:.2f} s ({work:.2f} s of work), watched {watched:.2f} s ({watched_work:.2f}):")
            print(f"  analogies {answers[0]:.3f} and {answers[1]:.3f}, {len(kept.moments)} moments, ", end="")
            print(f"{kept.watching:.2f} s of watching")
    print(f"middle ratio: {statistics.median(clocks):.3f} by the clock, {statistics.median(works):.3f} by work")
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
