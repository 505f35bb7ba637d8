"""Controls to choose spaces: the space in use, and further spaces on pages that compare several."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import streamlit as st

from embedviz.catalog import Recipe
from embedviz.core.space import SpaceError, VectorSpace
from pages._shared.app import address
from pages._shared.app.escape import plain
from pages._shared.results import cache
from pages._shared.sources import uploads
from pages._shared.sources.current import View
from pages._shared.sources.sharing import sharing
from pages._shared.sources.titles import add, distinct
from pages._shared.sources.titles import titles as titles

ALSO = "also"
"""Name in the address for the other spaces of a page, in order."""


def control(titles: Mapping[str, str]) -> None:
    """Draw the control in the header that chooses the space in use.

    Args:
        titles: The title of each space. The keys are the addresses of spaces, such as `shelf:NAME`; see
            `titles.titles`.
    """
    phone = st.session_state["frame:look"].width == "phone"
    with st.container(width=190 if phone else 300, key="space-in-use"):
        choose("Space", titles, label_visibility="collapsed")


def choose(
    label: str, titles: Mapping[str, str], label_visibility: Literal["visible", "collapsed"] = "visible"
) -> None:
    """Draw the select box of the space in use."""
    st.selectbox(
        label,
        list(titles),
        format_func=lambda key: plain(titles[key], 60),
        label_visibility=label_visibility,
        **address.bind("space", address.get("space", "builtin")),
    )


def chosen_others(in_use: str) -> list[str]:
    """Return the addresses of the other spaces of a page, in order, without the space in use."""
    return [one for one in address.get_list(ALSO) if one != in_use]


class Other(NamedTuple):
    """A space that is compared with the space in use."""

    recipe: Recipe
    key: str
    space: VectorSpace
    name: str


def opened(one: str) -> Other:
    """Return the space of an address.

    Raises:
        RecipeError: The address names no space, or a space that was deleted.
        SpaceError: The folder of the space is damaged.
    """
    recipe = Recipe.parse(one)
    key = cache.key_of(str(recipe))
    space = cache.space(key)
    if recipe.kind == "upload":
        uploads.visit(recipe.name)
    name = recipe.name if recipe.kind == "saved" and not recipe.corrections else space.origin.name
    return Other(recipe, key, space, name)


def have_ngrams(one: str) -> bool:
    """Return whether the space at this address has n-grams for words without a row; False if it does not open."""
    try:
        return cache.space(cache.key_of(one)).subwords is not None
    except (SpaceError, ValueError):
        return False


def others(
    view: View, label: str, *, most: int, help: str = "", shared: bool = False, example: str | None = None
) -> list[Other]:
    """Draw a control for the other spaces of a page, and return the chosen spaces, in order.

    Args:
        view: The present view, whose space is not offered.
        most: Most spaces that may be chosen; for 1, the control is a select box.
        shared: Whether to offer only spaces that share words with the space in use. The titles then have the number of
            shared words.
        example: The address of the space that a select box shows before a space is chosen; it does not count as chosen.

    Raises:
        RecipeError: The page's address names a space that cannot be opened.
    """
    chosen = chosen_others(view.address)[:most]
    compared = chosen or ([example] if example is not None else [])
    listed = titles(view.address)
    for one in compared:
        add(listed, one)
    listed = distinct(listed)
    listed.pop(view.address, None)
    if shared:
        listed = sharing(view.address, listed) | {one: listed[one] for one in compared}

    def title_of(one: str) -> str:
        return listed[one]

    if most == 1:
        st.selectbox(
            label,
            list(listed),
            format_func=title_of,
            help=help,
            placeholder=label,
            label_visibility="collapsed",
            **address.bind(ALSO, compared[0] if compared else None),
        )
    else:
        st.multiselect(
            label,
            list(listed),
            format_func=title_of,
            help=help,
            max_selections=most,
            placeholder=label,
            label_visibility="collapsed",
            **address.bind(ALSO, list(chosen), list),
        )
    return [opened(one) for one in chosen]


def go(page: str, addresses: Sequence[str]) -> None:
    """Open a page with these spaces, the first as the space in use, and end the current run of the script."""
    query = {"space": addresses[:1], ALSO: list(addresses[1:])}
    address.remember(address.page_name(page), query)
    address.go(page, query)
