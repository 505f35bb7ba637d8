"""Which texts answer a query: BM25 and cosines of text vectors side by side, each with what made it and with chance.

`bm25` · `indexes`: `SEARCHES` · `ranking`: `search` · `hits`: what it gives · `snippets`: the passage to show.
"""

from embedviz.retrieval.bm25 import BM25, bm25, open_bm25
from embedviz.retrieval.hits import Chance, Hit, Hits, Ranking, SharedTexts
from embedviz.retrieval.indexes import BY_WORDS, SEARCHES, Index, Indexed, index_of
from embedviz.retrieval.ranking import MARKED, MOST_WORDS, examples, explain, like, search
from embedviz.retrieval.snippets import Mark, Snippet, highlighted, marked, snippet

__all__ = [
    "BM25",
    "BY_WORDS",
    "MARKED",
    "MOST_WORDS",
    "SEARCHES",
    "Chance",
    "Hit",
    "Hits",
    "Index",
    "Indexed",
    "Mark",
    "Ranking",
    "SharedTexts",
    "Snippet",
    "bm25",
    "examples",
    "explain",
    "highlighted",
    "index_of",
    "like",
    "marked",
    "open_bm25",
    "search",
    "snippet",
]
