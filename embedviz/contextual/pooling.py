"""Poolings: functions that make one vector from the hidden states of a sentence. `POOLINGS` lists all of them.

Hidden states have no padding. The special tokens [CLS] and [SEP] count by default: sentence models are trained with
them, and sentence-transformers counts them, even for a model whose folder names no pooling.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from embedviz.core.hidden import HiddenStates
from embedviz.core.options import Choice, Method, OptionError, Parameter, TextOption, check, choose, table
from embedviz.core.space import Float, Ints, Origin, VectorSpace

_LAYER = Parameter("layer", 0, lambda n: n - 1, 1_000, "0 is the input, the highest the last layer.", "Layer")
SPECIAL = Choice(
    "special",
    ("with", "without"),
    "with",
    "Whether poolings other than CLS count [CLS] and [SEP]. Sentence models are trained with them.",
    "Special tokens",
)


def cls(hidden: HiddenStates, sentences: Ints, *, layer: int) -> Float:
    """Return the vector of each sentence's first token, a special token such as [CLS], (m, d).

    Raises:
        OptionError: The model puts no special token before a sentence.
    """
    first = hidden.bounds[sentences]
    if not hidden.special[first].all():
        raise OptionError(f"{hidden.origin.name} puts no special token before a sentence. Take another pooling.")
    return np.asarray(hidden.layer(layer)[first], np.float32)


def mean(hidden: HiddenStates, sentences: Ints, *, layer: int, special: str) -> Float:
    """Return the mean of each sentence's token vectors, (m, d)."""
    return _each(hidden, hidden.layer(layer), sentences, special, lambda rows: rows.mean(axis=0))


def largest(hidden: HiddenStates, sentences: Ints, *, layer: int, special: str) -> Float:
    """Return the largest value over the tokens of a sentence, for each sentence and dimension, (m, d)."""
    return _each(hidden, hidden.layer(layer), sentences, special, lambda rows: rows.max(axis=0))


def first_last(hidden: HiddenStates, sentences: Ints, *, first: str, special: str) -> Float:
    """Average two layers, then return the mean over each sentence's tokens, (m, d).

    Args:
        first: The layer to average with the last: *first layer* (layer 1) or *input* (layer 0).
    """
    number = {"first layer": 1, "input": 0}[first]
    ends = np.mean([hidden.layer(number), hidden.layer(hidden.depth)], axis=0, dtype=np.float32)
    return _each(hidden, ends, sentences, special, lambda rows: rows.mean(axis=0))


def last_four(hidden: HiddenStates, sentences: Ints, *, special: str) -> Float:
    """Average the last four layers (never the input), then return the mean over each sentence's tokens, (m, d)."""
    numbers = range(max(1, hidden.depth - 3), hidden.depth + 1)
    layers = np.mean([hidden.layer(number) for number in numbers], axis=0, dtype=np.float32)
    return _each(hidden, layers, sentences, special, lambda rows: rows.mean(axis=0))


def mixed(hidden: HiddenStates, sentences: Ints, *, weights: str, gamma: float, special: str) -> Float:
    """Mix all layers as in ELMo (`scalar_mix`), then return the mean over each sentence's tokens, (m, d).

    Raises:
        OptionError: `weights` is neither one number nor one number for each layer.
    """
    layers = [hidden.layer(number) for number in range(hidden.depth + 1)]
    mix = scalar_mix(layers, _numbers(weights, len(layers)), gamma)
    return _each(hidden, mix, sentences, special, lambda rows: rows.mean(axis=0))


def scalar_mix(layers: Sequence[Any], weights: Sequence[float], gamma: float = 1.0) -> Float:
    """Return the scalar mix of layers, γ Σ softmax(w)ⱼ layerⱼ, in the shape of one layer (Peters et al. 2018).

    Raises:
        OptionError: The numbers of layers and weights differ.
    """
    if len(layers) != len(weights):
        raise OptionError(
            f"{len(weights):,} weights and {len(layers):,} layers were given. Give one weight for each layer."
        )
    shifted = np.exp(np.asarray(weights, np.float64) - max(weights))
    shares = gamma * shifted / shifted.sum()
    total = np.zeros(np.shape(layers[0]), np.float32)
    for part, layer in zip(shares, layers, strict=True):
        total += np.float32(part) * np.asarray(layer, np.float32)
    return total


POOLINGS: dict[str, Method] = table(
    Method(
        "mean",
        "Mean",
        mean,
        (_LAYER, SPECIAL),
        "The mean of the tokens of a sentence; many sentence models are trained with it.",
        "Reimers and Gurevych 2019",
    ),
    Method(
        "cls",
        "CLS",
        cls,
        (_LAYER,),
        "The vector of the first token. Without fine-tuning it says little about the sentence.",
        "Devlin et al. 2019",
    ),
    Method(
        "max",
        "Max",
        largest,
        (_LAYER, SPECIAL),
        "In each dimension the largest value of all tokens: one token can decide it.",
        "Reimers and Gurevych 2019",
    ),
    Method(
        "first-last",
        "First and last layer",
        first_last,
        (
            Choice(
                "first",
                ("first layer", "input"),
                "first layer",
                "Layer 1, as in BERT-flow and BERT-whitening, or the input, as in the tables of SimCSE.",
                "From",
            ),
            SPECIAL,
        ),
        "The mean of the tokens in the first and in the last layer.",
        "Li et al. 2020; Su et al. 2021",
    ),
    Method("last-4", "Last four layers", last_four, (SPECIAL,), "The mean of the tokens in the last four layers."),
    Method(
        "mix",
        "Scalar mix",
        mixed,
        (
            TextOption(
                "weights",
                "0",
                "One number for each layer, or one for all; softmax gives the weights.",
                "w",
            ),
            Parameter("gamma", 0.01, 100.0, 1.0, "Scales the whole vector; no cosine depends on it.", "γ"),
            SPECIAL,
        ),
        "A weighted mean of all layers, as in ELMo: softmax(w), times a scale γ.",
        "Peters et al. 2018",
    ),
)


def own_pooling(named: str) -> str:
    """Return the name of the pooling to use for a model: the model's own if it is mean, cls or max; else mean.

    Args:
        named: A result of `encoder.pooling_of`.
    """
    return named if named in ("mean", "cls", "max") else "mean"


def advice(named: str) -> str:
    """Say what a pooling is and which pooling suits a model.

    Args:
        named: A result of `encoder.pooling_of`.
    """
    name = own_pooling(named)
    title = POOLINGS[name].title
    use = (
        f"Rely on {title} at the last layer: this model was trained with it."
        if name == named
        else f"Rely on {title}: the {named} pooling that this model was trained with is not offered here."
        if named
        else f"Rely on {title}, as sentence-transformers does, because the model names no pooling."
    )
    return f"A pooling makes one vector from all tokens of a sentence. {use}"


def counted_note(named: str, special: str = SPECIAL.default) -> str:
    """Say whether the pooling `named` includes special tokens; empty for CLS."""
    return "" if named == "cls" else f"Special tokens are {'' if special == 'with' else 'not '}counted."


def own_pooling_note(named: str, special: str = SPECIAL.default) -> str:
    """Return sentences: which pooling a model uses, why, and whether this pooling includes special tokens.

    Args:
        named: The pooling that the files of the model name; empty if they name none.
    """
    title = POOLINGS[own_pooling(named)].title
    in_text = title if title == "CLS" else title.lower()
    counted = f" {counted_note(named, special)}".rstrip()
    if own_pooling(named) == named:
        return f"The model’s own pooling is {in_text}.{counted}"
    if named:
        return (
            f"This model was trained with {named} pooling, which is not offered here; {in_text} replaces it.{counted}"
        )
    return f"The files of the model name no pooling; {in_text} is used, as in sentence-transformers.{counted}"


own_said = own_pooling_note  # former name


def pool(hidden: HiddenStates, method: str = "mean", **options: Any) -> VectorSpace:
    """Return a space with a row for each sentence that has a token; the columns are *sentence* (number) and *text*.

    Args:
        method: A name of `POOLINGS`.
        options: Options of the pooling.

    Raises:
        OptionError: The pooling is unknown or the model does not have it, an option is out of range, or the hidden
            states lack a layer.
    """
    row = choose(POOLINGS, method, "pooling")
    values = check(row, options, range(hidden.depth + 1))
    sentences = np.flatnonzero(hidden.counts > 0)
    matrix = row.function(hidden, sentences, **values)
    model, left = hidden.origin, len(hidden.sentences) - len(sentences)
    have = "has" if left == 1 else "have"
    empty = f"{left:,} of {len(hidden.sentences):,} sentences {have} no token and no row." if left else ""
    note = " ".join(filter(None, [model.note, empty]))
    parameters = {**model.parameters, "pooling": method, **values}
    name = f"Sentences, {row.title.lower() if row.title != 'CLS' else 'CLS'} of {model.name}"
    origin = Origin("sentences", name, "none", parameters, model.checksum, model.versions, note)
    metadata: dict[str, Any] = {
        "sentence": sentences,
        "text": [hidden.sentences[number] for number in sentences.tolist()],
    }
    keys = [f"sentence#{number + 1}" for number in sentences.tolist()]
    return VectorSpace(keys, matrix, None, metadata, origin)


def _each(
    hidden: HiddenStates, states: Any, sentences: Ints, special: str, function: Callable[[Float], Float]
) -> Float:
    """Return the value of `function` for the token vectors of each sentence, (m, d).

    Args:
        special: *with* or *without*: whether these vectors include those of special tokens.
    """
    found = np.empty((len(sentences), hidden.dimensions), np.float32)
    for row, number in enumerate(sentences.tolist()):
        span = hidden.span(number)
        rows = np.asarray(states[span], np.float32)
        found[row] = function(rows if special == "with" else rows[~hidden.special[span]])
    return found


def _numbers(text: str, count: int) -> list[float]:
    try:
        found = [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        found = []
    found = found * count if len(found) == 1 else found
    if len(found) != count or not all(math.isfinite(number) for number in found):
        raise OptionError(
            f"weights is {text!r}; {count} numbers are needed: one for each layer from the input on, or one for all."
        )
    return found
