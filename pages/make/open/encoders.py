"""The encoder in an uploaded archive of a model, whose input embeddings are the space of the upload."""

import streamlit as st

from embedviz.contextual import models
from embedviz.core.folders import is_read_only
from pages._shared.app import frame, states
from pages._shared.app.escape import escape
from pages._shared.sources import uploads

ADDED = "open:added"
"""Key in the session. Its value maps tokens of uploads to the names of the encoders that were added from them."""


def inside(token: str) -> bool:
    """Return whether an upload is an archive that holds an encoder."""
    received = uploads.file_of(token)
    return received is not None and models.holds_encoder(received[0])


def offer(token: str) -> None:
    """Offer to add the encoder of an uploaded archive to the models of the section Context."""
    if name := st.session_state.get(ADDED, {}).get(token):
        states.note(f"The encoder was added as {escape(name)}. All users of this installation can use it.")
    elif inside(token) and not is_read_only():
        states.note("This space has the input embeddings of a model. The archive holds its encoder too.")
        st.button("Add the encoder", key="open:encoder", on_click=_add, args=(token,))


@frame.safely
def _add(token: str) -> None:
    received = uploads.file_of(token)
    if received is None:
        return
    added = models.add(*received)
    st.session_state.setdefault(ADDED, {})[token] = added.name
