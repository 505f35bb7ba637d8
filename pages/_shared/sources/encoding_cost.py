"""The cost of a long encoding, shown before a button starts it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages._shared.app import states
from pages._shared.results import work
from pages._shared.sources import text_spaces, uploads

if TYPE_CHECKING:
    from embedviz.contextual.models import ModelCard
    from embedviz.retrieval.spaces.cost import EncodingCost
    from pages._shared.sources.corpora import ChosenTexts
    from pages._shared.sources.current import View

UNASKED = 500_000
"""Texts of at most this many characters in total are encoded without a click on a button."""
_ACCEPTED = "encoding:accepted"


def accepted(view: View, texts: ChosenTexts, options: Mapping[str, Any], card: ModelCard) -> bool:
    """Return whether an encoding may start: it is short, done, or accepted by the visitor.

    Otherwise draw its cost and a button that accepts the cost.

    Args:
        options: Options of the encoder, as in `text_spaces.make`.
    """
    token = text_spaces.token_of(view, texts, "encoder", options, card)
    begun: set[str] = st.session_state.setdefault(_ACCEPTED, set())
    if token in begun or sum(map(len, texts.texts.texts)) <= UNASKED or (uploads.folder_of(token) / "space").is_dir():
        return True
    task = work.run(
        "encodingcost",
        "embedviz.retrieval.spaces.cost:encoding_cost",
        texts.source,
        key=f"cost {token}",
        private=texts.private,
        model=card.folder,
        **options,
    )
    cost: EncodingCost | None = task.result
    if cost is None:
        work.show(task, "Measuring how long the encoding takes.")
    elif cost.known == cost.texts:
        return True
    else:
        states.state(cost.meaning, cost.note)
        st.button("Encode", key="encoding:begin", type="primary", on_click=begun.add, args=(token,))
    return False
