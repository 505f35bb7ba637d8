"""Suggested settings for a corpus, and the expected cost of a training run."""

import contextlib
import resource
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from embedviz.core import device
from embedviz.core.options import OptionError, Parameter, check, choose
from embedviz.core.phrases import counted, lasting_range, share
from embedviz.corpus.preparing import TEACHING
from embedviz.corpus.tokenized import Corpus
from embedviz.training import speeds
from embedviz.training.base import SMALL, Trainer
from embedviz.training.evaluating import COMPARED
from embedviz.training.snapshots import MOST_BYTES, SNAPSHOTS, WORDS
from embedviz.training.trainers import TRAINERS

LITTLE = 20_000
"""A text with fewer words (tokens) is called short; see `caution`."""
RARE = 5
_CARD_FROM = 30.0  # estimated seconds on the CPU from which a graphics card is suggested
_GB = 1e9


@dataclass(frozen=True)
class Plan:
    """The expected cost of a training run on this machine.

    Attributes:
        method, title: Name and title of the trainer.
        options: All options of the trainer with their values.
        rows, dimensions: Shape of the space.
        bytes: Estimated peak memory in bytes. `room`: memory that the training may take, in bytes.
        seconds: Estimated time in seconds, corrected by the measured time of an earlier run if there is one.
        estimated: Estimated time without this correction.
        share: Share of the corpus's tokens whose word has a row.
        measured: Whether `seconds` was corrected by an earlier run of this trainer on this machine.
    """

    method: str
    title: str
    options: Mapping[str, Any]
    rows: int
    dimensions: int
    bytes: int
    room: int
    seconds: float
    share: float
    estimated: float
    measured: bool = False

    @property
    def size(self) -> str:
        """Return the size of the space and the number of epochs as text."""
        epochs = self.options.get("epochs")
        read = f", {counted(epochs, 'epoch')}" if epochs else ""
        return f"{self.rows:,} words × {self.dimensions:,} dimensions{read}"

    @property
    def sentence(self) -> str:
        """Say the size of the space, the time and the memory of the training."""
        memory = f"{self.bytes / _GB:.1f} GB" if self.bytes >= 0.1 * _GB else f"{max(1, round(self.bytes / 1e6))} MB"
        by = f" (by an earlier {self.title} training on this machine)" if self.measured else ""
        time = f"{lasting_range(self.seconds)}{by}, after its start,"
        return f"{self.size}. Training takes {time} and about {memory} of memory."


def suggested(corpus: Corpus, method: str) -> dict[str, Any]:
    """Return the suggested settings of a trainer for this corpus, without those that equal the defaults.

    A corpus of fewer than `SMALL` words gets shorter vectors, a lower minimum count, and one worker. With one worker, a
    repetition gives the same vectors. Suggestions of the trainer replace these settings.

    Raises:
        OptionError: There is no such trainer.
    """
    row = choose(TRAINERS, method, "trainer")
    tokens = len(corpus.tokens)
    small = tokens < SMALL
    wished: dict[str, Any] = {
        "vector_size": 50 if small else 100,
        "min_count": 1 if tokens < LITTLE or corpus.made.get("source") == TEACHING else 3 if small else 5,
        **({"workers": 1} if small else {}),
        **row.suggests(corpus),
    }
    known = {option.name: option for option in row.options}
    if "device" in known and _card_pays(row, corpus):
        wished["device"] = "auto"
    return {
        name: _allowed(known[name], value, len(corpus.words))
        for name, value in wished.items()
        if name in known and value != getattr(known[name], "default", None)
    }


def _card_pays(row: Trainer, corpus: Corpus) -> bool:
    """Return whether to suggest the device *auto* instead of the CPU for this corpus, without importing torch."""
    named = device.named_device()
    if named != "auto":
        return named.startswith("cuda")
    with contextlib.suppress(OptionError):  # the corpus cannot be trained on
        return device.card_possible() and row.costs(corpus, check(row, {"min_count": 1})).seconds >= _CARD_FROM
    return False


def caution(corpus: Corpus, planned: Plan) -> str:
    """Return sentences on what to expect from a short text; empty for a text of `LITTLE` words or more.

    In a space trained on a short text, random words have high cosines. The nearest neighbors of a word are mostly words
    of the same sentences. This was measured with skip-gram, trained as `suggested` on the first words of the Lee news.
    The cosine of two random words was .88 for 400 words of text, .42 for 2,000, .36 for 5,000, .22 for 20,000, and .25
    for all 58,000. For a word that occurs once, many of its ten nearest neighbors stood within five words of it in the
    text. Their share was 59 % for 400 words of text, 43 % for 5,000, 33 % for 20,000, and 17 % for all (minimum count
    1).
    """
    tokens = len(corpus.tokens)
    if tokens >= LITTLE:
        return ""
    rare = 1 - corpus.vocabulary_size(RARE) / planned.rows if planned.rows > corpus.vocabulary_size(RARE) else 0.0
    epochs = planned.options.get("epochs")
    again = " More epochs do not replace more text." if epochs and epochs > 1 else ""
    seen = f" {share(rare)} of its words occur fewer than {RARE} times." if rare else ""
    return (
        f"This text is short ({counted(tokens, 'word')}), so near words are mostly words from the same sentences, and "
        f"random words are near each other too.{seen}{again}"
    )


def _allowed(option: Any, value: Any, words: int) -> Any:
    return max(option.low, min(value, option.upper(words))) if isinstance(option, Parameter) else value


def plan(corpus: Corpus, method: str, options: Mapping[str, Any], *, room: int = 0) -> Plan:
    """Return the expected cost of a training run.

    Args:
        options: Options that differ from their defaults.
        room: Memory that the training may take, in bytes; 0: the limit of this process, or the free memory.

    Raises:
        OptionError: There is no such trainer or option, a value is not allowed, fewer than two words have the minimum
            count, or the training needs more memory than `room`.
    """
    row = choose(TRAINERS, method, "trainer")
    chosen = check(row, options)
    rows, dimensions, size, estimated = row.costs(corpus, chosen)
    size += _watching(rows, dimensions)
    room = room or _room()
    if size > room:
        raise OptionError(
            f"{rows:,} words × {dimensions:,} dimensions need about {size / _GB:,.1f} GB of memory while they are "
            f"trained, and {room / _GB:.1f} GB may be used here. Use fewer dimensions, or raise the minimum count so "
            "that fewer words are kept."
        )
    counted = int(corpus.counts[:rows].sum())
    factor = speeds.factor(method, chosen, estimated)
    return Plan(
        method,
        row.title,
        chosen,
        rows,
        dimensions,
        int(size),
        room,
        estimated * (factor or 1.0),
        counted / max(1, len(corpus.tokens)),
        estimated,
        factor is not None,
    )


def _watching(rows: int, dimensions: int) -> int:
    """Return the bytes of memory that a run needs besides its trainer: a checkpoint, measures, two trajectories."""
    measured, snapshots = min(rows, COMPARED), min(MOST_BYTES, 2 * SNAPSHOTS * min(rows, WORDS) * dimensions)
    return 4 * dimensions * (rows + 2 * measured) + 2 * snapshots


def _room() -> int:
    """Return the memory that this process may take, in bytes: its limit, or the free memory if it has none."""
    limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return device.free_memory() if limit == resource.RLIM_INFINITY else min(limit, device.memory())
