"""The record of a training, saved with its space: settings, measures, and the trajectory of its words."""

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
"""How a training ended: complete, stopped by its owner, or interrupted with its process."""
TRAJECTORY = "trajectory"
"""The folder of the recording, inside the space's folder."""
_KEY = "training"
_SHORT = 0.5  # seconds below which a speed is not given
_FORMAT = 1


class CorpusSummary(NamedTuple):
    """The corpus of a training.

    Attributes:
        checksum: SHA-256 of its vocabulary and its tokens.
        tokens, words, lines: Number of all words, of different words, of lines.
        made: How it was tokenized, by the names of the options.
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
    """Return the value of an option in words, with the meaning of 0 where it has one."""
    zero = next((getattr(one, "zero", "") for one in row.options if one.name == name), "")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if zero and value == 0:
        return zero
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, eq=False)
class Record:
    """The record of a training: enough to repeat it, and to draw how it went.

    Attributes:
        method: A name of `TRAINERS`; `title` is what a page shows.
        options: All options of the method with their values.
        rows, dimensions: Of the space.
        epochs: Epochs done, of those `planned`.
        tokens: Words read over all epochs, in `seconds`; the time of `watching` comes on top.
        began: When, in UTC, as ISO 8601 writes it.
        loss: Per example after each whole epoch; None where the trainer has none. `baseline`: before
            learned.
        ended: `WHOLE`, `STOPPED` or `CUT_OFF`.
        matrix: SHA-256 of the matrix's bytes; a run that repeats itself to the bit has the same.
        more: Further results of the trainer.
        repeats: Whether the same run gives the same bits again: its trainer promises this, and it was complete.
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
        """Return the row of the trainer."""
        return trainer_of(self.method)

    @property
    def results(self) -> Any:
        """Return the final test; None where there is none."""
        row = self.trainer
        return row.results(self.more) if row.results is not None and self.more else None

    @property
    def course(self) -> Course:
        """Return the measures of the run."""
        return Course(self.moments, self.coverage, self.epochs, self.baseline, self.method, self.options, self.more)

    @property
    def read(self) -> tuple[float, str]:
        """Return the number of words, or pairs of words, read in all epochs, and the noun."""
        return (self.more["pairs"] * self.epochs, "pairs") if "pairs" in self.more else (self.tokens, "words")

    @property
    def words_per_second(self) -> float | None:
        """Return the mean speed of the run; None where it was too short, or read pairs instead of words."""
        count, noun = self.read
        return None if self.seconds < _SHORT or noun != "words" else count / self.seconds

    @property
    def pace(self) -> str:
        """Return the speed as text; empty where the run was too short."""
        count, noun = self.read
        return "" if self.seconds < _SHORT else f"{count / self.seconds:,.0f} {noun} per second"

    @property
    def spoken_options(self) -> dict[str, str]:
        """Return the options with their values in words."""
        return {name: spoken(self.trainer, name, value) for name, value in self.options.items()}

    @property
    def setting(self) -> str:
        """Return the settings in a sentence."""
        return f"Settings: {', '.join(f'{name} {value}' for name, value in self.spoken_options.items())}."

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Return the settings and the end of the run, as rows of a table."""
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
        """Explain why another run gives other numbers, and how to avoid it; empty where it repeats exactly."""
        if self.repeats:
            return ""
        if self.ended != WHOLE:
            return "A run that ended early cannot be repeated exactly. A complete run may be."
        if self.options.get("workers", 1) != 1:
            return "Several workers update in any order. With workers = 1 it repeats exactly."
        return ""

    @property
    def sentence(self) -> str:
        """Describe the training in a sentence: corpus, epochs, and how it ended."""
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
        """Return the final measures, with the columns of `HEADER`."""
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
        """Return all fields as plain JSON values, from which `of` makes the record again."""
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
        """Return the record of a card.

        Raises:
            SpaceError: This version cannot read it.
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
    """Return the record of the space in a folder; None for a space that was not trained here.

    Raises:
        SpaceError: The folder holds no saved space, or what is kept of the training cannot be read.
    """
    stored = read_card(folder).get(_KEY)
    return None if stored is None else Record.of(stored)


def spoken_epochs(epochs: float) -> str:
    """Return a number of epochs without zeros at the end."""
    written = f"{float(epochs):.{1 if epochs >= 10 else 2}f}"
    return written.rstrip("0").removesuffix(".")


def trajectory(folder: str | Path) -> Trajectory | None:
    """Return the trajectory of the space in a folder; None where there is none.

    Raises:
        SpaceError: It is damaged.
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
    """Return the entry of the record in a space's card."""
    return {_KEY: run_record.card()}
