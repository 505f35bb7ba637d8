"""Which encoder a page of context reads with; the address says `model`, and the built-in one is the usual."""

from __future__ import annotations

import streamlit as st

from embedviz import encoders
from embedviz.encoders import Card
from pages._shared import address
from pages._shared.escape import plain

NAME = "model"


def choose(label: str = "Model") -> Card:
    """The encoder that the address names; a control to choose another, where there is another.

    Raises:
        OptionError: The address names one that is not at hand.
    """
    current = encoders.card(address.get(NAME) or encoders.BUILTIN)
    listed = {one.name: one for one in encoders.at_hand()}
    if len(listed) > 1:
        st.selectbox(
            label,
            list(listed),
            format_func=lambda name: f"{label}: {plain(listed[name].title, 40)}",
            label_visibility="collapsed",
            **address.bind(NAME, current.name),
        )
    return current
