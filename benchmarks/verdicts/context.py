"""Verdicts on contextual vectors: the senses of a word by layer, layers that differ, and the nearest input vector."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import numpy as np

from embedviz.contextual import layers as by_layer
from embedviz.contextual import sentence_pairs
from embedviz.contextual.encoder import encode, load
from embedviz.contextual.occurrences import occurrences
from embedviz.contextual.senses import known_sentences, study
from embedviz.contextual.senses.result import SenseLayer
from embedviz.contextual.tuning.changes import changed_layer, pairs_change
from embedviz.contextual.word_path import comparison as others
from embedviz.core.hidden import HiddenStates
from embedviz.core.space import Float, Origin
from embedviz.core.stats.permutation import exchange
from embedviz.geometry.isotropy import LEANING
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


def leaning(seed: int, cosine: float) -> tuple[list[int], list[int]]:
    """Return the layers called below and above the limit, of seven whose words have this mean cosine.

    The tokens are normal numbers around a mean. The length of their mean unit vector is known (Kummer's function), and
    its square is the mean cosine.
    """
    from scipy.optimize import brentq
    from scipy.special import gammaln, hyp1f1

    def mean_cosine(length: float) -> float:
        scale = np.exp(gammaln((DIMENSIONS + 1) / 2) - gammaln(DIMENSIONS / 2 + 1)) / np.sqrt(2)
        return float((length * scale * hyp1f1(0.5, DIMENSIONS / 2 + 1, -(length**2) / 2)) ** 2)

    shift = brentq(lambda length: mean_cosine(length) - cosine, 0.0, 20.0) / np.sqrt(DIMENSIONS)
    hidden = made_up(seed, 0.0)
    drawn = np.random.default_rng([seed, 11]).normal(size=hidden.layers.shape) + shift
    of = np.repeat(np.arange(TEXTS), SENTENCES)
    hidden = replace(hidden, layers=drawn.astype(np.float32))
    return by_layer._measured(hidden, load("builtin"), "drawn", of, len(of), None, {}, seed, None).sides()


def leads(seed: int, signal: tuple[float, float], *, framed: bool) -> bool:
    """Return whether a layer is said to be better than the other words alone.

    Args:
        signal: The distance of two senses at the layers, and in the other words.
        framed: Whether every sense is written into the same frames.
    """
    random = np.random.default_rng([seed, 17])
    count, size = 22, 384
    labels = np.repeat(["river", "money"], count)
    frames = np.tile(np.arange(count), 2) if framed else None
    side = np.where(labels == "river", 0.5, -0.5)[:, None] * random.normal(size=size) / np.sqrt(size)
    shared = random.normal(size=(count, size))[np.tile(np.arange(count), 2)] if framed else 0.0
    drawn = [
        strength * side * np.sqrt(size) + shared + random.normal(size=(2 * count, size))
        for strength in (*[signal[0]] * 7, signal[1])
    ]
    *scored, control = separations(drawn, labels, frames=frames, permutations=SHUFFLES, seed=seed)
    layers = tuple(SenseLayer(at, None, each) for at, each in enumerate(scored))
    every = np.arange(2 * count)
    units = every if frames is None else frames
    return any(one.beyond for one in study._against(layers, control, every, units, SHUFFLES, seed))


@cache
def scored_pairs() -> sentence_pairs.SentencePairs:
    """Return the sentence pairs of the program."""
    return sentence_pairs.example()


def agrees(seed: int, *, shuffled: bool) -> bool:
    """Return whether cosines are said to order the pairs more than by chance; shuffled scores are noise."""
    every = scored_pairs()
    order = np.random.default_rng([seed, 23]).permutation(len(every)) if shuffled else np.arange(len(every))
    dealt = tuple(one._replace(score=every.pairs[at].score) for one, at in zip(every.pairs, order, strict=True))
    given = replace(every, pairs=dealt)
    found = sentence_pairs.pairs(given, poolings=["mean"], corrections=["none"], seed=seed)
    return found.meaning().startswith("Yes")


def tuned(seed: int, noise: float, pairs: int) -> bool:
    """Return whether an encoder is said to order pairs better or worse after a tuning.

    Args:
        noise: Of the cosines after it; before it, 1.
    """
    random = np.random.default_rng([seed, 29])
    people = random.normal(size=pairs)
    before, after = (people + spread * random.normal(size=pairs) for spread in (1.0, noise))
    return pairs_change(people, before, after, seed=seed).verdict != 0


def leans(seed: int, rise: float) -> bool:
    """Return whether any of two tuned layers is said to be more or less anisotropic than before."""
    of = np.repeat(np.arange(TEXTS), SENTENCES)
    hidden = made_up(seed, rise)
    kept = by_layer.tokens_of(hidden, of, seed)
    words = by_layer.frequent_words(hidden, kept)
    both = [by_layer.measured_layer(at, hidden.layer(at)[kept.rows], kept, words, seed) for at in range(4)]
    found = [
        changed_layer(at, *(one.values["baseline"] for one, _ in pair), *(parts["baseline"] for _, parts in pair), 2)
        for at, pair in enumerate((both[:2], both[2:]))
    ]
    return any(one.verdict for one in found)


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
        "tuned-pairs",
        "Tuning: pairs are ordered better or worse",
        "… better, beyond chance",
        "Learn: Tune an encoder",
        "One test, of one difference.",
        (
            *(
                Case(f"equally good before and after, {pairs} pairs", False, partial(tuned, noise=1.0, pairs=pairs))
                for pairs in (24, 200)
            ),
            Case("a quarter of the noise after, 200 pairs", True, partial(tuned, noise=0.25, pairs=200), 40),
        ),
    ),
    Verdict(
        "tuned-layers",
        "Tuning: a layer is more or less anisotropic",
        "… two random words are farther from each other at layer …: … more than another sample of sentences would give",
        "Learn: Tune an encoder",
        "All tuned layers together.",
        (
            Case("two layers that stay", False, partial(leans, rise=0.0)),
            Case("a direction grows", True, partial(leans, rise=0.1), 40),
        ),
    ),
    Verdict(
        "senses",
        "Senses: beyond chance at some layer",
        "A star at a score · From layer … on the senses separate",
        "Senses, `senses`",
        "Five scores at seven layers are one family.",
        (
            Case("senses of “bank” dealt anew within their frames", False, shuffled),
            Case("noise with the senses of “bank”", False, noise, 60),
            Case("six words as they are", True, true, 6),
        ),
    ),
    Verdict(
        "senses-against",
        "Senses: a layer better than the other words",
        "Layer … is better, beyond chance” than the other words of the sentence alone · else “may be chance",
        "Senses, `senses`",
        "All layers, compared with the other words alone, are one family.",
        (
            Case("noise at the layers and in the other words", False, lambda seed: leads(seed, (0, 0), framed=False)),
            Case("both separate equally well", False, lambda seed: leads(seed, (0.15, 0.15), framed=False)),
            Case("both separate equally well, in frames", False, lambda seed: leads(seed, (0.15, 0.15), framed=True)),
            Case("only the layers separate", True, lambda seed: leads(seed, (0.4, 0), framed=False), 40),
        ),
    ),
    Verdict(
        "pairs",
        "Sentences: the order of scored pairs",
        "Yes, more than by chance: by mean, layer 6, ρ with people’s scores is …",
        "Sentences (scored pairs), `pairs`",
        "One pooling at one layer, the model's own.",
        (
            Case("scores of 24 pairs shuffled", False, lambda seed: agrees(seed, shuffled=True)),
            Case("24 pairs as they are", True, lambda seed: agrees(seed, shuffled=False), 10),
        ),
    ),
    Verdict(
        "layers-usable",
        "Layers: cosines can be used as they are",
        "Cosines of layers … can be used as they are · At layers … subtract the mean vector first",
        "Layers",
        "All layers are one family, on each side of the limit, a mean cosine of 0.1.",
        (
            Case("mean cosine at the limit: “as they are”", False, lambda seed: bool(leaning(seed, LEANING)[0])),
            Case("mean cosine at the limit: “subtract the mean”", False, lambda seed: bool(leaning(seed, LEANING)[1])),
            Case("mean cosine 0.05: “as they are”", True, lambda seed: len(leaning(seed, 0.05)[0]) == 7, 40),
            Case("mean cosine 0.2: “subtract the mean”", True, lambda seed: len(leaning(seed, 0.2)[1]) == 7, 40),
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
