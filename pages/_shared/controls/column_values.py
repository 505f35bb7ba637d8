"""The choice of a value of a column, each with the number of rows that have it."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from embedviz.corpus.columns import MOST_GROUPS
from pages._shared.app import address
from pages._shared.app.escape import plain


def can_be_chosen(values: Sequence[object]) -> bool:
    """Return whether a column has more than one value, and few enough to choose from."""
    return 1 < len({str(value) for value in values}) <= MOST_GROUPS


def choose(label: str, values: Sequence[object], name: str, *, required: bool = False) -> str:
    """Return the chosen value, or an empty text for none, with its control.

    Args:
        label: Of the control, made safe for Markdown.
        values: Of the column, a value for each row.
        name: In the address.
        required: Whether one is chosen from the start, the most frequent; else none.
    """
    often = Counter(str(value) for value in values)
    offered = [*([] if required else [""]), *(value for value, _ in often.most_common())]
    chosen = address.get(name) if address.get(name) in often else offered[0]
    st.selectbox(
        label,
        offered,
        format_func=lambda value: f"{plain(value, 60) or 'empty'} · {often[value]:,}" if value in often else "none",
        **address.bind(name, chosen),
    )
    return chosen
