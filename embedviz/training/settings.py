"""Settings for a corpus of this size, and the cost of a training with given settings."""

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
"""Words below which a text is called short: see `caution`."""
RARE = 5
_CARD_FROM = 30.0  # seconds of a CPU from which a card trains (an estimate)
_GB = 1e9


@dataclass(frozen=True)
class Plan:
    """The cost of a training on this machine.

    Attributes:
        options: All options of the method with their values.
        rows, dimensions: Of the space.
        bytes: Of memory at most; `room` is what there is.
        seconds: About how long; `estimated` is the same before the correction by an earlier run of the same trainer
            on this machine, if there was one.
        share: Of all words of the corpus, those that keep a row.
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
        """Return the size of the space and the number of epochs, in words."""
        epochs = self.options.get("epochs")
        read = f", {counted(epochs, 'epoch')}" if epochs else ""
        return f"{self.rows:,} words × {self.dimensions:,} dimensions{read}"

    @property
    def sentence(self) -> str:
        """Say the size, the time and the memory."""
        memory = f"{self.bytes / _GB:.1f} GB" if self.bytes >= 0.1 * _GB else f"{max(1, round(self.bytes / 1e6))} MB"
        by = f" (by an earlier {self.title} training on this machine)" if self.measured else ""
        time = f"{lasting_range(self.seconds)}{by}, after its start,"
        return f"{self.size}. Training takes {time} and about {memory} of memory."


def suggested(corpus: Corpus, method: str) -> dict[str, Any]:
    """Return settings of a method for a corpus of this size; options left out are best at their defaults.

    A small corpus gets shorter vectors, keeps rarer words and is trained by one worker, so that the same settings give
    the same vectors; the rest is the trainer's own.

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
    """Return whether a training should use a graphics card, where there is one; torch is not asked."""
    named = device.named_device()
    if named != "auto":
        return named.startswith("cuda")
    with contextlib.suppress(OptionError):  # this text cannot be trained on at all
        return device.card_possible() and row.costs(corpus, check(row, {"min_count": 1})).seconds >= _CARD_FROM
    return False


def caution(corpus: Corpus, planned: Plan) -> str:
    """Return what to expect of a text with very few words, in sentences; empty for a longer one.

    Of skip-gram trained as `suggested` on the first words of the Lee news, two words drawn at random had a cosine of
    .88 after 400 of them, .42 after 2,000, .36 after 5,000 and .22 after 20,000 (.25 after all 58,000). Of the ten
    words nearest to one that stood there once, where all words were kept, 59 % had stood within five words of it after
    400, 43 % after 5,000, 33 % after 20,000 and 17 % after all.
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
    """Return the cost of a training before it begins.

    Args:
        room: Bytes of memory that it may take; 0 for what this process may: its limit, else what is free.

    Raises:
        OptionError: There is no such trainer or option, a value is not allowed, no word is kept, or the machine has
            not the memory for it.
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
    """Return the bytes that a run needs besides its trainer: a checkpoint, measures, and the trajectory twice."""
    measured, snapshots = min(rows, COMPARED), min(MOST_BYTES, 2 * SNAPSHOTS * min(rows, WORDS) * dimensions)
    return 4 * dimensions * (rows + 2 * measured) + 2 * snapshots


def _room() -> int:
    """Return the bytes of memory that this process may take: its limit, else all that are free."""
    limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return device.free_memory() if limit == resource.RLIM_INFINITY else min(limit, device.memory())
