"""The index of the texts in use: made by a worker, and opened for queries."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz import retrieval
from embedviz.core.call import Call, call
from embedviz.core.options import check
from embedviz.retrieval import Hit, Hits, Indexed, Ranking, indexing, spaces
from embedviz.retrieval.indexes import indexed_with
from embedviz.retrieval.indexing import IndexedMethods
from pages._shared.results import work
from pages._shared.sources import models, uploads

if TYPE_CHECKING:
    from embedviz.contextual.models import ModelCard
    from pages._shared.sources.corpora import ChosenTexts
    from pages._shared.sources.current import View


@dataclass(frozen=True, eq=False)
class PendingIndex:
    """An index of texts that is ready or in progress.

    Attributes:
        source: The texts, in the form that `corpus.opened` takes.
        folder: The folder of the index.
        key: Name of this index in the keys of jobs.
        task: The task that makes the index.
        private: Whether the texts or the word vectors are private; then only visitors who have their web address may
            see the index.
    """

    source: str
    folder: Path
    key: str
    task: work.Task
    private: bool

    @property
    def made(self) -> IndexedMethods | None:
        """Return which methods have an index, and why others have none; None until the job has made the indexes."""
        made: IndexedMethods | None = self.task.result
        return made

    @property
    def indexed(self) -> Indexed:
        """Return the opened index. Call this only after the worker has made the index."""
        return _opened(self.source, str(self.folder))

    def find(
        self, query: str, methods: tuple[str, ...], k: int, k1: float, b: float, only: tuple[str, str] = ("", "")
    ) -> Hits:
        """Return the results of a query, among the texts with the column and the value of `only` (empty: all texts).

        Raises:
            OptionError: A method has no index, a number is out of range, or the column or the value does not exist.
        """
        column, value = only
        folder = str(self.folder)
        return _found(self.source, folder, query, methods, k=k, k1=k1, b=b, column=column, value=value)

    def explain(self, query: str, method: str, row: int, k1: float, b: float) -> Hit:
        """Return one text with the parts of its score, and its rank among all texts.

        Raises:
            OptionError: There is no such method or row, or a number is out of range.
        """
        return retrieval.explain(query, indexed_with(self.indexed, k1, b), method, row)

    def like(self, row: int, method: str, k: int, k1: float, b: float) -> Ranking:
        """Return the ranking of the texts nearest to one text.

        Raises:
            OptionError: There is no such method or row, or a number is out of range.
        """
        return _like(self.source, str(self.folder), row, method, k, k1, b)


def index(view: View, texts: ChosenTexts) -> PendingIndex:
    """Return the index of these texts by every method, with the word vectors in use; if missing, start a job for it.

    Raises:
        SpaceError: There is no disk space for the index.
    """
    token = uploads.token_of("search", texts.address, view.key)
    room, private = uploads.folder_of(token), texts.private or view.recipe.private
    folder = next(room.glob("index-*"), None)
    if folder is None:
        uploads.make_room(_size(view, texts), token)
        folder = room / f"index-{secrets.token_hex(4)}"  # a new name: a deleted index is made by a new job
        folder.mkdir()
    uploads.visit(token, listed=False)
    key = f"{token}/{folder.name}"
    task = work.run(
        "search-index",
        "embedviz.retrieval.indexing:make_index",
        texts.source,
        str(folder),
        (),
        view.space,
        key=key,
        private=private,
    )
    return PendingIndex(texts.source, folder, key, task, private)


def exported(view: View, texts: ChosenTexts, found: Hits, constants: Mapping[str, Any], card: ModelCard | None) -> Call:
    """Return the call that gives the search results `found` in a notebook.

    Args:
        constants: Constants of BM25.
        card: The encoder, if it is one of the methods.
    """
    methods = [*found.rankings]
    only = {"column": found.column, "value": found.value} if found.column else {}
    encoder = {"methods": methods, "model": models.argument(card)} if card is not None else {}
    indexed = call("embedviz.retrieval.indexing:index", texts.read(), words=view.recipe, **encoder)
    return call("embedviz.retrieval.ranking:search", found.query, indexed, methods, k=found.k, **constants, **only)


def _size(view: View, texts: ChosenTexts) -> int:
    """Return an upper estimate of the size of the index, in bytes."""
    return sum(
        spaces.size_of(texts.texts, name, view.space, check(row, {}, texts.texts))
        for name, row in spaces.DOCUMENTS.items()
    )


@st.cache_resource(max_entries=4, show_spinner=False)
def _opened(source: str, folder: str) -> Indexed:
    return indexing.open_index(source, folder)


@st.cache_resource(max_entries=64, show_spinner=False)
def _found(source: str, folder: str, query: str, methods: tuple[str, ...], **options: Any) -> Hits:
    return retrieval.search(query, _opened(source, folder), methods, **options)


@st.cache_resource(max_entries=64, show_spinner=False)
def _like(source: str, folder: str, row: int, method: str, k: int, k1: float, b: float) -> Ranking:
    return retrieval.like(row, indexed_with(_opened(source, folder), k1, b), method, k=k)
