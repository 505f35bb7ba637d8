"""Which texts answer a query: BM25 and cosines of text vectors side by side, each with what made it and with chance.

`bm25` · `snippets`: the passage to show · `ranking`: `SEARCHES`, `search` and what it gives.
"""

from embedviz.retrieval.bm25 import BM25, bm25, open_bm25
from embedviz.retrieval.ranking import (
    BY_WORDS,
    MARKED,
    MOST_WORDS,
    SEARCHES,
    Agreement,
    Chance,
    Cosines,
    Hit,
    Hits,
    Index,
    Indexed,
    Ranking,
    Words,
    examples,
    explain,
    index_of,
    like,
    search,
)
from embedviz.retrieval.snippets import Mark, Snippet, highlighted, marked, opening, snippet

__all__ = [
    "BM25",
    "BY_WORDS",
    "MARKED",
    "MOST_WORDS",
    "SEARCHES",
    "Agreement",
    "Chance",
    "Cosines",
    "Hit",
    "Hits",
    "Index",
    "Indexed",
    "Mark",
    "Ranking",
    "Snippet",
    "Words",
    "bm25",
    "examples",
    "explain",
    "highlighted",
    "index_of",
    "like",
    "marked",
    "open_bm25",
    "opening",
    "search",
    "snippet",
]
