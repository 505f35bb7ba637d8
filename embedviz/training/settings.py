"""Settings for a corpus of this size, and what a training with given settings will take."""

from __future__ import annotations

import resource
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from embedviz.core import device
from embedviz.core.options import OptionError, Parameter, check, choose
from embedviz.core.phrases import counted, lasting, share
from embedviz.corpus.preparing import TEACHING
from embedviz.corpus.tokenized import Corpus
from embedviz.training.base import SMALL
from embedviz.training.evaluating import COMPARED
from embedviz.training.snapshots import MOST_BYTES, SNAPSHOTS, WORDS
from embedviz.training.trainers import TRAINERS

LITTLE = 20_000
"""Words below which a text hardly teaches: see `caution`."""
RARE = 5
_GB = 1e9


@dataclass(frozen=True)
class Plan:
    """The cost of a training on this machine.

    Attributes:
        options: All options of the method with their values.
        rows, dimensions: Of the space.
        bytes: Of memory at most; `room` is what there is.
        seconds: About how long.
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

    @property
    def sentence(self) -> str:
        """All of it in a sentence."""
        size = f"{self.rows:,} words × {self.dimensions:,} dimensions"
        memory = f"{self.bytes / _GB:.1f} GB" if self.bytes >= 0.1 * _GB else f"{max(1, round(self.bytes / 1e6))} MB"
        passes = self.options.get("epochs")
        read = f", {passes:,} pass{'' if passes == 1 else 'es'}" if passes else ""
        return f"{size}{read}, about {memory} of memory, {lasting(self.seconds)} of training."


def suggested(corpus: Corpus, method: str) -> dict[str, Any]:
    """Return settings of a method for a corpus of this size; options left out are best at their defaults.

    A small corpus gets shorter vectors and keeps rarer words; the rest is the trainer's own.

    Raises:
        OptionError: There is no such trainer.
    """
    row = choose(TRAINERS, method, "trainer")
    tokens = len(corpus.tokens)
    small = tokens < SMALL
    wished: dict[str, Any] = {
        "vector_size": 50 if small else 100,
        "min_count": 1 if tokens < LITTLE or corpus.made.get("source") == TEACHING else 3 if small else 5,
        **row.suggests(corpus),
    }
    known = {option.name: option for option in row.options}
    return {
        name: _allowed(known[name], value, len(corpus.words))
        for name, value in wished.items()
        if name in known and value != getattr(known[name], "default", None)
    }


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
    rare = 1 - corpus.kept(RARE) / planned.rows if planned.rows > corpus.kept(RARE) else 0.0
    passes = planned.options.get("epochs")
    again = f" {passes:,} passes read the same few lines again and add none." if passes else ""
    seen = f" {share(rare)} of the words with a row stand in it fewer than {RARE} times." if rare else ""
    return (
        f"So little text, {counted(tokens, 'word')}, teaches little: what comes out near a word is mostly what stood "
        f"beside it, and words drawn at random lie near each other as well.{seen}{again}"
    )


def _allowed(option: Any, value: Any, words: int) -> Any:
    return max(option.low, min(value, option.upper(words))) if isinstance(option, Parameter) else value


def plan(corpus: Corpus, method: str, options: Mapping[str, Any], *, room: int = 0) -> Plan:
    """Return what a training will take, before it begins.

    Args:
        room: Bytes of memory that it may take; 0 for what this process may: its limit, else what is free.

    Raises:
        OptionError: There is no such trainer or option, a value is not allowed, no word is kept, or the machine has
            not the memory for it.
    """
    row = choose(TRAINERS, method, "trainer")
    chosen = check(row, options)
    rows, dimensions, size, seconds = row.costs(corpus, chosen)
    size += _watching(rows, dimensions)
    room = room or _room()
    if size > room:
        raise OptionError(
            f"{rows:,} words × {dimensions:,} dimensions need about {size / _GB:,.1f} GB of memory while they are "
            f"trained, and {room / _GB:.1f} GB may be used here. Take fewer dimensions, or raise the least count so "
            "that fewer words are kept."
        )
    counted = int(corpus.counts[:rows].sum())
    return Plan(
        method, row.title, chosen, rows, dimensions, int(size), room, seconds, counted / max(1, len(corpus.tokens))
    )


def _watching(rows: int, dimensions: int) -> int:
    """Return the bytes that a run takes beside its trainer: a checkpoint, measures, and the trajectory twice."""
    measured, kept = min(rows, COMPARED), min(MOST_BYTES, 2 * SNAPSHOTS * min(rows, WORDS) * dimensions)
    return 4 * dimensions * (rows + 2 * measured) + 2 * kept


def _room() -> int:
    """Return the bytes of memory that this process may take: its limit, else all that are free."""
    limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return device.free_memory() if limit == resource.RLIM_INFINITY else min(limit, device.memory())
