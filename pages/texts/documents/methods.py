"""The method in use in one sentence, which opens the sentences of all methods."""

from embedviz.core.options import Method
from embedviz.retrieval.spaces import METHODS
from embedviz.retrieval.themes import CLUSTERS
from pages._shared.app import term_lists

_WHY = {
    "sif": "SIF is the default where word vectors cover most words of the texts, as here.",
    "lsa": "LSA is the default where word vectors cover few words of the texts, as here.",
}


def explain(chosen: Method, default: str) -> None:
    """Write what the chosen method does and why one is the default, with a link to what each of them does."""
    first = f"{chosen.title}: {chosen.summary} {_WHY[default]}"
    rows = (*METHODS.values(), *CLUSTERS.values())
    term_lists.choices(first, "All methods", ((one.title, one.summary) for one in rows))
