"""The control for a value of a column; it shows each value with its number of rows."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from embedviz.corpus.columns import MOST_GROUPS
from pages._shared.app import address
from pages._shared.app.escape import plain


def can_be_chosen(values: Sequence[object]) -> bool:
    """Return whether a column has at least 2 and at most `MOST_GROUPS` different values."""
    return 1 < len({str(value) for value in values}) <= MOST_GROUPS


def choose(label: str, values: Sequence[object], name: str, *, required: bool = False) -> str:
    """Draw the control; return the chosen value, or an empty text if no value is chosen.

    Args:
        label: Label of the control, escaped for Markdown.
        values: The column, a value for each row.
        name: Name in the address.
        required: Whether a value must be chosen. If True, the most frequent value is the default. If False, empty
            values of the column are not offered.
    """
    often = Counter(str(value) for value in values)
    if not required:
        del often[""]  # an empty text stands for no value
    offered = [*([] if required else [""]), *(value for value, _ in often.most_common())]
    given = address.get(name, offered[0])
    chosen = given if given in often else offered[0]
    st.selectbox(
        label,
        offered,
        format_func=lambda value: f"{plain(value, 60) or 'empty'} · {often[value]:,}" if value in often else "none",
        **address.bind(name, chosen),
    )
    return chosen
