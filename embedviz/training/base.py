"""The interface of all trainers: the table row (`Trainer`), the result (`Trained`), and the watcher (`Watch`).

A trainer is a function `train(corpus, *, watch=go_on, **options) -> Trained`. Its space has a row for each word that
occurs at least `min_count` times, in the order of the corpus. The trainer calls `watch` before the first epoch, then
several times a second, and once after the last epoch. If `watch` returns False, the training ends and returns what has
been learned so far. The trainer raises `OptionError` if an option is not allowed or fewer than two words have the
minimum count.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, NamedTuple

from embedviz import __version__
from embedviz.core import device as machine
from embedviz.core.graphics_card import LastUse
from embedviz.core.options import Choice, Method, OptionError, check
from embedviz.core.space import Float, Ints, Origin, VectorSpace
from embedviz.corpus.tokenized import Corpus


@dataclass(frozen=True, eq=False)
class TrainingState:
    """State of a running training, which the trainer passes to the watcher.

    Attributes:
        epoch: Epochs done, including the fraction of the current epoch.
        epochs: Planned number of epochs.
        tokens: Number of words read so far in all epochs, including those that subsampling skips.
        seconds: Time since the first epoch began, in seconds, without the time of the watcher.
        loss: The loss per example as last measured; None if the trainer has no loss, or none yet.
        vectors: Function that returns the present vectors of all words, (n, d).
        some: Function that returns a copy of the vectors of some rows, (m, d); None if it would be no faster than
            `vectors`.
        copies: Whether `vectors` returns a copy. If not, the training may go on changing the array.
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
        """Return a copy of the present vectors of these rows, (m, d)."""
        return self.vectors()[rows] if self.some is None else self.some(rows)


SMALL = 200_000
"""A corpus with fewer words (tokens) counts as small, and gets its own suggested settings."""
SAME_TEXT = "It is measured on the training text, not on held-out text."
Watch = Callable[[TrainingState], bool]
"""Takes the state of the training and returns whether to continue. An exception ends the training without a result."""


class Needs(NamedTuple):
    """Estimate of a training run: how many words and dimensions the trained space has, and the memory and time.

    Attributes:
        rows: Number of words in the space.
        dimensions: Number of dimensions.
        bytes: Estimated peak memory in bytes.
        seconds: Estimated time on this machine in seconds, if nothing else runs.
    """

    rows: int
    dimensions: int
    bytes: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Trained:
    """Result of a training run.

    Attributes:
        space: One row per word, with counts and the origin of the space.
        loss: The loss per example after each whole epoch; None if the trainer has no loss.
        baseline: The loss before learning; None if unknown.
        epochs: Number of epochs done; fewer than planned if a watcher ended the training.
        tokens: Words read in all epochs.
        seconds: Duration of the epochs in seconds.
        more: Results that only this trainer has, such as a final test, as plain JSON values.
        repeats: Whether a second run gives exactly the same numbers, if corpus, options, versions and machine are the
            same.
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
    """Return True. This is the default watcher, which never ends a training run."""
    return True


@dataclass(frozen=True, kw_only=True)
class Trainer(Method):
    """A row of `TRAINERS`: its function takes a corpus, `watch` and the options, and returns a `Trained`.

    Attributes:
        costs: Function that takes the corpus and all options, already checked, and returns the `Needs`.
        unit: What the loss is a mean over, such as *prediction*; empty if there is no loss.
        suggests: Function that takes the corpus, and returns settings that suit its size. They come on top of the
            settings that are suggested for every trainer, or replace them.
        explains: Function that takes the options and `Trained.more` (empty until the end of the training), and returns
            sentences about the loss.
        results: Function that takes `Trained.more`, and returns the final test: an object with `table()` for readers
            and `scores()` for JSON. None if the trainer has no final test.
        packages: The Python packages that the trainer computes with.
        variant: Name of an option, such as *architecture*; empty if there is none. If two compared runs of this
            trainer differ in the option, its values serve as the names of the runs (see `comparing.run_names`).
        titles: Value of the option `variant` → its name for the reader.
    """

    costs: Callable[[Corpus, Mapping[str, Any]], Needs]
    unit: str = ""
    suggests: Callable[[Corpus], dict[str, Any]] = lambda corpus: {}
    explains: Callable[[Mapping[str, Any], Mapping[str, Any]], str] = lambda options, more: ""
    results: Callable[[Mapping[str, Any]], Any] | None = None
    packages: tuple[str, ...] = ("numpy",)
    variant: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def versions(self) -> dict[str, str]:
        """Return the versions of embedviz and of `packages`."""
        return {"embedviz": __version__, **{name: version(name) for name in self.packages}}

    def needs(self, corpus: Corpus, **options: Any) -> Needs:
        """Estimate a training run: its memory and time, and how many words and dimensions the trained space has.

        Raises:
            OptionError: An option is not allowed, or fewer than two words have the minimum count.
        """
        return self.costs(corpus, check(self, options))


DEVICE = Choice(
    "device",
    ("cpu", "cuda", "auto"),
    "cpu",
    "cuda trains on a graphics card, auto where there is one. The last bits then differ from run to run.",
    "Device",
)


def with_device(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with a definite device: *auto* becomes *cuda* or *cpu*, whichever this machine trains on.

    Raises:
        DeviceError: `EMBEDVIZ_DEVICE` names no device of this computer.
    """
    if options.get("device") != "auto":
        return dict(options)
    return {**options, "device": "cuda" if machine.chosen_device().startswith("cuda") else "cpu"}


def place_of(device: str) -> str:
    """Return the torch name of the device that a training run uses. If it is a graphics card, record that it is in use.

    Raises:
        DeviceError: There is no such graphics card.
    """
    place = machine.chosen_device(device)
    if place != "cpu":
        LastUse.name = place
    return place


def rows_of(corpus: Corpus, min_count: int) -> int:
    """Return the number of words that occur at least `min_count` times.

    Raises:
        OptionError: Fewer than two words occur so often.
    """
    if len(corpus.words) < 2:
        raise OptionError(
            f"{corpus.name} has only one word, “{corpus.words[0]}”. Training needs two. Choose a longer text."
        )
    rows = corpus.vocabulary_size(min_count)
    if rows < 2:
        most = int(corpus.counts[1])
        found = "No word" if not rows else "Only 1 word"
        raise OptionError(
            f"{found} of {corpus.name} has a count of {min_count:,} or more. Training needs two. Lower the minimum "
            f"count (min_count) to {most:,}."
        )
    return rows


def origin_of(
    corpus: Corpus,
    method: Trainer,
    values: Mapping[str, Any],
    note: str = "",
    *,
    title: str = "",
) -> Origin:
    """Return the origin of a trained space: the checksum of the corpus, all options, and the versions of the packages.

    Args:
        values: All options with their values.
        note: Sentences to append to `corpus.note`. Both together become the note of the origin.
        title: Second part of the space's name, after the name of the corpus; if empty, the title of the trainer.
    """
    parameters = {"method": method.name, "corpus": corpus.name, **values}
    sentence = " ".join(filter(None, [corpus.note, note]))
    name = f"{corpus.name} · {title or method.title}"
    return Origin("trained", name, "frequency", parameters, corpus.checksum, method.versions, sentence)
