"""The spaces to choose from: in the frame, and on pages that look at several at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from embedviz.catalog import MOST_CORRECTIONS, Recipe
from embedviz.core.phrases import number_in
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.geometry.corrections import CORRECTIONS, KEEPS_COSINES
from pages._shared.app import address
from pages._shared.app.escape import escape, plain
from pages._shared.results import cache
from pages._shared.sources import uploads
from pages._shared.sources.current import View

_LONGEST = 60  # characters of a title
_MADE = "spaces:made"
_MOST_MADE = 4
ALSO = "also"
"""What the address calls the other spaces of a page, in their order."""


def control(titles: Mapping[str, str], label: str = "") -> None:
    """Offer the spaces of this visitor in the header, the one in use chosen.

    Args:
        titles: Address to title; see `titles`.
        label: What the space is to the page, where that is not plain.
    """
    before = f"{label}: " if label else ""
    phone = st.session_state["frame:look"].width == "phone"
    with st.container(width=190 if phone else 300, key="space-in-use"):
        st.selectbox(
            "Space",
            list(titles),
            format_func=lambda key: before + plain(titles[key], 60),
            label_visibility="collapsed",
            **address.bind("space", address.get("space", "builtin")),
        )


class Other(NamedTuple):
    """A space beside the one in use."""

    recipe: Recipe
    key: str
    space: VectorSpace
    name: str


def titles(current: str) -> dict[str, str]:
    """Return address to title of the spaces that this visitor may choose.

    These are the open ones, the visitor's uploads, the made-up ones that were in use, and the one in use.
    """
    listed = {str(entry.recipe): entry.title for entry in cache.entries()}
    for token in uploads.visited():
        _add(listed, str(Recipe("upload", token)), quietly=True)
    for made in _made_up(current):
        _add(listed, made, quietly=True)
    if "~" in current:
        _add(listed, current.partition("~")[0], quietly=True)
    _add(listed, current)
    return _told_apart(listed)


def _made_up(current: str) -> list[str]:
    """Return the last made-up spaces that this visitor had in use, so that others can be compared with them."""
    seen: list[str] = st.session_state.setdefault(_MADE, [])
    source = current.partition("~")[0]
    if source.startswith("synthetic:") and source not in seen:
        seen.append(source)
        del seen[:-_MOST_MADE]
    return list(seen)


def _told_apart(listed: dict[str, str]) -> dict[str, str]:
    """Return the same with titles that differ as they are shown: a control takes two options of one title for one."""
    shown: set[str] = set()
    for one, title in listed.items():
        told, count = plain(title, _LONGEST), 1
        kind = one.partition("~")[0].partition(":")[0]
        while told in shown:
            told = f"{plain(title, _LONGEST - 20)} · {kind}{f' {count}' if count > 1 else ''}"
            count += 1
        shown.add(told)
        listed[one] = told
    return listed


def _add(listed: dict[str, str], one: str, *, quietly: bool = False) -> None:
    if one in listed:
        return
    try:
        title = cache.space(cache.key_of(one)).origin.name
        listed[one] = _corrections_first(Recipe.parse(one), title, listed)
    except (SpaceError, ValueError):
        if not quietly:
            listed[one] = f"not here: {one}"


def _corrections_first(recipe: Recipe, title: str, listed: Mapping[str, str]) -> str:
    """Return *whitened: MiniLM input words*, so that a narrow control does not cut what tells the two apart."""
    if not recipe.corrections:
        return title
    made = [CORRECTIONS[name].title.lower() for name, _ in recipe.corrections]
    source = str(Recipe(recipe.kind, recipe.name))
    named = recipe.name if recipe.kind == "saved" else title.removesuffix(f", {', '.join(made)}")
    return f"{', '.join(made)}: {listed.get(source, named)}"


def opened(one: str) -> Other:
    """Return the space of an address.

    Raises:
        RecipeError: It names none, or one that is gone.
    """
    recipe = Recipe.parse(one)
    key = cache.key_of(str(recipe))
    space = cache.space(key)
    if recipe.kind == "upload":
        uploads.visit(recipe.name)
    name = recipe.name if recipe.kind == "saved" and not recipe.corrections else space.origin.name
    return Other(recipe, key, space, name)


def others(view: View, label: str, *, most: int, help: str = "") -> list[Other]:
    """Return the other spaces that the address names, in their order, with a control to choose them.

    Args:
        view: The view of this run; its own space is not offered.
        label: What the control is called.
        most: How many may be chosen; with one it is a select box.

    Raises:
        RecipeError: The address names a space that is not here.
    """
    asked = [one for one in address.get_list(ALSO) if one != view.address][:most]
    listed = titles(view.address)
    for one in asked:
        _add(listed, one)
    listed = _told_apart(listed)
    listed.pop(view.address, None)

    def said(one: str) -> str:
        return listed[one]

    if most == 1:
        st.selectbox(
            label,
            list(listed),
            format_func=said,
            help=help,
            placeholder=label,
            label_visibility="collapsed",
            **address.bind(ALSO, asked[0] if asked else None),
        )
    else:
        st.multiselect(
            label,
            list(listed),
            format_func=said,
            help=help,
            max_selections=most,
            placeholder=label,
            label_visibility="collapsed",
            **address.bind_list(ALSO, asked),
        )
    return [opened(one) for one in asked]


def go(page: str, addresses: Sequence[str]) -> None:
    """Open a page on these spaces: the first in use, the others beside it in their order; ends this run."""
    query = {"space": addresses[:1], ALSO: list(addresses[1:])}
    address.remember(page.rpartition("/")[2].removesuffix(".py"), query)
    address.go(page, query)


def offers(
    view: View,
    key: str,
    choose: Callable[[str], None],
    *,
    most: int = 6,
    corrected: bool = True,
    series: Callable[[Sequence[str]], None] | None = None,
) -> None:
    """Offer spaces to begin with beside the one in use: the others there are, it corrected, and a file to open.

    Args:
        corrected: Whether the space in use is offered corrected as well.
        series: Takes the addresses of spaces whose names differ by their numbers alone, where those are offered.
    """
    listed = titles(view.address)
    if series is not None:
        for number, (name, found) in enumerate(in_series(listed).items()):
            st.button(f"Use {escape(name, 90)}", key=f"series-{key}-{number}", on_click=series, args=(found,))
    listed.pop(view.address, None)
    shipped = {one: title for one, title in listed.items() if one.startswith("shelf:")}
    own = {one: title for one, title in listed.items() if one not in shipped}
    listed = dict([*own.items()][-most:])
    listed |= dict([*shipped.items()][: most - len(listed)])
    done = {name for name, _ in view.recipe.corrections} | {*KEEPS_COSINES}
    for name, row in CORRECTIONS.items() if corrected else ():
        if name not in done and len(view.recipe.corrections) < MOST_CORRECTIONS:
            listed.setdefault(f"{view.address}~{name}", f"{view.name}, {row.title.lower()}")
    with st.container(horizontal=True, vertical_alignment="center", key=f"offers-{key}"):
        for number, (one, title) in enumerate(listed.items()):
            st.button(escape(title, 60), key=f"offer-{key}-{number}", on_click=choose, args=(one,))
        st.page_link("make/open/page.py", label="Open another file", icon=":material/upload_file:")


def in_series(listed: Mapping[str, str], most: int = 20) -> dict[str, list[str]]:
    """Return addresses of spaces whose titles differ by their number alone, by what they are called together.

    Args:
        listed: Address to title.
        most: Of one series; the first by number are kept.
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
            called = ", ".join(ordered if len(ordered) <= 6 else [*ordered[:3], "…", ordered[-1]])
            found[f"{head}{called}{tail}"] = [numbers[each] for each in ordered]
    return found
