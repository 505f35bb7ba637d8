"""A cache of opened files: spaces by their keys, corpora, the list of spaces."""

from contextlib import suppress
from pathlib import Path

import streamlit as st

from embedviz import catalog, formats
from embedviz.core.folders import stamp_of
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.core.store import shortened
from embedviz.corpus.tokenized import Corpus, open_corpus
from pages._shared.results.memory import RESULTS

STAMP = "#"
"""Separates address and stamp in a key."""


def key_of(address: str) -> str:
    """Return the key of a space: its address and a stamp of its files. A space that is saved again gets another key.

    Raises:
        RecipeError: The address names no space, or a space that was deleted.
    """
    return f"{address}{STAMP}{catalog.stamp(catalog.Recipe.parse(address))}"


def space(key: str) -> VectorSpace:
    """Return the space of a key. If its folder was deleted or a file in the folder was shortened, open the space anew.

    Jobs need the folder. A read past the new end of a shortened file would crash the server.

    Raises:
        RecipeError: The space was deleted.
        SpaceError: The folder of the space is damaged.
    """
    opened = _space(key)
    mapped = (opened.matrix, getattr(opened.words, "blob", None), opened.outputs)
    if opened.folder is not None and (
        not Path(opened.folder, "card.json").exists() or any(shortened(array) for array in mapped)
    ):
        _space.clear(key)
        opened = _space(key)
    return opened


@st.cache_resource(max_entries=8, show_spinner=False)
def _space(key: str) -> VectorSpace:
    opened = catalog.open_space(key.partition(STAMP)[0])
    _ = opened.norms
    return opened


def forget(address: str) -> None:
    """Forget a space that is about to be deleted, and all results about it and about its corrected versions."""
    RESULTS.forget(address)
    with suppress(SpaceError):
        _space.clear(key_of(address))


def corpus(folder: str) -> Corpus:
    """Return the corpus in a folder, as it is on the disk now.

    Raises:
        CorpusError: The folder holds no corpus.
    """
    key = f"corpus {folder}{STAMP}{_stamp_of(folder)}"
    if RESULTS.get(key) is None:
        forget_corpus(folder)
    found: Corpus = RESULTS.result(key, [folder], lambda: open_corpus(folder))
    return found


def forget_corpus(folder: str) -> None:
    """Forget a corpus that is about to be deleted or was written again."""
    RESULTS.forget(folder)


def _stamp_of(folder: str) -> str:
    """Return a stamp that changes when the files of a corpus change; empty if the folder is gone."""
    try:
        return stamp_of(Path(folder, "card.json"))
    except OSError:
        return ""


def file_size(key: str, format: str) -> int:
    """Return about how many bytes a space takes as a file in this format."""
    about = key.partition(STAMP)[0].partition("~")[0]
    return int(RESULTS.result(f"size {format} {key}", [about], lambda: formats.estimate(space(key), format)))


@st.cache_resource(ttl=5, show_spinner=False)
def entries() -> list[catalog.SpaceEntry]:
    """Return the spaces that everybody may open."""
    return catalog.entries()
