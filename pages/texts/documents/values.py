"""The texts that have a value in the column that colors the map."""

from collections.abc import Callable

import streamlit as st

from embedviz.core.phrases import counted
from embedviz.core.space import VectorSpace
from pages._shared.app import states
from pages._shared.app.escape import escape, plain
from pages._shared.controls import column_values
from pages._shared.output.wordlist import WordRow, wordlist

VALUE = "only"
"""Name in the address of the value whose texts are listed."""
_LISTED, _SHORT = 60, 12
_HIGH = 380  # px, the height in which a long list scrolls


def section(space: VectorSpace, by: str, choose: Callable[[str], None]) -> None:
    """Draw a choice of values of a column, and list the texts with the chosen value.

    A click opens a text here and marks it on the map.

    Args:
        by: The column that colors the map. Nothing is drawn if the space has no such column, or if the column has fewer
            than 2 or more than `MOST_GROUPS` values.
    """
    column = space.metadata.get(by)
    if by == "text" or column is None:
        return
    texts = [str(value) for value in column]
    if not column_values.can_be_chosen(texts):
        return
    chosen = column_values.choose(f"List texts by {escape(space.column_title(by), 40)}", texts, VALUE)
    if not chosen:
        return
    keys = [space.words[row] for row, value in enumerate(texts) if value == chosen]
    rows = [WordRow(key, label=space.label(space.index[key])) for key in keys[:_LISTED]]
    title = f"{counted(len(keys), 'text')} with {plain(space.column_title(by), 40)} = {plain(chosen, 60)}"
    cut = f"; the first {_LISTED} are listed" if len(keys) > _LISTED else ""
    states.note(f"{title}{cut}.")
    with st.container(height=_HIGH if len(rows) > _SHORT else "content", border=False):
        wordlist(title, rows, ("text", ""), choose, key="documents-value", narrow=True)
