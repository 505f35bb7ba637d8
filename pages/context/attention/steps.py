"""One head and one token, step by step, below the pictures of the page Attention."""

from __future__ import annotations

import streamlit as st

from embedviz.contextual.heads import STEPS, Heads
from pages._shared.app import address, states


def choose_pair(layer: int, head: int, token: int, to: int) -> None:
    """Go to a head, a query and a key."""
    address.put(layer=str(layer), head=str(head), token=str(token), to=str(to))


def below(found: Heads, layer: int, head: int, token: int, to: int, *, hide: bool) -> None:
    """Draw the steps of one head, the pair in every layer, the moves of the vector, and the shares of attention.

    Args:
        hide: Whether to leave out special tokens.
    """
    name, other = found.name(token), found.name(to)
    steps, moved = st.columns([1.12, 1], gap="large")
    with steps:
        states.panel(f"Step by step for {name}", f"layer {layer}, head {head}, in this sentence", level=3)
        states.table(*found.step_table(layer, head, token, hide=hide))
        states.details(STEPS)
        states.panel(f"From {name} to {other}", "weight in every layer", level=3)
        states.table(*found.layer_table(token, to))
        top = found.highest(token, to)
        if top != (layer, head):
            title = f"Open the highest: layer {top[0]}, head {top[1]}"
            st.button(title, on_click=choose_pair, args=(*top, token, to))
        states.note(found.highest_note(token, to))
    with moved:
        states.panel("How far the vector moves", f"{name} in layer {layer}", level=3)
        states.table(*found.moved_table(layer, head, token), texts=(3,))
        states.note(
            "Cosine with the vector before the layer; 1 means the same direction. Rows with + give the length of the "
            "added vector."
        )
        states.panel("Which tokens get the attention?", "mean over the words of the sentence", level=3)
        states.table(*found.where_table(layer, head))
