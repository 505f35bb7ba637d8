"""The library's answers, kept by names and numbers: a space by its address, a map by its space and options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from embedviz import catalog, columns, neighbors, projection, sampling
from embedviz.space import VectorSpace


def space(address: str) -> VectorSpace:
    """The space of an address.

    Raises:
        RecipeError: It names no space, or one that is gone.
    """
    recipe = catalog.Recipe.parse(address)
    if recipe.kind != "builtin" and not catalog.folder_of(recipe).is_dir():
        _space.clear(address)
    return _space(address)


@st.cache_resource(max_entries=8, show_spinner=False)
def _space(address: str) -> VectorSpace:
    opened = catalog.open_space(address)
    _ = opened.norms
    return opened


@st.cache_data(ttl=5, show_spinner=False)
def entries() -> list[catalog.Entry]:
    """The spaces that anybody may open."""
    return catalog.entries()


class Shown(NamedTuple):
    """Which words a map shows: the space, the rule with its options as text, the words added by hand."""

    address: str
    rule: str
    options: str
    added: tuple[str, ...] = ()


@st.cache_resource(max_entries=64, show_spinner=False)
def sample(what: Shown) -> sampling.Sample:
    """The rows a map shows."""
    opened = space(what.address)
    chosen = sampling.sample(opened, what.rule, **json.loads(what.options))
    return chosen.including([opened.index[word] for word in what.added if word in opened.index])


@st.cache_resource(max_entries=32, show_spinner=False)
def mapped(what: Shown, method: str, options: str) -> projection.Projection:
    """A map of that sample by that method."""
    return projection.project(space(what.address), sample(what).rows, method, **json.loads(options))


@st.cache_resource(max_entries=64, show_spinner=False)
def colored(what: Shown, by: str, options: str) -> columns.Coloring:
    """The colors of that sample."""
    return columns.coloring(space(what.address), sample(what).rows, by, **json.loads(options))


@st.cache_resource(max_entries=256, show_spinner=False)
def neighborhood(address: str, words: tuple[str, ...], k: int, metric: str) -> neighbors.Neighborhood:
    """The nearest of some words, with what they stand among."""
    return neighbors.neighborhood(space(address), words, k, metric)


def warm() -> None:
    """Opens the built-in space and makes what its pages need first."""
    opened = space("builtin")
    _ = opened.index, opened.unit
    what = Shown("builtin", "frequent", text(sampling.SAMPLES["frequent"].defaults(opened)))
    mapped(what, "pca", text(projection.PROJECTIONS["pca"].defaults(opened)))


def text(options: Mapping[str, Any]) -> str:
    """Options as text: what a cache can be asked by."""
    return json.dumps(dict(options), sort_keys=True)
