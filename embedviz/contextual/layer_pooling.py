"""Pool sentences by many poolings at many layers, portion by portion.

Hidden states of only a few thousand tokens are in memory at a time.
"""

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


class LayerPooling(NamedTuple):
    """A pooling at a layer.

    Attributes:
        name: A name of `POOLINGS`.
        layer: Number of the layer; None for a pooling that uses several layers.
    """

    name: str
    layer: int | None

    @property
    def title(self) -> str:
        """Return the title of the pooling, with its layer if it has one."""
        name = POOLINGS[self.name].title
        return name if self.layer is None else f"{name}, layer {self.layer}"


def layer_poolings(depth: int, poolings: Sequence[str] = ()) -> tuple[LayerPooling, ...]:
    """Return each pooling at each layer from 0 to `depth`; a pooling that uses several layers is listed once.

    Args:
        poolings: Names of `POOLINGS`; by default all.

    Raises:
        OptionError: There is no such pooling.
    """
    for name in poolings:
        choose(POOLINGS, name, "pooling")
    found: list[LayerPooling] = []
    for name, row in POOLINGS.items():
        if not poolings or name in poolings:
            layered = any(option.name == "layer" for option in row.options)
            found += (
                [LayerPooling(name, layer) for layer in range(depth + 1)] if layered else [LayerPooling(name, None)]
            )
    return tuple(found)


def vectors(hidden: HiddenStates, pooling: LayerPooling, special: str = SPECIAL.default) -> Float:
    """Return the pooled vectors of the m sentences that have a token, (m, d).

    Raises:
        OptionError: The model does not have this pooling; for example, GPT-2 has no CLS pooling.
    """
    row = POOLINGS[pooling.name]
    given_options = {"layer": pooling.layer, "special": special}
    given = {option.name: given_options.get(option.name, option.default) for option in row.options}
    found: Float = row.function(hidden, np.flatnonzero(hidden.counts > 0), **given)
    return found


class PooledPortion(NamedTuple):
    """The vectors of a portion of the sentences.

    Attributes:
        rows: Numbers of the m sentences of the portion that have a token.
        vectors: For each pooling that the model has, the vectors of these sentences, (m, d).
        windowed: Number of sentences that were too long for the model.
    """

    rows: list[int]
    vectors: dict[LayerPooling, Float]
    windowed: int


def pool_by_portions(
    encoder: Encoder,
    sentences: Sequence[str],
    wanted: Sequence[LayerPooling],
    *,
    special: str = SPECIAL.default,
    device: str = "auto",
    report: Report | None = None,
) -> Iterator[PooledPortion]:
    """Yield the pooled vectors of all sentences in portions; sentences of similar length share a portion.

    Raises:
        OptionError: The model has none of the poolings.
        EncoderError: The model cannot read a sentence.
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
        made: dict[LayerPooling, Float] = {}
        reasons: dict[str, str] = {}
        for pooling in wanted:
            if pooling.name not in reasons:
                try:
                    made[pooling] = vectors(hidden, pooling, special)
                except OptionError as error:
                    reasons[pooling.name] = str(error)
        if not made and reasons:
            raise OptionError(" ".join(reasons.values()))
        pooled = np.flatnonzero(hidden.counts > 0).tolist()
        yield PooledPortion([rows[at] for at in pooled], made, len(hidden.windowed))


def portions(order: Sequence[int], sentences: Sequence[str], most: int) -> Iterator[list[int]]:
    """Yield the sentence numbers of `order` in portions: each of at most `most` characters, or one longer sentence."""
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


def in_sentence(title: str) -> str:
    """Return the title of a pooling with a lower-case first letter; CLS keeps its capitals."""
    return title if title.startswith("CLS") else title[:1].lower() + title[1:]


def windows_note(count: int) -> str:
    """Say how many sentences were too long for the model and were read in windows; empty if there are none."""
    if not count:
        return ""
    which = "1 sentence is" if count == 1 else f"{count:,} sentences are"
    return f"{which} longer than the model takes at once. The model reads overlapping windows of such a sentence."


def missing_poolings(wanted: Sequence[LayerPooling], found: Sequence[LayerPooling]) -> tuple[str, ...]:
    """Return the titles of the poolings in `wanted` that are not in `found`, each title once."""
    return tuple(dict.fromkeys(POOLINGS[pooling.name].title for pooling in wanted if pooling not in found))


def missing_note(missing: Sequence[str], model: str) -> str:
    """Say which poolings the model does not have, and why; empty if none is missing."""
    return f"{model} puts no special token before a sentence, so {listing(missing)} is missing." if missing else ""
