"""The base of all trainers: a row (`Trainer`), a corpus in, a space out, a watcher of the vectors while they learn.

A trainer is a function `train(corpus, *, watch=None, **options) -> Trained`. The rows of its space are the first words
of the corpus, in its order: all that stand in it at least `min_count` times. It calls `watch` before the first pass,
then several times a second, and once after the last epoch; each time it continues
only if `watch` returns true. What it returns then is what has been learned so far. It raises `OptionError` where an
option is not allowed, or fewer than two words are left.
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
    """State of a training.

    Attributes:
        epoch: Epochs that are done, with the fraction of the current one.
        epochs: Epochs in all.
        tokens: Words read so far, over all epochs, with those that subsampling skips.
        seconds: Since the first epoch began, without the time of the watchers.
        loss: The last measured objective per example; None where there is none.
        vectors: The vectors of the words now, (n, d): a view of the trained array, or a copy; they may change under
            a reader's eyes.
        some: The vectors of some rows, (m, d), where that is less work than all of them.
        copies: Whether `vectors` gives a copy.
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
"""Words below which a corpus gets other settings than usual."""
SAME_TEXT = "It is measured on the training text, not on held-out text."
Watch = Callable[[TrainingState], bool]
"""Gets each step and returns whether to continue. It may raise to end the training without a result."""


class Needs(NamedTuple):
    """Size of the trained space, and the cost of the training.

    Attributes:
        rows: Words of the space.
        dimensions: Numbers of a row.
        bytes: Peak memory.
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
        loss: The objective per example after each whole epoch; None where the trainer has none.
        baseline: The loss before learning, where that is known.
        epochs: Epochs that were done; fewer than planned where a watcher ended it.
        tokens: Words that were read, over all epochs.
        seconds: Duration of the epochs.
        more: Further results of the trainer, as plain JSON values.
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
        costs: Returns the `Needs` of a corpus and all options, checked.
        unit: The loss is the mean over these, such as *prediction*; empty where there is no loss.
        suggests: Returns settings for a corpus of this size, besides those for every trainer.
        explains: Returns sentences about the loss from the options and `Trained.more`, which is empty until the end.
        results: Reads the test at the end out of `Trained.more`: it has a `table()` for people and `scores()` in JSON.
            None where nothing is tested.
        packages: The Python packages that it computes with.
        variant: The option that names a run before all others; `titles`: names of its values.
    """

    costs: Callable[[Corpus, Mapping[str, Any]], Needs]
    unit: str = ""
    suggests: Callable[[Corpus], dict[str, Any]] = lambda corpus: {}
    explains: Callable[[Mapping[str, Any], Mapping[str, Any]], str] = lambda options, more: ""
    results: Callable[[Mapping[str, Any]], Any] | None = None
    packages: tuple[str, ...] = ("numpy",)
    variant: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    long: bool = True

    @property
    def versions(self) -> dict[str, str]:
        """Return the versions of embedviz and of the packages in use."""
        return {"embedviz": __version__, **{name: version(name) for name in self.packages}}

    def needs(self, corpus: Corpus, **options: Any) -> Needs:
        """Return the cost of a training.

        Raises:
            OptionError: An option is not allowed, or fewer than two words are left.
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
    """Return options with the device *auto* replaced by the one that trains here: cuda or cpu.

    Raises:
        DeviceError: `EMBEDVIZ_DEVICE` names no device of this computer.
    """
    if options.get("device") != "auto":
        return dict(options)
    return {**options, "device": "cuda" if machine.chosen_device().startswith("cuda") else "cpu"}


def place_of(device: str) -> str:
    """Return the device of a training as torch names it, and note its use.

    Raises:
        DeviceError: There is no such card.
    """
    place = machine.chosen_device(device)
    if place != "cpu":
        LastUse.name = place
    return place


def rows_of(corpus: Corpus, min_count: int) -> int:
    """Return the number of words with this count or more.

    Raises:
        OptionError: There are fewer than two, which make no space.
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
    """Return the origin of a trained space: the corpus by its checksum, every option, and the libraries by version.

    Args:
        title: Name of the run after that of the corpus; the method's where it is empty.
    """
    parameters = {"method": method.name, "corpus": corpus.name, **values}
    sentence = " ".join(filter(None, [corpus.note, note]))
    name = f"{corpus.name} · {title or method.title}"
    return Origin("trained", name, "frequency", parameters, corpus.checksum, method.versions, sentence)
