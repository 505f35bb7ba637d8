"""Verdicts on texts: the words that tell two words apart, groups of texts, and search."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from embedviz.core.space import Float, VectorSpace
from embedviz.corpus.ratios import ratios
from embedviz.corpus.tokenized import write_corpus
from embedviz.geometry.cluster_count import cluster_count
from embedviz.retrieval.accuracy import Retrieval
from embedviz.retrieval.themes import group_scores
from verdicts.base import Case, N, Verdict, clusters, decaying, gaussian, space_of

WORDS = 120


def tells(seed: int, lean: float, repeats: int = 1) -> bool:
    """Whether any word is said to tell two words apart, in lines of words drawn at random.

    Args:
        lean: By how much one word prefers the first of the two.
        repeats: How often a line says the same over again.
    """
    random = np.random.default_rng(seed)
    lines = []
    for _ in range(150):
        which = int(random.integers(2))
        line = [("ice", "steam")[which], *(f"w{number}" for number in random.zipf(1.5, 8) % WORDS)]
        if lean and random.random() < (lean if which else 0.1):
            line.append("gas")
        lines.append(line * repeats)
    with tempfile.TemporaryDirectory() as folder:
        corpus = write_corpus(lines, Path(folder) / "drawn", name="drawn")
        return any(row.tells for row in ratios(corpus, "ice", "steam").rows)


def grouped(matrix: Float, groups: Float) -> VectorSpace:
    """Make a space of texts that have groups."""
    space = space_of(matrix)
    return VectorSpace(space.words, space.matrix, metadata={"group": [f"g{group}" for group in groups]})


def near_group(matrix: Float, groups: Float, seed: int) -> bool:
    """Whether near texts are said to be of one group more often than chance gives."""
    return group_scores(grouped(matrix, groups), seed=seed).beyond_chance


def searched(seed: int, best: float) -> bool:
    """Whether the best of five methods is said to be better than chance, over 200 queries."""
    random = np.random.default_rng(seed)
    names = [f"m{number}" for number in range(5)]
    values = {name: (random.random((200, 10)) < (best if name == "m0" else 0.1)).mean(axis=1) for name in names}
    return Retrieval("group", 10, values, {name: name for name in names}, 0.1, 500).beyond_chance


def drawn_groups(seed: int) -> bool:
    """Groups dealt at random."""
    random = np.random.default_rng(seed)
    return near_group(gaussian(random), random.integers(0, 5, 200), seed)


def drawn_halves(seed: int) -> bool:
    """Two groups dealt at random among few rows, as of a small graph."""
    random = np.random.default_rng(seed)
    return near_group(gaussian(random, 34, 16), random.permutation(34) % 2, seed)


def count_proposed(draw: Callable[[np.random.Generator], Float], seed: int) -> bool:
    """Whether any number of clusters is proposed."""
    return cluster_count(space_of(draw(np.random.default_rng(seed))), seed=seed).proposed is not None


VERDICTS = (
    Verdict(
        "number-of-clusters",
        "Documents: a number of clusters is proposed",
        "3 clusters are proposed",
        "Documents",
        "All numbers from 2 to 12 are one family.",
        (
            *(
                Case(f"{name}, {N} × 50", False, partial(count_proposed, draw), 40)
                for name, draw in (("Gaussian cloud", gaussian), ("falling variances", decaying))
            ),
            Case("five clusters", True, partial(count_proposed, clusters), 10),
        ),
    ),
    Verdict(
        "ratios",
        "Ratios: words that tell two words apart",
        "Nearer to steam: gas",
        "Corpus",
        "All words that could have been chosen are one family.",
        (
            Case("words drawn at random", False, lambda seed: tells(seed, 0)),
            Case("the same, each line said four times", False, lambda seed: tells(seed, 0, 4)),
            Case("one word six times as often with one of the two", True, lambda seed: tells(seed, 0.6)),
        ),
    ),
    Verdict(
        "groups-of-texts",
        "Documents: near texts are of one group",
        "The nearest text is in the same group for …, without “not significantly more than chance”",
        "Documents, Learn: Nodes of a graph",
        "One test.",
        (
            Case("groups dealt at random", False, drawn_groups),
            Case("two groups dealt at random, 34 × 16", False, drawn_halves),
            Case(
                "five clusters",
                True,
                lambda seed: near_group(clusters(np.random.default_rng(seed)), np.arange(200) % 5, seed),
            ),
        ),
    ),
    Verdict(
        "search",
        "Search: better than chance",
        "… of the nearest texts by … are of the query’s group (chance: …)",
        "Search",
        "The best of five methods is named: all five are one family.",
        (
            Case("five methods that find at random", False, lambda seed: searched(seed, 0.1)),
            Case("one method finds twice as much", True, lambda seed: searched(seed, 0.2)),
        ),
    ),
)
