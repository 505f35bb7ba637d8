"""Which encoder a page of context reads with; the address says `model`, and the built-in one is the usual."""

from __future__ import annotations

import streamlit as st

from embedviz.contextual import models
from embedviz.contextual.models import Card
from embedviz.core.call import Elsewhere, call
from pages._shared.app import address
from pages._shared.app.escape import plain

NAME = "model"


def choose(label: str = "Model") -> Card:
    """Return the encoder that the address names; a control to choose another, where there is another.

    Raises:
        OptionError: The address names one that is not at hand.
    """
    current = models.card(address.get(NAME) or models.BUILTIN)
    listed = {one.name: one for one in models.at_hand()}
    if len(listed) > 1:
        st.selectbox(
            label,
            list(listed),
            format_func=lambda name: f"{label}: {plain(listed[name].title, 40)}",
            label_visibility="collapsed",
            **address.bind(NAME, current.name),
        )
    return current


def asked(card: Card) -> str | Elsewhere:
    """Return an encoder as an argument of a call: by its folder here, by its name elsewhere."""
    if card.folder == models.BUILTIN:
        return models.BUILTIN
    named = call("embedviz.contextual.models:card", card.name)
    return Elsewhere(card.folder, named.part("folder"), card.stamp, private=False)
