"""English spelling: whether two words may be forms of the same word, such as *king* and *kings*."""

SHORTEST = 3
"""Minimum number of letters of a stem."""
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "r", "est", "st", "ly", "'s")


def spelled_as_forms(one: str, other: str) -> bool:
    """Return whether two different words have the same stem when regular English endings are removed.

    Only the spelling counts: *news* is taken for a form of *new*, and *went* is not recognised as a form of *go*.
    """
    one, other = one.lower(), other.lower()
    return one != other and not _stems(one).isdisjoint(_stems(other))


def _stems(word: str) -> set[str]:
    """Return the possible stems of a word, the word included: *city* for *cities*, *big* for *bigger*."""
    cut = [word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending) and len(word) - len(ending) >= SHORTEST]
    stems = {word, *cut}
    for stem in cut:
        if stem[-1] == "i":
            stems.add(f"{stem[:-1]}y")
        if stem[-1] == stem[-2]:
            stems.add(stem[:-1])
        stems.add(f"{stem}e")
    return stems
