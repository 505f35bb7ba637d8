"""Texts made ready to be searched, and what answers queries over them. `SEARCHES` is the table of methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import Method, OptionError, choose, table
from embedviz.core.space import VectorSpace
from embedviz.core.texts import Part, Passage, Texts
from embedviz.retrieval.bm25 import BM25, K1, B

_AS_COMMON = 100
"""Words before and after one in the order of how many texts hold them, from which its stand-in is drawn."""

Scores = NDArray[np.float64]


class Index(Protocol):
    """What a method needs to answer queries over n texts."""

    def scores(self, query: str) -> Scores:
        """Return the score of every text, (n,); 0 for no answer."""

    def several(self, queries: Sequence[str]) -> Any:
        """Return the scores of several queries, (m, n), in one pass over the rows where the method allows it."""

    def parts(self, query: str, row: int) -> list[Part]:
        """Return what each word of the query adds to the score of a text, the greatest first; they sum to it."""

    def text_parts(self, query: str, row: int) -> list[Part]:
        """Return what each word of the text adds to the same score, the greatest first; they sum to it as well."""

    def knows(self, word: str) -> bool:
        """Return whether the word can change a score."""

    def passages(self, query: str, row: int) -> list[Passage]:
        """Return the sentences of the text, the nearest to the query first; none where a method reads words alone."""


class TextIndex(Index, Protocol):
    """An index whose answers are cosines with the rows of a space."""

    @property
    def space(self) -> VectorSpace:
        """A row for each text."""


@dataclass(frozen=True, eq=False)
class Indexed:
    """Texts that can be searched.

    Attributes:
        texts: What they say.
        bm25: Their words.
        spaces: Name of a method, as in `SEARCHES`, to the vectors it made of these texts, row for row.
    """

    texts: Texts
    bm25: BM25
    spaces: Mapping[str, TextIndex]

    def __post_init__(self) -> None:
        for name, rows in {
            "bm25": len(self.bm25),
            **{name: len(one.space) for name, one in self.spaces.items()},
        }.items():
            if rows != len(self.texts):
                raise OptionError(f"The index of {name} has {rows:,} texts; there are {len(self.texts):,}.")

    @property
    def methods(self) -> list[Method]:
        """The rows of `SEARCHES` that these texts can be searched by."""
        return [row for name, row in SEARCHES.items() if name == "bm25" or name in self.spaces]

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each text by its key."""
        return {key: row for row, key in enumerate(self.texts.keys)}

    @cached_property
    def by_frequency(self) -> NDArray[np.int64]:
        """Places of the words of `bm25` by the number of texts that hold them, rarest first."""
        return np.argsort(self.bm25.held, kind="stable").astype(np.int64)

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        ranks = np.empty(len(self.by_frequency), np.int64)
        ranks[self.by_frequency] = np.arange(len(ranks))
        return ranks

    def as_common(self, word: str) -> list[str]:
        """Return other words that stand in about as many texts as this one; the rarest for a word in no text."""
        place = self.bm25.index.get(word)
        rank = 0 if place is None else int(self._ranks[place])
        low = max(0, min(rank - _AS_COMMON, len(self._ranks) - 2 * _AS_COMMON - 1))
        near = self.by_frequency[low : low + 2 * _AS_COMMON + 1]
        return [self.bm25.listed[other] for other in near.tolist() if other != place]


def indexed_with(indexed: Indexed, k1: float, b: float) -> Indexed:
    """Return the same texts with other constants of BM25.

    Raises:
        OptionError: One of them is out of range.
    """
    return Indexed(indexed.texts, indexed.bm25.turned(k1, b), indexed.spaces)


def index_of(indexed: Indexed, name: str) -> Index:
    """Return what answers queries by the method of that name.

    Raises:
        OptionError: There is no such method, or the texts are not indexed for it.
    """
    row = choose({row.name: row for row in indexed.methods}, name, "index of these texts")
    made: Index = row.function(indexed)
    return made


def _cosines(name: str) -> Callable[[Indexed], Index]:
    return lambda indexed: indexed.spaces[name]


SEARCHES = table(
    Method(
        "bm25",
        "BM25",
        lambda indexed: indexed.bm25,
        (K1, B),
        "Counts the query's own words, rare ones more, in long texts less. It finds no text by another word.",
        "Robertson and Zaragoza 2009",
    ),
    Method(
        "tfidf",
        "TF-IDF",
        _cosines("tfidf"),
        (),
        "The cosine of weighted word counts: like BM25 it needs the very words.",
        "Salton and Buckley 1988",
    ),
    Method(
        "lsa",
        "LSA",
        _cosines("lsa"),
        (),
        "TF-IDF in 100 directions: words that stand in the same texts lie close, so a text may answer by another word.",
        "Deerwester and others 1990",
    ),
    Method(
        "mean",
        "Mean",
        _cosines("mean"),
        (),
        "The cosine of the means of the word vectors: words near in the space answer, common words blur it.",
    ),
    Method(
        "sif",
        "SIF",
        _cosines("sif"),
        (),
        "The mean with frequent words held back and the common direction taken out.",
        "Arora, Liang and Ma 2017",
    ),
    Method(
        "encoder",
        "Encoder",
        _cosines("encoder"),
        (),
        "The cosine of whole texts as a language model reads them: a text may answer without any word of the query.",
        "Reimers and Gurevych 2019",
    ),
)
BY_WORDS = tuple(name for name in SEARCHES if name != "encoder")
"""The methods that need no encoder: the server itself answers by them."""
