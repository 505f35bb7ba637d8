"""Word frequencies that a space knows: counts, or the rank in a file that is sorted by frequency."""

from typing import NamedTuple

from embedviz.core.space import Ints, VectorSpace

_COUNTED = {
    "trained": "Occurrences: counted in the training text.",
    "shelf": "Occurrences: counts published with the vectors.",
}
_RANKED = {
    "frequency": "Frequency rank: the place in the file, which is sorted by frequency.",
    "assumed": "Assumed rank: the place in the file. The file has no counts; we assume that it is sorted by frequency.",
}


class WordFrequency(NamedTuple):
    """The frequency of some words.

    Attributes:
        title: Name of the values: *occurrences*, *frequency rank* or *rank in the file*.
        values: Count or rank of each word; ranks begin at 1.
        source: A sentence that says where the values come from.
    """

    title: str
    values: tuple[int, ...]
    source: str


def word_frequency(space: VectorSpace, rows: Ints) -> WordFrequency | None:
    """Return the frequency of the words in some rows.

    The result is None for a space of texts, and for a space without counts and without an order by frequency.
    """
    if space.noun != "word":
        return None
    if space.counts is not None:
        values = tuple(space.counts[rows].tolist())
        return WordFrequency("occurrences", values, _COUNTED.get(space.origin.kind, "Occurrences: counts of the file."))
    source = _RANKED.get(space.origin.order)
    if source is None:
        return None
    title = "frequency rank" if space.origin.order == "frequency" else "rank in the file"
    return WordFrequency(title, tuple((rows + 1).tolist()), source)
