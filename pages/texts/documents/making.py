"""The space of the texts, made by a worker. Until then, the page keeps the previous space or lists first texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.phrases import shortened
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources import encoding_cost, text_spaces

if TYPE_CHECKING:
    from embedviz.contextual.models import ModelCard
    from embedviz.core.options import Method
    from pages._shared.sources.corpora import ChosenTexts
    from pages._shared.sources.current import View
    from pages._shared.sources.text_spaces import PendingSpace

_LAST = "documents:last"
_LISTED = 8
_LONGEST = 100  # greatest number of characters of a listed text


@dataclass(frozen=True, eq=False)
class MadeSpace:
    """A space of texts that is ready, and how it was made.

    Attributes:
        texts: The address of the texts.
        pending: The space, with its address, its folder and the job that made it.
        method, options: The method and its options.
        card: The encoder; None for a method that is no encoder.
    """

    texts: str
    pending: PendingSpace
    method: Method
    options: dict[str, Any]
    card: ModelCard | None


def space(
    view: View, texts: ChosenTexts, method: Method, options: dict[str, Any], card: ModelCard | None
) -> MadeSpace | None:
    """Return the wanted space. Until it is ready, return the previous space of the same texts, or None.

    Raises:
        SpaceError: There is no room for the space.
    """
    place = st.container()  # in every run, so that the browser recognizes the map below and keeps it
    last: MadeSpace | None = st.session_state.get(_LAST)
    previous = last if last is not None and last.texts == texts.address and last.pending.folder.is_dir() else None
    with place:
        if card is None or encoding_cost.accepted(view, texts, options, card):
            made = text_spaces.make(view, texts, method.name, options, card)
            if made.ready:
                st.session_state[_LAST] = previous = MadeSpace(texts.address, made, method, options, card)
                return previous
            if made.task is not None:
                doing = f"Computing {method.title} vectors of {len(texts.texts):,} texts."
                (work.row if previous is not None and made.task.running else work.show)(made.task, doing)
        if previous is not None:
            states.note(f"The page below still shows: {previous.method.title}.")
        else:
            _first_texts(texts)
    return previous


def _first_texts(texts: ChosenTexts) -> None:
    """List the beginnings of the first texts."""
    states.panel(f"The first of {len(texts.texts):,} texts", level=3)
    rows = zip(texts.texts.keys[:_LISTED], texts.texts.texts[:_LISTED], strict=True)
    states.table(("", "text"), [(plain(key, 24), plain(shortened(text, _LONGEST))) for key, text in rows], texts=(1,))
