"""The library's answers, kept by names and numbers: a space by its key, a map by its space and options."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
import streamlit as st

from embedviz import catalog, formats, projection
from embedviz.core.options import OptionError, check
from embedviz.core.space import Ints, SpaceError, VectorSpace
from embedviz.corpus.tokenized import Corpus, open_corpus
from embedviz.neighbors import lookup
from embedviz.projection import coloring, sampling
from embedviz.training import replay
from pages._shared.app import lists
from pages._shared.app.kept import kept
from pages._shared.results.answers import Answers
from pages._shared.results.memory import RESULTS

Options = Mapping[str, Any]
P = ParamSpec("P")
R = TypeVar("R")
MOST_POINTS = 4_000_000
"""Points of all maps that are kept."""
_STAMP = "#"
_answers: list[Answers[..., Any]] = []


def _remembered(most: int, weight: Callable[[Any], int] | None = None) -> Callable[[Callable[P, R]], Answers[P, R]]:
    """The function, with its latest results kept until their space is forgotten."""

    def remember(function: Callable[P, R]) -> Answers[P, R]:
        made = Answers(function, _space_of, most, weight)
        _answers.append(made)
        return made

    return remember


def _space_of(asked: str | Shown | Drawn) -> str:
    """The key of the space that an answer is about, from what it was asked by."""
    return asked if isinstance(asked, str) else asked.key if isinstance(asked, Shown) else asked.shown.key


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
    """Lets go of the space of an address that is about to be deleted, and of every answer about it."""
    with suppress(SpaceError):
        key = key_of(address)
        _space.clear(key)
        for answers in _answers:
            answers.forget(key)
        RESULTS.forget(key)


def corpus(folder: str) -> Corpus:
    """The corpus in a folder, as it lies there now.

    Raises:
        CorpusError: The folder holds none.
    """
    stamp = _stamp_of(folder)
    if _corpus.get(folder, stamp) is None:
        forget_corpus(folder)
    return _corpus(folder, stamp)


def forget_corpus(folder: str) -> None:
    """Lets go of a corpus that is about to be deleted, or was made anew."""
    _corpus.forget(folder)


@_remembered(8)
def _corpus(folder: str, stamp: str) -> Corpus:
    return open_corpus(folder)


def _stamp_of(folder: str) -> str:
    """What changes when another corpus comes to lie in a folder."""
    try:
        found = (Path(folder) / "card.json").stat()
    except OSError:
        return ""
    return f"{found.st_ino:x}.{found.st_mtime_ns:x}"


@_remembered(64)
def file_size(key: str, format: str) -> int:
    """About how many bytes a space takes in a format."""
    return formats.estimate(space(key), format)


@st.cache_resource(ttl=5, show_spinner=False)
def entries() -> list[catalog.Entry]:
    """The spaces that anybody may open."""
    return catalog.entries()


class Shown(NamedTuple):
    """Which words a map shows: the space's key, the rule with its options as text, the words added by hand.

    `only` is the token of the words that it is narrowed to, or empty; see `pages._shared.app.kept`.
    """

    key: str
    rule: str
    options: str
    added: tuple[str, ...] = ()
    only: str = ""


class Drawn(NamedTuple):
    """A map: which words, and the method with its options as text. Equal maps of any page are one map."""

    shown: Shown
    method: str
    options: str


def shown(key: str, rule: str, options: Options, added: Sequence[str] = (), only: str = "") -> Shown:
    """Which words a map shows, its options checked and complete."""
    return Shown(key, rule, text(check(sampling.SAMPLES[rule], options, space(key))), tuple(added), only)


def drawn(words: Shown, method: str, options: Options) -> Drawn:
    """A map of these words, its options checked and complete; limits go by the number of words."""
    return Drawn(words, method, text(check(projection.PROJECTIONS[method], options, sample(words).rows)))


def rows_of(key: str, token: str) -> Ints | None:
    """Rows of the words that a token names, of those that the space has; None where the token has gone."""
    listed = kept(token)
    if listed is None:
        return None
    opened = space(key)
    return np.asarray([opened.index[word] for word in listed if word in opened.index], np.int64)


@_remembered(32)
def selected(words: Shown, token: str) -> Ints:
    """Positions on a map of these words of those that a token names; none where the token has gone."""
    rows = rows_of(words.key, token)
    return np.flatnonzero(np.isin(sample(words).rows, rows if rows is not None else []))


@_remembered(64)
def sample(words: Shown) -> sampling.Sample:
    """The rows a map shows.

    Raises:
        OptionError: A rule's option is not allowed, or the selection it is narrowed to is no longer kept.
    """
    opened = space(words.key)
    chosen = sampling.sample(opened, words.rule, **lists.whole(json.loads(words.options)))
    if words.only:
        rows = rows_of(words.key, words.only)
        if rows is None:
            raise OptionError("The selection that this link shows is no longer kept by the program. Select it again.")
        chosen = chosen.only(rows)
    return chosen.including([opened.index[word] for word in words.added if word in opened.index])


@_remembered(MOST_POINTS, lambda made: len(made.rows))
def mapped(what: Drawn) -> projection.Projection:
    """The map itself."""
    rows = sample(what.shown).rows
    return projection.project(space(what.shown.key), rows, what.method, **json.loads(what.options))


@_remembered(64)
def colored(words: Shown, by: str, options: str) -> coloring.Coloring:
    """The colors of those words."""
    return coloring.coloring(space(words.key), sample(words).rows, by, **json.loads(options))


@_remembered(32)
def on_the_way(key: str, word: str, k: int) -> replay.OnTheWay:
    """Who was near a word while the space of this key learned.

    Raises:
        UnknownWordError: The way of the word was not kept.
    """
    return replay.nearest(replay.opened(space(key).folder or ""), word, k)


@_remembered(64)
def matching(words: Shown, pattern: str) -> list[int]:
    """Positions on a map of these words of those in which a pattern is found: in the word, or in all that a text says.

    Raises:
        PatternError: It cannot be read.
    """
    opened, rows = space(words.key), sample(words).rows
    texts = opened.texts.at(rows) if opened.texts is not None else ()
    return [*map(int, lookup.matching(opened.words_at(rows), pattern, texts))]


def warm() -> None:
    """Opens the built-in space and makes what its pages need first."""
    key = key_of("builtin")
    opened = space(key)
    _ = opened.index, opened.unit
    for rule in ("groups", "frequent"):  # the start page's map and the map page's
        mapped(drawn(shown(key, rule, {}), "pca", {}))


def text(options: Options) -> str:
    """Options as text: what a cache can be asked by."""
    return json.dumps(dict(options), sort_keys=True)
