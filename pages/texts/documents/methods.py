"""The method in use in one sentence, which opens the sentences of all methods."""

from embedviz.core.options import Method
from embedviz.retrieval.spaces import METHODS, NEEDS_WORDS
from embedviz.retrieval.themes import CLUSTERS
from pages._shared.app import term_lists

_WHY = {
    "sif": "SIF is the default where word vectors cover most words of the texts, as here.",
    "lsa": "LSA is the default where word vectors cover few words of the texts, as here.",
}


def explain(chosen: Method, default: str, vectors: str) -> None:
    """Write what the chosen method does, from which word vectors, and why one is the default; with all methods.

    Args:
        vectors: The name of the space whose words are averaged, where the method needs them.
    """
    made = f"Word vectors: {vectors}. " if chosen.name in NEEDS_WORDS else ""
    first = f"{chosen.title}: {chosen.summary} {made}{_WHY[default]}"
    rows = (*METHODS.values(), *CLUSTERS.values())
    term_lists.choices(first, "All methods", ((one.title, one.summary) for one in rows))
