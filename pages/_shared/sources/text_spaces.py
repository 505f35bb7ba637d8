"""Spaces of texts: a row for each text, made by a worker.

A space lies under a token that depends on how it is made, so that a reload of the page finds it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.contextual.models import ModelCard
from embedviz.retrieval import spaces
from pages._shared.results import cache, work
from pages._shared.sources import uploads
from pages._shared.sources.corpora import ChosenTexts
from pages._shared.sources.current import View


@dataclass(frozen=True, eq=False)
class PendingSpace:
    """A space of texts that is ready or in progress.

    Attributes:
        address: The address of the space.
        folder: The folder of the space.
        task: The task that makes the space; None if it was made before.
    """

    address: str
    folder: Path
    task: work.Task | None

    @property
    def ready(self) -> bool:
        """Return whether the space is made."""
        return self.task is None or self.task.result is not None

    @property
    def space(self) -> spaces.TextSpace:
        """Return the space of texts; it must be ready."""
        return _text_space(str(self.folder))

    @property
    def summary(self) -> spaces.Summary:
        """Return the summary of how the space was made, such as the number of texts; the space must be ready."""
        return _summary(str(self.folder))

    def view(self, view: View) -> View:
        """Return a view to draw maps of this space: the page's view with this space in use, and without a word."""
        recipe = catalog.Recipe.parse(self.address)
        key = cache.key_of(self.address)
        return replace(view, recipe=recipe, key=key, space=cache.space(key), word="")


def make(
    view: View, texts: ChosenTexts, method: str, options: Mapping[str, Any], card: ModelCard | None = None
) -> PendingSpace:
    """Return the space that a method of `spaces.METHODS` makes from the texts. A job makes the space unless it exists.

    Args:
        view: The view of this run; methods of word vectors use its space.
        options: Checked options, as `widgets.options` returns them.
        card: The encoder; None if the method is no encoder.

    Raises:
        SpaceError: There is no room for the space.
    """
    needed = method in spaces.NEEDS_WORDS
    words = view.space if needed else None
    token = token_of(view, texts, method, options, card)
    folder = uploads.folder_of(token) / "space"
    if (folder / "card.json").is_file():
        uploads.visit(token, listed=False)
        return PendingSpace(f"upload:{token}", folder, None)
    uploads.make_room(spaces.size_of(texts.texts, method, words, options, card.dimensions if card else 0), token)
    model: dict[str, Any] = {} if card is None else {"model": card.folder}
    task = work.run(
        "textspace",
        "embedviz.retrieval.spaces:make_text_space",
        texts.source,
        method,
        words,
        str(folder),
        key=f"{token}|{uploads.making(token)}",
        private=texts.private or (needed and view.recipe.private),
        **model,
        **options,
    )
    return PendingSpace(f"upload:{token}", folder, task)


def token_of(view: View, texts: ChosenTexts, method: str, options: Mapping[str, Any], card: ModelCard | None) -> str:
    """Return the token that identifies a space of texts among the uploads; arguments as for `make`.

    Equal texts, methods and options give equal tokens.
    """
    by = (card.name, card.stamp) if card is not None else view.key if method in spaces.NEEDS_WORDS else ""
    return uploads.token_of("texts", texts.address, method, dict(options), by)


def offer(pending: PendingSpace) -> None:
    """List a space of texts among the spaces that this visitor may choose on every page."""
    uploads.visit(pending.address.removeprefix("upload:"))


@st.cache_resource(max_entries=8, show_spinner=False)
def _text_space(folder: str) -> spaces.TextSpace:
    return spaces.open_text_space(folder)


@st.cache_resource(max_entries=32, show_spinner=False)
def _summary(folder: str) -> spaces.Summary:
    return spaces.summary_of(folder)
