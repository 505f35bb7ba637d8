"""Verdicts on contextual vectors: the senses of a word by layer, layers that differ, and the nearest input vector."""

from __future__ import annotations

from functools import cache

import numpy as np

from embedviz.contextual import layers as by_layer
from embedviz.contextual.encoder import encode, load
from embedviz.contextual.occurrences import occurrences
from embedviz.contextual.senses import known_sentences
from embedviz.contextual.word_path import comparison as others
from embedviz.core.hidden import HiddenStates
from embedviz.core.space import Float, Origin
from embedviz.core.stats.permutation import exchange
from embedviz.geometry.separation import separations
from verdicts.base import Case, Verdict

SHUFFLES = 400
TEXTS, SENTENCES, LONG, VOCABULARY, DEPTH, DIMENSIONS = 60, 4, 12, 150, 6, 50
"""Of made-up hidden states: sentences of a text, words of a sentence, and the rest."""


@cache
def bank(word: str = "bank") -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Return the occurrences of a word at each layer, their senses and their frames."""
    sentences, labels, frames = known_sentences(word)
    found = occurrences(encode(load("builtin"), list(sentences)), word)
    return [found.vectors(layer) for layer in range(7)], np.array(labels), np.array(frames)


def starred(layers: list[np.ndarray], labels: np.ndarray, frames: np.ndarray | None, seed: int) -> bool:
    """Whether any score of any layer is said to be beyond chance."""
    found = separations(layers, labels, frames=frames, permutations=SHUFFLES, seed=seed)
    return any(score.beyond for each in found for score in each.scores)


def shuffled(seed: int) -> bool:
    """Senses dealt anew within each frame, as they were written."""
    layers, labels, frames = bank()
    order = exchange(len(labels), None, frames).draw(1, np.random.default_rng([seed, 7]))[:, 0]
    return starred(layers, labels[order], frames, seed)


def noise(seed: int) -> bool:
    """Occurrences without meaning, without frames."""
    _, labels, _ = bank()
    random = np.random.default_rng(seed)
    return starred([random.normal(size=(len(labels), 384)) for _ in range(7)], labels, None, seed)


def true(seed: int) -> bool:
    """The senses as they are, of each of six words in turn."""
    words = ("bank", "bat", "crane", "mouse", "spring", "plant")
    return starred(*bank(words[seed % len(words)]), seed)


def made_up(seed: int, rise: float) -> HiddenStates:
    """Make layers of sentences of random words: a vector of the word, one of the text and noise.

    Words are the same at every layer; texts and noise are drawn anew for each.

    Args:
        rise: How much longer a shared direction becomes from layer to layer; 0: no layer differs from another.
    """
    random = np.random.default_rng(seed)
    count = TEXTS * SENTENCES
    ids = np.minimum(random.zipf(1.3, count * LONG), VOCABULARY) - 1
    texts = np.repeat(np.arange(TEXTS), SENTENCES * LONG)
    words = random.normal(size=(VOCABULARY, DIMENSIONS)) + 0.5
    layers = np.stack(
        [
            words[ids]
            + 0.5 * random.normal(size=(TEXTS, DIMENSIONS))[texts]
            + random.normal(size=(len(ids), DIMENSIONS))
            + rise * layer
            for layer in range(DEPTH + 1)
        ]
    ).astype(np.float32)
    written = [f"w{number:03d}" for number in ids.tolist()]
    starts = np.tile(np.arange(LONG) * 5, count)
    return HiddenStates(
        [" ".join(written[at : at + LONG]) for at in range(0, len(written), LONG)],
        np.arange(0, len(ids) + 1, LONG),
        written,
        ids,
        np.stack([starts, starts + 4], axis=1),
        np.tile(np.arange(LONG), count),
        np.zeros(len(ids), bool),
        layers,
        tuple(range(DEPTH + 1)),
        DEPTH,
        origin=Origin("synthetic", "drawn"),
    )


def differ(seed: int, rise: float, name: str) -> bool:
    """Whether any two layers are said to differ in a measure."""
    of = np.repeat(np.arange(TEXTS), SENTENCES)
    hidden = made_up(seed, rise)
    found = by_layer._measured(hidden, load("builtin"), "drawn", of, len(of), None, {}, seed, None)
    return bool(found.beyond(name).any())


def on_layers(name: str, title: str, rise: float = 0.1) -> tuple[Case, ...]:
    """Ask whether layers differ in a measure, where they do not and where they do."""
    return (
        Case(f"seven layers alike: {title}", False, lambda seed: differ(seed, 0.0, name)),
        Case(f"a direction grows: {title}", True, lambda seed: differ(seed, rise, name), 40),
    )


def near(vectors: Float) -> bool:
    """Whether any row of the input table is said to be nearer to a word than chance, at any layer."""
    encoder = load("builtin")
    found = others.nearest_rows(encoder, others.other_words(encoder), vectors, np.array([-1]), 5)
    return any(layer.beyond for layer in found)


def copied(seed: int) -> Float:
    """Draw a vector that belongs to no word from the cloud of other words."""
    return others._copies(others.other_words(load("builtin")).vectors, 1, np.random.default_rng([seed, 3]))[:, 0]


def crossed(seed: int) -> Float:
    """Draw a vector that has each of its principal coordinates from another word; the same words at all layers."""
    layers, words, d = others.other_words(load("builtin")).vectors.shape
    rows = others.other_words(load("builtin")).vectors.transpose(1, 0, 2).reshape(words, layers * d)
    middle = rows.mean(axis=0)
    scores, held, directions = np.linalg.svd(rows - middle, full_matrices=False)
    chosen = np.random.default_rng(seed).integers(0, words, len(held))
    return (middle + (scores[chosen, np.arange(len(held))] * held) @ directions).reshape(layers, d).astype(np.float32)


def as_read(seed: int) -> Float:
    """Return a word of a sentence of the program."""
    vectors = others.other_words(load("builtin")).vectors
    return vectors[:, seed % vectors.shape[1]]


VERDICTS = (
    Verdict(
        "senses",
        "Senses: beyond chance at some layer",
        "A star at a score · The senses separate beyond chance at layers …",
        "Senses, `senses`",
        "Five scores at seven layers are one family.",
        (
            Case("senses of “bank” dealt anew within their frames", False, shuffled),
            Case("noise with the senses of “bank”", False, noise, 60),
            Case("six words as they are", True, true, 6),
        ),
    ),
    Verdict(
        "layers",
        "Layers: two of them differ",
        "The difference is beyond chance, over all pairs of layers",
        "Layers, `layers`",
        "All pairs of layers in the measure on show are one family.",
        (
            *on_layers("baseline", "anisotropy baseline"),
            *on_layers("self_similarity", "self-similarity"),
            *on_layers("intra", "intra-sentence similarity"),
            *on_layers("norm_spread", "spread of lengths", 0.5),
        ),
    ),
    Verdict(
        "nearest-input",
        "Path: nearer to a row of the input table than chance",
        "The row's cosine above “chance”",
        "Path, `path`",
        "The listed rows at all layers are one family.",
        (
            Case("a draw from the cloud of other words", False, lambda seed: near(copied(seed))),
            Case("principal coordinates of different words", False, lambda seed: near(crossed(seed))),
            Case("words of sentences", True, lambda seed: near(as_read(seed)), 100),
        ),
    ),
)
