"""The nearest neighbors of one word in six tables of counts: lines, TF-IDF, windows, PMI, PPMI and shifted PPMI."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import joined, shortened
from embedviz.corpus.tokenized import Corpus
from embedviz.corpus.weighting import at_length_one, pmi, tf_idf
from embedviz.training.counting import by_line, by_window

MOST_TOKENS = 2_000_000
"""Maximum number of words (tokens) in a corpus that is counted here."""


class PairCell(NamedTuple):
    """The values of one word and one context word in the tables that are counted by windows.

    Attributes:
        met: How often the context word occurs within the window of the word.
        expected: The count that is expected by chance: row sum times column sum over the total, X_w X_c / Σ X.
        pmi: ln(met / expected).
        ppmi: max(PMI, 0).
        shifted: max(PMI − ln k, 0), where k is `CountedWord.shift`.
    """

    context: str
    met: float
    expected: float
    pmi: float
    ppmi: float
    shifted: float


@dataclass(frozen=True)
class TableNeighbors:
    """The nearest neighbors of a word in one table.

    Attributes:
        name, title: Name and title of the table.
        neighbors: The nearest words with their cosines, the nearest first.
        typical: Baseline: median of the cosines of the word with all other words. `high`: their 95th percentile.
    """

    name: str
    title: str
    neighbors: tuple[tuple[str, float], ...]
    typical: float
    high: float


@dataclass(frozen=True)
class CountedWord:
    """The contexts and neighbors of a word in each table of counts.

    Attributes:
        shift: k of the shifted PPMI.
        cells: Contexts that occur at least twice within the window of the word, the highest PMI first.
        tables: The neighbors of the word in each table.
        words: Number of words that have a row in the tables: those that occur at least `min_count` times.
    """

    word: str
    window: int
    shift: float
    cells: tuple[PairCell, ...]
    tables: tuple[TableNeighbors, ...]
    words: int

    @property
    def meaning(self) -> str:
        """Say which word is the nearest neighbor of the word in each table."""
        sentences = [f"{each.title}: {shortened(each.neighbors[0][0])}" for each in self.tables if each.neighbors]
        return (
            f"Nearest to “{shortened(self.word)}” by {joined(sentences)}." if sentences else "No table has a neighbor."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows of an export: for each table the neighbors, their cosines, and the median cosine."""
        rows = ((each.title, word, value, each.typical) for each in self.tables for word, value in each.neighbors)
        return ("table", "word", "cosine", "median of all words"), rows


@offered("found", "for each in found.tables:", "    print(each.title, each.neighbors[:3])", "print(found.meaning)")
def counted_word(
    corpus: Corpus, word: str, *, window: int = 5, shift: float = 5.0, min_count: int = 2, k: int = 5
) -> CountedWord:
    """Return the contexts and the nearest neighbors of a word in each table of counts.

    Args:
        window: Largest distance between two words that count as near.
        shift: k of the shifted PPMI, max(PMI − ln k, 0); 1 or more.
        min_count: Words with a lower count have no row and no column.
        k: Number of neighbors.

    Raises:
        OptionError: The word has no row, the corpus is longer than `MOST_TOKENS`, or the shift is below 1.
    """
    rows, number = row_of(corpus, word, min_count)
    if len(corpus.tokens) > MOST_TOKENS or shift < 1:
        raise OptionError(f"A corpus of at most {MOST_TOKENS:,} words and a shift of 1 at least are needed.")
    tables = plain_tables(corpus, rows, window)
    near, ppmi = tables["windows"][1], tables.pop("ppmi")
    tables |= {
        "pmi": ("PMI", pmi(near, positive=False)),
        "ppmi": ppmi,
        "shifted": (f"PPMI shifted by ln {shift:g}", pmi(near, shift=shift)),
    }
    found = tuple(_nearest(name, title, table, number, corpus, k) for name, (title, table) in tables.items())
    return CountedWord(word, window, shift, _cells(near, number, shift, corpus), found, rows)


def row_of(corpus: Corpus, word: str, min_count: int) -> tuple[int, int]:
    """Return how many words of the corpus have a row, and the row number of this word.

    Raises:
        OptionError: The word occurs fewer than `min_count` times, and has no row.
    """
    rows = corpus.vocabulary_size(min_count)
    number = corpus.index.get(word, rows)
    if number >= rows:
        raise OptionError(
            f"“{shortened(word)}” does not occur {min_count} times in {corpus.name}. Choose another word."
        )
    return rows, number


def plain_tables(corpus: Corpus, rows: int, window: int) -> dict[str, tuple[str, Any]]:
    """Return four tables, *lines*, *tfidf*, *windows* and *ppmi*, as a mapping from name to (title, sparse matrix).

    Args:
        rows: Number of words that have a row, the most frequent ones.
    """
    lines = by_line(corpus)[:rows].astype(np.float64)
    near = by_window(corpus, window, "flat")[:rows, :rows].tocsr().astype(np.float64)
    return {
        "lines": ("counts of lines", lines),
        "tfidf": ("TF-IDF", tf_idf(lines)),
        "windows": ("co-occurrence", near),
        "ppmi": ("PPMI", pmi(near)),
    }


def _cells(near: Any, number: int, shift: float, corpus: Corpus) -> tuple[PairCell, ...]:
    """Return the contexts of the word in row `number`, the highest PMI first.

    Only contexts that occur at least twice within the window of the word are returned.
    """
    row, totals = near[number], np.asarray(near.sum(axis=1)).ravel()
    columns = np.asarray(near.sum(axis=0)).ravel()
    cells = []
    for place, count in zip(row.indices.tolist(), row.data.tolist(), strict=True):
        if count >= 2:
            expected = float(totals[number] * columns[place] / totals.sum())
            value = float(np.log(count / expected))
            shifted = max(value - float(np.log(shift)), 0.0)
            cells.append(PairCell(corpus.words[place], count, expected, value, max(value, 0.0), shifted))
    return tuple(sorted(cells, key=lambda cell: -cell.pmi))


def _nearest(name: str, title: str, table: Any, number: int, corpus: Corpus, k: int) -> TableNeighbors:
    """Return the k nearest neighbors of row `number` by cosine in a table; fewer if fewer have a cosine above 0."""
    unit = at_length_one(table)
    cosines = np.asarray((unit @ unit[number].T).toarray()).ravel()
    others = np.delete(cosines, number)
    order = [row for row in np.argsort(-cosines, kind="stable").tolist() if row != number and cosines[row] > 0][:k]
    neighbors = tuple((corpus.words[row], float(cosines[row])) for row in order)
    typical, high = np.percentile(others, (50, 95)).tolist() if len(others) else (0.0, 0.0)
    return TableNeighbors(name, title, neighbors, typical, high)
