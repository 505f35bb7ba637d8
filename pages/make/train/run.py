"""One training of a visitor: its space, its settings and its measures."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedviz import training
from embedviz.core.call import call
from embedviz.corpus.preparing import CorpusError
from embedviz.corpus.tokenized import Corpus
from embedviz.training import Course, Coverage, Moment, Record
from embedviz.training.trainers import trainer_of
from pages._shared.results import cache, calls, work
from pages._shared.sources import uploads
from pages.make.train.settings import RunSettings, read


@dataclass(frozen=True, eq=False)
class Run:
    """One training: running, ended, or interrupted.

    Attributes:
        token: The upload token of the space that the run trains.
        task: The job of the run; None if the server no longer has the job.
    """

    token: str
    task: work.Task | None = None

    @property
    def folder(self) -> Path:
        """Return the folder of the space."""
        return uploads.folder_of(self.token) / "space"

    @property
    def address(self) -> str:
        """Return the address of the run's space: `upload:` and the token of the run."""
        return f"upload:{self.token}"

    @property
    def running(self) -> bool:
        """Return whether the training is running."""
        return self.task is not None and self.task.running

    @property
    def has_space(self) -> bool:
        """Return whether the trained space exists."""
        return not self.running and (self.folder / "card.json").is_file()

    @property
    def record(self) -> Record | None:
        """Return the record of the run; None while it runs, and if there is no space."""
        question = call("embedviz.training.records:record", str(self.folder))
        found: Record | None = calls.result(question) if self.has_space else None
        return found

    @property
    def interrupted(self) -> training.Interrupted | None:
        """Return what the journal knows of the run (see `training.Interrupted`) if its process ended early.

        The result is None if the run has a space or was not interrupted.
        """
        return None if self.has_space else next(iter(training.interrupted(self.token)), None)

    @property
    def settings(self) -> RunSettings | None:
        """Return the settings of the run; None if their file is missing or damaged."""
        return read(uploads.folder_of(self.token))

    @property
    def course(self) -> Course:
        """Return the measures that the run has made so far."""
        record, settings = self.record, self.settings
        if record is not None:
            return record.course
        series = self.task.job.series if self.task is not None and self.task.job is not None else []
        points: list[dict[str, Any]] = [point for point in series if isinstance(point, dict)]
        coverage = Coverage(**points[0]["asked"]) if points else Coverage()
        moments = [Moment._make(point.get(name) for name in Moment._fields) for point in points]
        method: str = "" if settings is None else settings.method
        options: Mapping[str, Any] = {} if settings is None else settings.options
        return Course(moments, coverage, points[0]["epochs"] if points else 1, method=method, options=options)

    @property
    def name(self) -> str:
        """Return the trainer and the text, as *Word2Vec on Lee news*; empty if they are not known."""
        if (record := self.record) is not None:
            return f"{record.title} on {record.corpus.name}"
        with suppress(CorpusError):
            if (settings := self.settings) is not None:
                return f"{trainer_of(settings.method).title} on {cache.corpus(settings.corpus).name}"
        return ""

    def reads(self, corpus: Corpus) -> bool:
        """Return whether the run learned from this corpus; also True if the corpus of the run is not known."""
        if (record := self.record) is not None:
            return record.corpus.checksum == corpus.checksum
        settings = self.settings
        return settings is None or settings.corpus == str(corpus.folder)

    def repeats(self, corpus: Corpus, plan: training.Plan) -> bool:
        """Return whether the run has ended with a space, and had the same corpus, trainer and options as this plan."""
        record = self.record
        return (
            record is not None
            and self.reads(corpus)
            and record.method == plan.method
            and record.options == plan.options
        )
