"""SimCSE-style tuning of an encoder's last layers on some sentences, and what it changes (Gao, Yao and Chen 2021).

`simcse`: the training loop · `frozen`: the layers that stay · `changes`: before and after · `tuned`: the result, which
is saved as an encoder.
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
"""Different sentences that tuning needs."""
_HELD_OUT = 5  # one of so many sentences is not tuned on
_RATE = 2.3e10  # multiplications and additions in a second of a core (an estimate)
_SIGNS = 4  # characters of a token, about
_BESIDES = 18.0  # seconds for opening the model, and for all that is measured before and after (an estimate)


class TuningCost(NamedTuple):
    """Cost of a tuning.

    Attributes:
        sentences: Those that are there; `tuned_on`, `held_out`: those drawn to tune on, and to measure on.
        tokens, seconds: Of the tuning, about.
    """

    sentences: int
    tuned_on: int
    held_out: int
    tokens: int
    seconds: float


def tuning_cost(
    source: Texts | str | Path, encoder_weights: int, depth: int, *, seed: int = 0, **settings: float
) -> TuningCost:
    """Return what a tuning of some texts costs.

    Args:
        source: As for `tune`.
        encoder_weights: Weights of the layers of the encoder.
        depth: L, its layers.
        settings: As for `tune`.

    Raises:
        CorpusError: There are no such texts.
        OptionError: A setting out of range.
    """
    chosen = SETTINGS.checked(**settings)
    texts = corpus.opened(source)
    drawn, _, total = drawn_sentences(texts, chosen.sentences, seed)
    many = len(drawn) - len(drawn[::_HELD_OUT])
    tokens = sum(min(len(one) // _SIGNS + 2, chosen.longest) for one in drawn) * many // max(1, len(drawn))
    trained = min(chosen.layers, depth) / max(1, depth)
    passes = 1 + 2 * chosen.epochs * 3 * trained  # all layers once; then two readings, forward and back, of those tuned
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

    One of five sentences is held out: layers are measured on these. A sentence counts once.

    Args:
        source: Texts, or what `corpus.opened` takes.
        model: As `contextual.encoder.load` takes it.
        seed: Of the sentences, their order and the dropout.
        settings: Fields of `TuningSettings`.

    Raises:
        CorpusError: There are no such texts.
        OptionError: Too few different sentences, or a setting out of range.
        EncoderError: The model cannot be loaded.
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
    """Return the tensors of the tuned layers by their names, as read-only arrays."""
    from embedviz.contextual.tuning.simcse import tuned_parameters

    found = {}
    for name, tensor in tuned_parameters(network, depth, layers):
        array = tensor.detach().cpu().numpy().copy()
        array.flags.writeable = False
        found[name] = array
    return found
