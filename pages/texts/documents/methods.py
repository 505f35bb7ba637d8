"""A line about the method in use, which opens the descriptions of all methods."""

from embedviz.core.options import Method
from embedviz.retrieval.spaces import METHODS, NEEDS_WORDS
from embedviz.retrieval.themes import CLUSTERS
from pages._shared.app import term_lists

_WHY = {
    "sif": "SIF is the default where word vectors cover most words of the texts, as here.",
    "lsa": "LSA is the default where word vectors cover few words of the texts, as here.",
}


def explain(chosen: Method, default: str, vectors: str) -> None:
    """Write what the chosen method does and why `default` is the default; a click opens descriptions of all methods.

    Args:
        vectors: Name of the space whose word vectors are averaged, if the method needs one.
    """
    made = f"Word vectors: {vectors}. " if chosen.name in NEEDS_WORDS else ""
    first = f"{chosen.title}: {chosen.summary} {made}{_WHY[default]}"
    rows = (*METHODS.values(), *CLUSTERS.values())
    term_lists.choices(first, "All methods", ((one.title, one.summary) for one in rows))
