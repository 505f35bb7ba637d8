"""What a page shows in place of a result: what is, what is safe, one way out."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

import streamlit as st

from embedviz.lookup import Found
from pages._shared.escape import escape


def state(line: str, sentence: str = "") -> None:
    """A serif line and one sentence."""
    more = f'<p class="ev-plain">{html.escape(sentence)}</p>' if sentence else ""
    st.html(f'<p class="ev-state" role="status">{html.escape(line)}</p>{more}')


def meaning(text: str) -> None:
    """What the figure means, in one or two sentences under it."""
    st.html(f'<p class="ev-meaning">{html.escape(text)}</p>')


def note(text: str) -> None:
    """Method, sample, interval: the muted line."""
    st.html(f'<p class="ev-note">{html.escape(text)}</p>')


def panel(title: str, subtitle: str = "", level: int = 2) -> None:
    """The head of a side panel: a rule, a title and what it lists."""
    under = f'<span class="ev-muted">{html.escape(subtitle)}</span>' if subtitle else ""
    st.html(f'<div class="ev-panel"><h{level}>{html.escape(title)}</h{level}>{under}</div>')


def offers(words: Sequence[str], choose: Callable[[str], None], key: str) -> None:
    """A row of words to choose from."""
    with st.container(horizontal=True, key=f"offers-{key}"):
        for number, word in enumerate(words):
            st.button(escape(word, 40), key=f"offer-{key}-{number}", on_click=choose, args=(word,))


def unknown_word(found: Found, size: int, choose: Callable[[str], None]) -> None:
    """A word without a row: says so, offers the other case and the closest spellings, replaces nothing."""
    line = f"“{found.asked[:80]}” is not among the {size:,} words."
    if found.others:
        state(line, "The same word in another case or spacing is here; spelled alike are the others.")
    elif found.alike:
        state(line, "Closest spellings:")
    else:
        state(line, "No word is spelled alike. Search a part of it as a pattern, between slashes: /part/.")
    if found.suggestions:
        offers(found.suggestions, choose, "unknown")


def no_word(choose: Callable[[str], None], examples: Sequence[str]) -> None:
    """No word is chosen yet: says what to do and offers some that are in the space."""
    state("No word chosen yet.", "Type a word, or start with one of these." if examples else "Type a word.")
    if examples:
        offers(examples, choose, "start")
