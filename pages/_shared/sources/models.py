"""The encoder in use: chosen in the header of the pages about context; the address has it as `model`."""

import streamlit as st

from embedviz.contextual import models
from embedviz.contextual.encoder import BUILTIN_NOTE
from embedviz.contextual.models import ModelCard
from embedviz.core.call import Elsewhere, call
from pages._shared.app import address
from pages._shared.app.escape import plain

NAME = "model"
RAW = "bert-base-uncased"
"""The encoder of many papers on context, not tuned for sentences."""


def current() -> ModelCard:
    """Return the encoder that the address names; the built-in encoder if it names none.

    Raises:
        OptionError: The address names an encoder that is not on this computer.
    """
    return models.card(address.get(NAME) or models.BUILTIN)


def control() -> None:
    """Draw the choice of the encoder in the header, with its layers and dimensions."""
    listed = {one.name: label(one) for one in models.at_hand()}
    chosen = address.get(NAME) or models.BUILTIN
    listed.setdefault(chosen, f"not here: {plain(chosen, 40)}")
    with st.container(width=260, key="model-in-use"):
        st.selectbox(
            "Model",
            list(listed),
            format_func=listed.__getitem__,
            label_visibility="collapsed",
            **address.bind(NAME, chosen),
        )

    offer_raw(chosen)


def offer_raw(chosen: str) -> None:
    """Link to the download of BERT if the built-in encoder is in use and BERT is not on this computer."""
    known = next((one for one in models.known() if one.name == RAW), None)
    if chosen == models.BUILTIN and known is not None and RAW not in {one.name for one in models.at_hand()}:
        st.page_link(
            "make/open/page.py",
            label="Get BERT",
            icon=":material/download:",
            help=f"{BUILTIN_NOTE} Under Models, choose {RAW} and Download ({known.megabytes:,} MB).",
        )


def label(card: ModelCard) -> str:
    """Return the name and the size of an encoder, as the select box shows them."""
    return f"{plain(card.title, 40)} · {card.depth} layers × {card.dimensions:,}"


def choose(label: str = "Model") -> ModelCard:
    """Return the encoder in use; if there are several, draw a control to choose one.

    Raises:
        OptionError: The address names an encoder that is not on this computer.
    """
    listed = {one.name: one for one in models.at_hand()}
    if len(listed) > 1:
        st.selectbox(
            label,
            list(listed),
            format_func=lambda name: f"{label}: {plain(listed[name].title, 40)}",
            label_visibility="collapsed",
            **address.bind(NAME, current().name),
        )
    return current()


def argument(card: ModelCard) -> str | Elsewhere:
    """Return an encoder as an argument of a call: its folder here, its name in exported Python code."""
    if card.folder == models.BUILTIN:
        return models.BUILTIN
    named = call("embedviz.contextual.models:card", card.name)
    return Elsewhere(card.folder, named.part("folder"), card.stamp, private=False)
