"""The layers of a model over sentences of some texts: measures of each layer, similarity of each pair of layers.

Tokens are the pieces of the model without special tokens. A *word* is a piece that begins with a letter or digit, as in
the papers. A correction is fitted to one half of the sentences; the measures are computed on the other half.

Intervals resample texts, because sentences of one text are similar; with fewer than 20 texts they resample sentences.
Intervals of means over words resample words too. Layers are compared on the same texts and words. Two layers differ
only if the difference remains significant after a correction for all pairs of layers (Bonferroni).

`sample`: sentences, tokens, words · `look`, `measures`: measures of one layer · `result`: all layers.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from embedviz import corpus
from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.contextual.layers.look import Doubles, LayerEstimate, LayerLook, Value, difference_errors, space_of
from embedviz.contextual.layers.measures import MEASURES, LayerMeasure
from embedviz.contextual.layers.result import Layer, Layers
from embedviz.contextual.layers.sample import (
    LEAST,
    SHORTEST,
    FrequentWords,
    Tokens,
    drawn_sentences,
    frequent_words,
    halves,
    tokens_of,
)
from embedviz.core.call import offered
from embedviz.core.hidden import HiddenStates
from embedviz.core.options import Method, OptionError, Parameter, choose
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.core.texts import Texts
from embedviz.geometry.comparison import cka
from embedviz.geometry.corrections import MAPS, FittedMap, fitted

__all__ = [
    "LEAST",
    "MEASURES",
    "SENTENCES",
    "Layer",
    "LayerCurve",
    "LayerMeasure",
    "Layers",
    "Value",
    "by_layer",
    "curve",
]

SENTENCES = Parameter("sentences", 20, 3_000, 1_200, "Number of sentences drawn from the texts.", "Sentences")
FEWEST = 8
"""Minimum number of measured sentences."""
COMPARED = 2_000
"""Maximum number of tokens for the CKA of layers, one from each sentence."""
HELD = 2**30
"""Maximum bytes of hidden states in memory; larger states are written to a temporary folder."""
_SIGNS = 4  # characters per token (an estimate)


@offered("found", "print(found.kinship, found.note)")
def by_layer(
    texts: Texts | str | Path,
    model: Encoder | str | Path = BUILTIN,
    *,
    sentences: int = int(SENTENCES.default),
    correction: str = "",
    device: str = "auto",
    seed: int = 0,
    report: Report | None = None,
    **options: Any,
) -> Layers:
    """Measure each layer of a model on sentences drawn from some texts.

    Args:
        texts: Texts, or what `corpus.opened` takes.
        model: An encoder, a folder, or `builtin`.
        sentences: Number of sentences to draw.
        correction: A name of `corrections.MAPS`, or "" for none.
        device: As for `contextual.encoder.encode`.
        options: Options of the correction.

    Raises:
        OptionError: There are too few sentences, the correction is unknown, or an option is out of range.
        EncoderError: The model cannot be opened, or cannot read these sentences.
        CorpusError: The texts do not exist.
    """
    count = int(SENTENCES.check(sentences, 2**31))
    row = choose(MAPS, correction, "correction") if correction else None
    held = corpus.opened(texts)
    tell(report, 0.0, "Splitting the texts into sentences")
    drawn, of, total = drawn_sentences(held, count, seed)
    tell(report, 0.02, "Opening the model")
    encoder = load(model)
    with _encoded(encoder, drawn, device, part(report, 0.05, 0.55)) as hidden:
        return _measured(hidden, encoder, held.name, of, total, row, options, seed, report)


@contextmanager
def _encoded(encoder: Encoder, drawn: Sequence[str], device: str, report: Report | None) -> Iterator[HiddenStates]:
    """Yield the hidden states of the sentences.

    If their estimated size is above `HELD`, they lie in a temporary folder, which is deleted at the end.
    """
    size = 4 * (encoder.depth + 1) * encoder.dimensions * sum(map(len, drawn)) // _SIGNS
    with TemporaryDirectory(prefix="embedviz-") as place:
        out = Path(place) / "states" if size > HELD else None
        yield encode(encoder, drawn, device=device, out=out, report=report)


def _measured(
    hidden: HiddenStates,
    encoder: Encoder,
    name: str,
    of: Ints,
    total: int,
    row: Method | None,
    options: dict[str, Any],
    seed: int,
    report: Report | None,
) -> Layers:
    every = tokens_of(hidden, of, seed)
    _enough(every, total, FEWEST * (2 if row else 1))
    fit, measured_tokens = halves(every, seed) if row else (None, every)
    words = frequent_words(hidden, measured_tokens)
    layers, before, spaces, parts = [], [], [], []
    for at, layer in enumerate(hidden.stored):
        tell(report, 0.55 + 0.4 * at / len(hidden.stored), f"Measuring layer {layer}")
        rows = np.asarray(hidden.layer(layer)[measured_tokens.rows], np.float32)
        if row is not None and fit is not None:
            before.append(measured_layer(layer, rows, measured_tokens, words, seed)[0])
            rows = _fitted(hidden, layer, fit, row.name, options).apply(rows)
        measured, each = measured_layer(layer, rows, measured_tokens, words, seed)
        layers.append(measured)
        parts.append(each)
        spaces.append(space_of(rows[measured_tokens.one_each[:COMPARED]], f"layer {layer}"))
        del rows
    tell(report, 0.95, "Comparing the layers")
    alike, shuffled = _compared(spaces)
    return Layers(
        model=encoder.name,
        texts=name,
        sentences=measured_tokens.sentences,
        drawn_from=total,
        short=len(of) - every.sentences,
        tokens=len(measured_tokens.rows),
        words=words.names,
        counts=words.counts,
        whole=words.whole,
        layers=tuple(layers),
        alike=alike,
        shuffled=shuffled,
        compared=len(spaces[0]),
        correction=row.title if row else "",
        fitted=0 if fit is None else fit.sentences,
        before=tuple(before),
        windowed=len(hidden.windowed),
        unit="text" if measured_tokens.by_text else "sentence",
        units=int(measured_tokens.unit.max()) + 1,
        errors=difference_errors(parts),
        about=encoder.note,
    )


def _enough(every: Tokens, total: int, needed: int) -> None:
    """Check that there are enough sentences of at least `SHORTEST` words.

    Raises:
        OptionError: There are fewer such sentences than `needed`.
    """
    if every.sentences < needed:
        raise OptionError(
            f"{every.sentences:,} of {total:,} sentences have {SHORTEST} words or more; {needed} are needed. "
            "Take more texts."
        )


def measured_layer(
    layer: int, rows: Float, measured_tokens: Tokens, words: FrequentWords, seed: int
) -> tuple[Layer, dict[str, LayerEstimate | None]]:
    """Return the measures of a layer, and a dictionary: name of a measure → its estimate for comparing layers.

    The estimate is None for a measure by which layers are not compared, and where it is undefined.
    """
    seen = LayerLook(rows, measured_tokens, words, seed)
    found = {name: row.function(seen) for name, row in MEASURES.items()}
    values = {name: value for name, (value, _) in found.items()}
    made = Layer(layer, values, seen.rogues, seen.striking, seen.similarity.astype(np.float32))
    return made, {name: estimate for name, (_, estimate) in found.items()}


def _fitted(hidden: HiddenStates, layer: int, fit: Tokens, name: str, options: dict[str, Any]) -> FittedMap:
    rows = np.asarray(hidden.layer(layer)[fit.rows[fit.wordy]], np.float32)
    return fitted(space_of(rows, f"layer {layer}"), name, **options)


def _compared(spaces: Sequence[VectorSpace]) -> tuple[Doubles, Doubles]:
    """Return two matrices for all pairs of layers, (K, K): debiased linear CKA, and CKA of shuffled rows (chance)."""
    found = np.full((2, len(spaces), len(spaces)), np.nan)
    for row, one in enumerate(spaces):
        for column in range(row, len(spaces)):
            alike = cka(one, spaces[column])
            values = [np.nan if each is None else each for each in (alike.debiased, alike.shuffled)]
            found[:, row, column] = found[:, column, row] = values
    return found[0], found[1]


class LayerCurve(NamedTuple):
    """One measure at every layer: the layer numbers, the values, and sentences on what the values mean."""

    layers: tuple[int, ...]
    values: tuple[Value, ...]
    meaning: str


@offered(
    "curve",
    "for layer, value in zip(curve.layers, curve.values):",
    "    print(layer, value.value, value.low, value.high, value.against)",
    "print(curve.meaning)",
)
def curve(found: Layers, measure: str) -> LayerCurve:
    """Return one measure of `MEASURES` at every layer.

    Raises:
        OptionError: There is no such measure.
    """
    numbers = tuple(layer.number for layer in found.layers)
    return LayerCurve(
        numbers, tuple(found.curve(measure)), f"{found.meaning(measure)} {found.certainty(measure)}".strip()
    )
