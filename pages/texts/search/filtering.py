"""The filter of a search: only texts with a value in a column of their table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from pages._shared.app import address
from pages._shared.app.escape import plain
from pages._shared.controls import column_values

if TYPE_CHECKING:
    from pages._shared.sources.corpora import ChosenTexts

COLUMN, VALUE = "column", "only"
"""Names in the address of the filter's column and of its value."""


class TextFilter(NamedTuple):
    """The column and the value that searched texts must have; empty for all texts."""

    column: str = ""
    value: str = ""


def title(texts: ChosenTexts, column: str) -> str:
    """Return the displayed name of a column. “group” gets the name of the column that gave the groups, if known."""
    return (column == "group" and texts.texts.group) or column


def choose(texts: ChosenTexts) -> TextFilter:
    """Draw the filter if the texts have a column to filter by; return the chosen filter, empty for all texts."""
    offered = {name: given for name, given in texts.texts.filters.items() if column_values.can_be_chosen(given)}
    if not offered:
        return TextFilter()
    column = address.get(COLUMN) if address.get(COLUMN) in offered else ""
    with st.container(horizontal=True, vertical_alignment="bottom", key="search-filter"):
        with st.container(width=220):
            st.selectbox(
                "Filter texts by",
                ["", *offered],
                format_func=lambda name: plain(title(texts, name), 40) if name else "no filter",
                **address.bind(COLUMN, column),
            )
        if not column:
            return TextFilter()
        with st.container(width=280):
            value = column_values.choose("Value · number of texts", offered[column], VALUE, required=True)
    return TextFilter(column, value)
