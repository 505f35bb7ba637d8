"""A pooling at a layer, and sentences pooled by all poolings at all layers while they are read.

A few thousand tokens have hidden states at a time.
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
    """A pooling and its layer; None where it takes several layers.

    Attributes:
        name: In `POOLINGS`.
    """

    name: str
    layer: int | None

    @property
    def title(self) -> str:
        """Return the title of the pooling, with the layer."""
        name = POOLINGS[self.name].title
        return name if self.layer is None else f"{name}, layer {self.layer}"


def layer_poolings(depth: int, poolings: Sequence[str] = ()) -> tuple[LayerPooling, ...]:
    """Return every pooling of `POOLINGS`, or these, at each layer from 0 to `depth`, or once where it takes several.

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
    """Return the vectors of all sentences that have a token, (m, d).

    Raises:
        OptionError: The model has no such vector, as GPT-2 has no [CLS].
    """
    row = POOLINGS[pooling.name]
    given_options = {"layer": pooling.layer, "special": special}
    given = {option.name: given_options.get(option.name, option.default) for option in row.options}
    found: Float = row.function(hidden, np.flatnonzero(hidden.counts > 0), **given)
    return found


class PooledPortion(NamedTuple):
    """Some pooled sentences: the numbers of those with a token, and their vectors by each pooling of the model.

    Attributes:
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
    """Yield the pooled sentences portion by portion, sentences of similar length together.

    Raises:
        OptionError: The model has none of the poolings.
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
    """Yield the numbers of sentences to read together, at most `most` characters or one sentence."""
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
    """Return a title with a small first letter; CLS stays as it is."""
    return title if title.startswith("CLS") else title[:1].lower() + title[1:]


def windows_note(count: int) -> str:
    """Return how many sentences were longer than the model takes; empty for none."""
    if not count:
        return ""
    which = "1 sentence is" if count == 1 else f"{count:,} sentences are"
    return f"{which} longer than the model takes at once. The model reads overlapping windows of such a sentence."


def missing_poolings(wanted: Sequence[LayerPooling], found: Sequence[LayerPooling]) -> tuple[str, ...]:
    """Return the titles of the poolings that a model does not have, each once."""
    return tuple(dict.fromkeys(POOLINGS[pooling.name].title for pooling in wanted if pooling not in found))


def missing_note(missing: Sequence[str], model: str) -> str:
    """Return which poolings the model does not have; empty for none."""
    return f"{model} puts no special token before a sentence, so {listing(missing)} is missing." if missing else ""
