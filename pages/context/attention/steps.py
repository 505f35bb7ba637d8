"""What one head does with one token, step by step, below the pictures of the page Attention."""

from __future__ import annotations

import streamlit as st

from embedviz.contextual.heads import STEPS, Heads
from pages._shared.app import address, states


def choose_pair(layer: int, head: int, token: int, to: int) -> None:
    """Go to a head, with the token that asks and the one that is asked."""
    address.put(layer=str(layer), head=str(head), token=str(token), to=str(to))


def below(found: Heads, layer: int, head: int, token: int, to: int, *, hide: bool) -> None:
    """Draw the steps of one head, the pair in every layer, how far the vector moves, and where the head looks.

    Args:
        hide: Whether special tokens are left out.
    """
    name, other = found.name(token), found.name(to)
    steps, moved = st.columns([1.12, 1], gap="large")
    with steps:
        states.panel(f"Step by step for {name}", f"layer {layer}, head {head}, as in this sentence", level=3)
        states.table(*found.step_table(layer, head, token, hide=hide))
        states.note(STEPS)
        states.panel(f"{name} to {other}", "in every layer", level=3)
        states.table(*found.layer_table(token, to))
        top = found.highest(token, to)
        if top != (layer, head):
            title = f"Open layer {top[0]}, head {top[1]}: the highest of all"
            st.button(title, on_click=choose_pair, args=(*top, token, to))
        states.note(f"The highest of {found.heads} heads is chosen after the fact, so it is high by choice.")
    with moved:
        states.panel("How far the vector moves", f"{name} in layer {layer}", level=3)
        states.table(*found.moved_table(layer, head, token), texts=(3,))
        states.note(
            "Cosine: with the vector before the layer, 1.00 where nothing turns. Length: of what is named in the row."
        )
        states.panel("Where the head looks", "mean over the words of the sentence", level=3)
        states.table(*found.where_table(layer, head))
