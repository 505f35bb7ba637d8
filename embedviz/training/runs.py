"""Run a training: from a corpus and a trainer to a saved space with its record and recording."""

import contextlib
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz import catalog
from embedviz.core.options import OptionError, choose
from embedviz.core.progress import Report, tell
from embedviz.core.space import Origin, VectorSpace, folder_writer
from embedviz.corpus.preparing import TEACHING
from embedviz.corpus.tokenized import Corpus, open_corpus
from embedviz.testsets import Questions, RatedPairs, TestSetError, datasets
from embedviz.training import journal, speeds
from embedviz.training.base import Trained, Trainer, TrainingState, with_device
from embedviz.training.evaluating import DIVERGED, Examination
from embedviz.training.records import (
    CUT_OFF,
    STOPPED,
    TRAJECTORY,
    WHOLE,
    CorpusSummary,
    Record,
    card_entry,
    matrix_hash,
)
from embedviz.training.settings import Plan, plan
from embedviz.training.snapshots import Snapshots, recorded_rows
from embedviz.training.trainers import TRAINERS
from embedviz.training.watching import Watcher

MAP_WORDS = 1_000


class TrainingResult(NamedTuple):
    """Summary of a training run. `records.record()` and `records.trajectory()` read more from the folder of the space.

    Attributes:
        folder: Folder of the saved space.
        method: Name of the trainer in `TRAINERS`.
        rows, dimensions: Shape of the space.
        tokens: Words read in all epochs.
        epochs: Epochs done; `planned`: planned epochs.
        seconds: Duration of the epochs in seconds.
        loss: Loss per example after the last whole epoch; None if there is none.
        ended: How the run ended; see `Record.ended`.
    """

    folder: str
    method: str
    rows: int
    dimensions: int
    tokens: int
    epochs: float
    seconds: float
    loss: float | None
    planned: float
    ended: str

    @property
    def early(self) -> str:
        """Say at which epoch the run ended early; empty if it was complete."""
        return "" if self.ended == WHOLE else f"Ended early at epoch {self.epochs:,.4g} of {self.planned:,.4g}"


def train(
    corpus: str,
    method: str,
    folder: str,
    *,
    options: Mapping[str, Any],
    watched: Sequence[str] = (),
    map_words: int = MAP_WORDS,
    components: int = 2,
    run: str = "",
    report: Report | None = None,
) -> TrainingResult:
    """Train a space and save it to the folder, with the recording in `trajectory/` and the record in `card.json`.

    Meanwhile `report` gets a point for each moment, with the fields of `Moment` and with `epochs`. The first point also
    has `asked`, the fields of `Coverage`. `report` also gets two arrays: `points`, the map of the most frequent words,
    (words, components), and `scale`, the largest absolute coordinate. If an exception is raised, no folder is written.
    `finish()` ends the run early and saves the space; `journal.interrupted()` finds runs whose process died.

    Args:
        corpus: The folder of a `Corpus`.
        method: Name of the trainer in `TRAINERS`.
        options: Options that differ from their defaults.
        watched: Words whose neighbors are listed during the training. Their vectors are recorded even if they are rare.
        map_words: Number of most frequent words on the moving map; `components`: its dimensions, 2 or 3.
        run: Id of the run in the journal. If empty: the upload's token if the folder belongs to an upload, else a new
            token.

    Raises:
        FileExistsError: The folder exists already.
        CorpusError: There is no such corpus.
        OptionError: The settings are not allowed (see `plan`), or the vectors are not finite.
        SpaceError: A run with this id is already running, or the id has other characters or another length.
    """
    target = Path(folder)
    if target.exists():
        raise FileExistsError(f"{target.name} exists already. Choose another name, or delete it first.")
    marker = _marker(target)
    try:
        row, source = choose(TRAINERS, method, "trainer"), open_corpus(corpus)
        planned = plan(source, method, with_device(options))
        tell(report, 0.0, "Preparing")
        making = _Making(source, row, planned, watched)
        draft = _in_the_journal(making, target, run)
        with journal.recording(draft) as entry, _discarded_when_stopped(report, entry):
            watcher = Watcher(
                making.examination,
                making.snapshots,
                map_words=min(map_words, planned.rows),
                components=components,
                finish=marker,
                checkpoint=lambda step: entry.checkpoint(step.epoch, partial(making.checkpoint, step, watcher)),
                report=report,
            )
            trained: Trained = row.function(source, watch=watcher, **planned.options)
            tell(report, 0.99, "Measuring the result")
            record = making.finished(trained, watcher)
            write(trained.space, target, record, making.snapshots)
        if record.ended == WHOLE:
            speeds.note(method, planned.options, planned.estimated, record.seconds + record.watching)
    finally:
        marker.unlink(missing_ok=True)
    loss = record.loss[-1] if record.loss else None
    sizes = (record.rows, record.dimensions, record.tokens, record.epochs, record.seconds)
    return TrainingResult(folder, method, *sizes, loss, record.planned, record.ended)


class _Making:
    """A running training. It makes the final record, and the record of each checkpoint."""

    def __init__(self, corpus: Corpus, row: Trainer, planned: Plan, watched: Sequence[str]) -> None:
        self.corpus, self.row, self.planned = corpus, row, planned
        self.began = datetime.now(UTC).isoformat(timespec="seconds")
        self.epochs = float(planned.options.get("epochs", 1))
        self.examination = Examination(corpus.words[: planned.rows], watched, *_sets(corpus))
        self.snapshots = Snapshots(corpus, recorded_rows(corpus, planned.rows, watched), self.epochs, watched)

    def finished(self, trained: Trained, watcher: Watcher) -> Record:
        """Measure the final vectors, and return the final record.

        Raises:
            OptionError: The vectors are not finite.
        """
        if not all(np.isfinite(trained.space.matrix[rows]).all() for rows in trained.space.blocks()):
            raise OptionError(DIVERGED)
        loss = trained.loss[-1] if trained.loss else None
        watcher.last(trained.epochs, trained.tokens, trained.seconds, loss, trained.space.matrix)
        return self._record(
            watcher,
            trained.space.matrix.shape,
            epochs=trained.epochs,
            tokens=trained.tokens,
            seconds=trained.seconds,
            loss=trained.loss,
            baseline=trained.baseline,
            ended=STOPPED if watcher.stopped else WHOLE,
            matrix=matrix_hash(trained.space.matrix),
            more=dict(trained.more),
            repeats=trained.repeats and not watcher.stopped,
        )

    def checkpoint(self, step: TrainingState, watcher: Watcher, folder: Path) -> None:
        """Save the present vectors to a folder as a space, without output vectors and n-gram vectors.

        Its record says that the run was *cut off*.
        """
        matrix = np.array(step.vectors(), np.float32, copy=None if step.copies else True)
        record = self._record(
            watcher,
            matrix.shape,
            epochs=step.epoch,
            tokens=step.tokens,
            seconds=step.seconds,
            loss=None,
            baseline=None,
            ended=CUT_OFF,
            matrix=matrix_hash(matrix),
            more={},
        )
        name = f"{self.corpus.name} · {self.row.title}, interrupted"
        parameters = {"method": self.row.name, "corpus": self.corpus.name, **self.planned.options}
        note = f"The last checkpoint, after {step.epoch:.4g} of {step.epochs:,} epochs. The training was interrupted."
        origin = Origin("trained", name, "frequency", parameters, self.corpus.checksum, self.row.versions, note)
        words = self.corpus.words[: len(matrix)]
        space = VectorSpace(words, matrix, self.corpus.counts[: len(matrix)], origin=origin, checked=True)
        write(space, folder, record, self.snapshots)

    def _record(self, watcher: Watcher, shape: tuple[int, ...], **of_now: Any) -> Record:
        return Record(
            method=self.row.name,
            title=self.row.title,
            options=self.planned.options,
            corpus=CorpusSummary.of(self.corpus),
            rows=shape[0],
            dimensions=shape[1],
            planned=self.epochs,
            watching=watcher.seconds,
            began=self.began,
            coverage=self.examination.coverage,
            moments=tuple(watcher.moments),
            versions=self.row.versions,
            **of_now,
        )


def _in_the_journal(making: _Making, target: Path, run: str) -> journal.Interrupted:
    upload = target.parent.name if target.parent.parent.resolve() == catalog.uploads_root().resolve() else ""
    return journal.Interrupted(
        id=run or (upload if catalog.TOKEN.fullmatch(upload) else secrets.token_urlsafe(16)),
        method=making.row.name,
        title=making.row.title,
        corpus=making.corpus.name,
        folder=str(target),
        private=bool(upload),
        began=making.began,
        epochs=making.epochs,
    )


@contextlib.contextmanager
def _discarded_when_stopped(report: Report | None, entry: journal.JournalEntry) -> Iterator[None]:
    """Mark the run as discarded as soon as its job is cancelled.

    While the context lasts, a thread waits for the cancel, because the process may be killed before the trainer notices
    the cancel.
    """
    stopping: threading.Event | None = getattr(report, "stopping", None)
    if stopping is None:
        yield
        return
    ended = threading.Event()

    def listen(stop: threading.Event = stopping) -> None:
        while not ended.is_set():
            if stop.wait(0.2):
                entry.discard()
                return

    threading.Thread(target=listen, name="asked to stop", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def finish(folder: str | Path) -> None:
    """Ask the run that saves to this folder to end now and to save what it has learned so far.

    This also works before the run has started. A run that has saved already is not asked.
    """
    with contextlib.suppress(OSError):
        if not Path(folder).exists():
            _marker(Path(folder)).touch()


def _marker(folder: Path) -> Path:
    return folder.with_name(f".finish-{folder.name}")


def write(space: VectorSpace, folder: Path, record: Record, snapshots: Snapshots) -> None:
    """Save a space with its record and its trajectory. If this fails, the folder is not created.

    Raises:
        FileExistsError: The folder exists already.
    """
    with folder_writer(folder) as draft:
        space.write(draft, card_entry(record))
        snapshots.trajectory().save(draft / TRAJECTORY)


def _sets(corpus: Corpus) -> tuple[Questions | None, RatedPairs | None]:
    """Return the analogies and the word pairs for the tests of a training run.

    The teaching corpus has its own analogies, and no word pairs (None). For every other corpus, both come from gensim's
    test data; both are None if gensim is not installed.
    """
    if corpus.made.get("source") == TEACHING:
        from embedviz.corpus import teaching

        return teaching.questions(), None
    questions = pairs = None
    with contextlib.suppress(TestSetError):
        questions, pairs = datasets.google_analogies(), datasets.wordsim353()
    return questions, pairs
