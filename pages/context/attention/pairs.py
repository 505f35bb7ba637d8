"""Two tokens of the page Attention, and the heads that look from one to the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.phrases import joined, number
from pages._shared.app import address, states
from pages._shared.app.escape import plain

if TYPE_CHECKING:
    from embedviz.contextual.heads import Heads

LISTED = 6
FIRST = "I sat on the bank of the river."
EXAMPLES = {
    FIRST: ("bank", "river"),
    "The animal didn't cross the street because it was too tired.": ("it", "animal"),
    "The parrot would not leave its cage because it was afraid of the cat.": ("it", "parrot"),
    "She put the money in the bank and the boat on the bank.": ("bank (2)", "boat"),
}
"""Example sentences, each with a word and a second word that it may attend to. None was chosen for its result."""


def place(name: str, words: Sequence[str], usual: int) -> int:
    """Return the number of the token that the address names by number or word, else `usual`."""
    word = address.get(name).strip().lower()
    titles = [title(words, at) for at in range(len(words))]
    same = [at for at, one in enumerate(words) if word in (one, titles[at]) and not word.isdecimal()]
    return address.whole(name, 0, len(words) - 1, same[0] if same else usual)


def title(words: Sequence[str], at: int) -> str:
    """Return token number `at` as a title. If the token occurs several times, the title numbers it: “bank (2)”."""
    return words[at] if words.count(words[at]) == 1 else f"{words[at]} ({words[: at + 1].count(words[at])})"


def chosen(found: Heads, words: Sequence[str], token: int) -> tuple[int, int, int]:
    """Return layer, head and number of the second token, as the page's address gives them.

    For a missing value there is a default. The default layer and head are those with the highest weight for the pair.
    The default second token is one to which `token` gives a high weight: in the given layer and head or, without these,
    in all heads.
    """
    layer, head = address.whole("layer", 1, found.layers, 0), address.whole("head", 1, found.heads, 0)
    usual = found.key(layer, head, token) if layer and head else found.opening(token)[2]
    to = place("to", words, usual)
    highest = found.highest(token, to)
    return layer or highest[0], head or highest[1], to


def ignored(used: Mapping[str, int]) -> str:
    """Say which values in the page's address, such as the layer, this model does not have; empty if it has all.

    Args:
        used: The values in use, by name, for example the layer.
    """
    wrong = [f"{name} {address.get(name)[:12]}" for name, value in used.items() if _other(name, value)]
    return f"This model has no {joined(wrong)}: the head with the highest weight is shown." if wrong else ""


def _other(name: str, value: int) -> bool:
    return bool(address.get(name)) and address.get(name) != str(value)


def choice(found: Heads, words: Sequence[str], token: int, to: int) -> None:
    """Draw the select boxes of the two tokens. A new pair opens the head with the highest weight for the pair."""
    with st.container(horizontal=True, vertical_alignment="center", key="attention-pair"):
        for label, name, value in (("from", "token", token), ("to", "to", to)):
            st.html(f'<span class="ev-muted">{label}</span>', width="content")

            def write(at: int, name: str = name) -> None:
                fresh = {"to": None} if name == "token" else {}
                address.put(layer=None, head=None, **(fresh | {name: str(at)}))

            st.selectbox(
                label,
                range(len(found)),
                format_func=lambda at: plain(title(words, at), 40),
                label_visibility="collapsed",
                width=124,
                **address.bind_to(name, value, write),
            )


def ranked(found: Heads, layer: int, head: int, token: int, to: int) -> None:
    """List the heads with the highest weights for a pair as buttons, and the weight of uniform attention."""
    states.panel(
        f"Heads that look from {found.name(token)} to {found.name(to)}",
        f"The highest weights of all {found.layers * found.heads} heads; the filled one is open. Uniform attention: "
        f"{number(float(found.uniform[token, to]))}",
        3,
    )
    with st.container(horizontal=True, key="attention-ranked"):
        for one, other, weight in found.ranking(token, to, LISTED):
            title = f"Layer {one}, head {other}: {number(weight)}"
            here = (one, other) == (layer, head)
            pair = {"token": str(token), "to": str(to)}
            st.button(
                title,
                key=f"head-{one}-{other}",
                type="primary" if here else "secondary",
                on_click=address.put,
                kwargs={"layer": str(one), "head": str(other), **pair},
            )
