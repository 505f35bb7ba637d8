"""SimCSE-style tuning of an encoder's last layers on some sentences, and what it changes (Gao, Yao and Chen 2021).

`simcse`: the training loop · `frozen`: cached output of the frozen layers · `changes`: measures before and after ·
`tuned`: the result, which can be saved as an encoder.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from embedviz import corpus
from embedviz.contextual.encoder import BUILTIN, Encoder, load
from embedviz.contextual.layers.sample import drawn_sentences
from embedviz.contextual.tuning.changes import LayerChange, PairsChange, WordsChange, measured
from embedviz.contextual.tuning.simcse import SETTINGS, TuningSettings, simcse
from embedviz.contextual.tuning.tuned import TunedEncoder, save
from embedviz.core.call import offered
from embedviz.core.device import cores
from embedviz.core.options import OptionError
from embedviz.core.progress import Report, part, tell
from embedviz.core.texts import Texts

__all__ = [
    "SETTINGS",
    "LayerChange",
    "PairsChange",
    "TunedEncoder",
    "TuningCost",
    "TuningSettings",
    "WordsChange",
    "save",
    "tune",
    "tuning_cost",
]

FEWEST = 10
"""Minimum number of different sentences for a tuning."""
_HELD_OUT = 5  # every fifth sentence is held out
_RATE = 2.3e10  # multiplications and additions per second and core (an estimate)
_SIGNS = 4  # characters per token (an estimate)
_BESIDES = 18.0  # seconds to open the model and to measure before and after (an estimate)


class TuningCost(NamedTuple):
    """Estimated cost of a tuning.

    Attributes:
        sentences: Number of different sentences in the texts.
        tuned_on, held_out: Number of drawn sentences to tune on, and to measure on.
        tokens: Estimated tokens of the sentences to tune on.
        seconds: Estimated duration of tuning and measuring.
    """

    sentences: int
    tuned_on: int
    held_out: int
    tokens: int
    seconds: float


def tuning_cost(
    source: Texts | str | Path, encoder_weights: int, depth: int, *, seed: int = 0, **settings: float
) -> TuningCost:
    """Return the estimated cost of tuning an encoder on some texts.

    Args:
        source: As for `tune`.
        encoder_weights: Number of weights in the encoder's layers.
        depth: Number of the encoder's layers, L.
        settings: As for `tune`.

    Raises:
        CorpusError: There are no such texts.
        OptionError: A setting is out of range.
    """
    chosen = SETTINGS.checked(**settings)
    texts = corpus.opened(source)
    drawn, _, total = drawn_sentences(texts, chosen.sentences, seed)
    many = len(drawn) - len(drawn[::_HELD_OUT])
    tokens = sum(min(len(one) // _SIGNS + 2, chosen.longest) for one in drawn) * many // max(1, len(drawn))
    trained = min(chosen.layers, depth) / max(1, depth)
    # all layers once; then the tuned layers: two readings an epoch, 3 = forward + backward (twice a forward pass)
    passes = 1 + 2 * chosen.epochs * 3 * trained
    work = tokens * 2 * encoder_weights * passes
    return TuningCost(total, many, len(drawn) - many, tokens, _BESIDES + work / (_RATE * cores()))


@offered("tuned", "print(tuned.meaning)", "for row in tuned.table()[1]:", "    print(*row)")
def tune(
    source: Texts | str | Path = corpus.LEE,
    *,
    model: Encoder | str | Path = BUILTIN,
    seed: int = 0,
    report: Report | None = None,
    **settings: float,
) -> TunedEncoder:
    """Train the last layers of an encoder on sentences of some texts, and measure it before and after.

    Every fifth sentence is held out; layers are measured on the held-out sentences. Repeated sentences count once.

    Args:
        source: Texts, or what `corpus.opened` takes.
        model: As `contextual.encoder.load` takes it.
        seed: Seed of the drawn sentences, their order and the dropout.
        settings: Fields of `TuningSettings`.

    Raises:
        CorpusError: There are no such texts.
        OptionError: There are too few different sentences, one has no token, a setting is out of range, or the model's
            layers cannot be tuned.
        EncoderError: The model cannot be loaded, or cannot read the sentences.
    """
    chosen = SETTINGS.checked(**settings)
    texts = corpus.opened(source)
    drawn, _, total = drawn_sentences(texts, chosen.sentences, seed)
    if len(drawn) < FEWEST:
        raise OptionError(
            f"{texts.name} has {len(drawn)} different sentences; tuning needs {FEWEST} or more: the other sentences of "
            "a batch are the negatives."
        )
    began = time.perf_counter()
    tell(report, 0.0, "Opening the model")
    before = load(model)
    held_out = drawn[::_HELD_OUT]
    training = [one for place, one in enumerate(drawn) if place % _HELD_OUT]
    losses, network = simcse(before, training, chosen, seed, part(report, 0.03, 0.6))
    after = replace(before, name=f"{before.name}, tuned", network=network, checksum="tuned")
    look: Callable[..., tuple[tuple[LayerChange, ...], WordsChange, PairsChange]] = measured
    layers, words, pairs = look(before, after, held_out, texts.texts, chosen, seed, part(report, 0.6, 1.0))
    return TunedEncoder(
        before.name,
        "" if isinstance(model, Encoder) else str(model),
        before.checksum,
        before.pooling,
        texts.name,
        chosen,
        seed,
        len(training),
        len(held_out),
        total,
        tuple(losses),
        layers,
        words,
        pairs,
        _weights(network, before.depth, chosen.layers),
        time.perf_counter() - began,
    )


def _weights(network: object, depth: int, layers: int) -> dict[str, object]:
    """Return the tensors of the tuned layers as read-only arrays, by name."""
    from embedviz.contextual.tuning.simcse import tuned_parameters

    found = {}
    for name, tensor in tuned_parameters(network, depth, layers):
        array = tensor.detach().cpu().numpy().copy()
        array.flags.writeable = False
        found[name] = array
    return found
