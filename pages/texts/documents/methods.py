"""The method in use in one sentence, which opens the sentences of all methods."""

from __future__ import annotations

import html
from collections.abc import Iterable

import streamlit as st

from embedviz.core.options import Method
from pages._shared.app import states

_WHY = {
    "sif": "SIF is the default: these word vectors cover most words of the texts.",
    "lsa": "LSA is the default: these word vectors cover too few words of the texts.",
}


def explain(chosen: Method, default: str, offered: Iterable[Method]) -> None:
    """Write what the chosen method does and why one is the default, with a link that lists what each of them does."""
    entries = (f"<dt>{html.escape(one.title)}</dt><dd>{html.escape(one.summary)}</dd>" for one in offered)
    first = f"{states.with_terms(f'{chosen.title}: {chosen.summary} {_WHY[default]}')} <u>All methods</u>"
    listed = f'<dl class="ev-terms">{"".join(entries)}</dl>'
    st.html(f'<details class="ev-note ev-details"><summary>{first}</summary>{listed}</details>')
