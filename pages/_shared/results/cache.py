"""What lies on the disk, opened once: spaces by their keys, corpora, the list of spaces."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import streamlit as st

from embedviz import catalog, formats
from embedviz.core.folders import stamp_of
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.corpus.tokenized import Corpus, open_corpus
from pages._shared.results.memory import RESULTS

_STAMP = "#"


def key_of(address: str) -> str:
    """The address with a stamp of what lies there now: a name that is saved anew, or gone, is another key.

    Raises:
        RecipeError: It names no space, or one that is gone.
    """
    return f"{address}{_STAMP}{catalog.stamp(catalog.Recipe.parse(address))}"


def space(key: str) -> VectorSpace:
    """Return the space of a key, opened anew where its folder is gone: jobs open it by its path.

    Raises:
        SpaceError: Its folder is damaged.
    """
    opened = _space(key)
    if opened.folder is not None and not Path(opened.folder, "card.json").exists():
        _space.clear(key)
        opened = _space(key)
    return opened


@st.cache_resource(max_entries=8, show_spinner=False)
def _space(key: str) -> VectorSpace:
    opened = catalog.open_space(key.partition(_STAMP)[0])
    _ = opened.norms
    return opened


def forget(address: str) -> None:
    """Forget the space of an address that is about to be deleted, and every result about it, corrected or not."""
    RESULTS.forget(address)
    with suppress(SpaceError):
        _space.clear(key_of(address))


def corpus(folder: str) -> Corpus:
    """The corpus in a folder, as it lies there now.

    Raises:
        CorpusError: The folder holds none.
    """
    key = f"corpus {folder}{_STAMP}{_stamp_of(folder)}"
    if RESULTS.get(key) is None:
        forget_corpus(folder)
    found: Corpus = RESULTS.result(key, [folder], lambda: open_corpus(folder))
    return found


def forget_corpus(folder: str) -> None:
    """Lets go of a corpus that is about to be deleted, or was made anew."""
    RESULTS.forget(folder)


def _stamp_of(folder: str) -> str:
    """The stamp of a corpus; empty where its folder is gone."""
    try:
        return stamp_of(Path(folder, "card.json"))
    except OSError:
        return ""


def file_size(key: str, format: str) -> int:
    """About how many bytes a space takes in a format."""
    about = key.partition(_STAMP)[0].partition("~")[0]
    return int(RESULTS.result(f"size {format} {key}", [about], lambda: formats.estimate(space(key), format)))


@st.cache_resource(ttl=5, show_spinner=False)
def entries() -> list[catalog.Entry]:
    """The spaces that anybody may open."""
    return catalog.entries()
