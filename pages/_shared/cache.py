"""The library's answers, kept by names and numbers: a space by its key, a map by its space and options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from embedviz import catalog, columns, neighbors, projection, sampling
from embedviz.space import VectorSpace

_STAMP = "#"


def key_of(address: str) -> str:
    """The address with a stamp of what lies there now: a name that is saved anew, or gone, is another key.

    Raises:
        RecipeError: It names no space, or one that is gone.
    """
    return f"{address}{_STAMP}{catalog.stamp(catalog.Recipe.parse(address))}"


@st.cache_resource(max_entries=8, show_spinner=False)
def space(key: str) -> VectorSpace:
    """The space of a key.

    Raises:
        SpaceError: Its folder is damaged.
    """
    opened = catalog.open_space(key.partition(_STAMP)[0])
    _ = opened.norms
    return opened


@st.cache_data(ttl=5, show_spinner=False)
def entries() -> list[catalog.Entry]:
    """The spaces that anybody may open."""
    return catalog.entries()


class Shown(NamedTuple):
    """Which words a map shows: the space's key, the rule with its options as text, the words added by hand."""

    key: str
    rule: str
    options: str
    added: tuple[str, ...] = ()


@st.cache_resource(max_entries=64, show_spinner=False)
def sample(what: Shown) -> sampling.Sample:
    """The rows a map shows."""
    opened = space(what.key)
    chosen = sampling.sample(opened, what.rule, **json.loads(what.options))
    return chosen.including([opened.index[word] for word in what.added if word in opened.index])


@st.cache_resource(max_entries=32, show_spinner=False)
def mapped(what: Shown, method: str, options: str) -> projection.Projection:
    """A map of that sample by that method."""
    return projection.project(space(what.key), sample(what).rows, method, **json.loads(options))


@st.cache_resource(max_entries=64, show_spinner=False)
def colored(what: Shown, by: str, options: str) -> columns.Coloring:
    """The colors of that sample."""
    return columns.coloring(space(what.key), sample(what).rows, by, **json.loads(options))


@st.cache_resource(max_entries=256, show_spinner=False)
def neighborhood(key: str, words: tuple[str, ...], k: int, metric: str) -> neighbors.Neighborhood:
    """The nearest of some words, with what they stand among."""
    return neighbors.neighborhood(space(key), words, k, metric)


def warm() -> None:
    """Opens the built-in space and makes what its pages need first."""
    key = key_of("builtin")
    opened = space(key)
    _ = opened.index, opened.unit
    what = Shown(key, "frequent", text(sampling.SAMPLES["frequent"].defaults(opened)))
    mapped(what, "pca", text(projection.PROJECTIONS["pca"].defaults(opened)))


def text(options: Mapping[str, Any]) -> str:
    """Options as text: what a cache can be asked by."""
    return json.dumps(dict(options), sort_keys=True)
