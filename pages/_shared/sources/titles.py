"""The titles of the spaces that a visitor may choose."""

from collections.abc import Mapping

import streamlit as st

from embedviz.catalog import Recipe
from embedviz.core.phrases import number_in
from embedviz.core.space import SpaceError
from embedviz.geometry.corrections import CORRECTIONS
from pages._shared.app.escape import plain
from pages._shared.results import cache
from pages._shared.sources import uploads

_LONGEST = 60  # characters of a title
_MADE = "spaces:made"
_MOST_MADE = 4


def titles(current: str) -> dict[str, str]:
    """Return the title of each space that this visitor may choose, by the address of the space.

    The spaces are the public spaces, the visitor's uploads, synthetic spaces that were in use, and the space in use.
    """
    listed = {str(entry.recipe): entry.title for entry in cache.entries()}
    for token in uploads.visited():
        add(listed, str(Recipe("upload", token)), quietly=True)
    for made in _made_up(current):
        add(listed, made, quietly=True)
    if "~" in current:
        add(listed, current.partition("~")[0], quietly=True)
    add(listed, current)
    return distinct(listed)


def _made_up(current: str) -> list[str]:
    """Return the addresses of the last synthetic spaces that this visitor used, at most four.

    If `current` is the address of a synthetic space, it is among them.
    """
    seen: list[str] = st.session_state.setdefault(_MADE, [])
    source = current.partition("~")[0]
    if source.startswith("synthetic:") and source not in seen:
        seen.append(source)
        del seen[:-_MOST_MADE]
    return list(seen)


def distinct(listed: dict[str, str]) -> dict[str, str]:
    """Make the titles in `listed` short and unique, in place, and return `listed`.

    The keys are addresses of spaces. Titles must differ because a control cannot tell equal titles apart.
    """
    used: set[str] = set()
    for one, title in listed.items():
        unique, count = plain(title, _LONGEST), 1
        kind = one.partition("~")[0].partition(":")[0]
        while unique in used:
            unique = f"{plain(title, _LONGEST - 20)} · {kind}{f' {count}' if count > 1 else ''}"
            count += 1
        used.add(unique)
        listed[one] = unique
    return listed


def add(listed: dict[str, str], one: str, *, quietly: bool = False) -> None:
    """Add the title of the space at an address to `listed`, a mapping from address to title.

    A space that cannot be opened gets the title “not available”; with `quietly` it is left out.
    """
    if one in listed:
        return
    try:
        title = cache.space(cache.key_of(one)).origin.name
        listed[one] = _corrections_first(Recipe.parse(one), title, listed)
    except (SpaceError, ValueError):
        if not quietly:
            listed[one] = f"not available: {one}"


def _corrections_first(recipe: Recipe, title: str, listed: Mapping[str, str]) -> str:
    """Return a title such as *whitened: MiniLM input words*: a narrow control then cuts its end, not the correction."""
    if not recipe.corrections:
        return title
    made = [CORRECTIONS[name].title.lower() for name, _ in recipe.corrections]
    source = str(Recipe(recipe.kind, recipe.name))
    named = recipe.name if recipe.kind == "saved" else title.removesuffix(f", {', '.join(made)}")
    return f"{', '.join(made)}: {listed.get(source, named)}"


def in_series(listed: Mapping[str, str], most: int = 20) -> dict[str, list[str]]:
    """Return each series of spaces whose titles differ only by a number: its name, and the addresses in order.

    Args:
        listed: The titles of the spaces, by address.
        most: Most spaces of a series; from a longer series, those with the smallest numbers are returned.
    """
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for one, title in listed.items():
        number = number_in(title)
        if number:
            head, _, tail = title.partition(number)
            groups.setdefault((head, tail), {}).setdefault(number, one)
    found = {}
    for (head, tail), numbers in groups.items():
        ordered = sorted(numbers, key=float)[:most]
        if len(ordered) > 1:
            numbered = ", ".join(ordered if len(ordered) <= 6 else [*ordered[:3], "…", ordered[-1]])
            found[f"{head}{numbered}{tail}"] = [numbers[each] for each in ordered]
    return found
