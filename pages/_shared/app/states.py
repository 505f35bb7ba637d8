"""What a page shows in place of a result: what is, what is safe, one way out."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.glossary import terms_in
from pages._shared.app.escape import escape, plain

if TYPE_CHECKING:
    from embedviz.neighbors.lookup import Found
    from pages._shared.sources.current import View

TERMS = "states:terms"
"""Term to the text in which it was explained in this run of the page."""


def state(line: str, sentence: str = "") -> None:
    """A serif line and one sentence."""
    more = f'<p class="ev-plain">{html.escape(sentence)}</p>' if sentence else ""
    st.html(f'<p class="ev-state" role="status">{html.escape(plain(line, 400))}</p>{more}')


def with_terms(text: str) -> str:
    """Return the HTML of a text in which terms of the glossary are explained at their first use on the page."""
    first_in: dict[str, str] = st.session_state.setdefault(TERMS, {})
    parts, last = [], 0
    for start, end, term in terms_in(text):
        if first_in.setdefault(term.name, text) == text:  # equal where a part of the page runs again
            tip = html.escape(f"{term.name}: {term.text}", quote=True)
            opened = f'<span class="ev-term" tabindex="0" data-tip="{tip}" aria-description="{tip}">'
            parts += [html.escape(text[last:start]), f"{opened}{html.escape(text[start:end])}</span>"]
            last = end
    return "".join([*parts, html.escape(text[last:])])


def terms(rows: Iterable[tuple[str, str]]) -> None:
    """List terms with their explanations."""
    inside = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>" for name, text in rows)
    st.html(f'<dl class="ev-terms">{inside}</dl>')


def meaning(text: str) -> None:
    """What the figure means, in one or two sentences under it."""
    st.html(f'<p class="ev-meaning">{with_terms(plain(text, 600))}</p>')


def answer(word: str, about: str) -> str:
    """The HTML of a result beside a control: the word after an equals sign, and what it is in muted words."""
    said = f'<span class="ev-muted">{html.escape(about)}</span>'
    return f'<p class="ev-answer"><span>= <b>{html.escape(plain(word, 40))}</b></span> {said}</p>'


def note(*parts: str) -> None:
    """Method, sample, interval: the muted line, of the sentences that are not empty."""
    text = plain(" ".join(part for part in parts if part), 2000)
    if text:
        st.html(f'<p class="ev-note">{with_terms(text)}</p>')


def panel(title: str, subtitle: str = "", level: int = 2) -> None:
    """The head of a side panel: a rule, a title and what it lists."""
    under = f'<span class="ev-muted">{html.escape(subtitle)}</span>' if subtitle else ""
    st.html(f'<div class="ev-panel"><h{level}>{html.escape(plain(title, 60))}</h{level}>{under}</div>')


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], strong: int | None = None, texts: Sequence[int] = ()
) -> None:
    """A small table: the first column and those of `texts` are text, the others numbers; `strong` is set in bold."""
    kinds = ["" if column == 0 or column in texts else 'class="num"' for column in range(len(header))]
    head = "".join(f"<th {kind}>{html.escape(cell)}</th>" for kind, cell in zip(kinds, header, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            _cell(cell, kind, number == strong) for number, (kind, cell) in enumerate(zip(kinds, row, strict=True))
        )
        + "</tr>"
        for row in rows
    )
    st.html(f'<table class="ev"><tr>{head}</tr>{body}</table>')


def explained(header: Sequence[str], rows: Iterable[Sequence[str]], strong: int = 0) -> None:
    """A table whose rows say what they are: title, a sentence about it in small muted words, then the numbers.

    Args:
        strong: Which of the numbers is set in bold.
    """
    head = "<th></th>" + "".join(f'<th class="num">{html.escape(cell)}</th>' for cell in header)
    body = "".join(
        f'<tr><td>{html.escape(title)}<br><span class="ev-muted ev-small">{html.escape(about)}</span></td>'
        + "".join(_cell(cell, 'class="num"', place == strong) for place, cell in enumerate(numbers))
        + "</tr>"
        for title, about, *numbers in rows
    )
    st.html(f'<table class="ev ev-explained"><tr>{head}</tr>{body}</table>')


def _cell(text: str, kind: str, strong: bool) -> str:
    inside = html.escape(plain(text, 80 if kind else 240))
    return f"<td {kind}>{f'<b>{inside}</b>' if strong else inside}</td>"


def entry(title: str, about: str) -> None:
    """One line of a list of things: its name, and what it is in muted words."""
    inside = f'<b>{html.escape(plain(title, 80))}</b><br><span class="ev-muted">{html.escape(about)}</span>'
    st.html(f'<p class="ev-plain">{inside}</p>')


def bar(fraction: float) -> None:
    """How far something is, 0 to 1."""
    st.html(
        f'<div class="ev-bar" role="progressbar" aria-valuenow="{100 * fraction:.0f}">'
        f'<i style="width:{100 * fraction:.1f}%;background:var(--ev-ink)"></i></div>'
    )


def step(text: str, fraction: float | None) -> None:
    """What is being done, over a thin bar of how far it is."""
    st.html(f'<p class="ev-small" role="status">{html.escape(plain(text, 400))}</p>')
    bar(fraction or 0.0)


def pill(text: str) -> None:
    """A quiet pill of text."""
    st.html(f'<span class="ev-pill">{html.escape(text)}</span>')


def card(title: str, question: str) -> None:
    """The head of a small figure: its page's title and the question it answers."""
    inside = f'<h2>{html.escape(title)}</h2><span class="ev-muted">{html.escape(question)}</span>'
    st.html(f'<div class="ev-card">{inside}</div>')


def offers(
    words: Sequence[str], choose: Callable[[str], None], key: str, shown: Callable[[str], str] | None = None
) -> None:
    """A row of words to choose from, under their own names or as they are shown."""
    with st.container(horizontal=True, key=f"offers-{key}"):
        for number, word in enumerate(words):
            said = shown(word) if shown is not None else word
            st.button(escape(said, 40), key=f"offer-{key}-{number}", on_click=choose, args=(word,))


def word_needed(found: Found, view: View, choose: Callable[[str], None]) -> None:
    """What stands where a word's result would: no word is chosen yet, or it is not in the space."""
    if found.asked:
        _unknown(found, view, choose)
    else:
        state(f"No {view.space.noun} chosen yet.", f"Type a {view.space.noun}, or start with one of these.")
        offers(view.examples(), choose, "start", view.shown)


def _unknown(found: Found, view: View, choose: Callable[[str], None]) -> None:
    """Says so, offers the other case and the closest spellings, replaces nothing."""
    line = f"“{found.asked[:80]}” is not among the {len(view.space):,} words."
    if found.labelled:
        noun = view.space.noun
        state(f"“{found.asked[:80]}” is no {noun}'s name.", f"It stands in the beginning of these {noun}s:")
        offers(found.labelled, choose, "labelled", view.shown)
        return
    if found.ngrams:
        state(
            line, f"Without a row it has no place here; Neighbors assembles a vector from its {found.ngrams} n-grams."
        )
        st.page_link("words/neighbors.py", label="Its neighbors", icon=":material/near_me:")
    elif found.others:
        state(line, "The same word in another case or spacing comes first; the others are spelled alike.")
    elif found.alike:
        state(line, "Closest spellings:")
    else:
        state(line, "No word is spelled alike. On the map, a part of a word can be searched between slashes: /part/.")
    offers(found.suggestions, choose, "unknown")
