"""The index of the texts in use, found or in the making, and the answers that were given from it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz import retrieval
from embedviz.core.call import Call, call
from embedviz.core.options import check
from embedviz.retrieval import Hit, Hits, Indexed, Ranking, indexing, spaces
from embedviz.retrieval.indexing import Made
from pages._shared.results import work
from pages._shared.sources import corpora, encoding, models, uploads

if TYPE_CHECKING:
    from embedviz.contextual.models import Card
    from pages._shared.sources.corpora import Chosen
    from pages._shared.sources.corpora import Made as Space
    from pages._shared.sources.current import View


@dataclass(frozen=True, eq=False)
class Index:
    """An index of texts: its token, its folder, and the task that makes it.

    Attributes:
        private: Whether only those who were handed the texts, or the space of words, may see it.
    """

    token: str
    source: str
    folder: Path
    task: work.Task
    private: bool

    @property
    def made(self) -> Made | None:
        """What came of making it; None where it is not there yet."""
        made: Made | None = self.task.result
        return made

    @property
    def indexed(self) -> Indexed:
        """The texts, ready to be searched; only where it was made."""
        return _opened(self.source, str(self.folder))

    def find(self, query: str, methods: tuple[str, ...], k: int, k1: float, b: float) -> Hits:
        """Return what a query finds.

        Raises:
            OptionError: As `search.search` does.
        """
        return _found(self.source, str(self.folder), query, methods, k, k1, b)

    def explain(self, query: str, method: str, row: int) -> Hit:
        """Return what made the score of one text.

        Raises:
            OptionError: As `search.explain` does.
        """
        return retrieval.explain(query, self.indexed, method, row)

    def like(self, row: int, method: str, k: int) -> Ranking:
        """Return the texts nearest to one of them.

        Raises:
            OptionError: As `search.like` does.
        """
        return _like(self.source, str(self.folder), row, method, k)

    def measure(self, slot: str, meaning: Meaning | None = None) -> work.Task:
        """Return the task that tests each method on texts whose answers are known."""
        return work.run(
            slot,
            "embedviz.retrieval.indexing:measure",
            self.source,
            str(self.folder),
            key=f"{self.key}|{meaning.space.address if meaning else ''}",
            private=self.private,
            encoder=str(meaning.space.folder) if meaning else "",
        )

    @property
    def key(self) -> str:
        """What tells this index from others."""
        return f"{self.token}/{self.folder.name}"


@dataclass(frozen=True, eq=False)
class Meaning:
    """Search by an encoder, which a worker answers by: the index, the space of the texts, and how to ask."""

    index: Index
    space: Space
    card: Card

    @property
    def ready(self) -> bool:
        """Whether the texts are encoded."""
        return self.space.ready

    def find(self, slot: str, query: str, k: int, read: int) -> work.Task:
        """Return the task whose result is the ranking of a query."""
        return self._ask(slot, "by_meaning", query, k=k, read=read)

    def open(self, slot: str, query: str, row: int, k: int) -> work.Task:
        """Return the task that tells what made the score of one text, and the texts nearest to it."""
        return self._ask(slot, "opened_by_meaning", query, row, k=k)

    def _ask(self, slot: str, function: str, *asked: object, **options: int) -> work.Task:
        return work.run(
            slot,
            f"embedviz.retrieval.indexing:{function}",
            self.index.source,
            str(self.index.folder),
            str(self.space.folder),
            *asked,
            key=repr((self.index.key, self.space.address, asked, options)),
            private=self.index.private,
            **options,
        )


def meaning(view: View, texts: Chosen, index: Index, card: Card) -> Meaning:
    """Return the search of an index by an encoder, its texts encoded or being so.

    Raises:
        SpaceError: There is no room for it.
    """
    made = corpora.made(view, texts, "encoder", encoding.usual(card, texts.texts), card)
    return Meaning(index, made, card)


def joined(found: Hits, ranking: Ranking | None, methods: tuple[str, ...]) -> Hits:
    """Return what a query finds with the ranking of the encoder beside the others, of which these methods stay."""
    rankings = {name: one for name, one in found.rankings.items() if name in methods}
    return replace(found, rankings=rankings | ({ranking.name: ranking} if ranking is not None else {}))


def index(view: View, texts: Chosen) -> Index:
    """Return the index of these texts by every method, with word vectors of the space in use.

    Raises:
        SpaceError: There is no room for it.
    """
    token = uploads.token_of("search", texts.address, view.key)
    room, private = uploads.folder_of(token), texts.private or view.recipe.private
    folder = next(room.glob("index-*"), None)
    if folder is None:
        uploads.make_room(_size(view, texts), token)
        folder = room / f"index-{secrets.token_hex(4)}"  # another name than one that has gone had: it is another job
        folder.mkdir()
    uploads.visit(token, listed=False)
    task = work.run(
        "search-index",
        "embedviz.retrieval.indexing:make_index",
        texts.source,
        str(folder),
        (),
        view.space,
        key=f"{token}/{folder.name}",
        private=private,
    )
    return Index(token, texts.source, folder, task, private)


def asked(view: View, texts: Chosen, found: Hits, constants: Mapping[str, Any], card: Card | None) -> Call:
    """Return the call that finds the same without the index that is kept here.

    Args:
        constants: Of BM25.
        card: Of the encoder, where it is asked.
    """
    methods = [*found.rankings]
    encoder = {"methods": methods, "model": models.asked(card)} if card is not None else {}
    indexed = call("embedviz.retrieval.indexing:index", texts.read(), words=view.recipe, **encoder)
    return call("embedviz.retrieval.ranking:search", found.query, indexed, methods, k=found.k, **constants)


def _size(view: View, texts: Chosen) -> int:
    """Return about how many bytes the index takes at most."""
    return sum(
        spaces.size_of(texts.texts, name, view.space, check(row, {}, texts.texts))
        for name, row in spaces.DOCUMENTS.items()
    )


@st.cache_resource(max_entries=4, show_spinner=False)
def _opened(source: str, folder: str) -> Indexed:
    return indexing.open_index(source, folder)


@st.cache_resource(max_entries=64, show_spinner=False)
def _found(source: str, folder: str, query: str, methods: tuple[str, ...], k: int, k1: float, b: float) -> Hits:
    return retrieval.search(query, _opened(source, folder), methods, k=k, k1=k1, b=b)


@st.cache_resource(max_entries=64, show_spinner=False)
def _like(source: str, folder: str, row: int, method: str, k: int) -> Ranking:
    return retrieval.like(row, _opened(source, folder), method, k=k)
