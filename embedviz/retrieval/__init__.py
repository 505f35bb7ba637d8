"""Search in texts: BM25 and cosines of text vectors, each score with its parts and a random baseline.

`bm25`: the word index · `indexes`: `SEARCHES`, the table of methods · `ranking`: `search` · `hits`: its results ·
`snippets`: the passage to show · `worked`: examples with a known answer · `passages`: BM25 and an encoder compared
step by step, and the prompt with the best texts.
"""

from embedviz.retrieval.bm25 import BM25, bm25, open_bm25
from embedviz.retrieval.hits import Chance, Hit, Hits, Ranking, SharedTexts
from embedviz.retrieval.indexes import BY_WORDS, COMPARES, SEARCHES, Indexed, SearchIndex, index_of
from embedviz.retrieval.ranking import MARKED, MOST_WORDS, examples, explain, like, search
from embedviz.retrieval.snippets import Mark, Snippet, highlighted, marked, snippet
from embedviz.retrieval.worked import WORKED, WorkedExample, answer_ranks, worked_example

__all__ = [
    "BM25",
    "BY_WORDS",
    "COMPARES",
    "MARKED",
    "MOST_WORDS",
    "SEARCHES",
    "WORKED",
    "Chance",
    "Hit",
    "Hits",
    "Indexed",
    "Mark",
    "Ranking",
    "SearchIndex",
    "SharedTexts",
    "Snippet",
    "WorkedExample",
    "answer_ranks",
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
    "worked_example",
]
