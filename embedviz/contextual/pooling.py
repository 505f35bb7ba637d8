"""Makers: hidden states in, one vector a sentence out. `POOLINGS` is the table.

No padding is ever counted: hidden states keep none. Special tokens, [CLS] and [SEP], are counted unless it is said
otherwise: models of sentences are trained with them, and sentence-transformers counts them, also where it makes a mean
of a model whose folder names no pooling.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from embedviz.core.hidden import HiddenStates
from embedviz.core.options import Choice, Method, OptionError, Parameter, Text, check, choose, table
from embedviz.core.space import Float, Ints, Origin, VectorSpace

_LAYER = Parameter("layer", 0, lambda n: n - 1, 1_000, "0 is the input, the highest the last layer.", "Layer")
SPECIAL = Choice(
    "special",
    ("with", "without"),
    "with",
    "Whether [CLS] and [SEP] are counted, by every pooling but CLS. Models of sentences are trained with them.",
    "Special tokens",
)


def cls(hidden: HiddenStates, sentences: Ints, *, layer: int) -> Float:
    """Return the vector of the first token, which the model's own frame put there.

    Raises:
        OptionError: The model has no such token.
    """
    first = hidden.bounds[sentences]
    if not hidden.special[first].all():
        raise OptionError(f"{hidden.origin.name} puts no special token before a sentence; take another pooling.")
    return np.asarray(hidden.layer(layer)[first], np.float32)


def mean(hidden: HiddenStates, sentences: Ints, *, layer: int, special: str) -> Float:
    """Return the mean of the tokens' vectors."""
    return _each(hidden, hidden.layer(layer), sentences, special, lambda rows: rows.mean(axis=0))


def largest(hidden: HiddenStates, sentences: Ints, *, layer: int, special: str) -> Float:
    """Return the largest value of each dimension among the tokens."""
    return _each(hidden, hidden.layer(layer), sentences, special, lambda rows: rows.max(axis=0))


def first_last(hidden: HiddenStates, sentences: Ints, *, first: str, special: str) -> Float:
    """Return the mean over tokens of the mean of two layers, the first and the last."""
    number = {"first layer": 1, "input": 0}[first]
    ends = np.mean([hidden.layer(number), hidden.layer(hidden.depth)], axis=0, dtype=np.float32)
    return _each(hidden, ends, sentences, special, lambda rows: rows.mean(axis=0))


def last_four(hidden: HiddenStates, sentences: Ints, *, special: str) -> Float:
    """Return the mean over tokens of the mean of the last four layers; of all but the input where there are fewer."""
    numbers = range(max(1, hidden.depth - 3), hidden.depth + 1)
    layers = np.mean([hidden.layer(number) for number in numbers], axis=0, dtype=np.float32)
    return _each(hidden, layers, sentences, special, lambda rows: rows.mean(axis=0))


def mixed(hidden: HiddenStates, sentences: Ints, *, weights: str, gamma: float, special: str) -> Float:
    """Return the mean over tokens of ELMo's scalar mix of all layers.

    Raises:
        OptionError: The weights are not one number a layer.
    """
    layers = [hidden.layer(number) for number in range(hidden.depth + 1)]
    mix = scalar_mix(layers, _numbers(weights, len(layers)), gamma)
    return _each(hidden, mix, sentences, special, lambda rows: rows.mean(axis=0))


def scalar_mix(layers: Sequence[Any], weights: Sequence[float], gamma: float = 1.0) -> Float:
    """Mix layers: γ Σ softmax(w)ⱼ layerⱼ, of the layers' own shape (Peters et al. 2018).

    Raises:
        OptionError: Layers and weights are not as many.
    """
    if len(layers) != len(weights):
        raise OptionError(
            f"{len(weights):,} weights and {len(layers):,} layers were given; one weight a layer is needed."
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
        "The mean of a sentence's tokens: what many sentence models are trained with.",
        "Reimers and Gurevych 2019",
    ),
    Method(
        "cls",
        "CLS",
        cls,
        (_LAYER,),
        "The vector of the first token, which attends to all others. Untuned, it says little about the sentence.",
        "Devlin et al. 2019",
    ),
    Method(
        "max",
        "Max",
        largest,
        (_LAYER, SPECIAL),
        "The largest value of each dimension: one token can decide it.",
        "Reimers and Gurevych 2019",
    ),
    Method(
        "first-last",
        "First and last",
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
        "The mean of two layers' means.",
        "Li et al. 2020; Su et al. 2021",
    ),
    Method("last-4", "Last four", last_four, (SPECIAL,), "The mean of the last four layers' means."),
    Method(
        "mix",
        "Scalar mix",
        mixed,
        (
            Text(
                "weights", "0", "A number a layer, from the input on, or one for all; softmax makes them shares.", "w"
            ),
            Parameter("gamma", 0.01, 100.0, 1.0, "Scales the whole vector; no cosine depends on it.", "γ"),
            SPECIAL,
        ),
        "ELMo's mix: all layers, each with its share, softmax(w), and a scale γ.",
        "Peters et al. 2018",
    ),
)


def own_pooling(named: str) -> str:
    """Return the name of the model's own pooling in `POOLINGS`; the mean where there is none.

    Args:
        named: What `encoder.pooling_of` gives.
    """
    return named if named in ("mean", "cls", "max") else "mean"


def own_said(named: str, special: str = SPECIAL.default) -> str:
    """Say in a sentence which pooling is the model's own, and whether special tokens are counted."""
    title = POOLINGS[own_pooling(named)].title
    counted = "" if named == "cls" else f" Special tokens are {'' if special == 'with' else 'not '}counted."
    if own_pooling(named) == named:
        return f"The model's own pooling: {title}.{counted}"
    if named:
        return f"The model's own pooling, {named}, is not offered here; {title.lower()} takes its place.{counted}"
    return f"The model's files name no pooling; {title.lower()} is used, as sentence-transformers does.{counted}"


def pool(hidden: HiddenStates, method: str = "mean", **options: Any) -> VectorSpace:
    """Return a space with a row for each sentence that has a token; columns *sentence* (its number) and *text*.

    Raises:
        OptionError: An unknown pooling, an option out of range, or a layer that was not kept.
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
    """Return the function of each sentence's rows, (m, d)."""
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
            f"weights is {text!r}; {count} numbers are needed, one a layer from the input on, or one for all."
        )
    return found
