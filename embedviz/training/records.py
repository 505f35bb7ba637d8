"""What is kept of a training beside its space: how it was made, how it went, and the words on their way."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from embedviz.core.call import offered
from embedviz.core.phrases import number, share
from embedviz.core.space import Float, SpaceError, read_card
from embedviz.core.stats.intervals import Share
from embedviz.core.trajectory import Trajectory, open_trajectory
from embedviz.corpus.tokenized import Corpus
from embedviz.training.trainers import TRAINERS

WHOLE, STOPPED, CUT_OFF = "whole", "stopped", "cut off"
"""How a training ended: as it was meant to, by a wish to keep what there was, or with its process."""
TRAJECTORY = "trajectory"
"""The folder inside the space's own that holds its words on their way."""
PER = {"word2vec": "guess", "fasttext": "guess", "glove": "pair", "textcnn": "line"}
"""Of what each trainer's loss is the mean."""
_KEY = "training"
_SHORT = 0.5  # seconds below which a pace says nothing
_FORMAT = 1


class Read(NamedTuple):
    """The corpus that was read.

    Attributes:
        checksum: SHA-256 of its vocabulary and its tokens.
        tokens, words, lines: How many: of all words, of different ones, of lines.
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
    def of(cls, corpus: Corpus) -> Read:
        """What there is to say of a corpus."""
        sizes = (len(corpus.tokens), len(corpus.words), len(corpus))
        return cls(corpus.name, corpus.checksum, *sizes, dict(corpus.made), corpus.note)


class Asked(NamedTuple):
    """What is asked of the vectors while they learn, and of how much of it.

    Attributes:
        analogies: The title of the set, empty where none of its questions is covered.
        questions: All of the set; `covered`: those whose words are all among the words compared; `drawn`: those asked.
        compared: Among how many of the most frequent words an answer is sought.
        similarity: The title of the pairs, empty where too few are covered.
        pairs, pairs_covered: All of that set, and those whose words have rows.
        chance: What |ρ| of pairs in a random order stays below, 95 times of 100; None where none are asked.
        watched: Words whose neighbors are told, those of them that have a row.
        word_pairs: Different word pairs that the questions drawn consist of; 0 in older records.
    """

    analogies: str = ""
    questions: int = 0
    covered: int = 0
    drawn: int = 0
    compared: int = 0
    similarity: str = ""
    pairs: int = 0
    pairs_covered: int = 0
    chance: float | None = None
    watched: tuple[str, ...] = ()
    word_pairs: int = 0

    @property
    def draws(self) -> int:
        """Independent draws that the questions amount to: each joins two word pairs, which recur in many questions."""
        return max(1, min(self.drawn, self.word_pairs // 2)) if self.word_pairs else self.drawn


class Moment(NamedTuple):
    """How a training stood at one moment; None where something was not measured then.

    Attributes:
        epoch: Passes done, with the part of the one under way.
        tokens: Words read so far.
        seconds: Since the first pass began, without what was spent on watching.
        words_per_second: Lately.
        loss: The objective, of an example as `PER` names it, as last measured.
        analogies: Share of the questions drawn that 3CosAdd answers right; `third`: that the third word alone does.
        similarity: Spearman's ρ over the covered pairs.
        neighbors: Each watched word's nearest words with their cosines.
        share: Of the variance of the words shown, what the moving picture holds.
    """

    epoch: float
    tokens: int
    seconds: float
    words_per_second: float | None = None
    loss: float | None = None
    analogies: float | None = None
    third: float | None = None
    similarity: float | None = None
    neighbors: Mapping[str, Sequence[tuple[str, float]]] | None = None
    share: float | None = None


def said(method: str, name: str, value: Any) -> str:
    """The value of an option of a trainer as people say it: what 0 stands for, where it stands for something."""
    row = TRAINERS.get(method)
    zero = next((getattr(one, "zero", "") for one in row.options if one.name == name), "") if row is not None else ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if zero and value == 0:
        return zero
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, eq=False)
class Record:
    """How a space was trained: enough to repeat it, and to draw how it went.

    Attributes:
        method: A name of `TRAINERS`; `title` is what a page shows.
        options: All options of the method with their values.
        rows, dimensions: Of the space.
        epochs: Passes made, of those `planned`.
        tokens: Words read over all passes, in `seconds` without what watching took, which is `watching`.
        began: When, in UTC, as ISO 8601 writes it.
        loss: Per example after each whole pass; None where the trainer has none. `baseline`: before anything is
            learned.
        ended: `WHOLE`, `STOPPED` or `CUT_OFF`.
        matrix: SHA-256 of the matrix's bytes; a run that repeats itself to the bit has the same.
        more: What else the trainer told.
        repeats: Whether the same run gives the same bits again: its trainer promises so, and it came to its end.
    """

    method: str
    title: str
    options: Mapping[str, Any]
    corpus: Read
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
    asked: Asked = field(default_factory=Asked)
    moments: tuple[Moment, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    repeats: bool = False

    @property
    def words_per_second(self) -> float | None:
        """Over the whole run; None where it was too short to tell, or went over pairs and not over words."""
        return None if self.seconds < _SHORT or "pairs" in self.more else self.tokens / self.seconds

    @property
    def pace(self) -> str:
        """How fast it went, in words; empty where it was too short to tell."""
        if self.seconds < _SHORT:
            return ""
        if "pairs" in self.more:
            return f"{self.more['pairs'] * self.epochs / self.seconds:,.0f} pairs a second"
        return f"{self.tokens / self.seconds:,.0f} words a second"

    @property
    def sentence(self) -> str:
        """What was trained on what, in how many passes, and how it ended."""
        passes = "1 pass" if self.epochs == 1 else f"{self.epochs:.4g} passes"
        if self.ended != WHOLE:
            passes = f"{self.epochs:.4g} of {self.planned:.4g} passes"
        pace = f", {self.pace}" if self.pace else ""
        over = f"{self.corpus.tokens:,} words"
        if "pairs" in self.more:
            over = f"{self.more['pairs']:,} pairs of {over}"
        ended = {STOPPED: " It was asked to end early.", CUT_OFF: " It was cut off."}.get(self.ended, "")
        return (
            f"{self.title} of {self.corpus.name}: {passes} over {over} in {self.seconds:,.1f} s"
            f"{pace}; {self.rows:,} words × {self.dimensions:,} dimensions.{ended}"
        )

    def card(self) -> dict[str, Any]:
        """All fields as plain JSON values."""
        told = {name: value for name, value in asdict(self).items() if name not in ("corpus", "asked", "moments")}
        moments = [
            {name: value for name, value in moment._asdict().items() if value is not None} for moment in self.moments
        ]
        return {
            "format": _FORMAT,
            **told,
            "corpus": self.corpus._asdict(),
            "asked": self.asked._asdict(),
            "moments": moments,
        }

    @classmethod
    def of(cls, card: Mapping[str, Any]) -> Record:
        """The record that a card keeps.

        Raises:
            SpaceError: It keeps none that this version can read.
        """
        try:
            told = {name: value for name, value in card.items() if name != "format"}
            told["corpus"] = Read(**told["corpus"])
            told["asked"] = Asked(**{**told["asked"], "watched": tuple(told["asked"]["watched"])})
            told["moments"] = tuple(Moment(**moment) for moment in told["moments"])
            told["loss"] = None if told["loss"] is None else tuple(told["loss"])
            if card["format"] != _FORMAT:
                raise ValueError("it was made by another version")
            return cls(**told)
        except (KeyError, TypeError, ValueError) as error:
            raise SpaceError(f"What is kept of the training cannot be read: {error}.") from None


def summary(told: Record) -> list[tuple[str, str, str, str]]:
    """What was measured at the end: name, here, baseline, and what the baseline is."""
    last, asked = told.moments[-1] if told.moments else None, told.asked
    rows = []
    if told.loss:
        before = number(told.baseline, 3) if told.baseline is not None else "–"
        per = PER.get(told.method)
        rows.append(
            (f"loss per {per}" if per else "loss", number(told.loss[-1], 3), before, "before anything is learned")
        )
    if last is not None and last.analogies is not None:
        here = f"{share(last.analogies)} of {asked.drawn:,}"
        what = f"the word nearest to the third alone; answers among {asked.compared:,} words"
        rows.append((asked.analogies, here, share(last.third or 0.0), what))
    if last is not None and last.similarity is not None and asked.chance is not None:
        here = f"ρ {number(last.similarity)} over {asked.pairs_covered:,} pairs"
        rows.append((asked.similarity, here, f"below {number(asked.chance)}", "|ρ| of 95 of 100 random orders"))
    if {"right", "majority"} <= told.more.keys():
        right, most = Share(*told.more["right"]), Share(*told.more["majority"])
        low, high = (share(end) for end in right.interval)
        here = f"{share(right.value)} of {right.of:,} (95\u00a0%: {low} to {high})"
        rows.append(("labels of unseen lines", here, share(most.value), "the most frequent label for every line"))
    for word, near in ((last.neighbors if last is not None else None) or {}).items():
        rows.append((f"near {word}", ", ".join(each for each, _ in near[:5]), "", ""))
    return rows


@offered("record", "print(record)")
def record(folder: str | Path) -> Record | None:
    """How the space in a folder was trained; None for a space that was not trained here.

    Raises:
        SpaceError: The folder holds no saved space, or what is kept of the training cannot be read.
    """
    kept = read_card(folder).get(_KEY)
    return None if kept is None else Record.of(kept)


def trajectory(folder: str | Path) -> Trajectory | None:
    """The words of the space in a folder on their way; None where nobody kept it.

    Raises:
        SpaceError: It is damaged.
    """
    path = Path(folder) / TRAJECTORY
    return open_trajectory(path) if path.is_dir() else None


def matrix_hash(matrix: Float) -> str:
    """SHA-256 of the numbers of a matrix, row by row, as little-endian float32."""
    digest = hashlib.sha256()
    step = max(1, 2**22 // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        digest.update(matrix[start : start + step].astype("<f4").tobytes())
    return digest.hexdigest()


def extra(told: Record) -> dict[str, Any]:
    """What the card of the space has beside the usual."""
    return {_KEY: told.card()}
