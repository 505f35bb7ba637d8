"""Text on a page: messages in place of a result, and the lines under a figure."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages._shared.app import presenting
from pages._shared.app.escape import escape, plain
from pages._shared.app.tables import explained as explained
from pages._shared.app.tables import marked
from pages._shared.app.tables import table as table
from pages._shared.app.tables import touched as touched

if TYPE_CHECKING:
    from embedviz.neighbors.lookup import Found
    from pages._shared.sources.current import View

TERMS = "states:terms"
"""Key of the session state for the terms explained in this run, each with the text that it was explained in."""
_LONG_DETAILS = 600  # with more characters, each part of the details is a paragraph


def state(line: str, sentence: str = "") -> None:
    """Write a message in place of a result: a line in serif type and one sentence."""
    more = f'<p class="ev-plain">{html.escape(sentence)}</p>' if sentence else ""
    st.html(f'<p class="ev-state" role="status">{html.escape(plain(line, 400))}</p>{more}')


def with_terms(text: str) -> str:
    """Return the HTML of a text in which terms of the glossary are explained at their first use on the page."""
    return marked(text, st.session_state.setdefault(TERMS, {}))


def meaning(text: str) -> None:
    """Write what the figure means, in one or two sentences."""
    presenting.note_meaning(text)
    st.html(f'<p class="ev-meaning">{with_terms(plain(text, 600))}</p>')


def answer(word: str, about: str) -> str:
    """Return the HTML of a result beside a control: an equals sign, the word, and `about` in grey."""
    description = f'<span class="ev-muted">{html.escape(about)}</span>'
    return f'<p class="ev-answer"><span>= <b>{html.escape(plain(word, 40))}</b></span> {description}</p>'


def note(*parts: str) -> None:
    """Write sentences, such as those on sample, baseline and interval, as one line in grey; leave out empty ones."""
    text = plain(" ".join(part for part in parts if part), 2000)
    if text:
        st.html(f'<p class="ev-note">{with_terms(text)}</p>')


def details(*parts: str) -> None:
    """Write how a result was computed, hidden until the visitor opens the line *Details*; leave out empty sentences."""
    given = [part for part in parts if part]
    if sum(map(len, given)) <= _LONG_DETAILS:
        given = [" ".join(given)]
    if text := "".join(f"<p>{with_terms(plain(part, 4000))}</p>" for part in given if part):
        st.html(f'<details class="ev-note ev-details"><summary>Details</summary>{text}</details>')


def panel(title: str, subtitle: str = "", level: int = 2) -> None:
    """Draw the head of a side panel: a rule, a title and a subtitle with terms of the glossary."""
    under = f'<span class="ev-muted">{with_terms(subtitle)}</span>' if subtitle else ""
    st.html(f'<div class="ev-panel"><h{level}>{html.escape(plain(title, 60))}</h{level}>{under}</div>')


def entry(title: str, *about: str) -> None:
    """Draw one entry of a list: a title, and a description in grey of one or more lines."""
    lines = "<br>".join(map(html.escape, about))
    inside = f'<b>{html.escape(plain(title, 80))}</b><br><span class="ev-muted">{lines}</span>'
    st.html(f'<p class="ev-plain">{inside}</p>')


def bar(fraction: float) -> None:
    """Draw a progress bar; `fraction` is from 0 to 1."""
    st.html(
        f'<div class="ev-bar" role="progressbar" aria-valuenow="{100 * fraction:.0f}">'
        f'<i style="width:{100 * fraction:.1f}%;background:var(--ev-ink)"></i></div>'
    )


def step(text: str, fraction: float | None) -> None:
    """Write the present step of a job above a thin progress bar."""
    st.html(f'<p class="ev-small" role="status">{html.escape(plain(text, 400))}</p>')
    bar(fraction or 0.0)


def pill(text: str) -> None:
    """Draw a text in a rounded frame."""
    st.html(f'<span class="ev-pill">{html.escape(text)}</span>')


def card(title: str, question: str) -> None:
    """Draw the head of a small figure: the title of its page and the question it answers."""
    inside = f'<h2>{html.escape(title)}</h2><span class="ev-muted">{html.escape(question)}</span>'
    st.html(f'<div class="ev-card">{inside}</div>')


def offers(
    words: Sequence[str], choose: Callable[[str], None], key: str, label_of: Callable[[str], str] | None = None
) -> None:
    """Draw a button for each word; a click calls `choose` with the word. `label_of` returns the label of a word."""
    with st.container(horizontal=True, key=f"offers-{key}"):
        for number, word in enumerate(words):
            label = label_of(word) if label_of is not None else word
            st.button(escape(label, 40), key=f"offer-{key}-{number}", on_click=choose, args=(word,))


def word_needed(found: Found, view: View, choose: Callable[[str], None], examples: Sequence[str] | None = None) -> None:
    """Say that the word in use is missing or unknown, and offer `examples`; without `examples`, those of the space."""
    if found.typed:
        _unknown(found, view, choose, view.examples() if examples is None else examples)
    else:
        state(f"No {view.space.noun} chosen yet.", f"Type a {view.space.noun}, or start with one of these.")
        offers(view.examples() if examples is None else examples, choose, "start", view.label_or_word)


def _unknown(found: Found, view: View, choose: Callable[[str], None], examples: Sequence[str]) -> None:
    """Say that the word is unknown, and offer the word in another case, similar spellings, or examples."""
    line = f"“{found.typed[:80]}” is not among the {len(view.space):,} words."
    if found.labelled:
        noun = view.space.noun
        state(f"No {noun} is named “{found.typed[:80]}”.", f"It occurs at the beginning of these {noun}s:")
        offers(found.labelled, choose, "labelled", view.label_or_word)
        return
    if found.ngrams:
        state(line, f"The page Neighbors can compute a vector from its {found.ngrams} n-grams.")
        st.page_link("words/neighbors/page.py", label="Neighbors of this word", icon=":material/near_me:")
    elif found.others:
        state(line, "First the same word in other case or spacing, then similar spellings.")
    elif found.alike:
        state(line, "Closest spellings:")
    else:
        state(line, "No similar spelling found. Search a part of a word on the map (/part/), or take one of these.")
        offers(examples, choose, "start", view.label_or_word)
    offers(found.suggestions, choose, "unknown")
