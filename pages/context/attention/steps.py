"""One head and one token, step by step, below the pictures of the page Attention."""

import streamlit as st

from embedviz.contextual.heads import STEPS, Heads
from pages._shared.app import states


def below(found: Heads, layer: int, head: int, token: int, to: int, *, hide: bool) -> None:
    """Draw how one head divides its attention among kinds of tokens, on average over all words.

    Expanders show how the weights of one token arise, how far its vector moves, and its weight on another token by
    layer.

    Args:
        hide: Whether to leave out special tokens.
    """
    name, other = found.name(token), found.name(to)
    about = "Mean over all words of the text. Rows overlap: a special token next to a word is in two of them."
    states.panel("Which tokens get the attention of this head?", about, level=3)
    states.meaning(found.where_meaning(layer, head))
    states.table(*found.where_table(layer, head))
    with st.expander(f"Step by step: how {name} gets its weights", key="attention-steps"):
        states.note(f"Layer {layer}, head {head}, in this sentence.")
        states.table(*found.step_table(layer, head, token, hide=hide))
        states.details(STEPS)
    with st.expander(f"How far the vector of {name} moves in layer {layer}", key="attention-moved"):
        states.table(*found.moved_table(layer, head, token), texts=(3,))
        states.note(
            "Cosine with the vector before the layer; 1 means the same direction. Rows with + give the length of the "
            "added vector."
        )
    with st.expander(f"From {name} to {other} in every layer", key="attention-layers"):
        states.table(*found.layer_table(token, to))
