"""The number of words that other spaces share with the space in use."""

from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

import streamlit as st

from embedviz import catalog
from embedviz.core.space import SpaceError
from embedviz.geometry.comparison.shared import FEWEST
from pages._shared.results import cache

MOST_ROWS = 500_000
"""Most words of a space that are compared; of a larger space, only the first words count."""


MOST_NUMBERS = 20_000_000
"""Words with a zero vector are not counted if the matrix has at most this many numbers. Larger ones are not read."""


class SharedCount(NamedTuple):
    """How many words two spaces share.

    Attributes:
        exact: Number of words that are written alike in both spaces.
        folded: Number of further words that are alike only if case is ignored.
    """

    exact: int
    folded: int

    @property
    def text(self) -> str:
        """Return the count in a few words, to follow a title."""
        if self.exact >= FEWEST:
            return f"{self.exact:,} words in common"
        return f"{self.exact + self.folded:,} words in common if case is ignored"


def sharing(in_use: str, listed: Mapping[str, str]) -> dict[str, str]:
    """Return the titles of the spaces that share `FEWEST` words or more with the space in use, by address.

    Each title ends with the number of shared words. Words that differ only by case count as shared if the others are
    fewer than `FEWEST`. A space that cannot be opened keeps its title unchanged.

    Args:
        in_use: The address of the space in use.
        listed: The titles of the spaces, by address.
    """
    found = {}
    for one, title in listed.items():
        count = shared_count(in_use, one)
        if count is None:
            found[one] = title
        elif sum(count) >= FEWEST:
            found[one] = f"{title} · {count.text}"
    return found


def shared_count(one: str, other: str) -> SharedCount | None:
    """Return how many words the spaces of two addresses share; None if a space cannot be opened."""
    try:
        keys = [cache.key_of(each.partition("~")[0]) for each in (one, other)]
        return _counted(*keys)
    except (SpaceError, ValueError):
        return None


@st.cache_resource(max_entries=512, show_spinner=False)
def _counted(one: str, other: str) -> SharedCount:
    ours, theirs = (_words(key) for key in (one, other))
    exact = ours & theirs
    folded = {word.lower() for word in ours} & {word.lower() for word in theirs} - {word.lower() for word in exact}
    return SharedCount(len(exact), len(folded))


def _words(key: str) -> set[str]:
    """Return the first `MOST_ROWS` words of a space, without keeping the space open.

    If the matrix has at most `MOST_NUMBERS` numbers, words with a zero vector are left out.
    """
    space = catalog.open_space(key.partition(cache.STAMP)[0])
    words = islice(space.words, MOST_ROWS)
    if space.matrix.size > MOST_NUMBERS:
        return set(words)
    return {word for word, norm in zip(words, space.norms, strict=False) if norm > 0}
