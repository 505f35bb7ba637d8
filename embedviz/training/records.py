"""The record of a training run, saved with its space: settings, measures, and the trajectory of its words."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from embedviz.core.call import offered
from embedviz.core.phrases import number, share
from embedviz.core.space import Float, SpaceError, read_card
from embedviz.core.trajectory import Trajectory, open_trajectory
from embedviz.corpus.tokenized import Corpus
from embedviz.training.base import Trainer
from embedviz.training.measures import Course, Coverage, Moment
from embedviz.training.trainers import trainer_of

WHOLE, STOPPED, CUT_OFF = "whole", "stopped", "cut off"
"""How a training run ended: it is complete, it was stopped on request, or its process died."""
TRAJECTORY = "trajectory"
"""The folder of the recording, inside the space's folder."""
_KEY = "training"
_SHORT = 0.5  # seconds below which a run is too short to state its speed
_FORMAT = 1


class CorpusSummary(NamedTuple):
    """The corpus of a training run, in numbers.

    Attributes:
        checksum: SHA-256 of the vocabulary, the tokens and the ends of the lines.
        tokens: Number of words in the text, with repetitions.
        words: Number of different words.
        lines: Number of lines.
        made: Source of the texts, and options with which they were tokenized.
    """

    name: str
    checksum: str
    tokens: int
    words: int
    lines: int
    made: Mapping[str, Any]
    note: str = ""

    @classmethod
    def of(cls, corpus: Corpus) -> CorpusSummary:
        """Return the summary of a corpus."""
        sizes = (len(corpus.tokens), len(corpus.words), len(corpus))
        return cls(corpus.name, corpus.checksum, *sizes, dict(corpus.made), corpus.note)


def spoken(row: Trainer, name: str, value: Any) -> str:
    """Return the value of an option as text, such as *5*. Some options have a name for the value 0, such as *off*."""
    zero = next((getattr(one, "zero", "") for one in row.options if one.name == name), "")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if zero and value == 0:
        return zero
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, eq=False)
class Record:
    """The record of a training run: everything needed to repeat it and to draw its curves.

    Attributes:
        method: Name of the trainer in `TRAINERS`; `title`: its title on a page.
        options: All options of the trainer with their values.
        rows, dimensions: Shape of the space.
        epochs: Epochs done; `planned`: planned epochs.
        tokens: Words read in all epochs.
        seconds: Duration of the epochs in seconds; `watching`: CPU seconds of the watcher, in addition.
        began: Start of the training in UTC, ISO 8601.
        loss: Loss per example after each whole epoch; None if the trainer has no loss.
        baseline: Loss before learning; None if unknown.
        ended: How the run ended: `WHOLE`, `STOPPED` or `CUT_OFF`.
        matrix: SHA-256 of the matrix's bytes. An exact repetition of the run gives the same checksum.
        coverage: The tests during the training.
        more: Results that only this trainer has, see `Trained.more`.
        repeats: Whether a repetition gives exactly the same numbers: `Trained.repeats`, and the run was complete.
    """

    method: str
    title: str
    options: Mapping[str, Any]
    corpus: CorpusSummary
    rows: int
    dimensions: int
    epochs: float
    planned: float
    tokens: int
    seconds: float
    watching: float
    began: str
    loss: tuple[float, ...] | None
    baseline: float | None
    ended: str
    matrix: str
    coverage: Coverage = field(default_factory=Coverage)
    moments: tuple[Moment, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    repeats: bool = False

    HEADER = ("", "here", "baseline", "what it is")

    @property
    def trainer(self) -> Trainer:
        """Return the row of `TRAINERS` of the trainer that made the space."""
        return trainer_of(self.method)

    @property
    def results(self) -> Any:
        """Return the final test of the trainer, see `Trainer.results`; None if there is none."""
        row = self.trainer
        return row.results(self.more) if row.results is not None and self.more else None

    @property
    def course(self) -> Course:
        """Return the course of the run: its measures over the epochs."""
        return Course(self.moments, self.coverage, self.epochs, self.baseline, self.method, self.options, self.more)

    @property
    def read(self) -> tuple[float, str]:
        """Return how much was read in all epochs: a number, and *words* or *pairs* (of words)."""
        return (self.more["pairs"] * self.epochs, "pairs") if "pairs" in self.more else (self.tokens, "words")

    @property
    def words_per_second(self) -> float | None:
        """Return the mean speed in words per second; None for a run shorter than half a second.

        It is also None for a run that reads word pairs instead of words, such as a run of GloVe.
        """
        count, noun = self.read
        return None if self.seconds < _SHORT or noun != "words" else count / self.seconds

    @property
    def pace(self) -> str:
        """Return the speed as text; empty if the run was shorter than half a second."""
        count, noun = self.read
        return "" if self.seconds < _SHORT else f"{count / self.seconds:,.0f} {noun} per second"

    @property
    def spoken_options(self) -> dict[str, str]:
        """Return the options with their values as text; see `spoken`."""
        return {name: spoken(self.trainer, name, value) for name, value in self.options.items()}

    @property
    def setting(self) -> str:
        """Return all options in one sentence."""
        return f"Settings: {', '.join(f'{name} {value}' for name, value in self.spoken_options.items())}."

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Return rows of a table (name, value): trainer, corpus, epochs, duration, whether the run is repeatable."""
        corpus, pace = self.corpus, self.pace
        ended = "" if self.ended == WHOLE else f", {self.ended}"
        return [
            ("trainer", self.title),
            ("corpus", f"{corpus.name}, {corpus.tokens:,} words"),
            ("epochs", f"{spoken_epochs(self.epochs)} of {spoken_epochs(self.planned)}{ended}"),
            ("took", f"{self.seconds:,.1f} s" + (f", {pace}" if pace else "")),
            ("can be repeated", "exactly" if self.repeats else "not exactly"),
        ]

    @property
    def variation(self) -> str:
        """Explain why a repetition gives other numbers, and how to avoid that; empty if no reason is known."""
        if self.repeats:
            return ""
        if self.ended != WHOLE:
            return "A run that ended early cannot be repeated exactly. A complete run may be."
        if self.options.get("workers", 1) != 1:
            return "Several workers update in any order. With workers = 1 it repeats exactly."
        return ""

    @property
    def sentence(self) -> str:
        """Describe the training in a sentence: trainer, corpus, epochs, time, size, and whether it ended early."""
        epochs = "1 epoch" if self.epochs == 1 else f"{self.epochs:.4g} epochs"
        if self.ended != WHOLE:
            epochs = f"{self.epochs:.4g} of {self.planned:.4g} epochs"
        pace = f", {self.pace}" if self.pace else ""
        over = f"{self.corpus.tokens:,} words"
        if "pairs" in self.more:
            over = f"{self.more['pairs']:,} pairs of {over}"
        ended = {STOPPED: " It was stopped early.", CUT_OFF: " It was interrupted."}.get(self.ended, "")
        return (
            f"{self.title} of {self.corpus.name}: {epochs} over {over} in {self.seconds:,.1f} s"
            f"{pace}; {self.rows:,} words × {self.dimensions:,} dimensions.{ended}"
        )

    def table(self) -> list[tuple[str, str, str, str]]:
        """Return a row for each final measure and each watched word's neighbors, with the columns of `HEADER`."""
        last, coverage = self.moments[-1] if self.moments else None, self.coverage
        rows = []
        if self.loss:
            before = number(self.baseline, 3) if self.baseline is not None else "–"
            name = f"loss per {self.trainer.unit}" if self.trainer.unit else "loss"
            rows.append((name, number(self.loss[-1], 3), before, "before learning"))
        if last is not None and last.analogies is not None:
            here = f"{share(last.analogies)} of {coverage.drawn:,}"
            what = f"nearest to the third word; answers among {coverage.compared:,} words"
            rows.append((coverage.analogies, here, share(last.third or 0.0), what))
        if last is not None and last.similarity is not None and coverage.chance is not None:
            here = f"ρ {number(last.similarity)} over {coverage.pairs_covered:,} pairs"
            rows.append(
                (coverage.similarity, here, f"below {number(coverage.chance)}", "|ρ| of 95\u00a0% of random orders")
            )
        if (tested := self.results) is not None:
            rows += tested.table()
        for word, near in ((last.neighbors if last is not None else None) or {}).items():
            rows.append((f"near {word}", ", ".join(each for each, _ in near[:5]), "", ""))
        return rows

    def summary(self) -> dict[str, Any]:
        """Return the settings and the final measures as plain JSON values."""
        last, coverage, tested = self.moments[-1], self.coverage, self.results
        return {
            "method": self.method,
            "parameters": dict(self.options),
            "checksum": self.corpus.checksum,
            "vocabulary": self.corpus.words,
            "tokens": self.corpus.tokens,
            "tokens_read": self.tokens,
            "seconds": self.seconds,
            "words_per_second": self.words_per_second,
            "epochs": self.epochs,
            "loss": list(self.loss) if self.loss is not None else None,
            "loss_baseline": self.baseline,
            "rows": self.rows,
            "dimensions": self.dimensions,
            "matrix": self.matrix,
            "analogies": {"accuracy": last.analogies, "baseline": last.third, "asked": coverage.drawn},
            "similarity": {"spearman": last.similarity, "chance": coverage.chance, "pairs": coverage.pairs_covered},
            "neighbors": dict(last.neighbors or {}),
            "held_out": tested.scores() if tested is not None else None,
            "more": {name: self.more[name] for name in ("pairs", "counting") if name in self.more},
            "versions": dict(self.versions),
        }

    def card(self) -> dict[str, Any]:
        """Return all fields as plain JSON values; `of()` restores the record from them."""
        fields = {name: value for name, value in asdict(self).items() if name not in ("corpus", "coverage", "moments")}
        moments = [
            {name: value for name, value in moment._asdict().items() if value is not None} for moment in self.moments
        ]
        return {
            "format": _FORMAT,
            **fields,
            "corpus": self.corpus._asdict(),
            "asked": self.coverage._asdict(),
            "moments": moments,
        }

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> Record:
        """Restore a record from the plain JSON values that `card()` returned.

        Raises:
            SpaceError: The card is damaged, or another version wrote it.
        """
        try:
            fields = {name: value for name, value in card.items() if name != "format"}
            fields["corpus"] = CorpusSummary(**fields["corpus"])
            coverage = fields.pop("asked")
            fields["coverage"] = Coverage(**{**coverage, "watched": tuple(coverage["watched"])})
            fields["moments"] = tuple(Moment(**moment) for moment in fields["moments"])
            fields["loss"] = None if fields["loss"] is None else tuple(fields["loss"])
            if card["format"] != _FORMAT:
                raise ValueError("it was made by another version")
            return cls(**fields)
        except (KeyError, TypeError, ValueError) as error:
            raise SpaceError(f"The record of this training cannot be read: {error}.") from None


@offered("record", "print(record)")
def record(folder: str | Path) -> Record | None:
    """Return the training record of the space in a folder; None for a space that embedviz did not train.

    Raises:
        SpaceError: The folder holds no saved space, or the record cannot be read.
    """
    stored = read_card(folder).get(_KEY)
    return None if stored is None else Record.of(stored)


def spoken_epochs(epochs: float) -> str:
    """Return a number of epochs as text, with at most two decimals and no final zeros."""
    written = f"{float(epochs):.{1 if epochs >= 10 else 2}f}"
    return written.rstrip("0").removesuffix(".")


def trajectory(folder: str | Path) -> Trajectory | None:
    """Return the trajectory of the space in a folder; None if it has none.

    Raises:
        SpaceError: The trajectory is damaged.
    """
    path = Path(folder) / TRAJECTORY
    return open_trajectory(path) if path.is_dir() else None


def matrix_hash(matrix: Float) -> str:
    """Return the SHA-256 of the numbers of a matrix, row by row, as little-endian float32."""
    digest = hashlib.sha256()
    step = max(1, 2**22 // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        digest.update(matrix[start : start + step].astype("<f4").tobytes())
    return digest.hexdigest()


def card_entry(run_record: Record) -> dict[str, Any]:
    """Return this record as an entry for `card.json`, the file that describes a saved space."""
    return {_KEY: run_record.card()}
