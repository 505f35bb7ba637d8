"""Lists of names with their explanations, open or behind a sentence."""

import html
from collections.abc import Iterable

import streamlit as st

from pages._shared.app.states import with_terms


def terms(rows: Iterable[tuple[str, str]]) -> None:
    """List terms with their explanations."""
    st.html(_listed(rows))


def choices(first: str, link: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write a sentence, `first`, and after it the text `link`; a click opens a list of what each choice does."""
    opened = f"<summary>{with_terms(first)} <u>{html.escape(link)}</u></summary>{_listed(rows)}"
    st.html(f'<details class="ev-note ev-details">{opened}</details>')


def _listed(rows: Iterable[tuple[str, str]]) -> str:
    inside = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>" for name, text in rows)
    return f'<dl class="ev-terms">{inside}</dl>'
