"""A run: a corpus and a trainer in, a saved space out, with all that was seen on the way."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz import datasets
from embedviz.corpus.tokenized import Corpus, open_corpus
from embedviz.options import choose
from embedviz.progress import Report, tell
from embedviz.space import VectorSpace, folder_writer, write_rest
from embedviz.static.trainers import TRAINERS
from embedviz.static.training import Trained
from embedviz.studies.training.evaluating import Examination
from embedviz.studies.training.records import STOPPED, TRAJECTORY, WHOLE, Read, Record, extra, matrix_hash
from embedviz.studies.training.settings import plan
from embedviz.studies.training.snapshots import Snapshots, rows_kept
from embedviz.studies.training.watching import Watcher
from embedviz.testsets import Questions, TestSetError

SHOWN = 1_000


class Ran(NamedTuple):
    """What came of a run; the rest stands in the space's folder, see `record` and `trajectory`.

    Attributes:
        folder: Of the space.
        ended: As `Record.ended` says it.
        loss: After the last whole pass, None where the trainer has none.
    """

    folder: str
    method: str
    rows: int
    dimensions: int
    tokens: int
    epochs: float
    seconds: float
    loss: float | None
    ended: str


def train(
    corpus: str,
    method: str,
    folder: str,
    *,
    options: Mapping[str, Any],
    watched: Sequence[str] = (),
    shown: int = SHOWN,
    components: int = 2,
    report: Report | None = None,
) -> Ran:
    """Trains a space and saves it to the folder, with `trajectory/` inside and a record on its card.

    While it runs `report` gets points `{epoch, epochs, tokens, seconds, words_per_second, loss, analogies, third,
    similarity, neighbors, share}`, the first of them with `asked` (see `Moment` and `Asked`), and arrays `points`,
    (shown, components), of the first words of the corpus, and `scale`, how far they reach from their middle. What
    ends it by raising leaves nothing behind; `finish` ends it and keeps what there is.

    Args:
        corpus: The folder of a `Corpus`.
        method: A name of `TRAINERS`.
        options: Those of the method that are not at their defaults.
        watched: Words whose neighbors are told and whose ways are kept.

    Raises:
        FileExistsError: The folder is there already.
        CorpusError: There is no corpus.
        OptionError: What was asked for cannot be had; see `plan`.
    """
    target = Path(folder)
    if target.exists():
        raise FileExistsError(f"{target.name} is there already; choose another name or delete it first.")
    row, source = choose(TRAINERS, method, "trainer"), open_corpus(corpus)
    planned = plan(source, method, options)
    tell(report, 0.0, "Getting ready")
    began = datetime.now(UTC).isoformat(timespec="seconds")
    marker = _marker(target)
    marker.unlink(missing_ok=True)
    epochs = float(planned.options.get("epochs", 1))
    examination = Examination(source.words[: planned.rows], watched, *_sets(source))
    snapshots = Snapshots(source, rows_kept(source, planned.rows, watched), epochs)
    watcher = Watcher(
        examination,
        snapshots,
        shown=min(shown, planned.rows),
        components=components,
        finish=marker,
        report=report,
    )
    try:
        trained: Trained = row.function(source, watch=watcher, **planned.options)
        tell(report, 0.99, "Looking at what came of it")
        loss = trained.loss[-1] if trained.loss else None
        watcher.last(trained.epochs, trained.tokens, trained.seconds, loss, trained.space.matrix)
        told = Record(
            method,
            row.title,
            planned.options,
            Read.of(source),
            len(trained.space),
            trained.space.dimensions,
            trained.epochs,
            epochs,
            trained.tokens,
            trained.seconds,
            watcher.seconds,
            began,
            trained.loss,
            trained.baseline,
            STOPPED if watcher.stopped else WHOLE,
            matrix_hash(trained.space.matrix),
            examination.asked,
            tuple(watcher.moments),
            versions(),
            dict(trained.more),
        )
        write(trained.space, target, told, snapshots)
    finally:
        marker.unlink(missing_ok=True)
    return Ran(
        folder,
        method,
        told.rows,
        told.dimensions,
        told.tokens,
        told.epochs,
        told.seconds,
        loss,
        told.ended,
    )


def finish(folder: str | Path) -> None:
    """Asks the run that will write this folder to end, and to keep what it has learned so far."""
    with contextlib.suppress(OSError):
        _marker(Path(folder)).touch()


def _marker(folder: Path) -> Path:
    return folder.with_name(f".finish-{folder.name}")


def write(space: VectorSpace, folder: Path, told: Record, snapshots: Snapshots) -> None:
    """Saves a space with its record and its words on their way; whole or not at all.

    Raises:
        FileExistsError: The folder is there already.
    """
    with folder_writer(folder) as draft:
        np.save(draft / "matrix.npy", space.matrix)
        write_rest(draft, space.words, space.counts, space.metadata, space.origin, extra(told), space.subwords)
        snapshots.trajectory().save(draft / TRAJECTORY)


def versions() -> dict[str, str]:
    """Of the libraries that have a part in what comes of a training."""
    found = {}
    for name in ("embedviz", "numpy", "scipy", "gensim", "numba", "torch"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _sets(corpus: Corpus) -> tuple[Questions | None, Any]:
    """The analogies and the word pairs that are asked of vectors of this corpus."""
    questions = pairs = None
    with contextlib.suppress(TestSetError):
        questions, pairs = datasets.google_analogies(), datasets.wordsim353()
    return questions, pairs
