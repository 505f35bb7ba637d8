"""The base of all trainers: a row (`Trainer`), a corpus in, a space out, a watcher of the vectors while they learn.

A trainer is a function `train(corpus, *, watch=None, **options) -> Trained`. The rows of its space are the first words
of the corpus, in its order: all that stand in it at least `min_count` times. It calls `watch` before the first pass,
then as often as it can without slowing down, several times a second, and once after the last pass; each time it goes on
only if `watch` returns true. What it returns then is what has been learned so far. It raises `OptionError` where an
option is not allowed, or fewer than two words are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from embedviz import __version__
from embedviz.core.options import Method, OptionError, check
from embedviz.core.phrases import counted
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.corpus.tokenized import Corpus


@dataclass(frozen=True, eq=False)
class TrainingState:
    """State of a training.

    Attributes:
        epoch: Passes over the corpus that are done, with the part of the one that is under way.
        epochs: Passes in all.
        tokens: Words that were read so far, over all passes, those that subsampling skips included.
        seconds: Since the first pass began, without the time that watchers took.
        loss: The objective per example as it was last measured, as the trainer's row of `TRAINERS` says it; None where
            it is not known or there is none.
        vectors: The vectors of the words now, (n, d): a view of what is being trained, or a copy; words may move under
            a reader's eyes.
        some: The vectors of some rows alone, (m, d), where that is less work than all of them.
        copies: Whether `vectors` gives a copy, which nothing moves.
    """

    epoch: float
    epochs: int
    tokens: int
    seconds: float
    loss: float | None
    vectors: Callable[[], Float]
    some: Callable[[Ints], Float] | None = None
    copies: bool = False

    def at(self, rows: Ints) -> Float:
        """Return the vectors of these rows now, (m, d): a copy."""
        return self.vectors()[rows] if self.some is None else self.some(rows)


SMALL = 200_000
"""Words below which a corpus is read with other settings than are usual."""
SAME_TEXT = "It is measured on the text that is learned, not on one held out."
Watch = Callable[[TrainingState], bool]
"""Sees each step; whether the training shall go on. It may raise, to end it at once with nothing kept."""


class Needs(NamedTuple):
    """Size of the space that comes of a training, and its cost.

    Attributes:
        rows: Words of the space.
        dimensions: Numbers of a row.
        bytes: Memory at its peak.
        seconds: Estimated time on this machine, if nothing else runs.
    """

    rows: int
    dimensions: int
    bytes: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Trained:
    """Result of a training.

    Attributes:
        space: One row a word, with counts; its origin says how it was made.
        loss: The objective per example after each whole pass; None where the trainer has none.
        baseline: What the loss is before anything is learned, where that is known.
        epochs: Passes that were made; fewer than asked for where a watcher ended it.
        tokens: Words that were read, over all passes.
        seconds: What the passes took.
        more: What else the trainer has to tell, as plain JSON values.
        repeats: Whether the trainer promises the same bits for the same corpus, options and versions on this machine.
    """

    space: VectorSpace
    loss: tuple[float, ...] | None
    baseline: float | None
    epochs: float
    tokens: int
    seconds: float
    more: Mapping[str, Any] = field(default_factory=dict)
    repeats: bool = False


def go_on(step: TrainingState) -> bool:
    """Return True: a watcher that never ends a training."""
    return True


@dataclass(frozen=True, kw_only=True)
class Trainer(Method):
    """A row of `TRAINERS`: its function takes a corpus, `watch` and the options, and returns a `Trained`.

    Attributes:
        costs: Gives the `Needs` of a corpus and all options, checked.
        unit: The loss is the mean over these, such as *guess*; empty where there is no loss.
        suggests: Gives settings for a corpus of this size, beside those that suit every trainer.
        explains: Gives sentences about the loss: its options and `Trained.more`, which is empty until the end.
        results: Reads the test at the end out of `Trained.more`: it has a `table()` for people and `scores()` in JSON.
            None where nothing is tested.
        variant: The option that names a run before all others; `titles`: names of its values.
    """

    costs: Callable[[Corpus, Mapping[str, Any]], Needs]
    unit: str = ""
    suggests: Callable[[Corpus], dict[str, Any]] = lambda corpus: {}
    explains: Callable[[Mapping[str, Any], Mapping[str, Any]], str] = lambda options, more: ""
    results: Callable[[Mapping[str, Any]], Any] | None = None
    variant: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    long: bool = True

    def needs(self, corpus: Corpus, **options: Any) -> Needs:
        """Return what a training will take.

        Raises:
            OptionError: An option is not allowed, or fewer than two words are left.
        """
        return self.costs(corpus, check(self, options))


def rows_of(corpus: Corpus, min_count: int) -> int:
    """Return how many words stand in the corpus at least so often.

    Raises:
        OptionError: There are fewer than two, which make no space.
    """
    if len(corpus.words) < 2:
        raise OptionError(
            f"There is only one word in {corpus.name}, “{corpus.words[0]}”; two are needed. Choose a longer text."
        )
    rows = corpus.kept(min_count)
    if rows < 2:
        most = counted(int(corpus.counts[1]), "time")
        cure = f"Its second most frequent stands there {most}: lower the least count, min_count."
        kept = "No word stands" if not rows else "Only 1 word stands"
        raise OptionError(f"{kept} in {corpus.name} {counted(min_count, 'time')} or more; two are needed. {cure}")
    return rows


def origin_of(
    corpus: Corpus,
    method: Method,
    values: Mapping[str, Any],
    versions: Mapping[str, str],
    note: str = "",
    *,
    title: str = "",
) -> Origin:
    """Return the origin of a trained space: the corpus by its checksum, every option, and the libraries by version.

    Args:
        title: Name of the run beside the corpus; the method's where it is empty.
    """
    parameters = {"method": method.name, "corpus": corpus.name, **values}
    said = " ".join(filter(None, [corpus.note, note]))
    name, used = f"{corpus.name} · {title or method.title}", {"embedviz": __version__, **versions}
    return Origin("trained", name, "frequency", parameters, corpus.checksum, used, said)
