"""Verdicts on contextual vectors: the senses of a word by layer, and the nearest input vector."""

from __future__ import annotations

from functools import cache

import numpy as np

from embedviz.contextual.encoder import encode, load
from embedviz.contextual.occurrences import occurrences
from embedviz.permutation import exchange
from embedviz.separation import separations
from embedviz.studies.senses import known_sentences
from verdicts.base import Case, Verdict

SHUFFLES = 400


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
)
