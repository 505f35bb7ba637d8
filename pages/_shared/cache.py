"""The library's answers, kept by names and numbers: a space by its address, a map by its space and options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from embedviz import catalog, columns, neighbors, projection, sampling
from embedviz.space import VectorSpace

Options = Mapping[str, Any]


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


def sample(address: str, rule: str, options: Options, added: tuple[str, ...]) -> sampling.Sample:
    """The rows a map shows: by a rule, and the words that were added by hand."""
    return _sample(address, rule, _text(options), added)


@st.cache_resource(max_entries=64, show_spinner=False)
def _sample(address: str, rule: str, options: str, added: tuple[str, ...]) -> sampling.Sample:
    opened = space(address)
    chosen = sampling.sample(opened, rule, **json.loads(options))
    return chosen.including([opened.index[word] for word in added if word in opened.index])


def mapped(address: str, rule: str, options: Options, added: tuple[str, ...], method: str, turned: Options) -> projection.Projection:
    """A map of that sample by that method."""
    return _mapped(address, rule, _text(options), added, method, _text(turned))


@st.cache_resource(max_entries=32, show_spinner=False)
def _mapped(address: str, rule: str, options: str, added: tuple[str, ...], method: str, turned: str) -> projection.Projection:
    rows = _sample(address, rule, options, added).rows
    return projection.project(space(address), rows, method, **json.loads(turned))


def colored(
    address: str, rule: str, options: Options, added: tuple[str, ...], by: str, turned: Options
) -> columns.Coloring:
    """The colors of that sample."""
    return _colored(address, rule, _text(options), added, by, _text(turned))


@st.cache_resource(max_entries=64, show_spinner=False)
def _colored(address: str, rule: str, options: str, added: tuple[str, ...], by: str, turned: str) -> columns.Coloring:
    rows = _sample(address, rule, options, added).rows
    return columns.coloring(space(address), rows, by, **json.loads(turned))


@st.cache_resource(max_entries=256, show_spinner=False)
def neighborhood(address: str, words: tuple[str, ...], k: int, metric: str) -> neighbors.Neighborhood:
    """The nearest of some words, with what they stand among."""
    return neighbors.neighborhood(space(address), words, k, metric)


def warm() -> None:
    """Opens the built-in space and makes what its pages need first."""
    opened = space("builtin")
    _ = opened.index, opened.unit
    rule = sampling.SAMPLES["frequent"].defaults(opened)
    mapped("builtin", "frequent", rule, (), "pca", projection.PROJECTIONS["pca"].defaults(opened))


def _text(options: Options) -> str:
    return json.dumps(dict(options), sort_keys=True)
