"""Latent semantic analysis (LSA): the singular values of each table of counts, and how a cut changes the neighbors."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import share, shortened
from embedviz.core.progress import Report, tell
from embedviz.corpus.tokenized import Corpus
from embedviz.corpus.weighting import left_singular
from embedviz.training.count_tables import MOST_TOKENS, TableNeighbors, plain_tables, row_of

CUTS = (2, 5, 10, 20, 50, 100)
"""Numbers of dimensions to which a table is reduced."""


class Cut(NamedTuple):
    """A table reduced to its first dimensions.

    Attributes:
        components: k, the number of dimensions that are kept.
        kept: Share of the table's sum of squares that the k dimensions hold: Σ σ² of the first k, divided by Σ X².
        found: The nearest neighbors of the word in the k dimensions.
    """

    components: int
    kept: float
    found: TableNeighbors


@dataclass(frozen=True)
class CutTable:
    """One table of counts with its singular values.

    Attributes:
        name, title: Name and title of the table.
        values: The largest singular values, in falling order.
        cuts: A cut for each number in `CUTS` that is smaller than the table's numbers of rows and columns.
    """

    name: str
    title: str
    values: tuple[float, ...]
    cuts: tuple[Cut, ...]


@dataclass(frozen=True)
class LsaWord:
    """The neighbors of a word after LSA of each table.

    Attributes:
        exponent: Exponent of the singular values: the rows are U Σ^exponent.
        words: Number of words that have a row in the tables: those with a count of at least `min_count`.
    """

    word: str
    exponent: float
    tables: tuple[CutTable, ...]
    words: int

    def meaning(self, name: str, components: int) -> str:
        """Say what share of a table's sum of squares a cut keeps, and which word is nearest after the cut.

        Args:
            name: Name of the table.
            components: Number of dimensions of the cut.
        """
        table = next(each for each in self.tables if each.name == name)
        cut = next(each for each in table.cuts if each.components == components)
        near = cut.found.neighbors
        first = f" Nearest to “{shortened(self.word)}”: {shortened(near[0][0])}." if near else ""
        held = f"{components} dimensions keep {share(cut.kept)} of the squared entries of the table ({table.title})."
        return held + first

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows of an export: the neighbors after each cut of each table."""
        rows = (
            (each.title, cut.components, cut.kept, word, cosine)
            for each in self.tables
            for cut in each.cuts
            for word, cosine in cut.found.neighbors
        )
        return ("table", "dimensions", "kept", "word", "cosine"), rows


@offered(
    "found",
    "for each in found.tables:",
    "    for cut in each.cuts:",
    "        print(each.title, cut.components, cut.kept, cut.found.neighbors[:3])",
)
def lsa_word(
    corpus: Corpus,
    word: str,
    *,
    window: int = 5,
    exponent: float = 1.0,
    min_count: int = 2,
    k: int = 5,
    seed: int = 0,
    report: Report | None = None,
) -> LsaWord:
    """Return the nearest neighbors of a word after LSA of each table of counts, for each number of dimensions.

    Args:
        window: Largest distance between two words that count as near.
        exponent: Exponent p of the rows U Σ^p. LSA uses 1 (Deerwester et al. 1990); in Levy, Goldberg and Dagan (2015),
            0.5 and 0 gave better vectors.
        min_count: Words with a lower count have no row.
        k: Number of neighbors.

    Raises:
        OptionError: The word has no row, or the corpus is too long or too small.
    """
    rows, number = row_of(corpus, word, min_count)
    if len(corpus.tokens) > MOST_TOKENS or rows < 4 or len(corpus) < 4:
        raise OptionError(f"A corpus of at most {MOST_TOKENS:,} words, with 4 words and 4 lines at least, is needed.")
    tables = plain_tables(corpus, rows, window)
    found: list[CutTable] = []
    for name, (title, table) in tables.items():
        tell(report, len(found) / len(tables), f"decomposing {title}")
        found.append(_cut(name, title, table, number, corpus, exponent, k, seed))
    return LsaWord(word, exponent, tuple(found), rows)


def _cut(
    name: str, title: str, table: Any, number: int, corpus: Corpus, exponent: float, k: int, seed: int
) -> CutTable:
    """Return a table's singular values, and the neighbors of row `number` with each number of dimensions in `CUTS`.

    Numbers that are too large for the table are left out.
    """
    many = min(CUTS[-1], min(table.shape) - 1)
    vectors, values, _ = left_singular(table, many, seed, exponent=exponent)
    whole = float(table.multiply(table).sum()) or 1.0
    cuts = tuple(
        Cut(
            size,
            float((values[:size] ** 2).sum()) / whole,
            _neighbors(name, title, vectors[:, :size], number, corpus, k),
        )
        for size in CUTS
        if size <= many
    )
    return CutTable(name, title, tuple(values.tolist()), cuts)


def _neighbors(name: str, title: str, vectors: Any, number: int, corpus: Corpus, k: int) -> TableNeighbors:
    """Return the k nearest neighbors of row `number` by cosine.

    As a baseline, return also the median and the 95th percentile of its cosines with all other rows.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths > 0, lengths, 1.0)
    cosines = (unit @ unit[number]).astype(np.float64)
    order = [row for row in np.argsort(-cosines, kind="stable").tolist() if row != number][:k]
    typical, high = np.percentile(np.delete(cosines, number), (50, 95)).tolist()
    return TableNeighbors(name, title, tuple((corpus.words[row], float(cosines[row])) for row in order), typical, high)
