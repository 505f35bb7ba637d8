"""English spelling: whether two words may be forms of one word, such as *king* and *kings*."""

SHORTEST = 3
"""Letters of the shortest stem."""
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "r", "est", "st", "ly", "'s")


def spelled_as_forms(one: str, other: str) -> bool:
    """Return whether regular English endings lead from one stem to both words.

    Only the letters are read: *news* counts as a form of *new*, and *went* does not count as one of *go*.
    """
    one, other = one.lower(), other.lower()
    return one != other and not _stems(one).isdisjoint(_stems(other))


def _stems(word: str) -> set[str]:
    """Return the word, and what is left of it without an ending, as *city* of *cities* and *big* of *bigger*."""
    cut = [word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending) and len(word) - len(ending) >= SHORTEST]
    stems = {word, *cut}
    for stem in cut:
        if stem[-1] == "i":
            stems.add(f"{stem[:-1]}y")
        if stem[-1] == stem[-2]:
            stems.add(stem[:-1])
        stems.add(f"{stem}e")
    return stems
