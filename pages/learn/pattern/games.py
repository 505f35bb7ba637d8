"""What the games of the course share: the buttons that begin a game."""

from collections.abc import Collection, Iterable

import streamlit as st

from pages._shared.app import address


def another_game(name: str, game: int, games: int) -> None:
    """Draw two buttons: one begins game number `game` again, one goes to the next of all `games` games."""
    with st.container(horizontal=True, key=f"{name}-games"):
        following = {"game": str(game % games + 1), "pick": None}
        st.button("Begin again", icon=":material/restart_alt:", on_click=address.put, kwargs={"pick": None})
        st.button("Next game", icon=":material/skip_next:", on_click=address.put, kwargs=following)


def chosen_options(offered: Iterable[Collection[str]]) -> list[str]:
    """Return the visitor's choices in the address, one for each list of options.

    The result ends before the first choice that is not one of its options.
    """
    found: list[str] = []
    for word, options in zip(address.place()[1].get("pick", []), offered, strict=False):
        if word not in options:
            break
        found.append(word)
    return found
