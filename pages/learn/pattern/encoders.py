"""The form that saves an encoder made in a lesson, and the buttons that open it on the pages about context."""

from collections.abc import Callable

import streamlit as st

from embedviz.contextual.models import ModelCard
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.sources import models

_PAGES = {"Senses": "senses", "Layers": "layers", "Path": "path", "Sentences": "pooling"}


def save(lesson: str, label: str, suggested: str, act: Callable[[str], ModelCard]) -> None:
    """Draw the popover that saves an encoder under a name; then draw a button for each page that can use the encoder.

    An error of `act` is shown as a sentence in the next run of the page.

    Args:
        act: Saves the encoder under a name, and returns its card.
    """
    slot = f"learn:{lesson}:saved"

    def saved(name: str) -> None:
        st.session_state[slot] = act(name).name

    with st.popover(label, key=f"{lesson}-form", icon=":material/save:", type="tertiary"):
        name = st.text_input("Name", plain(suggested, 60).replace(" ", "-"), max_chars=80)
        st.button("Save", key=f"{lesson}-save", on_click=frame.safely(saved), args=(name,))
    if made := st.session_state.get(slot):
        states.note(f"Saved as {plain(made, 80)}. The pages about context list it among their models. Open it on")
        with st.container(horizontal=True, key=f"{lesson}-opened"):
            for title, folder in _PAGES.items():
                if st.button(title, key=f"{lesson}-{folder}", type="tertiary"):
                    address.go(f"context/{folder}/page.py", {models.NAME: made})
