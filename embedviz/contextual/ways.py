"""Every way of pooling at every layer, and sentences pooled by all of them while they are read.

A few thousand tokens have hidden states at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from embedviz.contextual.encoder import Encoder, encode
from embedviz.contextual.pooling import POOLINGS, SPECIAL
from embedviz.core.hidden import HiddenStates
from embedviz.core.options import OptionError, choose
from embedviz.core.phrases import listing
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float

LETTERS_AT_ONCE = 16_000


class Way(NamedTuple):
    """A pooling, and its layer; None where it takes several."""

    pooling: str
    layer: int | None

    @property
    def title(self) -> str:
        """The way in words."""
        name = POOLINGS[self.pooling].title
        return name if self.layer is None else f"{name}, layer {self.layer}"


def ways(depth: int, poolings: Sequence[str] = ()) -> tuple[Way, ...]:
    """Return every pooling of `POOLINGS`, or these, at each layer from 0 to `depth`, or once where it takes several.

    Raises:
        OptionError: There is no such pooling.
    """
    for name in poolings:
        choose(POOLINGS, name, "pooling")
    found: list[Way] = []
    for name, row in POOLINGS.items():
        if not poolings or name in poolings:
            layered = any(option.name == "layer" for option in row.options)
            found += [Way(name, layer) for layer in range(depth + 1)] if layered else [Way(name, None)]
    return tuple(found)


def vectors(hidden: HiddenStates, way: Way, special: str = SPECIAL.default) -> Float:
    """Return the vectors of all sentences that have a token, (m, d).

    Raises:
        OptionError: The model has no such vector, as GPT-2 has no [CLS].
    """
    row = POOLINGS[way.pooling]
    asked = {"layer": way.layer, "special": special}
    given = {option.name: asked.get(option.name, option.default) for option in row.options}
    found: Float = row.function(hidden, np.flatnonzero(hidden.counts > 0), **given)
    return found


class Portion(NamedTuple):
    """Some of the sentences, read: which have a token, and their vectors by each way that the model has.

    Attributes:
        windowed: How many were too long for the model.
    """

    rows: list[int]
    vectors: dict[Way, Float]
    windowed: int


def pooled(
    encoder: Encoder,
    sentences: Sequence[str],
    wanted: Sequence[Way],
    *,
    special: str = SPECIAL.default,
    device: str = "cpu",
    report: Report | None = None,
) -> Iterator[Portion]:
    """Yield the sentences portion by portion, those of like length together, each pooled and its states let go.

    Raises:
        OptionError: The model has none of the ways.
        EncoderError: It cannot take a sentence.
    """
    SPECIAL.check(special, None)
    order = sorted(range(len(sentences)), key=lambda row: -len(sentences[row]))
    letters, done = sum(map(len, sentences)) or 1, 0
    for rows in portions(order, sentences, LETTERS_AT_ONCE):
        here = sum(len(sentences[row]) for row in rows)
        hidden = encode(
            encoder,
            [sentences[row] for row in rows],
            device=device,
            report=part(report, done / letters, (done + here) / letters),
        )
        done += here
        tell(report, done / letters, f"Pooling sentences, {done / letters:.0%}")
        made: dict[Way, Float] = {}
        reasons: dict[str, str] = {}
        for way in wanted:
            if way.pooling not in reasons:
                try:
                    made[way] = vectors(hidden, way, special)
                except OptionError as error:
                    reasons[way.pooling] = str(error)
        if not made and reasons:
            raise OptionError(" ".join(reasons.values()))
        kept = np.flatnonzero(hidden.counts > 0).tolist()
        yield Portion([rows[at] for at in kept], made, len(hidden.windowed))


def portions(order: Sequence[int], sentences: Sequence[str], most: int) -> Iterator[list[int]]:
    """Yield the numbers of sentences that are read together: of so many letters, one sentence at least."""
    rows: list[int] = []
    letters = 0
    for row in order:
        letters += len(sentences[row])
        if rows and letters > most:
            yield rows
            rows, letters = [], len(sentences[row])
        rows.append(row)
    if rows:
        yield rows


def said(title: str) -> str:
    """Return a way's title within a sentence; CLS stays as it is."""
    return title if title.startswith("CLS") else title[:1].lower() + title[1:]


def read_in_windows(count: int) -> str:
    """Say that sentences were too long for the model, where some were."""
    if not count:
        return ""
    which = "1 sentence is" if count == 1 else f"{count:,} sentences are"
    return f"{which} longer than the model takes at once, and read in overlapping windows."


def missing_poolings(wanted: Sequence[Way], had: Sequence[Way]) -> tuple[str, ...]:
    """Return the titles of the poolings that a model has not, each once."""
    return tuple(dict.fromkeys(POOLINGS[way.pooling].title for way in wanted if way not in had))


def lacks(missing: Sequence[str], model: str) -> str:
    """Say which poolings the model has not, in a sentence."""
    return f"{model} puts no special token before a sentence: it has no {listing(missing)}." if missing else ""
