"""BM25 scores texts by the words of the query that they contain; rare words count more, long texts less.

score = Σ over the query's words of  idf · tf / (tf + k1 · (1 − b + b · length / mean length)),
idf = ln(1 + (N − df + 0.5) / (df + 0.5)). Robertson and Zaragoza 2009, in the form of Lucene 8 and later: the idf is
never negative. The factor k1 + 1 is left out, since it does not change the order. A word that occurs twice in the query
counts twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.options import Parameter
from embedviz.core.progress import Report
from embedviz.core.space import Ints, SpaceError, WordBlob, folder_writer
from embedviz.core.store import FOLDER_FORMAT, read_array, read_blob, read_card, whole, write_card, write_parts
from embedviz.core.texts import Passage, ScorePart, Texts, tokens
from embedviz.corpus import Terms, count_terms

Scores = NDArray[np.float64]

K1 = Parameter("k1", 0.0, 10.0, 1.2, "How much repeated words in a text add; 0: nothing.", "BM25: k1")
B = Parameter("b", 0.0, 1.0, 0.75, "How much long texts are weighted down; 0: not at all.", "BM25: b")
_CARD = "bm25.json"
_ARRAYS = ("starts", "rows", "counts", "lengths")


@dataclass(frozen=True, eq=False)
class BM25:
    """An inverted index: for each word the texts that contain it (compressed sparse columns).

    An entry is a pair of a word and a text that contains it.

    Attributes:
        words: V words in alphabetical order.
        starts: Position of each word's first entry, followed by the number of entries, (V + 1,).
        rows: Row number of each entry's text, (entries,) int32, ascending within a word.
        counts: Count of each entry's word in its text, (entries,) int32.
        lengths: Number of words of each text, (n,) int32.
        k1, b: See `K1` and `B`.
    """

    words: WordBlob
    starts: Ints
    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    lengths: NDArray[np.int32]
    k1: float = 1.2
    b: float = 0.75

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Return the position of each word in `words`."""
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def listed(self) -> list[str]:
        """Return the vocabulary as a list, decoded once and cached."""
        return list(self.index)

    @cached_property
    def document_frequency(self) -> Ints:
        """Return the document frequency (df) of each word, (V,)."""
        return np.diff(self.starts)

    @cached_property
    def _slowness(self) -> Scores:
        """Return k1 · (1 − b + b · length / mean length) of each text, (n,)."""
        mean = self.lengths.mean(dtype=np.float64) if len(self) else 0.0
        return self.k1 * (1 - self.b + self.b * self.lengths / (mean or 1.0))

    @cached_property
    def _shares(self) -> Scores:
        """Return for each entry what the word adds to the score of the text, idf · tf / (tf + …), (entries,)."""
        idf = np.log1p((len(self) - self.document_frequency + 0.5) / (self.document_frequency + 0.5))
        return np.repeat(idf, self.document_frequency) * self.counts / (self.counts + self._slowness[self.rows])

    def idf(self, word: str) -> float:
        """Return ln(1 + (N − df + 0.5) / (df + 0.5)); 0 for a word that is in no text."""
        place = self.index.get(word)
        if place is None:
            return 0.0
        held = int(self.document_frequency[place])
        return float(np.log1p((len(self) - held + 0.5) / (held + 0.5)))

    def knows(self, word: str) -> bool:
        """Return whether any text contains the word."""
        return word in self.index

    def scores(self, query: str) -> Scores:
        """Return the score of every text, (n,); 0 for a text that shares no word with the query."""
        total = np.zeros(len(self))
        for word, times in _known_words(query, self.index).items():
            where, share = self._added(word)
            total[where] += times * share
        return total

    def several(self, queries: Sequence[str]) -> Scores:
        """Return the score of every text for each of m queries, (m, n)."""
        return np.stack([self.scores(query) for query in queries])

    def parts(self, query: str, row: int) -> list[ScorePart]:
        """Return what each known word of the query adds to the score of the text `row`, the largest part first."""
        parts = []
        for word, times in _known_words(query, self.index).items():
            where, share = self._added(word)
            found = int(np.searchsorted(where, row))
            added = times * float(share[found]) if found < len(where) and where[found] == row else 0.0
            parts.append(ScorePart(word, added))
        return sorted(parts, key=lambda part: -part.share)

    def text_parts(self, query: str, row: int) -> list[ScorePart]:
        """Return what each word of the query that is in the text `row` adds to the score, the largest part first."""
        return [part for part in self.parts(query, row) if part.share]

    def passages(self, query: str, row: int) -> list[Passage]:
        """Return an empty list: BM25 compares words, not sentences."""
        return []

    def _added(self, word: str) -> tuple[NDArray[np.int32], Scores]:
        """Return the rows of the texts that contain a word, and what the word adds to the score of each text."""
        place = self.index[word]
        entries = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.rows[entries], self._shares[entries]

    def turned(self, k1: float, b: float) -> BM25:
        """Return the same index with other values of k1 and b.

        Raises:
            OptionError: k1 or b is out of range.
        """
        n = len(self)
        return BM25(self.words, self.starts, self.rows, self.counts, self.lengths, K1.check(k1, n), B.check(b, n))

    def save(self, folder: str | Path) -> BM25:
        """Write the index to a folder, and return the index opened from it. No incomplete folder is left behind.

        Raises:
            FileExistsError: The folder exists already.
        """
        with folder_writer(Path(folder)) as draft:
            write_parts(draft, words=self.words, **{name: getattr(self, name) for name in _ARRAYS})
            write_card(draft, {"format": FOLDER_FORMAT, "k1": self.k1, "b": self.b}, _CARD)
        return open_bm25(folder)


def bm25(
    texts: Texts,
    *,
    k1: float = K1.default,
    b: float = B.default,
    terms: Terms | None = None,
    report: Report | None = None,
) -> BM25:
    """Return the BM25 index of texts.

    Args:
        k1, b: See `K1` and `B`.
        terms: Word counts of these texts, if known; otherwise the words are counted.

    Raises:
        OptionError: k1 or b is out of range.
    """
    k1, b = K1.check(k1, len(texts)), B.check(b, len(texts))
    terms = count_terms(texts.texts, report=report) if terms is None else terms
    counts = terms.counts.tocsc()
    return BM25(
        WordBlob.of(terms.vocabulary),
        counts.indptr.astype(np.int64),
        counts.indices.astype(np.int32),
        counts.data.astype(np.int32),
        terms.lengths.astype(np.int32),
        k1,
        b,
    )


def open_bm25(folder: str | Path) -> BM25:
    """Return a saved index with its arrays memory-mapped.

    Raises:
        SpaceError: The folder holds no index, or a part of it is missing or of the wrong size.
    """
    folder = Path(folder)
    card = read_card(folder, _CARD)
    with whole(folder, "is no whole index of texts"):
        # as plain arrays: slicing a memmap object is slow
        arrays: dict[str, Any] = {name: np.asarray(read_array(folder / name)) for name in _ARRAYS}
        index = BM25(read_blob(folder / "words"), **arrays, k1=float(card["k1"]), b=float(card["b"]))
        if len(index.words) != len(index.starts) - 1 or not (index.starts[-1] == len(index.rows) == len(index.counts)):
            raise SpaceError("its parts do not belong together.")
    return index


def _known_words(query: str, known: Iterable[str]) -> Counter[str]:
    """Return the words of a query that are in `known`, with their counts in the query."""
    return Counter(word for word in tokens(query) if word in known)
