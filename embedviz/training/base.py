"""What all trainers share: a corpus in, a space out, and a watcher that sees the vectors while they learn.

A trainer is a function `train(corpus, *, watch=None, **options) -> Trained`. The rows of its space are the first words
of the corpus, in its order: all that stand in it at least `min_count` times. It calls `watch` before the first pass,
then as often as it can without slowing down, several times a second, and once after the last pass; each time it goes on
only if `watch` returns true. What it returns then is what has been learned so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from embedviz import __version__
from embedviz.core.options import Method, OptionError
from embedviz.core.phrases import counted
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.corpus.tokenized import Corpus


@dataclass(frozen=True, eq=False)
class Step:
    """How far a training is.

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
        """The vectors of these rows now, (m, d): a copy."""
        return self.vectors()[rows] if self.some is None else self.some(rows)


Watch = Callable[[Step], bool]
"""Sees each step; whether the training shall go on. It may raise, to end it at once with nothing kept."""


class Needs(NamedTuple):
    """What a training will take.

    Attributes:
        rows: Words of the space that comes of it.
        dimensions: Numbers of a row.
        bytes: Memory at its peak.
        seconds: About how long it runs here, if nothing else does.
    """

    rows: int
    dimensions: int
    bytes: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Trained:
    """What came of a training.

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


def go_on(step: Step) -> bool:
    """A watcher that lets everything happen."""
    return True


def rows_of(corpus: Corpus, min_count: int) -> int:
    """How many words stand in the corpus at least so often, two at least.

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
    """Where a trained space comes from: the corpus by its checksum, every option, and the libraries by version.

    Args:
        title: What the run is called beside the corpus; as the method where it is empty.
    """
    parameters = {"method": method.name, "corpus": corpus.name, **values}
    said = " ".join(filter(None, [corpus.note, note]))
    name, used = f"{corpus.name} · {title or method.title}", {"embedviz": __version__, **versions}
    return Origin("trained", name, "frequency", parameters, corpus.checksum, used, said)
