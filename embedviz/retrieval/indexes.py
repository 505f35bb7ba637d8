"""Indexes of texts, one for each search method; `SEARCHES` is the table of these methods."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import Method, OptionError, choose, table
from embedviz.core.space import VectorSpace
from embedviz.core.texts import Passage, ScorePart, Texts
from embedviz.corpus.function_words import function_words
from embedviz.retrieval.bm25 import BM25, K1, B

_AS_COMMON = 100
"""A random query replaces a word by one of the 100 rarer and 100 more frequent words next to it in frequency."""

Scores = NDArray[np.float64]


class SearchIndex(Protocol):
    """An index of n texts that scores them for a query."""

    def scores(self, query: str) -> Scores:
        """Return the score of every text, (n,); 0 for a text that has nothing in common with the query."""

    def several(self, queries: Sequence[str]) -> Any:
        """Return the score of every text for each of m queries, (m, n)."""

    def parts(self, query: str, row: int) -> list[ScorePart]:
        """Return what each word of the query adds to the score, the largest first.

        The list is empty if the score is no sum over words.
        """

    def text_parts(self, query: str, row: int) -> list[ScorePart]:
        """Return what each word of the text adds to the score, the largest first.

        The list is empty if the score is no sum over words.
        """

    def knows(self, word: str) -> bool:
        """Return whether the word, as part of a query, can change a score."""

    def passages(self, query: str, row: int) -> list[Passage]:
        """Return the sentences of the text `row`, nearest to the query first; empty for methods that compare words."""


class TextIndex(SearchIndex, Protocol):
    """An index whose scores are cosines of the query with text vectors."""

    @property
    def space(self) -> VectorSpace:
        """Return the space of the text vectors; row i is text i."""


@dataclass(frozen=True, eq=False)
class Indexed:
    """Texts with their indexes.

    Attributes:
        bm25: The index of their words.
        spaces: Name of a method in `SEARCHES` → its index; row i of the space is text i.
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
        """Return the rows of `SEARCHES` that have an index of these texts."""
        return [row for name, row in SEARCHES.items() if name == "bm25" or name in self.spaces]

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """Return the row of each text by its key."""
        return {key: row for row, key in enumerate(self.texts.keys)}

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Return the function words of these texts: words that do not tell the topic of a text."""
        return function_words(self.bm25.listed, self.bm25.document_frequency, len(self.texts))

    @cached_property
    def by_frequency(self) -> NDArray[np.int64]:
        """Return the indices of the words in the vocabulary of `bm25` by document frequency, rarest first."""
        return np.argsort(self.bm25.document_frequency, kind="stable").astype(np.int64)

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        ranks = np.empty(len(self.by_frequency), np.int64)
        ranks[self.by_frequency] = np.arange(len(ranks))
        return ranks

    def as_common(self, word: str) -> list[str]:
        """Return about 2 · `_AS_COMMON` words that are in about as many texts as the given word.

        In a small vocabulary these are all other words. For a word in no text, they are the rarest words.
        """
        place = self.bm25.index.get(word)
        rank = 0 if place is None else int(self._ranks[place])
        low = max(0, min(rank - _AS_COMMON, len(self._ranks) - 2 * _AS_COMMON - 1))
        near = self.by_frequency[low : low + 2 * _AS_COMMON + 1]
        return [self.bm25.listed[other] for other in near.tolist() if other != place]


def indexed_with(indexed: Indexed, k1: float, b: float) -> Indexed:
    """Return the same indexes with these constants of BM25: the same object if it has them already.

    Raises:
        OptionError: k1 or b is out of range.
    """
    if (k1, b) == (indexed.bm25.k1, indexed.bm25.b):
        return indexed
    return Indexed(indexed.texts, indexed.bm25.turned(k1, b), indexed.spaces)


def index_of(indexed: Indexed, name: str) -> SearchIndex:
    """Return the index of a method.

    Raises:
        OptionError: There is no such method, or it has no index of these texts.
    """
    row = choose({row.name: row for row in indexed.methods}, name, "index of these texts")
    made: SearchIndex = row.function(indexed)
    return made


def _cosines(name: str) -> Callable[[Indexed], SearchIndex]:
    return lambda indexed: indexed.spaces[name]


SEARCHES = table(
    Method(
        "bm25",
        "BM25",
        lambda indexed: indexed.bm25,
        (K1, B),
        "Sums over the words of the query that a text contains. Rare words count more; long texts count less.",
        "Robertson and Zaragoza 2009",
    ),
    Method(
        "tfidf",
        "TF-IDF",
        _cosines("tfidf"),
        (),
        "Cosine of weighted word counts. Like BM25 it finds only texts that contain words of the query.",
        "Salton and Buckley 1988",
    ),
    Method(
        "lsa",
        "LSA",
        _cosines("lsa"),
        (),
        "Cosine of TF-IDF reduced to 100 dimensions. Words that occur in the same texts become similar.",
        "Deerwester and others 1990",
    ),
    Method(
        "mean",
        "Mean",
        _cosines("mean"),
        (),
        "Cosine of the average word vectors. It finds similar words; frequent words blur it.",
    ),
    Method(
        "sif",
        "SIF",
        _cosines("sif"),
        (),
        "Average word vectors with frequent words weighted down and the common direction removed.",
        "Arora, Liang and Ma 2017",
    ),
    Method(
        "encoder",
        "Encoder",
        _cosines("encoder"),
        (),
        "Cosine of text vectors by a language model. It can find a text without any word of the query.",
        "Reimers and Gurevych 2019",
    ),
)
BY_WORDS = tuple(name for name in SEARCHES if name != "encoder")
"""Methods that need no encoder."""
COMPARES = {
    "bm25": "Same words; rare words count more",
    "tfidf": "Same words; rare words count more",
    "lsa": "Words that occur together in these texts",
    "mean": "Similar words, by average word vectors",
    "sif": "Similar words, by average word vectors",
    "encoder": "Similar meaning, by a language model",
}
"""Method → what it compares, in a few words."""
